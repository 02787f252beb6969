"""From each lane's terms to an ordered ``Fusion``. Every fusion method ends here."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels.lanes_in import PreparedLanes
from workbench.kernels.ties import settle
from workbench.records import Fusion

RULES = {
    "fold": "score, folded in lane order, descending; then ascending id",
    "exact": "exact fraction descending; then ascending id",
    "first_seen": "score, folded in lane order, descending; then the first seen, reading lane after lane",
}


def assemble(
    lanes: PreparedLanes,
    terms: list[np.ndarray],
    *,
    method: str,
    params: Mapping[str, Any],
    possible: float | None,
    slack: Callable[[np.ndarray], np.ndarray],
    alike: Callable[[np.ndarray], np.ndarray],
    exact: Callable[[int], Fraction],
    arithmetic: str = "float64",
    dialect: str | None = None,
    rule: str = "fold",
    note: str = "",
) -> Fusion:
    """Folds the terms in lane order, orders the rows by ``rule`` and says what decided each.

    Args:
        lanes: L prepared lanes over n candidates.
        terms: one array a lane, for its hits best first, of dtype ``arithmetic``.
        slack: scores (n) → their largest possible rounding errors (n).
        alike, exact: as in ``ties.settle``; a row is a code of ``lanes``.
        rule: a key of ``RULES``; ``note`` is added to its words.

    Raises:
        WorkbenchError: ``not_finite`` when the weights carry a score beyond the arithmetic.
    """
    with np.errstate(over="ignore"):
        spread = lanes.spread(terms, arithmetic)
        scores = _left_fold(spread)
    if not np.isfinite(scores).all() or not (possible is None or math.isfinite(possible)):
        raise WorkbenchError(
            "not_finite",
            f"{method} with {dict(params)!r} gives a score beyond {arithmetic}: give smaller weights, or a larger k",
        )
    order = _descending(scores, lanes.first_seen() if rule == "first_seen" else None)
    ranked = scores.take(order).astype(np.float64, copy=False)
    order, decided = settle(
        order,
        ranked,
        slack(ranked),
        alike,
        exact,
        by_fractions=rule == "exact",
        tie="first_seen" if rule == "first_seen" else "id",
    )
    scores, recorded = scores.take(order), spread.take(order, axis=1)
    return Fusion(
        method=method,
        params=FrozenMap(params),
        dialect=dialect,
        arithmetic=arithmetic,
        tie_rule=RULES[rule] + (f" ({note})" if note else ""),
        lanes=lanes.names,
        backends=lanes.backends,
        ids=tuple(lanes.labels.take(order).tolist()),
        scores=_ready(scores),
        ranks=_ready(lanes.ranks.take(order, axis=0)),
        raw=_ready(lanes.raw.take(order, axis=0)),
        contributions=_ready(recorded.T),
        decided=decided,
        possible=possible,
        residual=float(np.max(np.abs(scores - _left_fold(recorded)), initial=0.0)),
        repeats=lanes.repeats,
    )


def _descending(scores: np.ndarray, tie_key: np.ndarray | None) -> np.ndarray:
    """Rows by descending score; equal scores by ascending ``tie_key``, or by row (rows ascend in id order)."""
    # the fast sort leaves equal scores in any order, so they alone are put in theirs: half the time of a stable sort
    order = np.argsort(-scores)
    ranked = scores.take(order)
    equal = ranked[1:] == ranked[:-1]
    if equal.any():
        tied = np.zeros(len(order), dtype=bool)
        tied[1:] = equal
        tied[:-1] |= equal
        rows = order[tied]
        order[tied] = rows[np.lexsort((rows if tie_key is None else tie_key[rows], -ranked[tied]))]
    return order


def _left_fold(terms: np.ndarray) -> np.ndarray:
    """The L rows of L × n added one after the other; what is absent (NaN) is left out."""
    # fmax and fmin pass NaN over: x becomes x + 0, absent 0 + 0, and adding 0 changes no bit of a sum
    present = np.fmax(terms, 0) + np.fmin(terms, 0)
    folded: np.ndarray = present[0]
    for row in present[1:]:
        folded += row
    return folded


def _ready(array: np.ndarray) -> np.ndarray:
    """As the record keeps it: C-ordered, read-only, so that the record need not copy it."""
    kept = np.ascontiguousarray(array, dtype=np.int32 if array.dtype.kind == "i" else np.float64)
    if kept.base is not None:
        kept = kept.copy()
    kept.flags.writeable = False
    return kept
