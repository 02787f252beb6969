"""Retrievers of LangChain, LlamaIndex and Haystack as lanes, by their public protocol; nothing of theirs is imported.

Scores are read at once: LlamaIndex's fusion overwrites ``node.score`` in place.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.lanes.given import GivenLane
from workbench.records import Passage

IdOf = str | Callable[[Any], str | None] | None


def langchain_lane(name: str, retriever: Any, *, id_from: IdOf = None, better: str = "higher") -> GivenLane:
    """A LangChain retriever (``invoke(query)`` → Documents), or a list that one returned, as a lane.

    Args:
        retriever: a retriever; a callable(query) → Documents or (Document, score) pairs, such as
            ``store.similarity_search_with_score``; or such a list.
        id_from: a metadata key, a callable(document) → id, or None for ``document.id``. LangChain's own
            ensembles go by ``page_content``: give ``lambda d: d.page_content`` to do the same.
        better: ``lower`` where the scores are distances, as Chroma's and FAISS's are.

    Raises:
        WorkbenchError: ``wrong_type`` for no retriever; when asked, ``missing_id`` for a Document without an
            id, naming its place. A retriever that raises makes the lane unavailable, in its own words.
    """
    return _lane(name, retriever, "invoke", lambda answer: answer, id_from, better)


def llamaindex_lane(name: str, retriever: Any, *, id_from: IdOf = None, better: str = "higher") -> GivenLane:
    """A LlamaIndex retriever (``retrieve(query)`` → NodeWithScore), or a list that one returned, as a lane.

    Args and Raises: as ``langchain_lane``; without ``id_from`` the id is ``node.node_id``.
    """
    return _lane(name, retriever, "retrieve", lambda answer: answer, id_from, better)


def haystack_lane(name: str, retriever: Any, *, id_from: IdOf = None, better: str = "higher") -> GivenLane:
    """A Haystack retriever component (``run(query=…)`` → ``{"documents": […]}``), or such an answer, as a lane.

    Args and Raises: as ``langchain_lane``; without ``id_from`` the id is ``document.id``, a hash of its
    content and meta.
    """
    return _lane(name, retriever, "run", _documents, id_from, better)


def langchain_ensemble(ensemble: Any) -> tuple[dict[str, GivenLane], dict[str, Any]]:
    """The retrievers inside a LangChain ``EnsembleRetriever`` as lanes, and the settings that fuse them alike.

    ``lanes, settings = langchain_ensemble(ensemble)``, then
    ``Workbench.from_lanes(lanes, config=Config(**settings))``. Ids are what the ensemble tells documents apart by:
    ``metadata[id_key]``, or ``page_content``.

    Raises:
        WorkbenchError: ``wrong_type`` for what has no ``retrievers``, ``weights`` and ``c``.
    """
    if not all(hasattr(ensemble, name) for name in ("retrievers", "weights", "c")):
        raise WorkbenchError(
            "wrong_type",
            f"ensemble is {type(ensemble).__name__}: give an EnsembleRetriever, with retrievers, weights and c",
        )
    retrievers, weights, c = ensemble.retrievers, ensemble.weights, ensemble.c
    key = getattr(ensemble, "id_key", None)
    names: list[str] = []
    for retriever in retrievers:
        kind = type(retriever).__name__
        names.append(kind if kind not in names else f"{kind} {len(names) + 1}")
    by: IdOf = key if key is not None else lambda document: str(document.page_content)
    lanes = {
        name: langchain_lane(name, retriever, id_from=by) for name, retriever in zip(names, retrievers, strict=True)
    }
    return lanes, {"dialect": "langchain", "k": float(c), "weights": dict(zip(names, map(float, weights), strict=True))}


def _lane(
    name: str, retriever: Any, method: str, unpack: Callable[[Any], Iterable[Any]], id_from: IdOf, better: str
) -> GivenLane:
    ask = getattr(retriever, method, None)
    if callable(ask) and not isinstance(retriever, type):
        kind = type(retriever).__name__
        call = (lambda query: ask(query=query)) if method == "run" else ask
    elif callable(retriever):
        kind, call = getattr(retriever, "__name__", type(retriever).__name__), retriever
    elif isinstance(retriever, Mapping | list | tuple):
        items = [
            _row(item, f"lane {name!r}, position {place}", id_from)
            for place, item in enumerate(unpack(retriever), start=1)
        ]
        return GivenLane(name, items, score_model="given", better=better)
    else:
        raise WorkbenchError(
            "wrong_type",
            f"lane {name!r} is {type(retriever).__name__}: give an object with {method}(query), a callable, or the list that it returned",
        )

    def rows(query: str, depth: int) -> list[Any]:
        answer = unpack(call(query))
        return [_row(item, f"lane {name!r}, position {place}", id_from) for place, item in enumerate(answer, start=1)]

    return GivenLane(name, rows, score_model=f"{kind} score", better=better)


def _documents(answer: Any) -> Iterable[Any]:
    documents = answer.get("documents") if isinstance(answer, Mapping) else answer
    if not isinstance(documents, list | tuple):
        raise WorkbenchError(
            "wrong_type", f"the answer is {answer!r:.60}: a Haystack retriever gives {{'documents': […]}}"
        )
    return documents


def _row(item: Any, where: str, id_from: IdOf) -> tuple[Passage, float | None]:
    document, score = item if isinstance(item, tuple) and len(item) == 2 else (item, getattr(item, "score", None))
    node = getattr(document, "node", document)
    text = _first_text(node)
    metadata = next(
        (m for m in (getattr(node, "metadata", None), getattr(node, "meta", None)) if isinstance(m, Mapping)), {}
    )
    if callable(id_from):
        id = id_from(node)
    elif id_from is not None:
        id = metadata.get(id_from)
    else:
        id = next((each for name in ("node_id", "id", "id_") if (each := getattr(node, name, None)) is not None), None)
    if id is None:
        raise WorkbenchError(
            "missing_id", f"{where} has no id: give id_from, a metadata key or a callable(document) → id", where=where
        )
    id = checks.item_id(id, where)
    plain = {
        str(key): value
        for key, value in metadata.items()
        if value is None or isinstance(value, str | int | float | bool)
    }
    title = plain.get("title")
    return Passage(id, id, text, 0, title=title if isinstance(title, str) else "", metadata=plain), score  # type: ignore[arg-type]


def _first_text(node: Any) -> str:
    for name in ("page_content", "content", "text"):
        value = getattr(node, name, None)
        if isinstance(value, str):
            return value
    return ""
