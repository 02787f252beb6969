"""What a Workbench answers when it is asked past a Trace: a passage's true rank and score in each lane."""

from dataclasses import dataclass

from workbench.frozen import FromPlain


@dataclass(frozen=True, slots=True)
class LaneProbe(FromPlain):
    """One lane's answer about one passage.

    ``state``: ``returned`` (within the depth), ``deeper`` (ranked, behind the depth), ``missed`` (ranked within
    it, but an approximate index did not find it), ``no_match`` (the lane gives it no rank at any depth),
    ``silent`` (the lane cannot answer past its depth) or ``not_run``.
    """

    lane: str
    state: str
    rank: int | None = None
    """From 1, at whatever depth; None where the lane gives none or cannot answer."""
    score: float | None = None
    depth: int | None = None
    last_score: float | None = None
    """The score of the last hit that the lane returned."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Probe(FromPlain):
    """A passage's standing in every lane, at any depth. ``query`` is what the lanes were asked."""

    id: str
    document_id: str
    query: str
    filtered: str
    """Which part of the filter keeps it out; empty where none does."""
    held: tuple[str, ...]
    """The query's content words that the passage holds, as the query writes them."""
    missing: tuple[str, ...]
    lanes: tuple[LaneProbe, ...]

    @property
    def nearest(self) -> LaneProbe | None:
        """The lane that ranks it best, the first one of two; None where no lane gives a rank."""
        ranked = [lane for lane in self.lanes if lane.rank is not None]
        return min(ranked, key=lambda lane: lane.rank or 0) if ranked else None
