"""The two sides of an alignment, each token with its class: function word, number, date, name, other word."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.kernels.alignment import DATE, NAME, NUMBER, STOP, WORD
from workbench.kernels.analysis import Token
from workbench.kernels.facts import Fact
from workbench.records import Window


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an alignment: a claim in its answer, or a window in its passage."""

    id: str
    text: str
    start: int
    end: int
    tokens: tuple[Token, ...]
    facts: tuple[Fact, ...]
    classes: tuple[int, ...]
    fact_of: tuple[Fact | None, ...]
    """The fact that each token belongs to."""

    def bounded(self, k: int, step: int) -> bool:
        """Whether a sentence begins or ends where a walk by ``step`` has just reached token ``k``."""
        if not 0 <= k < len(self.tokens):
            return True
        left, right = sorted((k, k - step))
        return any(sign in ".!?;:。！？；" for sign in self.text[self.tokens[left].end : self.tokens[right].start])

    def window(self, start: int, end: int) -> Window:
        return Window(self.id, start, end)


@dataclass(frozen=True, slots=True)
class Laid:
    """A window with the claim laid along it."""

    side: Side
    pairs: tuple[tuple[int, int], ...]


def side(id: str, text: str, start: int, end: int, tokens: tuple[Token, ...], facts: tuple[Fact, ...]) -> Side:
    """A side with each token's class: function word, number, date, name, other word."""
    fact_of: list[Fact | None] = []
    at = 0
    for token in tokens:
        while at < len(facts) and facts[at].end <= token.start:
            at += 1
        inside = at < len(facts) and facts[at].start <= token.start and token.end <= facts[at].numeral_end
        fact_of.append(facts[at] if inside else None)
    return Side(id, text, start, end, tokens, facts, _classes(text, tokens, fact_of), tuple(fact_of))


def _classes(text: str, tokens: Sequence[Token], fact_of: Sequence[Fact | None]) -> tuple[int, ...]:
    capital = [text[token.start].isupper() for token in tokens]
    words = [c for c, token in zip(capital, tokens, strict=True) if not token.stop]
    # in a title every word is a capital, and none tells a name
    title = len(words) > 3 and sum(words) > 0.8 * len(words)
    classes = []
    for i, token in enumerate(tokens):
        fact = fact_of[i]
        if fact is not None:
            classes.append(NUMBER if fact.kind == "number" else DATE)
        elif token.stop:
            classes.append(STOP)
        elif capital[i] and not title and (not _opens(text, token.start) or _acronym(text, token)):
            classes.append(NAME)
        else:
            classes.append(WORD)
    for i in range(len(tokens) - 1):
        # "Elin Rask runs": an opening capital is a name where one follows
        if classes[i] == WORD and capital[i] and classes[i + 1] == NAME and tokens[i + 1].start - tokens[i].end <= 2:
            classes[i] = NAME
    return tuple(classes)


def _opens(text: str, start: int) -> bool:
    """Whether a capital at ``start`` may be there because a sentence opens, not because it is a name."""
    before = text[:start].rstrip(" \t\"'“‘(*_#-")
    return not before or before[-1] in ".!?:;\n。！？…"


def _acronym(text: str, token: Token) -> bool:
    return token.end - token.start > 1 and text[token.start : token.end].isupper()
