"""Tells exact ties from what rounding made of them.

A fold of doubles splits some exact ties by a last bit, and makes others. Only neighbours that lie within
the rounding error can be either, so only those are worked out as fractions.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np


@lru_cache(maxsize=4096)
def as_printed(value: float) -> Fraction:
    """The number that a double prints: 0.7 is 7/10, as the person who typed it meant."""
    return Fraction(int(value)) if float(value).is_integer() else Fraction(repr(float(value)))


def fraction_shares(weights: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Each weight over the sum of all, without rounding."""
    total = Fraction(0)
    for weight in weights:
        total += weight
    return tuple(weight / total for weight in weights)


def settle(
    order: np.ndarray,
    ranked: np.ndarray,
    slack: np.ndarray,
    alike: Callable[[np.ndarray], np.ndarray],
    exact: Callable[[int], Fraction],
    *,
    by_fractions: bool,
    tie: str,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """The final order, and what decided each place.

    Args:
        order: n rows, best first by score and then by the tie rule. Rows ascend in id order.
        ranked: n scores, in that order.
        slack: their largest possible rounding errors. They fall with the score, or are the same for all,
            so that two exact ties have nothing but near ties between them.
        alike: rows → m × c integers; rows that have the same ones are exactly tied.
        exact: row → its score as a fraction.
        by_fractions: order near ties by their fractions, then by row.
        tie: the word for an exact tie that the tie rule decided.

    Returns:
        The rows in order, and for each place ``score``, ``rounding`` or ``tie``; the first place says
        what put it above the second.
    """
    decided = ["score"] * len(order)
    near = (ranked[:-1] - ranked[1:] <= slack[:-1] + slack[1:]).nonzero()[0]
    if not len(near):
        return order, tuple(decided)
    fraction = cache(exact)
    if by_fractions:
        order = order.copy()
        for run in np.split(near, np.flatnonzero(np.diff(near) != 1) + 1):
            first, end = int(run[0]), int(run[-1]) + 2
            order[first:end] = sorted(order[first:end].tolist(), key=lambda row: (-fraction(row), row))
    above = _compare(order[near], order[near + 1], alike, fraction)
    tied = above == 0
    if not by_fractions:
        same = ranked[near] == ranked[near + 1]
        for place in near[(tied != same) | (above < 0)].tolist():
            decided[place + 1] = "rounding"
        tied &= same
    for place in near[tied].tolist():
        decided[place + 1] = tie
    if near[0] == 0:
        decided[0] = decided[1]
    return order, tuple(decided)


def _compare(
    left: np.ndarray,
    right: np.ndarray,
    alike: Callable[[np.ndarray], np.ndarray],
    fraction: Callable[[int], Fraction],
) -> np.ndarray:
    """1 where the left row is exactly more, 0 where tied, -1 where less."""
    result = np.zeros(len(left), dtype=np.int8)
    marks = alike(np.concatenate((left, right)))
    for place in (marks[: len(left)] != marks[len(left) :]).any(axis=1).nonzero()[0].tolist():
        one, other = fraction(int(left[place])), fraction(int(right[place]))
        result[place] = (one > other) - (one < other)
    return result
