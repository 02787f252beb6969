import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.helpers import refused
from workbench import Workbench, shipped
from workbench.formats import read_azure, read_elasticsearch, read_qdrant, read_weaviate, reproduce

RUNS = shipped.folder("sample_data") / "runs"


def single(value: float) -> float:
    return float(str(np.float32(value)))


def part(
    place: int,
    rank: int,
    score: float,
    k: int = 60,
    words: str = "rrf score: [{term}], for rank [{rank}] in query at index [{place}] computed as [1 / ({rank} + {k})], for matching query with score",
) -> dict[str, Any]:
    if rank == 0:
        return {
            "value": 0,
            "description": f"rrf score: [0], result not found in query at index [{place}]",
            "details": [],
        }
    said = words.format(term=single(1 / (k + rank)), rank=rank, place=place, k=k)
    return {"value": rank, "description": said, "details": [{"value": score, "description": "sum of:", "details": []}]}


def response(ranks: dict[str, tuple[int, ...]], *, k: int = 60, words: str = "", **more: Any) -> dict[str, Any]:
    hits = []
    for id, each in ranks.items():
        total = np.float32(0)
        for rank in each:
            if rank:
                total += np.float32(1) / np.float32(k + rank)
        said = (
            words
            or "rrf score: [{v}] computed for initial ranks {r} with rankConstant: [{k}] as sum of [1 / (rank + rankConstant)] for each query"
        ).format(v=single(total), r=list(each), k=k)
        details = [part(place, rank, 10.0 - rank, k) for place, rank in enumerate(each)]
        hits.append(
            {
                "_index": "i",
                "_id": id,
                "_score": single(total),
                "_explanation": {"value": single(total), "description": said, "details": details},
            }
        )
    return {
        "took": 1,
        "timed_out": False,
        "_shards": {"total": 1, "failed": 0},
        "hits": {"total": {"value": 9, "relation": "gte"}, "hits": hits},
        **more,
    }


FULL = {"b": (2, 1), "a": (1, 3), "d": (0, 2), "c": (3, 0)}


def test_the_sample_response_is_reproduced_and_explained() -> None:
    answer = read_elasticsearch(RUNS / "elasticsearch.json", lanes=["bm25", "vectors"], title="title")
    found = reproduce(answer)
    assert (found.same_order, found.same_scores, found.differing) == (True, True, ())
    assert found.sentence == "The 2 lanes, fused as the response says, give elasticsearch's order and scores."
    trace = Workbench.from_lanes(answer.lanes, config=answer.config).retrieve("How much notice?")
    assert trace.fusion.ids[:10] == answer.answered.ids
    assert "1/(60+4) from bm25 + 1/(60+3) from vectors" in trace.why(trace.order[2]).sentence


def test_a_part_of_value_0_is_absent_and_the_value_of_a_part_is_its_rank() -> None:
    answer = read_elasticsearch(response(FULL))
    assert {name: lane.ids for name, lane in answer.lanes.items()} == {
        "query 0": ("a", "b", "c"),
        "query 1": ("b", "d", "a"),
    }
    assert [hit.score for hit in answer.lanes["query 0"].hits] == [9.0, 8.0, 7.0]
    assert answer.fusion == {"fusion": "rrf", "dialect": "elasticsearch", "k": 60.0}
    assert answer.answered.detail["d"]["parts"][0] == {"list": 0, "rank": None, "score": None, "term": None}
    assert Workbench.from_lanes(answer.lanes).retrieve("q").fusion.of("d")[0].rank is None


def test_scores_agree_within_float32_and_a_wrong_one_is_named() -> None:
    data = response(FULL, k=10)
    assert reproduce(read_elasticsearch(data)).same_scores
    data["hits"]["hits"][1]["_score"] = 0.9 * data["hits"]["hits"][1]["_score"]
    found = reproduce(read_elasticsearch(data))
    assert (found.same_scores, found.differing) == (False, ("a",))
    assert "1 of 4 scores differ" in found.sentence


def test_a_tie_in_storage_order_is_a_tie_and_no_difference() -> None:
    found = reproduce(read_elasticsearch(response({"z": (1, 0), "a": (0, 1)})))
    assert (found.same_order, found.tied, found.differing) == (True, ("z", "a"), ())
    assert "storage order there and by ascending id here" in found.sentence


def test_an_order_that_is_not_the_scores_is_found_out() -> None:
    data = response(FULL)
    data["hits"]["hits"].reverse()
    found = reproduce(read_elasticsearch(data))
    assert not found.same_order
    assert found.sentence.startswith("The 2 lanes, fused as the response says, give another order")


def test_ranks_that_the_page_does_not_show_are_held_by_stand_ins() -> None:
    answer = read_elasticsearch(response({"b": (3, 1), "a": (1, 4)}), lanes=["words", "meaning"])
    assert answer.lanes["words"].ids == ("a", "~ words rank 2, not shown", "b")
    assert answer.notes[0].startswith("words: the response does not show who holds rank 2; stand-ins")
    trace = Workbench.from_lanes(answer.lanes, config=answer.config).retrieve("q")
    assert trace.fusion.ids[:2] == ("b", "a") == answer.answered.ids
    assert trace.passages["~ words rank 2, not shown"].title == "a document that the response does not show"


@pytest.mark.parametrize(
    "words",
    [
        "rrf score: [{v}] computed for initial ranks {r} with rankConstant: [{k}] as sum of [1 / (rank + rankConstant)] for each query",
        "RRF score {v}; initial ranks: {r}, rank_constant={k}",
        "reciprocal rank fusion over ranks {r} (rank constant {k})",
    ],
)
def test_changed_wording_is_read(words: str) -> None:
    answer = read_elasticsearch(response(FULL, words=words))
    assert answer.fusion["k"] == 60
    assert reproduce(answer).same_order


def test_words_and_values_that_contradict_each_other_are_said_and_not_guessed() -> None:
    data = response(FULL)
    data["hits"]["hits"][1]["_explanation"]["details"][0]["value"] = 0.016
    answer = read_elasticsearch(data)
    assert (answer.lanes, answer.fusion) == ({}, {})
    assert (
        answer.notes[0]
        == "1 of 4 explanations could not be read, so no lane is made of them; first 'a': its explanation gives rank 1 in words and 0.016 as the value of part 0"
    )
    with refused("not_recorded", "could not be read"):
        reproduce(answer)


def test_a_constant_that_is_not_named_leaves_the_lanes_and_no_fusion() -> None:
    answer = read_elasticsearch(response(FULL, words="initial ranks {r}"))
    assert answer.lanes["query 1"].ids == ("b", "d", "a")
    assert answer.fusion == {}
    with refused("not_recorded", "no rank constant"):
        _ = answer.config


def test_weights_are_read_from_the_printed_terms() -> None:
    data = response({"a": (1, 2), "b": (2, 1)})
    for hit in data["hits"]["hits"]:
        rank = hit["_explanation"]["details"][1]["value"]
        hit["_explanation"]["details"][1]["description"] = (
            f"rrf score: [{single(0.7 / (60 + rank))}], for rank [{rank}]"
        )
        first = hit["_explanation"]["details"][0]["value"]
        hit["_score"] = single(
            np.float32(1) / np.float32(60 + first) + np.float32(0.7) * (np.float32(1) / np.float32(60 + rank))
        )
    answer = read_elasticsearch(data)
    assert answer.fusion["weights"] == {"query 1": 0.7}
    assert reproduce(answer).same_scores


def test_names_of_sub_queries_are_read_where_they_are_told() -> None:
    data = response({"a": (1, 1)})
    data["hits"]["hits"][0]["_explanation"]["details"][1]["description"] += " at index [1] [my_knn]"
    assert list(read_elasticsearch(data).lanes) == ["query 0", "my_knn"]
    with refused("shape_mismatch", "2 lists"):
        read_elasticsearch(data, lanes=["one"])


def test_without_explanations_there_is_the_engines_order_alone() -> None:
    data = {"hits": {"total": 2, "hits": [{"_id": "b", "_score": 3.5}, {"_id": "a", "_score": 1.5}]}}
    answer = read_elasticsearch(json.dumps(data))
    assert [(hit.id, hit.score) for hit in answer.answered.hits] == [("b", 3.5), ("a", 1.5)]
    assert (answer.lanes, answer.answered.about["matched"]) == ({}, 2)
    assert Workbench.from_lanes({"bm25": answer.answered, "dense": ["a"]}).retrieve("q").order == ("a", "b")


def test_a_sorted_search_has_no_scores() -> None:
    answer = read_elasticsearch({"hits": {"hits": [{"_id": "b", "_score": None, "sort": [1]}]}})
    assert answer.answered.hits[0].score is None
    assert "sorted by a field" in answer.notes[0]


def test_scores_that_run_against_a_sort_are_not_taken_for_the_order() -> None:
    answer = read_elasticsearch(
        {"hits": {"hits": [{"_id": "b", "_score": 1.0, "sort": [1]}, {"_id": "a", "_score": 2.0, "sort": [2]}]}}
    )
    assert [(hit.id, hit.score) for hit in answer.answered.hits] == [("b", None), ("a", None)]
    assert "do not fall along the order" in answer.notes[0]


def test_a_timeout_and_failed_shards_degrade_the_run() -> None:
    answer = read_elasticsearch(
        response(FULL, timed_out=True, _shards={"total": 5, "failed": 2}), lanes=["words", "meaning"]
    )
    assert answer.answered.reason == "partial: the search timed out and 2 of 5 shards failed"
    trace = Workbench.from_lanes(answer.lanes).retrieve("q")
    assert trace.degraded == tuple(
        f"{name}: partial: the search timed out and 2 of 5 shards failed" for name in ("words", "meaning")
    )
    assert trace.fusion.ids[0] == "b"


def test_an_error_is_an_unavailable_lane_and_no_empty_one() -> None:
    answer = read_elasticsearch({"error": {"type": "x", "reason": "no such index [i]"}, "status": 404})
    assert (answer.answered.status, answer.answered.reason) == (
        "unavailable",
        "the engine answered with an error: no such index [i]",
    )


def test_one_id_in_two_indices_asks_for_the_index() -> None:
    hits = [{"_index": "one", "_id": "7", "_score": 2.0}, {"_index": "two", "_id": "7", "_score": 1.0}]
    with refused("repeated_id", "'7'", "one, two", "index/_id"):
        read_elasticsearch({"hits": {"hits": hits}})
    assert read_elasticsearch({"hits": {"hits": hits}}, id_from="index/_id").answered.ids == ("one/7", "two/7")


def test_texts_of_the_source_light_up_the_passages() -> None:
    data = {"hits": {"hits": [{"_id": "b", "_score": 3.5, "_source": {"body": "alpha beta"}}]}}
    trace = Workbench.from_lanes({"bm25": read_elasticsearch(data, text="body").answered}, reranker="feature").retrieve(
        "alpha"
    )
    assert trace.passages["b"].text == "alpha beta"
    assert trace.gate is not None
    assert trace.gate.feature("coverage").value == 1
    with refused("missing_column", "'title'", "body"):
        read_elasticsearch(data, title="title")


@pytest.mark.parametrize("given", [{"hits": 3}, {"took": 1}, [1], "[1]", "{", {"hits": {"hits": "x"}}])
def test_what_is_no_response_is_refused(given: Any) -> None:
    with refused("wrong_type"):
        read_elasticsearch(given)


# ---------------------------------------------------------------- OpenSearch


def combined(
    rows: dict[str, list[tuple[float, float] | None]], method: str = "min_max", combination: str = "arithmetic_mean"
) -> dict[str, Any]:
    hits = []
    for id, parts in rows.items():
        details = [
            {
                "value": p[0],
                "description": f"{method} normalization of:",
                "details": [{"value": p[1], "description": "weight(text:x)", "details": []}],
            }
            for p in parts
            if p is not None
        ]
        total = sum(p[0] for p in parts if p is not None)
        hits.append(
            {
                "_id": id,
                "_score": total,
                "_explanation": {"value": total, "description": f"{combination} combination of:", "details": details},
            }
        )
    return {"hits": {"hits": hits}}


def test_opensearch_ranks_are_read_from_the_normalised_terms() -> None:
    rows = {
        "b": [(single(1 / 62), 8.0), (single(1 / 61), 0.9)],
        "a": [(single(1 / 61), 9.0), (single(1 / 63), 0.2)],
        "c": [(single(1 / 63), 1.0), (single(1 / 62), 0.8)],
    }
    answer = read_elasticsearch(combined(rows, "rrf, rank_constant [60]", "rrf"), engine="opensearch")
    assert {name: lane.ids for name, lane in answer.lanes.items()} == {
        "query 0": ("a", "b", "c"),
        "query 1": ("b", "c", "a"),
    }
    assert answer.fusion == {"fusion": "rrf", "dialect": "opensearch", "k": 60.0}
    assert reproduce(answer).same_scores


def test_an_opensearch_list_that_did_not_match_is_not_guessed() -> None:
    answer = read_elasticsearch(combined({"b": [(1.0, 8.0), (1.0, 0.9)], "a": [(0.5, 4.0), None]}), engine="opensearch")
    assert answer.lanes == {}
    assert "which one it was is not said" in answer.notes[0]
    assert answer.answered.detail["a"]["parts"][0]["score"] == 4.0


def test_opensearch_scores_are_shown_and_not_fused_again() -> None:
    answer = read_elasticsearch(
        combined({"b": [(1.0, 8.0), (1.0, 0.9)], "a": [(0.5, 4.0), (0.001, 0.1)]}),
        engine="opensearch",
        lanes=["words", "meaning"],
    )
    assert [(hit.id, hit.score) for hit in answer.lanes["words"].hits] == [("b", 8.0), ("a", 4.0)]
    assert answer.fusion == {}
    assert "cannot be fused again" in answer.notes[0]


def test_an_explanation_of_something_else_is_said() -> None:
    data = {
        "hits": {
            "hits": [
                {
                    "_id": "b",
                    "_score": 1.0,
                    "_explanation": {"value": 1.0, "description": "weight(text:x in 0)", "details": []},
                }
            ]
        }
    }
    assert "is not of a fusion: 'weight(text:x in 0)'" in read_elasticsearch(data).notes[0]


# ---------------------------------------------------------------- Weaviate

UUIDS = {name: f"{place:08d}-0000-0000-0000-000000000000" for place, name in enumerate("abcd")}


def weaviate(base: int, alpha: float = 0.75, *, named: bool = True, leave: tuple[str, ...] = ()) -> dict[str, Any]:
    keyword, vector = ["a", "b", "c"], ["b", "d", "a"]
    found: dict[str, list[str]] = {}
    total: dict[str, np.float32] = {}
    for name, ids, weight in (("keyword", keyword, 1 - alpha), ("vector", vector, alpha)):
        for place, id in enumerate(ids):
            term = np.float32(weight / (60 + base + place))
            total[id] = total.get(id, np.float32(0)) + term
            label = f"Result Set {name}" if named else "hybrid"
            found.setdefault(id, []).append(
                f"({label}) Document {UUIDS[id]} contributed {weight / (60 + base + place)} to the score"
            )
    order = sorted((id for id in found if id not in leave), key=lambda id: -total[id])
    return {
        "data": {
            "Get": {
                "Thing": [
                    {
                        "title": id,
                        "_additional": {
                            "id": UUIDS[id],
                            "score": str(total[id]),
                            "explainScore": "(bm25)\n" + "\n".join(found[id]),
                        },
                    }
                    for id in order
                ]
            }
        }
    }


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("alpha", [None, 0.75])
def test_weaviates_rank_base_is_told_from_the_contributions(base: int, alpha: float | None) -> None:
    answer = read_weaviate(weaviate(base), alpha=alpha, title="title")
    assert f"ranks from {base}" in answer.notes[0]
    assert [
        lane.payload[id].title if id in lane.payload else id for lane in answer.lanes.values() for id in lane.ids
    ] == [UUIDS[i] for i in "abc"] + [UUIDS[i] for i in "bda"]
    assert answer.fusion["weights"] == {"keyword": 0.25, "vector": 0.75}
    assert answer.fusion.get("dialect") == ("weaviate" if base == 0 else None)
    found = reproduce(answer)
    assert (found.same_order, found.same_scores) == (True, True)


def test_weaviate_says_when_neither_base_explains_what_it_printed() -> None:
    data = weaviate(1)
    data["data"]["Get"]["Thing"][0]["_additional"]["explainScore"] = (
        "(Result Set keyword) Document x contributed 0.0123 to the score\n(Result Set vector) Document x contributed 0.0021 to the score"
    )
    answer = read_weaviate(data)
    assert answer.lanes == {}
    assert answer.notes[0].startswith("neither rank base explains the contributions")


def test_weaviates_unnamed_result_sets_are_not_guessed() -> None:
    answer = read_weaviate(weaviate(1, named=False))
    assert answer.lanes == {}
    assert "does not name its result sets" in answer.notes[0]
    both = weaviate(1, named=False)
    both["data"]["Get"]["Thing"] = both["data"]["Get"]["Thing"][:1]
    assert list(read_weaviate(both).lanes) in ([], ["list 0", "list 1"])


def test_weaviates_relative_scores_are_shown_and_not_fused_again() -> None:
    said = f"Hybrid (Result Set keyword,bm25) Document {UUIDS['a']}: original score 2.7, normalized score: 0.5 - \nHybrid (Result Set vector,hybridVector) Document {UUIDS['a']}: original score -0.83, normalized score: 0.4"
    answer = read_weaviate(
        [SimpleNamespace(uuid=UUIDS["a"], properties={}, metadata=SimpleNamespace(score=0.9, explain_score=said))]
    )
    assert {name: lane.hits[0].score for name, lane in answer.lanes.items()} == {"keyword": 2.7, "vector": -0.83}
    assert answer.fusion == {}


def test_a_weaviate_answer_without_explanations_or_ids() -> None:
    assert "ask with explainScore" in read_weaviate([{"_additional": {"id": "x", "score": "0.5"}}]).notes[0]
    with refused("missing_id", "object 1"):
        read_weaviate([{"_additional": {"score": "0.5"}}])
    with refused("wrong_type", "no such class"):
        read_weaviate({"data": None, "errors": [{"message": "no such class"}]})


# ---------------------------------------------------------------- Qdrant


def test_qdrant_points_are_a_lane_whatever_holds_them() -> None:
    points = [
        {"id": 7, "version": 0, "score": 0.9, "payload": {"text": "alpha"}},
        {"id": "5c56c793-69f3-4fbf-87e6-c4bf54c28c26", "score": 0.5},
    ]
    for given in (
        points,
        {"result": points, "status": "ok"},
        {"result": {"points": points}},
        SimpleNamespace(
            points=[SimpleNamespace(payload=None, **p) if "payload" not in p else SimpleNamespace(**p) for p in points]
        ),
    ):
        answer = read_qdrant(given, text="text")
        assert [(hit.id, hit.score) for hit in answer.answered.hits] == [
            ("7", 0.9),
            ("5c56c793-69f3-4fbf-87e6-c4bf54c28c26", 0.5),
        ]
        assert answer.answered.payload["7"].text == "alpha"
        assert "1 point ids are numbers" in answer.notes[0]


def test_F14_rising_qdrant_scores_ask_for_the_distance() -> None:
    points = [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.4}]
    with refused("contradiction", "0.1", "0.4", "distance='Euclid'"):
        read_qdrant(points)
    assert [hit.score for hit in read_qdrant(points, distance="Euclid").answered.hits] == [-0.1, -0.4]
    with refused("contradiction", "'Cosine'"):
        read_qdrant(points, distance="Cosine")
    with refused("out_of_range", "did you mean 'Euclid'"):
        read_qdrant(points, distance="Euklid")


def test_a_qdrant_error_is_refused() -> None:
    with refused("wrong_type", "not found"):
        read_qdrant({"status": {"error": "Not found: collection not found"}, "result": None})


# ---------------------------------------------------------------- Azure


def test_azures_two_scores_are_of_two_scales() -> None:
    rows = [
        {"key": "b", "@search.score": 0.01, "@search.rerankerScore": 3.2, "body": "alpha"},
        {"key": "a", "@search.score": 0.03, "@search.rerankerScore": 1.1},
    ]
    answer = read_azure({"value": rows}, key="key", text="body")
    assert [(hit.id, hit.score) for hit in answer.answered.hits] == [("b", 3.2), ("a", 1.1)]
    assert answer.answered.detail["a"]["score"] == 0.03
    assert "of another scale" in answer.notes[0]
    del rows[1]["@search.rerankerScore"]
    mixed = read_azure({"value": rows}, key="key")
    assert [hit.score for hit in mixed.answered.hits] == [None, None]
    assert "two scales order this page" in mixed.notes[0]
    with refused("missing_id", "row 1, field 'id'"):
        read_azure({"value": rows}, key="id")
