"""Haystack's DocumentJoiner itself. It scales after its fold and we before ours, so sums may part in their last bits."""

from typing import Any

import pytest
from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from tests.parity.cases import cases, named
from workbench import rrf
from workbench.formats import haystack_lane

pytestmark = pytest.mark.filterwarnings("ignore")
LAST_BITS = 1e-15


def fused(lanes: Any, weights: list[float] | None) -> list[tuple[str, float]]:
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", weights=weights)
    given = [[Document(id=id, content=id, score=score) for id, score in lane] for lane in lanes]
    return [(document.id, document.score) for document in joiner.run(given)["documents"]]


def test_200_random_joins_have_our_order_and_scores() -> None:
    for rng, lanes in cases():
        weights = rng.choice([None, [rng.choice([1.0, 2.0, 0.5]) for _ in lanes]])
        theirs, ours = fused(lanes, weights), rrf(named(lanes), dialect="haystack", weights=weights)
        assert [id for id, _ in theirs] == list(ours.ids)
        assert ours.scores.tolist() == pytest.approx([score for _, score in theirs], rel=LAST_BITS, abs=0)


def test_ties_without_rounding_stand_as_haystack_leaves_them() -> None:
    for _, lanes in cases(most_lanes=1, least=1):
        two = [lanes[0], [(f"{id}'", score) for id, score in lanes[0]]]
        assert [id for id, _ in fused(two, None)] == list(rrf(named(two), dialect="haystack").ids)


def test_a_retriever_component_is_a_lane() -> None:
    store = InMemoryDocumentStore()
    store.write_documents([Document(id="d1", content="alpha beta"), Document(id="d2", content="gamma delta")])
    lane = haystack_lane("bm25", InMemoryBM25Retriever(document_store=store)).search("alpha", 10)
    assert lane.ids[0] == "d1"
    assert lane.payload["d1"].text == "alpha beta"
