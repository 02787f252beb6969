"""The searching verbs: one lane each, over what the call brings or what a workbench stores."""

from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels import analysis
from workbench.kernels.bm25_weights import Scoring
from workbench.records import Contribution, Filter, Lane, Passage
from workbench.verbs import arguments, contract
from workbench.verbs.backends import Backend, only_read, serving
from workbench.verbs.ranking import Ranking
from workbench.verbs.requests import Search, Vectors

_TOP_K = 10


def sparse_search(
    query: str,
    documents: Any = None,
    *,
    backend: str | Backend = "lexical",
    filter: Filter | None = None,
    top_k: int = _TOP_K,
    analyzer: str | None = None,
    k1: float | None = None,
    b: float | None = None,
    variant: str | None = None,
    bench: Any = None,
) -> Ranking:
    """The documents that hold the query's terms, best first, ties to the ascending id.

    Args:
        query: some text. Terms that no document holds match nothing: an empty ranking.
        documents: of backend ``lexical``: Documents, Passages, (id, text) pairs or a mapping id → text.
        backend: ``lexical``, ``index`` (with ``bench``), or a Backend that you built.
        filter: ids and metadata apply before the search, the score window to its scores.
        top_k: at least 1.
        analyzer, k1, b, variant: of ``lexical``: ``english``, 1.2, 0.75 and ``lucene`` where left out.
        bench: of ``index``: the Workbench whose lexical lane is asked.

    Raises:
        WorkbenchError: ``unknown_backend``, ``backend_cannot_serve_verb``, ``empty_query``, ``nothing_to_search``,
            ``repeated_id``, ``out_of_range``, ``unknown_parameter``, ``too_large``, ``lane_failed`` and what the
            documents and numbers are refused for.
        BackendUnavailable: a component is missing.
    """
    return _sparse(
        "sparse_search", query, documents, backend, filter, top_k, bench, analyzer=analyzer, k1=k1, b=b, variant=variant
    )


def vector_search(
    query_vector: Any = None,
    vectors: Any = None,
    *,
    backend: str | Backend = "dense",
    filter: Filter | None = None,
    top_k: int = _TOP_K,
    metric: str | None = None,
    model: str | None = None,
    documents: Any = None,
    query: str | None = None,
    bench: Any = None,
) -> Ranking:
    """The nearest vectors, best first, ties to the ascending id.

    Args:
        query_vector: of ``dense``: d numbers.
        vectors: of ``dense``: a mapping id → vector, (id, vector) pairs, or a built DenseIndex.
        backend: ``dense``, ``index`` (with ``bench``), or a Backend that you built.
        metric: ``cosine`` (where left out) or ``dot``, which a zero vector has too.
        model: what made the vectors; it is part of the score model.
        documents: the text and metadata behind the vectors' ids, for the filter and the result.
        query: of ``index``: the text, which the workbench embeds with its own model.
        bench: of ``index``: the Workbench whose dense lane is asked.

    Raises:
        WorkbenchError: ``zero_vector``, ``shape_mismatch``, ``not_finite``, and as ``sparse_search``.
        BackendUnavailable: a component is missing.
    """
    return _vector(
        "vector_search",
        query_vector,
        vectors,
        backend,
        filter,
        top_k,
        bench,
        query,
        documents,
        metric=metric,
        model=model,
    )


def filtered_search(
    query: str | None = None,
    documents: Any = None,
    *,
    filter: Filter,
    query_vector: Any = None,
    vectors: Any = None,
    backend: str | Backend = "lexical",
    top_k: int = _TOP_K,
    bench: Any = None,
    **options: Any,
) -> Ranking:
    """A search that has to carry a filter: by ``query`` on ``lexical`` and ``index``, by ``query_vector`` on ``dense``.

    The filter and how many items it dropped are part of the result. ``options`` are those of
    ``sparse_search`` or of ``vector_search``.

    Raises:
        WorkbenchError: ``wrong_type`` without a Filter, and as the two searches.
    """
    if not isinstance(filter, Filter):
        raise WorkbenchError(
            "wrong_type", f"filter is {filter!r:.60}: give a Filter; without one, use sparse_search or vector_search"
        )
    by_vector = query_vector is not None or vectors is not None or backend == "dense"
    known = ("metric", "model") if by_vector else ("analyzer", "k1", "b", "variant")
    for name in options:
        checks.one_of("option", name, known, "unknown_parameter")
    given = {name: options.get(name) for name in known}
    if by_vector:
        return _vector(
            "filtered_search", query_vector, vectors, backend, filter, top_k, bench, query, documents, **given
        )
    return _sparse("filtered_search", query, documents, backend, filter, top_k, bench, **given)


def _sparse(
    verb: str,
    query: Any,
    documents: Any,
    backend: str | Backend,
    filter: Filter | None,
    top_k: int,
    bench: Any,
    **options: Any,
) -> Ranking:
    served = serving(verb, backend, bench)
    only_read(served, verb, {"documents": documents, **options})
    asked = checks.query_text(query)
    depth = contract.depth(top_k, served.limits.hits)
    chosen = arguments.filter_of(filter)
    read = arguments.documents(documents, served.limits) if "documents" in served.reads else None
    used = _bm25(options) if "k1" in served.reads else FrozenMap()
    request = Search(depth, chosen, query=asked, documents=read, options=used)
    return _ranking(served, verb, request, contract.searched(served, verb, request))


def _vector(
    verb: str,
    query_vector: Any,
    vectors: Any,
    backend: str | Backend,
    filter: Filter | None,
    top_k: int,
    bench: Any,
    query: Any,
    documents: Any,
    *,
    metric: str | None,
    model: str | None,
) -> Ranking:
    served = serving(verb, backend, bench)
    given = {"query_vector": query_vector, "vectors": vectors, "documents": documents, "metric": metric, "model": model}
    only_read(served, verb, {**given, "query": query})
    depth = contract.depth(top_k, served.limits.hits)
    chosen = arguments.filter_of(filter)
    asked = checks.query_text(query) if "query" in served.reads else ""
    among: Vectors | None = None
    vector: np.ndarray | None = None
    if "vectors" in served.reads:
        among = arguments.vectors(vectors, metric, served.limits)
    if "query_vector" in served.reads:
        vector = arguments.query_vector(query_vector, among)
    request = Search(
        depth,
        chosen,
        query=asked,
        vector=vector,
        documents=None if documents is None else arguments.documents(documents, served.limits),
        vectors=among,
        options=FrozenMap({} if model is None else {"model": checks.text("model", model)}),
    )
    return _ranking(served, verb, request, contract.searched(served, verb, request))


def _bm25(options: dict[str, Any]) -> FrozenMap:
    """The lexical options with their defaults, checked as the index would check them."""
    defaults: dict[str, Any] = {"analyzer": "english", "k1": 1.2, "b": 0.75, "variant": "lucene"}
    used = {name: default if options[name] is None else options[name] for name, default in defaults.items()}
    analysis.analyzer(used["analyzer"])
    Scoring.of(used["variant"], k1=used["k1"], b=used["b"], k1_plus_1=None, delta=None, epsilon=None)
    return FrozenMap(used)


def _ranking(backend: Backend, verb: str, request: Search, lane: Lane) -> Ranking:
    payload = _payload(backend, request, lane)
    own = Lane(
        name=lane.name,
        hits=lane.hits,
        backend=backend.name,
        score_model=lane.score_model,
        depth=request.depth,
        detail=lane.detail,
        about=lane.about,
        filter=lane.filter,
        dropped=lane.dropped,
        payload=payload,
    )
    attributed = all(hit.score is not None for hit in lane.hits)
    rows = tuple((Contribution(lane.name, backend.name, hit.rank, hit.score, hit.score),) for hit in lane.hits)
    return Ranking(
        verb=verb,
        backend=backend.name,
        hits=lane.hits,
        score_model=lane.score_model,
        params=FrozenMap({"top_k": request.depth, **request.options}),
        lanes=(own,),
        contributions=rows if attributed else None,
        filter=lane.filter,
        dropped=lane.dropped,
        payload=payload,
        query=request.query,
    )


def _payload(backend: Backend, request: Search, lane: Lane) -> dict[str, Passage]:
    brought = {passage.id: passage for passage in request.documents or ()} | lane.payload
    if backend.passage is not None:
        return {id: brought[id] if id in brought else backend.passage(id) for id in lane.ids}
    return {id: brought[id] for id in lane.ids if id in brought}
