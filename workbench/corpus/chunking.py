"""Documents cut into passages, by sentence, the same way every time (R1)."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from workbench import checks
from workbench.corpus.outline import outline
from workbench.errors import WorkbenchError
from workbench.kernels import sentences
from workbench.kernels.markdown import lines
from workbench.records import Document, Passage

SECTION = 3
"""A heading of this level or above begins a new passage."""


class _Unit(NamedTuple):
    """A stretch that is kept together: a sentence with any headings right above it, or a piece of a long one."""

    start: int
    end: int
    body: int
    """Where the text below the headings begins; ``end`` for headings with nothing below."""
    opens: bool
    """Whether a section begins here."""


def chunk(
    document: Document, *, size: int = 500, overlap: int = 50, splitter: str = "sentencex"
) -> tuple[Passage, ...]:
    """The passages of ``document``; ``document.text[p.start:p.end] == p.text`` for each, ids ``{document}#c{n}`` from 0.

    * Sentences are packed up to ``size`` characters, the repeated ones included. A longer sentence is cut
      between words, in scripts without spaces between characters; one longer word is kept whole.
    * A passage repeats up to ``overlap`` characters of the one before: whole sentences where one fits, else
      whole words. Nothing is repeated across a heading.
    * A heading of level 1 to 3 begins a passage and is part of it. Headings with nothing of their own below
      go with what follows. ``headings`` is the path to the passage's first text that is not repeated.
    * Together the passages hold all text that is not blank. A blank document gives ().

    Sentences are split as English, or as the language that ``document.metadata["language"]`` names.

    Raises:
        WorkbenchError: ``out_of_range``, ``wrong_type``; ``contradiction`` when overlap reaches size.
    """
    size = checks.whole("size", size)
    overlap = checks.whole("overlap", overlap, low=0)
    if overlap >= size:
        raise WorkbenchError("contradiction", f"overlap {overlap} reaches size {size}: give a smaller overlap")
    language = document.metadata.get("language", "en")
    spans = sentences.split(document.text, splitter=splitter, language=language if isinstance(language, str) else "en")
    nodes = outline(document)
    begins = [node.start for node in nodes]
    passages: list[Passage] = []
    for start, end, body in _packed(document.text, _units(document.text, spans, size, size - overlap), size, overlap):
        under = nodes[: bisect_right(begins, min(body, end - 1))]
        passages.append(
            Passage(
                id=f"{document.id}#c{len(passages)}",
                document_id=document.id,
                text=document.text[start:end],
                position=len(passages),
                headings=(*under[-1].path, under[-1].label) if under else (),
                title=document.title,
                metadata=document.metadata,
                start=start,
                end=end,
            )
        )
    return tuple(passages)


# ---------------------------------------------------------------- what is kept together


def _units(text: str, spans: Sequence[tuple[int, int]], size: int, limit: int) -> Iterator[_Unit]:
    """Sentences with the headings above them; what is longer than ``size`` in pieces of up to ``limit`` characters."""
    start: int | None = None
    opens = False
    last = end = 0
    for begins, end, level in _atoms(text, spans):
        start = begins if start is None else start
        if level:
            opens = opens or level <= SECTION
            last = begins
        else:
            yield from _pieces(text, _Unit(start, end, begins, opens), size, limit)
            start, opens = None, False
    if start is not None:
        yield from _pieces(text, _Unit(start, end, last, opens), size, limit)


def _atoms(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """(start, end, heading level or 0) of sentences and headings: together all text that is not blank.

    What belongs to no sentence (rules, closing fences, delimiter rows) goes with the sentence before it,
    an opening fence with the code below.
    """
    found = lines(text)
    levels = {_begin(text, line.start): line.level for line in found if line.kind == "heading"}
    cuts = {0, len(text), *levels, *(start for start, _ in spans)}
    below = False
    for line, after in pairwise((*found, None)):
        if line is None:
            break
        if below and line.kind not in ("blank", "mark"):
            cuts.add(_begin(text, line.start))
            below = False
        below = below or line.kind == "heading"
        if line.kind == "mark" and after is not None and after.kind == "code":
            cuts.add(line.start)
            cuts.discard(_begin(text, after.start))
    for start, end in pairwise(sorted(cuts)):
        piece = text[start:end]
        if piece.strip():
            begins = _begin(text, start)
            yield begins, start + len(piece.rstrip()), levels.get(begins, 0)


def _begin(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _pieces(text: str, unit: _Unit, size: int, limit: int) -> Iterator[_Unit]:
    if unit.end - unit.start <= size:
        yield unit
        return
    start = end = unit.start
    opens = unit.opens
    for word_start, word_end in (*_words(text, unit.start, unit.end), (unit.end, unit.end + limit + 1)):
        if word_end - start > limit and end > start:
            yield _Unit(start, end, min(max(unit.body, start), end - 1), opens)
            start, opens = word_start, False
        end = word_end


# ---------------------------------------------------------------- packing


def _packed(text: str, units: Iterable[_Unit], size: int, overlap: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, where the first text that is new and no heading begins) of each passage."""
    held: list[_Unit] = []
    start = 0
    for unit in units:
        if held and not unit.opens and unit.end - start <= size:
            held.append(unit)
            continue
        if held:
            yield start, held[-1].end, held[0].body
        start = _repeat_from(text, start, held, unit, size, overlap)
        held = [unit]
    if held:
        yield start, held[-1].end, held[0].body


def _repeat_from(text: str, before: int, held: Sequence[_Unit], unit: _Unit, size: int, overlap: int) -> int:
    """Where the passage that ``unit`` begins starts, with what it repeats of the passage ``before`` … ``held[-1].end``."""
    if not held or unit.opens or unit.body > unit.start:
        return unit.start
    under_headings = max((each.body for each in held if each.body > each.start), default=0)
    floor = max(held[-1].end - overlap, unit.end - size, under_headings, before + 1)
    whole = [each.body for each in held if each.body >= floor]
    last = held[-1]
    return whole[0] if whole else next((a for a, _ in _words(text, last.body, last.end) if a >= floor), unit.start)


# ---------------------------------------------------------------- words

_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9fe\uaa60-\uaa7f\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CLOSING = "、。，．！？：；」』）》】〉］”’ー々"


@cache
def _word() -> re.Pattern[str]:
    """A run without white space; in a script without spaces one character, its marks and the punctuation that closes it."""
    spans = ((0x0E00, 0x0F00), (0x1000, 0x10A0), (0x1780, 0x1800), (0x3099, 0x309B), (0xFE00, 0xFE10))
    marks = "".join(chr(i) for low, high in spans for i in range(low, high) if unicodedata.category(chr(i))[0] == "M")
    return re.compile(f"[{_NO_SPACES}][{marks}]*[{_CLOSING}]*|[^\\s{_NO_SPACES}]+")


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _word().finditer(text, start, end))
