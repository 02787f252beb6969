"""Which stage lost a passage, and by how much: read off a run and, past its depth, off a probe of the lanes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from workbench.explain import words
from workbench.explain.shown import Shown, Table
from workbench.frozen import FromPlain, FrozenMap
from workbench.records import Attempt, Run
from workbench.records.probing import LaneProbe, Probe

REASONS = {
    "here": "it came through the cut",
    "no_document": "nothing of that id is in the corpus",
    "not_recorded": "the Trace does not hold it, and nothing behind the Trace can be asked",
    "filtered": "the filter kept it out before the lanes ran",
    "no_match": "no lane gives it a rank at any depth",
    "depth": "every lane that ranks it does so behind its depth",
    "head": "fusion put it behind the reranker's head",
    "redundant": "diversity passed it over for what is already said",
    "cut": "it stands below the cut",
}
"""Why a passage is not among the evidence, in the order of the stages."""


@dataclass(frozen=True, slots=True)
class Change(FromPlain):
    """Settings that bring a passage through the cut, as a run with them has shown, and where it then stands."""

    settings: FrozenMap
    """Setting → value; ``filter`` None is the query without its filter. One less of any number (of λ, a hundredth) leaves it out."""
    rank: int


@dataclass(frozen=True, slots=True, repr=False)
class WhyNot(Shown, FromPlain):
    """The answer to "why isn't that one here": the first stage that lost it, by how much, and what brings it in."""

    asked: str
    """The id as given: a passage's or a document's."""
    id: str | None
    """The passage that the answer is about: of a document, the one that came farthest."""
    document_id: str | None
    reason: str
    """A key of ``REASONS``."""
    sentence: str
    rank: int | None = None
    """Where it stands at the stage that lost it: in the lane that ranks it best, after fusion, or in the order before the cut."""
    limit: int | None = None
    """How many that stage lets through."""
    score: float | None = None
    needed: float | None = None
    """The score of the last one that the stage let through."""
    gap: float | None = None
    """``needed`` less ``score``; None where either is absent, or where scores did not decide."""
    against: str | None = None
    redundancy: float | None = None
    said: str = ""
    """What the filter says of it."""
    probe: Probe | None = None
    """Its standing in each lane; None where the lanes could not be asked."""
    changes: tuple[Change, ...] = ()
    """What brings it in: first the settings that lost it, raised to just what it takes; then, for diversity, the smallest λ."""
    change_note: str = ""
    """Why there is no such change."""
    near: tuple[str, ...] = field(default=())
    """Ids that are spelled like the one asked for."""

    def tables(self) -> list[Table]:
        """The lanes' answers, and the changes."""
        lanes = () if self.probe is None else self.probe.lanes
        return [
            Table("lanes", ("lane", "state", "rank", "depth", "score", "last one in", ""), [(p.lane, p.state.replace("_", " "), p.rank, p.depth, p.score, p.last_score, p.note) for p in lanes]),
            Table("what brings it in", ("settings", "it then stands"), [(settings_in_words(c), c.rank) for c in self.changes]),
        ]  # fmt: skip


def lost(run: Run, asked: str, id: str, document_id: str | None, probe: Probe | None) -> WhyNot:
    """Where the passage ``id`` went missing. ``probe`` is None where no lane can be asked; the sentence is still to come."""
    attempt = run.attempt
    answer = WhyNot(asked, id, document_id, lost_at(attempt, id, probe), "", probe=probe)
    return _MEASURED[answer.reason](run, answer)


def lost_at(attempt: Attempt, id: str, probe: Probe | None) -> str:
    """The reason, a key of ``REASONS``."""
    if id in attempt.evidence:
        return "here"
    if id not in attempt.fusion.ids:
        if probe is None:
            return "not_recorded"
        windowed = any("filter's window" in lane.note for lane in probe.lanes)
        if probe.nearest is None:
            return "filtered" if probe.filtered or windowed else "no_match"
        return "depth"
    if id not in attempt.reranking.ids:
        return "head"
    picked = attempt.diversification
    if picked is not None and attempt.reranking.ids.index(id) < len(attempt.evidence):
        return "redundant"
    return "cut"


# ---------------------------------------------------------------- by how much


def _as_is(run: Run, answer: WhyNot) -> WhyNot:
    return answer


def _here(run: Run, answer: WhyNot) -> WhyNot:
    assert answer.id is not None
    return replace(answer, rank=run.attempt.evidence.index(answer.id) + 1, limit=len(run.attempt.evidence))


def _filtered(run: Run, answer: WhyNot) -> WhyNot:
    assert answer.probe is not None
    outside = [f"{lane.lane}: {lane.note}" for lane in answer.probe.lanes if lane.note]
    return replace(answer, said=answer.probe.filtered or "; ".join(outside))


def _depth(run: Run, answer: WhyNot) -> WhyNot:
    assert answer.probe is not None
    best = answer.probe.nearest
    assert best is not None
    return _against(replace(answer, rank=best.rank, limit=best.depth), best.score, best.last_score)


def _head(run: Run, answer: WhyNot) -> WhyNot:
    assert answer.id is not None
    fusion, head = run.fusion, len(run.reranking.ids)
    row = fusion.row(answer.id)
    measured = replace(answer, rank=row + 1, limit=run.reranking.head)
    return _against(measured, float(fusion.scores[row]), float(fusion.scores[head - 1]))


def _redundant(run: Run, answer: WhyNot) -> WhyNot:
    assert run.diversification is not None
    step = next(step for step in run.diversification.steps if step.id == answer.id)
    measured = replace(answer, rank=run.order.index(step.id) + 1, limit=run.config.top_k, score=step.score)
    return replace(measured, against=step.against, redundancy=step.redundancy)


def _cut(run: Run, answer: WhyNot) -> WhyNot:
    assert answer.id is not None
    measured = replace(answer, rank=run.order.index(answer.id) + 1, limit=run.config.top_k)
    if run.diversification is not None:
        return measured  # its score was worked out against other picks than the last one's, so they do not compare
    scores = dict(zip(run.reranking.ids, run.reranking.scores, strict=True))
    return _against(measured, scores[answer.id], scores[run.attempt.evidence[-1]])


def _against(answer: WhyNot, score: float | None, needed: float | None) -> WhyNot:
    gap = None if score is None or needed is None else needed - score
    return replace(answer, score=score, needed=needed, gap=gap)


_MEASURED: dict[str, Callable[[Run, WhyNot], WhyNot]] = {
    "here": _here,
    "not_recorded": _as_is,
    "filtered": _filtered,
    "no_match": _as_is,
    "depth": _depth,
    "head": _head,
    "redundant": _redundant,
    "cut": _cut,
}


# ---------------------------------------------------------------- words


def with_sentence(run: Run, answer: WhyNot) -> WhyNot:
    """The record with its sentence."""
    if answer.id is None:
        return replace(answer, sentence=_unknown(answer))
    name = words.name_of(run, answer.id)
    if answer.asked != answer.id:
        name = f"{name}, the passage of {answer.asked} that came farthest,"
    said = _SAID[answer.reason](name, answer)
    return replace(answer, sentence=" ".join(part for part in (said, _changes(answer)) if part))


def _unknown(answer: WhyNot) -> str:
    near = f" Did you mean {words.listed(answer.near)}?" if answer.near else ""
    if answer.reason == "no_document":
        return f"{answer.asked!r} is no document or passage here.{near}"
    return f"{answer.asked!r} is not among the candidates that this Trace recorded, and with no Workbench behind it the Trace cannot say whether it is a document at all.{near} {answer.change_note}"


def _say_here(name: str, answer: WhyNot) -> str:
    return f"{name} is here: {words.ordinal(answer.rank or 0)} of the {answer.limit} that came through the cut."


def _say_not_recorded(name: str, answer: WhyNot) -> str:
    return f"{name} was returned by no lane within its depth, and this Trace cannot say how far behind it stands."


def _say_filtered(name: str, answer: WhyNot) -> str:
    return f"{name} is kept out by the filter: {answer.said}."


def _say_no_match(name: str, answer: WhyNot) -> str:
    assert answer.probe is not None
    probe = answer.probe
    lacks = f"it lacks {words.listed(probe.missing)}" if probe.missing else "the query has no content word"
    what = f"it holds none of the query's words: {lacks}" if not probe.held else f"of the query's words {lacks}"
    return f"No lane gives {name} a rank at any depth; {what}.{_silent(probe.lanes)}"


def _say_depth(name: str, answer: WhyNot) -> str:
    assert answer.probe is not None
    lanes = answer.probe.lanes
    behind = [
        f"{words.ordinal(lane.rank or 0)} in {lane.lane}, {_short_of(lane)}"
        for lane in lanes
        if lane.rank is not None
    ]  # fmt: skip
    nothing = [lane.lane for lane in lanes if lane.state == "no_match"]
    rest = f"; {words.listed(nothing)} {'give' if len(nothing) > 1 else 'gives'} it no rank" if nothing else ""
    gap = "" if not answer.gap else f" It is {words.number(answer.gap)} short of the last one in."
    if len(behind) > 1 and gap:
        nearest = answer.probe.nearest
        gap = f" In {nearest.lane if nearest else ''} it is {words.number(answer.gap or 0.0)} short of the last one in."
    return f"{name} stands {words.listed(behind)}{rest}.{gap}{_silent(lanes)}"


def _short_of(lane: LaneProbe) -> str:
    return "which did not find it" if lane.state == "missed" else f"depth {lane.depth}"


def _silent(lanes: Sequence[LaneProbe]) -> str:
    silent = [lane.lane for lane in lanes if lane.state == "silent"]
    return f" {words.listed(silent)} cannot say past {'their' if len(silent) > 1 else 'its'} depth." if silent else ""


def _say_head(name: str, answer: WhyNot) -> str:
    return f"{name} is fused {words.ordinal(answer.rank or 0)}, and the reranker sees {answer.limit}: {_short(answer)}."


def _say_redundant(name: str, answer: WhyNot) -> str:
    like = "" if answer.redundancy is None else f" ({words.number(answer.redundancy)})"
    return f"{name} is redundant with {answer.against}{like}: diversity picks it {words.ordinal(answer.rank or 0)}, and {answer.limit} come through the cut."


def _say_cut(name: str, answer: WhyNot) -> str:
    short = _short(answer)
    return f"{name} is {words.ordinal(answer.rank or 0)}, and {answer.limit} come through the cut{': ' + short if short else ''}."


def _short(answer: WhyNot) -> str:
    if answer.gap is None or answer.score is None or answer.needed is None:
        return ""
    if answer.gap == 0:
        return f"it ties with the last one in at {words.number(answer.score)}, and the tie rule puts it behind"
    return f"its {words.number(answer.score)} is {words.number(answer.gap)} short of the last one in"


def _changes(answer: WhyNot) -> str:
    if not answer.changes:
        return answer.change_note
    told = [f"with {settings_in_words(change)} it comes in {words.ordinal(change.rank)}" for change in answer.changes]
    text = "; ".join(told)
    return f"{text[0].upper()}{text[1:]}."


def settings_in_words(change: Change) -> str:
    """``depth 137 and top_k 6``, ``no filter``."""
    parts = [
        "no filter" if name == "filter" else f"{name} {words.number(value)}" for name, value in change.settings.items()
    ]
    return words.listed(parts)


_SAID: dict[str, Callable[[str, WhyNot], str]] = {
    "here": _say_here,
    "not_recorded": _say_not_recorded,
    "filtered": _say_filtered,
    "no_match": _say_no_match,
    "depth": _say_depth,
    "head": _say_head,
    "redundant": _say_redundant,
    "cut": _say_cut,
}
