"""Text folded for comparison: NFKC and full case folding, with the way back to the characters as given."""

import unicodedata
from functools import cache
from typing import NamedTuple

_IGNORED = frozenset("\u00ad\u034f\u061c\u200c\u200d\u2060\ufeff")  # soft hyphen, joiners, byte order mark


@cache
def _extends(char: str) -> bool:
    """Whether ``char`` folds together with the one before it: marks, Hangul vowels and finals, ignored characters."""
    if ignored(char):
        return True
    first = unicodedata.normalize("NFKC", char)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff" or "\ud7b0" <= first <= "\ud7fb"


def ignored(char: str) -> bool:
    return char in _IGNORED or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def fold(text: str) -> str:
    """``text`` by NFKC and full case folding; ignorable characters dropped. ``fold(fold(t)) == fold(t)``."""
    if text.isascii():
        return text.lower()
    kept = "".join(char for char in text if not ignored(char))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", kept).casefold())


class Folded(NamedTuple):
    """Folded text; ``starts[i]:ends[i]`` are the characters that folded character i came from.

    ``cased`` is as long, with capitals as written, where folding a character keeps its length.
    """

    text: str
    cased: str
    starts: list[int]
    ends: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The code points as given that folded characters ``start:end`` came from."""
        return self.starts[start], self.ends[end - 1]


def folded(word: str) -> Folded:
    """``word`` folded piece by piece: a character with the marks behind it."""
    pieces: list[str] = []
    cased: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(word):
        end = at + 1
        while end < len(word) and _extends(word[end]):
            end += 1
        piece = fold(word[at:end])
        written = unicodedata.normalize("NFKC", word[at:end])
        pieces.append(piece)
        cased.append(written if len(written) == len(piece) else piece)
        starts += [at] * len(piece)
        ends += [end] * len(piece)
        at = end
    return Folded("".join(pieces), "".join(cased), starts, ends)
