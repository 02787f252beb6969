"""A whole run: its attempts, and what came of them."""

from dataclasses import dataclass, field

from workbench.config import Config
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain, FrozenMap
from workbench.records.documents import Passage
from workbench.records.evidence import GateDecision, Grounding, Rewrite
from workbench.records.ranking import Diversification, Fusion, Lane, Reranking

SCHEMA = 1
"""Version of the JSON that the records write."""


@dataclass(frozen=True, slots=True)
class Attempt(FromPlain):
    """One pass from query to gate. ``lanes`` holds every declared lane, in lane order, whatever its status."""

    query: str
    lanes: tuple[Lane, ...]
    fusion: Fusion
    reranking: Reranking
    diversification: Diversification | None
    evidence: tuple[str, ...]
    """The ids that came through the cut, best first."""
    gate: GateDecision | None
    rewrite: Rewrite | None = None
    """What made this attempt's query out of the one before; None for the first."""
    stopped: str = ""
    """Why no attempt followed."""
    milliseconds: FrozenMap = field(default_factory=FrozenMap, compare=False)

    def lane(self, name: str) -> Lane:
        """The lane of that name.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        for each in self.lanes:
            if each.name == name:
                return each
        raise WorkbenchError(
            "unknown_id", f"no lane {name!r}: there are {', '.join(lane.name for lane in self.lanes)}", name=name
        )


@dataclass(frozen=True, slots=True)
class Run(FromPlain):
    """All that a query left behind. ``Trace`` is a Run that can be asked.

    ``verdict``: ``retrieved`` (no answer was asked for), ``answerable``, ``insufficient`` or ``needs_review``.
    """

    query: str
    config: Config
    attempts: tuple[Attempt, ...]
    best: int
    """Index of the attempt that is reported."""
    verdict: str
    answer: str | None
    grounding: Grounding | None
    judged: float | None
    """The faithfulness that the verdict used."""
    judge: str
    generator: str
    override: bool
    degraded: tuple[str, ...]
    """Why the run is less than was declared; empty when it is whole."""
    passages: dict[str, Passage]
    """The payload of every candidate, by id."""
    chunk_count: int
    versions: FrozenMap
    """Name → version of each component that shaped the result."""
    schema: int = SCHEMA
    timings: FrozenMap = field(default_factory=FrozenMap, compare=False)

    @property
    def attempt(self) -> Attempt:
        """The attempt that is reported."""
        return self.attempts[self.best]

    @property
    def lanes(self) -> tuple[Lane, ...]:
        return self.attempt.lanes

    @property
    def fusion(self) -> Fusion:
        return self.attempt.fusion

    @property
    def reranking(self) -> Reranking:
        return self.attempt.reranking

    @property
    def diversification(self) -> Diversification | None:
        return self.attempt.diversification

    @property
    def gate(self) -> GateDecision | None:
        return self.attempt.gate

    @property
    def order(self) -> tuple[str, ...]:
        """The ids as they stood before the cut: pick order where diversity is on, else the reranked order."""
        diversification = self.attempt.diversification
        return self.attempt.reranking.ids if diversification is None else diversification.ids

    def same_text(self, id: str) -> tuple[str, ...]:
        """The other candidates whose text is the same, by ascending id: two ids are two candidates, and a view says so.

        A candidate whose text is not known shares it with none.
        """
        text = self.passages[id].text
        return tuple(other for other, passage in self.passages.items() if text and other != id and passage.text == text)

    @property
    def evidence(self) -> tuple[Passage, ...]:
        """The passages that came through the cut, best first."""
        return tuple(self.passages[id] for id in self.attempt.evidence)
