"""The lexical lane: our own index, and the rank-bm25 library itself."""

import pytest
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from tests.helpers import refused
from workbench import Filter, Passage, analyzer
from workbench.lanes.lexical import LexicalLane, RankBM25Lane

TEXTS = {
    "a": "The boiler is serviced each March by the caretaker.",
    "b": "The caretaker reads the heat meter, and the caretaker bleeds the radiator.",
    "c": "Visitors park at the harbour.",
    "d": "Radiator valves are replaced by the contractor.",
}
PASSAGES = [Passage(id, id, text, 0) for id, text in TEXTS.items()]
READER = analyzer("english")


def test_each_hit_lists_its_terms_with_their_contributions_and_where_they_stand() -> None:
    lane = LexicalLane(PASSAGES, READER).search("caretaker radiator", 10)
    first = lane.detail[lane.ids[0]]
    assert lane.ids[0] == "b"
    assert [t["term"] for t in first["terms"]] == ["caretak", "radiat"]
    assert [TEXTS["b"][start:end] for start, end in first["spans"]] == ["caretaker", "caretaker", "radiator"]
    assert lane.score_model == "bm25-lucene(k1=1.2,b=0.75,analyzer=english)"


@pytest.mark.parametrize("library", [BM25Okapi, BM25L, BM25Plus])
def test_a_rank_bm25_index_of_ones_own_gives_its_own_scores(library: type) -> None:
    own = library([text.lower().split() for text in TEXTS.values()])
    lane = RankBM25Lane(PASSAGES, READER, index=own, tokenize=lambda text: text.lower().split())
    found = lane.search("the caretaker", 10)
    scores = dict(zip(TEXTS, own.get_scores(["the", "caretaker"]).tolist(), strict=True))
    assert {hit.id: hit.score for hit in found.hits} == {id: scores[id] for id in found.ids}
    assert list(found.ids) == sorted(found.ids, key=lambda id: (-scores[id], id))
    assert found.score_model.startswith(f"rank-bm25-{library.__name__}(k1=1.5")


def test_an_index_that_does_not_fit_the_passages_is_refused() -> None:
    with refused("shape_mismatch", "2 documents for 4 passages"):
        RankBM25Lane(PASSAGES, READER, index=BM25Okapi([["a"], ["b"]]))
    with refused("wrong_type", "BM25Okapi"):
        RankBM25Lane(PASSAGES, READER, index=["not", "an", "index"])


def test_a_score_window_applies_to_the_lanes_own_scores_before_the_depth() -> None:
    lane = LexicalLane(PASSAGES, READER)
    scores = [hit.score for hit in lane.search("caretaker radiator", 10).hits]
    assert len(scores) == 3
    window = Filter(max_score=scores[1])
    assert [hit.score for hit in lane.search("caretaker radiator", 1, window).hits] == [scores[1]]
    assert lane.search("caretaker radiator", 10, window).dropped == 1


def test_the_true_rank_of_any_passage_is_known_past_any_depth() -> None:
    lane = LexicalLane(PASSAGES, READER)
    ranked = lane.search("caretaker radiator", 10)
    assert [lane.rank_of("caretaker radiator", id) for id in ranked.ids] == [
        (hit.rank, hit.score) for hit in ranked.hits
    ]
    assert lane.rank_of("caretaker radiator", "c") is None
