"""How firmly the fused winner stands: the range of k and of each weight in which it stays first, and who is first elsewhere."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.explain.standing import Stability, with_sentence
from workbench.explore.pairs import NOT_RATIONAL, Domain, Scores, reads_weights
from workbench.explore.polynomials import Poly, Root, roots, sign
from workbench.explore.refuse import Refuse
from workbench.explore.turning_points import STEPS, at_weight
from workbench.kernels.ties import as_printed
from workbench.records import Fusion, Run
from workbench.records.turning import Interval, Removal, WinnerMap

KS = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 40.0, 60.0, 85.0, 120.0, 170.0, 240.0, 500.0, 1000.0)
WEIGHTS = tuple(round(0.1 * step, 1) for step in range(31))


def stability(
    run: Run, *, lane: str | None = None, ks: Sequence[float] | None = None, weights: Sequence[float] | None = None
) -> Stability:
    """The fused winner's standing.

    Args:
        lane: whose weight the map turns; the one whose weight has to change least for another winner, when left out.
        ks, weights: the map's grid; ``KS`` and ``WEIGHTS`` and the present values when left out. A k or weight
            that the method refuses is refused here too.

    Returns:
        For k and each weight the interval around its present value in which the winner stays first, as roots
        (see ``turning_points``), with the one that takes over at each end; the winner with each lane left out;
        and a map of winners, each cell a run of the kernel. Fusion alone: what a reranker does with it is not looked at.

    Raises:
        WorkbenchError: ``nothing_to_search`` for a run without candidates; ``unknown_id`` for a lane;
            ``parameter_of_another_fusion`` for a grid that the method never reads.
    """
    fusion = run.fusion
    if not fusion.ids:
        raise WorkbenchError(
            "nothing_to_search", f"no candidate answers {run.query!r}, so nothing can be first: ask something else"
        )
    refuse = Refuse(fusion)
    turnable = fusion.method in ("rrf", "relative_score")
    intervals, notes = _intervals(refuse) if turnable else ((), (f"{fusion.method} reads neither k nor weights",))
    return with_sentence(
        run,
        Stability(
            winner=fusion.ids[0],
            sentence="",
            intervals=intervals,
            notes=notes,
            left_out=_left_out(refuse),
            map=_map(refuse, intervals, lane, ks, weights),
        ),
    )


def _intervals(refuse: Refuse) -> tuple[tuple[Interval, ...], tuple[str, ...]]:
    scores = Scores(refuse)
    rivals = _rivals(refuse)
    winner = refuse.fusion.ids[0]
    found, notes = [], []
    if scores.k is None:
        notes.append(f"{refuse.fusion.method} reads no k")
    elif refuse.fusion.dialect in NOT_RATIONAL:
        notes.append(NOT_RATIONAL[refuse.fusion.dialect])
    else:
        leads = [(rival, scores.over_k(winner, rival)) for rival in rivals]
        found.append(
            _interval("k", refuse.fusion.params["k"], scores.k_domain(), leads, winner, lambda k: refuse.at(k=k))
        )
    unread = reads_weights(refuse)
    if unread:
        return tuple(found), (*notes, unread)
    for knob, lanes in refuse.knobs.items():
        leads = [(rival, scores.over_weight(lanes, winner, rival)) for rival in rivals]
        now = refuse.weights[knob]
        found.append(_interval(knob, now, scores.weight_domain(), leads, winner, at_weight(refuse, lanes)))
    return tuple(found), tuple(notes)


def _rivals(refuse: Refuse) -> list[str]:
    """The candidates that can ever pass the winner first: those that no other one outdoes in every lane.

    A term falls with its rank and rises with its weight, so one that stands behind another in every lane
    stays behind it at every setting.
    """
    fusion = refuse.fusion
    if fusion.method == "rrf":
        ranks = fusion.ranks.astype(np.float64)
        height = np.where(ranks < 0, -np.inf, -ranks)
    else:
        units = refuse.at(weights=dict.fromkeys(refuse.weights, 1.0))
        order = [units.row(id) for id in fusion.ids]
        height = np.nan_to_num(units.contributions[order], nan=0.0)
    front = [0]
    for row in range(1, len(fusion.ids)):
        if not (height[front] >= height[row]).all(axis=1).any():
            front.append(row)
    return [fusion.ids[row] for row in front[1:]]


def _interval(
    knob: str,
    now: float,
    domain: Domain,
    leads: Sequence[tuple[str, Poly]],
    winner: str,
    fused: Callable[[float], Fusion],
) -> Interval:
    here = as_printed(now)
    low: tuple[Root, str] | None = None
    high: tuple[Root, str] | None = None
    for rival, poly in leads:
        below, above = _turns(poly, here, domain)
        if below is not None and (low is None or below.low > low[0].low):
            low = (below, rival)
        if above is not None and (high is None or above.high < high[0].high):
            high = (above, rival)
    lowest = domain.low if low is None else low[0].low
    highest = domain.high if high is None else high[0].high
    first_below = (winner, True) if low is None else _beyond(fused, winner, low[0], -(low[0].low - domain.low))
    reach = (
        None
        if high is None
        else (max(high[0].high, Fraction(1)) if domain.high is None else domain.high - high[0].high)
    )
    first_above = (winner, True) if high is None or reach is None else _beyond(fused, winner, high[0], reach)
    inside = _inside(fused, winner, lowest, here, highest)
    return Interval(
        knob=knob,
        now=float(now),
        low=float(domain.low) if low is None else low[0].nearest,
        below=None if low is None else (first_below[0] if first_below[1] else low[1]),
        high=(None if domain.high is None else float(domain.high)) if high is None else high[0].nearest,
        above=None if high is None else (first_above[0] if first_above[1] else high[1]),
        confirmed=inside and first_below[1] and first_above[1],
    )


def _turns(poly: Poly, here: Fraction, domain: Domain) -> tuple[Root | None, Root | None]:
    """The nearest values below and above ``here`` past which the polynomial, not negative here, is negative."""
    found = roots(poly, domain.low, domain.high, closed=domain.closed)
    bounds = [domain.low, *(root.high for root in found)]
    ends = [*(root.low for root in found), None]
    below: Root | None = None
    above: Root | None = None
    for place, (start, end) in enumerate(zip(bounds, ends, strict=True)):
        stop = end if end is not None else (domain.high if domain.high is not None else start + 1)
        if start == stop or sign(poly, (start + stop) / 2) >= 0:
            continue
        # the rival leads on this stretch: it ends the winner's interval on the side that faces it
        if end is not None and end <= here:
            below = found[place]
        elif above is None and place:
            above = found[place - 1]
    return below, above


def _beyond(fused: Callable[[float], Fusion], winner: str, root: Root, way: Fraction) -> tuple[str, bool]:
    """Who is first just past a root, and whether the kernel could tell."""
    edge = root.high if way > 0 else root.low
    for step in (STEPS[0] / 64, *STEPS):
        first = _first(fused, float(edge + way * step))
        if first is not None and first != winner:
            return first, True
    return winner, False


def _inside(
    fused: Callable[[float], Fusion], winner: str, low: Fraction, here: Fraction, high: Fraction | None
) -> bool:
    """Whether the kernel has the winner first near both ends of the interval."""
    upper = high if high is not None else here + max(here, Fraction(1))
    tries = (low + (here - low) * STEPS[0], upper - (upper - here) * STEPS[0])
    return all(low < value and _first(fused, float(value)) in (winner, None) for value in tries if low < value < upper)


def _first(fused: Callable[[float], Fusion], value: float) -> str | None:
    try:
        return fused(value).ids[0]
    except WorkbenchError:
        return None  # a number that the dialect's arithmetic cannot hold


def _left_out(refuse: Refuse) -> tuple[Removal, ...]:
    winner, found = refuse.fusion.ids[0], []
    for knob, lanes in refuse.knobs.items():
        made = refuse.without(lanes)
        first = made.ids[0] if made is not None and made.ids else None
        left = (winner,) if made is not None and winner in made.ids else ()
        found.append(Removal(knob, first, left, swaps=first != winner))
    return tuple(found)


# ---------------------------------------------------------------- the map


def _map(
    refuse: Refuse,
    intervals: Sequence[Interval],
    lane: str | None,
    ks: Sequence[float] | None,
    weights: Sequence[float] | None,
) -> WinnerMap | None:
    knobs = refuse.knobs
    asked = [name for name, given in (("lane", lane), ("ks", ks), ("weights", weights)) if given is not None]
    unread = reads_weights(refuse) or ("" if refuse.fusion.method == "rrf" else f"{refuse.fusion.method} reads no k")
    if unread:
        if asked:
            raise WorkbenchError(
                "parameter_of_another_fusion", f"{asked[0]} is given, and {unread}: a map of k × weight cannot be made; leave it out"
            )  # fmt: skip
        return None
    knob = _tightest(intervals, knobs) if lane is None else checks.one_of("lane", lane, knobs, "unknown_id")
    k_now, weight_now = float(refuse.fusion.params["k"]), float(refuse.weights[knob])
    across = _axis("ks", ks, KS, k_now, lambda k: refuse.at(k=k))
    turned = at_weight(refuse, knobs[knob])
    down = _axis("weights", weights, WEIGHTS, weight_now, turned)
    winners, leads, ids = [], [], {}  # type: ignore[var-annotated]
    for weight in down:
        by = dict.fromkeys(knobs[knob], weight)
        for k in across:
            made = refuse.at(k=k, weights=by)
            winners.append(ids.setdefault(made.ids[0], len(ids)))
            best, second = float(made.scores[0]), float(made.scores[min(1, len(made.ids) - 1)])
            leads.append((best - second) / best if best else 0.0)
    return WinnerMap(
        lane=knob,
        ks=np.array(across),
        weights=np.array(down),
        winners=np.array(winners, dtype=np.int32),
        ids=tuple(ids),
        k_now=k_now,
        weight_now=weight_now,
        leads=np.array(leads),
    )


def _axis(
    name: str, given: Any, default: tuple[float, ...], now: float, fused: Callable[[float], Fusion]
) -> list[float]:
    """The grid's values, ascending. Those of the default that the method cannot take are left out; given ones are refused by it."""
    if given is None:
        return [value for value in sorted({*default, now}) if _first(fused, value) is not None]
    if isinstance(given, str) or not hasattr(given, "__len__") or not len(given):
        raise WorkbenchError("wrong_type", f"{name} is {given!r}: give a list of numbers")
    read = sorted({checks.number(name, value, low=0) for value in given})
    for value in read:
        fused(value)
    return read


def _tightest(intervals: Sequence[Interval], knobs: dict[str, tuple[str, ...]]) -> str:
    """The lane whose weight has to change least, in parts of itself, for another winner; the first lane where none does."""
    best: tuple[float, str] | None = None
    for each in intervals:
        if each.knob not in knobs:
            continue
        ends = [
            end for end, by in ((each.low, each.below), (each.high, each.above)) if by is not None and end is not None
        ]
        for end in ends:
            distance = abs(end - each.now) / (each.now or 1.0)
            if best is None or distance < best[0]:
                best = (distance, each.knob)
    return next(iter(knobs)) if best is None else best[1]
