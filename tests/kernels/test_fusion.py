import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import refused
from workbench.config import Config
from workbench.kernels.fusion import fuse, prepare, rrf
from workbench.records import Fusion, Hit, Lane

SEED = json.loads((Path(__file__).parents[1] / "conformance" / "rrf.json").read_text(encoding="utf-8"))
REFUSALS = json.loads((Path(__file__).parents[1] / "conformance" / "refusals.json").read_text(encoding="utf-8"))


def scores(fusion: Fusion) -> dict[str, float]:
    return dict(zip(fusion.ids, fusion.scores.tolist(), strict=True))


@pytest.mark.parametrize("case", SEED["cases"], ids=lambda case: case["name"])
def test_C2_every_seed_case_comes_out_as_the_same_doubles(case: dict) -> None:
    found = rrf({name: [tuple(hit) for hit in hits] for name, hits in case["lanes"]}, **case["params"])
    expect = case["expect"]
    assert list(found.ids) == expect["ids"]
    assert found.scores.tolist() == expect["scores"]
    for row, id in enumerate(found.ids):
        assert [each.rank for each in found.of(id)] == expect["ranks"][row]
        assert [each.contribution for each in found.of(id)] == expect["contributions"][row]
    assert found.residual == 0.0


def test_F1_disjoint_lanes_tie_and_go_to_the_ascending_id() -> None:
    found = rrf({"a": ["q"], "b": ["p"]})
    assert scores(found) == {"p": 1 / 61, "q": 1 / 61}
    assert found.ids == ("p", "q")
    assert found.decided == ("id", "id")


def test_F1_a_thousand_lane_orders_give_one_order() -> None:
    lanes = {"a": ["m", "c", "x"], "b": ["p", "b", "k"], "c": ["z", "a", "d"]}
    names, shuffle = list(lanes), random.Random(1)
    orders = set()
    for _ in range(1000):
        shuffle.shuffle(names)
        orders.add(rrf({name: lanes[name] for name in names}).ids)
    assert orders == {("m", "p", "z", "a", "b", "c", "d", "k", "x")}


def test_F2_ids_of_the_same_single_lane_keep_its_order() -> None:
    left = [f"l{place * 37 % 100:02d}" for place in range(100)]
    right = [f"r{place * 53 % 100:02d}" for place in range(100)]
    left[40] = right[70] = "both"
    order = rrf({"left": left, "right": right}).ids
    assert [id for id in order if id.startswith("l")] == [id for id in left if id != "both"]
    assert [id for id in order if id.startswith("r")] == [id for id in right if id != "both"]


def test_F3_absent_is_no_term_and_not_a_last_rank() -> None:
    found = rrf({"dense": ["X", "a", "Y"], "sparse": ["b", "c", "Y"]})
    assert found.ids == ("Y", "X", "b", "a", "c")
    assert scores(found) == {"Y": 2 / 63, "X": 1 / 61, "b": 1 / 61, "a": 1 / 62, "c": 1 / 62}


def test_F4_the_first_rank_counts_as_one_and_the_fusion_says_k_and_rank_base() -> None:
    found = rrf({"lexical": ["a"]})
    assert scores(found) == {"a": 1 / 61}
    assert (found.params["k"], found.params["rank_base"]) == (60, 1)
    assert scores(rrf({"lexical": ["a"]}, rank_base=0)) == {"a": 1 / 60}


def test_F5_a_small_k_lets_a_single_first_beat_agreement_further_down() -> None:
    lanes = {"a": ["Y", "p", "q", "X"], "b": ["r", "s", "t", "X"]}
    assert rrf(lanes).ids[0] == "X"
    assert rrf(lanes, k=1).ids[:3] == ("Y", "r", "X")
    tied = rrf(lanes, k=2)
    assert tied.ids[:3] == ("X", "Y", "r")
    assert scores(tied)["X"] == scores(tied)["Y"] == scores(tied)["r"]
    assert tied.decided[:3] == ("id", "id", "id")


def test_F6_k_may_be_zero_and_no_less() -> None:
    assert scores(rrf({"a": ["x", "y"]}, k=0)) == {"x": 1.0, "y": 0.5}
    with refused("out_of_range", "k is -1"):
        rrf({"a": ["x"]}, k=-1)
    with refused("not_finite", "k is nan"):
        rrf({"a": ["x"]}, k=math.nan)
    with refused("out_of_range", "rank base 0"):
        rrf({"a": ["x"]}, k=0, rank_base=0)


@pytest.mark.parametrize(
    ("weights", "code", "said"),
    [
        ((math.nan, 1), "not_finite", "weights['a'] is nan"),
        ((-1, 1), "out_of_range", "weights['a'] is -1"),
        ((0, 0), "out_of_range", "all 0"),
        ((1,), "shape_mismatch", "1 for 2 lanes"),
        ({"a": 1, "c": 2}, "unknown_parameter", "'c'"),
        ({"a": "2"}, "wrong_type", "weights['a'] is '2'"),
        (2.0, "wrong_type", "2.0"),
        ((1e308, 1e308), "out_of_range", "beyond a double"),
    ],
)
def test_F7_each_bad_weight_is_refused_by_name(weights: object, code: str, said: str) -> None:
    with refused(code, said):
        rrf({"a": ["x"], "b": ["y"]}, weights=weights)


def test_F8_a_lane_of_weight_zero_adds_zero_and_keeps_its_candidates_last() -> None:
    found = rrf({"a": ["x"], "b": ["b", "x"]}, weights=(1, 0))
    assert found.ids == ("x", "b")
    assert scores(found) == {"x": 1 / 61, "b": 0.0}
    assert [each.contribution for each in found.of("b")] == [None, 0.0]


def test_F9_a_repeated_id_is_refused_or_kept_once_and_flagged() -> None:
    lanes = {"a": ["big", "big", "tail", "big"], "b": ["small"]}
    with refused("repeated_id", "lane 'a'", "'big'", "one lane ranks an item once"):
        rrf(lanes)
    found = rrf(lanes, repeats="best")
    assert scores(found) == {"big": 1 / 61, "small": 1 / 61, "tail": 1 / 62}
    assert found.repeats == {"a": ("big",)}
    with refused("out_of_range", "'first'"):
        rrf(lanes, repeats="first")


@pytest.mark.parametrize(
    ("lane", "code", "said"),
    [
        (["a", None], "missing_id", "lane 'dense', position 2"),
        ([("a", 1.0), ("", 0.5)], "missing_id", "lane 'dense', position 2"),
        (["a", ""], "missing_id", "lane 'dense', position 2"),
        ([1, "a"], "id_not_text", "'1'"),
        ([("a", math.nan)], "not_finite", "nan"),
        ([("a", math.inf)], "not_finite", "inf"),
        ([("a", "0.5")], "wrong_type", "'0.5'"),
        (["a", ("b", 0.5)], "wrong_type", "position 2"),
        ([("a", 0.5, 1)], "wrong_type", "position 1"),
        ([{"id": "a"}], "wrong_type", "position 1"),
        ("abc", "wrong_type", "give a list"),
        ({"a": 0.5}, "wrong_type", "give a list"),
        ({"a", "b"}, "wrong_type", "give a list"),
        ([Hit("a", 1), Hit("b", 3)], "contradiction", "rank 3"),
    ],
)
def test_F11_a_lane_that_cannot_be_read_is_refused_with_its_place(lane: object, code: str, said: str) -> None:
    with refused(code, "dense", said):
        rrf({"dense": lane})


def test_F12_possible_is_the_score_of_a_candidate_first_in_every_lane() -> None:
    found = rrf({"a": ["both", "x"], "b": ["both"]}, weights={"a": 1, "b": 1})
    assert found.possible == scores(found)["both"]
    alone = rrf({"a": ["one"], "b": []})
    assert scores(alone)["one"] / alone.possible == 0.5
    for dialect in ("qdrant", "weaviate", "haystack", "langchain", "opensearch"):
        found = rrf({"a": ["both", "x"], "b": ["both"]}, dialect=dialect)
        assert found.possible == scores(found)["both"], dialect


def test_A5_the_order_of_lanes_is_part_of_the_answer() -> None:
    weights = {"p": 0.1, "q": 0.2, "r": 0.3}
    assert scores(rrf({name: ["a"] for name in "pqr"}, k=0, weights=weights)) == {"a": 0.1 + 0.2 + 0.3}
    assert scores(rrf({name: ["a"] for name in "rqp"}, k=0, weights=weights)) == {"a": 0.3 + 0.2 + 0.1}


def test_A6_an_empty_lane_fuses_and_a_lane_that_did_not_run_is_refused() -> None:
    found = rrf({"dense": [], "sparse": ["a"]})
    assert [(each.lane, each.rank, each.contribution) for each in found.of("a")] == [
        ("dense", None, None),
        ("sparse", 1, 1 / 61),
    ]
    nothing = rrf({"dense": [], "sparse": []})
    assert (nothing.ids, nothing.scores.shape, nothing.ranks.shape) == ((), (0,), (0, 2))
    with refused("absent_lane", "dense did not run; an empty lane is []"):
        rrf({"dense": None, "sparse": ["a"]})
    with refused("absent_lane", "'unavailable'", "no embedder"):
        rrf({"dense": Lane("dense", status="unavailable", reason="no embedder")})
    with refused("no_lanes"):
        rrf({})
    with refused("wrong_type", "mapping"):
        rrf([["a"], ["b"]])


def test_A8_each_lane_keeps_its_own_backend_and_raw_score() -> None:
    found = rrf(
        {
            "lexical": Lane("lexical", (Hit("a", 1, 7.5), Hit("b", 2, None)), backend="rank-bm25"),
            "dense": [("b", 0.25)],
        }
    )
    assert found.backends == ("rank-bm25", "")
    assert [(each.backend, each.score) for each in found.of("a")] == [("rank-bm25", 7.5), ("", None)]
    assert [each.score for each in found.of("b")] == [None, 0.25]


def test_C14_ids_pairs_hits_and_lanes_give_the_same_order() -> None:
    hits = (Hit("y", 1, 0.9), Hit("x", 2, 0.4))
    ways = (["y", "x"], [("y", 0.9), ("x", 0.4)], list(hits), Lane("any", hits), np.array(["y", "x"]))
    found = [rrf({"a": way, "b": ["x"]}) for way in ways]
    assert {each.ids for each in found} == {("x", "y")}
    assert all(np.array_equal(each.scores, found[0].scores) for each in found)
    assert all(type(id) is str for each in found for id in each.ids)


def test_C15_any_number_of_lane_and_phrasing_lists_feed_one_fusion() -> None:
    lanes = {
        f"lane {lane} (phrasing {phrasing})": ["a", f"only {lane} {phrasing}"]
        for lane in range(8)
        for phrasing in range(5)
    }
    found = rrf(lanes)
    assert len(found.lanes) == 40
    assert found.ids[0] == "a"
    assert found.scores[0] == pytest.approx(40 / 61, rel=1e-14)


def test_prepared_lanes_give_what_the_lanes_give() -> None:
    lanes = {"a": ["x", "y", "z"], "b": [("z", 0.5), ("x", 0.25)]}
    prepared = prepare(lanes)
    assert prepare(prepared) is prepared
    for changes in (
        {},
        {"k": 3},
        {"weights": (2, 0.5)},
        {"dialect": "qdrant"},
        {"dialect": "langchain"},
        {"ties": "exact"},
    ):
        assert rrf(prepared, **changes) == rrf(lanes, **changes)
    with refused("contradiction", "prepare()"):
        rrf(prepared, repeats="best")


def test_params_give_the_same_fusion_again() -> None:
    lanes = {"a": ["x", "y", "z"], "b": ["z", "x"]}
    found = rrf(lanes, k=7, rank_base=0, weights={"b": 0.3}, ties="exact")
    assert rrf(lanes, **found.params) == found
    again = rrf(lanes, dialect="haystack", weights=(1, 3))
    assert rrf(lanes, dialect="haystack", k=again.params["k"], weights=again.params["weights"]) == again
    assert Fusion.from_json(json.loads(json.dumps(again.to_json()))) == again


# ranks (1, 2, 7) and (7, 1, 2) hold the same three terms; folded in lane order they differ by a last bit
SPLIT = {
    "one": ["b", "", "", "", "", "", "a"],
    "two": ["a", "b", "", "", "", "", ""],
    "three": ["", "a", "", "", "", "", "b"],
}


def split_lanes() -> dict[str, list[str]]:
    return {name: [id or f"{name} {place}" for place, id in enumerate(lane)] for name, lane in SPLIT.items()}


def test_an_exact_tie_that_rounding_split_is_marked() -> None:
    found = rrf(split_lanes())
    assert (1 / 61 + 1 / 62) + 1 / 67 > (1 / 67 + 1 / 61) + 1 / 62
    assert found.ids[:2] == ("b", "a")
    assert found.decided[:2] == ("rounding", "rounding")
    assert "folded in lane order" in found.tie_rule


def test_ties_exact_gives_an_exact_tie_to_the_id_before_rounding() -> None:
    found = rrf(split_lanes(), ties="exact")
    assert found.ids[:2] == ("a", "b")
    assert found.decided[:2] == ("id", "id")
    assert found.scores[0] < found.scores[1]  # the scores are the folded doubles still
    assert found.params["ties"] == "exact"
    assert "exact fraction" in found.tie_rule


def test_doubles_that_tie_where_fractions_do_not_are_marked() -> None:
    lanes = {"a": ["z", "y"]}
    found = rrf(lanes, k=1e17)  # 1e17 + 1 and 1e17 + 2 are the same double
    assert found.ids == ("y", "z")
    assert found.decided == ("rounding", "rounding")
    assert rrf(lanes, k=1e17, ties="exact").ids == ("z", "y")


def test_weights_count_as_the_decimals_that_they_print() -> None:
    lanes = {"p": ["both"], "q": ["both"], "r": ["alone"]}
    found = rrf(lanes, k=0, weights=(0.1, 0.2, 0.3))
    assert found.scores.tolist() == [0.1 + 0.2, 0.3]
    assert found.decided == ("rounding", "rounding")
    assert rrf(lanes, k=0, weights=(0.1, 0.2, 0.3), ties="exact").ids == ("alone", "both")


def test_marking_thousands_of_ties_works_out_no_fraction_for_each() -> None:
    lanes = {"a": [f"a{place}" for place in range(3000)], "b": [f"b{place}" for place in range(3000)]}
    found = rrf(lanes)
    assert found.decided.count("id") == 3001  # one a pair, and the first row
    assert found.decided.count("score") == 2999


def test_what_a_dialect_fixes_cannot_be_given_beside_it() -> None:
    with refused("contradiction", "rank_base is 1", "'qdrant'"):
        rrf({"a": ["x"]}, rank_base=1, dialect="qdrant")
    with refused("contradiction", "ties is 'exact'"):
        rrf({"a": ["x"]}, ties="exact", dialect="citenexus")
    with refused("unknown_dialect", "'elastic'", "elasticsearch"):
        rrf({"a": ["x"]}, dialect="elastic")
    with refused("out_of_range", "ties is 'random'"):
        rrf({"a": ["x"]}, ties="random")
    with refused("out_of_range", "rank_base is 2"):
        rrf({"a": ["x"]}, rank_base=2)


def test_fuse_picks_the_method_and_lets_the_defaults_of_config_through() -> None:
    lanes = {"a": [("x", 2.0), ("y", 1.0)], "b": [("y", 5.0)]}
    settings = Config()
    given = {"k": settings.k, "weights": settings.weights, "dialect": settings.dialect, "ties": settings.ties}
    assert [fuse(method, lanes, **given).method for method in ("rrf", "relative_score", "dbsf")] == [
        "rrf",
        "relative_score",
        "dbsf",
    ]
    assert fuse("rrf", lanes, k=5, weights={"a": 2.0}) == rrf(lanes, k=5, weights={"a": 2.0})


@pytest.mark.parametrize("method", ["relative_score", "dbsf"])
@pytest.mark.parametrize("given", [{"k": 10}, {"ties": "exact"}], ids=repr)
def test_A7_a_parameter_of_another_fusion_is_refused(method: str, given: dict) -> None:
    with refused("parameter_of_another_fusion", next(iter(given)), method):
        fuse(method, {"a": [("x", 2.0)]}, **given)


def test_A7_dbsf_reads_neither_weights_nor_dialect() -> None:
    with refused("parameter_of_another_fusion", "weights"):
        fuse("dbsf", {"a": [("x", 2.0)]}, weights={"a": 2})
    with refused("parameter_of_another_fusion", "dialect"):
        fuse("dbsf", {"a": [("x", 2.0)]}, dialect="qdrant")
    with refused("unknown_fusion", "'borda'", "rrf, relative_score, dbsf"):
        fuse("borda", {"a": ["x"]})


KERNEL_REFUSALS = [
    case
    for case in REFUSALS["cases"]
    if case["call"] == "hybrid_search" and {"dense", "sparse", "rrf_k"} >= set(case["arguments"])
]


@pytest.mark.parametrize("case", KERNEL_REFUSALS, ids=lambda case: case["code"])
def test_A12_the_refusals_of_a_rank_fusion(case: dict) -> None:
    arguments = dict(case["arguments"])
    k = arguments.pop("rrf_k", None)

    def lane(hits: list | None) -> list | None:
        return hits and [(id, float(score) if isinstance(score, str) else score) for id, score in hits]

    with refused(case["code"], case["message_says"].split(";")[0]):
        rrf({name: lane(hits) for name, hits in arguments.items()}, k=k)


def test_there_are_refusals_to_check() -> None:
    assert {case["code"] for case in KERNEL_REFUSALS} == {
        "absent_lane",
        "repeated_id",
        "not_finite",
        "out_of_range",
        "id_not_text",
    }
