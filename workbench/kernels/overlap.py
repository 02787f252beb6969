"""Overlap of texts as sets of content terms."""

from collections.abc import Iterable, Sequence, Set

import numpy as np


def shared(a: Set[str], b: Set[str]) -> float:
    """Jaccard's share |a and b| / |a or b|, in 0..1; 0 for two empty sets, which have nothing in common."""
    return len(a & b) / len(a | b) if a or b else 0.0


def f1(claim: Set[str], text: Set[str]) -> float:
    """Harmonic mean of |both| / |claim| and |both| / |text|; 0 where they share nothing."""
    both = len(claim & text)
    if not both:
        return 0.0
    precision, recall = both / len(claim), both / len(text)
    return 2 * precision * recall / (precision + recall)


def best_f1(claim: Set[str], texts: Sequence[Set[str]]) -> tuple[float, int | None]:
    """The best F1 of ``claim`` against any text, and which one (the first on a tie); None where none shares a term."""
    top, place = 0.0, None
    for i, text in enumerate(texts):
        score = f1(claim, text)
        if score > top:
            top, place = score, i
    return top, place


def jaccard(texts: Sequence[Iterable[str]]) -> np.ndarray:
    """n × n similarities of n texts, given as terms: Jaccard's share of distinct terms, 1 on the diagonal."""
    sets = [frozenset(terms) for terms in texts]
    matrix = np.eye(len(sets), dtype=np.float64)
    for i, a in enumerate(sets):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = shared(a, sets[j])
    return matrix
