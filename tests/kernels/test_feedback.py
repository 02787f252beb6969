import json
from pathlib import Path

import pytest

from tests.helpers import refused
from workbench.kernels.feedback import expand
from workbench.records import AddedTerm

SEED = json.loads((Path(__file__).parents[1] / "conformance" / "rerankgate.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", SEED["rm3"], ids=lambda case: repr(case["query"]))
def test_R8_the_expanded_query_equals_the_seed(case: dict) -> None:
    rewrite = expand(case["query"], [(id, text) for id, text, *_ in case["evidence"]], analyzer="ascii")
    assert rewrite is not None
    assert rewrite.query == case["expect"]


def test_R8_each_added_term_says_how_often_and_from_which_passages() -> None:
    rewrite = expand("heating", [("a", "boiler boiler valve"), ("b", "the boiler"), ("c", "valve")], terms=2)
    assert rewrite is not None
    assert rewrite.terms == (AddedTerm("boiler", 3, ("a", "b")), AddedTerm("valve", 2, ("a", "c")))


def test_a_stem_is_counted_but_a_word_is_added() -> None:
    rewrite = expand("query", [("a", "Deliveries arrive. The delivery was late; deliveries stop.")], terms=1)
    assert rewrite is not None
    assert rewrite.query == "query deliveries"  # the stem is "deliveri", and "deliveries" its most frequent spelling
    assert rewrite.terms[0].count == 3


def test_of_equally_frequent_spellings_the_alphabetically_first_is_added() -> None:
    rewrite = expand("query", [("a", "pumps pump")], terms=1)
    assert rewrite is not None
    assert rewrite.query == "query pump"


def test_a_form_of_a_query_word_is_not_new() -> None:
    assert expand("running pumps", [("a", "run the pump")]) is None


def test_only_the_first_passages_are_read_and_short_words_are_left() -> None:
    assert expand("query", [("a", "ox is up"), ("b", "valve")], passages=1) is None


def test_a_pair_of_ideographs_is_long_enough() -> None:
    rewrite = expand("料金", [("a", "返金")])
    assert rewrite is not None
    assert rewrite.query == "料金 返金"


def test_no_evidence_adds_nothing() -> None:
    assert expand("query", []) is None


def test_refusals_name_what_was_given() -> None:
    with refused("out_of_range", "terms is 0"):
        expand("query", [], terms=0)
    with refused("out_of_range", "passages is -1"):
        expand("query", [], passages=-1)
    with refused("repeated_id", "'a'"):
        expand("query", [("a", "x"), ("a", "y")])
    with refused("unknown_analyzer", "'englsh'", "english"):
        expand("query", [], analyzer="englsh")
