"""The best k rows of an array of scores: exact at the cut, ties to the ascending row.

numpy's ``partition`` is 12 to 18 times slower on an array that is mostly one value, which a BM25 score
array is, and its sorts differ in speed by CPU. So no partition or sort here ever sees more than the few
rows that a bound lets through.
"""

from math import isqrt

import numpy as np


def best(scores: np.ndarray, k: int, *, above: float = -np.inf) -> np.ndarray:
    """Rows of the k highest of n scores that are larger than ``above``: score descending, then row ascending."""
    rows = _candidates(scores, k, above)
    return order(rows, scores[rows], k)


def best_among(scores: np.ndarray, rows: np.ndarray, k: int, *, repeats: int) -> np.ndarray:
    """As ``best``, among ``rows`` alone, any of which may stand there up to ``repeats`` times."""
    room = k * repeats  # k different rows stand among the first k · repeats entries
    if len(rows) > room:
        held = scores[rows]
        rows = rows[held >= kth_largest(held, room)]
    rows = np.unique(rows)
    return order(rows, scores[rows], k)


def order(rows: np.ndarray, scores: np.ndarray, k: int) -> np.ndarray:
    """The best k of ascending ``rows``, whose scores stand beside them; every tie at the cut is weighed by row."""
    if len(rows) > k:
        kept = scores >= kth_largest(scores, k)
        rows, scores = rows[kept], scores[kept]
    ranked: np.ndarray = rows[np.argsort(-scores, kind="stable")[:k]]
    return ranked


def kth_largest(scores: np.ndarray, k: int) -> float:
    """The k-th largest of at least k scores."""
    at = len(scores) - k
    return float(np.partition(scores, at)[at])


def at_least_kth(scores: np.ndarray, k: int) -> float:
    """The k-th largest of n ≥ k scores, found without partitioning them all."""
    return kth_largest(scores[_candidates(scores, k, -np.inf)], k)


def _candidates(scores: np.ndarray, k: int, above: float) -> np.ndarray:
    """Ascending rows that hold the best k above ``above``, and not many more."""
    # k scores of a sample reach its k-th largest, so k of all scores do: a bound that never cuts too deep.
    # By this stride the sample, and what its bound lets through, both hold about √(n·k) scores.
    sample = scores[:: max(1, isqrt(len(scores) // k))]
    sample = sample[sample > above]
    if len(sample) < k:
        return np.flatnonzero(scores > above)
    return np.flatnonzero(scores >= kth_largest(sample, k))
