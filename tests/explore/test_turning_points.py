"""Turning points against brute force, and worked examples that can be checked by hand."""

import math
import random
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.helpers import refused
from workbench import dbsf, relative_score, rrf
from workbench.explore.polynomials import roots
from workbench.explore.turning_points import turning_points
from workbench.records import Fusion
from workbench.records.turning import Tie, TurningPoints

WORKED = {"lexical": ["x", "y"], "dense": ["y", "z"], "graph": ["x"]}


def test_the_worked_example_a_dense_weight_above_1_016_puts_y_first_and_no_k_does() -> None:
    found = turning_points(rrf(WORKED), "x", "y")
    assert (found.first, found.second) == ("x", "y")
    assert found.k == ()
    dense = next(tie for tie in found.weights if tie.knob == "dense")
    assert Fraction(dense.exact or "0") == 2 - Fraction(61, 62)
    assert f"{dense.at:.6f}" == "1.016129"
    assert (dense.first_below, dense.first_above, dense.swaps, dense.confirmed) == ("x", "y", True, True)
    assert rrf(WORKED, weights={"dense": 1.0161}).ids[0] == "x"
    assert rrf(WORKED, weights={"dense": 1.0162}).ids[0] == "y"


def test_first_in_one_lane_against_fourth_in_both_tie_at_k_2() -> None:
    lanes = {"one": ["Y", "p", "q", "X"], "two": ["r", "s", "t", "X"]}
    assert rrf(lanes, k=60).ids[0] == "X"  # 2/64 > 1/61
    assert rrf(lanes, k=1).row("Y") < rrf(lanes, k=1).row("X")  # 1/2 > 2/5
    found = turning_points(rrf(lanes), "Y", "X")
    assert [(tie.at, tie.exact, tie.first_below, tie.first_above) for tie in found.k] == [(2.0, "2", "Y", "X")]


def test_a_move_of_one_rank_and_a_lane_left_out_that_swap_the_two() -> None:
    found = turning_points(rrf(WORKED), "x", "y")
    assert [(m.lane, m.id, m.from_rank, m.to_rank, m.steps) for m in found.moves] == [("lexical", "y", 2, 1, 1)]
    assert {r.lane: (r.first, r.swaps) for r in found.removals} == {
        "lexical": ("x", False),
        "dense": ("x", False),
        "graph": ("y", True),
    }


def test_two_that_hold_the_same_ranks_in_other_lanes_tie_at_every_k() -> None:
    found = turning_points(rrf({"one": ["a", "b"], "two": ["b", "a"]}), "a", "b")
    assert (found.always_tied, found.k) == (True, ())
    assert [tie.at for tie in found.weights] == [1.0, 1.0]  # any other weight parts them


def test_a_touch_is_a_tie_that_swaps_nothing() -> None:
    # 4.5/(k+1) + 12.5/(k+3) − 16/(k+2) has the numerator (k − 2)²
    lanes = {"one": ["a"], "two": ["p", "b"], "three": ["q", "r", "a"]}
    fusion = rrf(lanes, weights={"one": 4.5, "two": 16, "three": 12.5})
    found = turning_points(fusion, "a", "b")
    assert [(tie.exact, tie.swaps, tie.first_below, tie.first_above) for tie in found.k] == [("2", False, "a", "a")]
    assert found.k[0].confirmed


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        ([(-2, 1), (-2, 1)], ["2"]),
        ([(-2, 1), (-3, 1), (-3, 1), (-5, 1)], ["2", "3", "5"]),
        ([(0, 1), (-1, 3)], ["0", "1/3"]),
        ([(1, 1), (4, 1)], []),
        ([(-2, 0, 1)], [None]),
        ([(-1, 10**6), (-2, 10**6)], ["1/1000000", "1/500000"]),
    ],
)
def test_roots_of_polynomials_are_found_exactly_and_once(factors: list[Any], expected: list[str | None]) -> None:
    poly = [Fraction(1)]
    for factor in factors:
        product = [Fraction(0)] * (len(poly) + len(factor) - 1)
        for i, a in enumerate(poly):
            for j, b in enumerate(factor):
                product[i + j] += a * b
        poly = product
    found = roots(poly, Fraction(0), None, closed=True)
    assert [None if r.exact is None else str(r.exact) for r in found] == expected
    if expected == [None]:
        assert found[0].nearest == math.sqrt(2)


# ---------------------------------------------------------------- brute force

DIALECTS = (
    None,
    None,
    None,
    "paper",
    "elasticsearch",
    "azure",
    "langchain",
    "llamaindex",
    "haystack",
    "weaviate",
    "qdrant",
)
GRID = sorted({0.0, 0.5, *(round(1.25**step, 3) for step in range(-2, 42))})


def case(seed: int) -> tuple[Fusion, str, str, random.Random]:
    rng = random.Random(seed)
    ids = [f"d{i}" for i in range(9)]
    dialect = rng.choice(DIALECTS)
    lanes = {f"lane{n}": rng.sample(ids, rng.randint(1, 9)) for n in range(rng.randint(2, 5))}
    weighed = dialect not in ("paper", "llamaindex")
    weights = {name: rng.choice([0.3, 0.5, 1.0, 1.0, 1.7, 2.0]) for name in lanes} if weighed else None
    fusion = rrf(lanes, k=rng.choice([2, 10, 60]), weights=weights, dialect=dialect)
    a, b = rng.sample(sorted(fusion.ids), 2) if len(fusion.ids) > 1 else (fusion.ids[0], "")
    return fusion, a, b, rng


@cache
def found_in(seed: int) -> TurningPoints:
    fusion, a, b, _ = case(seed)
    return turning_points(fusion, a, b)


def difference(fusion: Fusion, a: str, b: str, k: Fraction, weights: dict[str, Fraction]) -> Fraction:
    """Score(a) - score(b), written out once more, by hand."""
    base = int(fusion.params["rank_base"])
    total = Fraction(0)
    for id, side in ((a, 1), (b, -1)):
        for place, lane in enumerate(fusion.lanes):
            rank = int(fusion.ranks[fusion.row(id), place])
            weight = weights[lane]
            if rank < 0 or not weight:
                continue
            if fusion.dialect == "qdrant":
                total += side / (rank / weight + k - 1)
            else:
                total += side * weight / (k + rank - 1 + base)
    return total


def sides(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def allowed(fusion: Fusion, k: float, weights: dict[str, Fraction]) -> bool:
    if fusion.dialect == "qdrant":
        return all(1 / w + Fraction(repr(k)) - 1 > 0 for w in weights.values() if w)
    return k + int(fusion.params["rank_base"]) > 0


def check_no_flip_is_missed_and_none_is_false(ties: tuple[Tie, ...], grid: list[float], at: Any) -> int:
    flips = 0
    for low, high in pairwise(grid):
        before, after = sides(at(low)), sides(at(high))
        if before and after:
            between = sum(1 for tie in ties if tie.swaps and low < tie.at < high)
            assert (before != after) == (between % 2 == 1), (low, high, ties)
            flips += before != after
        for value, side in ((low, before), (high, after)):
            assert (side == 0) == any(tie.at == value for tie in ties), (value, ties)
    for tie in ties:
        if tie.exact is not None:
            assert at(Fraction(tie.exact)) == 0
            continue
        around = [at(Fraction(np.nextafter(tie.at, way))) for way in (0.0, math.inf)]
        assert sides(around[0]) * sides(around[1]) <= 0  # an irrational root lies between neighbours of its double
    return flips


def test_no_k_flip_is_missed_and_none_is_false_on_500_random_cases() -> None:
    flips = 0
    for seed in range(500):
        fusion, a, b, _ = case(seed)
        if not b:
            continue
        weights = {lane: Fraction(repr(w)) for lane, w in fusion.params["weights"].items()}
        found = found_in(seed)
        grid = [k for k in GRID if allowed(fusion, k, weights)]

        def at(k: Any, fusion: Fusion = fusion, a: str = a, b: str = b, w: dict[str, Fraction] = weights) -> Fraction:
            return difference(fusion, a, b, k if isinstance(k, Fraction) else Fraction(repr(k)), w)

        assert found.always_tied == (not any(sides(at(k)) for k in grid))
        if not found.always_tied:
            flips += check_no_flip_is_missed_and_none_is_false(found.k, grid, at)
    assert flips > 50


def test_no_weight_flip_is_missed_and_none_is_false_on_500_random_cases() -> None:
    flips = 0
    for seed in range(500):
        fusion, a, b, rng = case(seed)
        if not b:
            continue
        found = found_in(seed)
        if found.weights_note:
            continue
        lane = rng.choice(fusion.lanes)
        weights = {name: Fraction(repr(w)) for name, w in fusion.params["weights"].items()}
        k = Fraction(repr(float(fusion.params["k"])))

        def at(w: Any, fusion: Fusion = fusion, a: str = a, b: str = b, k: Fraction = k, lane: str = lane, weights: dict[str, Fraction] = weights) -> Fraction:  # fmt: skip
            return difference(fusion, a, b, k, {**weights, lane: w if isinstance(w, Fraction) else Fraction(repr(w))})

        ties = tuple(tie for tie in found.weights if tie.knob == lane)
        grid = [round(step * 0.07, 3) for step in range(80)]
        if any(sides(at(w)) for w in grid):
            flips += check_no_flip_is_missed_and_none_is_false(ties, grid, at)
    assert flips > 50


def test_the_kernel_agrees_on_both_sides_of_every_turning_point() -> None:
    seen = 0
    for seed in range(500):
        _, _, b, _ = case(seed)
        if not b:
            continue
        for tie in (*(found := found_in(seed)).k, *found.weights):
            assert tie.confirmed, (seed, tie)
            seen += 1
    assert seen > 500


def test_the_kernel_scanned_over_k_flips_where_the_roots_say() -> None:
    for seed in range(120):
        fusion, a, b, _ = case(seed)
        if not b or fusion.dialect:
            continue
        lanes = {
            lane: [id for _, id in sorted((fusion.ranks[r, p], id) for r, id in enumerate(fusion.ids) if fusion.ranks[r, p] > 0)]
            for p, lane in enumerate(fusion.lanes)
        }  # fmt: skip
        found = found_in(seed)
        orders = []
        for k in GRID:
            made = rrf(lanes, k=k, weights=dict(fusion.params["weights"]), ties="exact")
            orders.append(made.row(a) < made.row(b))
        if found.always_tied:
            assert len(set(orders)) == 1
            continue
        for (low, high), (before, after) in zip(pairwise(GRID), pairwise(orders), strict=True):
            swaps = sum(1 for tie in found.k if tie.swaps and low < tie.at < high)
            if not any(tie.at in (low, high) for tie in found.k):
                assert (before != after) == (swaps % 2 == 1)


def test_the_shortest_move_is_the_first_that_the_kernel_swaps_on() -> None:
    moves = 0
    for seed in range(150):
        fusion, _, b, _ = case(seed)
        if not b:
            continue
        found = found_in(seed)
        lanes = {
            lane: [id for _, id in sorted((fusion.ranks[r, p], id) for r, id in enumerate(fusion.ids) if fusion.ranks[r, p] > 0)]
            for p, lane in enumerate(fusion.lanes)
        }  # fmt: skip
        for lane, ids in lanes.items():
            fewest = None
            for id, way in ((found.second, -1), (found.first, 1)):
                if id not in ids:
                    continue
                at = ids.index(id)
                for steps in range(1, (at if way < 0 else len(ids) - 1 - at) + 1):
                    changed = [each for each in ids if each != id]
                    changed.insert(at + way * steps, id)
                    made = rrf(
                        {**lanes, lane: changed},
                        k=fusion.params["k"],
                        weights=dict(fusion.params["weights"]),
                        dialect=fusion.dialect,
                    )
                    if made.row(found.second) < made.row(found.first):
                        fewest = steps if fewest is None else min(fewest, steps)
                        break
            told = next((move.steps for move in found.moves if move.lane == lane), None)
            assert told == fewest, (seed, lane)
            moves += told is not None
    assert moves > 50


# ---------------------------------------------------------------- other fusions


def test_relative_score_has_weights_to_turn_and_no_k() -> None:
    lanes = {"one": [("a", 1.0), ("b", 0.5), ("c", 0.0)], "two": [("b", 4.0), ("c", 3.0), ("a", 2.0)]}
    found = turning_points(relative_score(lanes), "a", "b")
    assert (found.first, found.k, found.k_note) == ("b", (), "relative_score reads no k")
    # one: a 1, b 0.5; two: b 1, a 0. They tie where 0.5 · w(one) = w(two)
    assert {tie.knob: tie.exact for tie in found.weights} == {"one": "2", "two": "1/2"}
    assert relative_score(lanes, weights={"one": 2.01}).ids[0] == "a"


def test_dbsf_has_nothing_to_turn_but_lanes() -> None:
    lanes = {"one": [("a", 1.0), ("b", 0.5)], "two": [("b", 4.0), ("c", 3.0)]}
    found = turning_points(dbsf(lanes), "a", "b")
    assert (found.k, found.weights) == ((), ())
    assert "neither k nor weights" in found.k_note
    assert {r.lane: r.first for r in found.removals} == {"one": "b", "two": "a"}


def test_opensearch_rounds_its_terms_so_no_root_in_k_is_claimed() -> None:
    found = turning_points(rrf(WORKED, dialect="opensearch"), "x", "y")
    assert found.k == ()
    assert "ten decimals" in found.k_note
    assert "dense" in {tie.knob for tie in found.weights}


def test_a_candidate_that_was_not_fused_is_refused_by_name() -> None:
    with refused("unknown_id", "'ghost'"):
        turning_points(rrf(WORKED), "x", "ghost")
    with refused("contradiction", "'x'"):
        turning_points(rrf(WORKED), "x", "x")


def test_turning_points_survive_json() -> None:
    found = turning_points(rrf(WORKED), "x", "y")
    assert TurningPoints.from_json(found.to_json()) == found
