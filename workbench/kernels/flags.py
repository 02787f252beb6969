"""What in a claim the evidence says otherwise, or does not say: numbers, units, dates, names, polarity, wording.

A ``conflict`` has a counterpart: the evidence, laid beside the claim, holds another value in the same
place, and no place that speaks as much of the same thing holds the claim's. ``info`` tells what stands in other
evidence only, or nowhere. Reference: the fact and polarity guards of citation checkers such as citenexus; the
tables are in ``facts``, ``units`` and ``cues``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.kernels import cues
from workbench.kernels.alignment import NAME
from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.facts import Fact, at_odds, same, stated
from workbench.kernels.polarity import polarity
from workbench.kernels.settling import settled, support
from workbench.kernels.sides import Laid, Side
from workbench.kernels.units import UNITS
from workbench.kernels.windows import Evidence
from workbench.records import Flag, Window


def flags(
    claim: Side,
    laid: Sequence[Laid],
    evidence: Evidence,
    weights: Mapping[str, float],
    known: Sequence[str],
    reader: Analyzer,
) -> tuple[Flag, ...]:
    """The flags of one claim, by place in the answer.

    ``weights`` holds the idf of each content term; ``known`` says by claim token where its term stands:
    ``matched``, ``elsewhere``, ``absent`` or ``stop``.
    """
    found: list[Flag] = []
    for each in laid:
        found += _Opposed(claim, each, evidence, weights, known, reader).flags()
        found += _units(claim, each, laid)
        found += polarity(claim, each)
    taken = {(flag.start, flag.end) for flag in found}
    found += _unstated(claim, laid, evidence, taken)
    found += _names(claim, known, taken)
    found += _universal(claim, laid, taken)
    return tuple(_once(found))


def _once(found: Sequence[Flag]) -> list[Flag]:
    """One flag a kind and place; the first window's word counts."""
    kept: dict[tuple[str, int, int], Flag] = {}
    for flag in found:
        kept.setdefault((flag.kind, flag.start, flag.end), flag)
    return sorted(kept.values(), key=lambda flag: (flag.start, flag.end, flag.kind))


@dataclass(frozen=True, slots=True)
class _Opposed:
    """Unequal tokens that stand opposite each other in one window."""

    claim: Side
    laid: Laid
    evidence: Evidence
    weights: Mapping[str, float]
    known: Sequence[str]
    reader: Analyzer

    def flags(self) -> list[Flag]:
        found = []
        pairs = set(self.laid.pairs)
        for i, j in self.laid.pairs:
            if self.claim.tokens[i].term != self.laid.side.tokens[j].term:
                flag = self._flag(i, j, pairs)
                if flag is not None:
                    found.append(flag)
        return found

    def _flag(self, i: int, j: int, pairs: set[tuple[int, int]]) -> Flag | None:
        claim, window = self.claim, self.laid.side
        mine, theirs = claim.tokens[i], window.tokens[j]
        a, b = claim.fact_of[i], window.fact_of[j]
        if a is not None and b is not None:
            if not at_odds(a, b) or _count_other_things(i, j, claim, window) or self._settled(i, j, a):
                return None
            return opposed_flag(claim, self.laid, "number" if a.kind == "number" else "date", a, b)
        word, other = (s.text[t.start : t.end].casefold() for s, t in ((claim, mine), (window, theirs)))
        kind = self._wording(mine, theirs, word, other)
        if kind is not None:
            return None if self._settled(i, j) else opposed_flag(claim, self.laid, kind, mine, theirs)
        if not mine.stop and _swapped(i, j, claim, window, pairs):
            return opposed_flag(claim, self.laid, "order", mine, theirs)
        if claim.classes[i] == NAME == window.classes[j]:
            severity = self._name_severity(i, j, pairs)
            return None if severity is None else opposed_flag(claim, self.laid, "entity", mine, theirs, severity)
        return None

    def _wording(self, mine: Token, theirs: Token, word: str, other: str) -> str | None:
        if (mine.term, theirs.term) in cues.opposites(self.reader):
            return "antonym"
        if len(word) > 2 and word in UNITS and other in UNITS and UNITS[word].dimension == UNITS[other].dimension:
            return None if UNITS[word] == UNITS[other] else "unit"
        if word in cues.QUANTIFIER and other in cues.QUANTIFIER:
            return None if cues.QUANTIFIER[word] == cues.QUANTIFIER[other] else "quantifier"
        if cues.MODAL.get(word) == "sure" and cues.MODAL.get(other) == "open":
            return "hedge"
        return None

    def _settled(self, i: int, j: int, fact: Fact | None = None) -> bool:
        """Whether a place that says what the claim says speaks as much of the same thing as this one."""
        mine, theirs = _run(self.claim, i), _run(self.laid.side, j)
        against = support(self.claim.tokens, mine, self.weights, self.laid.side.tokens, theirs)
        return settled(self.claim.tokens, mine, fact, self.weights, self.evidence, against)

    def _name_severity(self, i: int, j: int, pairs: set[tuple[int, int]]) -> str | None:
        """What two names opposite each other mean: less, the more the evidence holds of the claim's.

        On WiCE 0.94 of the claims with a name that no evidence holds are not supported, and 0.6 of those whose
        name other sentences hold, which is less than of all claims (0.67).
        """
        sides = _anchors(i, j, self.claim, self.laid.side, pairs)
        if self.known[i] == "absent":
            return "conflict" if sides else None
        if not sides or self._settled(i, j):
            return None
        here = any(token.term == self.claim.tokens[i].term for token in self.laid.side.tokens)
        # a name that the same window holds at another place may only have changed the voice
        return "conflict" if sides == 2 else None if here else "info"


def _run(side: Side, i: int) -> tuple[int, int]:
    """The tokens that say one thing with token i: of a fact all, of a name its neighbours that are names too."""
    first, last = i, i + 1
    fact = side.fact_of[i]
    if fact is None and side.classes[i] != NAME:
        return first, last

    def belongs(k: int) -> bool:
        return side.fact_of[k] is fact if fact is not None else side.classes[k] == NAME

    while first > 0 and belongs(first - 1):
        first -= 1
    while last < len(side.tokens) and belongs(last):
        last += 1
    return first, last


def _count_other_things(i: int, j: int, claim: Side, window: Side) -> bool:
    """Whether two bare numbers count what is called by different words: "three times" and "0.22 crowns" are not at odds."""
    a, b = claim.fact_of[i], window.fact_of[j]
    if a is None or b is None or a.unit is not None or b.unit is not None or a.kind != "number":
        return False
    mine, theirs = claim.tokens[i + 1 : i + 2], window.tokens[j + 1 : j + 2]
    if not mine or not theirs or mine[0].stop or theirs[0].stop:
        return False
    beside = mine[0].start - a.end <= 1 and theirs[0].start - b.end <= 1
    return beside and mine[0].term != theirs[0].term


def _swapped(i: int, j: int, claim: Side, window: Side, pairs: set[tuple[int, int]]) -> bool:
    """Whether two words stand on each other's place, and all between them stands opposite: no change of voice."""
    for a, b in pairs:
        crosswise = claim.tokens[a].term == window.tokens[j].term and claim.tokens[i].term == window.tokens[b].term
        if crosswise and a - i == b - j and all((k, k + j - i) in pairs for k in range(min(a, i), max(a, i))):
            return True
    return False


def _anchors(i: int, j: int, claim: Side, window: Side, pairs: set[tuple[int, int]]) -> int:
    """On how many sides the run of opposite words touches an equal one: the same slot, or a chance meeting."""
    sides = 0
    for step in (-1, 1):
        a, b = i + step, j + step
        while (a, b) in pairs and claim.tokens[a].term != window.tokens[b].term:
            a, b = a + step, b + step
        sides += (a, b) in pairs or (claim.bounded(a, step) and window.bounded(b, step))
    return sides


def _units(claim: Side, laid: Laid, all_laid: Sequence[Laid]) -> list[Flag]:
    """Equal numbers opposite each other, in units that differ."""
    return [
        opposed_flag(claim, laid, "unit", a, b)
        for i, j in laid.pairs
        if (a := claim.fact_of[i]) is not None
        and (b := laid.side.fact_of[j]) is not None
        and a.kind == b.kind == "number"
        and a.value == b.value
        and not same(a, b)
        and not any(stated(a, each.side.facts) for each in all_laid)
    ]


def _unstated(claim: Side, laid: Sequence[Laid], evidence: Evidence, taken: set[tuple[int, int]]) -> list[Flag]:
    """Numbers and dates that no window states."""
    found = []
    near = [fact for each in laid for fact in each.side.facts]
    for fact in claim.facts:
        if (fact.start, fact.end) in taken or stated(fact, near):
            continue
        kind = "number" if fact.kind == "number" else "date"
        rival = _in_the_same_characters(fact, claim, laid)
        if rival is not None:
            found.append(opposed_flag(claim, rival[0], kind, fact, rival[1]))
            continue
        far = next(((id, other) for id, other in evidence.facts() if same(fact, other)), None)
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


def _universal(claim: Side, laid: Sequence[Laid], taken: set[tuple[int, int]]) -> list[Flag]:
    """A word such as "always" that no window holds: the claim says more than the evidence does."""
    held = {each.side.text[t.start : t.end].casefold() for each in laid for t in each.side.tokens}
    if any(cues.QUANTIFIER.get(word) == "all" for word in held):
        return []
    found = []
    for token in claim.tokens:
        word = claim.text[token.start : token.end]
        if word.casefold() in cues.UNIVERSAL and (token.start, token.end) not in taken:
            sentence = f"The claim says {word!r}, and the evidence beside it has no such word."
            found.append(Flag("quantifier", "info", token.start, token.end, word, None, None, sentence))
    return found


def opposed_flag(
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
