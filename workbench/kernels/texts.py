"""A text as grounding reads it: sentences, tokens in which facts are comparable, facts. Each part is read when it is first asked for.

Most sentences of the evidence are only ever asked which terms they hold, which needs no token and no span.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from workbench.kernels import sentences
from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.facts import Fact, facts
from workbench.kernels.numerals import calendar_terms

_CALENDAR = calendar_terms()
_WORD = re.compile(r"\d+|[^\W\d]+")
Row = tuple[tuple[Token, ...], tuple[Fact, ...]]


class Read:
    """A text by sentence. What it says follows from text, analyzer and splitter alone; it is kept once worked out."""

    __slots__ = ("_facts", "_reader", "_rows", "content", "spans", "terms", "text")

    def __init__(self, text: str, reader: Analyzer, splitter: str) -> None:
        self.text = text
        self.spans = sentences.split(text, splitter=splitter)
        self._reader = reader
        self._rows: dict[int, Row] = {}
        pieces = [text[start:end] for start, end in self.spans]
        own = [frozenset(reader.terms(piece)) for piece in pieces]
        self.content: frozenset[str] = frozenset().union(*own, self._between())
        """The analyzer's own content terms of the whole text."""
        found = [facts(piece) for piece in pieces]
        self._facts = found
        self.terms = tuple(
            [_terms(piece, f, reader) if f else terms for piece, f, terms in zip(pieces, found, own, strict=True)]
        )
        """The content terms, facts made comparable, by sentence."""

    def row(self, s: int) -> Row:
        """Tokens and facts of sentence ``s``, with spans in the text."""
        if s not in self._rows:
            start, end = self.spans[s]
            piece, found = self.text[start:end], self._facts[s]
            self._rows[s] = _moved(comparable(piece, found, self._reader), found, start)
        return self._rows[s]

    @property
    def tokens(self) -> tuple[tuple[Token, ...], ...]:
        """By sentence."""
        return tuple(self.row(s)[0] for s in range(len(self.spans)))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact, in order."""
        return tuple(fact for s, found in enumerate(self._facts) if found for fact in self.row(s)[1])

    def _between(self) -> frozenset[str]:
        """Terms that no sentence holds, such as a code fence's language."""
        ends = [0, *[end for _, end in self.spans]]
        starts = [*[start for start, _ in self.spans], len(self.text)]
        left = [self.text[a:b] for a, b in zip(ends, starts, strict=True) if b - a > 1]
        return frozenset([term for piece in left if not piece.isspace() for term in self._reader.terms(piece)])


@lru_cache(maxsize=4096)
def read(text: str, reader: Analyzer, splitter: str) -> Read:
    """``text``, read once: an answer asks for the same passages sentence after sentence."""
    return Read(text, reader, splitter)


def read_claim(text: str, start: int, end: int, reader: Analyzer) -> Row:
    """Tokens and facts of ``text[start:end]``, read by itself, with spans in ``text``."""
    piece = text[start:end]
    found = facts(piece)
    return _moved(comparable(piece, found, reader), found, start)


def comparable(text: str, found: Sequence[Fact], reader: Analyzer) -> tuple[Token, ...]:
    """Tokens in which a number is one token by its value, so that "ninety" and "90" are the same term."""
    if not found:
        return reader.tokens(text)
    tokens = [*reader.tokens(_blanked(text, found)), *[token for fact in found for token in _fact_tokens(text, fact)]]
    return tuple(sorted(tokens, key=lambda token: token.start))


def _terms(text: str, found: Sequence[Fact], reader: Analyzer) -> frozenset[str]:
    """The content terms of ``comparable``, at less cost."""
    own = [token.term for fact in found for token in _fact_tokens(text, fact) if not token.stop]
    return frozenset([*reader.terms(_blanked(text, found)), *own])


def _blanked(text: str, found: Sequence[Fact]) -> str:
    """``text`` with blanks for the numerals, so that every other character keeps its place."""
    pieces, at = [], 0
    for fact in found:
        pieces += [text[at : fact.start], " " * (fact.numeral_end - fact.start)]
        at = fact.numeral_end
    return "".join((*pieces, text[at:]))


def _fact_tokens(text: str, fact: Fact) -> list[Token]:
    if fact.kind == "number":
        return [Token(f"#{fact.value}", fact.start, fact.numeral_end, False)]
    if fact.kind == "time":
        return [Token(f"time#{fact.parts[0][1]}", fact.start, fact.numeral_end, False)]
    words = [(m.group(), *m.span()) for m in _WORD.finditer(text, fact.start, fact.end)]
    iso = len(words) == 3 and words[1][0].isdecimal()
    tokens = []
    for place, (word, start, end) in enumerate(words):
        if word.isdecimal():
            term = f"month#{int(word)}" if iso and place == 1 else f"#{int(word)}"
            tokens.append(Token(term, start, end, False))
        elif (name := word.lower()) in _CALENDAR or (name := name.removesuffix("s")) in _CALENDAR:
            tokens.append(Token(_CALENDAR[name], start, end, False))
        else:
            tokens.append(Token(word.lower(), start, end, True))
    return tokens


def _moved(tokens: tuple[Token, ...], found: tuple[Fact, ...], by: int) -> Row:
    if not by:
        return tokens, found
    return (
        tuple([Token(term, a + by, b + by, stop) for term, a, b, stop in tokens]),
        tuple([replace(f, start=f.start + by, end=f.end + by, numeral_end=f.numeral_end + by) for f in found]),
    )
