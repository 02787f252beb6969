"""How an answer stands on its evidence, sentence by sentence.

``f1`` is rerankgate 0.2.0's heuristic judge (R10): one overlap number a sentence. ``alignment`` lays each
sentence along the evidence that carries it best, and returns several scores side by side, where each
word matched, and what the evidence says otherwise. Neither knows what is true: both read words.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels import analysis, citing, sentences, verbatim
from workbench.kernels.analysis import Analyzer
from workbench.kernels.judging import FLOOR, judge
from workbench.kernels.mending import mends
from workbench.kernels.overlap import best_f1
from workbench.kernels.overlap import jaccard as jaccard
from workbench.kernels.windows import Evidence
from workbench.records import Grounding, SentenceGrounding, Window

METHODS = ("alignment", "f1")
F1_FLOOR = 0.35
UNITS = ("passage", "sentence")


def ground(
    answer: str,
    evidence: Sequence[tuple[str, str]],
    *,
    method: str = "alignment",
    floor: float | None = None,
    unit: str = "passage",
    analyzer: str | Analyzer | None = None,
    splitter: str = "sentencex",
) -> Grounding:
    """Each sentence of ``answer`` against ``evidence``, (id, text) pairs.

    ``f1``: a sentence's score is its best token-overlap F1, over content terms as sets, against any
    passage (``unit="passage"``, rerankgate 0.2.0) or any evidence sentence (``unit="sentence"``); it is
    supported at ``floor`` (0.35). A sentence without content terms scores 0, an answer without sentences 0.

    ``alignment``: see ``judging.judge``; ``floor`` (0.5) was chosen on hand-written pairs, and there is
    none that fits every collection. Its unit is a window of one or two sentences, so ``unit`` is not for
    it. What cannot be checked takes no part in the mean; without a checkable sentence the score is None.
    A sentence that is not supported says what would turn its verdict (``mends``), judged again. Citations,
    [2] for the second passage of the evidence or [id], are no words of the sentence, and are checked: see ``Citations``.
    ``f1`` reads a citation as a word, as rerankgate 0.2.0 does, and checks none.

    ``analyzer`` is ``english`` unless given; tokens, sentences and spans follow it and ``splitter``.
    Spans are code points: of the answer, and of each passage's text.

    Raises:
        WorkbenchError: ``out_of_range`` (method, unit, floor), ``contradiction`` (a unit for alignment),
            ``repeated_id``, ``wrong_type``, ``unknown_analyzer``.
    """
    checks.text("answer", answer)
    checks.one_of("method", method, METHODS, "out_of_range")
    checks.one_of("unit", unit, UNITS, "out_of_range")
    if method == "alignment" and unit != "passage":
        raise WorkbenchError(
            "contradiction", f"unit {unit!r} is of f1, and method is 'alignment', which finds its own windows: drop one"
        )
    pairs = [_pair(i, row) for i, row in enumerate(checks.listed("evidence", evidence, "(id, text) pairs"), start=1)]
    ids = [id for id, _ in pairs]
    checks.no_repeats(ids, "evidence")
    texts = [text for _, text in pairs]
    own = F1_FLOOR if method == "f1" else FLOOR
    limit = own if floor is None else checks.number("floor", floor, low=0, high=1)
    given = "english" if analyzer is None else analyzer
    reader = analysis.analyzer(given) if isinstance(given, str) else given
    name = sentences.version(splitter)
    if method == "f1":
        rows = _by_f1(answer, sentences.split(answer, splitter=splitter), ids, texts, unit, limit, reader, splitter)
    else:
        rows = _Aligned(answer, ids, texts, reader, splitter, limit).rows()
    scores = [row.score for row in rows if row.score is not None]
    empty = 0.0 if method == "f1" else None
    return Grounding(_mean(scores) if scores else empty, limit, method, name, rows)


def _pair(place: int, row: Any) -> tuple[str, str]:
    """An item of the evidence as its id and text."""
    if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != 2:
        raise WorkbenchError("wrong_type", f"evidence {place} is {row!r:.80}: give an (id, text) pair")
    id = checks.item_id(row[0], f"evidence {place}")
    return id, checks.text(f"text of {id!r}", row[1])


class _Aligned:
    """One answer against one evidence, by alignment."""

    def __init__(
        self, answer: str, ids: Sequence[str], texts: Sequence[str], reader: Analyzer, splitter: str, floor: float
    ) -> None:
        self.answer, self.texts = answer, dict(zip(ids, texts, strict=True))
        self.marks = citing.markers(answer, ids)
        self.blank = citing.blanked(answer, self.marks)
        self.reader, self.splitter, self.floor = reader, splitter, floor
        self.evidence = Evidence(ids, texts, reader, splitter)
        self.spans = sentences.split(self.blank, splitter=splitter)

    def rows(self) -> tuple[SentenceGrounding, ...]:
        cited = citing.by_sentence(self.answer, self.spans, self.marks)
        return tuple(self._row(span, marks) for span, marks in zip(self.spans, cited, strict=True))

    def _row(self, span: tuple[int, int], marks: Sequence[citing.Mark]) -> SentenceGrounding:
        start, end = span
        copied = self.answer[start:end]
        bracketed = any(start <= mark[0] < end for mark in marks)
        if bracketed and verbatim.find(copied, frozenset(self.reader.terms(copied)), self.evidence):
            # the bracket is the source's own
            return judge(self.answer, start, end, self.evidence, self.reader, self.floor)
        row = judge(self.blank, start, end, self.evidence, self.reader, self.floor)
        found = mends(self.blank, row, self._again)
        reason = row.reason if not found else f"{row.reason} {found[0].sentence}"
        checked = None if row.verdict == "not_checkable" else citing.check(marks, lambda on: self._on(on, start, end))
        return replace(row, text=copied, reason=reason, mends=found, citations=checked)

    def _again(self, answer: str, start: int, end: int) -> str | None:
        """The verdict on a changed sentence, where it is still one sentence of the changed answer."""
        within = [(a, b) for a, b in sentences.split(answer, splitter=self.splitter) if a < end and start < b]
        if len(within) != 1:
            return None
        return judge(answer, *within[0], self.evidence, self.reader, self.floor).verdict

    def _on(self, ids: Sequence[str], start: int, end: int) -> str:
        """The verdict on a sentence against those passages alone."""
        texts = [self.texts[id] for id in ids]
        only = Evidence(ids, texts, self.reader, self.splitter)
        return judge(self.blank, start, end, only, self.reader, self.floor).verdict


def _by_f1(
    answer: str,
    spans: Sequence[tuple[int, int]],
    ids: Sequence[str],
    texts: Sequence[str],
    unit: str,
    floor: float,
    reader: Analyzer,
    splitter: str,
) -> tuple[SentenceGrounding, ...]:
    if unit == "passage":
        units = [(id, 0, len(text)) for id, text in zip(ids, texts, strict=True)]
    else:
        units = [
            (id, start, end)
            for id, text in zip(ids, texts, strict=True)
            for start, end in sentences.split(text, splitter=splitter)
        ]
    by_id = dict(zip(ids, texts, strict=True))
    terms = [frozenset(reader.terms(by_id[id][start:end])) for id, start, end in units]
    rows = []
    for start, end in spans:
        claim = answer[start:end]
        score, place = best_f1(frozenset(reader.terms(claim)), terms)
        verdict = "supported" if score >= floor else "unsupported"
        window = () if place is None else (Window(*units[place]),)
        reason = f"The best overlap with any {unit} is {score:.4g}, the floor {floor:.4g}."
        rows.append(
            SentenceGrounding(claim, start, end, verdict, score, FrozenMap({"f1": score}), window, reason=reason)
        )
    return tuple(rows)


def _mean(scores: Sequence[float]) -> float:
    total = 0.0
    for score in scores:
        total += score
    return total / len(scores)
