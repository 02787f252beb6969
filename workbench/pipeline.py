"""Documents in, Traces out: one fixed path from query to verdict, every stage recorded."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from workbench import checks, shipped
from workbench.after_lanes import best_of, degradations, verdict_of
from workbench.config import Config
from workbench.corpus import reading
from workbench.corpus.library import Library
from workbench.corpus.progress import as_progress
from workbench.corpus.queries import LabelledQuery
from workbench.corpus.store import Store
from workbench.explore.source import bound
from workbench.frozen import FrozenMap
from workbench.keeping import Keeping, Recipe
from workbench.kernels import analysis, sentences
from workbench.lanes.ann import as_hnsw
from workbench.lanes.base import Retriever
from workbench.lanes.given import Given
from workbench.lanes.recorded import recorded_options
from workbench.lanes.shelf import Shelf, chosen_signals
from workbench.models import embedders, generators, judges, rerankers
from workbench.reconciling import Reconciliation
from workbench.records import Attempt, Document, Filter, Grounding, Passage
from workbench.records.probing import Probe
from workbench.stages import Stages
from workbench.trace import Trace
from workbench.version import __version__

if TYPE_CHECKING:
    from workbench.evaluation import Evaluation


class Workbench:
    """A corpus, its lanes, and the path that a query takes through them.

    Args:
        documents: what to search. Ids are text and unique.
        signals: which lanes are built: ``embedding`` (dense), ``text`` (lexical), ``structure``, ``graph`` or
            ``community`` (graph), ``wiki``. Left out: all of them. Empty: none but your own ``lanes``.
        embedder: ``"wordllama"`` (256 dimensions, inside its wheel), a callable(texts) → n × d, or None.
        reranker: ``"feature"``, ``"identity"`` or None, or an object with rerank(query, candidates).
        judge: ``"alignment"``, ``"f1"``, or a callable(answer, evidence texts) → 0..1.
        generator: None (``ask`` then gives no answer), ``"extractive"``, or a callable(query, passages) → text.
        lanes: further lanes by name: a list, a callable(query, depth), or an object with ``search``; such an
            object under the name of a built-in lane takes its place.
        dense: ``"exact"``, ``"hnsw"`` (an approximate index beside the exact one) or an ``Hnsw(...)``.
        store: path of a file or folder where everything is kept. What is there is opened, ``documents`` are put
            in, and every later change is written before it shows.
        progress: True for a bar, or a callable(stage, done, of), while documents are taken in.
        config: every number of the run.

    Raises:
        WorkbenchError: ``nothing_to_search``, ``repeated_id``, ``unknown_signal``, ``wrong_type``, and of a
            store ``not_a_store``, ``store_damaged``, ``store_locked``, ``store_full``, ``store_read_only``.
    """

    def __init__(
        self,
        documents: Iterable[Document] | Library = (),
        *,
        signals: Sequence[str] | None = None,
        embedder: Any = "wordllama",
        reranker: Any = "feature",
        judge: Any = "alignment",
        generator: Any = None,
        lanes: Mapping[str, Given | Any] | None = None,
        dense: Any = "exact",
        store: str | Path | Store | None = None,
        progress: Any = None,
        config: Config | None = None,
    ) -> None:
        self.config = config if config is not None else Config()
        self._analyzer = analysis.analyzer(self.config.analyzer)
        self.signals = chosen_signals(signals, bool(lanes))
        self._embedder = embedders.as_embedder(embedder)
        self._reranker = rerankers.as_reranker(reranker, self._analyzer, self.config.rerank_weights, self.config.phrase)
        self._judge = judges.as_judge(judge)
        self._generator = generators.as_generator(generator, self._analyzer)
        self._keeping = Keeping(
            Recipe(
                self.signals,
                self._embedder,
                self._analyzer,
                self.config,
                dict(lanes or {}),
                as_hnsw(dense),
                as_progress(progress),
            ),
            Store(store) if isinstance(store, str | Path) else store,
        )
        self._keeping.start(documents)
        self.origin = ""
        """The Python expression that makes it, where it can be told."""

    # ------------------------------------------------------------ where documents come from

    @classmethod
    def from_folder(cls, path: str | Path, **options: Any) -> Self:
        """A workbench over the Markdown and text files below ``path``; ids are their relative paths."""
        return cls(reading.read_folder(path), **options)

    @classmethod
    def from_frame(cls, frame: Any, *, id_column: str = "id", text_column: str = "text", **options: Any) -> Self:
        """A workbench over a DataFrame's rows; other columns become metadata."""
        return cls(reading.read_frame(frame, id_column=id_column, text_column=text_column), **options)

    @classmethod
    def from_lanes(
        cls,
        lanes: Mapping[str, Any],
        *,
        texts: Any = None,
        queries: Mapping[str, str] | None = None,
        better: str | Mapping[str, str] = "higher",
        **options: Any,
    ) -> Self:
        """A workbench that explains rankings made elsewhere; it needs no corpus.

        Args:
            lanes: lane name → ids or (id, score) pairs, best first, a ``Lane``, or a retriever that is asked;
                or query id → such a mapping, as ``workbench.formats`` reads them. The former answer whatever
                is asked; the latter answer the words of their queries alone.
            texts: id → text, or Documents or Passages. They light up the snippets, and let a reranker read
                and the gate look. Without them the gate says why it cannot.
            queries: query id → its words; an id that has none is asked by itself.
            better: ``"higher"`` or ``"lower"`` scores, for all lanes or lane by lane. Scores that rise along
                the ranks are refused until this says why.
            options: as of ``Workbench``. The reranker keeps the fused order, unless every ranked id has a
                text or you name another. The depth is that of the longest ranking and there are no retries,
                since a recorded ranking cannot be asked anew; a ``config`` sets the depth itself.

        Raises:
            WorkbenchError: ``no_lanes``; ``contradiction`` for scores against their order, or for a reranker
                without texts; ``not_recorded`` when a query is asked that has no ranking; and what lanes refuse.
        """
        words = getattr(lanes, "queries", None) if queries is None else queries
        return cls(**recorded_options(lanes, texts, words, better, options))

    @classmethod
    def sample(cls, **options: Any) -> Self:
        """A workbench over the sample documents that ship with the package, with the extractive generator."""
        made = cls.from_folder(shipped.folder("sample_data") / "documents", **{"generator": "extractive", **options})
        made.origin = (
            "wb.Workbench.sample()" if not options else "wb.Workbench.sample(...)  # with the options that you gave"
        )
        return made

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Self:
        """A workbench that begins as what ``save`` or ``store=`` left at ``path``; later changes stay in memory.

        Signals and config are as saved; models are given again (``"wordllama"`` is found by itself). Vectors of
        another model are not trusted: the passages are embedded anew, and ``notes`` says so. Without the
        embedder the dense lane is unavailable and the others run.
        """
        store = Store(path, live=False)
        kept = store.settings()
        model = kept.get("embedder")
        saved: dict[str, Any] = {"embedder": "wordllama" if str(model).startswith("wordllama ") else None}
        if "config" in kept:
            saved |= {"config": Config.from_json(kept["config"]), "signals": kept["signals"]}
        return cls((), store=store, **{**saved, **options})

    # ------------------------------------------------------------ documents in and out

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, by ascending id."""
        return self._library.documents

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages, in document order."""
        return self._library.passages

    @property
    def retrievers(self) -> tuple[Retriever, ...]:
        """The lanes' engines that could be built, in lane order."""
        return self._shelf.retrievers

    def passage(self, id: str) -> Passage:
        """The passage of that id.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        return self._shelf.passage(id)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not as the store had it when it was opened, and why."""
        return self._keeping.notes

    def add(self, documents: Document | Iterable[Document]) -> None:
        """Takes documents in. One that is here already is replaced whole; on an error nothing changes.

        Only what is new is cut, counted and embedded. Entities and pages hang on all documents: above
        2,000 passages they are distilled anew once a tenth of the documents has changed, or by ``reconcile``;
        until then their lanes say how many changed.
        """
        new = [documents] if isinstance(documents, Document) else checks.listed("documents", documents, "Documents")
        checks.no_repeats([d.id for d in new if isinstance(d, Document)], "documents")
        self._keeping.change(new, ())

    def delete(self, document_id: str) -> None:
        """Takes a document out, with its passages, headings, entities and page.

        Raises:
            WorkbenchError: ``unknown_id``; ``nothing_to_search`` when it is the last one.
        """
        self._keeping.change((), (document_id,))

    def save(self, path: str | Path) -> Path:
        """Writes everything to a store at ``path`` (a file, or a folder) in one transaction; the file."""
        return self._keeping.save(path)

    def reconcile(self) -> Reconciliation:
        """Works everything out anew from the documents, brings the indexes back in step, and reports what differed."""
        return self._keeping.reconcile()

    def _repr_mimebundle_(self, **_: Any) -> Any:
        from workbench.views.display import of_workbench

        return of_workbench(self)

    @property
    def _library(self) -> Library:
        return self._keeping.library

    @property
    def _shelf(self) -> Shelf:
        return self._keeping.shelf

    # ------------------------------------------------------------ questions

    def retrieve(
        self, query: str, k: int | None = None, *, phrasings: Sequence[str] = (), filter: Filter | None = None
    ) -> Trace:
        """Ranked candidates, with no answer.

        Args:
            k: how many come through the cut; ``config.top_k`` when left out.
            phrasings: further wordings; every (lane, phrasing) list feeds the one fusion.
            filter: what may be searched.

        Raises:
            WorkbenchError: ``empty_query``, ``out_of_range``, ``lane_failed`` when no lane could run.
        """
        stages = self._stages(k)
        started = perf_counter()
        attempt = stages.run(query, query, phrasings, filter)
        return self._trace(stages, query, (attempt,), 0, "retrieved", None, None, None, False, started)

    def ask(
        self,
        query: str,
        k: int | None = None,
        *,
        phrasings: Sequence[str] = (),
        filter: Filter | None = None,
        gate_override: bool = False,
    ) -> Trace:
        """Retrieves, asks the gate, retries with feedback while it says no, then answers and grounds the answer.

        The verdict is ``answerable``, ``insufficient`` (no answer is generated) or ``needs_review`` (the
        answer's faithfulness fell below ``config.answer_floor``, or the gate's score lies between its two
        thresholds). ``gate_override`` answers anyway.
        """
        stages = self._stages(k)
        started = perf_counter()
        attempts = self._attempts(stages, query, phrasings, filter)
        best = best_of(attempts)
        gate = attempts[best].gate
        assert gate is not None
        if verdict_of(gate, faithful=True, override=gate_override) == "insufficient":
            return self._trace(stages, query, attempts, best, "insufficient", None, None, None, False, started)
        answer, grounding, judged = self._answer(stages, query, attempts[best])
        faithful = answer is None or (judged is not None and judged >= self.config.answer_floor)
        verdict = verdict_of(gate, faithful=faithful, override=gate_override)
        return self._trace(
            stages,
            query,
            attempts,
            best,
            verdict,
            answer,
            grounding,
            judged,
            gate_override and not gate.passed,
            started,
        )

    def probe(self, trace: Trace, id: str) -> Probe:
        """Where a passage stands in each lane of a Trace, at whatever depth: its true rank and score.

        Lexical and dense answer for any passage; structure, graph and wiki are searched to their end. A lane
        that cannot answer past its depth says so.

        Raises:
            WorkbenchError: ``unknown_id``; ``contradiction`` for a Trace of another corpus.
        """
        return self._stages(None).probe(trace, id, checked=True)

    def evaluate(self, queries: Iterable[LabelledQuery | Mapping[str, Any]], **options: Any) -> "Evaluation":
        """Every query asked and every stage measured: standard measures, R12's report, a row a query that opens its Trace.

        ``options`` (measures, unit, processes, client, progress, stop, rows) and errors: ``evaluation.evaluate``.
        """
        from workbench.evaluation import evaluate

        return evaluate(self, queries, **options)

    def _stages(self, k: int | None) -> Stages:
        top_k = self.config.top_k if k is None else checks.whole("k", k)
        return Stages(self._shelf, self._analyzer, self._reranker, self.config.but(top_k=top_k))

    def _attempts(
        self, stages: Stages, query: str, phrasings: Sequence[str], filter: Filter | None
    ) -> tuple[Attempt, ...]:
        first = stages.run(query, query, phrasings, filter)
        return stages.after.retried(first, lambda rewrite: stages.run(query, rewrite.query, phrasings, filter))

    def _answer(
        self, stages: Stages, query: str, attempt: Attempt
    ) -> tuple[str | None, Grounding | None, float | None]:
        if self._generator is None:
            return None, None, None
        passages = stages.after.evidence(attempt)
        answer = generators.generated(self._generator, query, passages)
        grounding = stages.after.ground(
            answer, passages, self._judge if isinstance(self._judge, str) else judges.METHODS[0]
        )
        judged = (
            grounding.score
            if isinstance(self._judge, str)
            else judges.asked(self._judge, answer, [p.text for p in passages])
        )
        return answer, grounding, judged

    def _trace(
        self,
        stages: Stages,
        query: str,
        attempts: tuple[Attempt, ...],
        best: int,
        verdict: str,
        answer: str | None,
        grounding: Grounding | None,
        judged: float | None,
        override: bool,
        started: float,
    ) -> Trace:
        versions = {
            "workbench": __version__,
            "analyzer": self._analyzer.version,
            "splitter": sentences.version("sentencex"),
        }
        if self._shelf.dense is not None and self._embedder is not None:
            versions["embedder"] = self._embedder.identity
        trace = Trace(
            query=query,
            config=stages.config,
            attempts=attempts,
            best=best,
            verdict=verdict,
            answer=answer,
            grounding=grounding,
            judged=judged,
            judge="" if verdict == "retrieved" else judges.judge_name(self._judge),
            generator=generators.generator_name(self._generator),
            override=override,
            degraded=degradations(attempts),
            passages=stages.after.payloads(attempts),
            chunk_count=len(self.passages),
            versions=FrozenMap(versions),
            timings=FrozenMap({"total": (perf_counter() - started) * 1000}),
        )
        return bound(trace, stages)
