"""One test for each reason why a passage is not here, on the sample documents; and what brings it in."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.explain.asking import check_law_3
from tests.helpers import refused
from tests.pipeline.corpus import DOCUMENTS
from workbench import Config, Filter, Trace, Workbench
from workbench.explain.why_not import REASONS, WhyNot
from workbench.records.probing import Probe

QUERY = "how much notice to end the lease"


@cache
def bench(**config: Any) -> Workbench:
    return Workbench.sample(config=Config(**config))


@cache
def shallow() -> Trace:
    return bench(depth=10, rerank_head=10).retrieve(QUERY)


def sound(trace: Trace, answer: WhyNot) -> WhyNot:
    """Law 3, JSON both ways, and both displays; and the reason is one of those there are."""
    check_law_3(trace, answer)
    assert answer.reason in REASONS
    assert WhyNot.from_json(json.loads(json.dumps(answer.to_json()))) == answer
    assert answer.sentence in repr(answer)
    assert answer._repr_html_().startswith("<div")
    return answer


def far_away(trace: Trace) -> str:
    """A passage that no lane returned and that dense alone can rank."""
    for passage in bench(depth=10, rerank_head=10).passages:
        if passage.id not in trace.fusion.ids:
            probe = bench(depth=10, rerank_head=10).probe(trace, passage.id)
            if [lane.lane for lane in probe.lanes if lane.rank is not None] == ["dense"]:
                return passage.id
    raise AssertionError("the sample documents hold no such passage")


def test_reason_here_it_came_through_the_cut() -> None:
    trace = shallow()
    answer = sound(trace, trace.why_not(trace.attempt.evidence[2]))
    assert (answer.reason, answer.rank, answer.limit, answer.changes) == ("here", 3, 5, ())
    assert "third of the 5" in answer.sentence


def test_reason_no_document_with_the_ids_that_are_spelled_like_it() -> None:
    trace = shallow()
    answer = sound(trace, trace.why_not("handbook/ending-your-tenency.md"))
    assert (answer.reason, answer.id) == ("no_document", None)
    assert "handbook/ending-your-tenancy.md" in answer.near
    assert "is no document or passage here" in answer.sentence


def test_reason_filtered_names_the_part_of_the_filter_and_what_it_would_be_without() -> None:
    document = "handbook/ending-your-tenancy.md"
    trace = bench().retrieve(QUERY, filter=Filter(exclude_ids=(document,)))
    answer = sound(trace, trace.why_not(document))
    assert (answer.reason, answer.said) == ("filtered", "exclude_ids names it")
    assert dict(answer.changes[0].settings) == {"filter": None}
    open_trace = bench().retrieve(QUERY)
    assert open_trace.attempt.evidence[answer.changes[0].rank - 1] == answer.id


def test_reason_filtered_by_metadata_or_by_a_score_window() -> None:
    trace = bench().retrieve(QUERY, filter=Filter(where={"lang": "fi"}))  # type: ignore[arg-type]
    answer = sound(trace, trace.why_not("handbook/ending-your-tenancy.md"))
    assert (answer.reason, "where asks for lang = 'fi'" in answer.said) == ("filtered", True)
    trace = bench().retrieve(QUERY, filter=Filter(min_score=6.0))
    answer = sound(trace, trace.why_not("handbook/ending-your-tenancy.md#c4"))
    assert (answer.reason, "outside the filter's window" in answer.said) == ("filtered", True)


def test_reason_no_match_names_the_query_terms_that_it_lacks() -> None:
    lexical = Workbench.sample(signals=["text"])
    trace = lexical.retrieve("rent deposit notice")
    stranger = next(p.id for p in lexical.passages if not lexical.probe(trace, p.id).held)
    answer = sound(trace, trace.why_not(stranger))
    assert (answer.reason, answer.changes) == ("no_match", ())
    assert answer.probe is not None
    assert answer.probe.missing == ("rent", "deposit", "notice")
    assert "rent, deposit and notice" in answer.sentence
    assert "ask with a word of its own" in answer.sentence


def test_reason_depth_gives_the_true_rank_and_what_it_is_short_of() -> None:
    trace = shallow()
    answer = sound(trace, trace.why_not(far_away(trace)))
    assert (answer.reason, answer.limit) == ("depth", 10)
    deep = bench(depth=1000, rerank_head=1000).retrieve(QUERY).attempt.lane("dense")
    hit = deep.hit(answer.id or "")
    assert hit is not None
    assert (hit.rank, hit.score) == (answer.rank, answer.score)
    last = trace.attempt.lane("dense").hits[-1].score
    assert (answer.needed, answer.gap) == (last, (last or 0.0) - (hit.score or 0.0))
    assert f"{hit.rank}" in answer.sentence


def test_reason_depth_the_change_was_run_and_one_less_leaves_it_out() -> None:
    trace = shallow()
    answer = trace.why_not(far_away(trace))
    settings = dict(answer.changes[0].settings)
    assert settings["depth"] == answer.rank
    source = trace._source
    attempt = source.again(trace, **settings)
    assert attempt.evidence.index(answer.id) + 1 == answer.changes[0].rank
    shallower = source.again(trace, **{**settings, "depth": settings["depth"] - 1})
    assert answer.id not in shallower.fusion.ids


def test_reason_head_it_was_fused_behind_what_the_reranker_sees() -> None:
    trace = shallow()
    lost = trace.fusion.ids[-1]
    answer = sound(trace, trace.why_not(lost))
    assert (answer.reason, answer.rank, answer.limit) == ("head", len(trace.fusion.ids), 10)
    assert answer.gap == float(trace.fusion.scores[9]) - float(trace.fusion.scores[-1])
    assert "the reranker sees 10" in answer.sentence
    _run_the_changes(trace, answer)


def test_reason_redundant_names_the_pick_it_is_like_and_a_lambda_that_lets_it_in() -> None:
    trace = bench(lambda_mmr=0.3).retrieve(QUERY)
    assert trace.diversification is not None
    lost = next(id for id in trace.reranking.ids[:5] if id not in trace.attempt.evidence)
    answer = sound(trace, trace.why_not(lost))
    step = next(s for s in trace.diversification.steps if s.id == lost)
    assert (answer.reason, answer.against, answer.redundancy) == ("redundant", step.against, step.redundancy)
    assert f"redundant with {step.against}" in answer.sentence
    assert [list(change.settings) for change in answer.changes] == [["top_k"], ["lambda_mmr"]]
    _run_the_changes(trace, answer)


def test_reason_cut_says_by_how_much_and_which_top_k_it_takes() -> None:
    trace = shallow()
    answer = sound(trace, trace.why_not(trace.order[7]))
    assert (answer.reason, answer.rank, answer.limit) == ("cut", 8, 5)
    assert answer.gap == trace.reranking.scores[4] - trace.reranking.scores[7]
    assert dict(answer.changes[0].settings) == {"top_k": 8}
    _run_the_changes(trace, answer)


def _run_the_changes(trace: Trace, answer: WhyNot) -> None:
    for change in answer.changes:
        evidence = trace.what_if(**change.settings).attempt.evidence
        assert evidence.index(answer.id or "") + 1 == change.rank
        for name, value in change.settings.items():
            less = value - 0.01 if name == "lambda_mmr" else value - 1
            if name == "rerank_head" and less < change.settings.get("top_k", 1):
                continue
            assert answer.id not in trace.what_if(**{**change.settings, name: less}).attempt.evidence


def test_reason_not_recorded_a_trace_from_a_file_says_what_it_cannot_know() -> None:
    trace = shallow()
    read = Trace.from_json(trace.to_json())
    answer = sound(read, read.why_not(far_away(trace)))
    assert (answer.reason, answer.probe) == ("not_recorded", None)
    assert "cannot say" in answer.sentence
    assert "bench.probe" in answer.sentence
    # what it does hold it answers alike
    assert read.why_not(trace.order[7]).reason == "cut"


# ---------------------------------------------------------------- documents, lanes, probes


def test_of_a_document_the_passage_that_came_farthest_is_answered_for() -> None:
    trace = shallow()
    first = trace.passages[trace.order[0]]
    answer = sound(trace, trace.why_not(first.document_id))
    assert (answer.id, answer.reason) == (first.id, "here")
    assert f"the passage of {first.document_id} that came farthest" in answer.sentence
    missing = next(
        d.id for d in bench(depth=10).documents if not any(p.document_id == d.id for p in trace.passages.values())
    )
    answer = sound(trace, trace.why_not(missing))
    assert (answer.reason, answer.document_id) == ("depth", missing)
    ranks = [
        probe.nearest.rank
        for p in bench(depth=10, rerank_head=10).passages
        if p.document_id == missing and (probe := bench(depth=10, rerank_head=10).probe(trace, p.id)).nearest
    ]
    assert answer.rank == min(ranks)


def test_a_probe_gives_the_rank_and_score_that_a_deep_search_gives_in_every_lane() -> None:
    trace = shallow()
    deep = bench(depth=1000, rerank_head=1000).retrieve(QUERY)
    for passage in bench(depth=10).passages[::37]:
        for lane in bench(depth=10, rerank_head=10).probe(trace, passage.id).lanes:
            hit = deep.attempt.lane(lane.lane).hit(passage.id)
            assert (lane.rank, lane.score) == ((None, None) if hit is None else (hit.rank, hit.score))
            assert lane.state == ("no_match" if hit is None else "returned" if hit.rank <= 10 else "deeper")


def test_a_given_lane_that_cannot_answer_past_its_depth_says_so_and_a_whole_list_can() -> None:
    ids = [p.id for p in Workbench(DOCUMENTS).passages]
    config = Config(depth=1, rerank_head=1, top_k=1)
    calls: list[int] = []

    def called(query: str, depth: int) -> list[str]:
        calls.append(depth)
        return ids[:depth]

    bench = Workbench(DOCUMENTS, signals=["text"], lanes={"called": called, "listed": ids}, config=config)
    trace = bench.retrieve("notice")
    probe = bench.probe(trace, ids[3])
    by_lane = {lane.lane: lane for lane in probe.lanes}
    assert (by_lane["called"].state, by_lane["listed"].state, by_lane["listed"].rank) == ("silent", "deeper", 4)
    assert calls == [1]
    assert "called cannot say past its depth" in trace.why_not(ids[3]).sentence


def test_a_passage_that_a_lane_ranks_within_its_depth_and_did_not_return_was_missed() -> None:
    bench = Workbench(DOCUMENTS)
    trace = bench.retrieve("written notice")
    dense = trace.attempt.lane("dense")
    gone, *rest = dense.hits
    left = replace(dense, hits=tuple(replace(hit, rank=hit.rank - 1) for hit in rest))
    attempt = replace(trace.attempt, lanes=tuple(left if lane is dense else lane for lane in trace.lanes))
    probe = trace._source.probe(replace(trace, attempts=(attempt,)), gone.id)
    found = next(lane for lane in probe.lanes if lane.lane == "dense")
    assert (found.state, found.rank, found.score) == ("missed", 1, gone.score)


def test_a_probe_of_another_corpus_is_refused() -> None:
    trace = shallow()
    with refused("contradiction", "'lexical'"):
        Workbench(DOCUMENTS).probe(trace, "lease.md#c0")
    with refused("unknown_id", "'ghost'"):
        bench(depth=10, rerank_head=10).probe(trace, "ghost")


def test_a_probe_survives_json_and_a_bench_answers_for_a_trace_from_a_file() -> None:
    trace = shallow()
    asked = bench(depth=10, rerank_head=10)
    id = far_away(trace)
    probe = asked.probe(Trace.from_json(trace.to_json()), id)
    assert probe == asked.probe(trace, id)
    assert Probe.from_json(json.loads(json.dumps(probe.to_json()))) == probe


def test_an_id_that_is_no_text_is_refused() -> None:
    with refused("id_not_text", "7"):
        shallow().why_not(7)  # type: ignore[arg-type]
    with refused("missing_id"):
        shallow().why_not("")


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "\u202eevil"])
def test_hostile_text_is_shown_as_text(hostile: str) -> None:
    answer = shallow().why_not(hostile)
    assert "<script>" not in answer._repr_html_()
    assert "\u202e" not in answer._repr_html_() + repr(answer)
