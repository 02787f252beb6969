import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.kernels.measures import threshold_sweep
from workbench.kernels.selective import (
    SEED,
    Costs,
    auroc,
    bootstrap,
    cheapest,
    risk_band,
    risk_coverage,
    sweep,
    two_thresholds,
)

SCORES = [0.9, 0.8, 0.7, 0.6]
LABELS = [True, False, True, False]
rows = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.9]), st.booleans()), min_size=1, max_size=9)


def test_risk_against_coverage_by_hand() -> None:
    curve = risk_coverage(SCORES, LABELS)
    assert curve.coverage == (0.25, 0.5, 0.75, 1.0)
    assert curve.risk == (0.0, 1 / 2, 1 / 3, 2 / 4)
    assert curve.optimal == (0.0, 0.0, 1 / 3, 2 / 4)
    assert curve.aurc == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert curve.e_aurc == pytest.approx(1 / 8)
    assert curve.augrc == pytest.approx((0 + 1 + 1 + 2) / 16)
    assert curve.random == 0.5


def test_a_perfect_order_has_no_excess_and_the_worst_has_the_most() -> None:
    assert risk_coverage([4, 3, 2, 1], [True, True, False, False]).e_aurc == 0
    worst = risk_coverage([4, 3, 2, 1], [False, False, True, True])
    assert worst.aurc == max(risk_coverage([4, 3, 2, 1], list(p)).aurc for p in itertools.permutations(LABELS))


@given(rows)
@settings(deadline=None)
def test_a_tie_counts_as_the_mean_over_its_orders(given_rows) -> None:
    # each order of the tied queries, told apart by a hair, then averaged
    scores, labels = zip(*given_rows, strict=True)
    if len(scores) > 6:
        return
    found = risk_coverage(scores, labels)
    orders = [
        order
        for order in itertools.permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    areas = [risk_coverage(range(len(order), 0, -1), [labels[i] for i in order]).aurc for order in orders]
    assert found.aurc == pytest.approx(sum(areas) / len(areas))


@given(rows, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_the_queries_changes_nothing(given_rows, random) -> None:
    shuffled = list(given_rows)
    random.shuffle(shuffled)
    for tool in (risk_coverage, auroc, sweep):
        assert tool(*map(list, zip(*given_rows, strict=True))) == tool(*map(list, zip(*shuffled, strict=True)))


@given(rows)
@settings(deadline=None)
def test_auroc_by_counting_pairs(given_rows) -> None:
    good = [s for s, label in given_rows if label]
    rest = [s for s, label in given_rows if not label]
    found = auroc(*map(list, zip(*given_rows, strict=True)))
    if not good or not rest:
        assert found is None
    else:
        assert found == pytest.approx(
            sum((a > b) + 0.5 * (a == b) for a in good for b in rest) / (len(good) * len(rest))
        )


@given(rows, st.lists(st.booleans(), min_size=9, max_size=9))
@settings(deadline=None)
def test_the_sweep_is_the_confusion_at_each_threshold_counted_one_by_one(given_rows, holds) -> None:
    scores, labels = map(list, zip(*given_rows, strict=True))
    hold = holds[: len(scores)]
    found = sweep(scores, labels, floors_hold=hold)
    thresholds = [cells.threshold for cells in found]
    assert thresholds[:-1] == sorted(set(scores))
    assert thresholds[-1] > max(scores)
    assert found == threshold_sweep(scores, labels, thresholds, floors_hold=hold)


@given(rows, st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, 5.0])] * 3))
@settings(deadline=None)
def test_two_thresholds_are_the_cheapest_pair_of_all(given_rows, prices) -> None:
    scores, labels = map(list, zip(*given_rows, strict=True))
    costs = Costs(*prices)
    found = two_thresholds(scores, labels, costs)
    assert found.review_from <= found.answer_from

    def cost(low: float, high: float) -> float:
        wrong = sum(costs.false_answer for s, y in zip(scores, labels, strict=True) if s >= high and not y)
        lost = sum(costs.false_refusal for s, y in zip(scores, labels, strict=True) if s < low and y)
        return wrong + lost + costs.review * sum(1 for s in scores if low <= s < high)

    every = [cells.threshold for cells in sweep(scores, labels)]
    least = min(cost(low, high) for low in every for high in every if low <= high)
    assert found.cost == pytest.approx(least)
    assert cost(found.review_from, found.answer_from) == pytest.approx(least)
    outcomes = (found.answered_right, found.answered_wrong, found.reviewed, found.refused_right, found.refused_wrong)
    assert sum(outcomes) == len(scores)


def test_a_dearer_mistake_moves_the_cheapest_threshold() -> None:
    cells = sweep(SCORES, LABELS)
    assert cheapest(cells, Costs(false_answer=1, false_refusal=5)).threshold == 0.7
    assert cheapest(cells, Costs(false_answer=5, false_refusal=1)).threshold == 0.9
    assert cheapest(cells, Costs(false_answer=0, false_refusal=1)).threshold == 0.6


def test_the_band_is_the_same_on_every_run_and_says_its_seed() -> None:
    labels = [i % 3 != 0 for i in range(60)]
    scores = [((7 * i) % 60) / 60 for i in range(60)]
    band = bootstrap(lambda s, y: risk_coverage(s, y).aurc, scores, labels, resamples=200)
    assert band == bootstrap(lambda s, y: risk_coverage(s, y).aurc, scores, labels, resamples=200)
    assert band.low < band.value < band.high
    assert (band.seed, band.level, band.resamples) == (SEED, 0.95, 200)
    own = bootstrap(auroc, scores, labels, resamples=50, generator=np.random.default_rng(1))
    assert own.seed is None


def test_the_band_of_a_curve_holds_the_curve() -> None:
    labels = [i % 3 != 0 for i in range(60)]
    scores = [((7 * i) % 60) / 60 for i in range(60)]
    curve = risk_coverage(scores, labels)
    inside = [
        low <= curve.risk[round(coverage * 60) - 1] <= high
        for coverage, low, high in risk_band(scores, labels, points=10, resamples=200)
    ]
    assert sum(inside) >= 9


def test_refusals_name_what_was_given() -> None:
    with refused("nothing_to_search", "at least one query"):
        risk_coverage([], [])
    with refused("shape_mismatch", "2", "1"):
        sweep([0.1, 0.2], [True])
    with refused("not_finite", "scores[1]"):
        auroc([0.1, float("nan")], [True, False])
    with refused("out_of_range", "false_answer"):
        Costs(false_answer=-1)
    with refused("out_of_range", "resamples"):
        bootstrap(auroc, SCORES, LABELS, resamples=3)
    with refused("nothing_to_search", "None on these queries"):
        bootstrap(auroc, SCORES, [True] * 4)
    with refused("nothing_to_search", "cells is empty"):
        cheapest([], Costs())
