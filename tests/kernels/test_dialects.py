from fractions import Fraction

import numpy as np
import pytest

from tests.helpers import refused
from workbench.kernels.fusion import DIALECTS, rrf
from workbench.records import Fusion

# one input under every formula; the scores were replayed from each engine's source
LANES = {"lexical": ["a", "b", "c"], "dense": ["b", "d", "a"]}
PLAIN = [("b", 0.032522), ("a", 0.032266), ("d", 0.016129), ("c", 0.015873)]
FROM_ZERO = [("b", 0.033060), ("a", 0.032796), ("d", 0.016393), ("c", 0.016129)]
EXPECT = {
    "paper": PLAIN,
    "citenexus": PLAIN,
    "elasticsearch": PLAIN,
    "opensearch": PLAIN,
    "milvus": PLAIN,
    "azure": PLAIN,
    "llamaindex": FROM_ZERO,
    "weaviate": FROM_ZERO,
    "langchain": [("b", 0.016261), ("a", 0.016133), ("d", 0.008065), ("c", 0.007937)],
    "haystack": [("b", 0.991935), ("a", 0.984127), ("d", 0.491935), ("c", 0.484127)],
    "qdrant": [("b", 0.833333), ("a", 0.75), ("d", 0.333333), ("c", 0.25)],
}


def rounded(fusion: Fusion) -> list[tuple[str, float]]:
    return [(id, round(score, 6)) for id, score in zip(fusion.ids, fusion.scores.tolist(), strict=True)]


@pytest.mark.parametrize("name", DIALECTS)
def test_each_dialect_gives_its_engines_order_and_scores(name: str) -> None:
    assert rounded(rrf(LANES, dialect=name)) == EXPECT[name]


@pytest.mark.parametrize("name", DIALECTS)
def test_each_dialect_says_what_it_is(name: str) -> None:
    spoken, found = DIALECTS[name], rrf(LANES, dialect=name)
    assert (found.dialect, found.arithmetic) == (name, spoken.arithmetic)
    assert (found.params["k"], found.params["rank_base"]) == (spoken.k, spoken.rank_base)
    assert spoken.engine_ties in found.tie_rule
    assert spoken.formula
    assert spoken.source


@pytest.mark.parametrize("name", [name for name, spoken in DIALECTS.items() if spoken.arithmetic == "float32"])
def test_a_float32_dialect_folds_in_float32(name: str) -> None:
    found = rrf({"a": ["x", "y", "z"], "b": ["z", "x", "y"], "c": ["y", "z", "x"]}, dialect=name, k=7)
    for score, terms in zip(found.scores, found.contributions, strict=True):
        folded = np.float32(terms[0])
        for term in terms[1:]:
            assert float(np.float32(term)) == term
            folded = folded + np.float32(term)
        assert float(folded) == score


def test_elasticsearch_multiplies_the_reciprocal() -> None:
    found = rrf({"a": ["x"]}, dialect="elasticsearch", weights=(0.7,), k=2)
    assert found.scores.tolist() == [float(np.float32(0.7) * (np.float32(1) / np.float32(3)))]


def test_weaviate_divides_in_double_and_then_narrows() -> None:
    found = rrf({"keyword": ["x"], "vector": ["y", "x"]}, dialect="weaviate", weights=(0.3, 0.7))
    assert found.scores[found.row("x")] == float(np.float32(0.3 / 60) + np.float32(0.7 / 61))


def test_opensearch_rounds_each_reciprocal_half_up_at_the_tenth_decimal() -> None:
    found = rrf({"a": [f"{place:05d}" for place in range(12_000)]}, dialect="opensearch")
    for rank, score in enumerate(found.contributions[np.argsort(found.ranks[:, 0]), 0].tolist(), start=61):
        decimal = Fraction((20_000_000_000 + rank) // (2 * rank), 10**10)
        below, above = np.nextafter(np.float32(score), np.float32([0, 1]))
        distance = abs(Fraction(score) - decimal)
        assert distance < abs(Fraction(float(below)) - decimal)
        assert distance < abs(Fraction(float(above)) - decimal)
        assert abs(decimal - Fraction(1, rank)) <= Fraction(1, 2 * 10**10)


@pytest.mark.parametrize("k", [0, 2.5, 10_001])
def test_opensearch_takes_a_whole_k_within_its_range(k: float) -> None:
    with refused("out_of_range", f"k is {k!r}"):
        rrf({"a": ["x"]}, dialect="opensearch", k=k)


@pytest.mark.parametrize("name", ["langchain", "llamaindex", "haystack"])
def test_ties_go_to_the_first_seen_where_the_framework_does_so(name: str) -> None:
    found = rrf({"one": ["z", "y"], "two": ["b", "a"]}, dialect=name)
    assert found.ids == ("z", "b", "y", "a")
    assert found.decided == ("first_seen", "first_seen", "score", "first_seen")


@pytest.mark.parametrize("name", [name for name, spoken in DIALECTS.items() if spoken.ties == "id"])
def test_ties_that_an_engine_leaves_open_go_to_the_ascending_id(name: str) -> None:
    found = rrf({"one": ["z", "y"], "two": ["b", "a"]}, dialect=name)
    assert found.ids == ("b", "z", "a", "y")
    assert found.decided == ("id", "id", "score", "id")


@pytest.mark.parametrize("name", [name for name, spoken in DIALECTS.items() if spoken.weights == "none"])
def test_weights_are_refused_where_the_engine_reads_none(name: str) -> None:
    with refused("parameter_of_another_fusion", name, "reads no weights"):
        rrf(LANES, dialect=name, weights={"dense": 2})
    assert rrf(LANES, dialect=name, weights={"dense": 1}) == rrf(LANES, dialect=name)


@pytest.mark.parametrize("name", ["langchain", "haystack"])
def test_weights_that_share_out_have_to_name_every_lane(name: str) -> None:
    with refused("shape_mismatch", "'lexical'"):
        rrf(LANES, dialect=name, weights={"dense": 2})


def test_langchain_takes_weights_raw_and_haystack_takes_shares() -> None:
    assert rrf({"a": ["x"], "b": []}, dialect="langchain", weights=(3, 1)).scores.tolist() == [3 / 61]
    assert rrf({"a": ["x"], "b": []}, dialect="haystack", weights=(3, 1)).scores.tolist() == [0.75]


def test_qdrant_stretches_the_rank_so_that_weight_three_is_worth_little_at_k_60() -> None:
    found = rrf({"a": ["x"], "b": ["y"]}, dialect="qdrant", k=60, weights=(3, 1))
    assert rounded(found) == [("x", 0.016854), ("y", 0.016667)]


def test_qdrant_refuses_what_would_divide_by_zero_or_turn_the_order_round() -> None:
    with refused("out_of_range", "k is 0", "weight 1.0"):
        rrf({"a": ["x"]}, dialect="qdrant", k=0)
    with refused("out_of_range", "weight 4.0"):
        rrf({"a": ["x"]}, dialect="qdrant", k=0.5, weights=(4,))


@pytest.mark.parametrize(
    ("given", "said"), [({"k": 1e39}, "k is 1e+39"), ({"weights": (1e39,)}, "1e+39"), ({"weights": (1e-39,)}, "1e-39")]
)
def test_numbers_that_float32_cannot_hold_are_refused(given: dict, said: str) -> None:
    with refused("out_of_range", said, "float32"):
        rrf({"a": ["x"]}, dialect="weaviate", **given)
