"""Backends: one table says which backend serves which verb, and everything else reads it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from workbench import checks
from workbench.errors import BackendUnavailable, WorkbenchError
from workbench.frozen import FromPlain
from workbench.lanes.base import Retriever
from workbench.records import Passage
from workbench.verbs import engines
from workbench.verbs.requests import Limits

VERBS = (
    "vector_search",
    "sparse_search",
    "hybrid_search",
    "rerank",
    "filtered_search",
    "provenance",
    "remember",
    "recall",
    "compact",
)
ITSELF = None
"""In place of an engine: the object that the caller holds (a Memory, a Ranking) does the verb itself."""


@runtime_checkable
class Stored(Protocol):
    """What the ``index`` backend needs of a Workbench."""

    signals: tuple[str, ...]

    @property
    def retrievers(self) -> tuple[Retriever, ...]:
        """The lanes' engines that could be built."""
        ...

    def passage(self, id: str) -> Passage:
        """The passage of that id."""
        ...


def _nothing(_verb: str | None) -> Mapping[str, bool | None]:
    return {}


@dataclass(frozen=True, slots=True)
class Backend:
    """What serves verbs. Build one to let a verb run on an engine of your own, and pass it as ``backend=``.

    ``engines`` maps a verb to its engine: ``Search`` → ``Lane`` for the searches, ``Fuse`` → ``Fusion`` for
    hybrid_search, ``Rerank`` → ``Diversification`` for rerank. ``reads`` names the arguments that the
    engines read beside the query, the filter and ``top_k``; any other is refused. ``needs`` maps a verb
    (or None, for the backend as a whole) to its components: is each one there? True, False, or None where
    that cannot be known without more.
    """

    name: str
    about: str
    engines: Mapping[str, Callable[[Any], Any] | None]
    reads: frozenset[str] = frozenset()
    needs: Callable[[str | None], Mapping[str, bool | None]] = _nothing
    limits: Limits = field(default_factory=Limits)
    passage: Callable[[str], Passage] | None = None
    """The stored text and metadata of a hit."""

    @classmethod
    def of(cls, retriever: Retriever, *, verbs: tuple[str, ...] = ("sparse_search", "filtered_search")) -> "Backend":
        """A lane's engine as a backend: it is asked the query's text. For a dense one name ``vector_search``."""
        return cls(
            retriever.name,
            f"the retriever {type(retriever).__name__}",
            {
                **dict.fromkeys(verbs, lambda search: retriever.search(search.query, search.depth, search.filter)),
                "provenance": ITSELF,
            },
            reads=frozenset({"query"}),
        )


@dataclass(frozen=True, slots=True)
class BackendStatus(FromPlain):
    """Whether a backend can serve, known before any call."""

    backend: str
    available: bool | None
    """None where it cannot be known without more: ``missing`` says what."""
    missing: tuple[str, ...]
    verbs: tuple[str, ...]
    about: str


def _of_index(verb: str | None) -> Mapping[str, bool | None]:
    return {"a Memory" if verb in ("remember", "recall", "compact") else "a Workbench (bench=…)": None}


BACKENDS: dict[str, Backend] = {
    backend.name: backend
    for backend in (
        Backend(
            "local",
            "fusion and reranking of lanes that are passed in",
            {"hybrid_search": engines.fuse, "rerank": engines.rerank, "provenance": ITSELF},
        ),
        Backend(
            "lexical",
            "BM25 over the documents of the call",
            {"sparse_search": engines.lexical, "filtered_search": engines.lexical, "provenance": ITSELF},
            reads=frozenset({"query", "documents", "analyzer", "k1", "b", "variant"}),
        ),
        Backend(
            "dense",
            "exact nearest neighbours over the vectors of the call, or over a built DenseIndex",
            {"vector_search": engines.dense, "filtered_search": engines.dense, "provenance": ITSELF},
            reads=frozenset({"query_vector", "vectors", "documents", "metric", "model"}),
        ),
        Backend(
            "index",
            "searches over the stored content of a Workbench, and a Memory's own verbs",
            dict.fromkeys(
                ("vector_search", "sparse_search", "filtered_search", "provenance", "remember", "recall", "compact"),
                ITSELF,
            ),
            reads=frozenset({"query", "bench"}),
            needs=_of_index,
        ),
    )
}
_STORED = {"sparse_search": "lexical", "filtered_search": "lexical", "vector_search": "dense"}
_SIGNAL = {"lexical": "text", "dense": "embedding"}


def serving(verb: str, backend: Any, bench: Any = None) -> Backend:
    """The backend that serves ``verb``, by name or as the caller built it, over ``bench`` where one is given.

    Raises:
        WorkbenchError: ``unknown_backend``, ``backend_cannot_serve_verb`` (naming those that can),
            ``unknown_parameter`` for a bench that the backend never reads.
        BackendUnavailable: a component is missing.
    """
    found = _found(backend, bench)
    if verb not in found.engines:
        able = tuple(name for name, each in BACKENDS.items() if verb in each.engines)
        raise WorkbenchError(
            "backend_cannot_serve_verb",
            f"backend {found.name!r} ({found.about}) cannot serve {verb}: name {' or '.join(map(repr, able))}",
            backend=found.name,
            verb=verb,
            able=able,
        )
    missing = tuple(name for name, there in found.needs(verb).items() if there is not True)
    if missing:
        raise BackendUnavailable(found.name, missing, verb)
    return found


def backend_status(name: Any, *, verb: str | None = None, bench: Any = None) -> BackendStatus:
    """What a call would find: is the backend (for ``verb``, where one is named) available, and what is missing?

    Raises:
        WorkbenchError: ``unknown_backend``, ``unknown_parameter`` for a verb or bench that does not belong.
    """
    found = _found(name, bench)
    if verb is not None:
        checks.one_of("verb", verb, found.engines, "backend_cannot_serve_verb")
    needs = found.needs(verb)
    missing = tuple(component for component, there in needs.items() if there is not True)
    available = True if not missing else False if any(there is False for there in needs.values()) else None
    return BackendStatus(found.name, available, missing, tuple(found.engines), found.about)


def only_read(backend: Backend, verb: str, given: Mapping[str, Any]) -> None:
    """Refuses an argument that the backend never reads."""
    for name, value in given.items():
        if value is not None and name not in backend.reads:
            raise WorkbenchError(
                "unknown_parameter",
                f"{verb}: {name} is given, and backend {backend.name!r} never reads it: drop it, or name another backend",
                name=name,
                backend=backend.name,
            )


def _found(backend: Any, bench: Any) -> Backend:
    found = (
        backend
        if isinstance(backend, Backend)
        else BACKENDS[checks.one_of("backend", backend, BACKENDS, "unknown_backend")]
    )
    if bench is None:
        return found
    only_read(found, "the call", {"bench": bench})
    if not isinstance(bench, Stored):
        raise WorkbenchError("wrong_type", f"bench is {type(bench).__name__} {bench!r:.60}: give a Workbench")
    return _over(bench, found)


def _over(bench: Stored, index: Backend) -> Backend:
    """``index`` bound to the lanes of a workbench."""
    built = {retriever.name: retriever for retriever in bench.retrievers}

    def search(lane: str) -> Callable[[Any], Any]:
        return lambda asked: built[lane].search(asked.query, asked.depth, asked.filter)

    def needs(verb: str | None) -> Mapping[str, bool | None]:
        lane = _STORED.get(verb or "")
        if lane is None or lane in built:
            return {}
        off = _SIGNAL[lane] not in bench.signals
        return {f"the signal {_SIGNAL[lane]!r}" if off else f"the {lane} lane (give an embedder)": False}

    return Backend(
        index.name,
        index.about,
        {**index.engines, **{verb: search(lane) for verb, lane in _STORED.items()}},
        reads=index.reads,
        needs=needs,
        limits=index.limits,
        passage=bench.passage,
    )
