import json
import math
from pathlib import Path

import pytest

from tests.helpers import refused
from workbench.kernels.fusion import dbsf, linear, relative_score
from workbench.records import Fusion, Hit, Lane

REFUSALS = json.loads((Path(__file__).parents[1] / "conformance" / "refusals.json").read_text(encoding="utf-8"))


def terms(fusion: Fusion, id: str) -> list[float | None]:
    return [each.contribution for each in fusion.of(id)]


def test_A7_linear_weighs_the_two_scores() -> None:
    found = linear([("a", 0.9), ("b", 0.1)], [("b", 4.0), ("a", 2.0)], alpha=0.25)
    assert found.ids == ("b", "a")
    assert found.scores.tolist() == [0.25 * 0.1 + 0.75 * 4.0, 0.25 * 0.9 + 0.75 * 2.0]
    assert terms(found, "a") == [0.25 * 0.9, 0.75 * 2.0]
    assert (found.lanes, found.params, found.possible) == (("dense", "sparse"), {"alpha": 0.25}, None)


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in REFUSALS["cases"]
        if case["arguments"].get("fusion") == "linear" and "alpha" in case["arguments"]
    ],
    ids=lambda case: case["code"],
)
def test_A7_the_refusals_of_linear(case: dict) -> None:
    given = case["arguments"]
    with refused(case["code"]):
        linear([tuple(hit) for hit in given["dense"]], [tuple(hit) for hit in given["sparse"]], alpha=given["alpha"])


def test_A7_linear_names_the_ids_and_the_lane_that_never_saw_them() -> None:
    with refused("missing_score", "'sparse'", "'b'"):
        linear([("a", 0.1), ("b", 0.2)], [("a", 0.5)])
    with refused("missing_score", "'dense'", "'a'"):
        linear(["a"], [("a", 0.5)])
    with refused("absent_lane", "dense did not run"):
        linear(None, [("a", 0.5)])
    assert linear([], []).ids == ()


def test_linear_takes_negative_scores_and_orders_them() -> None:
    found = linear([("a", -3.0), ("b", -1.0)], [("a", -1.0), ("b", -2.0)])
    assert found.ids == ("b", "a")
    assert found.scores.tolist() == [-1.5, -2.0]


def test_linear_marks_a_tie_of_the_printed_numbers() -> None:
    found = linear([("a", 0.3), ("b", 0.2)], [("a", 0.1), ("b", 0.2)])
    assert found.scores.tolist() == [0.2, 0.2]
    assert found.decided == ("id", "id")


def test_F13_an_all_equal_lane_gives_one_times_its_weight() -> None:
    found = relative_score({"p": [("e", 3.0)], "q": [("x", 0.9), ("y", 0.5)]}, weights={"p": 0.3, "q": 2})
    assert terms(found, "e") == [0.3, None]
    assert terms(found, "x") == [None, 2.0]
    assert terms(found, "y") == [None, 0.0]
    assert found.possible == 2.3


def test_F13_min_max_of_9_4_1_and_opensearchs_floor() -> None:
    lanes = {"p": [("a", 9.0), ("b", 4.0), ("c", 1.0)]}
    assert relative_score(lanes).scores.tolist() == [1.0, 0.375, 0.0]
    assert relative_score(lanes, dialect="opensearch").scores.tolist() == [1.0, 0.375, 0.001]


LANES = {"l": [("a", 9.0), ("b", 4.0), ("c", 1.0)], "d": [("b", 0.9), ("d", 0.8), ("a", 0.2)]}


def test_opensearch_takes_the_mean_over_all_lanes() -> None:
    found = relative_score(LANES, dialect="opensearch")
    assert found.ids == ("b", "a", "d", "c")
    assert found.scores.tolist() == pytest.approx([0.6875, 0.5005, 0.428571, 0.0005], abs=1e-6)
    assert (found.possible, found.dialect) == (1.0, "opensearch")


def test_F13_a_single_hit_or_equal_scores_get_the_neutral_value() -> None:
    assert dbsf({"p": [("a", 7.0)]}).scores.tolist() == [0.5]
    assert dbsf({"p": [("a", 7.0), ("b", 7.0)]}).scores.tolist() == [0.5, 0.5]


def test_dbsf_measures_three_sample_deviations_around_the_mean() -> None:
    found = dbsf(LANES)
    assert found.ids == ("b", "a", "d", "c")
    assert found.scores.tolist() == pytest.approx([1.0899, 0.9879, 0.5734, 0.3488], abs=5e-5)
    assert found.possible is None


def test_dbsf_clamps_what_lies_beyond_three_deviations() -> None:
    found = dbsf({"p": [("far", 1000.0), *((f"n{place:02d}", place / 100) for place in reversed(range(30)))]})
    assert found.scores[0] == 1.0
    assert found.scores.min() > 0.0


def test_the_same_raw_scores_tie_exactly_and_go_to_the_id() -> None:
    lanes = {"p": [("z", 0.7), ("a", 0.7), ("m", 0.1)]}
    for found in (relative_score(lanes), dbsf(lanes)):
        assert found.ids == ("a", "z", "m")
        assert found.decided == ("id", "id", "score")


@pytest.mark.parametrize("method", [relative_score, dbsf])
def test_a_missing_score_is_named_with_its_lane(method: object) -> None:
    with refused("missing_score", "'p'", "'b'"):
        method({"p": [("a", 1.0), ("b", None)]})
    with refused("missing_score", "'p'", "'a', 'b', 'c', 'd', 'e' and 1 more"):
        method({"p": list("abcdef")})
    with refused("not_finite", "nan"):
        method({"p": [("a", math.nan)]})


@pytest.mark.parametrize("method", [relative_score, dbsf])
def test_an_absent_lane_has_no_term_and_an_empty_one_fuses(method: object) -> None:
    found = method({"p": Lane("p", (Hit("a", 1, 3.0), Hit("b", 2, 1.0)), backend="local"), "q": []})
    assert [each.contribution is None for each in found.of("a")] == [False, True]
    assert found.backends == ("local", "")
    assert method({"p": []}).ids == ()


@pytest.mark.parametrize("method", [relative_score, dbsf])
def test_a_spread_beyond_a_double_is_refused(method: object) -> None:
    with refused("out_of_range", "'p'", "rescale"):
        method({"p": [("a", 1.7e308), ("b", -1.7e308)]})


def test_dbsf_refuses_a_spread_that_vanishes_and_never_calls_it_neutral() -> None:
    with refused("out_of_range", "'p'"):
        dbsf({"p": [("a", 2e-200), ("b", 1e-200)]})


def test_relative_score_refuses_another_fusions_dialect() -> None:
    with refused("unknown_dialect", "'qdrant'", "opensearch"):
        relative_score(LANES, dialect="qdrant")


def test_params_give_the_same_fusion_again() -> None:
    for dialect in (None, "opensearch"):
        found = relative_score(LANES, weights={"l": 0.2, "d": 0.7}, dialect=dialect)
        assert relative_score(LANES, **found.params, dialect=dialect) == found
