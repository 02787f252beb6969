"""Reciprocal rank fusion, in our own form and in other engines' dialects; ``fuse`` picks a method by name.

    score(candidate) = weight₁/(k + rank₁) + weight₂/(k + rank₂) + …   over the lanes that returned it

A lane that did not return a candidate adds no term at all: it is absent, not last.
Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009. The dialects and where each was read: ``DIALECTS``.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from workbench import checks
from workbench.config import FUSIONS, Config
from workbench.errors import WorkbenchError
from workbench.kernels.assemble import assemble
from workbench.kernels.dialects import DIALECTS, EPSILON, PLAIN, Dialect, Form
from workbench.kernels.lanes_in import PreparedLanes, prepare
from workbench.kernels.score_fusion import dbsf, linear, relative_score
from workbench.kernels.ties import as_printed, fraction_shares
from workbench.kernels.weights import folded, lane_weights
from workbench.records import Fusion

__all__ = [
    "DIALECTS",
    "Dialect",
    "PreparedLanes",
    "dbsf",
    "fuse",
    "linear",
    "prepare",
    "relative_score",
    "rrf",
]

_DEFAULTS = Config()
_LARGEST32, _SMALLEST32 = float(np.finfo(np.float32).max), float(np.finfo(np.float32).tiny)


def rrf(
    lanes: Any,
    *,
    k: float | None = None,
    rank_base: int | None = None,
    weights: Any = None,
    dialect: str | None = None,
    ties: str = "fold",
    repeats: str | None = None,
) -> Fusion:
    """Fuses lanes by rank: weight/(k + rank), folded left to right in lane order.

    Args:
        lanes: mapping of lane name → ids, ``(id, score or None)`` pairs, ``Hit`` records or a ``Lane``,
            best first; any number of them, one for each (lane, phrasing) if need be. Or the result of
            ``prepare``, which makes a re-fuse one pass.
        k: at least 0; 60 when left out, or the dialect's own.
        rank_base: what the first rank counts as, 1 (when left out) or 0. A dialect has its own.
        weights: mapping lane → weight (a lane that is not named weighs 1) or one weight a lane.
        dialect: a name of ``DIALECTS``: that engine's formula, default k and weights, rank base,
            arithmetic and tie rule.
        ties: ``fold`` orders by the folded doubles, then by id. ``exact`` orders near ties by their
            exact fractions, so that what ties exactly goes to the id before any rounding.
        repeats: None refuses an id that a lane holds twice; ``best`` keeps its first place and says so.

    Returns:
        A ``Fusion``: n candidates by descending score, with ranks (from 1, whatever the base), raw
        scores and contributions n × L. ``possible`` is the score of a candidate first in every lane.
        k and the weights count as the decimals that they print when exact ties are looked for.

    Raises:
        WorkbenchError: what ``prepare`` refuses; ``not_finite``, ``out_of_range``, ``shape_mismatch``
            and ``unknown_parameter`` for k and weights; ``unknown_dialect``; ``contradiction`` for
            ``rank_base`` or ``ties="exact"`` beside a dialect; ``parameter_of_another_fusion`` for
            weights that the dialect never reads.
    """
    spoken = _dialect(dialect, rank_base, ties)
    base = (
        spoken.rank_base if spoken else 1 if rank_base is None else checks.whole("rank_base", rank_base, low=0, high=1)
    )
    read = prepare(lanes, repeats=repeats)
    given = _given_weights(read.names, weights, spoken)
    shared = spoken is not None and spoken.weights == "share"
    used = tuple(weight / folded(given) for weight in given) if shared else given
    smoothing = _checked_k(k, base, used, spoken)
    form = spoken.form if spoken else PLAIN
    arithmetic = spoken.arithmetic if spoken else "float64"

    places = np.arange(base, base + max(map(len, read.codes)) + 1, dtype=np.float64)
    with np.errstate(over="ignore"):  # what overflows is refused below, by name
        term = {weight: form.term(weight, smoothing, places) for weight in dict.fromkeys(used)}
        # an empty lane has a first rank too: what a candidate there would have got
        possible = term[used[0]][0]
        for weight in used[1:]:
            possible = possible + term[weight][0]
    error = max(form.error(w, smoothing, int(places[-1])) for w in term) + len(used) * EPSILON[arithmetic]
    rule = spoken.ties if spoken else ties
    return assemble(
        read,
        [term[weight][: len(codes)] for weight, codes in zip(used, read.codes, strict=True)],
        method="rrf",
        params={
            "k": smoothing,
            "rank_base": base,
            "weights": dict(zip(read.names, given, strict=True)),
            "ties": ties,
            **({"repeats": repeats} if repeats else {}),
        },
        possible=float(possible),
        slack=lambda scores: scores * error,
        alike=_alike(read.ranks, used),
        exact=_exact(form, read.ranks, given, shared, smoothing, base),
        arithmetic=arithmetic,
        dialect=dialect,
        rule="fold" if rule == "id" else rule,
        note=f"{dialect}: {spoken.engine_ties}" if spoken else "",
    )


def fuse(
    method: str,
    lanes: Any,
    *,
    k: float | None = None,
    weights: Any = None,
    dialect: str | None = None,
    ties: str | None = None,
) -> Fusion:
    """Fuses by the method of that name: ``rrf``, ``relative_score`` or ``dbsf``.

    None, an empty mapping of weights, and ``Config``'s own defaults for k and ties count as not given.
    All else that the method never reads is refused.

    Raises:
        WorkbenchError: ``unknown_fusion``, ``parameter_of_another_fusion``, and what the method refuses.
    """
    checks.one_of("fusion", method, FUSIONS, "unknown_fusion")
    weights = None if isinstance(weights, Mapping) and not weights else weights
    if method == "rrf":
        return rrf(lanes, k=k, weights=weights, dialect=dialect, ties="fold" if ties is None else ties)
    _never_read(method, "k", k, None if k == _DEFAULTS.k else k)
    _never_read(method, "ties", ties, None if ties == _DEFAULTS.ties else ties)
    if method == "relative_score":
        return relative_score(lanes, weights=weights, dialect=dialect)
    _never_read(method, "dialect", dialect, dialect)
    _never_read(method, "weights", weights, weights)
    return dbsf(lanes)


def _dialect(name: str | None, rank_base: int | None, ties: str) -> Dialect | None:
    checks.one_of("ties", ties, ("fold", "exact"), "out_of_range")
    if name is None:
        return None
    spoken = DIALECTS[checks.one_of("dialect", name, DIALECTS, "unknown_dialect")]
    if rank_base is not None:
        raise WorkbenchError(
            "contradiction",
            f"rank_base is {rank_base!r}, and dialect {name!r} counts ranks from {spoken.rank_base}: drop one of the two",
            rank_base=rank_base,
            dialect=name,
        )
    if ties == "exact":
        raise WorkbenchError(
            "contradiction",
            f"ties is 'exact', and dialect {name!r} has a tie rule of its own ({spoken.ties}): drop one of the two",
            dialect=name,
        )
    return spoken


def _given_weights(names: tuple[str, ...], weights: Any, spoken: Dialect | None) -> tuple[float, ...]:
    if spoken is None or spoken.weights == "each":
        return lane_weights(names, weights)
    if spoken.weights == "none":
        given = lane_weights(names, weights)
        if any(weight != 1 for weight in given):
            raise WorkbenchError(
                "parameter_of_another_fusion",
                f"weights is {weights!r}: {spoken.name} reads no weights; drop them, or drop the dialect",
                dialect=spoken.name,
            )
        return given
    default = 1 / len(names) if spoken.weights == "mean" else 1.0
    return lane_weights(names, weights, default=default, name_all=True)


def _checked_k(k: float | None, base: int, weights: tuple[float, ...], spoken: Dialect | None) -> float:
    smoothing = (spoken.k if spoken else 60.0) if k is None else checks.number("k", k, low=0)
    if spoken and spoken.whole_k:
        checks.number("k", smoothing, low=1, high=10_000)
        if not float(smoothing).is_integer():
            raise WorkbenchError("out_of_range", f"k is {k!r}: {spoken.name} takes a whole number", value=k)
    if spoken and spoken.arithmetic == "float32":
        for name, value in (("k", smoothing), *(("a weight", weight) for weight in weights)):
            if value > _LARGEST32 or 0 < value < _SMALLEST32:
                raise WorkbenchError(
                    "out_of_range", f"{name} is {value!r}: {spoken.name} computes in float32, which cannot hold it"
                )
    if spoken and spoken.name == "qdrant":
        for weight in filter(None, weights):
            if not np.float32(1) / np.float32(weight) + np.float32(smoothing) - np.float32(1) > 0:
                raise WorkbenchError(
                    "out_of_range",
                    f"k is {smoothing!r} with weight {weight!r}: 1/weight + k - 1 has to lie above 0; give a larger k",
                )
    elif not smoothing + base > 0:
        raise WorkbenchError(
            "out_of_range", f"k is {smoothing!r} with rank base 0: the first rank would divide by 0; give a larger k"
        )
    return float(smoothing)


def _alike(ranks: np.ndarray, weights: tuple[float, ...]) -> Callable[[np.ndarray], np.ndarray]:
    """Rows with the same (weight, rank) pairs, in whatever lanes, tie exactly."""
    kinds = {weight: kind for kind, weight in enumerate(dict.fromkeys(weights))}

    def marks(rows: np.ndarray) -> np.ndarray:
        held = ranks.take(rows, axis=0)
        if len(kinds) > 1:
            offset = np.array([kinds[weight] for weight in weights]) * (int(held.max(initial=0)) + 1)
            held = np.where((held > 0) & (np.array(weights) > 0), held + offset, -1)
        held.sort(axis=1)
        return held

    return marks


def _exact(
    form: Form, ranks: np.ndarray, weights: tuple[float, ...], shared: bool, k: float, base: int
) -> Callable[[int], Fraction]:
    """Row → its score as a fraction. Few rows ask, and each (weight, rank) is worked out once."""

    smoothing = as_printed(k)
    printed = tuple(map(as_printed, weights))
    if shared:
        printed = fraction_shares(printed)
    terms: dict[tuple[float, int], tuple[int, int]] = {}

    def score(row: int) -> Fraction:
        above, below = 0, 1  # added over a common denominator: one reduction at the end
        for given, weight, rank in zip(weights, printed, ranks[row].tolist(), strict=True):
            if rank > 0:
                if (given, rank) not in terms:
                    terms[given, rank] = form.exact(weight, smoothing, rank - 1 + base)
                numerator, denominator = terms[given, rank]
                above, below = above * denominator + numerator * below, below * denominator
        return Fraction(above, below)

    return score


def _never_read(method: str, name: str, given: Any, refused: Any) -> None:
    if refused is not None:
        raise WorkbenchError(
            "parameter_of_another_fusion",
            f"{name} is {given!r}: {method} fuses scores and never reads it; drop it, or fuse by rrf",
            name=name,
            fusion=method,
        )
