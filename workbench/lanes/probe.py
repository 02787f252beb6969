"""Asks lanes past the recorded depth: where would this passage stand, and with what score?"""

from collections.abc import Mapping
from dataclasses import replace

from workbench.after_lanes import base
from workbench.errors import WorkbenchError
from workbench.explain import words
from workbench.kernels.analysis import Analyzer
from workbench.lanes.base import Retriever
from workbench.lanes.dense import DenseLane
from workbench.lanes.given import GivenLane
from workbench.lanes.labels import LabelLane
from workbench.lanes.lexical import LexicalLane, RankBM25Lane
from workbench.lanes.wiki import WikiLane
from workbench.records import Attempt, Filter, Lane, Passage
from workbench.records.probing import LaneProbe, Probe

_IN_PROCESS = (LexicalLane, RankBM25Lane, DenseLane, LabelLane, WikiLane)
"""Lanes that can be searched to their last passage."""
_NO_END = 2**31 - 1


def probe(
    attempt: Attempt, passage: Passage, engines: Mapping[str, Retriever], corpus_size: int, analyzer: Analyzer
) -> Probe:
    """The passage's standing in every lane of the attempt. ``engines`` are the lanes' own, by name."""
    filter = next((lane.filter for lane in attempt.lanes if lane.filter is not None), None)
    filtered = "" if filter is None else _kept_out(filter, passage)
    held = frozenset(analyzer.terms(passage.text))
    words: dict[str, str] = {}
    for token in analyzer.tokens(attempt.query):
        if not token.stop:
            words.setdefault(token.term, attempt.query[token.start : token.end])
    return Probe(
        id=passage.id,
        document_id=passage.document_id,
        query=attempt.query,
        filtered=filtered,
        held=tuple(word for term, word in words.items() if term in held),
        missing=tuple(word for term, word in words.items() if term not in held),
        lanes=tuple(
            _lane(lane, engines.get(base(lane.name)), attempt.query, passage.id, corpus_size, bool(filtered))
            for lane in attempt.lanes
        ),
    )


def same_corpus(attempt: Attempt, engines: Mapping[str, Retriever], corpus_size: int) -> None:
    """Refuses engines that are not those of the run: a lane's first hit has to have its recorded score.

    Raises:
        WorkbenchError: ``contradiction``, naming the lane, the id and both scores.
    """
    for lane in attempt.lanes:
        engine = engines.get(base(lane.name))
        if lane.status != "ran" or not lane.hits or engine is None or not isinstance(engine, _IN_PROCESS):
            continue
        first = lane.hits[0]
        try:
            found = _found(engine, _asked(lane, attempt.query), first.id, lane.filter, corpus_size)
        except WorkbenchError as cause:
            if cause.code != "unknown_id":
                raise
            found = None
        if found is None or found[1] != first.score:
            now = "nothing" if found is None else repr(found[1])
            raise WorkbenchError(
                "contradiction",
                f"lane {lane.name!r} gave {first.id!r} the score {first.score!r} in this Trace, and gives it {now} in this Workbench: ask the one that made the Trace, or run the query again",
                lane=lane.name,
                id=first.id,
            )


def _lane(lane: Lane, engine: Retriever | None, query: str, id: str, size: int, barred: bool) -> LaneProbe:
    name, depth = lane.name, lane.depth
    last = lane.hits[-1].score if lane.hits else None
    if lane.status != "ran":
        return LaneProbe(name, "not_run", depth=depth, note=f"{lane.status}: {lane.reason}")
    hit = lane.hit(id)
    if hit is not None:
        return LaneProbe(name, "returned", hit.rank, hit.score, depth, last)
    if barred:
        return LaneProbe(name, "no_match", depth=depth, last_score=last, note="kept out by the filter")
    if not _answers(engine, lane.filter):
        why = "a lane of the caller's answers to its depth alone" if engine is not None else "its engine is not here"
        return LaneProbe(name, "silent", depth=depth, last_score=last, note=why)
    assert engine is not None
    asked = _asked(lane, query)
    found = _found(engine, asked, id, lane.filter, size)
    if found is None:
        return LaneProbe(name, "no_match", depth=depth, last_score=last, note=_outside(engine, asked, id, lane, size))
    rank, score = found
    if depth is not None and rank <= depth:
        note = "the approximate index did not find it"
        return LaneProbe(name, "missed", rank, score, depth, last, note)
    return LaneProbe(name, "deeper", rank, score, depth, last)


def _asked(lane: Lane, query: str) -> str:
    """What this lane was asked: a further phrasing's lane records its own."""
    return str(lane.about.get("query", query))


def _answers(engine: Retriever | None, filter: Filter | None) -> bool:
    if isinstance(engine, GivenLane):
        return engine.whole
    return isinstance(engine, _IN_PROCESS) or (filter is None and callable(getattr(engine, "rank_of", None)))


def _found(engine: Retriever, query: str, id: str, filter: Filter | None, size: int) -> tuple[int, float | None] | None:
    """The rank and score of ``id`` at any depth. A rank under a filter counts what the filter lets pass."""
    rank_of = getattr(engine, "rank_of", None)
    if filter is None and callable(rank_of):
        found: tuple[int, float] | None = rank_of(query, id)
        return found
    depth = _NO_END if isinstance(engine, GivenLane) else max(size, 1)
    hit = engine.search(query, depth, filter).hit(id)
    return None if hit is None else (hit.rank, hit.score)


def _outside(engine: Retriever, query: str, id: str, lane: Lane, size: int) -> str:
    """Says so where only the filter's score window keeps it out."""
    if lane.filter is None or not lane.filter.has_window:
        return ""
    open_filter = replace(lane.filter, min_score=None, max_score=None)
    found = _found(engine, query, id, open_filter, size)
    return (
        ""
        if found is None or found[1] is None
        else f"its score {words.number(found[1])} lies outside the filter's window"
    )


def _kept_out(filter: Filter, passage: Passage) -> str:
    ids = (passage.id, passage.document_id)
    if filter.admits(ids, passage.metadata):
        return ""
    if filter.include_ids is not None and not any(each in filter.include_ids for each in ids):
        return "include_ids does not name it"
    if filter.exclude_ids is not None and any(each in filter.exclude_ids for each in ids):
        return "exclude_ids names it"
    key = next(k for k, v in filter.where.items() if k not in passage.metadata or passage.metadata[k] != v)
    have = f"its {key} is {passage.metadata[key]!r}" if key in passage.metadata else f"it has no {key}"
    return f"where asks for {key} = {filter.where[key]!r}, and {have}"
