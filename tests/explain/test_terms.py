"""A contribution is printed as the fraction that it is."""

import pytest

from tests.helpers import refused
from workbench.explain.terms import term_text
from workbench.kernels.fusion import fuse, rrf


@pytest.mark.parametrize(
    ("changes", "lane", "rank", "text"),
    [
        ({}, "a", 3, "1/(60+3)"),
        ({"weights": {"a": 0.7}}, "a", 3, "0.7/(60+3)"),
        ({"weights": {"a": 0.7}}, "b", 1, "1/(60+1)"),
        ({"k": 0.5, "rank_base": 0}, "a", 3, "1/(0.5+2)"),
        ({"dialect": "langchain"}, "a", 1, "0.5/(60+1)"),
        ({"dialect": "llamaindex"}, "a", 1, "1/(60+0)"),
        ({"dialect": "haystack", "weights": (2, 1)}, "a", 1, "61·(2/3)/(61+0)"),
        ({"dialect": "qdrant"}, "a", 3, "1/(3+2-1)"),
        ({"dialect": "qdrant", "weights": (3, 0)}, "a", 2, "1/(2/3+2-1)"),
        ({"dialect": "qdrant", "weights": (3, 0)}, "b", 2, "0"),
    ],
)
def test_a_term_is_printed_as_the_fraction_that_it_is(changes: dict, lane: str, rank: int, text: str) -> None:
    found = rrf({"a": ["x", "y", "z"], "b": ["z", "y"]}, **changes)
    assert term_text(found, lane, rank) == text
    column = found.lanes.index(lane)
    row = found.ranks[:, column].tolist().index(rank)
    value = eval(text.replace("·", "*"))
    assert found.contributions[row, column] == pytest.approx(value, rel=1e-6)


def test_a_term_of_no_lane_no_rank_or_no_rank_fusion_is_refused() -> None:
    found = rrf({"a": ["x"]})
    with refused("unknown_id", "'b'"):
        term_text(found, "b", 1)
    with refused("out_of_range", "rank is 0"):
        term_text(found, "a", 0)
    with refused("parameter_of_another_fusion", "dbsf"):
        term_text(fuse("dbsf", {"a": [("x", 1.0)]}), "a", 1)
