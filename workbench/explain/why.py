"""Why a candidate stands where it stands: read off a run, with no kernel in reach."""

from dataclasses import dataclass, replace

from workbench.errors import WorkbenchError
from workbench.explain import words
from workbench.frozen import FromPlain
from workbench.records import Contribution, Feature, Fusion, Run, Step


@dataclass(frozen=True, slots=True)
class Place(FromPlain):
    """Where a candidate stood at one stage. ``rank`` and ``score`` are None where the stage did not return it."""

    stage: str
    rank: int | None
    of: int
    """How many candidates the stage held."""
    score: float | None


@dataclass(frozen=True, slots=True)
class Difference(FromPlain):
    """One term of a comparison: this candidate's, the other's (None for absent) and the signed difference."""

    name: str
    here: float | None
    there: float | None
    difference: float


@dataclass(frozen=True, slots=True)
class Lead(FromPlain):
    """The gap to the neighbour: the candidate below, or above for all but the first."""

    other: str
    stage: str
    """``fusion`` or ``reranking``: whose scores ordered the two."""
    difference: float
    """This score minus the other's."""
    terms: tuple[Difference, ...]
    made_by: str | None
    """The term that made most of the gap; None where a tie rule did."""
    decided: str


@dataclass(frozen=True, slots=True)
class Why(FromPlain):
    """The answer to "why is this here": a sentence, and the numbers that it is made of."""

    id: str
    document_id: str | None
    title: str
    rank: int | None
    """In the order before the cut; None behind the reranker's head."""
    kept: bool
    """Whether it came through the cut."""
    sentence: str
    path: tuple[Place, ...]
    """Lane by lane, then fusion, reranking, diversity and cut."""
    contributions: tuple[Contribution, ...]
    fused_score: float
    share: float | None
    """The fused score's part of the most possible; None where the method has no such bound."""
    features: tuple[Feature, ...]
    step: Step | None
    lead: Lead | None
    matched: tuple[str, ...]
    """What the lanes can say of it, a line each."""


def why(run: Run, id: str | None = None) -> Why:
    """Why ``id`` (or the first candidate) stands where it stands.

    Raises:
        WorkbenchError: ``unknown_id`` for an id that no lane returned, ``nothing_to_search`` where the run has no candidate.
    """
    if id is None:
        if not run.order:
            raise WorkbenchError(
                "nothing_to_search", f"no candidate answers {run.query!r}: every lane ran and matched nothing"
            )
        id = run.order[0]
    fusion = run.fusion
    if id not in fusion.ids:
        known = (
            "it is a document: name one of its passages"
            if any(p.document_id == id for p in run.passages.values())
            else "no lane returned it"
        )
        raise WorkbenchError(
            "unknown_id", f"{id!r} is not among the {len(fusion.ids)} candidates of this run: {known}", id=id
        )
    rank = run.order.index(id) + 1 if id in run.order else None
    passage = run.passages.get(id)
    score = float(fusion.scores[fusion.row(id)])
    step = next((s for s in run.diversification.steps if s.id == id), None) if run.diversification else None
    answer = Why(
        id=id,
        document_id=None if passage is None else passage.document_id,
        title="" if passage is None else passage.title,
        rank=rank,
        kept=id in run.attempt.evidence,
        sentence="",
        path=_path(run, id),
        contributions=fusion.of(id),
        fused_score=score,
        share=None if not fusion.possible else score / fusion.possible,
        features=run.reranking.of(id) if id in run.reranking.ids else (),
        step=step,
        lead=_lead(run, id, rank),
        matched=tuple(line for lane in run.lanes if (line := _said(lane.name, lane.detail.get(id)))),
    )
    return _with_sentence(run, answer)


def _path(run: Run, id: str) -> tuple[Place, ...]:
    places = []
    for lane in run.lanes:
        hit = lane.hit(id)
        places.append(Place(lane.name, hit.rank if hit else None, len(lane.hits), hit.score if hit else None))
    row = run.fusion.row(id)
    places.append(Place("fusion", row + 1, len(run.fusion.ids), float(run.fusion.scores[row])))
    for stage, ids, scores in _later_stages(run):
        at = ids.index(id) if id in ids else None
        places.append(Place(stage, None if at is None else at + 1, len(ids), None if at is None else scores[at]))
    return tuple(places)


def _later_stages(run: Run) -> list[tuple[str, tuple[str, ...], tuple[float, ...]]]:
    stages = [("reranking", run.reranking.ids, run.reranking.scores)]
    if run.diversification:
        stages.append(("diversity", run.diversification.ids, tuple(step.score for step in run.diversification.steps)))
    kept = run.attempt.evidence
    scores = dict(zip(run.reranking.ids, run.reranking.scores, strict=True))
    stages.append(("cut", kept, tuple(scores[id] for id in kept)))
    return stages


def _lead(run: Run, id: str, rank: int | None) -> Lead | None:
    """The gap to the next candidate below (first), or to the one above (all others), in the scores that ordered them."""
    if rank is None or len(run.order) < 2 or run.diversification is not None:
        return None
    at = 1 if rank == 1 else rank - 2
    other = run.order[at]
    reranking, fusion = run.reranking, run.fusion
    if reranking.name == "identity":
        here, there = (float(fusion.scores[fusion.row(each)]) for each in (id, other))
        terms = tuple(
            _difference(a.lane, a.contribution, b.contribution)
            for a, b in zip(fusion.of(id), fusion.of(other), strict=True)
        )
        stage, decided = "fusion", fusion.decided[max(fusion.row(id), fusion.row(other)) if rank > 1 else 0]
    else:
        here, there = (reranking.scores[reranking.ids.index(each)] for each in (id, other))
        terms = tuple(
            _difference(a.name, a.contribution, b.contribution)
            for a, b in zip(reranking.of(id), reranking.of(other), strict=True)
        )
        stage, decided = "reranking", reranking.decided[rank - 1]
    difference = here - there
    made_by = None
    if decided == "score" and terms:
        sign = 1.0 if difference > 0 else -1.0
        made_by = max(terms, key=lambda t: sign * t.difference).name
    return Lead(other, stage, difference, terms, made_by, decided)


def _difference(name: str, here: float | None, there: float | None) -> Difference:
    # an absent term adds nothing to a score, so it takes nothing from a difference; it stays None in the record
    if here is None:
        return Difference(name, here, there, 0.0 if there is None else -there)
    return Difference(name, here, there, here if there is None else here - there)


def _said(lane: str, detail: object) -> str:
    """A line of what a lane can say of a hit, from the words that its detail holds."""
    if not isinstance(detail, dict):
        return ""
    if "entity" in detail:
        return f"{lane}: {detail['kind']} “{detail['entity']}” ({', '.join(detail['matched'])})"
    if "node" in detail:
        return f"{lane}: under “{' › '.join((*detail['path'], detail['node']))}” ({', '.join(detail['matched'])})"
    if "page" in detail:
        return f"{lane}: page “{detail['page']}” ({', '.join(detail['matched'])})"
    if "terms" in detail:
        return f"{lane}: " + ", ".join(f"{t['term']} {words.number(t['contribution'])}" for t in detail["terms"])
    if "matched" in detail:
        return f"{lane}: " + ", ".join(detail["matched"])
    if "cosine" in detail:
        return f"{lane}: cosine {words.number(detail['cosine'])}"
    return ""


def _with_sentence(run: Run, answer: Why) -> Why:
    return replace(answer, sentence=" ".join((_standing(run, answer), _gap(run, answer))).strip())


def _standing(run: Run, answer: Why) -> str:
    fused = _fused(run.fusion, answer)
    place = words.ordinal(answer.rank) if answer.rank else ""
    name = words.name_of(run, answer.id)
    fused_rank = run.fusion.row(answer.id) + 1
    if answer.rank is None:
        return f"{name} is fused {words.ordinal(fused_rank)}, behind the {run.reranking.head} that the reranker sees: {fused}."
    if answer.step is not None:
        return f"{name} is picked {place}: {_picked(run, answer.step)}; fusion has it {words.ordinal(fused_rank)}: {fused}."
    if run.reranking.name == "identity":
        return f"{name} is {place}: {fused}."
    before = f"fusion has it {words.ordinal(fused_rank)}: {fused}"
    return f"{name} is {place}: {run.reranking.name} reranking gives it {_reranked(run, answer)}; {before}."


def _fused(fusion: Fusion, answer: Why) -> str:
    most = "" if answer.share is None else f" ({words.share(answer.share)} of the most possible)"
    return words.fused_sum(fusion, answer.id) + most


def _reranked(run: Run, answer: Why) -> str:
    score = run.reranking.scores[run.reranking.ids.index(answer.id)]
    parts = [
        f"{words.number(f.weight)}·{words.number(f.value)} ({f.name})" for f in answer.features if f.weight is not None
    ]
    return f"{' + '.join(parts)} = {words.number(score)}" if parts else words.number(score)


def _picked(run: Run, step: Step) -> str:
    assert run.diversification is not None
    lam = run.diversification.lambda_mmr
    relevance = f"{words.number(lam)}·{words.number(step.relevance)} relevance"
    if step.redundancy is None or step.against is None:
        return f"{relevance}, no redundancy yet, = {words.number(step.score)}"
    redundancy = f"{words.number(1 - lam)}·{words.number(step.redundancy)} redundancy with {step.against}"
    return f"{relevance} − {redundancy} = {words.number(step.score)}"


_TIES = {
    "id": "tied exactly; the ascending id decides",
    "first_seen": "tied exactly; the one seen first comes first",
    "rounding": "rounding decides: the exact scores would order them otherwise or not at all",
    "given": "the order was kept as given",
}


def _gap(run: Run, answer: Why) -> str:
    lead = answer.lead
    if lead is None or answer.rank is None:
        return ""
    other = words.name_of(run, lead.other)
    first = answer.rank == 1
    opening = f"{other} is second" if first else f"{other} stands above it"
    if lead.decided != "score":
        return f"{opening}, {_TIES.get(lead.decided, lead.decided)}."
    size = words.number(abs(lead.difference))
    made = "" if lead.made_by is None else f"; {lead.made_by} makes most of the gap"
    return f"{opening}, {size} {'behind' if first else 'ahead'}{made}."
