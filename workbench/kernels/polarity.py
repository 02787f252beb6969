"""Whether a claim and its evidence differ in polarity: one of them negates what the other states."""

from workbench.kernels import cues
from workbench.kernels.sides import Laid, Side
from workbench.records import Flag

SPOKEN_FOR = 0.75
"""Share of the claim's content terms that the clause has to hold before its polarity speaks against the claim."""


NEAR = 5
"""Tokens before and behind the shared words in which a negator can be theirs; further off it denies something else."""


def polarity(claim: Side, laid: Laid) -> list[Flag]:
    """One side negates what the other states, in the clause that they share."""
    met = [
        (i, j) for i, j in laid.pairs if not claim.tokens[i].stop and claim.tokens[i].term == laid.side.tokens[j].term
    ]
    content = sum(1 for token in claim.tokens if not token.stop)
    if not met or len(met) < SPOKEN_FOR * content:
        return []
    ours = _clause(claim, met[0][0], met[-1][0])
    theirs = _clause(laid.side, met[0][1], met[-1][1])
    mine = cues.negators(claim.text, *ours)
    other = cues.negators(laid.side.text, *theirs)
    contrast = cues.CONTRAST.search(claim.text, *ours) or cues.CONTRAST.search(laid.side.text, *theirs)
    if contrast or len(mine) % 2 == len(other) % 2:
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


def _clause(side: Side, first: int, last: int) -> tuple[int, int]:
    """The stretch of ``side`` whose negators speak of tokens ``first`` to ``last``."""
    tokens = side.tokens
    left, right = cues.clause(side.text, tokens[first].start, tokens[last].end, side.start, side.end)
    if first > NEAR:
        left = max(left, tokens[first - NEAR].start)
    if last + NEAR < len(tokens):
        right = min(right, tokens[last + NEAR].end)
    return left, right
