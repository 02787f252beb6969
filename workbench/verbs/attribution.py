"""Where a ranking's scores came from, read off the ranking itself."""

from dataclasses import dataclass
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.explain import words
from workbench.frozen import FromPlain, FrozenMap
from workbench.records import Contribution, Filter, Hit, Step
from workbench.verbs.backends import BACKENDS, Backend
from workbench.verbs.ranking import Contributions, Ranking


@dataclass(frozen=True, slots=True)
class Source(FromPlain):
    """One lane that went in: who served it, how many hits it had, and what its filter kept out."""

    lane: str
    backend: str
    score_model: str
    hits: int
    filter: Filter | None
    dropped: int | None


@dataclass(frozen=True, slots=True)
class Provenance(FromPlain):
    """The contributions that made a ranking's order, one per lane per hit, absent lanes included.

    ``attribution_residual`` is 0.0 where they add up to every score exactly, in the order given, and None
    where the backend gave no attribution.
    """

    verb: str
    backend: str
    score_model: str
    params: FrozenMap
    sources: tuple[Source, ...]
    filter: Filter | None
    dropped: int | None
    hits: tuple[Hit, ...]
    contributions: Contributions | None
    steps: tuple[Step, ...]
    """The picks of a reranking; empty for every other verb."""
    attribution_residual: float | None
    notes: tuple[str, ...]
    detail: FrozenMap
    """Of a search: what its lane can say of each hit, by id."""

    def of(self, id: str) -> tuple[Contribution, ...] | None:
        """The contributions of that hit; None where the backend gave no attribution.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        row = self._row(id)
        return None if self.contributions is None else self.contributions[row]

    def why(self, id: str) -> str:
        """One sentence: rank, score, backend, score model and every contribution, absent lanes included.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        row = self._row(id)
        hit = self.hits[row]
        score = "no score" if hit.score is None else f"the score {words.number(hit.score)}"
        opening = f"{id} is {words.ordinal(hit.rank)} of {len(self.hits)} with {score} from backend {self.backend} (score model {self.score_model})"
        return f"{opening}: {'; '.join((*self._parts(row), *self._filters()))}."

    def _row(self, id: str) -> int:
        for row, hit in enumerate(self.hits):
            if hit.id == id:
                return row
        raise WorkbenchError("unknown_id", f"{id!r} is not among the {len(self.hits)} hits of this {self.verb}", id=id)

    def _parts(self, row: int) -> tuple[str, ...]:
        if self.contributions is None:
            return ("the backend gave no attribution, so what each lane added is not known",)
        if self.steps:
            return _picked(self.steps[row], self.contributions[row])
        if self.verb == "recall":
            return tuple(map(_term, self.contributions[row]))
        if len(self.sources) == 1 and self.verb != "hybrid_search":
            return (_own(self.contributions[row][0], self.detail.get(self.hits[row].id)),)
        hits = {source.lane: source.hits for source in self.sources}
        return tuple(_lane(part, hits.get(part.lane)) for part in self.contributions[row])

    def _filters(self) -> tuple[str, ...]:
        return tuple(
            f"a filter kept {source.dropped} out of {source.lane}"
            for source in self.sources
            if source.dropped is not None
        )


def provenance(ranking: Ranking, *, backend: str | Backend | None = None) -> Provenance:
    """The provenance of ``ranking``; ``backend`` may name the one that it is expected to come from.

    Raises:
        WorkbenchError: ``wrong_type`` for what is no Ranking; ``unknown_backend``; ``contradiction`` for a
            backend that the result did not come from.
    """
    if not isinstance(ranking, Ranking):
        raise WorkbenchError("wrong_type", f"ranking is {type(ranking).__name__} {ranking!r:.60}: give a verb's result")
    if backend is not None:
        _same_backend(ranking, backend)
    return Provenance(
        verb=ranking.verb,
        backend=ranking.backend,
        score_model=ranking.score_model,
        params=ranking.params,
        sources=tuple(
            Source(lane.name, lane.backend, lane.score_model, len(lane.hits), lane.filter, lane.dropped)
            for lane in ranking.lanes
        ),
        filter=ranking.filter,
        dropped=ranking.dropped,
        hits=ranking.hits,
        contributions=ranking.contributions,
        steps=() if ranking.diversification is None else ranking.diversification.steps,
        attribution_residual=ranking.residual,
        notes=ranking.notes,
        detail=ranking.lanes[0].detail if len(ranking.lanes) == 1 else FrozenMap(),
    )


def _same_backend(ranking: Ranking, backend: Any) -> None:
    name = backend.name if isinstance(backend, Backend) else backend
    if name == ranking.backend:
        return
    if not isinstance(backend, Backend):
        checks.one_of("backend", backend, BACKENDS, "unknown_backend")
    raise WorkbenchError(
        "contradiction",
        f"backend is {name!r}, and this {ranking.verb} result came from {ranking.backend!r}: a backend answers for its own results; leave it out",
        backend=name,
        came_from=ranking.backend,
    )


def _lane(part: Contribution, hits: int | None) -> str:
    who = f"{part.lane} ({part.backend or 'given'})"
    if part.rank is None:
        return f"{who} ran and matched nothing" if hits == 0 else f"{who} did not return it"
    score = "without a score" if part.score is None else f"with {words.number(part.score)}"
    added = "" if part.contribution is None else f" and adds {words.number(part.contribution)}"
    return f"{who} has it {words.ordinal(part.rank)} {score}{added}"


def _own(part: Contribution, detail: Any) -> str:
    terms = detail.get("terms") if isinstance(detail, dict) else None
    if not terms:
        return f"{part.lane} alone orders it"
    return f"{part.lane} adds " + " + ".join(f"{term['term']} {words.number(term['contribution'])}" for term in terms)


def _picked(step: Step, parts: tuple[Contribution, ...]) -> tuple[str, ...]:
    relevance, redundancy = parts
    assert relevance.rank is not None
    assert relevance.contribution is not None
    gain = (
        f"its relevance {words.number(step.relevance)} ({words.ordinal(relevance.rank)} of the candidates, "
        f"{relevance.backend or 'given'}) adds {words.number(relevance.contribution)}"
    )
    if step.redundancy is None or redundancy.contribution is None:
        return gain, "nothing was picked before it, so no redundancy counts"
    return gain, _redundancy(step, redundancy.contribution)


def _redundancy(step: Step, contribution: float) -> str:
    assert step.redundancy is not None
    verb = "takes" if contribution <= 0 else "gives back"
    return f"its redundancy {words.number(step.redundancy)}, most like {step.against}, {verb} {words.number(abs(contribution))}"


def _term(part: Contribution) -> str:
    name = part.lane.replace("_", " ")
    if part.score is None or part.contribution is None:
        return f"{name} is absent"
    verb = "takes" if part.contribution < 0 else "adds"
    return f"{name} {words.number(part.score)} {verb} {words.number(abs(part.contribution))}"
