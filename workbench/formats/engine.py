"""What a search engine answered: its own ranking, the lanes behind it as far as it explains them, and whether they agree."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench import checks
from workbench.config import Config
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels.fusion import fuse
from workbench.records import Hit, Lane, Passage

TOLERANCE = 1e-6
"""Relative: engines that compute in float32 print about seven digits."""


@dataclass(frozen=True)
class EngineAnswer:
    """One response. Nothing in it is guessed: what could not be read stands in ``notes``."""

    engine: str
    answered: Lane
    """The engine's own ranking with its own scores, in its order."""
    lanes: Mapping[str, Lane] = field(default_factory=dict)
    """The lists that it fused, as far as the explanations show them; empty without explanations."""
    fusion: Mapping[str, Any] = field(default_factory=dict)
    """The settings of ``Config`` that fuse ``lanes`` as the engine did; empty where they are not known."""
    notes: tuple[str, ...] = ()

    @property
    def config(self) -> Config:
        """A ``Config`` that fuses as the engine did.

        Raises:
            WorkbenchError: ``not_recorded`` where the response does not tell how it was fused.
        """
        if not self.fusion:
            raise WorkbenchError(
                "not_recorded",
                f"this {self.engine} response does not tell how it was fused: {'; '.join(self.notes) or 'it has no explanations'}",
            )
        depth = max(1, *(len(lane.hits) for lane in self.lanes.values()))
        return Config(depth=depth, max_retries=0, **self.fusion)


@dataclass(frozen=True, slots=True)
class Compared:
    """One candidate: the engine's place and score, and those of our kernel over the same lanes."""

    id: str
    engine_rank: int
    rank: int
    engine_score: float | None
    score: float


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Whether the lanes, fused by our kernel as the engine says it did, give the engine's ranking."""

    same_order: bool
    """But for exact ties, whose order the engine takes from its storage."""
    same_scores: bool
    """Within the tolerance."""
    rows: tuple[Compared, ...]
    differing: tuple[str, ...]
    """Ids whose score, or whose place among other scores, is not the engine's."""
    tied: tuple[str, ...]
    """Ids that tie exactly and stand otherwise than in the engine's order."""
    sentence: str


def reproduce(answer: EngineAnswer, *, tolerance: float = TOLERANCE) -> Reproduction:
    """Fuses ``answer.lanes`` by ``answer.fusion`` and holds the result against the engine's own ranking.

    Raises:
        WorkbenchError: ``not_recorded`` where the response does not tell its lanes or its fusion.
    """
    within = checks.number("tolerance", tolerance, low=0)
    if not answer.lanes or not answer.fusion:
        raise WorkbenchError(
            "not_recorded",
            f"this {answer.engine} response does not tell what it fused: {'; '.join(answer.notes) or 'it has no explanations'}",
        )
    settings = dict(answer.fusion)
    fused = fuse(settings.pop("fusion"), dict(answer.lanes), **settings)
    score = dict(zip(fused.ids, fused.scores.tolist(), strict=True))
    asked = [hit for hit in answer.answered.hits if hit.id in score]
    ours = [id for id in fused.ids if answer.answered.hit(id) is not None]
    rows = tuple(
        Compared(hit.id, place, ours.index(hit.id) + 1, hit.score, score[hit.id])
        for place, hit in enumerate(asked, start=1)
    )
    off = [
        row.id
        for row in rows
        if row.engine_score is not None and abs(row.engine_score - row.score) > within * abs(row.engine_score)
    ]
    # a place that differs is a tie where its score is the one that stands there in ours
    moved = [row for row in rows if row.rank != row.engine_rank]
    tied = tuple(row.id for row in moved if score[ours[row.engine_rank - 1]] == row.score)
    differing = tuple(dict.fromkeys([*off, *(row.id for row in moved if row.id not in tied)]))
    same_order = all(row.id in tied for row in moved)
    told = (
        f"{answer.engine}'s order and scores"
        if same_order and not off
        else f"{answer.engine}'s order, and {len(off)} of {len(rows)} scores differ"
        if same_order
        else f"another order: {len(differing)} of {len(rows)} candidates differ, first {differing[0]!r}"
    )
    ties = (
        f"; {len(tied)} exact ties stand in the engine's storage order there and by ascending id here" if tied else ""
    )
    return Reproduction(
        same_order,
        not off,
        rows,
        differing,
        tied,
        f"The {len(answer.lanes)} lanes, fused as the response says, give {told}{ties}.",
    )


def single(value: Any, where: str) -> float | None:
    """A printed score; None where the engine prints null."""
    return None if value is None else checks.number(where, value)


def falling(name: str, rows: list[tuple[str, float | None]], notes: list[str]) -> list[tuple[str, float | None]]:
    """The rows as they are; without their scores, and said so, where these contradict the order."""
    scores = [score for _, score in rows if score is not None]
    if all(above >= below for above, below in itertools.pairwise(scores)):
        return rows
    notes.append(
        f"{name}: the scores do not fall along the order, so the order is kept and the scores stand in the details alone"
    )
    return [(id, None) for id, _ in rows]


def with_holes(name: str, places: Mapping[int, tuple[str, float | None]], notes: list[str], **fields: Any) -> Lane:
    """A lane of which some ranks are known. A rank that the response does not show is held by a stand-in.

    So the ranks stay true. A stand-in is named for its rank; which document it is, and whether another
    lane's stand-in is the same one, nobody knows.
    """
    last = max(places, default=0)
    hidden = [rank for rank in range(1, last + 1) if rank not in places]
    known = falling(name, [places[rank] for rank in sorted(places)], notes)
    score = dict(known)
    hits, payload = [], {}
    for rank in range(1, last + 1):
        if rank in places:
            id = places[rank][0]
            hits.append(Hit(id, rank, score[id]))
            continue
        id = stand_in(name, rank)
        hits.append(Hit(id, rank, None))
        payload[id] = Passage(id, id, "", 0, title="a document that the response does not show")
    if hidden:
        shown = ", ".join(map(str, hidden[:5])) + (f" and {len(hidden) - 5} more" if len(hidden) > 5 else "")
        notes.append(
            f"{name}: the response does not show who holds rank {shown}; stand-ins hold them, so that the others keep their true ranks"
        )
    return Lane(name, tuple(hits), depth=max(last, 1), payload=payload, **fields)


def stand_in(lane: str, rank: int) -> str:
    """The id of a stand-in; ``~`` puts it behind most ids where scores tie."""
    return f"~ {lane} rank {rank}, not shown"


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """``value`` when it is a JSON object."""
    if not isinstance(value, Mapping):
        raise WorkbenchError(
            "wrong_type", f"{where} is {type(value).__name__} {value!r:.60}: give the response as its JSON object"
        )
    return value


def answered_lane(
    name: str,
    engine: str,
    rows: list[tuple[str, float | None]],
    notes: list[str],
    *,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    payload: dict[str, Passage] | None = None,
) -> Lane:
    """The engine's own order as a lane."""
    checks.no_repeats([id for id, _ in rows], f"{engine}'s answer")
    kept = falling(name, rows, notes)
    hits = tuple(Hit(id, rank, score) for rank, (id, score) in enumerate(kept, start=1))
    return Lane(
        name,
        hits,
        reason=reason,
        backend=engine,
        score_model=f"{engine} score",
        depth=max(len(hits), 1),
        detail=FrozenMap(detail or {}),
        about=FrozenMap(about or {}),
        payload=payload or {},
    )
