"""LlamaIndex's QueryFusionRetriever itself, asked with the query alone."""

from typing import Any

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from tests.parity.cases import cases, named
from workbench import rrf
from workbench.formats import llamaindex_lane

pytestmark = pytest.mark.filterwarnings("ignore")


class Fixed(BaseRetriever):
    """Returns what it was given, fresh: the fusion writes its scores into the nodes."""

    def __init__(self, lane: list[tuple[str, float]]) -> None:
        super().__init__()
        self.lane = lane

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(id_=id, text=id), score=score) for id, score in self.lane]


def fused(lanes: Any) -> list[tuple[str, float]]:
    retriever = QueryFusionRetriever(
        [Fixed(lane) for lane in lanes],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        num_queries=1,
        use_async=False,
        similarity_top_k=1000,
    )
    return [(found.node.node_id, found.score) for found in retriever.retrieve("q")]


def test_200_random_fusions_have_our_order_and_scores() -> None:
    for _, lanes in cases():
        ours = rrf(named(lanes), dialect="llamaindex")
        assert fused(lanes) == list(zip(ours.ids, ours.scores.tolist(), strict=True))


def test_a_retriever_is_a_lane() -> None:
    lane = llamaindex_lane("li", Fixed([("b", 0.9), ("a", 0.5)])).search("q", 10)
    assert [(hit.id, hit.score) for hit in lane.hits] == [("b", 0.9), ("a", 0.5)]
    assert lane.payload["a"].text == "a"


def test_a_lane_that_is_not_in_its_scores_order_is_sorted_there_and_refused_here() -> None:
    from tests.helpers import refused

    assert fused([[("a", 0.1), ("b", 0.9)]])[0][0] == "b"
    with refused("contradiction", "lane 'li'"):
        llamaindex_lane("li", Fixed([("a", 0.1), ("b", 0.9)])).search("q", 10)
