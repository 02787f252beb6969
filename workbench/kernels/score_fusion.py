"""Fusion by the lanes' own scores: ``linear``, ``relative_score`` and ``dbsf``.

Scores of different models share no scale. ``relative_score`` and ``dbsf`` first bring each lane to 0..1 by
its own spread; ``linear`` takes the scores as they are. Each needs a score for every hit.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels.assemble import assemble
from workbench.kernels.dialects import EPSILON
from workbench.kernels.lanes_in import PreparedLanes, named, prepare
from workbench.kernels.ties import as_printed, fraction_shares
from workbench.kernels.weights import folded, lane_weights
from workbench.records import Fusion

NEUTRAL = 0.5
"""What ``dbsf`` gives a hit whose lane has no spread to measure: a single hit, or equal scores."""
OPENSEARCH_FLOOR = 0.001
"""What OpenSearch's min-max gives a lane's lowest hit in place of 0."""

_EPSILON = EPSILON["float64"]


def linear(dense: Any, sparse: Any, *, alpha: float = 0.5) -> Fusion:
    """alpha · dense + (1 − alpha) · sparse, on the scores as given.

    Args:
        dense, sparse: lanes as ``prepare`` reads them, with a score for every hit.
        alpha: 0 (sparse alone) to 1 (dense alone).

    Raises:
        WorkbenchError: ``out_of_range`` for alpha; ``missing_score``, naming the ids and the lane, unless
            both lanes score every candidate; and what ``prepare`` refuses.
    """
    share = checks.number("alpha", alpha, low=0, high=1)
    lanes = prepare({"dense": dense, "sparse": sparse})
    weights = (share, 1 - share)
    for lane, name in enumerate(lanes.names):
        absent = np.flatnonzero(lanes.ranks[:, lane] < 0)
        if len(absent):
            ids = [lanes.ids[row] for row in absent.tolist()]
            raise WorkbenchError(
                "missing_score",
                f"lane {name!r} never saw {named(ids)}: linear needs a score from both lanes for every candidate; fuse by rank (rrf), or score them",
                lane=name,
                ids=tuple(ids),
            )
    terms = [weight * lanes.scores(lane) for lane, weight in enumerate(weights)]
    largest = max(float(np.max(np.abs(term), initial=0.0)) for term in terms)
    exact_share = as_printed(share)
    exact_weights = (exact_share, 1 - exact_share)
    return assemble(
        lanes,
        terms,
        method="linear",
        params={"alpha": share},
        possible=None,
        slack=lambda scores: np.full(len(scores), 12 * _EPSILON * largest),
        alike=_same_scores(lanes),
        exact=_exact(lanes, lambda lane, score: exact_weights[lane] * as_printed(score)),
    )


def relative_score(lanes: Any, *, weights: Any = None, dialect: str | None = None) -> Fusion:
    """weight · (score − min)/(max − min), each lane by its own hits; folded in lane order.

    A lane whose scores are all equal gives every hit 1 · weight. The method is that of Weaviate's
    relativeScoreFusion (hybrid_fusion.go), in float64.

    Args:
        lanes: as ``prepare`` reads them, with a score for every hit, higher is better.
        weights: mapping lane → weight (1 where not named) or one weight a lane.
        dialect: ``opensearch``: min-max with the lowest hit at 0.001 in place of 0, then the mean over
            all lanes, an absent one counting as 0: the weights are divided by their sum. Read from
            neural-search (MinMaxScoreNormalizationTechnique.java, arithmetic mean), which computes in
            float32: its scores agree to about six digits.

    Raises:
        WorkbenchError: ``missing_score``, ``unknown_dialect``, what ``prepare`` refuses, and what
            ``rrf`` refuses of weights.
    """
    if dialect is not None:
        checks.one_of("dialect", dialect, ("opensearch",), "unknown_dialect")
    floor = OPENSEARCH_FLOOR if dialect else 0.0
    read = prepare(lanes)
    given = lane_weights(read.names, weights)
    printed = tuple(map(as_printed, given))
    used = tuple(weight / folded(given) for weight in given) if dialect else given
    exact_used = fraction_shares(printed) if dialect else printed
    spans = [_span(read, lane) for lane in range(len(used))]
    terms = [_min_max(read.scores(lane), *spans[lane], floor) * weight for lane, weight in enumerate(used)]

    def exact_term(lane: int, score: float) -> Fraction:
        low, high = map(as_printed, spans[lane])
        if low == high:
            return exact_used[lane]
        return exact_used[lane] * ((as_printed(score) - low) / (high - low) or as_printed(floor))

    # a difference of two large scores is rounded as they are, so its error counts in shares of the span
    magnified = [
        weight * max(abs(low), abs(high)) / (high - low)
        for weight, (low, high) in zip(used, spans, strict=True)
        if high > low
    ]
    doubt = 8 * _EPSILON * folded(magnified)
    return assemble(
        read,
        terms,
        method="relative_score",
        params={"weights": FrozenMap(zip(read.names, given, strict=True))},
        possible=folded(used),
        slack=lambda scores: scores * ((len(used) + 4) * _EPSILON) + doubt,
        alike=_same_scores(read),
        exact=_exact(read, exact_term),
        dialect=dialect,
    )


def dbsf(lanes: Any) -> Fusion:
    """Distribution-based score fusion: each lane's mean ± 3σ is mapped to 0..1 and clamped; folded in lane order.

    σ is the sample deviation (n − 1), as in Qdrant (score_fusion.rs), which does not clamp and computes
    in float32. A single hit, or a lane of equal scores, gets the neutral 0.5. Exact ties are those of
    the recorded contributions, since σ is a root that no fraction holds.

    Args:
        lanes: as ``prepare`` reads them, with a score for every hit, higher is better.

    Raises:
        WorkbenchError: ``missing_score``; ``out_of_range`` for scores whose spread a double cannot
            hold; and what ``prepare`` refuses.
    """
    read = prepare(lanes)
    terms = [_three_sigma(read, lane) for lane in range(len(read.names))]
    recorded = np.full(read.raw.shape, np.nan)
    for lane, term in enumerate(terms):
        recorded[read.codes[lane], lane] = term

    def exact(row: int) -> Fraction:
        total = Fraction(0)
        for term in recorded[row].tolist():
            if not math.isnan(term):
                total += Fraction(term)
        return total

    return assemble(
        read,
        terms,
        method="dbsf",
        params={},
        possible=None,
        slack=lambda scores: scores * (len(terms) * _EPSILON),
        alike=_same_scores(read),
        exact=exact,
    )


def _span(lanes: PreparedLanes, lane: int) -> tuple[float, float]:
    scores = lanes.scores(lane)
    if not len(scores):
        return 0.0, 0.0
    low, high = float(scores.min()), float(scores.max())
    if not math.isfinite(high - low):
        raise _too_wide(lanes, lane, low, high)
    return low, high


def _min_max(scores: np.ndarray, low: float, high: float, floor: float) -> np.ndarray:
    if low == high:
        return np.ones(len(scores))
    share = (scores - low) / (high - low)
    return np.where(share == 0, floor, share)


def _three_sigma(lanes: PreparedLanes, lane: int) -> np.ndarray:
    scores = lanes.scores(lane)
    low, high = _span(lanes, lane)
    if low == high:
        return np.full(len(scores), NEUTRAL)
    with np.errstate(over="ignore", under="ignore"):
        # a running sum adds from left to right, in lane order; a plain sum would add in pairs
        mean = np.cumsum(scores)[-1] / len(scores)
        squares = np.cumsum((scores - mean) ** 2)[-1]
        sigma = math.sqrt(squares / (len(scores) - 1))
        width = 6 * sigma
    if not 0 < width < math.inf:
        raise _too_wide(lanes, lane, low, high)
    share: np.ndarray = np.clip((scores - (mean - 3 * sigma)) / width, 0.0, 1.0)
    return share


def _too_wide(lanes: PreparedLanes, lane: int, low: float, high: float) -> WorkbenchError:
    return WorkbenchError(
        "out_of_range",
        f"lane {lanes.names[lane]!r} has scores from {low!r} to {high!r}: a double cannot measure that spread; rescale them",
        lane=lanes.names[lane],
    )


def _same_scores(lanes: PreparedLanes) -> Callable[[np.ndarray], np.ndarray]:
    """Rows with the same scores in the same lanes tie exactly."""
    return lambda rows: np.ascontiguousarray(lanes.raw[rows]).view(np.int64)


def _exact(lanes: PreparedLanes, term: Callable[[int, float], Fraction]) -> Callable[[int], Fraction]:
    """Scores, like weights, count as the decimals that they print."""

    def score(row: int) -> Fraction:
        total = Fraction(0)
        for lane, raw in enumerate(lanes.raw[row].tolist()):
            if not math.isnan(raw):
                total += term(lane, raw)
        return total

    return score
