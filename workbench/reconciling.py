"""What is not in step with the documents, found by working everything out anew."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.corpus.library import Distilled, Library
from workbench.corpus.packing import digest
from workbench.corpus.store import Store
from workbench.lanes.shelf import Shelf
from workbench.models.embedders import Embedder

Wants = Callable[..., bool]
"""Whether a signal of one of the lanes named is declared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that was not in step with the documents. ``kind``: ``passages``, ``headings``, ``vectors``, ``counts``,
    ``entities``, ``pages`` or ``lanes``; ``what``: ``missing``, ``surplus``, ``changed`` or a reason in words."""

    kind: str
    what: str
    ids: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.ids:
            return f"{self.kind}: {self.what}"
        more = f" and {len(self.ids) - 3} more" if len(self.ids) > 3 else ""
        return f"{self.kind}: {len(self.ids)} {self.what}: {', '.join(self.ids[:3])}{more}"


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What ``reconcile`` found; all of it has been put right."""

    documents: int
    passages: int
    differences: tuple[Difference, ...]

    @property
    def in_step(self) -> bool:
        """Whether nothing differed."""
        return not self.differences

    def __str__(self) -> str:
        size = f"{self.documents} documents, {self.passages} passages"
        if self.in_step:
            return f"{size}: everything is in step"
        return "\n".join([f"{size}: brought back in step", *map(str, self.differences)])


def differences(
    kept: Library,
    fresh: Library,
    shelf: Shelf,
    store: Store | None,
    wants: Wants,
    analyzer: str,
    embedder: Embedder | None,
) -> Iterable[Difference]:
    """Where ``kept`` and its indexes differ from what the documents make now.

    Args:
        fresh: everything worked out anew.
        store: where the indexes are kept, if anywhere.
        analyzer: version of the analyzer.
        embedder: the model; None without one.
    """
    yield from _libraries(kept, fresh, wants)
    if store is not None and wants("lexical"):
        yield from _counts(store, fresh, analyzer)
    if not wants("dense") or embedder is None:
        return
    lane = shelf.unavailable("dense")
    if lane is not None:
        yield Difference("lanes", f"dense was unavailable: {lane.reason}")
    elif store is not None and shelf.dense is not None:
        yield from _vectors(store, fresh, embedder.identity)


def _counts(store: Store, fresh: Library, analyzer: str) -> Iterable[Difference]:
    kept = store.postings(analyzer)
    if kept is None:
        yield Difference("counts", "missing")
    else:
        yield from _sides("counts", kept.of_texts(), {p.id: digest(p.text) for p in fresh.passages})


def _vectors(store: Store, fresh: Library, embedder: str) -> Iterable[Difference]:
    of = store.embedder()
    if of != embedder:
        yield Difference("vectors", f"of {of!r}, and the embedder is {embedder!r}")
        return
    kept = store.units(fresh.passages, embedder)
    missing = tuple(p.id for p in fresh.passages if p.id not in kept)
    if missing:
        yield Difference("vectors", "missing", missing)


def _libraries(kept: Library, fresh: Library, wants: Wants) -> Iterable[Difference]:
    yield from _sides("passages", {p.id: p for p in kept.passages}, {p.id: p for p in fresh.passages})
    if wants("structure"):
        yield from _sides(
            "headings",
            {f"{n.document_id}:{n.start}": n for n in kept.nodes},
            {f"{n.document_id}:{n.start}": n for n in fresh.nodes},
        )
    if wants("graph", "wiki"):
        before, now = kept.distilled, fresh.distilled
        yield from _sides("entities", _by_label(before), _by_label(now))
        yield from _sides("pages", {p.id: p for p in before.pages}, {p.id: p for p in now.pages})


def _by_label(distilled: Distilled) -> dict[str, Any]:
    return {f"{e.label} ({e.kind})": e for e in distilled.entities}


def _sides(kind: str, kept: Mapping[str, Any], now: Mapping[str, Any]) -> Iterable[Difference]:
    for what, ids in (
        ("missing", [id for id in now if id not in kept]),
        ("surplus", [id for id in kept if id not in now]),
        ("changed", [id for id in now if id in kept and kept[id] != now[id]]),
    ):
        if ids:
            yield Difference(kind, what, tuple(ids))
