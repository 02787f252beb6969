"""Comparisons: the differences make the gap, the words say what decided, the swaps come true."""

import json
import re

import pytest

from tests.explain.asking import check_law_3
from tests.helpers import refused
from workbench import Config, Document, Passage, Workbench
from workbench.corpus.queries import read_queries
from workbench.explain.compare import Comparison, compare
from workbench.explore.turning_points import turning_points
from workbench.shipped import folder
from workbench.trace import Trace

QUERIES = [q.query for q in read_queries(folder("sample_data") / "queries.jsonl")][::14]
CHANGES = [
    {},
    {"lambda_mmr": 0.5},
    {"dialect": "qdrant"},
    {"fusion": "relative_score"},
    {"fusion": "dbsf"},
    {"weights": {"dense": 1.7, "wiki": 0.4}, "k": 9},
]


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    bench = Workbench.sample()
    recorded = [bench.retrieve(query) for query in QUERIES[:3]]
    return [trace.what_if(**changes) for changes in CHANGES for trace in recorded]


def worked(lanes: dict[str, list[str]], **config: object) -> Trace:
    given = {name: [Passage(id, id, f"text of {id}", 0) for id in ids] for name, ids in lanes.items()}
    return Workbench(
        [Document("none", "")], signals=["text"], reranker=None, lanes=given, config=Config(**config)  # type: ignore[arg-type]
    ).retrieve("anything")  # fmt: skip


def test_the_worked_example_in_words() -> None:
    answer = worked({"words": ["x", "y"], "vectors": ["y", "z"], "names": ["x"]}).compare("y", "x")
    assert (answer.first, answer.second, answer.decided, answer.deciding) == ("x", "y", "score", "names")
    assert answer.sentence == (
        "x is above y after fusion, 0.03279 against 0.03252: 0.0002644 ahead; names (1/(60+1) against not returned) makes "
        "most of the gap. What would put y ahead there: a vectors weight above 1.016, a names weight below 0.9839, y 1 place "
        "up in words or leaving names out; no k does."
    )


def test_what_is_absent_stays_absent() -> None:
    answer = worked({"words": ["x", "y"], "vectors": ["y", "z"], "names": ["x"]}).compare("x", "y")
    row = next(row for row in answer.lanes if row.lane == "vectors")
    assert (row.first_rank, row.first_score, row.first, row.second_rank) == (None, None, None, 1)
    assert row.difference == -1 / 61
    assert "not returned" in answer.sentence or "–" in repr(answer)


def test_an_exact_tie_is_told_by_its_rule_and_rounding_by_its_name() -> None:
    tied = worked({"one": ["a", "b"], "two": ["b", "a"]}).compare("b", "a")
    assert (tied.first, tied.decided, tied.deciding, tied.turning.always_tied) == ("a", "id", None, True)
    assert "tie exactly, and the ascending id decides" in tied.sentence
    lanes = {  # ranks 1, 2, 7 and 7, 1, 2: an exact tie that a fold of doubles splits
        "one": ["a", "q1", "q2", "q3", "q4", "q5", "b"],
        "two": ["b", "a", "r1", "r2", "r3", "r4", "r5"],
        "three": ["s1", "b", "s2", "s3", "s4", "s5", "a"],
    }
    trace = worked(lanes)
    split = trace.compare("a", "b")
    expected = "id" if split.first_score == split.second_score else "rounding"
    assert (split.decided, split.turning.exact_lead) == (expected, 0)


def test_the_differences_make_the_gap(traces: list[Trace]) -> None:
    for trace in traces:
        for a, b in zip(trace.fusion.ids[:3], trace.fusion.ids[4:7], strict=True):
            answer = trace.compare(b, a)
            total = 0.0
            for row in answer.lanes:
                total += row.difference
            assert total == pytest.approx(answer.difference, rel=1e-6, abs=1e-9)
            assert answer.difference == float(trace.fusion.scores[trace.fusion.row(a)]) - float(
                trace.fusion.scores[trace.fusion.row(b)]
            )


def test_law_3_holds_for_comparisons_and_for_the_winners_standing(traces: list[Trace]) -> None:
    seen = 0
    for trace in traces:
        ids = trace.fusion.ids
        for a, b in ((ids[0], ids[1]), (ids[1], ids[6]), (ids[0], ids[-1])):
            answer = trace.compare(a, b)
            seen += check_law_3(trace, answer)
            assert Comparison.from_json(json.loads(json.dumps(answer.to_json()))) == answer
            assert "<table" in answer._repr_html_()
        grid = {"ks": [60], "weights": [1]} if trace.fusion.method == "rrf" else {}
        seen += check_law_3(trace, trace.stability(**grid))
    assert seen > 100


def test_a_weight_or_a_k_that_the_sentence_names_comes_true(traces: list[Trace]) -> None:
    tried = 0
    for trace in traces:
        if trace.fusion.method != "rrf":
            continue
        answer = trace.compare(*trace.fusion.ids[:2])
        for tie in answer.turning.weights:
            for value, first in ((tie.below, tie.first_below), (tie.above, tie.first_above)):
                if value is None:
                    continue
                made = trace.what_if(weights={**trace.config.weights, tie.knob: value}).fusion
                assert (made.row(answer.first) < made.row(answer.second)) == (first == answer.first)
                tried += 1
        for tie in answer.turning.k:
            assert tie.above is not None
            made = trace.what_if(k=tie.above).fusion
            assert (made.row(answer.first) < made.row(answer.second)) == (tie.first_above == answer.first)
            tried += 1
    assert tried > 10


def test_what_follows_fusion_is_told_apart(traces: list[Trace]) -> None:
    trace = traces[0]
    pairs = [(a, b) for a in trace.order[:5] for b in trace.order[:5] if trace.fusion.row(a) < trace.fusion.row(b)]
    turned = [(a, b) for a, b in pairs if trace.order.index(a) > trace.order.index(b)]
    for a, b in turned:
        answer = trace.compare(a, b)
        assert (answer.first_rank or 0) > (answer.second_rank or 0)
        assert re.search(r"After feature reranking .* is \w+ and .* \w+\.", answer.sentence)
        assert answer.features
    assert turned


def test_a_comparison_needs_two_fused_candidates(traces: list[Trace]) -> None:
    trace = traces[0]
    with refused("unknown_id", "'ghost'"):
        trace.compare(trace.order[0], "ghost")
    with refused("contradiction"):
        trace.compare(trace.order[0], trace.order[0])


def test_a_comparison_can_be_read_off_a_run_from_a_file(traces: list[Trace]) -> None:
    read = Trace.from_json(traces[0].to_json())
    a, b = traces[0].fusion.ids[:2]
    assert compare(read, turning_points(read, a, b)) == traces[0].compare(a, b)
