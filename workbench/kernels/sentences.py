"""Where sentences begin and end, in code points. sentencex does the splitting; Markdown lines and its known slips are guarded here."""

import re
from functools import cache
from importlib.metadata import version as version_of
from itertools import pairwise

import sentencex

from workbench import checks
from workbench.kernels.markdown import lines

SPLITTERS = ("sentencex", "regex")

_SEED = re.compile(r"(?<=[.!?])\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CLOSERS = re.compile(r"[*_`~)\]}\"'”’»」』）》】〉］]+(?=\s|$)")
_GOES_ON = re.compile(r"(?<=[」』])(?:と(?![ても])|って|を|の)")  # 「行く。」と言った is one sentence
_INITIAL = re.compile(r"(?:^|\s)MM?\.\s*$")  # French M. is Monsieur
# ends that sentencex leaves inside: before a closing quote or bracket, and where scripts change
_MISSED = re.compile(
    r"[.!?](?P<closer>[\"”)\]])\s+(?=[\"“(\[]?[A-Z])"
    r"|[.!?][\"”)]?\s+(?=[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af])"
    r"|[。！？](?=[A-Za-z0-9])"
)
_MAY_MISS = re.compile(r"[\"”)\]]|[^\x00-\x7f]")  # without one of these nothing is missed
_PLAIN_WORD = re.compile(r"\b[a-z]{2,}\Z")  # Inc. and the like end no sentence before a closing quote


def split(text: str, *, splitter: str = "sentencex", language: str = "en") -> tuple[tuple[int, int], ...]:
    """The sentences of ``text`` as half-open ranges of code points, trimmed, none empty, in text order.

    * ``sentencex``: abbreviations ("e.g.", "Dr.") end no sentence. A Markdown heading, a list item, a
      table row and a line of fenced code never run into their neighbours; fences, rules and delimiter
      rows are no sentences. ``language`` is an ISO 639-1 code; languages that sentencex does not know
      are split by its general rules. Thai is written without full stops and comes back in long pieces.
    * ``regex``: white space after ``.``, ``!`` or ``?``, as rerankgate 0.2.0 splits.

    Raises:
        WorkbenchError: ``wrong_type``, ``out_of_range`` for an unknown splitter.
    """
    checks.text("text", text)
    checks.text("language", language)
    if checks.one_of("splitter", splitter, SPLITTERS, "out_of_range") == "regex":
        return _trimmed(text, [0, *(match.end() for match in _SEED.finditer(text)), len(text)])
    found: list[tuple[int, int]] = []
    for start, content, end, whole in _blocks(text):
        cuts = [0] if whole else _cuts(text[content:end], language)
        spans = _trimmed(text, [*(content + cut for cut in cuts), end])
        if spans:
            found.append((start + _indent(text[start:end]), spans[0][1]))
            found += spans[1:]
    return tuple(found)


@cache
def version(splitter: str = "sentencex") -> str:
    """The splitter's name and version: a verdict on sentences changes with it."""
    if checks.one_of("splitter", splitter, SPLITTERS, "out_of_range") == "regex":
        return "regex (rerankgate 0.2.0)"
    return f"sentencex {version_of('sentencex')}, guards 1"


def _blocks(text: str) -> list[tuple[int, int, int, bool]]:
    """(start, where the text proper begins, end, whether it is one sentence whatever it says)."""
    if text[:1].isalpha() and "\n" not in text and "\r" not in text:
        return [(0, 0, len(text), False)]  # one line that opens with a letter is prose
    blocks: list[tuple[int, int, int, bool]] = []
    open_ = False
    for line in lines(text):
        if line.kind == "text" and open_:
            start, content, _, _ = blocks[-1]
            blocks[-1] = (start, content, line.end, False)
        elif line.kind not in ("blank", "mark"):
            blocks.append((line.start, line.content, line.end, line.kind in ("heading", "row", "code")))
        open_ = line.kind in ("text", "item")
    return blocks


def _cuts(text: str, language: str) -> list[int]:
    """Where the sentences of one paragraph begin."""
    # a lone surrogate is no UTF-8, which the splitter reads: one place of another sign stands for it
    begins = [
        found["start_index"] for found in sentencex.get_sentence_boundaries(language, _SURROGATE.sub("\ufffd", text))
    ]
    cuts = [0]
    for at in begins:
        closers = None if text[at - 1 : at].isspace() else _CLOSERS.match(text, at)
        moved = closers.end() if closers else at
        goes_on = _GOES_ON.match(text, moved) or (language == "fr" and _INITIAL.search(text[cuts[-1] : moved]))
        if moved > cuts[-1] and not goes_on:
            cuts.append(moved)
    if not _MAY_MISS.search(text):
        return cuts
    missed = {
        match.end()
        for match in _MISSED.finditer(text)
        if not match["closer"] or _PLAIN_WORD.search(text[max(0, match.start() - 30) : match.start()])
    }
    return sorted(missed.union(cuts))


def _trimmed(text: str, cuts: list[int]) -> tuple[tuple[int, int], ...]:
    spans = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        if piece.strip():
            spans.append((start + _indent(piece), start + len(piece.rstrip())))
    return tuple(spans)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
