"""What in a claim the evidence says otherwise, or does not say: numbers, units, dates, names, polarity, wording.

A ``conflict`` has a counterpart: the evidence, laid beside the claim, holds another value in the same
place. ``info`` has none: the fact stands in other evidence only, or nowhere. Reference: the fact and
polarity guards of citation checkers such as citenexus; the tables are in ``facts``, ``units`` and ``cues``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.kernels import cues
from workbench.kernels.alignment import DATE, NAME, NUMBER, STOP, WORD
from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.facts import Fact, at_odds, same, stated
from workbench.records import Flag, Window

SPOKEN_FOR = 0.75
"""Share of the claim's content terms that the clause has to hold before its polarity speaks against the claim."""


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


def flags(
    claim: Side, laid: Sequence[Laid], elsewhere: Sequence[tuple[str, Fact]], known: Sequence[str], reader: Analyzer
) -> tuple[Flag, ...]:
    """The flags of one claim, by place in the answer.

    ``elsewhere`` holds the facts of all evidence, each with its passage's id; ``known`` says by claim token where its term stands:
    ``matched``, ``elsewhere``, ``absent`` or ``stop``.
    """
    found: list[Flag] = []
    met = _met(claim, laid)
    for each in laid:
        found += _opposed(claim, each, laid, met, known, reader)
        found += _units(claim, each, laid)
        found += _polarity(claim, each)
    taken = {(flag.start, flag.end) for flag in found}
    found += _unstated(claim, laid, elsewhere, taken)
    found += _names(claim, known, taken)
    return tuple(_once(found))


def _met(claim: Side, laid: Sequence[Laid]) -> set[int]:
    """Claim tokens that stand in some window beside a neighbour of theirs: a word met alone settles nothing."""
    met = set()
    for each in laid:
        equal = {(i, j) for i, j in each.pairs if claim.tokens[i].term == each.side.tokens[j].term}
        met |= {i for i, j in equal if (i - 1, j - 1) in equal or (i + 1, j + 1) in equal}
    return met


def _once(found: Sequence[Flag]) -> list[Flag]:
    """One flag a kind and place; the first window's word counts."""
    kept: dict[tuple[str, int, int], Flag] = {}
    for flag in found:
        kept.setdefault((flag.kind, flag.start, flag.end), flag)
    return sorted(kept.values(), key=lambda flag: (flag.start, flag.end, flag.kind))


def _opposed(
    claim: Side, laid: Laid, all_laid: Sequence[Laid], met: set[int], known: Sequence[str], reader: Analyzer
) -> list[Flag]:
    """Unequal tokens that stand opposite each other."""
    found = []
    turned = cues.opposites(reader)
    apart = [(i, j) for i, j in laid.pairs if claim.tokens[i].term != laid.side.tokens[j].term]
    pairs = set(laid.pairs)
    for i, j in apart:
        mine, theirs = claim.tokens[i], laid.side.tokens[j]
        word, other = (s.text[t.start : t.end].casefold() for s, t in ((claim, mine), (laid.side, theirs)))
        a, b = claim.fact_of[i], laid.side.fact_of[j]
        if a is not None and b is not None:
            if i not in met and at_odds(a, b) and not _settled(a, laid, all_laid):
                found.append(_opposed_flag(claim, laid, "number" if a.kind == "number" else "date", a, b))
        elif (mine.term, theirs.term) in turned:
            if i not in met:
                found.append(_opposed_flag(claim, laid, "antonym", mine, theirs))
        elif not mine.stop and _swapped(i, j, claim, laid.side, pairs):
            found.append(_opposed_flag(claim, laid, "order", mine, theirs))
        elif claim.classes[i] == NAME == laid.side.classes[j]:
            severity = _name_severity(i, j, claim, laid.side, pairs, known[i])
            if i not in met and severity is not None:
                found.append(_opposed_flag(claim, laid, "entity", mine, theirs, severity))
        elif _differ(cues.QUANTIFIER, word, other) and i not in met:
            found.append(_opposed_flag(claim, laid, "quantifier", mine, theirs))
        elif cues.MODAL.get(word) == "sure" and cues.MODAL.get(other) == "open" and i not in met:
            found.append(_opposed_flag(claim, laid, "hedge", mine, theirs))
    return found


def _swapped(i: int, j: int, claim: Side, window: Side, pairs: set[tuple[int, int]]) -> bool:
    """Whether two words stand on each other's place, and all between them stands opposite: no change of voice."""
    for a, b in pairs:
        crosswise = claim.tokens[a].term == window.tokens[j].term and claim.tokens[i].term == window.tokens[b].term
        if crosswise and a - i == b - j and all((k, k + j - i) in pairs for k in range(min(a, i), max(a, i))):
            return True
    return False


def _name_severity(i: int, j: int, claim: Side, window: Side, pairs: set[tuple[int, int]], state: str) -> str | None:
    """What two names opposite each other mean: less, the more the evidence holds of the claim's.

    On WiCE 0.94 of the claims with a name that no evidence holds are not supported, and 0.6 of those whose
    name other sentences hold, which is less than of all claims (0.67).
    """
    sides = _anchors(i, j, claim, window, pairs)
    if state == "absent":
        return "conflict" if sides else None
    if any(token.term == claim.tokens[i].term for token in window.tokens):
        return "conflict" if sides == 2 else None
    return "info" if sides else None


def _anchors(i: int, j: int, claim: Side, window: Side, pairs: set[tuple[int, int]]) -> int:
    """On how many sides the run of opposite words touches an equal one: the same slot, or a chance meeting."""
    sides = 0
    for step in (-1, 1):
        a, b = i + step, j + step
        while (a, b) in pairs and claim.tokens[a].term != window.tokens[b].term:
            a, b = a + step, b + step
        sides += (a, b) in pairs
    return sides


def _differ(table: dict[str, str], a: str, b: str) -> bool:
    return a in table and b in table and table[a] != table[b]


def _settled(fact: Fact, laid: Laid, all_laid: Sequence[Laid]) -> bool:
    """Whether another window, not the one where a different value stands opposite, states the fact."""
    return any(stated(fact, each.side.facts) for each in all_laid if each is not laid)


def _units(claim: Side, laid: Laid, all_laid: Sequence[Laid]) -> list[Flag]:
    """Equal numbers opposite each other, in units that differ."""
    return [
        _opposed_flag(claim, laid, "unit", a, b)
        for i, j in laid.pairs
        if (a := claim.fact_of[i]) is not None
        and (b := laid.side.fact_of[j]) is not None
        and a.kind == b.kind == "number"
        and a.value == b.value
        and not same(a, b)
        and not any(stated(a, each.side.facts) for each in all_laid)
    ]


def _unstated(
    claim: Side, laid: Sequence[Laid], elsewhere: Sequence[tuple[str, Fact]], taken: set[tuple[int, int]]
) -> list[Flag]:
    """Numbers and dates that no window states."""
    found = []
    near = [fact for each in laid for fact in each.side.facts]
    for fact in claim.facts:
        if (fact.start, fact.end) in taken or stated(fact, near):
            continue
        kind = "number" if fact.kind == "number" else "date"
        rival = _in_the_same_characters(fact, claim, laid)
        if rival is not None:
            found.append(_opposed_flag(claim, rival[0], kind, fact, rival[1]))
            continue
        far = next(((id, other) for id, other in elsewhere if same(fact, other)), None)
        at = None if far is None else Window(far[0], far[1].start, far[1].end)
        there = None if far is None else far[1].text
        where = "nowhere in the evidence" if far is None else f"only elsewhere in the evidence, in {far[0]!r}"
        sentence = f"The {kind} {fact.text!r} stands {where}."
        found.append(Flag(kind, "info", fact.start, fact.end, fact.text, there, at, sentence))
    return found


def _in_the_same_characters(fact: Fact, claim: Side, laid: Sequence[Laid]) -> tuple[Laid, Fact] | None:
    """A different value between the same two letters: scripts without spaces have no tokens that end at a number."""

    def around(text: str, each: Fact) -> str:
        return text[max(0, each.start - 1) : each.start] + text[each.end : each.end + 1]

    mine = around(claim.text, fact)
    if len(mine) < 2 or not mine.isalnum():
        return None
    for each in laid:
        for other in each.side.facts:
            if around(each.side.text, other) == mine and at_odds(fact, other):
                return each, other
    return None


def _names(claim: Side, known: Sequence[str], taken: set[tuple[int, int]]) -> list[Flag]:
    """Names that no evidence holds."""
    found = []
    for token, kind, state in zip(claim.tokens, claim.classes, known, strict=True):
        if kind == NAME and state == "absent" and (token.start, token.end) not in taken:
            word = claim.text[token.start : token.end]
            sentence = f"The name {word!r} stands nowhere in the evidence."
            found.append(Flag("entity", "info", token.start, token.end, word, None, None, sentence))
    return found


def _polarity(claim: Side, laid: Laid) -> list[Flag]:
    """One side negates what the other states, in the clause that they share."""
    met = [
        (i, j) for i, j in laid.pairs if not claim.tokens[i].stop and claim.tokens[i].term == laid.side.tokens[j].term
    ]
    content = sum(1 for token in claim.tokens if not token.stop)
    if not met or len(met) < SPOKEN_FOR * content:
        return []
    ours = cues.clause(claim.text, claim.tokens[met[0][0]].start, claim.tokens[met[-1][0]].end, claim.start, claim.end)
    first, last = laid.side.tokens[met[0][1]], laid.side.tokens[met[-1][1]]
    theirs = cues.clause(laid.side.text, first.start, last.end, laid.side.start, laid.side.end)
    mine = cues.negators(claim.text, *ours)
    other = cues.negators(laid.side.text, *theirs)
    if len(mine) % 2 == len(other) % 2:
        return []
    if mine:
        start, end = mine[-1]
        word = claim.text[start:end]
        sentence = f"The claim says {word!r}, and the evidence beside it does not negate."
        return [Flag("negation", "conflict", start, end, word, None, laid.side.window(*theirs), sentence)]
    start, end = other[-1]
    word = laid.side.text[start:end]
    # the claim's word that the negator would stand before
    negated = next((i for i, j in met if laid.side.tokens[j].start >= end), met[-1][0])
    token = claim.tokens[negated]
    claimed = claim.text[token.start : token.end]
    sentence = f"The evidence says {word!r}, and the claim does not negate {claimed!r}."
    return [Flag("negation", "conflict", token.start, token.end, claimed, word, laid.side.window(start, end), sentence)]


def _opposed_flag(
    claim: Side, laid: Laid, kind: str, mine: Token | Fact, theirs: Token | Fact, severity: str = "conflict"
) -> Flag:
    said, other = claim.text[mine.start : mine.end], laid.side.text[theirs.start : theirs.end]
    sentence = {
        "antonym": f"The claim says {said!r} where the evidence says the opposite, {other!r}.",
        "order": f"{said!r} and {other!r} have changed places.",
        "hedge": f"The claim is sure, {said!r}, where the evidence says {other!r}.",
    }.get(kind, f"The claim says {said!r} where the evidence says {other!r}.")
    at = laid.side.window(theirs.start, theirs.end)
    return Flag(kind, severity, mine.start, mine.end, said, other, at, sentence)
