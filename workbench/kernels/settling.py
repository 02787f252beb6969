"""Which of two places speaks of what the claim speaks of: the one that says the same, or the one that says otherwise.

A number or a name in the evidence proves nothing by itself: "Ticket A costs 140, ticket B costs 180" holds 180
and contradicts "ticket A costs 180". So each place is weighed by what else it shares with the claim nearby.
"""

from collections.abc import Iterator, Mapping, Sequence

from workbench.kernels.analysis import Token
from workbench.kernels.facts import Fact, same
from workbench.kernels.windows import Evidence

REACH = 8
"""Tokens on either side that are near."""
Run = tuple[int, int]
"""First token, and the one after the last."""


def support(claim: Sequence[Token], run: Run, weights: Mapping[str, float], tokens: Sequence[Token], at: Run) -> float:
    """The weight of the claim's content terms near ``run`` that also stand near ``at``, folded in claim order.

    A term that stands as far off, and on the same side, counts in full: weight / (1 + difference of offsets).
    """
    places: dict[str, list[int]] = {}
    for k in range(max(0, at[0] - REACH), min(len(tokens), at[1] + REACH)):
        if not at[0] <= k < at[1]:
            places.setdefault(tokens[k].term, []).append(_offset(k, at))
    total = 0.0
    for term, offset in _near(claim, run):
        if term in places:
            total += weights[term] / (1 + min([abs(offset - other) for other in places[term]]))
    return total


def settled(
    claim: Sequence[Token],
    run: Run,
    fact: Fact | None,
    weights: Mapping[str, float],
    evidence: Evidence,
    against: float,
) -> bool:
    """Whether some place of the evidence that says what ``claim[run]`` says has at least as much ``support`` as ``against``."""
    near = _near(claim, run)
    wanted = [token.term for token in claim[run[0] : run[1]]]
    for place, held in enumerate(evidence.held):
        within = 0.0
        for term, _ in near:
            if term in held:
                within += weights[term]
        if within < against:
            continue
        passage, sentence = evidence.places[place]
        tokens, found = evidence.reads[passage].row(sentence)
        says = _stating(fact, tokens, found) if fact is not None else _naming(wanted, tokens)
        if any(support(claim, run, weights, tokens, at) >= against for at in says):
            return True
    return False


def _near(claim: Sequence[Token], run: Run) -> list[tuple[str, int]]:
    """The content terms within reach of the run, with their offsets."""
    inside = {token.term for token in claim[run[0] : run[1]]}
    around = (*range(max(0, run[0] - REACH), run[0]), *range(run[1], min(len(claim), run[1] + REACH)))
    return [(claim[k].term, _offset(k, run)) for k in around if not claim[k].stop and claim[k].term not in inside]


def _offset(k: int, run: Run) -> int:
    return k - run[0] if k < run[0] else k - run[1] + 1


def _stating(fact: Fact, tokens: Sequence[Token], found: Sequence[Fact]) -> Iterator[Run]:
    for other in found:
        if same(fact, other):
            first = next(j for j, token in enumerate(tokens) if token.start >= other.start)
            last = next((j for j, token in enumerate(tokens) if token.start >= other.numeral_end), len(tokens))
            yield first, last


def _naming(wanted: Sequence[str], tokens: Sequence[Token]) -> Iterator[Run]:
    if {token.term for token in tokens}.issuperset(wanted):
        for j, token in enumerate(tokens):
            if token.term == wanted[0]:
                yield j, j + len(wanted)
