"""The store: documents, passages, headings, vectors, entities and pages in one SQLite file.

What can be worked out anew (headings, vectors, entities, pages, counts) is kept with a digest of the text that
it was made from and is taken only where the digest agrees, so that nothing of another version is ever mixed in.
"""

import gc
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench import checks
from workbench.corpus import schema
from workbench.corpus.digest import Page
from workbench.corpus.entities import Entity
from workbench.corpus.library import Distilled, Progress, prune
from workbench.corpus.outline import Node
from workbench.corpus.packing import (
    DIGEST,
    digest,
    document_digest,
    json_out,
    jsons_out,
    postings_out,
    text_out,
    units_out,
)
from workbench.corpus.store_rows import Change, generation, put, setting
from workbench.errors import WorkbenchError
from workbench.kernels.bm25_postings import Postings
from workbench.records import Document, Passage


class Moved(Exception):
    """Another process changed the store since it was read."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a store held at one moment: documents by ascending id, passages in their order."""

    settings: Mapping[str, Any]
    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """Token counts of passages as the store keeps them."""

    ids: list[str]
    """Ascending."""
    digests: bytes
    """16 bytes a passage, of the text that was counted."""
    postings: Postings
    generation: int
    """The store's, when they were written."""

    def of_texts(self) -> dict[str, bytes]:
        """Passage id → digest of the text that was counted."""
        return {id: self.digests[at * DIGEST : at * DIGEST + DIGEST] for at, id in enumerate(self.ids)}


class Store:
    """A store at a path. Holds no connection, so it may be shared between threads and processes.

    Raises:
        WorkbenchError: ``not_a_store``, ``store_damaged``, ``store_locked``, ``store_full``, ``store_read_only``,
            ``store_failed``, ``missing_file`` or ``unknown_schema``, from any of its calls.
    """

    def __init__(self, path: str | Path, *, wait: float = schema.WAIT, live: bool = True) -> None:
        """``path``: a file, or a folder for ``workbench.db`` in it.

        Args:
            wait: seconds to wait for another writer.
            live: whether a workbench writes its changes here as they are made; otherwise it only begins from what is here.
        """
        self.path = schema.place(path)
        self.live = live
        self._wait = checks.number("wait", wait, low=0)

    @property
    def exists(self) -> bool:
        """Whether there is a file; it need not be a store."""
        return self.path.exists()

    # ------------------------------------------------------------ out

    def settings(self) -> dict[str, Any]:
        """What the store says of itself: ``generation`` counts its changes."""
        with schema.reading(self.path) as connection:
            return _settings(connection)

    def read(self) -> Stored:
        """The documents and passages."""
        with _no_collection():
            return self._read()

    def _read(self) -> Stored:
        with schema.reading(self.path) as connection:
            settings = _settings(connection)
            rows = connection.execute("SELECT id, text, title, metadata FROM documents").fetchall()
            cuts = connection.execute(
                "SELECT id, document_id, position, start, stop, headings FROM passages ORDER BY number"
            ).fetchall()
        held: dict[str | bytes, tuple[Document, list[Passage]]] = {
            row[0]: (Document(text_out(row[0]), text_out(row[1]), text_out(row[2]), metadata), [])
            for row, metadata in zip(rows, jsons_out([row[3] for row in rows]), strict=True)
        }
        distinct = list({row[5]: None for row in cuts})
        headings = dict(zip(distinct, map(tuple, jsons_out(distinct)), strict=True))
        for id, owner, position, start, stop, path in cuts:
            of, passages = held[owner]
            name = id if type(id) is str else text_out(id)
            text = of.text[start:stop]
            passages.append(Passage(name, of.id, text, position, headings[path], of.title, of.metadata, start, stop))
        ordered = sorted(held.values(), key=lambda pair: pair[0].id)
        return Stored(settings, tuple(of for of, _ in ordered), tuple(p for _, passages in ordered for p in passages))

    def nodes(self, documents: Sequence[Document]) -> Mapping[str, tuple[Node, ...]]:
        """Document id → its headings, of those that are stored word for word."""
        with schema.reading(self.path) as connection:
            same = _same(connection, documents)
            found: dict[str, list[Node]] = {id: [] for id in same}
            for owner, label, level, start, stop, path in connection.execute(
                "SELECT document_id, label, level, start, stop, path FROM outline ORDER BY document_id, place"
            ):
                id = text_out(owner)
                if id in found:
                    found[id].append(Node(id, text_out(label), level, start, stop, tuple(json_out(path))))
        return {id: tuple(nodes) for id, nodes in found.items()}

    def distilled(self, documents: Sequence[Document], passages: Sequence[Passage]) -> Distilled | None:
        """Entities and pages, without what hung on documents that are gone or changed; None where there are none."""
        with schema.reading(self.path) as connection:
            settings = _settings(connection)
            if "drift" not in settings:
                return None
            same = _same(connection, documents)
            place = {p.id: at for at, p in enumerate(passages) if p.document_id in same}
            named: dict[int, list[int]] = {}
            for entity, id in connection.execute("SELECT entity, id FROM mentions JOIN passages ON number = passage"):
                at = place.get(text_out(id))
                if at is not None:
                    named.setdefault(entity, []).append(at)
            entities = tuple(
                Entity(text_out(label), kind, tuple(passages[at].id for at in sorted(named[number])))
                for number, label, kind in connection.execute(
                    "SELECT number, label, kind FROM entities ORDER BY number"
                )
                if number in named
            )
            of: dict[str, list[str]] = {}
            for passage in passages:
                of.setdefault(passage.document_id, []).append(passage.id)
            pages = []
            for owner, *rest in connection.execute("SELECT document_id, title, summary, keywords, links FROM pages"):
                id = text_out(owner)
                if id in same:
                    title, summary, keywords, links = rest
                    pages.append(
                        Page(f"{id}#page", id, text_out(title), text_out(summary), tuple(json_out(keywords)), tuple(of[id]), tuple(json_out(links)))
                    )  # fmt: skip
        pages.sort(key=lambda page: page.document_id)
        drift = settings["drift"] + len(documents) - len(same)
        return prune(Distilled(entities, tuple(pages)), same, set(place), drift)

    def units(self, passages: Sequence[Passage], embedder: str) -> dict[str, np.ndarray]:
        """Passage id → its unit vector (zeros: it has none), of those that ``embedder`` made from the same text."""
        with schema.reading(self.path) as connection:
            if setting(connection, "embedder") != embedder:
                return {}
            texts = {p.id: p.text for p in passages}
            rows = [
                (text_out(id), unit)
                for id, made_of, unit in connection.execute(
                    "SELECT id, digest, unit FROM vectors JOIN passages ON number = passage"
                )
                if (text := texts.get(text_out(id))) is not None and digest(text) == made_of
            ]
        try:
            return dict(zip((id for id, _ in rows), units_out([unit for _, unit in rows]), strict=True))
        except ValueError as cause:
            raise self._damaged(cause) from cause

    def embedder(self) -> str | None:
        """The identity of the model that made the vectors; None where there are none."""
        with schema.reading(self.path) as connection:
            found: str | None = setting(connection, "embedder")
        return found

    def without_vector(self) -> int:
        """How many passages have not been embedded."""
        with schema.reading(self.path) as connection:
            row = connection.execute(
                "SELECT count(*) FROM passages WHERE number NOT IN (SELECT passage FROM vectors)"
            ).fetchone()
        return int(row[0])

    def postings(self, analyzer: str) -> Counted | None:
        """The counts that an analyzer of that version made; None where there are none."""
        with schema.reading(self.path) as connection:
            made_at = int(setting(connection, "counted") or 0)
            row = connection.execute(
                "SELECT ids, digests, terms, starts, document, tf, width, length FROM postings WHERE analyzer = ?",
                (analyzer,),
            ).fetchone()
        if row is None:
            return None
        try:
            ids, digests, *rest = row
            names = json_out(ids)
            made = postings_out(*rest)
            if not len(names) * DIGEST == len(digests) == len(made.length) * DIGEST:
                raise ValueError("ids, digests and counts of different lengths")
        except (ValueError, TypeError) as cause:
            raise self._damaged(cause) from cause
        return Counted(names, digests, made, made_at)

    def check(self) -> None:
        """Reads every page of the file and every document's digest.

        Raises:
            WorkbenchError: ``store_damaged``, naming what does not agree.
        """
        with schema.reading(self.path) as connection:
            for (found,) in connection.execute("PRAGMA integrity_check(1)"):
                if found != "ok":
                    raise self._damaged(found)
            for row in connection.execute("PRAGMA foreign_key_check"):
                raise self._damaged(f"a row of {row[0]} belongs to nothing")
            for id, text, title, metadata, kept in connection.execute(
                "SELECT id, text, title, metadata, digest FROM documents"
            ):
                document = Document(text_out(id), text_out(text), text_out(title), json_out(metadata))
                if document_digest(document) != kept:
                    raise self._damaged(f"the text of {document.id!r} is not the one that was saved")

    # ------------------------------------------------------------ in

    def write(self, change: Change, *, after: int | None = None, progress: Progress | None = None) -> int:
        """Makes the change, all or nothing; the new generation.

        Args:
            after: the generation that the change was made for. ``Moved`` when the store has another one by now.
        """
        if not self.exists and schema.create(self.path, lambda connection: put(connection, change, progress)):
            return 1
        with schema.writing(self.path, wait=self._wait) as connection:
            now = generation(connection)
            if after is not None and now != after:
                raise Moved
            put(connection, change, progress)
            return now + 1

    def _damaged(self, what: object) -> WorkbenchError:
        return WorkbenchError(
            "store_damaged",
            f"{str(self.path)!r}: {what}: the file is damaged; take a copy from before, or build it anew",
            path=str(self.path),
        )


@contextmanager
def _no_collection() -> Iterator[None]:
    """Half a million new objects that all stay: the collector would walk them again and again and find nothing."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _settings(connection: sqlite3.Connection) -> dict[str, Any]:
    return {
        "generation": 0,
        **{name: json_out(value) for name, value in connection.execute("SELECT name, value FROM settings")},
    }


def _same(connection: sqlite3.Connection, documents: Sequence[Document]) -> set[str]:
    kept = {text_out(id): made_of for id, made_of in connection.execute("SELECT id, digest FROM documents")}
    return {d.id for d in documents if d.id in kept and kept[d.id] == document_digest(d)}
