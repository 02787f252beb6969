"""What every lane is, and the few things that they share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from workbench import checks
from workbench.records import Filter, Hit, Lane, Passage


@runtime_checkable
class Retriever(Protocol):
    """A lane's engine: one retriever, one query, one ranking."""

    name: str

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        """The best ``depth`` passages for ``query``, best first.

        An empty lane ran and matched nothing. A component that is missing or fails makes a lane whose
        status is ``unavailable`` with the reason, or an error; never an empty ranking.
        """
        ...


T = TypeVar("T")


class Remembered(Generic[T]):
    """``make(id)``, worked out once for each of the last ``limit`` ids. What was worked out stays behind when it is pickled."""

    def __init__(self, make: Callable[[str], T], limit: int) -> None:
        self._make, self._limit = make, limit
        self._held = lru_cache(maxsize=limit)(make)

    def __call__(self, id: str) -> T:
        return self._held(id)

    def __reduce__(self) -> tuple[Any, ...]:
        return Remembered, (self._make, self._limit)


def checked(query: str, depth: int) -> tuple[str, int]:
    """The query and depth, refused when empty or below 1."""
    return checks.query_text(query), checks.whole("depth", depth)


def admitted(passages: Sequence[Passage], filter: Filter | None) -> np.ndarray | None:
    """A bool per passage: may it be searched at all? None without a filter."""
    if filter is None:
        return None
    return np.array([filter.admits((p.id, p.document_id), p.metadata) for p in passages], dtype=bool)


def barred(passages: Sequence[Passage], allowed: np.ndarray | None) -> frozenset[str]:
    """The ids of the passages that a filter keeps out before the search."""
    return (
        frozenset() if allowed is None else frozenset(p.id for p, ok in zip(passages, allowed, strict=True) if not ok)
    )


def engine_depth(depth: int, filter: Filter | None, size: int) -> int:
    """How deep to ask an engine: all of it when a score window is applied to what it returns."""
    return max(size, 1) if filter is not None and filter.has_window else depth


def ranked(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """(id, score) pairs, highest score first, ties by ascending id."""
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def cut(
    rows: Iterable[tuple[str, float]], depth: int, filter: Filter | None, allowed: np.ndarray | None
) -> tuple[tuple[Hit, ...], int | None]:
    """The best ``depth`` rows in the filter's score window as hits, and how many items the filter kept out."""
    rows = list(rows)
    inside = [row for row in rows if filter is None or filter.in_window(row[1])]
    hits = tuple(Hit(id, rank, score) for rank, (id, score) in enumerate(inside[:depth], start=1))
    if filter is None:
        return hits, None
    return hits, (0 if allowed is None else int((~allowed).sum())) + len(rows) - len(inside)
