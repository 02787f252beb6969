"""Nearest vectors, exact and the same on every machine.

Why a cosine here needs no order of summation. A unit vector is rounded to the grid of multiples of 2⁻²⁶.

* No component is above 1, so a product of two is a multiple of 2⁻⁵² and not above 1.
* A sum of any of the products is, by Cauchy and Schwarz, at most the product of the two lengths. Rounding
  moves a component by 2⁻²⁷ at most, so a length is at most 1 + √d·2⁻²⁷ (and a last bit), whose square
  stays below 2 for every d that fits in memory (up to 10¹⁵).
* A multiple of 2⁻⁵² below 2 has 53 bits: a double holds it exactly.

So each product and each partial sum is exact, in any order, blocked, fused or not: BLAS, einsum and
``fsum`` agree to the last bit. The price: a cosine of the grid differs from that of the vectors by up to
about √d·2⁻²⁶ (2.4e-7 for 256 dimensions), so that a vector's cosine with itself may read 1.0000001.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import ArrayRecord, read_only
from workbench.kernels import topk
from workbench.kernels.id_order import IdOrder
from workbench.records.ranking import Floats

GRID = 2.0**26
METRICS = ("cosine", "dot")
DIRECT = 4096
"""Up to this many vectors a plain product is as fast as a shortlist."""


def unit(vectors: Any) -> np.ndarray:
    """n × d float64: each row scaled to length 1, on the grid of multiples of 2⁻²⁶.

    The length is the root of the squares' exact sum (``math.fsum``), so it too depends on no order.

    Raises:
        WorkbenchError: ``shape_mismatch``, ``wrong_type``, ``not_finite``, ``zero_vector``, naming the row.
    """
    array = _array(vectors, "vectors", 2)
    return _unit(array, [f"row {row}" for row in range(len(array))])


@dataclass(frozen=True, slots=True, eq=False)
class DenseResult(ArrayRecord):
    """The best k vectors, best first."""

    ids: tuple[str, ...]
    scores: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", read_only(self.scores, np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class DenseIndex:
    """n vectors of d dimensions in ascending id order. Made by ``build``. Safe to share between threads."""

    metric: str
    _order: IdOrder
    _vectors: np.ndarray
    """cosine: n × d units. dot: d × n, as given, a dimension after the other."""
    _short: np.ndarray | None
    """n × d float32, for the shortlist of a large cosine index."""

    @classmethod
    def build(cls, vectors: Any, ids: Sequence[str], *, metric: str = "cosine") -> "DenseIndex":
        """The index of n vectors. Their order changes nothing.

        Args:
            vectors: n × d numbers.
            ids: n different ids.
            metric: ``cosine`` of unit vectors on the grid, or ``dot``: the products of the float64
                components, folded dimension after dimension.

        Raises:
            WorkbenchError: ``nothing_to_search``, ``shape_mismatch``, ``repeated_id``, ``missing_id``,
                ``id_not_text``, ``wrong_type``, ``not_finite``, ``out_of_range`` (metric), and
                ``zero_vector`` under cosine (a zero vector has a dot product).
        """
        checks.one_of("metric", metric, METRICS, "out_of_range")
        order = IdOrder.of(ids, "vector")
        array = _array(vectors, "vectors", 2)
        if len(array) != len(order.ids):
            raise WorkbenchError(
                "shape_mismatch", f"vectors has {len(array)} rows and ids {len(order.ids)}: give one id a vector"
            )
        called = [f"the vector of {id!r}" for id in order.ascending]
        if metric == "cosine":
            return cls._of(order, _unit(array[order.given], called))
        return cls(metric, order, np.ascontiguousarray(_finite(array[order.given], called).T), None)

    @classmethod
    def of_units(cls, units: np.ndarray, ids: Sequence[str]) -> "DenseIndex":
        """The cosine index of n vectors that ``unit`` made before, to the same bits as ``build``.

        Raises:
            WorkbenchError: ``shape_mismatch``; ``out_of_range`` for what is not on the grid; those of ``build``.
        """
        order = IdOrder.of(ids, "vector")
        array = _array(units, "units", 2)
        if len(array) != len(order.ids):
            raise WorkbenchError(
                "shape_mismatch", f"units has {len(array)} rows and ids {len(order.ids)}: give one id a vector"
            )
        off = np.abs(array) > 1  # a NaN is caught by the grid
        if off.any() or not (array * GRID == np.rint(array * GRID)).all():
            raise WorkbenchError("out_of_range", "units holds what is not on the grid: give vectors that unit() made")
        return cls._of(order, array[order.given])

    @classmethod
    def _of(cls, order: IdOrder, units: np.ndarray) -> "DenseIndex":
        return cls("cosine", order, units, units.astype(np.float32) if len(units) > DIRECT else None)

    def vectors(self, ids: Sequence[str]) -> np.ndarray:
        """m × d: the vectors as the index holds them (units on the grid under cosine).

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        rows = np.array([self._order.row(each) for each in ids], dtype=np.intp)
        held: np.ndarray = self._vectors[rows] if self.metric == "cosine" else self._vectors[:, rows].T
        return held

    @property
    def ids(self) -> tuple[str, ...]:
        """n, as given to ``build``."""
        return self._order.ids

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def dimension(self) -> int:
        """d."""
        return int(self._vectors.shape[1 if self.metric == "cosine" else 0])

    def search(self, vector: Any, depth: int, *, allowed: Any = None) -> DenseResult:
        """The best ``depth`` vectors: score descending, ties to the ascending id. Every vector can be returned.

        Args:
            vector: d numbers.
            depth: at least 1.
            allowed: n bools, in the order of ``ids``: which vectors may be returned.

        Raises:
            WorkbenchError: ``shape_mismatch``, ``not_finite``, ``zero_vector`` under cosine,
                ``out_of_range``, ``wrong_type``.
        """
        query = self._query(vector)
        depth = checks.whole("depth", depth)
        rows = self._shortlist(query, depth, self._order.mask(allowed))
        scores = self._exact(query, rows)
        if rows is None:
            best = topk.best(scores, depth)
            scores = scores[best]
        else:
            best = topk.order(rows, scores, depth)
            scores = scores[np.searchsorted(rows, best)]
        return DenseResult(self._order.named(best), scores)

    def rank_of(self, id: str, vector: Any) -> tuple[int, float]:
        """The rank (from 1) and score that a search deep enough gives ``id``.

        Raises:
            WorkbenchError: ``unknown_id``, and those of ``search`` for the vector.
        """
        row = self._order.row(id)
        scores = self._exact(self._query(vector), None)
        score = scores[row]
        return int(np.count_nonzero(scores > score) + np.count_nonzero(scores[:row] == score)) + 1, float(score)

    def similarity(self, ids: Sequence[str]) -> np.ndarray:
        """The metric between m of the vectors, m × m, to the same bits as a search gives.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        rows = np.array([self._order.row(each) for each in ids], dtype=np.intp)
        if self.metric == "cosine":
            chosen = self._vectors[rows]
            matrix: np.ndarray = chosen @ chosen.T
            return matrix
        columns = self._vectors[:, rows]
        return _fold(columns[:, :, None], columns[:, None, :])

    # ------------------------------------------------------------ inside: rows are places in ascending id order

    def _shortlist(self, query: np.ndarray, depth: int, mask: np.ndarray | None) -> np.ndarray | None:
        """Ascending rows among which the best ``depth`` surely are; None for all of them."""
        allowed = None if mask is None else np.flatnonzero(mask)
        if self._short is None or (len(self) if allowed is None else len(allowed)) <= max(DIRECT, depth):
            return allowed
        near = np.vecdot(self._short, query.astype(np.float32))
        if mask is not None:
            near[~mask] = -np.inf
        # k rows reach the k-th best short score, so the k-th best exact score is at most one error below
        # it, and a row with that exact score is at most one more error below
        least = np.float32(topk.at_least_kth(near, depth) - 2 * _error_of_float32(self.dimension))
        return np.flatnonzero(near >= np.nextafter(least, np.float32(-np.inf)))

    def _exact(self, query: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        if self.metric == "cosine":
            scores: np.ndarray = (self._vectors if rows is None else self._vectors[rows]) @ query
            return scores
        return _fold(self._vectors if rows is None else self._vectors[:, rows], query[:, None])

    def _query(self, vector: Any) -> np.ndarray:
        array = _array(vector, "vector", 1)
        if len(array) != self.dimension:
            raise WorkbenchError(
                "shape_mismatch",
                f"vector has {len(array)} dimensions and the index {self.dimension}: give a vector of the same model",
                given=len(array),
                expected=self.dimension,
            )
        rows, called = array[None, :], ["the query vector"]
        query: np.ndarray = (_unit if self.metric == "cosine" else _finite)(rows, called)[0]
        return query


def _error_of_float32(dimension: int) -> float:
    """How far a float32 dot product, summed in any order, may lie from the exact one of two grid vectors.

    Rounding each side costs a relative 2⁻²⁴, and d products and sums cost d more of it: (d + 2)·u/(1 − (d
    + 2)·u) of Σ|products| (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), which is
    below 1.01 by Cauchy and Schwarz. Two more u stand for underflow.
    """
    share = (dimension + 4) * 2.0**-24
    return 1.01 * share / (1 - share)


def _fold(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Σ left[j] · right[j] over the first axis, one after the other: products and sums rounded in that order."""
    folded = np.zeros(np.broadcast_shapes(left.shape[1:], right.shape[1:]))
    with np.errstate(over="ignore", invalid="ignore"):
        for a, b in zip(left, right, strict=True):
            folded += a * b
    if not np.isfinite(folded).all():
        raise WorkbenchError("not_finite", "a dot product overflows a double: scale the vectors down, or use cosine")
    return folded


def _unit(array: np.ndarray, called: Sequence[str]) -> np.ndarray:
    _finite(array, called)
    largest = np.abs(array).max(axis=1)
    zero = np.flatnonzero(largest == 0)
    if len(zero):
        raise WorkbenchError(
            "zero_vector",
            f"{called[zero[0]]} is all zeros: it has no direction and no similarity to a zero vector exists; leave it out, or use metric 'dot'",
            which=called[zero[0]],
        )
    # by a power of two, which costs no bit: squares neither overflow nor vanish
    units: np.ndarray = np.ldexp(array, -np.frexp(largest)[1][:, None])
    units /= np.array([math.sqrt(math.fsum((row * row).tolist())) for row in units])[:, None]
    units *= GRID
    np.rint(units, out=units)
    units /= GRID
    units += 0.0  # −0.0 becomes 0.0
    return units


def _finite(array: np.ndarray, called: Sequence[str]) -> np.ndarray:
    odd = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(odd):
        row = array[odd[0]]
        value = float(row[~np.isfinite(row)][0])
        raise WorkbenchError(
            "not_finite", f"{called[odd[0]]} holds {value!r}: give finite numbers", which=called[odd[0]], value=value
        )
    return array


def _array(given: Any, name: str, axes: int) -> np.ndarray:
    shape = "n × d numbers" if axes == 2 else "one list of d numbers"
    try:
        array = np.asarray(given)
    except ValueError as ragged:
        raise WorkbenchError("shape_mismatch", f"{name} has rows of different lengths: {ragged}") from ragged
    if array.dtype.kind not in "fiu":
        raise WorkbenchError("wrong_type", f"{name} is {array.dtype} {given!r:.60}: give {shape}", name=name)
    if array.ndim != axes or array.shape[-1] == 0:
        raise WorkbenchError("shape_mismatch", f"{name} has shape {array.shape}: give {shape}", shape=array.shape)
    return array.astype(np.float64)
