"""What would swap two candidates: values of k and of weights at which they tie, rank moves, lanes left out."""

from dataclasses import dataclass

import numpy as np

from workbench.frozen import ArrayRecord, FromPlain, read_only
from workbench.records.ranking import Floats, Ranks


@dataclass(frozen=True, slots=True)
class Tie(FromPlain):
    """A value of one knob at which two candidates have the same score, all else kept."""

    knob: str
    """``k``, or the lane whose weight it is."""
    at: float
    """The nearest double."""
    exact: str | None
    """The value as a fraction, ``63/62``; None where it is no fraction."""
    swaps: bool
    """False where the two touch there and part again as they were."""
    below: float | None
    """A value on the lower side at which the kernel was run; None where that side is not allowed."""
    first_below: str | None
    """Which of the two the kernel put first there."""
    above: float | None
    first_above: str | None
    confirmed: bool
    """Whether the kernel ordered both sides as the exact scores do. False where its rounding hides the difference."""


@dataclass(frozen=True, slots=True)
class Move(FromPlain):
    """The fewest places that one candidate has to move in one lane for the two to swap; the kernel was run on it."""

    lane: str
    id: str
    from_rank: int
    to_rank: int
    steps: int


@dataclass(frozen=True, slots=True)
class Removal(FromPlain):
    """What is left of the two with one lane left out. ``first`` is None where neither is."""

    lane: str
    first: str | None
    left: tuple[str, ...]
    swaps: bool


@dataclass(frozen=True, slots=True)
class TurningPoints(FromPlain):
    """All that swaps two fused candidates by one change. ``first`` is the one ahead now."""

    first: str
    second: str
    k_now: float | None
    k: tuple[Tie, ...]
    """Every k in the allowed range at which they tie, ascending; empty where there is none."""
    k_note: str
    """Why no k was looked for; empty where one was."""
    weights_now: dict[str, float]
    weights: tuple[Tie, ...]
    """Every weight at which they tie, lane by lane."""
    weights_note: str
    moves: tuple[Move, ...]
    """For each lane the shortest move of either candidate that swaps them; lanes where none does are left out."""
    removals: tuple[Removal, ...]
    always_tied: bool
    """Their exact scores are the same at every k."""
    exact_lead: int | None = None
    """The sign of the first's exact score less the second's, now: 0 for an exact tie, -1 where rounding turned it. None: not known."""

    @property
    def smallest_move(self) -> Move | None:
        """The move of the fewest steps, the first lane of two."""
        return min(self.moves, key=lambda move: move.steps, default=None)


@dataclass(frozen=True, slots=True)
class Interval(FromPlain):
    """The range of one knob, around its present value, in which the winner stays first.

    ``low`` and ``high`` are the ends; at an end the winner ties with the one that takes over beyond it
    (``below``, ``above``), or, where that is None, the end is that of the allowed range. ``high`` None: no end.
    """

    knob: str
    now: float
    low: float
    below: str | None
    high: float | None
    above: str | None
    confirmed: bool
    """Whether the kernel, run on both sides of each end, agrees."""


@dataclass(frozen=True, slots=True, eq=False)
class WinnerMap(ArrayRecord, FromPlain):
    """Who is first at each k × weight of one lane. ``winners[i, j]`` indexes ``ids``: weight i, k j."""

    lane: str
    ks: Floats
    weights: Floats
    winners: Ranks
    ids: tuple[str, ...]
    k_now: float
    weight_now: float
    leads: Floats
    """The winner's lead over the second one, relative to its score; 0 for a tie or a lone candidate."""

    def __post_init__(self) -> None:
        shape = (len(self.weights), len(self.ks))
        object.__setattr__(self, "ks", read_only(self.ks, np.float64))
        object.__setattr__(self, "weights", read_only(self.weights, np.float64))
        object.__setattr__(self, "winners", read_only(np.asarray(self.winners).reshape(shape), np.int32))
        object.__setattr__(self, "leads", read_only(np.asarray(self.leads).reshape(shape), np.float64))
