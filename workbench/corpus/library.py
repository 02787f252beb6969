"""Documents and everything distilled from them: passages, headings, entities, pages.

A library is never patched: a change makes another one, which takes over what was cut from the documents
that stay. Entities and pages hang on all documents at once, so that one change could move any of them:
see ``Distilled``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from workbench import checks
from workbench.corpus.chunking import chunk
from workbench.corpus.digest import Page, digest
from workbench.corpus.entities import Entity, entities
from workbench.corpus.outline import Node, outline
from workbench.errors import WorkbenchError
from workbench.kernels.analysis import Analyzer
from workbench.records import Document, Passage

AT_ONCE = 2_000
"""Up to this many passages, entities and pages are distilled anew at every change."""
SHARE = 10
"""Above that, once more than a tenth of the documents have changed since."""

Progress = Callable[[str, int, int], None]
"""Told (stage, done, of) while a corpus is taken in."""


@dataclass(frozen=True, slots=True)
class Distilled:
    """Entities and pages. ``drift``: documents added, replaced or deleted since they were distilled.

    With a drift, what hung on documents that are gone is gone too, and what is new is not in yet.
    """

    entities: tuple[Entity, ...]
    pages: tuple[Page, ...]
    drift: int = 0


class Source(Protocol):
    """Where a library finds what was worked out before, by document; what it lacks is worked out anew."""

    def nodes(self, documents: Sequence[Document]) -> Mapping[str, tuple[Node, ...]]:
        """Document id → its headings, of those documents that are known word for word."""
        ...

    def distilled(self, documents: Sequence[Document], passages: Sequence[Passage]) -> Distilled | None:
        """What was distilled before, without what hung on documents that are no longer there."""
        ...


class Library:
    """The documents in ascending id order and what was cut and distilled from them; the latter when first asked for."""

    def __init__(
        self,
        documents: tuple[Document, ...],
        passages: tuple[Passage, ...],
        analyzer: Analyzer,
        source: Source | None = None,
        *,
        generation: int | None = None,
    ) -> None:
        """``generation``: the store's, where this is word for word what the store held then."""
        self.documents = documents
        self.passages = passages
        self._analyzer = analyzer
        self._source = source
        self.generation = generation

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The headings, in document order."""
        known = {} if self._source is None else self._source.nodes(self.documents)
        return tuple(
            node
            for document in self.documents
            for node in (known[document.id] if document.id in known else outline(document))
        )

    @cached_property
    def distilled(self) -> Distilled:
        """Entities and pages: of these documents, or of nearly these where that would take minutes."""
        known = None if self._source is None else self._source.distilled(self.documents, self.passages)
        if known is not None and not due(known.drift, len(self.documents), len(self.passages)):
            return known
        return self.distil()

    def distil(self) -> Distilled:
        """Entities and pages of these very documents."""
        found = entities(self.documents, self.passages, analyzer=self._analyzer)
        return Distilled(found, digest(self.documents, self.passages, found, analyzer=self._analyzer))

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.distilled.entities

    @property
    def pages(self) -> tuple[Page, ...]:
        return self.distilled.pages

    def source(self) -> "Source | None":
        """What a changed library may take over: this one where it has worked something out, else what this one took over."""
        return Kept(self) if {"nodes", "distilled"} & set(vars(self)) else self._source


class Kept:
    """A library as a source for the next one."""

    def __init__(self, library: Library) -> None:
        self._documents = library.documents
        self._passages = library.passages
        self._nodes: tuple[Node, ...] | None = vars(library).get("nodes")
        self._distilled: Distilled | None = vars(library).get("distilled")

    def nodes(self, documents: Sequence[Document]) -> Mapping[str, tuple[Node, ...]]:
        if self._nodes is None:
            return {}
        found: dict[str, list[Node]] = {d.id: [] for d in self._same(documents)}
        for node in self._nodes:
            if node.document_id in found:
                found[node.document_id].append(node)
        return {id: tuple(nodes) for id, nodes in found.items()}

    def distilled(self, documents: Sequence[Document], passages: Sequence[Passage]) -> Distilled | None:
        if self._distilled is None:
            return None
        same = {d.id for d in self._same(documents)}
        drift = len(documents) - len(same) + len({d.id for d in self._documents} - {d.id for d in documents})
        living = {p.id for p in self._passages if p.document_id in same}
        return prune(self._distilled, same, living, self._distilled.drift + drift)

    def _same(self, documents: Sequence[Document]) -> list[Document]:
        before = {d.id: d for d in self._documents}
        return [d for d in documents if before.get(d.id) == d]


def prune(distilled: Distilled, documents: set[str], passages: set[str], drift: int) -> Distilled:
    """``distilled`` without what hangs on other documents and passages."""
    if not drift:
        return distilled
    kept = []
    for entity in distilled.entities:
        ids = tuple(id for id in entity.passage_ids if id in passages)
        if ids:
            kept.append(Entity(entity.label, entity.kind, ids))
    pages = tuple(
        Page(
            p.id,
            p.document_id,
            p.title,
            p.summary,
            p.keywords,
            p.passage_ids,
            tuple(x for x in p.links if x in documents),
        )
        for p in distilled.pages
        if p.document_id in documents
    )
    return Distilled(tuple(kept), pages, drift)


def due(drift: int, documents: int, passages: int) -> bool:
    """Whether entities and pages that ``drift`` documents changed under are distilled anew at once."""
    return drift > 0 and (passages <= AT_ONCE or drift * SHARE > documents)


def build(
    documents: Iterable[Document],
    analyzer: Analyzer,
    *,
    size: int,
    overlap: int,
    known: Library | None = None,
    progress: Progress | None = None,
) -> Library:
    """The library of ``documents``; their order does not matter.

    Args:
        known: an earlier library of the same size and overlap; documents that it holds word for word are not cut again.
        progress: told ("cut", done, of), documents.

    Raises:
        WorkbenchError: ``nothing_to_search`` without a document, ``repeated_id``, ``wrong_type``.
    """
    ordered = _ordered(documents)
    before = {} if known is None else {d.id: d for d in known.documents}
    cut: dict[str, list[Passage]] = {}
    for passage in () if known is None else known.passages:
        cut.setdefault(passage.document_id, []).append(passage)
    new = {d.id for d in ordered if before.get(d.id) != d}
    passages: list[Passage] = []
    done = 0
    for document in ordered:
        if document.id not in new:
            passages += cut.get(document.id, ())
            continue
        passages += chunk(document, size=size, overlap=overlap)
        done += 1
        if progress is not None and (done % 100 == 0 or done == len(new)):
            progress("cut", done, len(new))
    ids = [p.id for p in passages]
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        repeated = next(id for id in ids if id in seen or seen.add(id))  # type: ignore[func-returns-value]
        raise WorkbenchError(
            "repeated_id",
            f"two documents make the passage {repeated!r}: give their ids another ending than #c<n>",
            id=repeated,
        )
    return Library(ordered, tuple(passages), analyzer, None if known is None else known.source())


def _ordered(documents: Iterable[Document]) -> tuple[Document, ...]:
    by_id: dict[str, Document] = {}
    for document in documents:
        if not isinstance(document, Document):
            raise WorkbenchError(
                "wrong_type",
                f"{document!r:.80} is {type(document).__name__}: give Documents, or read them with workbench.corpus.reading",
            )
        if checks.item_id(document.id, "a document") in by_id:
            raise WorkbenchError(
                "repeated_id", f"two documents have the id {document.id!r}: give each its own", id=document.id
            )
        by_id[document.id] = document
    if not by_id:
        raise WorkbenchError(
            "nothing_to_search",
            "no document was given: there is nothing to search, which is not the same as nothing found",
        )
    return tuple(by_id[id] for id in sorted(by_id))
