"""The grounding view's state: answer and evidence cut where anything starts or ends, so that a mark is a run of pieces.

The browser never counts characters: it gets texts already cut, in order, and ranges of pieces. So code points, UTF-16
units and characters that are written out for safety cannot disagree.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.kernels import analysis
from workbench.kernels.grounding import F1_FLOOR, METHODS, ground
from workbench.kernels.judging import FLOOR
from workbench.kernels.overlap import best_f1
from workbench.records import Flag, Grounding, Passage, SentenceGrounding, Window
from workbench.trace import Trace
from workbench.views.states import shared

FLOORS = {"alignment": FLOOR, "f1": F1_FLOOR}
"""Each method's own floor."""


class Cuts:
    """A text cut at places; ``of(start, end)`` is the run of pieces between two of them."""

    def __init__(self, text: str, places: Iterable[int]) -> None:
        self._at = sorted({0, len(text), *places})
        self.pieces = [text[a:b] for a, b in zip(self._at, self._at[1:], strict=False)]

    def of(self, start: int, end: int) -> list[int]:
        """First piece and the one after the last."""
        return [bisect_left(self._at, start), bisect_left(self._at, end)]


def reground(trace: Trace, method: str, floor: float | None) -> Grounding:
    """The run's answer against its evidence by another method or floor, read as the run reads text."""
    assert trace.answer is not None
    rows = [(passage.id, passage.text) for passage in trace.evidence]
    return ground(trace.answer, rows, method=method, floor=floor, analyzer=trace.config.analyzer)


def other_method(trace: Trace) -> str:
    """The method that the run's grounding does not use."""
    assert trace.grounding is not None
    return next(method for method in METHODS if method != trace.grounding.method)


def grounding(trace: Trace, other: Grounding | None = None) -> dict[str, Any]:
    """The state. ``other``: the same answer by another method, to show how the verdicts differ."""
    state: dict[str, Any] = {
        "query": trace.query,
        "verdict": trace.verdict,
        "judge": trace.judge,
        "judged": trace.judged,
        "answerFloor": trace.config.answer_floor,
        "missing": _missing(trace),
    }
    if trace.answer is None or trace.grounding is None:
        return state
    found = {each.method: each for each in (trace.grounding, other) if each is not None}
    evidence = {passage.id: passage for passage in trace.evidence}
    answer = Cuts(trace.answer, _answer_places(found.values()))
    cuts = {id: Cuts(passage.text, _places(found.values(), id)) for id, passage in evidence.items()}
    number = {id: place for place, id in enumerate(evidence)}
    overlaps = _overlaps(trace, list(evidence.values()))

    def at(window: Window) -> list[int]:
        return [number[window.passage_id], *cuts[window.passage_id].of(window.start, window.end)]

    return state | {
        "recorded": trace.grounding.method,
        "methods": [trace.grounding.method, other_method(trace)],
        "floors": FLOORS,
        "answer": answer.pieces,
        "evidence": [
            {"id": id, "title": shared.title(trace, id), "pieces": cuts[id].pieces} for id in evidence
        ],
        "sentences": [answer.of(s.start, s.end) for s in trace.grounding.sentences],
        "overlaps": [overlaps(sentence) for sentence in trace.grounding.sentences],
        "groundings": {name: _told(each, answer, at, _ends(trace, each)) for name, each in found.items()},
    }  # fmt: skip


def _missing(trace: Trace) -> str:
    """Why there is nothing to show; empty where there is."""
    if trace.answer is None:
        reason = {
            "retrieved": "the run only retrieved",
            "insufficient": "the gate said that the evidence does not suffice",
        }.get(trace.verdict, "no generator gave one")
        return f"There is no answer to ground: {reason}."
    if trace.grounding is None:
        return "The answer was not grounded in this run."
    return "" if trace.grounding.sentences else "The answer holds no sentence."


def _answer_places(found: Iterable[Grounding]) -> set[int]:
    places = set()
    for each in found:
        for row in each.sentences:
            spans = [
                (row.start, row.end),
                *((t.start, t.end) for t in row.tokens),
                *((f.start, f.end) for f in row.flags),
            ]
            places |= {place for span in spans for place in span}
    return places


def _places(found: Iterable[Grounding], id: str) -> set[int]:
    windows = (window for each in found for row in each.sentences for window in _windows(row))
    return {place for window in windows if window.passage_id == id for place in (window.start, window.end)}


def _windows(row: SentenceGrounding) -> list[Window]:
    matched = [window for token in row.tokens for window in token.at]
    return [*row.windows, *matched, *(flag.at for flag in row.flags if flag.at is not None)]


def _ends(trace: Trace, found: Grounding) -> list[dict[str, str]]:
    """Each sentence's verdict where its score misses the floor, and where it reaches it.

    They are Python's own, judged at the ends of the scale: a floor turns a verdict only where it passes the score, so
    a dragged slider needs these two and no rule of the judge's.
    """
    low, high = (
        {(row.start, row.end): row.verdict for row in reground(trace, found.method, floor).sentences}
        for floor in (0.0, 1.0)
    )
    spans = [((row.start, row.end), row.verdict) for row in found.sentences]
    return [{"reached": low.get(span, verdict), "missed": high.get(span, verdict)} for span, verdict in spans]


def _told(found: Grounding, answer: Cuts, at: Any, ends: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "score": found.score,
        "floor": found.floor,
        "sentences": [_sentence(row, answer, at) | turns for row, turns in zip(found.sentences, ends, strict=True)],
    }


def _sentence(row: SentenceGrounding, answer: Cuts, at: Any) -> dict[str, Any]:
    return {
        "verdict": row.verdict,
        "score": row.score,
        "scores": dict(row.scores),
        "reason": row.reason,
        "windows": [at(window) for window in row.windows],
        "tokens": [
            [token.state, *answer.of(token.start, token.end), [at(w) for w in token.at]] for token in row.tokens
        ],
        "flags": [_flag(flag, answer, at) for flag in row.flags],
    }


def _flag(flag: Flag, answer: Cuts, at: Any) -> dict[str, Any]:
    return {
        "kind": flag.kind,
        "severity": flag.severity,
        "claim": flag.claim,
        "evidence": flag.evidence,
        "span": answer.of(flag.start, flag.end),
        "at": None if flag.at is None else at(flag.at),
        "sentence": flag.sentence,
    }


def _overlaps(trace: Trace, evidence: list[Passage]) -> Any:
    """What F1 is made of, for a sentence: distinct content terms on both sides of its best passage."""
    reader = analysis.analyzer(trace.config.analyzer)
    texts = [frozenset(reader.terms(passage.text)) for passage in evidence]

    def overlap(row: SentenceGrounding) -> Mapping[str, Any] | None:
        mine = frozenset(reader.terms(row.text))
        f1, place = best_f1(mine, texts)
        if place is None:
            return None
        both = len(mine & texts[place])
        return {
            "passage": place,
            "f1": f1,
            "both": both,
            "mine": len(mine),
            "theirs": len(texts[place]),
            "precision": both / len(mine),
            "recall": both / len(texts[place]),
        }

    return overlap
