"""All lanes over one library, in lane order: what was declared, what is off and why, what could not be built."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Self

import numpy as np

from workbench import checks
from workbench.config import Config
from workbench.corpus.library import Library, Progress
from workbench.corpus.packing import digest
from workbench.corpus.store import Store
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels.analysis import Analyzer
from workbench.kernels.bm25 import BM25Index
from workbench.lanes.ann import Hnsw, HnswLane
from workbench.lanes.base import Retriever
from workbench.lanes.dense import DenseLane
from workbench.lanes.given import GivenLane
from workbench.lanes.graph import GraphLane
from workbench.lanes.lexical import LexicalLane, RankBM25Lane
from workbench.lanes.structure import StructureLane
from workbench.lanes.wiki import WikiLane
from workbench.models.embedders import Embedder, settled_identity
from workbench.records import Filter, Lane, Passage

SIGNALS = {
    "text": "lexical",
    "embedding": "dense",
    "structure": "structure",
    "graph": "graph",
    "community": "graph",
    "wiki": "wiki",
}
"""Signal → lane. Lanes are fused in this order, then the caller's own."""


def chosen_signals(given: Sequence[str] | None, own: bool) -> tuple[str, ...]:
    """The signals that were asked for, each once; all where ``given`` is None. ``own``: there are lanes beside them.

    Raises:
        WorkbenchError: ``unknown_signal``.
    """
    if given is None:
        return tuple(SIGNALS)
    if isinstance(given, str) or not (given or own):
        raise WorkbenchError(
            "unknown_signal", f"signals is {given!r}: give a list of {', '.join(SIGNALS)}, or leave it out for all"
        )
    return tuple(dict.fromkeys(checks.one_of("signal", name, SIGNALS, "unknown_signal") for name in given))


def _itself(own: Retriever | Lane) -> Retriever | Lane:
    return own


class Shelf:
    """The lanes of a workbench, each built when it is first used, or all of them by ``build``.

    What an earlier shelf or the store holds of the same text is taken over, neither counted nor embedded
    again. A dense lane that cannot be built is unavailable with the reason, never empty.
    """

    def __init__(
        self,
        library: Library,
        signals: tuple[str, ...],
        embedder: Embedder | None,
        analyzer: Analyzer,
        config: Config,
        given: Mapping[str, Any],
        *,
        dense: Hnsw | None = None,
        before: "Shelf | None" = None,
        store: Store | None = None,
        progress: Progress | None = None,
    ) -> None:
        """``dense``: settings of an approximate index; None searches exactly."""
        self._library = library
        self._passages = {p.id: p for p in library.passages}
        self._embedder, self._analyzer, self._config = embedder, analyzer, config
        self._hnsw, self._store, self._progress = dense, store, progress
        self._earlier: dict[str, Retriever | Lane] = {} if before is None else {**before._earlier, **before._built}
        self._built: dict[str, Retriever | Lane] = {}
        self.notes: list[str] = []
        """What was not as the store had it, and why."""
        self._make: dict[str, Callable[[], Retriever | Lane]] = {
            "lexical": self._lexical,
            "dense": self._dense,
            "structure": self._structure,
            "graph": self._graph,
            "wiki": self._wiki,
        }
        if not signals:
            self._make = {}  # no built-in lane at all: the caller's own may have their names
        wanted = {SIGNALS[name] for name in signals}
        for name in self._make:
            signal = (
                "graph' or 'community" if name == "graph" else next(s for s, lane in SIGNALS.items() if lane == name)
            )
            if name not in wanted:
                self._built[name] = Lane(name, status="off", reason=f"signal '{signal}' is not declared")
        for name, items in given.items():
            self._take(name, items)

    def _take(self, name: str, items: Any) -> None:
        """A lane of the caller's: a further one, or an engine of that name in the place of a built-in one."""
        engine = isinstance(items, Retriever)
        if name in self._make and not engine:
            raise WorkbenchError("repeated_id", f"a lane {name!r} is built in: give yours another name", id=name)
        if name in self._built:
            raise WorkbenchError(
                "contradiction", f"{self._built[name].reason}, and an engine for it was given: declare it, or drop the engine"  # type: ignore[union-attr]
            )  # fmt: skip
        own = items if engine else GivenLane(name, items, passages=self._passages)
        if own.name != name:
            raise WorkbenchError("contradiction", f"the lane given as {name!r} calls itself {own.name!r}: use one name")
        self._make[name] = partial(_itself, own)

    def build(self) -> Self:
        """Builds every lane now."""
        for name in self._make:
            self._lane(name)
        return self

    def _lane(self, name: str) -> Retriever | Lane:
        if name not in self._built:
            self._built[name] = self._make[name]()
        return self._built[name]

    def _lexical(self) -> Retriever:
        passages, config = self._library.passages, self._config
        scoring: dict[str, Any] = {"k1": config.bm25_k1, "b": config.bm25_b, "variant": config.bm25_variant}
        if config.lexical_engine == "rank-bm25":
            return RankBM25Lane(passages, self._analyzer, **scoring)
        earlier = self._earlier.pop("lexical", None)
        if isinstance(earlier, LexicalLane):
            return earlier.changed(passages)
        found = None if self._store is None or not passages else self._store.postings(self._analyzer.version)
        if found is None or not found.ids:
            return LexicalLane(passages, self._analyzer, **scoring)
        new = {}
        if found.generation != self._library.generation:  # else they were counted in the very transaction that was read
            counted = found.of_texts()
            new = {p.id: self._analyzer.terms(p.text) for p in passages if counted.get(p.id) != digest(p.text)}
        index = BM25Index.of_postings(found.postings, found.ids, [p.id for p in passages], new, **scoring)
        return LexicalLane(passages, self._analyzer, **scoring, index=index)

    def _structure(self) -> Retriever:
        return StructureLane(self._library.passages, self._library.nodes, self._analyzer)

    def _graph(self) -> Retriever:
        return GraphLane(self._library.passages, self._library.entities, self._analyzer)

    def _wiki(self) -> Retriever:
        return WikiLane(self._library.passages, self._library.pages, self._analyzer)

    def _dense(self) -> Retriever | Lane:
        if self._embedder is None:
            of = None if self._store is None else self._store.embedder()
            made = "" if of is None else f"; the store's vectors are of {of!r}"
            return Lane(
                "dense",
                status="unavailable",
                reason=f"no embedder: give one, or leave the signal 'embedding' out{made}",
            )
        try:
            return self._nearest(self._embedder)
        except WorkbenchError as cause:
            reason = cause.message
        except Exception as cause:  # noqa: BLE001 - whatever an embedder raises, the lane says so in its own words
            reason = f"embedder failed: {type(cause).__name__}: {cause}"
        return Lane("dense", status="unavailable", reason=reason, backend=DenseLane.backend)

    def _nearest(self, embedder: Embedder) -> DenseLane:
        passages, progress = self._library.passages, self._progress
        earlier = self._earlier.pop("dense", None)
        units: Mapping[str, np.ndarray] = {}
        if isinstance(earlier, DenseLane):
            units = earlier.units(passages)
        elif self._store is not None and passages:
            identity = settled_identity(embedder, passages[0].text)
            units = self._store.units(passages, identity)
            of = self._store.embedder()
            if of not in (None, identity):
                self.notes.append(
                    f"dense: the store's vectors are of {of!r} and the embedder is {identity!r}: {len(passages)} passages were embedded anew"
                )
        told = None if progress is None else lambda done, of: progress("embed", done, of)
        if self._hnsw is not None:
            return HnswLane(passages, embedder, self._hnsw, units=units, progress=told)
        return DenseLane(passages, embedder, units=units, progress=told)

    @property
    def dense(self) -> DenseLane | None:
        """The dense lane's own engine; None where the lane is off, cannot be built or is another engine's."""
        lane = self._lane("dense") if "dense" in self._make else None
        return lane if isinstance(lane, DenseLane) else None

    def unavailable(self, name: str) -> Lane | None:
        """What the lane of that name says of itself where it could not be built."""
        lane = self._lane(name) if name in self._make else None
        return lane if isinstance(lane, Lane) and lane.status == "unavailable" else None

    @property
    def lexical(self) -> LexicalLane | None:
        """The lexical lane's own engine; None where the lane is off or another engine's."""
        lane = self._lane("lexical") if "lexical" in self._make else None
        return lane if isinstance(lane, LexicalLane) else None

    @property
    def retrievers(self) -> tuple[Retriever, ...]:
        """The engines that could be built, in lane order."""
        lanes = [self._lane(name) for name in self._make]
        return tuple(lane for lane in lanes if not isinstance(lane, Lane))

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Every passage, by id."""
        return self._passages

    def passage(self, id: str) -> Passage:
        """The passage of that id, or ``unknown_id``."""
        if id not in self._passages:
            raise WorkbenchError("unknown_id", f"no passage {id!r} is here: there are {len(self._passages)}", id=id)
        return self._passages[id]

    def holds(self, id: str) -> bool:
        """Whether the corpus has a passage of that id."""
        return id in self._passages

    def search(self, query: str, depth: int, filter: Filter | None) -> tuple[Lane, ...]:
        """Every lane's answer, in lane order, timed. What an engine raises becomes an unavailable lane, in its own words.

        Raises:
            WorkbenchError: a broken lane contract or bad input (never salvaged); ``lane_failed`` when no lane could run.
        """
        lanes = tuple(self._ask(name, self._lane(name), query, depth, filter) for name in self._make)
        if not any(lane.status == "ran" for lane in lanes):
            reasons = "; ".join(f"{lane.name}: {lane.reason}" for lane in lanes if lane.status == "unavailable")
            raise WorkbenchError("lane_failed", f"no lane could run: {reasons or 'all are off'}")
        return lanes

    def _ask(self, name: str, lane: Retriever | Lane, query: str, depth: int, filter: Filter | None) -> Lane:
        if isinstance(lane, Lane):
            return lane
        started = perf_counter()
        try:
            answer = lane.search(query, depth, filter)
        except WorkbenchError as cause:
            if cause.code not in ("backend_unavailable", "model_failed"):
                raise
            answer = Lane(name, status="unavailable", reason=cause.message, depth=depth)
        except Exception as cause:  # noqa: BLE001 - a lane that breaks is unavailable, and the others go on
            answer = Lane(
                name, status="unavailable", reason=f"{name} failed: {type(cause).__name__}: {cause}", depth=depth
            )
        if not isinstance(answer, Lane):
            raise WorkbenchError(
                "lane_failed", f"lane {name!r} returned {type(answer).__name__}: a lane's search returns a Lane"
            )
        for hit in answer.hits:
            if hit.id not in self._passages and hit.id not in answer.payload:
                raise WorkbenchError(
                    "lane_failed",
                    f"lane {name!r} returned {hit.id!r}, which is no passage here and came without its text: return a Passage",
                    id=hit.id,
                )
        drift = self._library.distilled.drift if name in ("graph", "wiki") else 0
        if drift:
            note = f"{drift} documents changed since entities and pages were distilled; reconcile() distils anew"
            answer = replace(answer, about=FrozenMap({**answer.about, "drift": drift, "note": note}))
        return replace(answer, milliseconds=(perf_counter() - started) * 1000)
