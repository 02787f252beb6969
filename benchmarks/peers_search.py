"""BM25 and dense search beside the libraries that people use: same corpus, same queries, same top 100.

``benchmarks/kernels.py`` times these rows. Ours returns contributions per query term and breaks ties by
id; the peers return neither. Each callable takes the next query at each call, both in the same order.
"""

from collections.abc import Callable, Iterator
from itertools import cycle

import bm25s
import numpy as np
import rank_bm25

from workbench.kernels.bm25 import BM25Index
from workbench.kernels.dense import DenseIndex, unit

Row = tuple[str, Callable[[], object], str, Callable[[], object], float]
Query = list[str]

LENGTH, VOCABULARY, COMMONEST, TOP = 60, 50_000, 50, 100
QUERIES, TERMS = 40, 4


def rows() -> Iterator[Row]:
    """(name, ours, the peer's name, the peer's, peer time ÷ our time to reach), scores checked before they are timed."""
    for documents, library_goal in ((10_000, 40), (100_000, 150)):
        corpus = _Corpus(documents)
        yield from _against_rank_bm25(corpus, library_goal)
        yield from _against_bm25s(corpus, 1.3)
    yield _dense(100_000, 256)


class _Corpus:
    """Synthetic documents of 60 tokens by Zipf's law with exponent 1.07, and two sets of queries of 4 terms."""

    def __init__(self, documents: int) -> None:
        random = np.random.default_rng(11)
        shares = 1.0 / np.arange(1, VOCABULARY + 1) ** 1.07
        words = [f"w{number}" for number in range(VOCABULARY)]

        def draw(weights: np.ndarray, rows: int, columns: int) -> list[list[str]]:
            codes = random.choice(VOCABULARY, size=(rows, columns), p=weights / weights.sum())
            return [[words[code] for code in row] for row in codes.tolist()]

        content = np.where(np.arange(VOCABULARY) < COMMONEST, 0.0, shares)
        self.tokens = draw(shares, documents, LENGTH)
        self.ids = [f"passage-{number:06d}" for number in range(documents)]
        self.queries = {
            f"{documents:,} documents, words as they come": draw(shares, QUERIES, TERMS),
            f"{documents:,} documents, content words": draw(content, QUERIES, TERMS),
        }


def _against_rank_bm25(corpus: _Corpus, goal: float) -> Iterator[Row]:
    ours = BM25Index.build(corpus.tokens, corpus.ids, variant="okapi", k1=1.5)
    peer = rank_bm25.BM25Okapi(corpus.tokens)
    for name, queries in corpus.queries.items():
        for query in queries[:3]:
            assert np.allclose(ours.scores(query), peer.get_scores(query), rtol=1e-9, atol=1e-12)
        yield (
            f"bm25 okapi, {name}",
            _turns(queries, lambda query: ours.search(query, TOP)),
            "rank-bm25 get_scores + argsort",
            _turns(queries, lambda query: np.argsort(peer.get_scores(query))[::-1][:TOP]),
            goal,
        )


def _against_bm25s(corpus: _Corpus, goal: float) -> Iterator[Row]:
    ours = BM25Index.build(corpus.tokens, corpus.ids)
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numpy")
    peer.index(corpus.tokens, show_progress=False)

    def retrieve(query: Query) -> np.ndarray:
        found = peer.retrieve([query], k=TOP, show_progress=False, backend_selection="numpy")
        scores: np.ndarray = found.scores[0]
        return scores

    for name, queries in corpus.queries.items():
        for query in queries[:3]:
            scores = ours.search(query, TOP).scores
            assert np.allclose(scores, retrieve(query)[: len(scores)], rtol=1e-5)
        yield (
            f"bm25 lucene, {name}",
            _turns(queries, lambda query: ours.search(query, TOP)),
            "bm25s.retrieve, numpy",
            _turns(queries, retrieve),
            goal,
        )


def _dense(count: int, dimension: int) -> Row:
    random = np.random.default_rng(12)
    vectors = random.standard_normal((count, dimension), dtype=np.float32)
    ids = [f"passage-{number:06d}" for number in range(count)]
    index = DenseIndex.build(vectors, ids)
    short = unit(vectors).astype(np.float32)
    queries = random.standard_normal((QUERIES, dimension), dtype=np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)

    def usual(query: np.ndarray) -> np.ndarray:
        scores = short @ query
        best = np.argpartition(-scores, TOP)[:TOP]
        ranked: np.ndarray = best[np.argsort(-scores[best])]
        return ranked

    for query in queries[:3]:
        same = {ids[place] for place in usual(query).tolist()} & set(index.search(query, TOP).ids)
        assert len(same) >= TOP - 1  # float32 may swap the last one
    ours, peer = cycle(queries), cycle(queries)
    return (
        f"dense cosine, exact, {count:,} × {dimension}",
        lambda: index.search(next(ours), TOP),
        "E @ q + argpartition, float32",
        lambda: usual(next(peer)),
        1.2,
    )


def _turns(queries: list[Query], search: Callable[[Query], object]) -> Callable[[], object]:
    turn = cycle(queries)
    return lambda: search(next(turn))
