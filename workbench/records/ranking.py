"""What ranks: hits, lanes, their fusion, reranking and diversification."""

import math
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import ArrayRecord, FromPlain, FrozenMap, freeze, read_only
from workbench.records.documents import Filter, Passage

Floats = Annotated[np.ndarray, np.float64]
Ranks = Annotated[np.ndarray, np.int32]


@dataclass(frozen=True, slots=True)
class Hit(FromPlain):
    """One row of a lane. ``score`` is the lane's own, None where it gives none."""

    id: str
    rank: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Lane(FromPlain):
    """What one retriever answered.

    ``status``: ``ran`` (an empty lane ran and matched nothing; a ``reason`` says that it answered only in
    part), ``off`` (signal not declared) or ``unavailable`` (``reason`` names the component). ``detail`` maps an id to what the lane can say of it.
    """

    name: str
    hits: tuple[Hit, ...] = ()
    status: str = "ran"
    reason: str = ""
    backend: str = ""
    score_model: str = ""
    depth: int | None = None
    detail: FrozenMap = field(default_factory=FrozenMap)
    about: FrozenMap = field(default_factory=FrozenMap)
    """What the lane can say of the query: its tokens, their document frequencies, what indexes nothing."""
    filter: Filter | None = None
    dropped: int | None = None
    """Items that the filter kept out, before and after the search; None without a filter."""
    payload: dict[str, Passage] = field(default_factory=dict)
    """The passages that the lane brings itself; a lane over the corpus brings none."""
    milliseconds: float | None = field(default=None, compare=False)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, best first."""
        return tuple(hit.id for hit in self.hits)

    def hit(self, id: str) -> Hit | None:
        """The hit of that id, or None where the lane did not return it."""
        return next((hit for hit in self.hits if hit.id == id), None)


@dataclass(frozen=True, slots=True)
class Contribution(FromPlain):
    """What one lane added to one candidate; rank, score and contribution are None where it did not return it."""

    lane: str
    backend: str
    rank: int | None
    score: float | None
    contribution: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Fusion(ArrayRecord, FromPlain):
    """Lanes made one ranking. ``scores[i]`` is the left fold of row i of ``contributions``, in lane order.

    n candidates, L lanes. ``decided[i]`` says what put row i below the row above it (row 0: above row 1):
    ``score``, ``id`` (exact tie, ascending id), ``first_seen`` (exact tie, the dialect's own rule) or
    ``rounding`` (the doubles order, or tie, what exact fractions do not).
    """

    method: str
    params: FrozenMap
    dialect: str | None
    arithmetic: str
    """``float64`` or ``float32``: what the terms are folded in."""
    tie_rule: str
    lanes: tuple[str, ...]
    backends: tuple[str, ...]
    ids: tuple[str, ...]
    scores: Floats
    """n, descending by the method's rule."""
    ranks: Ranks
    """n × L, -1 where absent."""
    raw: Floats
    """n × L, the lanes' own scores, NaN where absent or not given."""
    contributions: Floats
    """n × L, NaN where absent."""
    decided: tuple[str, ...]
    possible: float | None
    """The score of a candidate that every lane ranks first; None where the method has no such bound."""
    residual: float = 0.0
    repeats: FrozenMap = field(default_factory=FrozenMap)
    """Lane → ids that it held more than once, with ``repeats="best"``."""

    def __post_init__(self) -> None:
        shape = (len(self.ids), len(self.lanes))
        object.__setattr__(self, "params", freeze(self.params, "params"))
        object.__setattr__(self, "repeats", freeze(self.repeats, "repeats"))
        object.__setattr__(self, "scores", read_only(self.scores, np.float64))
        for name, dtype in (("ranks", np.int32), ("raw", np.float64), ("contributions", np.float64)):
            array = np.asarray(getattr(self, name), dtype=dtype)
            object.__setattr__(self, name, read_only(array if array.shape == shape else array.reshape(shape), dtype))

    def row(self, id: str) -> int:
        """The row of that candidate, from 0.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        try:
            return self.ids.index(id)
        except ValueError:
            raise WorkbenchError(
                "unknown_id", f"{id!r} is not among the {len(self.ids)} fused candidates", id=id
            ) from None

    def of(self, id: str) -> tuple[Contribution, ...]:
        """One Contribution per lane, in lane order, absent lanes included."""
        row = self.row(id)
        return tuple(
            Contribution(lane, backend, None if rank < 0 else rank, _present(score), _present(term))
            for lane, backend, rank, score, term in zip(
                self.lanes,
                self.backends,
                self.ranks[row].tolist(),
                self.raw[row].tolist(),
                self.contributions[row].tolist(),
                strict=True,
            )
        )


def _present(value: float) -> float | None:
    return None if math.isnan(value) else value


@dataclass(frozen=True, slots=True)
class Feature(FromPlain):
    """A named number that went into a score: ``contribution = weight · value``. ``margin`` is value − floor."""

    name: str
    value: float
    weight: float | None = None
    contribution: float | None = None
    floor: float | None = None
    margin: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reranking(FromPlain):
    """The fused head in its new order. ``identity`` keeps the fused order and scores.

    Where ``features`` are given, ``scores[i]`` is the left fold of their contributions. ``decided[i]``
    reads as in Fusion: ``score`` or ``id``; ``given`` where the order was kept.
    """

    name: str
    score_model: str
    head: int
    """How many fused candidates were handed over at most."""
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    features: tuple[tuple[Feature, ...], ...]
    decided: tuple[str, ...]

    def of(self, id: str) -> tuple[Feature, ...]:
        """The features of that candidate (empty where the reranker has none)."""
        if id not in self.ids:
            raise WorkbenchError("unknown_id", f"{id!r} is not among the {len(self.ids)} reranked candidates", id=id)
        return self.features[self.ids.index(id)]


@dataclass(frozen=True, slots=True)
class Step(FromPlain):
    """One pick of MMR. ``redundancy`` (largest similarity to an earlier pick) is None for the first pick."""

    id: str
    relevance: float
    redundancy: float | None
    against: str | None
    score: float
    decided: str
    """``pick`` (the best of what was left) or ``id`` (tied for best, ascending id)."""


@dataclass(frozen=True, slots=True, eq=False)
class Diversification(ArrayRecord, FromPlain):
    """MMR over a pool of n candidates, kept in pick order.

    ``similarity`` is n × m: column j holds every pool candidate's similarity to pool candidate
    ``columns[j]``, as read (``[candidate][selected]``).
    """

    lambda_mmr: float
    steps: tuple[Step, ...]
    pool: tuple[str, ...]
    relevance: Floats
    columns: tuple[int, ...]
    similarity: Floats
    changed: bool = True
    """False where the order is the relevance order: λ changes nothing here."""
    similarity_of: str = ""
    """What the similarities are, in words."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "relevance", read_only(self.relevance, np.float64))
        array = np.asarray(self.similarity, dtype=np.float64).reshape(len(self.pool), len(self.columns))
        object.__setattr__(self, "similarity", read_only(array, np.float64))

    @property
    def ids(self) -> tuple[str, ...]:
        """The picks, in pick order."""
        return tuple(step.id for step in self.steps)
