"""How a change goes into the store's file: the rows of one transaction."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.corpus.library import Distilled, Progress
from workbench.corpus.outline import Node
from workbench.corpus.packing import (
    digest,
    document_digest,
    ids_in,
    json_in,
    json_out,
    postings_in,
    text_in,
    text_out,
    unit_in,
)
from workbench.kernels.bm25_postings import Postings
from workbench.records import Document, Passage


@dataclass(frozen=True, slots=True)
class Change:
    """One transaction's worth. What is None stays as it is."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    gone: Sequence[str] = ()
    """Documents to take out."""
    documents: Sequence[Document] = ()
    """Documents to put in; one that is there is replaced whole."""
    passages: Sequence[Passage] = ()
    """All passages of ``documents``."""
    nodes: Sequence[Node] = ()
    """All headings of ``documents``."""
    every: Sequence[Passage] = ()
    """All passages that are there afterwards; needed with ``units`` and ``postings``."""
    units: Mapping[str, np.ndarray] | None = None
    """Passage id → unit vector on the grid, zeros for none."""
    embedder: str | None = None
    """Identity of the model that made ``units``; vectors of another one leave the store."""
    distilled: Distilled | None = None
    """Replaces all entities and pages."""
    postings: tuple[str, Sequence[str], Postings] | None = None
    """Analyzer version, ids and counts; replaces all counts."""
    whole: bool = False
    """Whether everything that was there before goes first."""


def setting(connection: sqlite3.Connection, name: str) -> Any:
    """What the store says of itself under that name; None where it says nothing."""
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if row is None else json_out(row[0])


def generation(connection: sqlite3.Connection) -> int:
    """Counts the changes."""
    return int(setting(connection, "generation") or 0)


def put(connection: sqlite3.Connection, change: Change, progress: Progress | None) -> None:
    """Writes all of ``change`` within the transaction that is open."""
    run, many = connection.execute, connection.executemany
    settings = {**change.settings, "generation": generation(connection) + 1}
    if change.whole:
        for table in ("documents", "entities", "postings", "settings"):
            run(f"DELETE FROM {table}")
    before = run("SELECT count(*) FROM documents").fetchone()[0]
    many("DELETE FROM documents WHERE id = ?", ((text_in(id),) for id in change.gone))
    moved = before - run("SELECT count(*) FROM documents").fetchone()[0] + len(change.documents)
    many("DELETE FROM documents WHERE id = ?", ((text_in(d.id),) for d in change.documents))
    many(
        "INSERT INTO documents (id, title, text, metadata, digest) VALUES (?, ?, ?, ?, ?)",
        _told(
            progress,
            len(change.documents),
            ((text_in(d.id), text_in(d.title), text_in(d.text), json_in(d.metadata), document_digest(d)) for d in change.documents),
        ),
    )  # fmt: skip
    many(
        "INSERT INTO passages (id, document_id, position, start, stop, headings) VALUES (?, ?, ?, ?, ?, ?)",
        ((text_in(p.id), text_in(p.document_id), p.position, p.start, p.end, json_in(p.headings)) for p in change.passages),
    )  # fmt: skip
    many(
        "INSERT INTO outline (document_id, place, label, level, start, stop, path) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((text_in(n.document_id), n.start, text_in(n.label), n.level, n.start, n.end, json_in(n.path)) for n in change.nodes),
    )  # fmt: skip
    if change.units is not None:
        if setting(connection, "embedder") != change.embedder:
            run("DELETE FROM vectors")
        settings["embedder"] = change.embedder
        _put_units(connection, change.units, {p.id: p.text for p in change.every})
    drift = setting(connection, "drift")
    if change.distilled is not None:
        settings["drift"] = change.distilled.drift
        _put_distilled(connection, change.distilled)
    elif drift is not None:
        settings["drift"] = drift + moved
    settings["uncounted"] = (setting(connection, "uncounted") or 0) + len(change.passages)
    if change.postings is not None:
        analyzer, ids, postings = change.postings
        texts = {p.id: p.text for p in change.every}
        settings["uncounted"], settings["counted"] = 0, settings["generation"]
        run("DELETE FROM postings")
        run(
            f"INSERT INTO postings VALUES ({', '.join('?' * 9)})",
            (analyzer, ids_in(ids), b"".join(digest(texts[id]) for id in ids), *postings_in(postings)),
        )
    many("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", ((n, json_in(v)) for n, v in settings.items()))


def _put_units(connection: sqlite3.Connection, units: Mapping[str, np.ndarray], texts: Mapping[str, str]) -> None:
    numbers = _numbers(connection)
    connection.executemany(
        "INSERT OR REPLACE INTO vectors (passage, digest, unit) VALUES (?, ?, ?)",
        ((numbers[id], digest(texts[id]), unit_in(unit)) for id, unit in units.items()),
    )


def _put_distilled(connection: sqlite3.Connection, distilled: Distilled) -> None:
    numbers = _numbers(connection)
    connection.execute("DELETE FROM entities")
    connection.execute("DELETE FROM pages")
    connection.executemany(
        "INSERT INTO entities (number, label, kind) VALUES (?, ?, ?)",
        ((n, text_in(entity.label), entity.kind) for n, entity in enumerate(distilled.entities)),
    )
    connection.executemany(
        "INSERT INTO mentions (entity, passage) VALUES (?, ?)",
        ((n, numbers[id]) for n, entity in enumerate(distilled.entities) for id in entity.passage_ids),
    )
    connection.executemany(
        "INSERT INTO pages (document_id, title, summary, keywords, links) VALUES (?, ?, ?, ?, ?)",
        (
            (text_in(p.document_id), text_in(p.title), text_in(p.summary), json_in(p.keywords), json_in(p.links))
            for p in distilled.pages
        ),
    )


def _numbers(connection: sqlite3.Connection) -> dict[str, int]:
    return {text_out(id): number for number, id in connection.execute("SELECT number, id FROM passages")}


def _told(progress: Progress | None, size: int, rows: Iterable[Any]) -> Iterable[Any]:
    for done, row in enumerate(rows, start=1):
        yield row
        if progress is not None and (done % 100 == 0 or done == size):
            progress("write", done, size)
