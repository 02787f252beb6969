import pytest

from tests.helpers import refused
from workbench import Document, Workbench
from workbench.evaluation import columns, feature_use, floors_hold, leave_relevant_out, risk_coverage, scored, sweep

DOCUMENTS = [
    Document("fees", "The parking fee for visitors is 40 crowns a week."),
    Document("dogs", "Dogs are welcome on the open deck of the ferry."),
    Document("boats", "The ferry leaves the harbour at noon with visitors on the deck."),
]
QUERIES = [
    {"query": "parking fee for visitors", "relevant": {"fees": 2}},
    {"query": "dogs on the ferry deck", "relevant": {"dogs": 2, "boats": 1}},
    {"query": "roast chicken temperature", "relevant": {}},
]


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(DOCUMENTS, signals=["text"])


def test_each_query_is_asked_twice_and_its_relevant_documents_are_kept_from_the_second_run(bench: Workbench) -> None:
    rows = leave_relevant_out(bench, QUERIES)
    assert [(row.query.query, row.answerable, row.left_out) for row in rows] == [
        ("parking fee for visitors", True, ()),
        ("dogs on the ferry deck", True, ()),
        ("parking fee for visitors", False, ("fees",)),
        ("dogs on the ferry deck", False, ("dogs", "boats")),
    ]
    for row in rows:
        documents = {row.trace.passages[id].document_id for id in row.trace.fusion.ids}
        assert documents.isdisjoint(row.left_out)
    assert rows[0].score > rows[2].score


def test_scored_keeps_every_query_and_its_own_label(bench: Workbench) -> None:
    rows = scored(bench, QUERIES)
    assert [row.answerable for row in rows] == [True, True, False]
    assert [row.score for row in rows] == [row.trace.gate.score for row in rows]
    assert all(row.trace.verdict == "retrieved" for row in rows)
    assert {row.trace.verdict for row in scored(bench, QUERIES, retry=True)} <= {"answerable", "insufficient"}


def test_the_sweep_at_the_policys_threshold_counts_what_the_gate_decided(bench: Workbench) -> None:
    rows = leave_relevant_out(bench, QUERIES)
    scores, answerable = columns(rows)
    cells = sweep(scores, answerable, floors_hold=floors_hold(rows))
    threshold = rows[0].gate.threshold
    at = next(c for c in reversed(cells) if c.threshold <= threshold) if min(scores) <= threshold else cells[0]
    above = next((c for c in cells if c.threshold >= threshold), at)
    assert above.tp + above.fp == sum(row.gate.passed for row in rows)
    assert risk_coverage(scores, answerable).n == len(rows)


def test_feature_use_adds_up_to_the_mean_score_and_names_the_idle(bench: Workbench) -> None:
    rows = leave_relevant_out(bench, QUERIES)
    uses = feature_use(rows)
    assert [use.name for use in uses] == ["top_score", "coverage", "margin", "support"]
    total = sum(use.contribution for use in uses)
    assert total == pytest.approx(sum(row.score for row in rows) / len(rows))
    for use in uses:
        assert use.idle == (use.spread < 0.02)
        assert use.spread == use.weight * (use.high - use.low)


def test_refusals(bench: Workbench) -> None:
    with refused("nothing_to_search", "no query has a relevant document"):
        leave_relevant_out(bench, QUERIES[2:])
    with refused("nothing_to_search", "rows is empty"):
        feature_use([])
    with refused("unknown_parameter", "'relevent'"):
        scored(bench, [{"query": "x", "relevent": {}}])
