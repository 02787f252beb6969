"""The board's badges, each with a case in which it fires and one in which it does not."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from tests.explain.asking import check_law_3
from tests.helpers import refused
from tests.pipeline.corpus import DOCUMENTS
from workbench import Config, Lane, Trace, Workbench, rrf
from workbench.explain.badges import Badge, adds_up, breaks_rule, repeated_ids
from workbench.records import Hit


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(DOCUMENTS)


def of(badges: tuple[Badge, ...], code: str) -> list[Badge]:
    return [badge for badge in badges if badge.code == code]


def test_contributions_that_equal_the_score_and_some_that_do_not(bench: Workbench) -> None:
    for dialect in (None, "qdrant", "weaviate", "opensearch", "haystack"):
        fusion = bench.retrieve("notice").what_if(dialect=dialect).fusion
        assert adds_up(fusion).state == "ok"
    wrong = np.array(fusion.scores)
    wrong[1] += 1e-12
    badge = adds_up(replace(fusion, scores=wrong))
    assert (badge.state, badge.ids) == ("warning", (fusion.ids[1],))


def test_a_setting_that_changes_nothing_is_named_and_one_that_does_is_not(bench: Workbench) -> None:
    trace = bench.retrieve("written notice of the end of the lease")
    idle = of(trace.what_if(k=60.5).badges(), "no_effect")
    assert [badge for badge in idle if badge.sentence.startswith("k 60.5 changes nothing here")]
    ids = [p.id for p in bench.passages]
    opposed = {"up": ids, "down": ids[::-1], "up again": ids}
    trace = Workbench(DOCUMENTS, signals=["structure"], lanes=opposed, reranker=None).retrieve("zzz")
    named = [b for b in of(trace.what_if(weights={"up": 1.0001}).badges(), "no_effect") if "weight 1" in b.sentence]
    assert [badge.lanes for badge in named] == [("up",)]
    turned = trace.what_if(weights={"down": 40})
    assert turned.order != trace.order
    assert not [badge for badge in of(turned.badges(), "no_effect") if "weight 40" in badge.sentence]


def test_a_weight_of_a_lane_that_returned_nothing_and_a_lane_that_stands_alone() -> None:
    alone = Workbench(DOCUMENTS, signals=["text"], lanes={"mine": []}, config=Config(weights={"mine": 2.0}))  # type: ignore[arg-type]
    said = [badge.sentence for badge in of(alone.retrieve("notice").badges(), "no_effect")]
    assert "The weight 2 of mine changes nothing: the lane returned nothing." in said
    assert [each for each in said if each.startswith("lexical alone returned anything")]


def test_a_lane_without_which_the_evidence_is_the_same(bench: Workbench) -> None:
    trace = bench.retrieve("written notice of the end of the lease")
    named = {badge.lanes[0] for badge in of(trace.badges(), "no_effect") if "in the evidence" in badge.sentence}
    for lane in trace.fusion.lanes:
        if not trace.attempt.lane(lane).hits:
            continue
        same = trace.what_if(without=[lane]).attempt.evidence == trace.attempt.evidence
        assert (lane in named) == same


def test_a_lambda_that_changes_nothing(bench: Workbench) -> None:
    trace = bench.retrieve("written notice").what_if(lambda_mmr=1)
    assert [b for b in of(trace.badges(), "no_effect") if b.sentence.startswith("λ 1 changes nothing")]


def test_a_candidate_just_outside_the_depth_of_two_lanes() -> None:
    ids = [p.id for p in Workbench(DOCUMENTS).passages]
    lost, others = ids[0], ids[1:]
    lanes = {
        "one": lambda query, depth: [*others[:3], lost][:depth],
        "two": lambda query, depth: [*others[3:5], others[0], lost][:depth],
    }
    bench = Workbench(
        DOCUMENTS, signals=["structure"], lanes=lanes, reranker=None, config=Config(depth=3, rerank_head=3, top_k=3)
    )
    trace = bench.retrieve("zzz")
    badge = of(trace.badges(), "beyond_depth")[0]
    assert (badge.ids, badge.lanes) == ((lost,), ("one", "two"))
    assert badge.sentence.startswith(f"{lost} is fourth in one and two, depth 3: nothing returned it")
    assert badge.state == "warning"
    read = Trace.from_json(trace.to_json())
    assert of(read.badges(), "beyond_depth")[0].state == "unknown"
    deep = Workbench(DOCUMENTS, signals=["structure"], lanes=lanes, reranker=None).retrieve("zzz")
    assert of(deep.badges(), "beyond_depth") == []


def test_lanes_of_different_score_models_fused_by_score(bench: Workbench) -> None:
    trace = bench.retrieve("written notice")
    assert of(trace.badges(), "mixed_scores") == []
    mixed = of(trace.what_if(fusion="relative_score").badges(), "mixed_scores")
    assert "bm25-lucene" in mixed[0].sentence
    assert "cosine" in mixed[0].sentence


def test_an_id_that_a_lane_holds_twice() -> None:
    fusion = rrf({"one": ["a", "b", "a"], "two": ["b"]}, repeats="best")
    assert [(badge.lanes, badge.ids) for badge in repeated_ids(fusion)] == [(("one",), ("a",))]
    assert repeated_ids(rrf({"one": ["a", "b"]})) == ()


# ---------------------------------------------------------------- imported orders


def test_rank_5_of_a_lane_missing_while_rank_95_is_in() -> None:
    lane = [f"d{i:03}" for i in range(100)]
    order = [*lane[:4], lane[94]]
    badge = breaks_rule({"bm25": lane}, order)[0]
    assert badge.ids == ("d004", "d094")
    assert "d004, fifth in bm25, is missing while d094, 95th there, is in" in badge.sentence
    assert breaks_rule({"bm25": lane}, lane[:5]) == ()


def test_an_order_that_puts_the_outdone_above_and_one_with_strangers() -> None:
    lanes = {"one": ["a", "b", "c"], "two": ["a", "b", "c"]}
    assert breaks_rule(lanes, ["b", "a", "c"])[0].ids == ("a", "b")
    assert breaks_rule(lanes, ["a", "b", "ghost"])[0].ids == ("ghost",)
    assert breaks_rule({"one": ["a", "b"], "two": ["b", "a"]}, ["b", "a"]) == ()
    with refused("repeated_id", "'a'"):
        breaks_rule(lanes, ["a", "b", "a"])


def test_lane_records_serve_as_lanes() -> None:
    lane = Lane("one", hits=tuple(Hit(id, rank) for rank, id in enumerate("abc", start=1)))
    assert breaks_rule([lane, Lane("off", status="off")], ["c"])[0].ids == ("a", "c")


def test_no_fusion_by_rank_breaks_its_own_rule() -> None:
    for seed in range(150):
        rng = random.Random(seed)
        ids = [f"d{i}" for i in range(12)]
        lanes = {f"l{n}": rng.sample(ids, rng.randint(2, 12)) for n in range(3)}
        dialect = rng.choice([None, "qdrant", "elasticsearch", "langchain", "haystack"])
        weights = {name: rng.choice([0.4, 1.0, 2.5]) for name in lanes}
        order = rrf(lanes, k=rng.choice([1.5, 10, 60]), weights=weights, dialect=dialect).ids
        assert breaks_rule(lanes, order[: rng.randint(1, 12)]) == ()


def test_law_3_holds_for_badges_and_they_survive_json() -> None:
    config = Config(depth=10, k=7, weights={"dense": 1.3}, fusion="rrf", lambda_mmr=0.9, rerank_head=12)  # type: ignore[arg-type]
    bench = Workbench.sample(config=config)
    for query in ("how much notice to end the lease", "queue backlog", "parking"):
        trace = bench.retrieve(query)
        for badge in (*trace.badges(), *trace.what_if(fusion="relative_score", k=None).badges()):
            check_law_3(trace, badge)
            assert Badge.from_json(json.loads(json.dumps(badge.to_json()))) == badge
            assert badge._repr_html_()
