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
class MissingTerm(FromPlain):
    """A query word that no evidence holds, and the nearest place that would supply it."""

    term: str
    """As the query writes it."""
    passage_id: str | None
    """The best-ranked candidate outside the evidence that holds it; None where none does."""
    place: int | None
    """Its place among the candidates outside the evidence, from 1."""
    turns: bool
    """Whether the gate, run again with that passage added to the evidence, gives the other verdict."""


@dataclass(frozen=True, slots=True)
class Setting(FromPlain):
    """A number of the policy: what the named preset declares, and what was in effect."""

    name: str
    declared: float | None
    effective: float | None


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
    outcome: str = ""
    """``answer``, ``review`` (between the two thresholds, no floor broken) or ``refuse``; only ``answer`` passed."""
    review_threshold: float | None = None
    """From this score on the outcome is ``review``; None where the gate has one threshold."""
    settings: tuple[Setting, ...] = ()
    """Every number of the policy, declared and in effect."""
    missing_terms: tuple[MissingTerm, ...] = ()
    """One for each of ``missing`` where candidates outside the evidence were given; else empty."""

    @property
    def overrides(self) -> tuple[Setting, ...]:
        """The settings that differ from what the preset declares."""
        return tuple(each for each in self.settings if each.declared != each.effective)

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

    ``state``: ``matched`` (in the best windows), ``elsewhere`` (only in other evidence), ``absent`` (in none, or
    part of a date that none states, or a function word that goes with such a word), ``stop`` (another function
    word) or ``conflict`` (a flag names it). ``at`` is where it matched.
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
class Edit(FromPlain):
    """Code points start:end of the answer, replaced by ``text``; empty text takes them out."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Mend(FromPlain):
    """A change of one answer sentence that was judged again and got another verdict: what the first verdict hangs on."""

    kind: str
    """``replace`` (what the evidence says, in place of what a flag names) or ``leave_out`` (words that no window holds)."""
    edits: tuple[Edit, ...]
    verdict: str
    """The verdict of the sentence after the edits; empty where no word of it is left."""
    sentence: str


@dataclass(frozen=True, slots=True)
class Citation(FromPlain):
    """A citation marker, code points start:end of the answer, and what it does for its sentence.

    ``passage_id`` is None where the marker names no evidence; ``alone`` and ``necessary`` are then None too.
    ``alone``: this passage by itself supports the sentence. ``necessary``: the cited passages support it, and
    without this one they do not; None where they do not support it at all.
    """

    start: int
    end: int
    marker: str
    passage_id: str | None
    alone: bool | None
    necessary: bool | None


@dataclass(frozen=True, slots=True)
class Citations(FromPlain):
    """The citations of one sentence, in text order, and how it stands on the cited passages alone."""

    each: tuple[Citation, ...]
    sufficient: bool
    """Whether the cited passages, and no others, support the sentence."""
    verdict: str


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
    mends: tuple[Mend, ...] = ()
    """What would change the verdict, each judged again; empty for a supported sentence."""
    citations: Citations | None = None
    """None where the sentence cites nothing."""


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

    @property
    def citation_recall(self) -> float | None:
        """Share of the checkable sentences whose cited passages support them (ALCE, Gao et al. 2023); an uncited one counts against it.

        None where the answer cites nothing, or holds nothing to check.
        """
        checkable = [s for s in self.sentences if s.verdict != "not_checkable"]
        if not checkable or not any(s.citations for s in self.sentences):
            return None
        return sum(1 for s in checkable if s.citations is not None and s.citations.sufficient) / len(checkable)

    @property
    def citation_precision(self) -> float | None:
        """Share of the citations that do something (ALCE): the sentence stands on the cited passages, and this one is
        enough by itself or is necessary. A marker that names no evidence does nothing. None where nothing is cited.
        """
        cited = [(s.citations, c) for s in self.sentences if s.citations for c in s.citations.each]
        if not cited:
            return None
        return sum(1 for whole, each in cited if whole.sufficient and (each.alone or each.necessary)) / len(cited)
