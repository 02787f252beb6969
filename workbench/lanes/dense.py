"""The dense lane: nearest passages by the cosine of their vectors, exact and reproducible."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels import sentences
from workbench.kernels.dense import DenseIndex, unit
from workbench.lanes.base import Remembered, admitted, checked, cut, engine_depth
from workbench.models.embedders import Embedder
from workbench.records import Filter, Hit, Lane, Passage

NEAREST_OF = 10
"""The nearest sentence is looked up for this many best hits."""
BATCH = 1_000
"""Passages embedded between two words of progress."""


class DenseLane:
    """Cosine over the passages' vectors.

    A passage whose vector is zero (no token the model knows) is not in the index. ``detail`` of a hit:
    ``cosine`` and, for the first hits, ``nearest`` (the passage's sentence nearest to the query: start,
    end, cosine). ``about``: ``embedder``, ``without_vector`` (how many passages have none).
    """

    name = "dense"
    backend = "exact"

    def __init__(
        self,
        passages: Sequence[Passage],
        embedder: Embedder,
        vectors: np.ndarray | None = None,
        *,
        units: Mapping[str, np.ndarray] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """What has no vector yet is embedded here.

        Args:
            vectors: n × d as the embedder gave them, zeros for a passage without one.
            units: passage id → the vector that an earlier lane held of the same text.
            progress: told (done, of) while passages are embedded.
        """
        self._embedder = embedder
        known = dict(units or {})
        new = [p for p in passages if p.id not in known]
        if vectors is None:
            made = _embedded(embedder, [p.text for p in new], progress)
        else:
            new, made = list(passages), np.asarray(vectors, dtype=np.float64)
        known.update(zip((p.id for p in new), _units(made, new, embedder), strict=True))
        stacked = np.stack([known[p.id] for p in passages]) if passages else np.zeros((0, 1))
        has_vector: np.ndarray = (stacked != 0).any(axis=1)
        self._without = len(passages) - int(has_vector.sum())
        self._all = {p.id: p for p in passages}
        self._passages = tuple(p for p, kept in zip(passages, has_vector, strict=True) if kept)
        self._by_id = {p.id: p for p in self._passages}
        self._dimension = stacked.shape[1]
        self._index = (
            DenseIndex.of_units(stacked[has_vector], [p.id for p in self._passages]) if self._passages else None
        )
        self._sentences = Remembered(self._sentence_vectors, 4096)

    def units(self, passages: Sequence[Passage]) -> dict[str, np.ndarray]:
        """Passage id → its unit vector (zeros: it has none), of those that are here with the same text."""
        same = [p.id for p in passages if p.id in self._all and self._all[p.id].text == p.text]
        held = [id for id in same if id in self._by_id]
        found = dict.fromkeys(same, np.zeros(self._dimension))
        if self._index is not None:
            found.update(zip(held, self._index.vectors(held), strict=True))
        return found

    def changed(self, passages: Sequence[Passage]) -> Self:
        """The lane over other passages; only those that are new or changed are embedded."""
        return type(self)(passages, self._embedder, units=self.units(passages))

    @property
    def score_model(self) -> str:
        return f"cosine({self._embedder.identity})"

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        query, depth = checked(query, depth)
        vector = np.asarray(self._embedder.embed([query]), dtype=np.float64)[0]
        about: dict[str, Any] = {"query": query, "embedder": self._embedder.identity, "without_vector": self._without}
        allowed = admitted(self._passages, filter)
        rows: list[tuple[str, float]] = []
        if self._index is not None and vector.any():
            rows = self._rows(self._index, vector, engine_depth(depth, filter, len(self._passages)), allowed, about)
        elif not vector.any():
            about["note"] = "the model knows no token of the query: it has no vector"
        hits, dropped = cut(rows, depth, filter, allowed)
        return Lane(
            name=self.name,
            hits=hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=depth,
            detail=FrozenMap({hit.id: self._detail(hit, vector) for hit in hits}),
            about=FrozenMap(about),
            filter=filter,
            dropped=dropped,
        )

    def _rows(
        self, index: DenseIndex, vector: np.ndarray, depth: int, allowed: np.ndarray | None, about: dict[str, Any]
    ) -> list[tuple[str, float]]:
        found = index.search(vector, depth, allowed=allowed)
        return list(zip(found.ids, found.scores.tolist(), strict=True))

    def rank_of(self, query: str, id: str) -> tuple[int, float] | None:
        """The true rank and score of any passage, past any depth; None for a passage or query without a vector."""
        vector = np.asarray(self._embedder.embed([query]), dtype=np.float64)[0]
        if self._index is None or id not in self._by_id or not vector.any():
            return None
        return self._index.rank_of(id, vector)

    def similarity(self, ids: Sequence[str]) -> np.ndarray | None:
        """Exact cosines between passages, n × n; None where one of them has no vector."""
        if self._index is None or any(id not in self._by_id for id in ids):
            return None
        return self._index.similarity(ids)

    def _detail(self, hit: Hit, query_vector: np.ndarray) -> dict[str, Any]:
        detail: dict[str, Any] = {"cosine": hit.score}
        spans, vectors = self._sentences(hit.id) if hit.rank <= NEAREST_OF else ((), None)
        if vectors is not None:
            # exact in any order on the grid, so a plain product is reproducible
            cosines = (vectors @ unit(query_vector[None, :])[0]).tolist()
            best = max(range(len(cosines)), key=lambda i: (cosines[i], -i))
            detail["nearest"] = {"start": spans[best][0], "end": spans[best][1], "cosine": cosines[best]}
        return detail

    def _sentence_vectors(self, id: str) -> tuple[tuple[tuple[int, int], ...], np.ndarray | None]:
        text = self._by_id[id].text
        spans = sentences.split(text)
        vectors = np.asarray(self._embedder.embed([text[start:end] for start, end in spans]), dtype=np.float64)
        if not vectors.any():
            return (), None
        kept: np.ndarray = (vectors != 0).any(axis=1)
        return tuple(span for span, keep in zip(spans, kept, strict=True) if keep), unit(vectors[kept])


def _embedded(embedder: Embedder, texts: Sequence[str], progress: Callable[[int, int], None] | None) -> np.ndarray:
    if progress is None or not texts:
        return np.asarray(embedder.embed(texts) if texts else np.zeros((0, 1)), dtype=np.float64)
    parts = []
    for start in range(0, len(texts), BATCH):
        parts.append(np.asarray(embedder.embed(texts[start : start + BATCH]), dtype=np.float64))
        progress(min(start + BATCH, len(texts)), len(texts))
    return np.concatenate(parts)


def _units(vectors: np.ndarray, passages: Sequence[Passage], embedder: Embedder) -> np.ndarray:
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise WorkbenchError(
            "not_finite",
            f"{embedder.identity} gave NaN or infinity for passage {passages[row].id!r}",
            id=passages[row].id,
        )
    made = np.zeros_like(vectors)
    has_vector: np.ndarray = (vectors != 0).any(axis=1)
    if has_vector.any():
        made[has_vector] = unit(vectors[has_vector])
    return made
