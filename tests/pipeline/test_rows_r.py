"""Rows R of SYSTEMS.md: the sufficiency-gated pipeline."""

import json
import math

import pytest

from tests.helpers import refused
from tests.pipeline.corpus import DOCUMENTS
from workbench import Config, Document, GatePolicy, Trace, Workbench

ANSWERABLE = "How is written notice of the end of the lease sent?"
OFF_TOPIC = "quarterly tax forms for violin makers"


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(DOCUMENTS, generator="extractive")


def test_R1_passage_ids_number_the_chunks_of_a_document(bench: Workbench) -> None:
    assert [p.id for p in bench.passages if p.document_id == "lease.md"][:2] == ["lease.md#c0", "lease.md#c1"]
    assert [p.id for p in Workbench(DOCUMENTS).passages] == [p.id for p in bench.passages]


def test_R2_lanes_fuse_by_weighted_rrf_and_the_run_says_modes_hits_times_and_terms(bench: Workbench) -> None:
    trace = Workbench(DOCUMENTS, config=Config(weights={"lexical": 0.7})).retrieve("failed heating report")  # type: ignore[arg-type]
    for id in trace.fusion.ids:
        for row in trace.fusion.of(id):
            weight = 0.7 if row.lane == "lexical" else 1.0
            assert row.contribution == (None if row.rank is None else weight / (60 + row.rank))
    assert bench.config.depth == 100
    assert all(lane.milliseconds is not None and lane.milliseconds >= 0 for lane in trace.lanes)
    assert [t["term"] for t in trace.attempt.lane("lexical").about["terms"]] == ["fail", "heat", "report"]
    assert trace.timings["total"] > 0


def test_R3_without_an_embedder_bm25_goes_on_and_the_reason_is_recorded_once() -> None:
    trace = Workbench(DOCUMENTS, signals=["text", "embedding"], embedder=None).ask(OFF_TOPIC)
    assert trace.fusion.lanes == ("lexical",)
    assert len(trace.degraded) == 1
    assert "no embedder" in trace.degraded[0]


def test_R4_each_feature_of_the_reranker_is_kept_on_the_candidate(bench: Workbench) -> None:
    trace = bench.retrieve("written notice")
    for id, score in zip(trace.reranking.ids, trace.reranking.scores, strict=True):
        features = trace.reranking.of(id)
        assert [f.name for f in features] == ["fused", "coverage", "phrase"]
        total = 0.0
        for feature in features:
            assert feature.contribution is not None
            total = total + feature.contribution
        assert total == score


def test_R7_a_threshold_set_by_hand_is_honoured(bench: Workbench) -> None:
    policy = GatePolicy(threshold=0.30)
    assert policy.preset == "balanced, threshold set to 0.3"
    gate = Workbench(DOCUMENTS, config=Config(gate=policy)).retrieve(OFF_TOPIC).gate
    assert gate is not None
    assert gate.threshold == 0.30
    assert GatePolicy.of_preset("strict", threshold=0.2).threshold == 0.2


def test_R8_a_no_is_asked_again_with_terms_from_the_top_passages(bench: Workbench) -> None:
    trace = bench.ask(OFF_TOPIC)
    assert trace.verdict == "insufficient"
    assert len(trace.attempts) > 1
    second = trace.attempts[1]
    assert second.rewrite is not None
    assert 1 <= len(second.rewrite.terms) <= 5
    assert second.query == second.rewrite.query
    assert second.query.startswith(OFF_TOPIC)
    for term in second.rewrite.terms:
        assert set(term.passages) <= set(trace.attempts[0].evidence[:3])


def test_R8_at_most_two_retries() -> None:
    trace = Workbench(DOCUMENTS, config=Config(retry_gain=0)).ask(OFF_TOPIC)
    assert len(trace.attempts) <= 3
    assert Workbench(DOCUMENTS, config=Config(max_retries=0)).ask(OFF_TOPIC).attempts[0].stopped == "retries are off"


def test_R8_retry_stops_when_the_score_does_not_improve() -> None:
    trace = Workbench(DOCUMENTS, config=Config(retry_gain=0.5, max_retries=5)).ask(OFF_TOPIC)
    assert len(trace.attempts) == 2
    assert trace.attempts[-1].stopped == "the gate's score did not rise by 0.5"


def test_R8_retry_stops_when_nothing_new_can_be_added() -> None:
    bench = Workbench([Document("a", "ox")], signals=["text"])
    trace = bench.ask("ox and violin makers abroad")
    assert trace.attempts[-1].stopped == "feedback found no new term"


def test_R8_a_pass_ends_the_attempts(bench: Workbench) -> None:
    trace = bench.ask(ANSWERABLE)
    assert [a.stopped for a in trace.attempts] == ["the gate passed"]


def test_R8_coverage_is_measured_on_the_question_as_asked(bench: Workbench) -> None:
    asked = bench.ask(OFF_TOPIC)
    assert {a.gate.query for a in asked.attempts if a.gate} == {OFF_TOPIC}
    rewritten = Workbench(DOCUMENTS, config=Config(gate_query="rewritten", retry_gain=0)).ask(OFF_TOPIC)
    assert [a.gate.query for a in rewritten.attempts if a.gate] == [a.query for a in rewritten.attempts]
    first, last = rewritten.attempts[0].gate, rewritten.attempts[-1].gate
    assert first is not None
    assert last is not None
    # the words borrowed from the evidence are found in it: that is the fault which "asked" mends
    assert last.feature("coverage").value > first.feature("coverage").value


def test_R8_a_passing_attempt_is_reported_before_any_other() -> None:
    from workbench.after_lanes import best_of

    trace = Workbench(DOCUMENTS, config=Config(retry_gain=0)).ask(OFF_TOPIC)
    failing = trace.attempts[0]
    assert failing.gate is not None
    from dataclasses import replace

    passing = replace(failing, gate=replace(failing.gate, passed=True, score=failing.gate.score - 0.1))
    assert best_of((failing, passing)) == 1
    assert best_of((failing, failing)) == 0


def test_R9_insufficient_evidence_generates_no_answer() -> None:
    asked: list[str] = []

    def generator(query: str, passages: object) -> str:
        asked.append(query)
        return "made up"

    trace = Workbench(DOCUMENTS, generator=generator).ask(OFF_TOPIC)
    assert (trace.verdict, trace.answer, asked) == ("insufficient", None, [])


def test_R9_an_answer_that_stands_poorly_on_its_evidence_needs_review() -> None:
    trace = Workbench(
        DOCUMENTS, generator=lambda query, passages: "Violins are tuned in fifths by qualified luthiers."
    ).ask(ANSWERABLE)
    assert trace.verdict == "needs_review"
    assert trace.judged is not None
    assert trace.judged < 0.35


def test_R9_an_override_answers_anyway_and_says_so(bench: Workbench) -> None:
    trace = bench.ask(OFF_TOPIC, gate_override=True)
    assert trace.override
    assert trace.gate is not None
    assert not trace.gate.passed
    assert trace.answer is not None
    assert not bench.ask(ANSWERABLE, gate_override=True).override


def test_R10_the_judge_can_be_token_overlap_f1() -> None:
    trace = Workbench(DOCUMENTS, generator="extractive", judge="f1").ask(ANSWERABLE)
    assert trace.grounding is not None
    assert (trace.judge, trace.grounding.method, trace.grounding.floor) == ("f1", "f1", 0.35)
    assert trace.judged == trace.grounding.score


def test_R11_a_model_judge_is_any_callable_clamped_to_0_and_1() -> None:
    def judge(value: object):  # type: ignore[no-untyped-def]
        return Workbench(DOCUMENTS, generator="extractive", judge=lambda answer, evidence: value).ask(ANSWERABLE)

    assert judge(7).judged == 1.0
    assert (judge(-3).judged, judge(-3).verdict) == (0.0, "needs_review")
    with refused("not_finite", "nan"):
        judge(math.nan)
    with refused("model_failed", "'very'"):
        judge("very")
    with refused("model_failed", "None"):
        judge(None)


def test_R12_evaluate_reports_hit_rate_reciprocal_rank_and_the_gate(bench: Workbench) -> None:
    report = bench.evaluate(
        [
            {"query": ANSWERABLE, "relevant": {"lease.md": 2}, "answerable": True},
            {"query": "When are radiators bled?", "relevant": ["heating.md"], "answerable": True},
            {"query": OFF_TOPIC, "answerable": False},
        ],
        progress=False,
    )
    seed = report.r12
    assert seed is not None
    assert (seed.n, seed.judged) == (3, 2)
    assert seed.hit_rate["1"] == 1.0
    assert seed.mean_reciprocal_rank == 1.0
    assert seed.gate.fp == 0
    assert seed.gate.tn == 1
    assert [row.query for row in seed.outcomes] == [ANSWERABLE, "When are radiators bled?", OFF_TOPIC]
    assert seed.mean_reciprocal_rank == report.mean("RR")  # by ir-measures: the same one number
    (failed,) = bench.evaluate([{"query": "x", "relevent": []}], progress=False).failures
    assert failed.failure is not None
    assert failed.failure.code == "unknown_parameter"
    assert "did you mean 'relevant'" in failed.failure.message


def test_R14_everything_turns_into_plain_json_and_back(bench: Workbench) -> None:
    for query in (ANSWERABLE, OFF_TOPIC):
        trace = bench.ask(query)
        written = json.dumps(trace.to_json(), allow_nan=False)
        read = Trace.from_json(written)
        assert read == trace
        assert read.fingerprint() == trace.fingerprint()
        assert read.to_json() == trace.to_json()


def test_R14_the_trace_says_what_ran(bench: Workbench) -> None:
    trace = bench.ask(ANSWERABLE)
    assert (trace.reranking.name, trace.judge, trace.generator) == ("feature", "alignment", "extractive")
    assert trace.chunk_count == len(bench.passages)
    assert {"workbench", "analyzer", "splitter", "embedder"} == set(trace.versions)
    assert set(trace.attempt.milliseconds) == {"lanes", "fusion", "reranking", "diversity", "gate"}


def test_shuffling_the_documents_never_changes_a_ranking() -> None:
    documents = [Document(f"d{n:02}", "The caretaker reads the meter each month.") for n in range(40)]
    one = Workbench(documents, signals=["text"]).retrieve("caretaker reads meter").fusion.ids
    other = Workbench(documents[::-1], signals=["text"]).retrieve("caretaker reads meter").fusion.ids
    assert one == other == tuple(sorted(one))


def test_a_schema_of_another_version_is_refused(bench: Workbench) -> None:
    data = bench.retrieve("written notice").to_json()
    with refused("unknown_schema", "99"):
        Trace.from_json({**data, "schema": 99})
    with refused("unknown_schema", "surprise"):
        Trace.from_json({**data, "surprise": 1})
    with refused("unknown_schema"):
        Trace.from_json("{")
