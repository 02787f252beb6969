"""Every number of a run, in one place: ``Config``, and the gate's ``GatePolicy`` inside it."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain, FrozenMap

FUSIONS = ("rrf", "relative_score", "dbsf")
PRESETS = {"strict": (0.70, 0.35), "balanced": (0.55, 0.25), "lenient": (0.40, 0.15)}


@dataclass(frozen=True, slots=True)
class GatePolicy(FromPlain):
    """When the evidence suffices. Score = the weighted sum of four features in 0..1; it passes at ``threshold``.

    ``preset`` names where the numbers came from; a number set by hand is honoured and the preset then
    reads, for example, ``balanced, threshold set to 0.3``.
    """

    threshold: float = 0.55
    min_top_score: float = 0.10
    min_coverage: float = 0.25
    weight_top_score: float = 0.35
    weight_coverage: float = 0.30
    weight_margin: float = 0.20
    weight_support: float = 0.15
    depth_score: float = 0.2
    """A candidate counts towards ``depth`` from this score on."""
    low_margin: float = 0.05
    """Below this a margin is noted (never a cause)."""
    low_support: float = 0.05
    """Below this a consensus is noted, with two or more candidates in depth (never a cause)."""
    preset: str = "balanced"
    review_threshold: float | None = None
    """Two thresholds: from here up to ``threshold`` an answer is given and marked for review. None: one threshold."""

    def __post_init__(self) -> None:
        for name in ("threshold", "min_top_score", "min_coverage", "depth_score", "low_margin", "low_support"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0, high=1))
        for name in ("weight_top_score", "weight_coverage", "weight_margin", "weight_support"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0))
        if self.review_threshold is not None:
            lower = checks.number("review_threshold", self.review_threshold, low=0, high=1)
            if lower > self.threshold:
                raise WorkbenchError(
                    "contradiction",
                    f"review_threshold {lower!r} is above threshold {self.threshold!r}: review lies below answering; lower it, or raise threshold",
                )
            object.__setattr__(self, "review_threshold", lower)
        threshold, coverage = PRESETS[checks.one_of("preset", self.preset.split(",")[0], PRESETS, "unknown_preset")]
        by_hand = [
            f"{n} set to {v:g}"
            for n, v, was in (("threshold", self.threshold, threshold), ("min_coverage", self.min_coverage, coverage))
            if v != was
        ]
        object.__setattr__(self, "preset", ", ".join([self.preset.split(",")[0], *by_hand]))

    @classmethod
    def of_preset(cls, name: str, **changes: Any) -> Self:
        """``strict`` (0.70, coverage 0.35), ``balanced`` (0.55, 0.25) or ``lenient`` (0.40, 0.15), with ``changes`` on top."""
        threshold, coverage = PRESETS[checks.one_of("preset", name, PRESETS, "unknown_preset")]
        return cls(**{"threshold": threshold, "min_coverage": coverage, "preset": name, **changes})


@dataclass(frozen=True, slots=True)
class Config(FromPlain):
    """Every number of a run. Frozen; ``config.but(k=10)`` gives a changed copy.

    Raises:
        WorkbenchError: ``out_of_range``, ``not_finite``, ``wrong_type`` or ``contradiction``, by the field's name.
    """

    # documents → passages → indexes
    chunk_size: int = 500
    """Characters a passage may hold."""
    chunk_overlap: int = 50
    """Characters of the previous passage that a passage may repeat, in whole words or sentences."""
    analyzer: str = "english"
    bm25_variant: str = "lucene"
    bm25_k1: float = 1.2
    bm25_b: float = 0.75
    lexical_engine: str = "workbench"
    """``workbench`` (our index) or ``rank-bm25`` (that library's BM25Okapi)."""

    # query → lanes → fusion
    depth: int = 100
    """Candidates that each lane may return. Not the same as ``rerank_head`` or ``top_k``."""
    fusion: str = "rrf"
    k: float | None = None
    """Smoothing of rrf; None takes the method's own: 60, or the dialect's."""
    weights: FrozenMap = field(default_factory=FrozenMap)
    """Weight by lane name; a lane that is not named weighs 1."""
    dialect: str | None = None
    ties: str = "fold"
    """``fold``: order by the folded doubles, then id. ``exact``: exact ties (by fractions) go to the id first."""

    # reranking → diversity → cut
    rerank_head: int = 50
    """Fused candidates that the reranker sees; what lies behind is out."""
    rerank_weights: tuple[float, float, float] = (0.5, 0.3, 0.2)
    """Feature reranker: relative fused score, share of query terms, adjacent query terms."""
    phrase: str = "tokens"
    """``tokens``: adjacent terms on token boundaries. ``substring``: rerankgate 0.2.0's way."""
    lambda_mmr: float | None = None
    """1 relevance only … 0 diversity only; None leaves diversity off."""
    top_k: int = 5

    # gate → feedback → answer → grounding
    gate: GatePolicy = field(default_factory=GatePolicy)
    gate_query: str = "asked"
    """``asked``: coverage on the query as asked. ``rewritten``: on the expanded query (rerankgate 0.2.0)."""
    max_retries: int = 2
    retry_gain: float = 0.01
    """A retry goes on only while the gate's score rises by at least this."""
    feedback_passages: int = 3
    feedback_terms: int = 5
    answer_floor: float = 0.35
    """An answer whose mean grounding lies below it needs review."""
    sentence_floor: float | None = None
    """Grounding floor of one sentence; None takes the method's own (0.35 for F1)."""

    def __post_init__(self) -> None:
        for name, low in (
            ("chunk_size", 20),
            ("chunk_overlap", 0),
            ("depth", 1),
            ("rerank_head", 1),
            ("top_k", 1),
            ("max_retries", 0),
            ("feedback_passages", 1),
            ("feedback_terms", 1),
        ):
            object.__setattr__(self, name, checks.whole(name, getattr(self, name), low=low))
        for name in ("bm25_k1", "retry_gain"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0))
        for name in ("bm25_b", "answer_floor"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0, high=1))
        if self.k is not None:
            object.__setattr__(self, "k", checks.number("k", self.k, low=0))
        for name in ("lambda_mmr", "sentence_floor"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0, high=1))
        checks.one_of("fusion", self.fusion, FUSIONS, "unknown_fusion")
        for name, known in (
            ("ties", ("fold", "exact")),
            ("phrase", ("tokens", "substring")),
            ("gate_query", ("asked", "rewritten")),
        ):
            checks.one_of(name, getattr(self, name), known, "out_of_range")
        checks.one_of("lexical_engine", self.lexical_engine, ("workbench", "rank-bm25"), "unknown_variant")
        if self.lexical_engine == "rank-bm25" and self.bm25_variant not in ("okapi", "l", "plus"):
            raise WorkbenchError(
                "contradiction",
                f"lexical_engine 'rank-bm25' has no variant {self.bm25_variant!r}: set bm25_variant to 'okapi', 'l' or 'plus'",
            )
        object.__setattr__(
            self,
            "weights",
            FrozenMap(
                {name: checks.number(f"weights[{name!r}]", value, low=0) for name, value in self.weights.items()}
            ),
        )
        if len(self.rerank_weights) != 3:
            raise WorkbenchError("shape_mismatch", f"rerank_weights is {self.rerank_weights!r}: give three numbers")
        object.__setattr__(
            self,
            "rerank_weights",
            tuple(checks.number("rerank_weights", value, low=0) for value in self.rerank_weights),
        )
        if self.chunk_overlap >= self.chunk_size:
            raise WorkbenchError(
                "contradiction",
                f"chunk_overlap {self.chunk_overlap} reaches chunk_size {self.chunk_size}: give a smaller overlap",
            )
        if self.top_k > self.rerank_head:
            raise WorkbenchError(
                "contradiction",
                f"top_k {self.top_k} is more than rerank_head {self.rerank_head}: only the head can be cut; raise rerank_head",
            )
        if self.fusion != "rrf" and self.dialect is not None:
            raise WorkbenchError(
                "parameter_of_another_fusion",
                f"dialect {self.dialect!r} is of rrf, and fusion is {self.fusion!r}: drop one",
            )

    def but(self, **changes: Any) -> Self:
        """A copy with ``changes``; an unknown name is refused (``unknown_parameter``)."""
        for name in changes:
            checks.one_of("setting", name, self.__dataclass_fields__, "unknown_parameter")
        return replace(self, **changes)
