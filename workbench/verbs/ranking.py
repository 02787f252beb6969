"""A verb's result: a frozen record that shows itself, and is a lane for the next verb."""

import json
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, cast

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain, FrozenMap, from_plain
from workbench.records import SCHEMA, Contribution, Diversification, Filter, Fusion, Hit, Lane, Passage

if TYPE_CHECKING:
    from workbench.trace import Trace

Contributions = tuple[tuple[Contribution, ...], ...]


class MixedScoreModels(UserWarning):
    """Scores of different models share no scale: they were compared, or added."""


def warn_of_mixed(what: str, models: Sequence[str]) -> None:
    """Warns where ``models``, those that are named, are not all the same."""
    named = list(dict.fromkeys(filter(None, models)))
    if len(named) > 1:
        warnings.warn(
            f"{what} scores of different models: {' and '.join(named)}; their ranks compare, their scores do not",
            MixedScoreModels,
            stacklevel=3,
        )


def fold_residual(hits: Sequence[Hit], contributions: Contributions | None) -> float | None:
    """The largest distance between a score and the left fold of its contributions; None without an attribution."""
    if contributions is None or any(hit.score is None for hit in hits):
        return None
    worst = 0.0
    for hit, row in zip(hits, contributions, strict=True):
        present = [part.contribution for part in row if part.contribution is not None]
        if not present:
            return None
        total = present[0]
        for value in present[1:]:
            total += value
        worst = max(worst, abs(total - cast(float, hit.score)))
    return worst


@dataclass(frozen=True, slots=True)
class Compared(FromPlain):
    """One item in two rankings; None where a ranking does not hold it."""

    id: str
    rank: int | None
    other_rank: int | None
    moved: int | None
    """Other rank minus this rank: above 0 it stands higher here."""
    difference: float | None
    """This score minus the other; None where the score models differ."""


@dataclass(frozen=True, slots=True)
class Ranking(FromPlain):
    """What a verb answered: hits best first, the backend that served them, and how their scores came about.

    A search has one lane, its own; ``hybrid_search`` the lanes that it fused; ``rerank`` its candidates;
    ``recall`` none, its contributions are named terms. ``contributions[i]`` are those of hit i, None where
    the backend gave no attribution. ``from_json(to_json())`` gives back an equal record.

    Raises:
        WorkbenchError: ``not_finite``, ``repeated_id`` or ``contradiction`` for hits that are no ranking.
    """

    verb: str
    backend: str
    hits: tuple[Hit, ...]
    score_model: str
    params: FrozenMap = field(default_factory=FrozenMap)
    """What shaped the scores: the fusion and its k, or λ, or the weights of the terms."""
    lanes: tuple[Lane, ...] = ()
    contributions: Contributions | None = None
    filter: Filter | None = None
    dropped: int | None = None
    """How many items the filter kept out; None without a filter."""
    payload: dict[str, Passage] = field(default_factory=dict)
    """Text and metadata by id, of every candidate that brought them."""
    query: str = ""
    fusion: Fusion | None = None
    diversification: Diversification | None = None
    notes: tuple[str, ...] = ()
    """What a reader has to know beside the numbers, a sentence each."""
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", FrozenMap(self.params))
        checks.no_repeats(self.ids, f"the {self.verb} ranking")
        for place, hit in enumerate(self.hits, start=1):
            if hit.rank != place:
                raise WorkbenchError(
                    "contradiction",
                    f"hit {place} of the {self.verb} ranking is {hit!r}: ranks count from 1, best first",
                )
            if hit.score is not None and not math.isfinite(hit.score):
                raise WorkbenchError(
                    "not_finite",
                    f"{hit.id!r} in the {self.verb} ranking has the score {hit.score!r}: give None where it has none",
                )

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, best first."""
        return tuple(hit.id for hit in self.hits)

    @property
    def residual(self) -> float | None:
        """0.0 where the contributions add up to every score exactly; None where there is no attribution."""
        return fold_residual(self.hits, self.contributions)

    def hit(self, id: str) -> Hit:
        """The hit of that id.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        return self.hits[self._row(id)]

    def of(self, id: str) -> tuple[Contribution, ...] | None:
        """The contributions of that hit, absent lanes included; None where there is no attribution.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        row = self._row(id)
        return None if self.contributions is None else self.contributions[row]

    def text(self, id: str) -> str | None:
        """The text of that hit; None where no lane brought it."""
        self._row(id)
        return self.payload[id].text if id in self.payload else None

    def metadata(self, id: str) -> FrozenMap | None:
        """The metadata of that hit; None where no lane brought it."""
        self._row(id)
        return self.payload[id].metadata if id in self.payload else None

    def as_lane(self, name: str | None = None) -> Lane:
        """This ranking as a lane for fusion: its own hits, backend, score model, filter and payload."""
        own = self.lanes[0] if len(self.lanes) == 1 and self.fusion is None and self.diversification is None else None
        return Lane(
            name=name or self.verb,
            hits=self.hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=None if own is None else own.depth,
            detail=FrozenMap() if own is None else own.detail,
            about=FrozenMap({"query": self.query}) if own is None else own.about,
            filter=self.filter,
            dropped=self.dropped,
            payload=self.payload,
        )

    def compare(self, other: "Ranking") -> tuple[Compared, ...]:
        """Both rankings side by side, this one's order first. Warns (MixedScoreModels) where the score models differ."""
        if not isinstance(other, Ranking):
            raise WorkbenchError("wrong_type", f"other is {type(other).__name__}: compare with a Ranking")
        warn_of_mixed("compared", (self.score_model, other.score_model))
        here, there = ({hit.id: hit for hit in each.hits} for each in (self, other))
        return tuple(
            _compared(id, here.get(id), there.get(id), self.score_model == other.score_model)
            for id in dict.fromkeys((*self.ids, *other.ids))
        )

    def trace(self) -> "Trace":
        """This ranking as a Trace, for the board and its questions.

        Raises:
            WorkbenchError: ``unknown_fusion`` for a ranking whose order the board's own fusions cannot express.
        """
        from workbench.verbs.board import as_trace

        return as_trace(self)

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The Ranking that ``to_json`` wrote, exactly. Takes the data, or its text.

        Raises:
            WorkbenchError: ``unknown_schema`` for what another version wrote, or what is no Ranking.
        """
        if isinstance(data, str | bytes):
            try:
                data = json.loads(data)
            except ValueError as cause:
                raise WorkbenchError("unknown_schema", f"not JSON: {cause}") from cause
        found = data.get("schema") if isinstance(data, dict) else None
        if found != SCHEMA:
            raise WorkbenchError("unknown_schema", f"schema is {found!r}: this workbench reads {SCHEMA}", schema=found)
        return cast(Self, from_plain(cls, data))

    def _row(self, id: str) -> int:
        try:
            return self.ids.index(id)
        except ValueError:
            below = (
                "; it was fused, and lies below the cut" if self.fusion is not None and id in self.fusion.ids else ""
            )
            raise WorkbenchError(
                "unknown_id", f"{id!r} is not among the {len(self.hits)} hits of this {self.verb}{below}", id=id
            ) from None

    # the display reads the provenance, which reads this record: it is loaded when it is asked for
    def _repr_html_(self) -> str:
        from workbench.verbs.display import html

        return html(self)

    def __repr__(self) -> str:
        from workbench.verbs.display import text

        return text(self)


def _compared(id: str, here: Hit | None, there: Hit | None, same_model: bool) -> Compared:
    if here is None or there is None:
        return Compared(id, None if here is None else here.rank, None if there is None else there.rank, None, None)
    scored = same_model and here.score is not None and there.score is not None
    difference = cast(float, here.score) - cast(float, there.score) if scored else None
    return Compared(id, here.rank, there.rank, there.rank - here.rank, difference)
