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
    scores, spread, ranks = scores.take(order), spread.take(order, axis=1), lanes.ranks.take(order, axis=0)
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
        ranks=_ready(ranks),
        raw=_ready(lanes.raw.take(order, axis=0)),
        contributions=_ready(np.where(ranks > 0, spread.T, np.nan)),
        decided=decided,
        possible=possible,
        residual=float(np.abs(scores - _left_fold(spread)).max(initial=0.0)),
        repeats=lanes.repeats,
    )


def _descending(scores: np.ndarray, tie_key: np.ndarray | None) -> np.ndarray:
    """Rows by descending score; equal scores by ascending ``tie_key``, or by row (rows ascend in id order)."""
    # the fast sort leaves equal scores in any order, so they alone are put in theirs: half the time of a stable sort
    order = np.argsort(-scores)
    ranked = scores.take(order)
    equal = ranked[1:] == ranked[:-1]
    upper = equal.nonzero()[0]
    if len(upper):
        tied = np.zeros(len(order), dtype=bool)
        tied[upper] = tied[upper + 1] = True
        places = tied.nonzero()[0]
        rows, shared = order[places], ranked[places]
        run = np.zeros(len(places), dtype=np.intp)  # one number for all that share a score
        np.cumsum(shared[1:] != shared[:-1], out=run[1:])
        first = rows if tie_key is None else tie_key[rows]
        order[places] = rows[np.argsort(run * (int(first.max()) + 1) + first)]
    return order


def _left_fold(terms: np.ndarray) -> np.ndarray:
    """The L rows of L × n added one after the other, from 0 on."""
    folded: np.ndarray = terms[0] + 0  # no -0
    for row in terms[1:]:
        folded += row
    return folded


def _ready(array: np.ndarray) -> np.ndarray:
    """As the record keeps it: C-ordered, read-only, so that the record need not copy it."""
    kept = np.ascontiguousarray(array, dtype=np.int32 if array.dtype.kind == "i" else np.float64)
    if kept.base is not None:
        kept = kept.copy()
    kept.flags.writeable = False
    return kept
