"""One query of an evaluation as one row: what came, what it is worth, or why it failed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench import checks
from workbench.corpus.queries import LabelledQuery
from workbench.errors import WorkbenchError
from workbench.evaluation.standard import measured
from workbench.frozen import FromPlain, FrozenMap
from workbench.trace import Trace

FUSED, FINAL = "fused", "final"
UNITS = ("document", "passage")


@dataclass(frozen=True, slots=True)
class Failure(FromPlain):
    """Why a query has no ranking."""

    code: str
    """The code of a ``WorkbenchError``, else the name of the exception."""
    message: str


@dataclass(frozen=True, slots=True)
class QueryRow(FromPlain):
    """One query: its rankings by stage (each lane, ``fused``, ``final``), their measures, the verdict.

    ``Evaluation.open(row.id)`` gives the Trace again.
    """

    id: str
    query: str
    relevant: FrozenMap = field(default_factory=FrozenMap)
    """Judged id → grade."""
    answerable: bool | None = None
    rankings: FrozenMap = field(default_factory=FrozenMap)
    """Stage → ids, best first, as they were measured: of documents, the best passage stands for its document."""
    measures: FrozenMap = field(default_factory=FrozenMap)
    """Stage → measure → value; None where nothing is judged relevant."""
    retrieved: tuple[str, ...] = ()
    """Passage ids before the cut, best first."""
    verdict: str | None = None
    gate: float | None = None
    """The gate's score; None where there was no gate."""
    fingerprint: str | None = None
    """Of the Trace; None for a ranking that came without one."""
    milliseconds: float = 0.0
    failure: Failure | None = None

    def value(self, measure: str, stage: str = FINAL) -> float | None:
        """The measure of that stage; None where there is none.

        Raises:
            WorkbenchError: ``unknown_id`` for a stage or measure that was not measured.
        """
        if self.failure is not None:
            return None
        of = self.measures[checks.one_of("stage", stage, self.measures, "unknown_id")]
        value: float | None = of[checks.one_of("measure", measure, of, "unknown_measure")]
        return value

    @property
    def first_relevant(self) -> int | None:
        """The rank of the first relevant id in the last stage; None where none came."""
        last = list(self.rankings.values())[-1] if self.rankings else ()
        return next((rank for rank, id in enumerate(last, start=1) if self.relevant.get(id, 0) > 0), None)


@dataclass(frozen=True, slots=True)
class Plan:
    """How rows are made: what is measured, and of which unit."""

    measures: tuple[Any, ...]
    unit: str


def of_trace(id: str, query: LabelledQuery, trace: Trace, plan: Plan) -> QueryRow:
    """The row of a Trace. A row and not the Trace: some kB a query, whatever the corpus holds."""
    if not isinstance(trace, Trace):
        raise WorkbenchError(
            "wrong_type",
            f"the configuration returned {type(trace).__name__} for {query.query!r:.80}: it returns a Trace, as ask and retrieve do",
        )
    parent = {each: passage.document_id for each, passage in trace.passages.items()}
    stages = {lane.name: lane.ids for lane in trace.attempt.lanes if lane.status == "ran"}
    for name in (FUSED, FINAL):
        if name in stages:
            raise WorkbenchError("contradiction", f"a lane is named {name!r}, as a stage is: give it another name")
    stages |= {FUSED: trace.fusion.ids, FINAL: trace.order}
    rankings = {name: _units(ids, parent, plan.unit) for name, ids in stages.items()}
    gate = trace.gate
    return QueryRow(
        id=id,
        query=query.query,
        relevant=query.relevant,
        answerable=query.answerable,
        rankings=FrozenMap(rankings),
        measures=measures_of(rankings, query.relevant, plan.measures),
        retrieved=trace.order,
        verdict=trace.verdict,
        gate=None if gate is None else gate.score,
        fingerprint=trace.fingerprint(),
        milliseconds=trace.timings.get("total", 0.0),
    )


def of_failure(id: str, query: str, cause: Exception, of: LabelledQuery | None = None) -> QueryRow:
    """The row of a query that failed."""
    code = cause.code if isinstance(cause, WorkbenchError) else type(cause).__name__
    relevant = FrozenMap() if of is None else of.relevant
    answerable = None if of is None else of.answerable
    return QueryRow(id, query, relevant, answerable, failure=Failure(code, str(cause) or type(cause).__name__))


def measures_of(
    rankings: Mapping[str, Sequence[str]], relevant: Mapping[str, int], measures: Sequence[Any]
) -> FrozenMap:
    """Stage → measure → value of one query's rankings."""
    found = measured(rankings, dict.fromkeys(rankings, relevant), measures)
    return FrozenMap({stage: FrozenMap(found[stage]) for stage in rankings})


def _units(ids: Iterable[str], parent: Mapping[str, str], unit: str) -> tuple[str, ...]:
    """The ids in the unit that is judged; a document stands where its best passage stood."""
    return tuple(ids) if unit == "passage" else tuple(dict.fromkeys(parent.get(id, id) for id in ids))
