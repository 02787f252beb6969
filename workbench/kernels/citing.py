"""Citations that an answer gives: [1], [2, 3], [doc#c2]. Where they stand, what they name, and what they carry.

The test is ALCE's (Gao et al. 2023), with the workbench's own judge in the place of its entailment model: are the
cited passages enough, and does each do something that the others do not?
"""

import re
from collections.abc import Callable, Sequence

from workbench.records import Citation, Citations

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,200})\]")
_PLACE = re.compile(r"\d{1,3}")
_PASSAGE_ID = re.compile(r"\S+#c\d+")
Mark = tuple[int, int, str, str | None]
"""Start and end of one citation, how it is written, the passage it names."""


def markers(answer: str, ids: Sequence[str]) -> tuple[Mark, ...]:
    """The citations of ``answer``: a bracket that holds places in the evidence (from 1), passage ids, or several with commas.

    Any other bracket is text. A place past the evidence and an unknown id of the form ``document#c2`` name nothing.
    """
    known = frozenset(ids)
    found: list[Mark] = []
    for bracket in _BRACKETS.finditer(answer):
        parts = [bracket[1]] if bracket[1] in known else re.split("[,;]", bracket[1])
        marks, at = [], bracket.start(1)
        for part in parts:
            name = part.strip()
            if not (name in known or _PLACE.fullmatch(name) or _PASSAGE_ID.fullmatch(name)):
                break
            start = at + part.index(name)
            marks.append((start, start + len(name), name, _named(name, ids, known)))
            at += len(part) + 1
        else:
            found += marks
    return tuple(found)


def _named(name: str, ids: Sequence[str], known: frozenset[str]) -> str | None:
    if name in known:
        return name
    place = int(name) if _PLACE.fullmatch(name) else 0
    return ids[place - 1] if 1 <= place <= len(ids) else None


def blanked(answer: str, marks: Sequence[Mark]) -> str:
    """``answer`` with blanks where the citations stand, so that none is read as a number and all else keeps its place."""
    pieces, at = [], 0
    for start, end, _, _ in marks:
        left, right = answer.rindex("[", 0, start), answer.index("]", end) + 1
        if right > at:
            left = max(left, at)
            pieces += [answer[at:left], " " * (right - left)]
            at = right
    return "".join((*pieces, answer[at:]))


def by_sentence(answer: str, spans: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> list[list[Mark]]:
    """The citations of each sentence: those within it, and those that follow it on its line; one that opens a line goes with what follows."""
    rows: list[list[Mark]] = [[] for _ in spans]
    for mark in marks:
        before = [n for n, (start, _) in enumerate(spans) if start <= mark[0]]
        after = [n for n, (start, _) in enumerate(spans) if start > mark[0]]
        if before and not (
            mark[0] >= spans[before[-1]][1] and "\n" in answer[spans[before[-1]][1] : mark[0]] and after
        ):
            rows[before[-1]].append(mark)
        elif after:
            rows[after[0]].append(mark)
    return rows


def check(marks: Sequence[Mark], verdict_on: Callable[[tuple[str, ...]], str]) -> Citations | None:
    """What the citations of one sentence carry; ``verdict_on`` judges it against those passages alone."""
    if not marks:
        return None
    cited = tuple(dict.fromkeys(id for _, _, _, id in marks if id is not None))
    known: dict[tuple[str, ...], str] = {}

    def supported(on: tuple[str, ...]) -> bool:
        if on not in known:
            known[on] = verdict_on(on)
        return known[on].startswith("supported")

    enough = supported(cited)
    rows = []
    for start, end, name, id in marks:
        rest = tuple(other for other in cited if other != id)
        alone = None if id is None else supported((id,))
        necessary = None if id is None or not enough else not supported(rest)
        rows.append(Citation(start, end, name, id, alone, necessary))
    return Citations(tuple(rows), enough, known[cited])
