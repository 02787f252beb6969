"""The seam to rerankers: anything with ``rerank(query, candidates)``. None injected means identity."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.kernels import features
from workbench.kernels.analysis import Analyzer
from workbench.records import Reranking


class Candidate(NamedTuple):
    """What a reranker is shown of a candidate; ``score`` is the fused one."""

    id: str
    text: str
    score: float


class Reranker(Protocol):
    """Scores the fused head against the original query, in whatever order it likes."""

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> Sequence[tuple[str, float]]:
        """One (id, score) pair for each candidate, higher is better."""
        ...


class IdentityReranker:
    """Keeps the fused order and scores."""

    name = "identity"

    def order(self, query: str, candidates: Sequence[Candidate], head: int) -> Reranking:
        return Reranking(
            name=self.name,
            score_model="fused score, order kept",
            head=head,
            ids=tuple(c.id for c in candidates),
            scores=tuple(c.score for c in candidates),
            features=tuple(() for _ in candidates),
            decided=tuple("given" for _ in candidates),
        )


class FeatureReranker:
    """R4: relative fused score, share of query terms, adjacent query terms, each kept on the candidate."""

    name = "feature"

    def __init__(self, analyzer: Analyzer, weights: tuple[float, float, float], phrase: str) -> None:
        self._analyzer, self._weights, self._phrase = analyzer, weights, phrase

    def order(self, query: str, candidates: Sequence[Candidate], head: int) -> Reranking:
        return features.rerank(
            query,
            [c.id for c in candidates],
            [c.text for c in candidates],
            [c.score for c in candidates],
            analyzer=self._analyzer,
            weights=self._weights,
            phrase=self._phrase,
            head=head,
        )


class InjectedReranker:
    """A reranker of the caller's, held to its contract: nothing invented, repeated, left out or half done."""

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self.name = str(getattr(reranker, "name", type(reranker).__name__))

    def order(self, query: str, candidates: Sequence[Candidate], head: int) -> Reranking:
        """The candidates by the reranker's score, ties by ascending id.

        Raises:
            WorkbenchError: ``model_failed`` with the reranker's own words, or saying which ids are missing,
                repeated or invented; ``not_finite``.
        """
        try:
            answer = list(self._reranker.rerank(query, tuple(candidates)))
            pairs = [(id, score) for id, score in answer]
        except WorkbenchError:
            raise
        except Exception as cause:
            raise WorkbenchError(
                "model_failed", f"reranker {self.name} failed: {type(cause).__name__}: {cause}"
            ) from cause
        asked, given = {c.id for c in candidates}, [id for id, _ in pairs]
        invented = [id for id in given if id not in asked]
        missing = sorted(asked - set(given))
        repeated = sorted({id for id in given if given.count(id) > 1}) if len(given) != len(set(given)) else []
        for what, ids in (("invented", invented), ("left out", missing), ("repeated", repeated)):
            if ids:
                raise WorkbenchError(
                    "model_failed",
                    f"reranker {self.name} {what} {ids[0]!r} ({len(ids)} in all): it has to score each candidate once",
                    ids=tuple(ids),
                )
        for id, score in pairs:
            if isinstance(score, bool) or not hasattr(score, "__float__") or not math.isfinite(float(score)):
                raise WorkbenchError(
                    "not_finite", f"reranker {self.name} gave {score!r} for {id!r}: give a finite number", id=id
                )
        ranked = sorted(((-float(score), id) for id, score in pairs))
        scores = tuple(-negative for negative, _ in ranked)
        return Reranking(
            name=self.name,
            score_model=str(getattr(self._reranker, "score_model", self.name)),
            head=head,
            ids=tuple(id for _, id in ranked),
            scores=scores,
            features=tuple(() for _ in ranked),
            decided=_decided(scores),
        )


def _decided(scores: Sequence[float]) -> tuple[str, ...]:
    pairs = [(scores[max(i - 1, 0)], scores[max(i, 1)]) for i in range(len(scores))] if len(scores) > 1 else []
    return tuple("id" if above == below else "score" for above, below in pairs) or ("score",) * len(scores)


def as_reranker(
    given: Any, analyzer: Analyzer, weights: tuple[float, float, float], phrase: str
) -> IdentityReranker | FeatureReranker | InjectedReranker:
    """``"feature"``, ``"identity"`` or None, or anything with ``rerank(query, candidates)``."""
    if given is None or given == "identity":
        return IdentityReranker()
    if given == "feature":
        return FeatureReranker(analyzer, weights, phrase)
    if isinstance(given, str):
        checks.one_of("reranker", given, ("feature", "identity"), "unknown_parameter")
    if not callable(getattr(given, "rerank", None)):
        raise WorkbenchError(
            "wrong_type",
            f"reranker is {given!r}: give 'feature', 'identity', None, or an object with rerank(query, candidates)",
        )
    return InjectedReranker(given)
