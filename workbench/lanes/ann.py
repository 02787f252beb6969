"""An approximate nearest-neighbour index beside the exact one: usearch's HNSW graph (Malkov and Yashunin, 2018)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from workbench import checks
from workbench.errors import BackendUnavailable, WorkbenchError
from workbench.kernels.dense import DenseIndex, unit
from workbench.lanes.base import ranked
from workbench.lanes.dense import DenseLane
from workbench.models.embedders import Embedder
from workbench.records import Passage


@dataclass(frozen=True, slots=True)
class Hnsw:
    """How the graph is built and walked: links a node, candidates kept while building, and while searching."""

    connectivity: int = 16
    expansion_add: int = 128
    expansion_search: int = 64

    def __post_init__(self) -> None:
        for name in ("connectivity", "expansion_add", "expansion_search"):
            object.__setattr__(self, name, checks.whole(name, getattr(self, name), low=2, high=4096))

    def __str__(self) -> str:
        return f"hnsw(connectivity={self.connectivity},expansion_add={self.expansion_add},expansion_search={self.expansion_search})"


def as_hnsw(given: Any) -> Hnsw | None:
    """``"exact"`` (None), ``"hnsw"``, or an ``Hnsw`` with numbers of its own."""
    if isinstance(given, Hnsw):
        return given
    if not isinstance(given, str):
        raise WorkbenchError("wrong_type", f"dense is {given!r:.80}: give 'exact', 'hnsw' or an Hnsw(...)")
    return None if checks.one_of("dense", given, ("exact", "hnsw"), "unknown_variant") == "exact" else Hnsw()


class HnswLane(DenseLane):
    """The passages that the graph finds, scored by their exact cosines.

    The exact index stands beside it, so that every answer says what the graph did not find: ``about["missed"]``
    lists the true nearest passages that are not among the hits (id, true rank, cosine), ``about["found"]`` the
    share of the true ones that are. With a filter the exact index answers, since the graph knows no filter;
    ``about["index"]`` says which one did. Unlike an exact lane's, a shallow answer need not be the head of a deeper one.

    Raises:
        BackendUnavailable: where usearch is not installed.
    """

    backend = "usearch"

    def __init__(
        self,
        passages: Sequence[Passage],
        embedder: Embedder,
        settings: Hnsw | None = None,
        *,
        units: Mapping[str, np.ndarray] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._settings = settings or Hnsw()
        super().__init__(passages, embedder, units=units, progress=progress)
        self._graph: Any = None if self._index is None else _graph(self._index.vectors(self._index.ids), self._settings)

    def changed(self, passages: Sequence[Passage]) -> Self:
        return type(self)(passages, self._embedder, self._settings, units=self.units(passages))

    def _rows(
        self, index: DenseIndex, vector: np.ndarray, depth: int, allowed: np.ndarray | None, about: dict[str, Any]
    ) -> list[tuple[str, float]]:
        exact = super()._rows(index, vector, depth, allowed, about)
        if allowed is not None or depth >= len(index):
            about["index"] = "exact"
            return exact
        query = unit(vector[None, :])[0]
        keys = self._graph.search(query.astype(np.float32), depth, threads=1).keys
        ids = [index.ids[key] for key in keys.tolist()]
        # exact on the grid in any order, so that a hit has the score that the exact lane gives it
        rows = ranked(dict(zip(ids, (index.vectors(ids) @ query).tolist(), strict=True)))
        found = frozenset(ids)
        missed = [{"id": id, "rank": rank, "cosine": score} for rank, (id, score) in enumerate(exact, start=1) if id not in found]  # fmt: skip
        about |= {"index": str(self._settings), "found": (len(exact) - len(missed)) / len(exact), "missed": missed}
        return rows


def _graph(vectors: np.ndarray, settings: Hnsw) -> Any:
    try:
        from usearch.index import Index
    except ImportError as cause:
        raise BackendUnavailable("usearch", ("usearch",), "vector_search") from cause
    made = Index(
        ndim=vectors.shape[1],
        metric="ip",
        dtype="f32",
        connectivity=settings.connectivity,
        expansion_add=settings.expansion_add,
        expansion_search=settings.expansion_search,
    )
    # one thread: with more, the graph hangs on who comes first
    made.add(np.arange(len(vectors)), vectors.astype(np.float32), threads=1)
    return made
