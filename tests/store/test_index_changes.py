"""An index that was changed is the index that would have been built."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench import BM25Index, DenseIndex
from workbench.corpus.packing import postings_in, postings_out, unit_in, units_out
from workbench.kernels.dense import unit

TOKENS = st.lists(st.sampled_from(["a", "b", "c", "東", "long-term"]), max_size=8)
CORPUS = st.dictionaries(st.text("xyz", min_size=1, max_size=3), TOKENS, min_size=1, max_size=12)


@settings(deadline=None, max_examples=150)
@given(before=CORPUS, after=CORPUS, variant=st.sampled_from(["lucene", "okapi", "plus", "l"]))
def test_a_changed_index_scores_as_one_that_was_built(before: dict, after: dict, variant: str) -> None:  # type: ignore[type-arg]
    old = BM25Index.build(list(before.values()), list(before), variant=variant)
    new = {id: tokens for id, tokens in after.items() if before.get(id) != tokens}
    changed = old.changed(list(after), new)
    built = BM25Index.build(list(after.values()), list(after), variant=variant)
    stored = BM25Index.of_postings(
        postings_out(*postings_in(old.postings)), old.ascending, list(after), new, variant=variant
    )
    query = ["a", "東", "a", "none", "b"]
    for index in (changed, stored):
        assert index.ids == built.ids
        assert index.search(query, 5) == built.search(query, 5)
        assert [index.explain(id, query) for id in after] == [built.explain(id, query) for id in after]
        assert {term: index.df(term) for term in query} == {term: built.df(term) for term in query}


def test_an_index_is_changed_only_by_what_is_known() -> None:
    index = BM25Index.build([["a"], ["b"]], ["x", "y"])
    with refused("unknown_id", "'z'"):
        index.changed(["x", "z"], {})
    with refused("nothing_to_search"):
        index.changed([], {})
    with refused("shape_mismatch", "1 ids for postings of 2 documents"):
        BM25Index.of_postings(index.postings, ["x"], ["x"], {})


def test_units_on_the_grid_make_the_same_index_and_others_are_refused() -> None:
    vectors = np.random.default_rng(7).normal(size=(50, 16))
    ids = [f"p{n}" for n in range(50)]
    built = DenseIndex.build(vectors, ids)
    again = DenseIndex.of_units(units_out([unit_in(row) for row in unit(vectors)]), ids)
    assert again.search(vectors[3], 10) == built.search(vectors[3], 10)
    assert np.array_equal(again.vectors(ids[::-1]), unit(vectors)[::-1])
    for odd in (vectors, np.full((50, 16), np.nan), np.full((50, 16), 0.1)):
        with refused("out_of_range", "grid"):
            DenseIndex.of_units(odd, ids)
    with refused("shape_mismatch"):
        DenseIndex.of_units(unit(vectors), ids[:4])


@pytest.mark.parametrize("spoilt", [0, 1, 2, 3, 5])
def test_counts_that_do_not_fit_together_are_no_counts(spoilt: int) -> None:
    columns = list(postings_in(BM25Index.build([["a", "b"], ["b"]], ["x", "y"]).postings))
    columns[spoilt] = '["a"]' if spoilt == 0 else columns[spoilt][:-3]
    with pytest.raises(ValueError, match=r"fit|size"):
        postings_out(*columns)
