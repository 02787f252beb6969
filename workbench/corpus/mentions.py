"""Where a text names something: the patterns behind the entities.

* ``term``: what a text defines (**Service Credit** means, “Term” means, (the “Supplier”)) or sets in East
  Asian quotation marks (「…」 《…》).
* ``identifier``: words of code (parse_reading, getUserById, ERR_RATE, E-4107, queue.lease_seconds), and what
  stands in code marks, when it is one word.
* ``name``: two or more capitalised words in a row (Halden Quay, Bank of England).
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import NamedTuple

from workbench.kernels import sentences
from workbench.kernels.markdown import lines
from workbench.kernels.stopwords import ENGLISH

KINDS = ("term", "identifier", "name")
"""The kinds, the most telling first: a label of two kinds is of the earlier one."""


class Mention(NamedTuple):
    """A label as it is written at the code points ``start:end``."""

    label: str
    kind: str
    start: int
    end: int


_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĴĶĹĻĽĿŁŃŅŇŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΑ-ΡΣ-ΫЀ-Я"
_CAPITALISED = rf"[{_UPPER}][\w\u0300-\u036f]*(?:[-'’][\w\u0300-\u036f]+)*"
_NAME = re.compile(
    rf"(?<![\w/.@#-]){_CAPITALISED}(?:(?:[ \t]|\r?\n)(?:(?:of|de|du|des|la|der|von|van)[ \t])?{_CAPITALISED})+(?![\w/@])"
)
_CAPITAL = re.compile(_CAPITALISED)
_MEANS = (
    r"(?:[ \t]+|,[^.]{0,60}?,[ \t]+)(?:means|shall mean|has the meaning|have the meaning|refers to|is defined as)\b"
)
_DEFINED = re.compile(
    rf"(?:\*\*|__)[\"“]?(?P<bold>[^*_\"”\n]{{2,60}}?)[\"”]?(?:\*\*|__){_MEANS}"
    rf"|[\"“](?P<quoted>[^\"”\n]{{2,60}}?)[\"”]{_MEANS}"
    r"|\((?:the |each an? |together,? the |an? )?[\"“](?:\*\*|__)?(?P<aside>[A-Z][^*_\"”\n]{1,59}?)(?:\*\*|__)?[\"”]\)"
    r"|[「『《〈【](?P<east>[^「『《〈【」』》〉】。！？\n]{1,30})[」』》〉】]"
)
_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?:"
    r"[A-Z]{1,6}-\d{2,}"  # E-4107
    r"|_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?:\.\w+)*"  # parse_reading, ERR_RATE
    r"|[a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+"  # getUserById
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?=\()"  # client.search(
    r")(?![\w-])"
)
_MARKED = re.compile(r"(?<!`)`([^`\s]{2,60})`(?!`)")


_ONE_WORD = re.compile(r"[/\w](?:[\w.:/@#+-](?!//))+\w")
_WORD = re.compile(r"\w+")
_INSIDE = frozenset(",;)&'’%/")
"""Signs after which a sentence goes on."""


def defined(text: str) -> Iterator[Mention]:
    """Terms that the text defines, where it defines them."""
    for match in _DEFINED.finditer(text):
        group = next(name for name, value in match.groupdict().items() if value is not None)
        label = match[group].strip()
        if label and label[-1] not in ".,;:!?":
            yield Mention(" ".join(label.split()), "term", *match.span(group))


def identifiers(text: str) -> Iterator[Mention]:
    """Words of code, anywhere; in code marks any one word that is more than a plain lower-case word or a number."""
    for match in _IDENTIFIER.finditer(text):
        yield Mention(match.group(), "identifier", *match.span())
    for match in _MARKED.finditer(text):
        label = match[1].removesuffix("()")
        if _ONE_WORD.fullmatch(label) and not label.isdigit() and not (label.isalpha() and label.islower()):
            yield Mention(label, "identifier", match.start(1), match.start(1) + len(label))


def names(text: str, lower: Collection[str]) -> Iterator[Mention]:
    """Two or more capitalised words in a row, outside headings and code.

    A function word in front is no part of a name, nor is a possessor (Brackwater's Contract Manager). Where a
    sentence or a table cell begins with a word of ``lower``, those written without capitals too, it cannot
    be told from a name and is passed over.
    """
    outside = [(line.start, line.end) for line in lines(text) if line.kind in ("heading", "code")]
    lefts = [start for start, _ in outside]
    starts = sentence_starts(text)
    for match in _NAME.finditer(text):
        place = bisect_right(lefts, match.start()) - 1
        if place >= 0 and match.start() < outside[place][1]:
            continue
        words = [(w.group(), match.start() + w.start()) for w in _CAPITAL.finditer(match.group())]
        owners = [i for i, (word, _) in enumerate(words) if word.endswith(("'s", "’s"))]
        first = owners[-1] + 1 if owners else 0
        while first < len(words) and (words[first][0].lower() in ENGLISH or not words[first][0].isalpha()):
            first += 1
        if len(words) - first < 2:
            continue
        start = words[first][1]
        if first or words[0][0].lower() not in lower or not begins_something(text, start, starts):
            yield Mention(" ".join(text[start : match.end()].split()), "name", start, match.end())


def lower_words(text: str) -> frozenset[str]:
    """The words that ``text`` writes without capitals."""
    return frozenset(word for word in _WORD.findall(text) if word.islower())


def sentence_starts(text: str) -> frozenset[int]:
    """Where the sentences of ``text`` begin."""
    return frozenset(start for start, _ in sentences.split(text))


def begins_something(text: str, at: int, starts: Collection[int]) -> bool:
    """Whether a sentence, a list item, a table cell or a quotation begins there, so that a capital says little."""
    before = text[max(0, at - 4) : at].rstrip()[-1:]
    return at in starts or not (before.isalnum() or before in _INSIDE)


class Lexicon:
    """Known labels, found again wherever a text writes them, in capitals as they are; the longest one wins."""

    __slots__ = ("_by_first",)

    def __init__(self, labels: Collection[str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for label in sorted(labels):
            words = tuple(_WORD.findall(label))
            if words:
                self._by_first.setdefault(words[0], []).append((words, label))
        for known in self._by_first.values():
            known.sort(key=lambda entry: (-len(entry[0]), entry[1]))

    def find(self, text: str) -> Iterator[tuple[str, int, int]]:
        """(label, start, end) of each occurrence."""
        words = list(_WORD.finditer(text))
        at = 0
        while at < len(words):
            step = 1
            for known, label in self._by_first.get(words[at].group(), ()):
                last = at + len(known) - 1
                if last >= len(words) or any(words[at + i].group() != word for i, word in enumerate(known)):
                    continue
                start, end = words[at].start(), words[last].end()
                if " ".join(text[start:end].split()) == label:
                    yield label, start, end
                    step = len(known)
                    break
            at += step
