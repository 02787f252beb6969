import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import refused
from workbench.kernels.diversity import mmr

SEED = json.loads((Path(__file__).parents[1] / "conformance" / "mmr.json").read_text(encoding="utf-8"))
REFUSALS = json.loads((Path(__file__).parents[1] / "conformance" / "refusals.json").read_text(encoding="utf-8"))
KEYS = ("id", "relevance", "redundancy", "against", "score")
IDS, RELEVANCE = ["a", "b", "c"], [0.9, 0.88, 0.5]
NEAR = [[1, 0.95, 0.1], [0.95, 1, 0.2], [0.1, 0.2, 1]]


@pytest.mark.parametrize("case", SEED["cases"], ids=lambda case: case["name"])
def test_A10_every_seed_case_comes_out_as_the_same_doubles(case: dict) -> None:
    found = mmr(case["ids"], case["relevance"], case["similarity"], **case["params"])
    assert [{key: getattr(step, key) for key in KEYS} for step in found.steps] == case["expect"]


def test_M1_lambda_one_is_relevance_order_and_a_small_lambda_puts_c_second() -> None:
    plain = mmr(IDS, RELEVANCE, NEAR, lambda_mmr=1)
    assert (plain.ids, plain.changed) == (("a", "b", "c"), False)
    diverse = mmr(IDS, RELEVANCE, NEAR, lambda_mmr=0.3)
    assert (diverse.ids, diverse.changed) == (("a", "c", "b"), True)


def test_M1_redundancy_is_against_every_pick_and_not_only_the_last() -> None:
    found = mmr(IDS, RELEVANCE, NEAR, lambda_mmr=0.3)
    assert (found.steps[2].redundancy, found.steps[2].against) == (0.95, "a")


def test_M2_more_than_there_are_gives_all_of_them_once() -> None:
    found = mmr([*IDS, "d"], [*RELEVANCE, 0.1], np.eye(4), top_k=10)
    assert sorted(found.ids) == ["a", "b", "c", "d"]


def test_M2_lambda_zero_is_a_value() -> None:
    found = mmr(["b", "a", "c"], [0.1, 0.2, 0.9], np.eye(3), lambda_mmr=0)
    assert found.lambda_mmr == 0.0
    assert found.ids == ("a", "b", "c")  # relevance counts for nothing: all tie
    assert [step.decided for step in found.steps] == ["id", "id", "pick"]


def test_M3_negative_scores_still_pick_the_best() -> None:
    found = mmr(IDS, [-3.0, -1.0, -2.0], np.zeros((3, 3)), lambda_mmr=1)
    assert found.ids == ("b", "c", "a")


def test_changed_compares_with_the_relevance_order_and_its_ties() -> None:
    assert not mmr(["b", "a"], [0.5, 0.5], np.eye(2)).changed
    assert not mmr(IDS, RELEVANCE, NEAR, lambda_mmr=0.3, top_k=1).changed
    assert mmr(IDS, RELEVANCE, NEAR, lambda_mmr=0.3, top_k=2).changed


def test_a_list_a_flat_list_an_array_and_a_function_pick_alike() -> None:
    matrix = np.array(NEAR, dtype=np.float64)
    ways = (NEAR, [value for row in NEAR for value in row], matrix, matrix.astype(np.float64), lambda j: matrix[:, j])
    assert len({mmr(IDS, RELEVANCE, way, lambda_mmr=0.3).steps for way in ways}) == 1


def test_a_matrix_is_kept_whole_and_a_function_leaves_the_columns_of_the_picks() -> None:
    matrix = np.array([[1, 0.1, 0.2], [0.9, 1, 0.3], [0.0, 0.8, 1]])
    whole = mmr(IDS, [0.9, 0.8, 0.7], matrix, lambda_mmr=0.5)
    assert whole.columns == (0, 1, 2)
    assert np.array_equal(whole.similarity, matrix)
    asked: list[int] = []

    def column(pick: int) -> np.ndarray:
        asked.append(pick)
        return matrix[:, pick]

    picked = mmr(IDS, [0.9, 0.8, 0.7], column, lambda_mmr=0.5, top_k=2)
    assert asked == [0, 2]
    assert picked.columns == (0, 2)
    assert np.array_equal(picked.similarity, matrix[:, [0, 2]])


def test_the_callers_arrays_stay_as_they_are_and_a_buffer_may_be_handed_out_again() -> None:
    matrix, buffer = np.array(NEAR), np.zeros(3)
    before = matrix.copy()

    def column(pick: int) -> np.ndarray:
        buffer[:] = matrix[:, pick]
        return buffer

    assert mmr(IDS, RELEVANCE, column, lambda_mmr=0.3).steps == mmr(IDS, RELEVANCE, matrix, lambda_mmr=0.3).steps
    assert np.array_equal(matrix, before)
    assert matrix.flags.writeable


@pytest.mark.parametrize(
    "case", [case for case in REFUSALS["cases"] if case["call"] == "rerank"], ids=lambda case: case["code"]
)
def test_A12_the_refusals_of_rerank(case: dict) -> None:
    given = case["arguments"]
    ids, relevance = [list(part) for part in zip(*given["candidates"], strict=True)] or [[], []]
    similarity = [float(value) for value in given["similarity"]]
    said = case["message_says"].removeprefix("says ").removeprefix("names ")
    with refused(case["code"], said):
        mmr(ids, relevance, similarity, lambda_mmr=given.get("lambda_mmr", 0.7))


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({"similarity": [[1, 0], [0, 1]]}, "shape_mismatch", "2 × 2 for 3 candidates"),
        ({"similarity": [[1, 0, 0], [0, 1]]}, "shape_mismatch", "different lengths"),
        ({"similarity": [["1", "0", "0"]] * 3}, "wrong_type", "similarity"),
        ({"similarity": [[None, 0, 0]] * 3}, "wrong_type", "similarity"),
        ({"similarity": [[1, 0, 0], [0, 1, math.inf], [0, 0, 1]]}, "not_finite", "similarity[1][2] is inf"),
        ({"similarity": lambda j: [1.0, 2.0]}, "shape_mismatch", "similarity(0)"),
        ({"similarity": lambda j: [1.0, math.nan, 0.0]}, "not_finite", "similarity(0)[1] is nan"),
        ({"relevance": [1.0, 2.0]}, "shape_mismatch", "2 values for 3 candidates"),
        ({"relevance": [1.0, math.nan, 2.0]}, "not_finite", "relevance of 'b' is nan"),
        ({"relevance": [1.0, "x", 2.0]}, "wrong_type", "relevance of 'b' is 'x'"),
        ({"relevance": 1.0}, "wrong_type", "relevance is 1.0"),
        ({"lambda_mmr": -0.1}, "out_of_range", "lambda_mmr is -0.1"),
        ({"lambda_mmr": math.nan}, "not_finite", "lambda_mmr is nan"),
        ({"top_k": 0}, "out_of_range", "top_k is 0"),
        ({"top_k": 1.5}, "wrong_type", "top_k is 1.5"),
        ({"ids": ["a", "", "c"]}, "missing_id", "candidate 2"),
        ({"ids": ["a", 2, "c"]}, "id_not_text", "'2'"),
        ({"ids": "abc"}, "wrong_type", "ids is 'abc'"),
    ],
)
def test_A12_what_mmr_refuses(changes: dict, code: str, said: str) -> None:
    call = {"ids": IDS, "relevance": RELEVANCE, "similarity": NEAR, **changes}
    with refused(code, said):
        mmr(call.pop("ids"), call.pop("relevance"), call.pop("similarity"), **call)


def test_the_largest_numbers_overflow_nowhere() -> None:
    found = mmr(["a", "b", "c"], [0.3, 0.2, 0.1], lambda pick: [1e308, 1e308, 1e308], lambda_mmr=0.5, top_k=2)
    assert found.ids == ("a", "b")
