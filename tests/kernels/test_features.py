import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.kernels.features import rerank

SEED = json.loads((Path(__file__).parents[1] / "conformance" / "rerankgate.json").read_text(encoding="utf-8"))


def values(reranking, id: str) -> dict[str, float]:
    return {feature.name: feature.value for feature in reranking.of(id)}


@pytest.mark.parametrize("case", SEED["feature_rerank"], ids=lambda case: repr(case["query"]))
def test_R4_the_reranking_equals_the_seed(case: dict) -> None:
    ids, texts, scores = zip(*case["candidates"], strict=True)
    found = rerank(case["query"], ids, texts, scores, analyzer="ascii", phrase="substring")
    assert [
        {
            "id": id,
            "score": round(score, 4),
            "coverage": round(values(found, id)["coverage"], 4),
            "phrase": values(found, id)["phrase"],
        }
        for id, score in zip(found.ids, found.scores, strict=True)
    ] == case["expect"]


def test_R4_each_feature_is_kept_with_value_weight_and_contribution() -> None:
    found = rerank("written notice", ["a"], ["a written notice"], [0.5])
    assert [(f.name, f.value, f.weight, f.contribution) for f in found.of("a")] == [
        ("fused", 1.0, 0.5, 0.5),
        ("coverage", 1.0, 0.3, 0.3),
        ("phrase", 1.0, 0.2, 0.2),
    ]
    assert found.score_model == "feature(fused=0.5,coverage=0.3,phrase=0.2,analyzer=english,adjacent=tokens)"


@pytest.mark.parametrize(
    ("query", "text", "tokens", "substring"),
    [
        ("cat log", "the concat logging module", 0.0, 1.0),  # the seed finds it inside longer words
        ("machine learning", "machine-learning models", 1.0, 0.0),  # and misses the hyphen
        ("machine learning", "Machine  learning", 1.0, 0.0),
        ("notice period", "period notice", 0.0, 0.0),
        ("notice of termination", "the notice termination clause", 1.0, 1.0),  # function words do not part a query
        ("東京タワー", "昨日の東京タワーです", 1.0, 0.0),
    ],
)
def test_R_the_phrase_stands_on_token_boundaries_by_default(
    query: str, text: str, tokens: float, substring: float
) -> None:
    assert values(rerank(query, ["a"], [text], [1.0]), "a")["phrase"] == tokens
    assert values(rerank(query, ["a"], [text], [1.0], phrase="substring"), "a")["phrase"] == substring


def test_a_tie_goes_to_the_ascending_id_and_the_row_says_so() -> None:
    found = rerank("x", ["b", "c", "a"], ["", "", ""], [0.5, 0.1, 0.5])
    assert found.ids == ("a", "b", "c")
    assert found.decided == ("id", "id", "score")


def test_a_best_fused_score_of_zero_or_less_gives_no_share_and_the_note_says_so() -> None:
    found = rerank("alpha", ["a", "b"], ["beta", "alpha"], [-1.0, -2.0])
    assert found.ids == ("b", "a")
    assert values(found, "a")["fused"] == values(found, "b")["fused"] == 0.0
    assert found.of("a")[0].note == "the best fused score is -1, so no share of it can be formed"


def test_weights_are_honoured_and_a_zero_weight_is_zero() -> None:
    found = rerank("alpha", ["a", "b"], ["alpha", ""], [0.1, 0.9], weights=(0, 1, 0))
    assert found.ids == ("a", "b")
    assert found.scores == (1.0, 0.0)


def test_no_candidate_is_an_empty_reranking() -> None:
    assert rerank("alpha", [], [], []).ids == ()


@given(
    st.lists(
        st.tuples(st.text("abc ", max_size=12), st.floats(-1, 1)),
        min_size=1,
        max_size=8,
    ),
    st.text("abc ", max_size=8),
    st.permutations(range(8)),
)
@settings(deadline=None)
def test_every_score_is_the_left_fold_of_its_features_whatever_the_order_given(rows, query, order) -> None:
    ids = [f"i{n}" for n in range(len(rows))]
    found = rerank(query, ids, [r[0] for r in rows], [r[1] for r in rows], analyzer="plain")
    for id, score in zip(found.ids, found.scores, strict=True):
        fused, coverage, phrase = found.of(id)
        assert score == fused.contribution + coverage.contribution + phrase.contribution
        assert all(f.contribution == f.weight * f.value for f in found.of(id))
    assert list(found.ids) == sorted(ids, key=lambda id: (-found.scores[found.ids.index(id)], id))
    mixed = [i for i in order if i < len(rows)]
    again = rerank(
        query, [ids[i] for i in mixed], [rows[i][0] for i in mixed], [rows[i][1] for i in mixed], analyzer="plain"
    )
    assert again == found


def test_coverage_by_a_second_method() -> None:
    found = rerank("red green blue", ["a"], ["green and blue and blue"], [2.0], weights=(0, 1, 0))
    assert found.scores[0] == float(Fraction(2, 3))


def test_refusals_name_what_was_given() -> None:
    with refused("not_finite", "fused score of 'a'", "nan"):
        rerank("x", ["a"], ["x"], [float("nan")])
    with refused("shape_mismatch", "texts holds 1 and ids 2"):
        rerank("x", ["a", "b"], ["x"], [1.0, 2.0])
    with refused("repeated_id", "'a'"):
        rerank("x", ["a", "a"], ["x", "y"], [1.0, 2.0])
    with refused("out_of_range", "'word'"):
        rerank("x", ["a"], ["x"], [1.0], phrase="word")
    with refused("out_of_range", "-1"):
        rerank("x", ["a"], ["x"], [1.0], weights=(-1, 0, 0))
    with refused("shape_mismatch", "(1, 2)"):
        rerank("x", ["a"], ["x"], [1.0], weights=(1, 2))
    with refused("out_of_range", "head is 1"):
        rerank("x", ["a", "b"], ["x", "y"], [1.0, 2.0], head=1)
