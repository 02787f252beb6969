"""Choosing when to refuse: labelled queries through the gate, and what each threshold would have done.

    rows = leave_relevant_out(bench, queries)
    risk_coverage(*columns(rows)).aurc

``leave_relevant_out`` makes an answerability set of any judged collection: each query is asked twice, of the corpus as
it is and of the corpus without its relevant documents. The second is the hard case, right topic with the answer
missing. Judgements are seldom complete, so some of what is left may answer after all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from workbench import checks
from workbench.corpus.queries import LabelledQuery, labelled
from workbench.errors import WorkbenchError
from workbench.kernels.selective import (
    auroc,
)
from workbench.kernels.sufficiency import WEIGHTED
from workbench.records import Filter, GateDecision
from workbench.trace import Trace

IDLE = 0.02
"""A feature whose contribution moves by less than this over all queries tells none from another."""


class Asks(Protocol):
    """A Workbench, as far as it is asked here."""

    def ask(self, query: str, k: int | None = None, *, filter: Filter | None = None) -> Trace:
        """Gate, retries, answer."""
        ...

    def retrieve(self, query: str, k: int | None = None, *, filter: Filter | None = None) -> Trace:
        """Ranking and gate alone."""
        ...


@dataclass(frozen=True, slots=True)
class Scored:
    """A labelled query and the run that it made. ``(row.trace, row.answerable)`` is what ``views.Gate`` takes."""

    query: LabelledQuery
    answerable: bool
    trace: Trace
    left_out: tuple[str, ...] = ()
    """Ids that the search was kept from."""

    @property
    def gate(self) -> GateDecision:
        """The decision of the reported attempt."""
        assert self.trace.gate is not None
        return self.trace.gate

    @property
    def score(self) -> float:
        """The gate's score."""
        return self.gate.score

    @property
    def holds(self) -> bool:
        """Whether only the threshold decides: there is evidence and no floor is broken."""
        return set(self.gate.causes) <= {"score"}


@dataclass(frozen=True, slots=True)
class FeatureUse:
    """What a gate feature did over labelled queries."""

    name: str
    weight: float
    low: float
    high: float
    contribution: float
    """Its mean contribution to the score."""
    spread: float
    """The most that it moved one score against another: weight · (high - low)."""
    auroc: float | None
    """How well the feature alone tells answerable from not; 0.5 is chance. None where all queries are of one label."""
    idle: bool
    """Its spread is below 0.02."""


def scored(
    bench: Asks, queries: Iterable[LabelledQuery | Mapping[str, Any]], *, k: int | None = None, retry: bool = False
) -> tuple[Scored, ...]:
    """Each labelled query, run once (with ``retry`` through the feedback retries of ``ask``), in the order given."""
    return tuple(_run(bench, labelled(item), (), k, retry) for item in queries)


def leave_relevant_out(
    bench: Asks, queries: Iterable[LabelledQuery | Mapping[str, Any]], *, k: int | None = None, retry: bool = False
) -> tuple[Scored, ...]:
    """Each query that has relevant documents twice: as it is (answerable), and with those kept from every lane (not).

    Relevant documents are left out before fusion, by a filter that each lane applies before it searches.

    Raises:
        WorkbenchError: ``nothing_to_search`` where no query has a relevant document.
    """
    rows = [query for query in map(labelled, queries) if query.relevant_ids]
    if not rows:
        raise WorkbenchError("nothing_to_search", "no query has a relevant document: there is nothing to leave out")
    found = [_run(bench, query, (), k, retry) for query in rows]
    found += [_run(bench, query, query.relevant_ids, k, retry) for query in rows]
    return tuple(found)


def _run(bench: Asks, query: LabelledQuery, without: tuple[str, ...], k: int | None, retry: bool) -> Scored:
    filter = Filter(exclude_ids=without) if without else None
    trace = (bench.ask if retry else bench.retrieve)(query.query, k, filter=filter)
    return Scored(query, bool(query.answerable) and not without, trace, without)


def columns(rows: Sequence[Scored]) -> tuple[list[float], list[bool]]:
    """Scores and labels, as the threshold tools take them."""
    return [row.score for row in rows], [row.answerable for row in rows]


def floors_hold(rows: Sequence[Scored]) -> list[bool]:
    """For each row whether no floor is broken, for ``sweep``."""
    return [row.holds for row in rows]


def feature_use(rows: Sequence[Scored]) -> tuple[FeatureUse, ...]:
    """What each weighted feature did over the rows, in the order in which the score is folded.

    Raises:
        WorkbenchError: ``nothing_to_search`` without a row.
    """
    if not rows:
        raise WorkbenchError("nothing_to_search", "rows is empty: score at least one query")
    answerable = [row.answerable for row in rows]
    found = []
    for name in WEIGHTED:
        features = [row.gate.feature(name) for row in rows]
        values = [each.value for each in features]
        weight = checks.number(f"weight of {name}", features[0].weight)
        total = 0.0
        for each in features:
            total += each.contribution or 0.0
        spread = weight * (max(values) - min(values))
        chance = auroc(values, answerable)
        found.append(
            FeatureUse(name, weight, min(values), max(values), total / len(rows), spread, chance, spread < IDLE)
        )
    return tuple(found)
