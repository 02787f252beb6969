"""What would swap two candidates: every k and weight at which they tie, found as roots and not by a scan.

A fused score is a sum of terms weight/(k + rank), so the difference of two is a rational function of k, and
of one weight (linear, save where a dialect stretches ranks by it). Its zeros are those of a polynomial with
exact coefficients. The kernel is then run on both sides of each.
"""

from collections.abc import Callable
from fractions import Fraction

from workbench.errors import WorkbenchError
from workbench.explore.pairs import NOT_RATIONAL, Domain, Scores, reads_weights
from workbench.explore.polynomials import Poly, Root, roots, sign
from workbench.explore.refuse import Refuse
from workbench.kernels.ties import as_printed
from workbench.records import Fusion, Run
from workbench.records.turning import Move, Removal, Tie, TurningPoints

STEPS = (Fraction(1, 1024), Fraction(1, 32), Fraction(1, 4), Fraction(1, 2))
"""How far from a root the kernel is run, in parts of the way to the next one; farther where its rounding hides the difference."""


def turning_points(run: Run | Fusion, a: str, b: str) -> TurningPoints:
    """Every single change that swaps two fused candidates.

    Args:
        run: a run, or a bare ``Fusion`` by rrf, relative_score or dbsf. What follows after fusion is not looked at.
        a, b: two of its candidates, in any order.

    Returns:
        For k (rrf) and for each lane's weight: every value in the allowed range at which the two tie. For
        each lane: the shortest move of either one that swaps them (rrf), and who is first without the lane.

    Raises:
        WorkbenchError: ``unknown_id`` for what is no fused candidate, ``contradiction`` for the same one twice.
    """
    fusion = run if isinstance(run, Fusion) else run.fusion
    if a == b:
        raise WorkbenchError("contradiction", f"{a!r} is compared with itself: name two candidates", id=a)
    first, second = (a, b) if fusion.row(a) < fusion.row(b) else (b, a)
    if fusion.method not in ("rrf", "relative_score"):
        note = f"{fusion.method} reads neither k nor weights"
        return TurningPoints(first, second, None, (), note, {}, (), note, (), _removals(fusion, first, second), False)
    refuse = Refuse(fusion)
    scores = Scores(refuse)
    always = not scores.over_k(a, b) if scores.k is not None else False
    k, k_note = _in_k(refuse, scores, first, second)
    weights_note = reads_weights(refuse)
    return TurningPoints(
        first=first,
        second=second,
        k_now=fusion.params.get("k"),
        k=k,
        k_note=k_note,
        weights_now={knob: refuse.weights[knob] for knob in refuse.knobs},
        weights=() if weights_note else _in_weights(refuse, scores, first, second),
        weights_note=weights_note,
        moves=() if scores.k is None else _moves(refuse, scores, first, second),
        removals=_removals(fusion, first, second),
        always_tied=always,
        exact_lead=_lead_now(refuse, scores, first, second),
    )


def _lead_now(refuse: Refuse, scores: Scores, first: str, second: str) -> int:
    knob, lanes = next(iter(refuse.knobs.items()))
    return sign(scores.over_weight(lanes, first, second), scores.weights[knob])


def _in_k(refuse: Refuse, scores: Scores, first: str, second: str) -> tuple[tuple[Tie, ...], str]:
    if scores.k is None:
        return (), f"{refuse.fusion.method} reads no k"
    if refuse.fusion.dialect in NOT_RATIONAL:
        return (), NOT_RATIONAL[refuse.fusion.dialect]
    found = ties_of("k", scores.over_k(first, second), scores.k_domain(), (first, second), lambda k: refuse.at(k=k))
    return found, ""


def _in_weights(refuse: Refuse, scores: Scores, first: str, second: str) -> tuple[Tie, ...]:
    found: list[Tie] = []
    for knob, lanes in refuse.knobs.items():
        poly = scores.over_weight(lanes, first, second)
        found += ties_of(knob, poly, scores.weight_domain(), (first, second), at_weight(refuse, lanes))
    return tuple(found)


def at_weight(refuse: Refuse, lanes: tuple[str, ...]) -> Callable[[float], Fusion]:
    """A weight of these lanes → the fusion with it."""
    return lambda weight: refuse.at(weights=dict.fromkeys(lanes, weight))


def ties_of(
    knob: str, poly: Poly, domain: Domain, pair: tuple[str, str], fused: Callable[[float], Fusion]
) -> tuple[Tie, ...]:
    """The roots of ``poly`` in ``domain``, each with the kernel's word on both sides.

    ``poly`` has the sign of the first's score minus the second's; ``fused`` runs the kernel at a value.
    """
    found = roots(poly, domain.low, domain.high, closed=domain.closed)
    ties = []
    for place, root in enumerate(found):
        lower = found[place - 1].high if place else domain.low
        upper = found[place + 1].low if place + 1 < len(found) else domain.high
        at_start = root.exact is not None and root.exact == domain.low
        below = None if at_start else _tried(poly, pair, fused, _steps_down(root, lower))
        above = _tried(poly, pair, fused, _steps_up(root, upper))
        ties.append(
            Tie(
                knob=knob,
                at=root.nearest,
                exact=None if root.exact is None else str(root.exact),
                swaps=below is not None and below[1] != above[1],
                below=None if below is None else below[0],
                first_below=None if below is None else below[1],
                above=above[0],
                first_above=above[1],
                confirmed=above[2] and (below is None or below[2]),
            )
        )
    return tuple(ties)


def _steps_down(root: Root, lower: Fraction) -> list[Fraction]:
    return [root.low - (root.low - lower) * step for step in STEPS]


def _steps_up(root: Root, upper: Fraction | None) -> list[Fraction]:
    if upper is not None:
        return [root.high + (upper - root.high) * step for step in STEPS]
    reach = max(root.high, Fraction(1))
    return [root.high + reach * step * 4 for step in STEPS]


def _tried(
    poly: Poly, pair: tuple[str, str], fused: Callable[[float], Fusion], values: list[Fraction]
) -> tuple[float, str, bool]:
    """A value on this side of a root, who is first there by the exact scores, and whether the kernel says so too."""
    side = pair[0] if sign(poly, values[0]) > 0 else pair[1]
    for value in values:
        given = float(value)
        if sign(poly, as_printed(given)) != sign(poly, values[0]):
            continue  # rounded onto the root, or past it
        try:
            made = fused(given)
        except WorkbenchError:
            continue  # a number that the dialect's arithmetic cannot hold
        if (made.row(pair[0]) < made.row(pair[1])) == (side == pair[0]) and _apart(made, pair):
            return given, side, True
    return float(values[0]), side, False


def _apart(fusion: Fusion, pair: tuple[str, str]) -> bool:
    return bool(fusion.scores[fusion.row(pair[0])] != fusion.scores[fusion.row(pair[1])])


# ---------------------------------------------------------------- moves and removals


def _moves(refuse: Refuse, scores: Scores, first: str, second: str) -> tuple[Move, ...]:
    found = []
    for lane in refuse.fusion.lanes:
        options = [_up(refuse, scores, lane, first, second), _down(refuse, scores, lane, first, second)]
        moves = [move for move in options if move is not None]
        if moves:
            found.append(min(moves, key=lambda move: move.steps))
    return tuple(found)


def _up(refuse: Refuse, scores: Scores, lane: str, first: str, second: str) -> Move | None:
    """The second one moved up in the lane."""
    rank = scores.rank(second, lane)
    if rank is None:
        return None
    return _shortest(refuse, scores, lane, (first, second), second, rank, rank - 1, -1)


def _down(refuse: Refuse, scores: Scores, lane: str, first: str, second: str) -> Move | None:
    """The first one moved down in the lane."""
    rank = scores.rank(first, lane)
    if rank is None:
        return None
    return _shortest(refuse, scores, lane, (first, second), first, rank, len(refuse.rows[lane]) - rank, 1)


def _shortest(
    refuse: Refuse, scores: Scores, lane: str, pair: tuple[str, str], id: str, rank: int, most: int, way: int
) -> Move | None:
    """More steps never help the first one, so the fewest are found by halving; the kernel has the last word."""
    low, high = 1, most + 1
    while low < high:
        middle = (low + high) // 2
        if _lead(scores, lane, pair, id, rank + way * middle) <= 0:
            high = middle
        else:
            low = middle + 1
    for steps in range(low, most + 1):
        made = refuse.moved(lane, id, rank + way * steps)
        if made.row(pair[1]) < made.row(pair[0]):
            return Move(lane, id, rank, rank + way * steps, steps)
        if _lead(scores, lane, pair, id, rank + way * steps) < 0:
            return None  # swapped by the exact scores, and the kernel's rounding cannot tell
    return None


def _lead(scores: Scores, lane: str, pair: tuple[str, str], id: str, to_rank: int) -> Fraction:
    """The exact lead of the first over the second with ``id`` moved to another rank of the lane."""
    ranks = {each: scores.ranks(each) for each in pair}
    other = pair[0] if id == pair[1] else pair[1]
    from_rank = ranks[id][lane]
    beside = ranks[other].get(lane)
    if beside is not None and min(from_rank, to_rank) <= beside <= max(from_rank, to_rank):
        ranks[other][lane] = beside + (1 if to_rank < from_rank else -1)
    ranks[id][lane] = to_rank
    return scores.by_rank(ranks[pair[0]]) - scores.by_rank(ranks[pair[1]])


def _removals(fusion: Fusion, first: str, second: str) -> tuple[Removal, ...]:
    refuse = Refuse(fusion)
    found = []
    for knob, lanes in refuse.knobs.items():
        made = refuse.without(lanes)
        left = () if made is None else tuple(id for id in (first, second) if id in made.ids)
        leader = min(left, key=made.row) if made is not None and left else None
        found.append(Removal(knob, leader, left, swaps=leader == second))
    return tuple(found)
