"""Evidence cut into sentences, with postings; the windows of one or two sentences that carry a claim best."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from workbench.kernels import sentences
from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.facts import Fact, calendar_terms, facts

LONGER = 0.03
"""What a window pays for its second sentence: coverage bought with length is worth less."""
BACKGROUND = 20
"""Sentences of other text that rarity is measured against too: in a single sentence no word is rarer than another."""
_CALENDAR = calendar_terms()
Spanned = TypeVar("Spanned", Token, Fact)


@dataclass(frozen=True, slots=True)
class Read:
    """A text as grounding reads it: sentence spans, tokens with facts made comparable, facts."""

    text: str
    spans: tuple[tuple[int, int], ...]
    tokens: tuple[tuple[Token, ...], ...]
    """By sentence."""
    facts: tuple[tuple[Fact, ...], ...]
    """By sentence."""
    terms: tuple[frozenset[str], ...]
    """The content terms, by sentence."""
    content: frozenset[str]
    """The analyzer's own content terms of the whole text."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One or two sentences that follow each other in one passage."""

    passage: int
    first: int
    """Number of its first sentence in the passage."""
    start: int
    end: int
    tokens: tuple[Token, ...]
    facts: tuple[Fact, ...]
    held: int
    """Bit i is set where it holds the claim's term i."""


@lru_cache(maxsize=1024)
def read(text: str, reader: Analyzer, splitter: str) -> Read:
    """``text`` split, tokenised and searched for facts. Pure, so kept: an answer asks for the same passages again."""
    spans = sentences.split(text, splitter=splitter)
    found = facts(text)
    raw = reader.tokens(text)
    rows = _by_span(comparable(text, raw, found), spans)
    return Read(
        text,
        spans,
        rows,
        _by_span(found, spans),
        tuple(frozenset(token.term for token in row if not token.stop) for row in rows),
        frozenset(token.term for token in raw if not token.stop),
    )


def read_claim(answer: str, start: int, end: int, reader: Analyzer) -> tuple[tuple[Token, ...], tuple[Fact, ...]]:
    """Tokens and facts of ``answer[start:end]``, with spans in the answer."""
    text = answer[start:end]
    found = facts(text)
    tokens = comparable(text, reader.tokens(text), found)
    return (
        tuple(Token(t.term, t.start + start, t.end + start, t.stop) for t in tokens),
        tuple(replace(f, start=f.start + start, end=f.end + start, numeral_end=f.numeral_end + start) for f in found),
    )


def comparable(text: str, tokens: Sequence[Token], found: Sequence[Fact]) -> tuple[Token, ...]:
    """Tokens in which a number is one token by its value, so that "ninety" and "90" are the same term."""
    result: list[Token] = []
    at = 0
    for token in tokens:
        while at < len(found) and found[at].numeral_end <= token.start:
            at += 1
        fact = found[at] if at < len(found) else None
        if fact is None or not (fact.start <= token.start and token.end <= fact.numeral_end):
            result.append(token)
        elif fact.kind == "date":
            result.append(Token(_date_term(text[token.start : token.end], token), token.start, token.end, False))
        elif not result or result[-1].start != fact.start:
            term = f"#{fact.value}" if fact.kind == "number" else f"time#{fact.parts[0][1]}"
            result.append(Token(term, fact.start, fact.numeral_end, False))
    return tuple(result)


def _date_term(word: str, token: Token) -> str:
    digits = word.rstrip("stndrh")
    return f"#{int(digits)}" if digits.isdecimal() else _CALENDAR.get(word.lower().rstrip(".s"), token.term)


def _by_span(items: Sequence[Spanned], spans: Sequence[tuple[int, int]]) -> tuple[tuple[Spanned, ...], ...]:
    rows: list[list[Spanned]] = [[] for _ in spans]
    at = 0
    for item in items:
        while at < len(spans) and spans[at][1] <= item.start:
            at += 1
        if at < len(spans) and spans[at][0] <= item.start:
            rows[at].append(item)
    return tuple(tuple(row) for row in rows)


class Evidence:
    """Passages read once, their sentences numbered through."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str], reader: Analyzer, splitter: str) -> None:
        self.ids = tuple(ids)
        self.reads = [read(text, reader, splitter) for text in texts]
        self.places = [(p, s) for p, each in enumerate(self.reads) for s in range(len(each.spans))]
        self.held = [terms for each in self.reads for terms in each.terms]
        self.content = [each.content for each in self.reads]

    def facts(self) -> list[tuple[str, Fact]]:
        """Every fact of the evidence, with its passage's id."""
        return [(id, f) for id, each in zip(self.ids, self.reads, strict=True) for row in each.facts for f in row]

    def first(self, term: str) -> tuple[int, Token] | None:
        """The first evidence token of that content term, with its passage's number; None where there is none."""
        for (p, s), terms in zip(self.places, self.held, strict=True):
            if term in terms:
                return p, next(token for token in self.reads[p].tokens[s] if token.term == term)
        return None

    def windows(self, terms: Sequence[str]) -> tuple[list[float], list[Stretch]]:
        """The idf of each of the claim's distinct ``terms``, and the windows by worth: at most two, best first.

        idf = ln(1 + (N - df + 0.5) / (df + 0.5)) over N sentences: those of the evidence and ``BACKGROUND``
        that hold none of the terms. The best window covers most idf (less ``LONGER`` for a second sentence); the other one adds most to it and shares no
        sentence with it. Ties: shorter, earlier passage, earlier sentence.
        """
        held = [0] * len(self.places)
        weights = []
        for bit, term in enumerate(terms):
            places = [place for place, content in enumerate(self.held) if term in content]
            for place in places:
                held[place] |= 1 << bit
            weights.append(math.log(1 + (len(held) + BACKGROUND - len(places) + 0.5) / (len(places) + 0.5)))
        known: dict[int, float] = {}

        def worth(mask: int) -> float:
            if mask not in known:
                known[mask] = covered(mask, weights)
            return known[mask]

        candidates = self._candidates(held)
        if not candidates:
            return weights, []
        best = min(candidates, key=lambda c: (LONGER * (c[1] - 1) - worth(c[2]), c[1], c[0]))
        base = worth(best[2])
        rest = [c for c in candidates if c[0] + c[1] <= best[0] or best[0] + best[1] <= c[0]]
        other = min(
            rest, key=lambda c: (LONGER * (c[1] - 1) - (worth(best[2] | c[2]) - base), c[1], c[0]), default=None
        )
        chosen = [best]
        if other is not None and worth(best[2] | other[2]) > base:
            chosen.append(other)
        return weights, [self._stretch(*each) for each in chosen]

    def _candidates(self, held: Sequence[int]) -> list[tuple[int, int, int]]:
        """(first sentence, length 1 or 2, terms held) of every window that holds anything."""
        found = []
        for place, mask in enumerate(held):
            if mask:
                found.append((place, 1, mask))
            follows = place + 1 < len(held) and self.places[place][0] == self.places[place + 1][0]
            if follows and (mask or held[place + 1]):
                found.append((place, 2, mask | held[place + 1]))
        return found

    def _stretch(self, place: int, length: int, mask: int) -> Stretch:
        passage, first = self.places[place]
        each = self.reads[passage]
        rows = range(first, first + length)
        return Stretch(
            passage,
            first,
            each.spans[first][0],
            each.spans[first + length - 1][1],
            tuple(token for row in rows for token in each.tokens[row]),
            tuple(fact for row in rows for fact in each.facts[row]),
            mask,
        )


def covered(mask: int, weights: Sequence[float]) -> float:
    """The share of the weight whose bits are set, folded in the claim's order; 0 for no weight."""
    part, whole = 0.0, 0.0
    for bit, weight in enumerate(weights):
        whole += weight
        if mask >> bit & 1:
            part += weight
    return part / whole if whole > 0 else 0.0
