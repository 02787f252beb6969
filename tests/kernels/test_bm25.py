"""BM25 by example: published values, and what people stumble over in other engines."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import refused
from workbench.kernels.bm25 import BM25Index
from workbench.kernels.bm25_weights import VARIANTS

CASES = json.loads((Path(__file__).parents[1] / "conformance" / "bm25.json").read_text(encoding="utf-8"))["cases"]
HALVES = {"ab": "alpha beta", "ag": "alpha gamma", "db": "delta beta", "dg": "delta gamma"}


def index(documents: dict[str, str], **options: object) -> BM25Index:
    return BM25Index.build([text.split() for text in documents.values()], list(documents), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "variant"),
    [pytest.param(case, variant, id=f"{case['name']}: {variant}") for case in CASES for variant in case["expect"]],
)
def test_conformance_scores_agree_to_1e_9(case: dict, variant: str) -> None:
    expect = case["expect"][variant]
    names = [f"d{place}" for place in range(len(case["documents"]))]
    # the seed's source says tf·(k1 + 1); bm25s's lucene has no such factor
    factor = {"k1_plus_1": True} if variant == "lucene" and "(k1+1)" in expect["source"] else {}
    built = BM25Index.build(case["documents"], names, k1=expect["k1"], b=expect["b"], variant=variant, **factor)
    assert built.scores(case["query"]).tolist() == pytest.approx(expect["scores"], rel=1e-9, abs=0)


def test_A16_the_seed_finds_a_and_c_at_0_803993_and_its_score_model_says_the_factor() -> None:
    case = next(case for case in CASES if case["name"] == "Algenta seed")
    built = BM25Index.build(case["documents"], [*case["texts"]], k1=1.8, b=1.0, k1_plus_1=True)
    found = built.search(case["query"], 2)
    assert found.ids == ("a", "c")
    assert [round(score, 6) for score in found.scores.tolist()] == [0.803993, 0.803993]
    assert built.score_model("code") == "bm25-lucene(k1=1.8,b=1,k1_plus_1=true,analyzer=code)"
    assert "· (k1 + 1)" in built.formula


def test_A9_the_score_model_names_every_number_that_scores_depend_on() -> None:
    assert index(HALVES).score_model() == "bm25-lucene(k1=1.2,b=0.75,analyzer=english)"
    assert index(HALVES, variant="plus").score_model("plain") == "bm25-plus(k1=1.2,b=0.75,delta=1,analyzer=plain)"
    assert "epsilon=0.3" in index(HALVES, variant="okapi", epsilon=0.3).score_model()
    assert index(HALVES, k1=1.23456789).score_model() != index(HALVES, k1=1.2345678).score_model()


def test_B1_okapi_gives_0_to_a_term_in_exactly_half_of_the_documents_and_says_so() -> None:
    okapi = index(HALVES, variant="okapi", k1=1.5)
    found = okapi.search(["alpha"], 10)
    assert found.ids == ("ab", "ag")
    assert found.scores.tolist() == [0.0, 0.0]
    assert found.contributions.tolist() == [[0.0], [0.0]]  # a real contribution, not an absent one
    assert okapi.explain("ab", ["alpha"])[0].notes == ("in exactly half of the documents: idf is 0",)

    lucene = index(HALVES).search(["alpha"], 10)
    assert lucene.ids == ("ab", "ag")
    assert lucene.scores.tolist() == pytest.approx([0.31506690025452055] * 2, rel=1e-12)


def test_B2_lucene_idf_falls_as_document_frequency_rises_and_okapis_exception_is_marked() -> None:
    documents = {"a": "the x a1", "b": "the x b1", "c": "the y c1", "d": "z d1 e1"}
    idfs = [index(documents).explain("a", [term])[0].idf for term in ("a1", "x", "the")]
    assert idfs == sorted(idfs, reverse=True)
    assert len(set(idfs)) == 3

    the, x = index(documents, variant="okapi").explain("a", ["the", "x"])
    plain = {term: math.log((4 - df + 0.5) / (df + 0.5)) for term, df in (("the", 3), ("x", 2))}
    ones = math.log(3.5 / 1.5)  # a1, b1, y, c1, z, d1, e1
    mean = (7 * ones + plain["the"] + plain["x"]) / 9
    assert the.idf == pytest.approx(0.25 * mean, rel=1e-12)
    assert the.idf > x.idf == 0.0  # the commoner term weighs more: okapi's exception
    assert "in more than half of the documents: its idf would be -0.8473" in the.notes[0]
    assert "epsilon · mean idf" in the.notes[0]


def test_B2_a_negative_mean_idf_makes_okapi_scores_negative_and_they_are_ranked() -> None:
    documents = {"r": "red red blue", "g": "red green", "b": "blue green green"}
    okapi = index(documents, variant="okapi", k1=1.5)
    found = okapi.search(["red", "red", "green"], 10)
    assert found.ids == ("b", "r", "g")
    assert found.scores.tolist() == pytest.approx([-0.17539077210849466, -0.3507815442169893, -0.43168362571773866])
    assert "lowers the score" in okapi.explain("r", ["red"])[0].notes[1]


def test_B3_bm25l_says_which_formula_and_marks_the_extra_tf() -> None:
    documents = {"t": "red red red", "u": "blue green grey"}
    built = index(documents, variant="l", k1=1.5)
    assert "tf stands once more than in the paper" in built.formula
    assert "rank-bm25 0.2.2" in built.formula
    (red,) = built.explain("t", ["red"])
    assert red.tf == 3
    assert red.contribution == pytest.approx(math.log(3 / 1.5) * 3 * 2.5 * 3.5 / 5.0, rel=1e-12)
    assert red.notes == ("tf 3 multiplies once more than in the paper, as in rank-bm25 0.2.2",)
    assert built.explain("u", ["blue"])[0].notes == ()


def test_B4_no_documents_is_nothing_to_search_and_no_tokens_is_nothing_found() -> None:
    with refused("nothing_to_search", "no document to search"):
        BM25Index.build([], [])
    for variant in VARIANTS:
        empty = index({"a": "", "b": ""}, variant=variant)
        assert empty.search(["red"], 5).ids == ()
        assert empty.search([], 5).contributions.shape == (0, 0)
        assert empty.scores(["red"]).tolist() == [0.0, 0.0]
        assert empty.rank_of("a", ["red"]) is None
    mixed = index({"a": "", "b": "red"})
    assert mixed.search(["red"], 5).ids == ("b",)
    assert mixed.explain("a", ["red"])[0].length == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_B5_the_same_tf_in_a_longer_document_scores_lower_for_b_above_0_and_equal_for_b_0(variant: str) -> None:
    documents = {"short": "red blue", "long": "red blue green grey brown", "c": "x", "d": "y", "e": "z"}
    short, long = index(documents, variant=variant, b=0.75).scores(["red"])[:2]
    assert short > long
    short, long = index(documents, variant=variant, b=0).scores(["red"])[:2]
    assert short == long


def test_a_document_without_a_query_term_is_never_returned_also_where_plus_gives_it_a_score() -> None:
    plus = index(HALVES, variant="plus", k1=1.5)
    assert plus.scores(["alpha", "beta"])[3] > 0
    found = plus.search(["alpha", "beta"], 10)
    assert found.ids == ("ab", "ag", "db")
    assert found.matched.tolist() == [[True, True], [True, False], [False, True]]
    # what an absent term adds is part of the score, so it is recorded and marked
    absent = plus.explain("ag", ["alpha", "beta"])[1]
    assert (absent.tf, absent.weight, absent.contribution) == (0, 1.0, found.contributions[1, 1])
    assert absent.notes == ("not in this document: plus adds idf · delta to every document",)


def test_an_absent_term_is_nan_and_explained_as_absent() -> None:
    built = index(HALVES)
    found = built.search(["alpha", "purple", "beta"], 2)
    assert np.isnan(found.contributions).tolist() == [[False, True, False], [False, True, True]]
    alpha, purple, beta = built.explain("ag", ["alpha", "purple", "beta"])
    assert alpha.contribution == found.contributions[1, 0]
    assert (purple.df, purple.idf, purple.contribution) == (0, None, None)
    assert purple.notes == ("in no document: it adds nothing",)
    assert (beta.tf, beta.df, beta.contribution) == (0, 2, None)
    assert beta.notes == ("not in this document: it adds nothing",)


def test_notes_tell_robertsons_zero_and_atires_everywhere_term() -> None:
    documents = {"a": "red x", "b": "red y", "c": "red z"}
    assert "robertson takes 0" in index(documents, variant="robertson").explain("a", ["red"])[0].notes[0]
    assert index(documents, variant="atire").explain("a", ["red"])[0].notes == (
        "in every one of the documents: idf is 0",
    )
    assert index(documents).explain("a", ["red"])[0].notes == ()


def test_a_query_term_counts_as_often_as_it_is_given() -> None:
    once, twice = index(HALVES).search(["alpha"], 1), index(HALVES).search(["alpha", "alpha"], 1)
    assert twice.scores[0] == once.scores[0] + once.scores[0]
    assert twice.contributions.shape == (1, 2)


def test_a_filter_changes_who_is_returned_and_no_score() -> None:
    built = BM25Index.build([["red"], ["red", "red"], ["red", "blue"]], ["z", "a", "m"])
    every = built.search(["red"], 3)
    assert every.ids == ("a", "z", "m")
    found = built.search(["red"], 3, allowed=[True, False, True])  # in the order given: not a
    assert found.ids == ("z", "m")
    assert found.scores.tolist() == every.scores.tolist()[1:]
    assert built.search(["red"], 3, allowed=np.zeros(3, dtype=bool)).ids == ()


def test_ties_go_to_the_ascending_id_by_code_point() -> None:
    names = ["b", "a10", "a2", "Z", "é", "z"]
    assert BM25Index.build([["red"]] * 6, names).search(["red"], 6).ids == ("Z", "a10", "a2", "b", "z", "é")


def test_rank_of_finds_any_document_past_any_depth() -> None:
    built = index(HALVES)
    assert built.search(["alpha", "beta"], 1).ids == ("ab",)
    assert built.rank_of("db", ["alpha", "beta"]) == (3, built.scores(["alpha", "beta"])[2])
    assert built.rank_of("dg", ["alpha", "beta"]) is None


def test_df_counts_documents_not_occurrences() -> None:
    built = index({"a": "red red", "b": "blue"})
    assert (built.df("red"), built.df("blue"), built.df("purple")) == (1, 1, 0)


def test_a_result_is_frozen_and_equal_to_another_of_the_same_search() -> None:
    found = index(HALVES).search(["alpha"], 2)
    assert found == index(HALVES).search(["alpha"], 2)
    assert found != index(HALVES).search(["beta"], 2)
    with pytest.raises(ValueError, match="read-only"):
        found.scores[0] = 9.0


REFUSALS = {
    "ids and tokens of different number": ("shape_mismatch", "2", ([["a"], ["b"]], ["x"]), {}),
    "a repeated id": ("repeated_id", "'x'", ([["a"], ["b"]], ["x", "x"]), {}),
    "an id that is a number": ("id_not_text", "7", ([["a"]], [7]), {}),
    "an empty id": ("missing_id", "document 1", ([["a"]], [""]), {}),
    "ids as one text": ("wrong_type", "'x'", ([["a"]], "x"), {}),
    "tokens as one text": ("wrong_type", "'ab'", ("ab", ["x", "y"]), {}),
    "a document as one text": ("wrong_type", "'red green'", (["red green"], ["x"]), {}),
    "a document that is a number": ("wrong_type", "7", ([7], ["x"]), {}),
    "a token that is a number": ("wrong_type", "token 2 of 'x' is 3", ([["a", 3]], ["x"]), {}),
    "a token that is a list": ("wrong_type", "token 1 of 'y'", ([["a"], [["b"]]], ["x", "y"]), {}),
    "k1 below 0": ("out_of_range", "k1 is -0.1", ([["a"]], ["x"]), {"k1": -0.1}),
    "k1 NaN": ("not_finite", "k1 is nan", ([["a"]], ["x"]), {"k1": math.nan}),
    "b above 1": ("out_of_range", "b is 1.1", ([["a"]], ["x"]), {"b": 1.1}),
    "b below 0": ("out_of_range", "b is -1", ([["a"]], ["x"]), {"b": -1}),
    "an unknown variant": ("unknown_variant", "'lucine' (did you mean 'lucene'?)", ([["a"]], ["x"]), {"variant": "lucine"}),
    "delta where nothing reads it": ("unknown_parameter", "l or plus", ([["a"]], ["x"]), {"delta": 1.0}),
    "epsilon where nothing reads it": ("unknown_parameter", "okapi", ([["a"]], ["x"]), {"epsilon": 0.2}),
    "delta below 0": ("out_of_range", "delta is -1", ([["a"]], ["x"]), {"variant": "plus", "delta": -1}),
    "the factor where it always is": ("unknown_parameter", "'atire'", ([["a"]], ["x"]), {"variant": "atire", "k1_plus_1": True}),
    "the factor as a number": ("wrong_type", "k1_plus_1 is 2", ([["a"]], ["x"]), {"k1_plus_1": 2}),
}  # fmt: skip


@pytest.mark.parametrize(("code", "said", "given", "options"), REFUSALS.values(), ids=REFUSALS)
def test_build_refuses(code: str, said: str, given: tuple, options: dict) -> None:
    with refused(code, said):
        BM25Index.build(*given, **options)


def test_search_refuses_before_any_work() -> None:
    built = index(HALVES)
    with refused("out_of_range", "depth is 0"):
        built.search(["alpha"], 0)
    with refused("wrong_type", "'alpha'", "list of tokens"):
        built.search("alpha", 1)
    with refused("wrong_type", "query token 2"):
        built.search(["alpha", 3], 1)  # type: ignore[list-item]
    with refused("shape_mismatch", "(3,)", "4 documents"):
        built.search(["alpha"], 1, allowed=[True] * 3)
    with refused("wrong_type", "int64"):
        built.search(["alpha"], 1, allowed=[1, 0, 1, 0])
    for asked in (built.rank_of, built.explain):
        with refused("unknown_id", "'nope'"):
            asked("nope", ["alpha"])
