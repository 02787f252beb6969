"""Whether the evidence suffices, what feedback adds to a query, and how an answer stands on it."""

from dataclasses import dataclass, field

from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain, FrozenMap
from workbench.records.ranking import Feature


@dataclass(frozen=True, slots=True)
class Condition(FromPlain):
    """One thing that has to hold for the gate to pass; ``binding`` marks the one that decides (or is nearest)."""

    id: str
    observed: float
    limit: float
    margin: float
    passed: bool
    binding: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Flip(FromPlain):
    """One change that would turn the verdict, all else kept; ``feasible`` says whether the value can be reached."""

    kind: str
    """``feature``, ``threshold`` or ``weight``."""
    name: str
    observed: float
    needed: float
    feasible: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class GateDecision(FromPlain):
    """Whether the evidence suffices, and why. ``score`` is the left fold of the features' contributions."""

    passed: bool
    score: float
    threshold: float
    preset: str
    query: str
    """The query that coverage was measured on."""
    features: tuple[Feature, ...]
    conditions: tuple[Condition, ...]
    causes: tuple[str, ...]
    """Ids of the violated conditions; empty when it passed."""
    notes: tuple[str, ...]
    """Observations that decide nothing: ``low_margin``, ``low_consensus``."""
    codes: tuple[str, ...]
    """rerankgate 0.2.0's reason codes, for parity."""
    reasons: tuple[str, ...]
    """A sentence for each cause and note."""
    flips: tuple[Flip, ...]
    covered: tuple[str, ...]
    missing: tuple[str, ...]
    explanation: str

    def feature(self, name: str) -> Feature:
        """The feature of that name.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        for each in self.features:
            if each.name == name:
                return each
        raise WorkbenchError(
            "unknown_id", f"no gate feature {name!r}: there are {', '.join(f.name for f in self.features)}", name=name
        )


@dataclass(frozen=True, slots=True)
class AddedTerm(FromPlain):
    """A term that feedback added to a query: how often it stands in the passages it came from."""

    term: str
    count: int
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rewrite(FromPlain):
    """A query expanded by feedback."""

    query: str
    terms: tuple[AddedTerm, ...]


@dataclass(frozen=True, slots=True)
class Window(FromPlain):
    """A stretch of evidence: code points start:end of the passage's text."""

    passage_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TokenMatch(FromPlain):
    """A token of an answer sentence, code points start:end of the answer.

    ``state``: ``matched`` (in the best window), ``elsewhere`` (only in other evidence), ``absent``,
    ``stop`` (not a content word) or ``conflict`` (a flag names it). ``at`` is where it matched.
    """

    start: int
    end: int
    state: str
    at: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag(FromPlain):
    """Something in a sentence that the evidence says otherwise, or does not say. ``severity``: ``info`` or ``conflict``."""

    kind: str
    severity: str
    start: int
    end: int
    claim: str
    evidence: str | None
    at: Window | None
    sentence: str


@dataclass(frozen=True, slots=True)
class SentenceGrounding(FromPlain):
    """One answer sentence against the evidence; start:end are code points of the answer.

    ``score`` is the method's own, None where not checkable; ``scores`` holds all of them by name.
    """

    text: str
    start: int
    end: int
    verdict: str
    """``supported_verbatim``, ``supported``, ``conflict``, ``partial``, ``unsupported`` or ``not_checkable``."""
    score: float | None
    scores: FrozenMap = field(default_factory=FrozenMap)
    windows: tuple[Window, ...] = ()
    tokens: tuple[TokenMatch, ...] = ()
    flags: tuple[Flag, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Grounding(FromPlain):
    """An answer against its evidence. ``score`` is the mean over checkable sentences, None without one."""

    score: float | None
    floor: float
    method: str
    splitter: str
    """Name and version of the sentence splitter."""
    sentences: tuple[SentenceGrounding, ...]

    @property
    def unsupported(self) -> tuple[SentenceGrounding, ...]:
        """The sentences that are not supported (those that cannot be checked are left out)."""
        return tuple(s for s in self.sentences if s.verdict in ("conflict", "partial", "unsupported"))
