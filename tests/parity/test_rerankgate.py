"""rerankgate's HybridRetriever itself, over two fixed rankings."""

from types import SimpleNamespace

import pytest
from rerankgate.retrieval import HybridRetriever

from tests.parity.cases import cases, named
from workbench import rrf

pytestmark = pytest.mark.filterwarnings("ignore")


def fused(lanes: list[list[tuple[str, float]]], weights: tuple[float, float], k: int) -> list[tuple[str, float]]:
    words, vectors = ([(SimpleNamespace(id=id), score) for id, score in lane] for lane in lanes)
    retriever = HybridRetriever(
        SimpleNamespace(search=lambda query, k: words),
        SimpleNamespace(search=lambda vector, k: vectors),
        SimpleNamespace(embed=lambda texts: [[0.0]]),
        rrf_k=k,
        bm25_weight=weights[0],
        vector_weight=weights[1],
    )
    return [(found.chunk.id, found.score) for found in retriever.retrieve("q", k=1000).chunks]


def test_200_random_fusions_have_our_order_and_scores() -> None:
    for rng, lanes in cases(most_lanes=2):
        two = (lanes * 2)[:2]
        weights, k = rng.choice([(1.0, 1.0), (0.3, 0.7), (2.0, 1.0)]), rng.choice([60, 10])
        # its formula and its ties, first seen, are those of our langchain dialect
        ours = rrf(named(two), dialect="langchain", weights=weights, k=k)
        assert fused(two, weights, k) == list(zip(ours.ids, ours.scores.tolist(), strict=True))
