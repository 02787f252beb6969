import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.kernels.measures import (
    Confusion,
    Outcome,
    aggregate,
    confusion,
    hit_rate_at,
    precision_at,
    recall_at,
    reciprocal_rank,
    threshold_sweep,
)

SEED = json.loads((Path(__file__).parents[1] / "conformance" / "rerankgate.json").read_text(encoding="utf-8"))[
    "metrics"
]
DOCUMENTS = {"d1#c0": "d1", "d3#c0": "d3", "d5#c0": "d5", "d2#c1": "d2", "d7#c0": "d7", "d8#c0": "d8"}


@pytest.mark.parametrize("case", SEED)
def test_R12_the_report_equals_the_seed(case: dict) -> None:
    rows = [
        Outcome(query, tuple(relevant), answerable, tuple(result["retrieved_ids"]), result["verdict"])
        for (query, relevant, answerable), result in zip(case["items"], case["results"], strict=True)
    ]
    report, expect = aggregate(rows, documents=DOCUMENTS), case["expect"]
    assert report.n == expect["n"]
    assert {k: round(v, 4) for k, v in report.hit_rate.items()} == expect["recall_at_k"]
    assert report.mean_reciprocal_rank == pytest.approx(expect["mrr"], abs=5e-5)
    assert report.gate.precision == pytest.approx(expect["gate_precision"], abs=5e-5)
    assert report.gate.recall == pytest.approx(expect["gate_recall"], abs=5e-5)
    assert (report.abstention_rate, report.answerable_rate) == (expect["abstention_rate"], expect["answerable_rate"])
    assert [
        {
            "query": row.query,
            "verdict": row.verdict,
            "expected_answerable": row.answerable,
            "retrieved_ids": list(row.retrieved),
        }
        for row in report.outcomes
    ] == expect["per_query"]


def test_E1_hit_rate_recall_and_precision_are_three_numbers() -> None:
    run, relevant = ["a", "x", "b"], ["a", "b", "c", "d"]
    assert hit_rate_at(3, run, relevant) == 1.0
    assert recall_at(3, run, relevant) == 0.5
    assert precision_at(3, run, relevant) == pytest.approx(0.6667, abs=5e-5)
    assert reciprocal_rank(run, relevant) == 1.0


def test_R12_a_passages_document_is_recorded_never_cut_from_its_id() -> None:
    # page#contact is a document of its own; nothing says that it belongs to "page"
    assert hit_rate_at(1, ["page#contact"], ["page"]) == 0.0
    assert hit_rate_at(1, ["page#contact"], ["page"], documents={"page#contact": "page#contact"}) == 0.0
    assert hit_rate_at(1, ["x7"], ["page"], documents={"x7": "page"}) == 1.0


def test_a_relevant_document_counts_once_in_recall_however_many_passages_came() -> None:
    documents = {"a#1": "a", "a#2": "a", "b#1": "b"}
    assert recall_at(2, ["a#1", "a#2", "b#1"], ["a", "b"], documents=documents) == 0.5
    assert precision_at(2, ["a#1", "a#2", "b#1"], ["a", "b"], documents=documents) == 1.0


def test_undefined_is_none_and_never_zero() -> None:
    nothing_passed = confusion([False, False], [True, False])
    assert nothing_passed.precision is None
    assert nothing_passed.recall == 0.0
    assert confusion([True], [False]).recall is None
    assert confusion([True], [True]).specificity is None
    assert confusion([True, False, False], [False, False, True]).specificity == 0.5
    assert hit_rate_at(3, ["a"], []) is recall_at(3, ["a"], []) is precision_at(3, ["a"], []) is None
    report = aggregate([Outcome("q", (), False, ("a",), "insufficient")])
    assert report.mean_reciprocal_rank is None
    assert report.hit_rate["1"] is None
    assert report.abstention_rate == 1.0


def test_nothing_relevant_among_the_retrieved_is_zero_not_none() -> None:
    assert reciprocal_rank(["x", "y"], ["a"]) == 0.0
    assert reciprocal_rank([], ["a"]) == 0.0
    assert hit_rate_at(5, [], ["a"]) == 0.0


def test_an_answer_that_needs_review_did_not_pass_the_gate() -> None:
    report = aggregate([Outcome("q", ("a",), True, ("a",), "needs_review")])
    assert (report.gate.tp, report.gate.fn) == (0, 1)
    assert (report.answerable_rate, report.abstention_rate) == (0.0, 0.0)


def test_threshold_sweep_counts_the_four_cells_at_each_threshold() -> None:
    scores, answerable = [0.9, 0.6, 0.5, 0.2], [True, False, True, False]
    assert threshold_sweep(scores, answerable, [0.5, 0.55, 1.0]) == (
        Confusion(tp=2, fp=1, fn=0, tn=1, threshold=0.5),
        Confusion(tp=1, fp=1, fn=1, tn=1, threshold=0.55),
        Confusion(tp=0, fp=0, fn=2, tn=2, threshold=1.0),
    )


def test_no_threshold_lets_a_query_with_a_broken_floor_pass() -> None:
    (at,) = threshold_sweep([0.9, 0.9], [True, True], [0.1], floors_hold=[True, False])
    assert (at.tp, at.fn) == (1, 1)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1), st.lists(st.floats(0, 1), min_size=2))
@settings(deadline=None)
def test_a_higher_threshold_never_lets_more_pass(rows: list, thresholds: list) -> None:
    ordered = sorted(thresholds)
    sweep = threshold_sweep([s for s, _ in rows], [a for _, a in rows], ordered)
    passed = [each.tp + each.fp for each in sweep]
    assert passed == sorted(passed, reverse=True)
    assert all(each.tp + each.fp + each.fn + each.tn == len(rows) for each in sweep)


def test_refusals_name_what_was_given() -> None:
    with refused("not_finite", "scores[1]", "nan"):
        threshold_sweep([0.1, float("nan")], [True, False], [0.5])
    with refused("shape_mismatch", "answerable", "scores"):
        threshold_sweep([0.1], [True, False], [0.5])
    with refused("shape_mismatch", "floors_hold"):
        threshold_sweep([0.1], [True], [0.5], floors_hold=[])
    with refused("out_of_range", "k is 0"):
        hit_rate_at(0, ["a"], ["a"])
    with refused("repeated_id", "'a'"):
        recall_at(3, ["a", "a"], ["a"])
    with refused("out_of_range", "'maybe'"):
        Outcome("q", (), True, (), "maybe")
    with refused("nothing_to_search", "outcomes"):
        aggregate([])
    with refused("contradiction", "'retrieved'"):
        aggregate([Outcome("q", ("a",), True, ("a",), "retrieved")])
