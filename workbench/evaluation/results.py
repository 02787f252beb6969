"""The record of an evaluation: its rows, their means, and what can be asked of it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.evaluation.rows import FINAL, FUSED, Failure, QueryRow
from workbench.frozen import FrozenMap, from_plain, to_plain
from workbench.kernels.measures import Aggregate, ratio
from workbench.trace import Trace

SCHEMA = "workbench-evaluation/1"
_TIMES = frozenset({"milliseconds"})


@dataclass(frozen=True)
class Evaluation:
    """Many queries through one configuration.

    ``summary()`` and ``frame()`` give DataFrames, ``open(id)`` the Trace of a row, ``compare`` of this package the
    difference to another evaluation. A mean is over the queries in which something is judged relevant; a query
    that failed has a row that says so, and is in no mean.
    """

    name: str
    unit: str
    """``document`` or ``passage``: what is judged and measured."""
    stages: tuple[str, ...]
    """Each lane, ``fused``, ``final``; in the order of the run."""
    measures: tuple[str, ...]
    n: int
    """Queries that were run, failed ones among them."""
    judged: int
    """Queries that the means are over: with a ranking, and something judged relevant."""
    failed: int
    means: FrozenMap
    """Stage → measure → mean; None without a judged query."""
    rows: tuple[QueryRow, ...]
    """One a query, in the order given. Empty where they were dropped or written to a file."""
    digest: str
    """SHA-256 over all rows but their times, kept or not."""
    r12: Aggregate | None = None
    """Hit rate, reciprocal rank and the gate over labelled queries; None where no gate was asked."""
    settings: FrozenMap = field(default_factory=FrozenMap)
    """The configuration, as far as it can be told."""
    stopped: str = ""
    """Why not all queries were run; empty where they were."""

    @property
    def last(self) -> str:
        """The stage that a reader sees at the end: ``final``, or ``fused`` of rankings that went no further."""
        return FINAL if FINAL in self.stages else FUSED if FUSED in self.stages else self.stages[-1]

    @property
    def failures(self) -> tuple[QueryRow, ...]:
        """The rows of queries that failed."""
        return tuple(row for row in self.rows if row.failure is not None)

    def row(self, id: str) -> QueryRow:
        """The row of that query id.

        Raises:
            WorkbenchError: ``unknown_id``; ``not_recorded`` where the rows were not kept.
        """
        self.need_rows()
        found = next((row for row in self.rows if row.id == id), None)
        if found is None:
            checks.one_of("query id", id, [row.id for row in self.rows[:20]], "unknown_id")
        assert found is not None
        return found

    def mean(self, measure: str, stage: str | None = None) -> float | None:
        """The mean of a measure at a stage (the last one when left out)."""
        of = self.means[checks.one_of("stage", stage or self.last, self.stages, "unknown_id")]
        value: float | None = of[checks.one_of("measure", measure, self.measures, "unknown_measure")]
        return value

    def open(self, id: str) -> Trace:
        """The Trace of a row, made again by what made it; its fingerprint is held against the recorded one.

        Raises:
            WorkbenchError: ``unknown_id``; ``not_recorded`` where nothing that makes Traces is at hand, or the
                query failed; ``contradiction`` where the corpus or the configuration has changed since.
        """
        row = self.row(id)
        ask = getattr(self, "_ask", None)
        if ask is None or row.fingerprint is None:
            why = (
                f"the query failed: {row.failure.message}"
                if row.failure is not None
                else "its ranking came without a Trace"
                if row.fingerprint is None
                else "this evaluation was read from a file: opened_by(bench.ask) puts what makes Traces behind it again"
            )
            raise WorkbenchError("not_recorded", f"query {id!r} has no Trace to open: {why}", id=id)
        trace: Trace = ask(row.query)
        if trace.fingerprint() != row.fingerprint:
            raise WorkbenchError(
                "contradiction",
                f"query {id!r} gives another Trace now than when it was evaluated: the documents or the configuration have changed; evaluate again",
                id=id,
            )
        return trace

    def opened_by(self, ask: Any) -> Self:
        """This evaluation with ``ask`` (a query's words → its Trace) behind it."""
        again = replace(self)
        object.__setattr__(again, "_ask", ask)
        return again

    def frame(self) -> Any:
        """A DataFrame, one row a query: id, query, the last stage's measures, verdict, gate, error; and for every
        stage a column ``stage measure``. Absent values are NaN."""
        import pandas as pd

        self.need_rows()
        lines = []
        for row in self.rows:
            line: dict[str, Any] = {"id": row.id, "query": row.query}
            line |= {
                f"{stage} {measure}": (row.measures.get(stage) or {}).get(measure)
                for stage in self.stages
                for measure in self.measures
            }
            line |= {"first relevant": row.first_relevant, "verdict": row.verdict, "gate": row.gate}
            line |= {"answerable": row.answerable, "milliseconds": row.milliseconds}
            lines.append({**line, "error": "" if row.failure is None else f"{row.failure.code}: {row.failure.message}"})
        numbers = [f"{stage} {measure}" for stage in self.stages for measure in self.measures]
        made = pd.DataFrame(lines)
        return made.astype(dict.fromkeys([*numbers, "gate", "first relevant"], "float64")) if lines else made

    def summary(self) -> Any:
        """A DataFrame of means: one row a stage, one column a measure. Without a judged query: NaN."""
        import pandas as pd

        table = {m: [self.means[stage][m] for stage in self.stages] for m in self.measures}
        return pd.DataFrame(table, index=pd.Index(self.stages, name="stage"), dtype="float64")

    def need_rows(self) -> None:
        """Refuses where the rows were not kept."""
        if not self.rows and self.n:
            raise WorkbenchError(
                "not_recorded",
                "the rows of this evaluation were not kept: run it with rows='keep', or read the file that they were written to with read_rows",
            )

    # ------------------------------------------------------------ in and out

    def fingerprint(self) -> str:
        """SHA-256 (hex) of everything but the times: the same whatever runner did the work."""
        head = to_plain(replace(self, rows=(), r12=None), _TIMES)
        return hashlib.sha256(_line(head)).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON data."""
        return {"schema": SCHEMA, **to_plain(self)}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The Evaluation that ``to_json`` wrote. Takes the data, or its text.

        Raises:
            WorkbenchError: ``unknown_schema``.
        """
        if isinstance(data, str | bytes):
            try:
                data = json.loads(data)
            except ValueError as cause:
                raise WorkbenchError("unknown_schema", f"not JSON: {cause}") from cause
        found = data.get("schema") if isinstance(data, dict) else None
        if found != SCHEMA:
            raise WorkbenchError("unknown_schema", f"schema is {found!r}: an evaluation's is {SCHEMA}", schema=found)
        return from_plain(cls, {key: value for key, value in data.items() if key != "schema"})  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return text(self)


class Tally:
    """Means and digest of rows as they come by, each row once, in order."""

    def __init__(self, measures: Sequence[str]) -> None:
        self._measures = tuple(measures)
        self._sums: dict[str, dict[str, float]] = {}
        self._counts: dict[str, int] = {}
        self._judged = self.n = self.failed = 0
        self._hash = hashlib.sha256()

    def take(self, row: QueryRow) -> bytes:
        """Counts a row; the line that was hashed for it."""
        line = _line(to_plain(row, _TIMES))
        self._hash.update(line)
        self.n += 1
        if row.failure is not None:
            self.failed += 1
            return line
        held = any(grade > 0 for grade in row.relevant.values())
        self._judged += held
        for stage, values in row.measures.items():
            sums = self._sums.setdefault(stage, dict.fromkeys(self._measures, 0.0))
            self._counts[stage] = self._counts.get(stage, 0) + held  # a lane that did not run is in no mean
            for name, value in values.items():
                if value is not None:
                    sums[name] += value
        return line

    def evaluation(self, **more: Any) -> Evaluation:
        """What was counted, as a record."""
        means = {
            stage: FrozenMap({name: ratio(total, self._counts[stage]) for name, total in sums.items()})
            for stage, sums in self._sums.items()
        }
        return Evaluation(
            stages=tuple(means),
            measures=self._measures,
            n=self.n,
            judged=self._judged,
            failed=self.failed,
            means=FrozenMap(means),
            digest=self._hash.hexdigest(),
            **more,
        )


def read_rows(path: str | Path) -> Iterator[QueryRow]:
    """The rows that an evaluation wrote to a JSON Lines file, one by one.

    Raises:
        WorkbenchError: ``missing_file``; ``malformed_line`` naming the line.
    """
    file = Path(path)
    if not file.is_file():
        raise WorkbenchError("missing_file", f"{file.name} is not there: give a file that rows=… wrote", path=str(path))
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield from_plain(QueryRow, json.loads(line))
            except ValueError as cause:  # JSON's error and ours are both ValueErrors
                raise WorkbenchError("malformed_line", f"{file.name}, line {number}: {cause}", line=number) from cause


def text(evaluation: Evaluation) -> str:
    """The means as a text table, with what is odd about them in words."""
    width = max([len("stage"), *(len(stage) for stage in evaluation.stages)])
    head = "stage".ljust(width) + "".join(f"{name:>12}" for name in evaluation.measures)
    lines = [f"{evaluation.name}: {sentence(evaluation)}", head]
    for stage in evaluation.stages:
        values = [evaluation.means[stage][name] for name in evaluation.measures]
        lines.append(stage.ljust(width) + "".join(f"{'none' if v is None else f'{v:.4f}':>12}" for v in values))
    return "\n".join(lines)


def sentence(evaluation: Evaluation) -> str:
    """What was run, in one sentence."""
    said = f"{evaluation.n} queries, {evaluation.judged} of them with a relevant {evaluation.unit}"
    if evaluation.failed:
        first = next((row for row in evaluation.failures), None)
        which = "" if first is None else f", first {first.id!r}: {_said(first.failure)}"
        said += f"; {evaluation.failed} failed{which}"
    return f"{said}; stopped: {evaluation.stopped}" if evaluation.stopped else said


def _said(failure: Failure | None) -> str:
    return "" if failure is None else f"{failure.code} ({failure.message})"


def _line(plain: Any) -> bytes:
    return (json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n").encode("ascii")
