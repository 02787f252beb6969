"""Ties as trec_eval has them, and what their order is worth."""

import random
from itertools import pairwise, permutations

import numpy as np
import pytest
import pytrec_eval

from tests.helpers import refused
from workbench.evaluation import tie_span, trec_order
from workbench.evaluation.standard import measured, parsed, rank_scores


def test_trec_order_is_the_order_that_trec_eval_takes() -> None:
    """Two scores that float32 cannot tell apart tie, and ties go to the descending docno: read off its own measure."""
    draw = random.Random(7)
    for _ in range(200):
        ids = [f"d{n}" for n in range(8)]
        pairs = [(id, draw.choice([1.0, 1.0 + 1e-9, 2.0, 2.0 + 1e-8, 3.0])) for id in ids]
        place = {id: rank for rank, id in enumerate(trec_order(pairs), start=1)}
        run = {f"q{id}": dict(pairs) for id in ids}
        judged = {f"q{id}": {id: 1} for id in ids}
        found = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(run)
        assert {id: found[f"q{id}"]["recip_rank"] for id in ids} == {id: 1 / place[id] for id in ids}


def test_rank_scores_keep_an_order_that_own_scores_would_lose() -> None:
    ids = ["a", "b", "c"]  # equal scores, ascending id: ours
    assert trec_order([(id, 1.0) for id in ids]) == ("c", "b", "a")
    assert trec_order(rank_scores(ids).items()) == ("a", "b", "c")


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "P@2", "R@2"])
def test_the_span_over_tie_orders_equals_every_permutation_measured(measure: str) -> None:
    draw = random.Random(measure)
    for _ in range(15):
        scores = sorted((float(draw.choice([1, 2, 3])) for _ in range(6)), reverse=True)
        pairs = [(f"d{n}", score) for n, score in enumerate(scores)]
        judged = {f"d{n}": draw.choice([0, 1, 2]) for n in range(0, 6, 2)} | {"d1": 1}
        orders = [
            [id for id, _ in order] for order in permutations(pairs) if all(a[1] >= b[1] for a, b in pairwise(order))
        ]
        values = [
            v[measure]
            for v in measured(
                {str(i): o for i, o in enumerate(orders)},
                dict.fromkeys(map(str, range(len(orders))), judged),
                parsed([measure]),
            ).values()
        ]
        span = tie_span(pairs, judged, measure)
        assert span.best == max(values)
        assert span.worst == min(values)
        assert span.expected == pytest.approx(np.mean(values), abs=1e-12)
        assert span.given == values[orders.index([id for id, _ in pairs])]


def test_a_span_with_too_many_orders_says_only_what_it_knows() -> None:
    span = tie_span([(f"d{n}", 1.0) for n in range(40)], {f"d{n}": 1 for n in range(20)}, "AP")
    assert span.expected is None
    assert span.orders == 137846528820
    assert span.best == 1.0
    assert span.tied == 40


def test_without_a_tie_all_values_are_one() -> None:
    span = tie_span([("a", 2.0), ("b", 1.0)], {"b": 1}, "RR")
    assert (span.given, span.best, span.worst, span.expected, span.tied, span.orders) == (0.5, 0.5, 0.5, 0.5, 0, 1)
    assert tie_span([("a", 1.0), ("b", 1.0)], {}, "RR").expected is None


def test_rising_scores_and_repeats_are_refused() -> None:
    with refused("contradiction", "best first"):
        tie_span([("a", 1.0), ("b", 2.0)], {"a": 1}, "RR")
    with refused("repeated_id"):
        tie_span([("a", 1.0), ("a", 1.0)], {"a": 1}, "RR")
