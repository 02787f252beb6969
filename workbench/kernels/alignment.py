"""A claim laid along a stretch of evidence, token by token, and the scores read off the two.

The alignment is Needleman and Wunsch's (1970) with free ends on the evidence side (the claim is laid
whole somewhere along it). Its weights are closed: content words count more than function words, and a
number, date or name prefers to stand opposite another of its kind, since that is where facts differ.
"""

from collections.abc import Sequence
from itertools import pairwise

from workbench.kernels.analysis import Token

WORD, STOP, NUMBER, DATE, NAME = range(5)
MATCH = (2.0, 0.5, 2.0, 2.0, 2.0)
"""Gain of an equal pair, by the claim token's class."""
SKIP = (0.6, 0.1, 1.2, 1.2, 0.6)
"""Cost of an evidence token that is skipped: a fact is not passed over lightly to reach another one."""
DROP = (0.3, 0.05, 0.3, 0.3, 0.3)
"""Cost of a claim token that stands beside nothing."""
OPPOSITE = (0.3, 0.04, 0.1, 0.1, 0.3)
"""Cost of an unequal pair of one class. Pairs of different classes are not laid opposite each other,
except that a name may stand for a word."""
MIXED = 0.6
_COSTS = [[OPPOSITE[a] if a == b else MIXED if {a, b} == {WORD, NAME} else 9.0 for b in range(5)] for a in range(5)]
GAP, TOTAL = 4, 8
"""The ordered certificate: at most so many evidence tokens between two matches, and in all."""


def align(
    claim: Sequence[Token], claim_classes: Sequence[int], window: Sequence[Token], window_classes: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """Pairs (claim token, evidence token), both ascending: equal terms, or unequal ones of one class opposite each other."""
    rows, columns = len(claim), len(window)
    skips = [SKIP[c] for c in window_classes]
    none = [0.0] * columns  # past the claim's last token evidence is free
    theirs = [token.term for token in window]
    costs = {kind: [_COSTS[kind][c] for c in window_classes] for kind in set(claim_classes)}
    scores = [[0.0] * (columns + 1)]
    for i in range(rows):
        kind, term, above = claim_classes[i], claim[i].term, scores[-1]
        drop, gain = DROP[kind], MATCH[kind]
        left = above[0] - drop
        row = [left]
        for across, up, other, cost, skip in zip(
            above, above[1:], theirs, costs[kind], none if i == rows - 1 else skips, strict=False
        ):
            across = across + gain if other == term else across - cost
            up -= drop
            left -= skip
            if across >= up:
                if across >= left:
                    left = across
            elif up >= left:
                left = up
            row.append(left)
        scores.append(row)
    pairs = []
    i, j = rows - 1, columns - 1
    while i >= 0 and j >= 0:
        # the way back: the same sums, so that an equal one is the one that was taken
        kind = claim_classes[i]
        equal = theirs[j] == claim[i].term
        across = scores[i][j] + MATCH[kind] if equal else scores[i][j] - costs[kind][j]
        if scores[i + 1][j + 1] == across:
            pairs.append((i, j))
            i, j = i - 1, j - 1
        elif scores[i + 1][j + 1] == scores[i][j + 1] - DROP[kind]:
            i -= 1
        else:
            j -= 1
    return tuple(reversed(pairs))


def lcs(claim: Sequence[str], window: Sequence[str]) -> int:
    """Length of the longest common subsequence, bit-parallel (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for i, term in enumerate(claim):
        places[term] = places.get(term, 0) | 1 << i
    full = (1 << len(claim)) - 1
    row = full
    for term in window:
        hit = row & places.get(term, 0)
        row = ((row + hit) | (row - hit)) & full
    return len(claim) - row.bit_count()


def bigram_share(claim: Sequence[str], windows: Sequence[Sequence[str]]) -> float:
    """Share of the claim's pairs of neighbouring terms that a window holds; of its terms where it has but one."""
    size = min(2, len(claim))
    mine = _runs(claim, size)
    held = {run for window in windows for run in _runs(window, size)}
    return sum(1 for run in mine if run in held) / len(mine)


def _runs(terms: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(terms[i : i + size]) for i in range(len(terms) - size + 1)]


def in_order(claim: Sequence[Token], window: Sequence[Token], pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether every content token of the claim stands in the window in the same order, close together.

    At most ``GAP`` evidence tokens between two of them and ``TOTAL`` in all. Polarity is the caller's to check.
    """
    met = [(i, j) for i, j in pairs if not claim[i].stop and claim[i].term == window[j].term]
    if len(met) < sum(1 for token in claim if not token.stop):
        return False
    gaps = [b[1] - a[1] - (b[0] - a[0]) for a, b in pairwise(met)]
    longest, total = max(gaps, default=0), 0
    for gap in gaps:
        total += max(0, gap)
    return longest <= GAP and total <= TOTAL
