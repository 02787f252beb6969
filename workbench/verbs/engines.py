"""The engines of the built-in backends: each takes one checked request and gives one record."""

import numpy as np

from workbench.frozen import FrozenMap
from workbench.kernels import analysis
from workbench.kernels.dense import DenseIndex
from workbench.kernels.diversity import mmr
from workbench.kernels.fusion import linear, rrf
from workbench.lanes.base import cut, engine_depth
from workbench.lanes.lexical import LexicalLane
from workbench.records import Diversification, Filter, Fusion, Lane
from workbench.verbs.requests import Fuse, Rerank, Search


def lexical(search: Search) -> Lane:
    """BM25 over the documents of the call."""
    assert search.documents is not None
    options = dict(search.options)
    lane = LexicalLane(search.documents, analysis.analyzer(options.pop("analyzer")), **options)
    return lane.search(search.query, search.depth, search.filter)


def dense(search: Search) -> Lane:
    """The exact nearest vectors."""
    given, vector = search.vectors, search.vector
    assert given is not None
    assert vector is not None
    index = given.index or DenseIndex.build(given.array, given.ids, metric=given.metric)
    allowed = _allowed(search, given.ids)
    found = index.search(vector, engine_depth(search.depth, search.filter, len(given.ids)), allowed=allowed)
    hits, dropped = cut(zip(found.ids, found.scores.tolist(), strict=True), search.depth, search.filter, allowed)
    return Lane(
        name="dense",
        hits=hits,
        backend="dense",
        score_model=f"{given.metric}({search.options.get('model') or f'{given.dimension} d'})",
        depth=search.depth,
        detail=FrozenMap({hit.id: {given.metric: hit.score} for hit in hits}),
        filter=search.filter,
        dropped=dropped,
    )


def fuse(request: Fuse) -> Fusion:
    """Reciprocal ranks, or alpha · dense + (1 − alpha) · sparse."""
    if request.method == "linear":
        assert request.alpha is not None
        return linear(request.lanes["dense"], request.lanes["sparse"], alpha=request.alpha)
    return rrf(request.lanes, k=request.rrf_k)


def rerank(request: Rerank) -> Diversification:
    """Maximal marginal relevance."""
    return mmr(request.ids, request.relevance, request.similarity, lambda_mmr=request.lambda_mmr, top_k=request.top_k)


def _allowed(search: Search, ids: tuple[str, ...]) -> np.ndarray | None:
    filter: Filter | None = search.filter
    if filter is None:
        return None
    known = {passage.id: passage for passage in search.documents or ()}
    return np.array(
        [
            filter.admits((id, known[id].document_id), known[id].metadata) if id in known else filter.admits((id,), {})
            for id in ids
        ],
        dtype=bool,
    )
