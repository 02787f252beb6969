"""A what-if is the same stages over the recorded lanes: equal with no change, equal to a fresh run with the change, never a retrieval."""

import copy
import json
import pickle
from dataclasses import replace
from typing import Any

import pytest

from tests.helpers import refused
from tests.pipeline.corpus import DOCUMENTS
from workbench import Config, GatePolicy, Passage, Trace, Workbench
from workbench.corpus.queries import read_queries
from workbench.corpus.reading import read_folder
from workbench.shipped import folder

QUERIES = [q.query for q in read_queries(folder("sample_data") / "queries.jsonl")][::11]
SOME = [d for d in read_folder(folder("sample_data") / "documents") if d.id.startswith("handbook/")]
ANSWERABLE = "How is written notice of the end of the lease sent?"
OFF_TOPIC = "quarterly tax forms"

CONFIGS = {
    "as it comes": Config(),
    "diverse": Config(lambda_mmr=0.6),
    "weighted": Config(weights={"dense": 1.7, "wiki": 0.3}, k=17),  # type: ignore[arg-type]
    "qdrant": Config(dialect="qdrant"),
    "exact ties": Config(ties="exact"),
    "relative score": Config(fusion="relative_score"),
    "dbsf": Config(fusion="dbsf"),
    "strict": Config(gate=GatePolicy.of_preset("strict"), retry_gain=0),
    "rewritten": Config(gate_query="rewritten", retry_gain=0),
    "shallow": Config(depth=8, rerank_head=10, top_k=3),
}


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(DOCUMENTS, generator="extractive")


@pytest.fixture(scope="module")
def sample() -> Workbench:
    return Workbench(SOME)


@pytest.mark.parametrize("name", CONFIGS)
def test_law_2_what_if_with_no_change_equals_the_trace(name: str) -> None:
    bench = Workbench(SOME, generator="extractive", config=CONFIGS[name])
    for query in QUERIES[:3]:
        for trace in (bench.ask(query), bench.retrieve(query), bench.ask(query, phrasings=["and another wording"])):
            assert trace.what_if() == trace
            assert trace.what_if().fingerprint() == trace.fingerprint()
            read = Trace.from_json(json.dumps(trace.to_json()))
            assert read.what_if() == trace


@pytest.mark.parametrize("reranker", [None, "feature"])
@pytest.mark.parametrize(
    "changes",
    [
        {"k": 1},
        {"weights": {"dense": 3}},
        {"dialect": "qdrant"},
        {"dialect": "weaviate"},
        {"fusion": "relative_score"},
        {"fusion": "dbsf"},
        {"ties": "exact"},
        {"lambda_mmr": 0.4},
        {"top_k": 2},
        {"rerank_head": 6},
        {"rerank_head": 90, "top_k": 20, "lambda_mmr": 0.7},
        {"gate": "strict"},
        {"gate": GatePolicy(threshold=0.3)},
        {"gate_query": "rewritten"},
        {"answer_floor": 0.9},
        {"sentence_floor": 0.9},
    ],
    ids=str,
)
def test_a_changed_setting_gives_what_a_fresh_run_gives(changes: dict[str, Any], reranker: str | None) -> None:
    gate = GatePolicy.of_preset(changes["gate"]) if isinstance(changes.get("gate"), str) else changes.get("gate")
    fresh = Config(max_retries=0).but(**{**changes, **({"gate": gate} if gate else {})})
    before = Workbench(SOME, reranker=reranker, generator="extractive", config=Config(max_retries=0))
    after = Workbench(SOME, reranker=reranker, generator="extractive", config=fresh)
    for query in QUERIES[:4]:
        assert before.ask(query).what_if(**changes) == after.ask(query)


def test_the_feature_rerankers_own_settings_are_worked_out_anew() -> None:
    changes = {"rerank_weights": (0.1, 0.2, 0.7), "phrase": "substring"}
    before, after = Workbench(SOME), Workbench(SOME, config=Config().but(**changes))
    for query in QUERIES[:4]:
        assert before.retrieve(query).what_if(**changes) == after.retrieve(query)


def test_what_if_never_retrieves_again() -> None:
    calls: list[str] = []

    def mine(query: str, depth: int) -> list[str]:
        calls.append(query)
        return ["lease.md#c0", "heating.md#c0"]

    bench = Workbench(DOCUMENTS, lanes={"mine": mine}, generator="extractive")
    trace = bench.ask(ANSWERABLE)
    asked = len(calls)
    for changes in (
        {},
        {"k": 1},
        {"lambda_mmr": 0.3},
        {"without": ["dense"]},
        {"dialect": "haystack"},
        {"top_k": 1},
        {"gate": "strict"},
    ):
        trace.what_if(**changes)
    assert len(calls) == asked


def test_a_lane_left_out_is_off_and_says_why(bench: Workbench) -> None:
    trace = bench.retrieve(ANSWERABLE)
    changed = trace.what_if(without=["dense"])
    dense = changed.attempt.lane("dense")
    assert (dense.status, dense.hits) == ("off", ())
    assert "left out" in dense.reason
    assert changed.fusion.lanes == ("lexical", "structure", "graph", "wiki")
    without = Workbench(DOCUMENTS, signals=["text", "structure", "graph", "wiki"]).retrieve(ANSWERABLE)
    assert changed.order == without.order
    assert changed.what_if() == changed


def test_a_lane_is_left_out_with_its_phrasings(bench: Workbench) -> None:
    trace = bench.retrieve(ANSWERABLE, phrasings=["ending a tenancy"])
    assert "dense (2)" in trace.fusion.lanes
    left = trace.what_if(without=["dense"]).fusion.lanes
    assert not [lane for lane in left if lane.startswith("dense")]
    assert "dense" in trace.what_if(without=["dense (2)"]).fusion.lanes


def test_what_nothing_reads_is_refused_with_a_suggestion(bench: Workbench) -> None:
    trace = bench.retrieve(ANSWERABLE)
    with refused("unknown_parameter", "'lambda'", "did you mean 'lambda_mmr'"):
        trace.what_if(**{"lambda": 0.5})
    with refused("unknown_parameter", "'depth'", "never asks them again"):
        trace.what_if(depth=3)
    with refused("unknown_id", "'dens'", "did you mean 'dense'"):
        trace.what_if(without=["dens"])
    with refused("no_lanes", "lexical"):
        trace.what_if(without=[lane.name for lane in trace.lanes])
    with refused("wrong_type", "'dense'"):
        trace.what_if(without="dense")
    with refused("unknown_preset", "'strct'"):
        trace.what_if(gate="strct")
    with refused("unknown_parameter", "identity"):
        Workbench(DOCUMENTS, reranker=None).retrieve(ANSWERABLE).what_if(phrase="substring")
    with refused("parameter_of_another_fusion"):
        trace.what_if(fusion="dbsf", weights={"dense": 2})


# ---------------------------------------------------------------- what only a model could tell


class Backwards:
    """A reranker of the caller's that can be counted."""

    name = "backwards"

    def __init__(self) -> None:
        self.calls = 0

    def rerank(self, query: str, candidates: Any) -> list[tuple[str, float]]:
        self.calls += 1
        return [(c.id, float(len(c.text))) for c in candidates]


def test_a_rerankers_recorded_scores_are_reused_and_it_is_not_asked() -> None:
    reranker = Backwards()
    trace = Workbench(DOCUMENTS, reranker=reranker).retrieve(ANSWERABLE)
    calls = reranker.calls
    changed = trace.what_if(k=1, top_k=2)
    assert reranker.calls == calls
    assert changed.reranking.scores == trace.reranking.scores
    assert changed.reranking.name == "backwards"
    assert len(changed.evidence) == 2


def test_a_candidate_that_the_reranker_never_scored_is_refused_by_name() -> None:
    trace = Workbench(DOCUMENTS, reranker=Backwards(), config=Config(rerank_head=2, top_k=1)).retrieve(ANSWERABLE)
    behind = trace.fusion.ids[2]
    with refused("not_recorded", behind, "backwards"):
        trace.what_if(rerank_head=3)


def test_similarities_that_were_not_recorded_are_asked_of_the_workbench_or_refused(sample: Workbench) -> None:
    trace = sample.retrieve(QUERIES[0])
    read = Trace.from_json(trace.to_json())
    assert trace.what_if(lambda_mmr=0.5).diversification is not None
    with refused("not_recorded", "similarities", trace.order[0].split("#")[0]):
        read.what_if(lambda_mmr=0.5)


def test_recorded_similarities_serve_a_smaller_head_and_another_lambda() -> None:
    trace = Workbench(SOME, config=Config(lambda_mmr=0.6)).retrieve(QUERIES[0])
    read = Trace.from_json(trace.to_json())
    for changes in ({"lambda_mmr": 0.2}, {"rerank_head": 10}, {"rerank_head": 30, "lambda_mmr": 0.9}):
        assert read.what_if(**changes) == trace.what_if(**changes)


def test_without_vectors_shared_terms_are_compared_and_a_file_will_do() -> None:
    trace = Workbench(DOCUMENTS, embedder=None).retrieve(ANSWERABLE)
    changed = Trace.from_json(trace.to_json()).what_if(lambda_mmr=0.5)
    assert changed.diversification is not None
    assert "Jaccard" in changed.diversification.similarity_of


# ---------------------------------------------------------------- answers and retries


def test_the_answer_stays_while_its_evidence_stays(bench: Workbench) -> None:
    asked: list[str] = []

    def generator(query: str, passages: Any) -> str:
        asked.append(query)
        return "Either party may end this lease by giving ninety days written notice."

    trace = Workbench(DOCUMENTS, generator=generator).ask(ANSWERABLE)
    assert trace.answer is not None
    changed = trace.what_if(gate="lenient")
    assert (changed.answer, changed.grounding, changed.degraded) == (trace.answer, trace.grounding, trace.degraded)
    assert len(asked) == 1


def test_an_answer_from_other_evidence_is_held_against_the_new_one_and_said_to_be() -> None:
    bench = Workbench(
        DOCUMENTS,
        generator=lambda query, passages: "Either party may end this lease by giving ninety days written notice.",
    )
    trace = bench.ask(ANSWERABLE)
    changed = trace.what_if(top_k=1, gate=GatePolicy(threshold=0))
    assert changed.answer == trace.answer
    assert changed.grounding is not None
    used = {window.passage_id for sentence in changed.grounding.sentences for window in sentence.windows}
    assert used <= {p.id for p in changed.evidence}
    assert [line for line in changed.degraded if "other evidence" in line]
    assert changed.what_if() == changed


def test_the_extractive_generator_answers_anew() -> None:
    before, after = (Workbench(SOME, generator="extractive", config=Config(top_k=k)) for k in (5, 1))
    for query in QUERIES[:5]:
        if len(before.ask(query).attempts) == 1 and len(after.ask(query).attempts) == 1:
            assert before.ask(query).what_if(top_k=1) == after.ask(query)


def test_a_judge_of_the_callers_is_not_asked_so_the_verdict_needs_review() -> None:
    bench = Workbench(DOCUMENTS, generator="extractive", judge=lambda answer, texts: 0.9)
    trace = bench.ask(ANSWERABLE)
    assert trace.verdict == "answerable"
    changed = trace.what_if(top_k=1, gate=GatePolicy(threshold=0))
    assert (changed.judged, changed.verdict) == (None, "needs_review")
    assert [line for line in changed.degraded if line.startswith("judge:")]
    assert trace.what_if(gate="lenient").verdict == "answerable"


def test_a_gate_that_now_says_no_leaves_no_answer(bench: Workbench) -> None:
    trace = bench.ask(ANSWERABLE)
    assert trace.verdict == "answerable"
    changed = trace.what_if(gate=GatePolicy(threshold=1.0))
    assert (changed.verdict, changed.answer) == ("insufficient", None)
    assert "did not record" in changed.attempts[-1].stopped  # a retry would have been asked


def test_a_gate_that_now_passes_ends_the_retries(bench: Workbench) -> None:
    trace = Workbench(DOCUMENTS, generator="extractive", config=Config(retry_gain=0)).ask(OFF_TOPIC)
    assert len(trace.attempts) > 1
    changed = trace.what_if(gate=GatePolicy(threshold=0, min_top_score=0, min_coverage=0))
    assert (len(changed.attempts), changed.verdict) == (1, "answerable")
    assert changed.attempt.stopped == "the gate passed"


# ---------------------------------------------------------------- what stands behind a Trace


def test_the_workbench_behind_a_trace_takes_no_part_in_equality_json_pickles_or_the_fingerprint(
    bench: Workbench,
) -> None:
    trace = bench.ask(ANSWERABLE)
    for other in (
        Trace.from_json(trace.to_json()),
        pickle.loads(pickle.dumps(trace)),
        copy.deepcopy(trace),
        replace(trace),
    ):
        assert other == trace
        assert other.fingerprint() == trace.fingerprint()
        assert getattr(other, "_source", None) is None
    assert getattr(trace.what_if(k=3), "_source", None) is not None


def test_a_trace_asks_its_own_corpus_after_the_workbench_has_changed() -> None:
    bench = Workbench(DOCUMENTS)
    trace = bench.retrieve(ANSWERABLE)
    bench.delete("lease.md")
    assert trace.what_if(lambda_mmr=0.5).diversification is not None
    assert trace.why_not("lease.md").reason == "here"


def test_a_payload_that_lanes_bring_stays_theirs() -> None:
    mine = [(Passage("x", "d", "notice from mine", 0), 0.9)]
    trace = Workbench(DOCUMENTS, lanes={"mine": mine}).retrieve(ANSWERABLE, 50)
    assert trace.what_if(k=2).passages["x"].text == "notice from mine"
