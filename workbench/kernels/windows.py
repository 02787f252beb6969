"""Evidence cut into sentences, with postings; the windows of one or two sentences that carry a claim best."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.facts import Fact
from workbench.kernels.texts import read

LONGER = 0.03
"""What a window pays for its second sentence: coverage bought with length is worth less."""
BACKGROUND = 20
"""Sentences of other text that rarity is measured against too: in a single sentence no word is rarer than another."""


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
        return [(id, fact) for id, each in zip(self.ids, self.reads, strict=True) for fact in each.facts]

    def first(self, term: str) -> tuple[int, Token] | None:
        """The first evidence token of that content term, with its passage's number; None where there is none."""
        for (p, s), terms in zip(self.places, self.held, strict=True):
            if term in terms:
                return p, next(token for token in self.reads[p].row(s)[0] if token.term == term)
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
        rows = [each.row(s) for s in range(first, first + length)]
        return Stretch(
            passage,
            first,
            each.spans[first][0],
            each.spans[first + length - 1][1],
            tuple(token for row, _ in rows for token in row),
            tuple(fact for _, row in rows for fact in row),
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
