"""Why a passage is not here, and the smallest change that brings it in, found by running it."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.explain.why_not import Change, WhyNot, lost, with_sentence
from workbench.explore.source import Source, source_of
from workbench.explore.what_if import what_if
from workbench.frozen import FrozenMap
from workbench.records import Attempt, Passage, Run
from workbench.records.probing import Probe

ASK = "Ask again with the Workbench at hand, or bench.probe(trace, id) for its rank in each lane."
ROUNDS = 6
"""Settings hang on each other (a deeper lane moves the head, the head moves the cut), so they are set in turn."""


def why_not(run: Run, id: str) -> WhyNot:
    """Why a passage, or any passage of a document, is not among the evidence.

    What lies past the recorded depth is asked of the Workbench behind the run, if there is one: the true
    rank and score in every lane, and a run at that depth (the callables of your own lanes are then called
    once more). Every change in the answer was run, and one less of any of its numbers leaves the passage out.

    Raises:
        WorkbenchError: ``missing_id``, ``id_not_text``.
    """
    asked = checks.item_id(id, "why_not")
    source = source_of(run)
    known = {**({} if source is None else source.passages), **run.passages}
    passage, probe = _farthest(run, source, known, asked)
    if passage is None:
        reason = "no_document" if source is not None else "not_recorded"
        names = sorted({*known, *(p.document_id for p in known.values())})
        near = tuple(get_close_matches(asked, names, 3, 0.85))
        note = "" if source is not None else ASK
        return with_sentence(run, WhyNot(asked, None, None, reason, "", near=near, change_note=note))
    answer = lost(run, asked, passage.id, passage.document_id, probe)
    changes, note = _brought_in(run, source, answer)
    return with_sentence(run, replace(answer, changes=changes, change_note=note))


def _farthest(
    run: Run, source: Source | None, known: Mapping[str, Passage], asked: str
) -> tuple[Passage | None, Probe | None]:
    """The passage that is asked about, of a document the one that came farthest, and its probe."""
    if asked in known:
        return known[asked], _probe(run, source, asked)
    passages = sorted((p for p in known.values() if p.document_id == asked), key=lambda p: p.id)
    if not passages:
        return None, None
    best = min(passages, key=lambda p: _place(run, p.id))
    if source is None or best.id in run.fusion.ids:
        return best, _probe(run, source, best.id)
    probes = [source.probe(run, p.id) for p in passages]
    found = min(probes, key=lambda probe: _NEVER if probe.nearest is None else probe.nearest.rank or _NEVER)
    return known[found.id], found


def _probe(run: Run, source: Source | None, id: str) -> Probe | None:
    return None if source is None else source.probe(run, id)


_NEVER = 2**31


def _place(run: Run, id: str) -> tuple[int, int]:
    """How far a passage came: (stages from the end, rank there)."""
    stages = (run.attempt.evidence, run.order, run.fusion.ids)
    for stage, ids in enumerate(stages):
        if id in ids:
            return stage, ids.index(id)
    return len(stages), _NEVER


# ---------------------------------------------------------------- what brings it in


def _brought_in(run: Run, source: Source | None, answer: WhyNot) -> tuple[tuple[Change, ...], str]:
    if answer.reason == "here":
        return (), ""
    if answer.reason == "not_recorded":
        return (), ASK
    if answer.reason == "no_match":
        return (), _no_match_note(run)
    try:
        first = _in_turn(run, source, answer)
        further = [_lower_diversity(run, answer)] if answer.reason == "redundant" else []
    except WorkbenchError as cause:
        if cause.code not in ("not_recorded", "model_failed", "lane_failed", "backend_unavailable"):
            raise
        return (), f"What would bring it in cannot be run: {cause.message}."
    found = tuple(change for change in (first, *further) if change is not None)
    return found, "" if found else "No setting that was tried brings it in."


def _no_match_note(run: Run) -> str:
    off = [lane.name for lane in run.lanes if lane.status != "ran"]
    other = f", or have {' or '.join(off)} run" if off else ""
    return f"No setting changes that: ask with a word of its own{other}."


def _in_turn(run: Run, source: Source | None, answer: WhyNot) -> Change | None:
    """Each setting that loses it is raised to just what it takes, in the order of the stages, until it comes through."""
    id = answer.id
    assert id is not None
    settings: dict[str, Any] = {"filter": None} if answer.reason == "filtered" else {}
    attempt = _again(run, source, settings) if settings else run.attempt
    for _ in range(ROUNDS):
        if id in attempt.evidence:
            return Change(FrozenMap(settings), attempt.evidence.index(id) + 1)
        order = attempt.reranking.ids if attempt.diversification is None else attempt.diversification.ids
        if id not in attempt.fusion.ids:
            depth = _depth(run, source, attempt, id)
            if depth is None or "depth" in settings:
                return None
            settings["depth"] = depth
        elif id not in order:
            settings["rerank_head"] = attempt.fusion.row(id) + 1
        else:
            settings["top_k"] = order.index(id) + 1
        attempt = _again(run, source, settings)
    return None


def _depth(run: Run, source: Source | None, attempt: Attempt, id: str) -> int | None:
    """The least depth at which a lane of the attempt returns it."""
    probe = None if source is None else source.probe(replace(run, attempts=(attempt,), best=0), id)
    lanes = () if probe is None else probe.lanes
    return min((lane.rank for lane in lanes if lane.rank is not None and lane.state == "deeper"), default=None)


def _again(run: Run, source: Source | None, settings: Mapping[str, Any]) -> Attempt:
    """The reported attempt with these settings: from the recorded lanes, or with the lanes asked again where they have to be."""
    if not settings.keys() & {"depth", "filter"}:
        return what_if(run, **settings).attempt
    if source is None:
        raise WorkbenchError("not_recorded", "the lanes would have to be asked again, and no Workbench is at hand")
    rest = {name: value for name, value in settings.items() if name != "filter"}
    return source.again(run, filtered="filter" not in settings, **rest)


def _lower_diversity(run: Run, answer: WhyNot) -> Change | None:
    """The smallest λ, in hundredths above the present one, at which it is picked in time."""
    assert run.config.lambda_mmr is not None
    assert answer.id is not None
    low, high = int(run.config.lambda_mmr * 100), 100
    rank = _rank_at(run, answer.id, high)
    if rank is None:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        here = _rank_at(run, answer.id, middle)
        if here is None:
            low = middle
        else:
            high, rank = middle, here
    return Change(FrozenMap({"lambda_mmr": high / 100}), rank)


def _rank_at(run: Run, id: str, hundredths: int) -> int | None:
    evidence = what_if(run, lambda_mmr=hundredths / 100).attempt.evidence
    return evidence.index(id) + 1 if id in evidence else None
