"""What a verb hands to a backend's engine, checked already, and the size limits that the checks read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.frozen import FrozenMap
from workbench.kernels.dense import DenseIndex
from workbench.records import Filter, Lane, Passage


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one call takes. Every check of a size reads it here; a backend may carry its own."""

    documents: int = 1_000_000
    """Documents or vectors that are searched."""
    dimension: int = 65_536
    """Components of a vector."""
    lanes: int = 64
    hits: int = 1_000_000
    """Hits of one lane, and of one answer (``top_k``)."""
    candidates: int = 5_000
    """Candidates of a reranking, which reads n × n similarities."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """n vectors of d dimensions, either as an array or as an index that was built before."""

    ids: tuple[str, ...]
    metric: str
    dimension: int
    array: np.ndarray | None
    """n × d float64; None where ``index`` is given."""
    index: DenseIndex | None


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A search for the best ``depth`` items. An engine answers with a ``Lane``."""

    depth: int
    filter: Filter | None
    query: str = ""
    """The text that is asked; empty where a vector is."""
    vector: np.ndarray | None = None
    """d float64, read-only."""
    documents: tuple[Passage, ...] | None = None
    """What is searched, or, beside vectors, whose text and metadata the vectors' ids have."""
    vectors: Vectors | None = None
    options: FrozenMap = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True, eq=False)
class Fuse:
    """Lanes that ran, in the order in which they are folded. An engine answers with a ``Fusion``."""

    method: str
    lanes: Mapping[str, Lane]
    rrf_k: float | None = None
    alpha: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Rerank:
    """n scored candidates and their similarities. An engine answers with a ``Diversification``."""

    ids: tuple[str, ...]
    relevance: tuple[float, ...]
    similarity: np.ndarray | Callable[[int], Any]
    """n × n, read as [candidate][selected]; or position → the n similarities to that candidate."""
    lambda_mmr: float
    top_k: int


Request = Search | Fuse | Rerank
