"""The stages after the lanes, in their fixed order: fusion → reranking → diversity → cut → gate, and the retries.

They take lanes that ran already and know no index, so a run and a what-if go through the same ones.
No stage sees more than what the one before it recorded.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol

import numpy as np

from workbench import checks
from workbench.config import Config
from workbench.frozen import FrozenMap
from workbench.kernels import feedback, sufficiency
from workbench.kernels.analysis import Analyzer
from workbench.kernels.diversity import mmr
from workbench.kernels.fusion import fuse
from workbench.kernels.gate_blind import cannot_look
from workbench.kernels.grounding import ground
from workbench.kernels.overlap import jaccard
from workbench.models.rerankers import Candidate, IdentityReranker
from workbench.records import (
    Attempt,
    Diversification,
    Fusion,
    GateDecision,
    Grounding,
    Lane,
    Passage,
    Reranking,
    Rewrite,
)

COSINE = "cosine of the passages' vectors"


class Orders(Protocol):
    """A reranker as the stages use it."""

    @property
    def name(self) -> str: ...

    def order(self, query: str, candidates: Sequence[Candidate], head: int) -> Reranking: ...


@dataclass(frozen=True, slots=True)
class AfterLanes:
    """One configuration's path from lanes to verdict."""

    config: Config
    analyzer: Analyzer
    reranker: Orders
    stored: Callable[[str], Passage]
    """The passage of an id that no lane brings itself."""
    cosines: Callable[[Sequence[str]], np.ndarray | None]
    """n × n similarities of passages by their vectors; None where there are none, and shared terms serve."""

    def run(self, asked: str, query: str, lanes: tuple[Lane, ...], *, clock: "Clock | None" = None) -> Attempt:
        """One pass. ``asked`` is what the reranker and the gate hold the evidence against; ``query`` is what the lanes were asked."""
        clock = clock or Clock()
        fusion = self._fuse(lanes)
        clock.lap("fusion")
        head = list(zip(fusion.ids, fusion.scores.tolist(), strict=True))[: self.config.rerank_head]
        reranking = self._rerank(asked, [Candidate(id, payload(lanes, id, self.stored).text, s) for id, s in head])
        clock.lap("reranking")
        diversification = self._diversify(lanes, reranking)
        clock.lap("diversity")
        order = reranking.ids if diversification is None else diversification.ids
        evidence = order[: self.config.top_k]
        gated = asked if self.config.gate_query == "asked" else query
        gate = self._gate(gated, lanes, fusion, reranking, order)
        clock.lap("gate")
        return Attempt(
            query, lanes, fusion, reranking, diversification, evidence, gate, milliseconds=FrozenMap(clock.laps)
        )

    def retried(self, first: Attempt, again: Callable[[Rewrite], Attempt | str]) -> tuple[Attempt, ...]:
        """R8: asks again with feedback until the gate passes, nothing new can be added, the score stops rising, or the retries are used up.

        ``again`` gives the next attempt, or the reason why it cannot be made.
        """
        config = self.config
        attempts = [first]
        while True:
            last = attempts[-1]
            assert last.gate is not None
            stopped, following = "", None
            if last.gate.passed:
                stopped = "the gate passed"
            elif len(attempts) > config.max_retries:
                stopped = f"the {config.max_retries} retries are used up" if config.max_retries else "retries are off"
            elif len(attempts) > 1 and last.gate.score - gate_score(attempts[-2]) < config.retry_gain:
                stopped = f"the gate's score did not rise by {config.retry_gain:g}"
            else:
                rewrite = self._expanded(last)
                if rewrite is None:
                    stopped = "feedback found no new term"
                else:
                    answer = again(rewrite)
                    if isinstance(answer, str):
                        stopped = answer
                    else:
                        following = replace(answer, rewrite=rewrite)
            attempts[-1] = replace(last, stopped=stopped)
            if following is None:
                return tuple(attempts)
            attempts.append(following)

    def evidence(self, attempt: Attempt) -> list[Passage]:
        """The passages that came through an attempt's cut, best first."""
        return [payload(attempt.lanes, id, self.stored) for id in attempt.evidence]

    def payloads(self, attempts: Sequence[Attempt]) -> dict[str, Passage]:
        """The payload of every candidate of the attempts, by ascending id; the first attempt that has it decides."""
        found: dict[str, Passage] = {}
        for attempt in attempts:
            for id in attempt.fusion.ids:
                if id not in found:
                    found[id] = payload(attempt.lanes, id, self.stored)
        return dict(sorted(found.items()))

    def ground(self, answer: str, passages: Sequence[Passage], method: str) -> Grounding:
        """The answer against the passages."""
        rows = [(p.id, p.text) for p in passages]
        return ground(answer, rows, method=method, floor=self.config.sentence_floor, analyzer=self.analyzer)

    def _expanded(self, attempt: Attempt) -> Rewrite | None:
        return feedback.expand(
            attempt.query,
            [(p.id, p.text) for p in self.evidence(attempt)],
            analyzer=self.analyzer,
            passages=self.config.feedback_passages,
            terms=self.config.feedback_terms,
        )

    def _fuse(self, lanes: Sequence[Lane]) -> Fusion:
        config, ran = self.config, {lane.name: lane for lane in lanes if lane.status == "ran"}
        weights = None
        if config.weights:
            declared = {base(lane.name) for lane in lanes}
            for name in config.weights:
                checks.one_of("weights: lane", name, sorted(declared), "unknown_parameter")
            weights = {name: config.weights.get(base(name), 1.0) for name in ran}
        return fuse(config.fusion, ran, k=config.k, weights=weights, dialect=config.dialect, ties=config.ties)

    def _rerank(self, asked: str, candidates: Sequence[Candidate]) -> Reranking:
        head = self.config.rerank_head
        if not candidates:
            return replace(IdentityReranker().order(asked, (), head), name=self.reranker.name)
        return self.reranker.order(asked, candidates, head)

    def _diversify(self, lanes: Sequence[Lane], reranking: Reranking) -> Diversification | None:
        if self.config.lambda_mmr is None or not reranking.ids:
            return None
        similarity, source = self.cosines(reranking.ids), COSINE
        if similarity is None:
            texts = [payload(lanes, id, self.stored).text for id in reranking.ids]
            similarity = jaccard([self.analyzer.terms(text) for text in texts])
            source = f"share of common terms (Jaccard, analyzer={self.analyzer.name})"
        picked = mmr(reranking.ids, reranking.scores, similarity, lambda_mmr=self.config.lambda_mmr)
        return replace(picked, similarity_of=source)

    def _gate(
        self, query: str, lanes: Sequence[Lane], fusion: Fusion, reranking: Reranking, order: Sequence[str]
    ) -> GateDecision:
        scores = dict(zip(reranking.ids, reranking.scores, strict=True))
        if reranking.name == "identity" and fusion.possible:
            # the gate reads scores in 0..1; a fused score is put there as its share of the most possible
            scores = {id: score / fusion.possible for id, score in scores.items()}
        rest = [(id, payload(lanes, id, self.stored).text, scores[id]) for id in order]
        rows, rest = rest[: self.config.top_k], rest[self.config.top_k :]
        known = len([text for _, text, _ in rows if text])
        if known < len(rows):
            return cannot_look(query, known, len(rows), self.config.gate, analyzer=self.analyzer)
        return sufficiency.gate(query, rows, self.config.gate, analyzer=self.analyzer, candidates=rest)


def payload(lanes: Sequence[Lane], id: str, stored: Callable[[str], Passage]) -> Passage:
    """C3: where lanes disagree about a payload, the one with the highest raw lane score wins, the first lane on a tie."""
    best: tuple[float, Passage] | None = None
    for lane in lanes:
        hit = lane.hit(id) if lane.payload else None
        if hit is None or id not in lane.payload:
            continue
        score = float("-inf") if hit.score is None else hit.score
        if best is None or score > best[0]:
            best = (score, lane.payload[id])
    return stored(id) if best is None else best[1]


def base(lane: str) -> str:
    """The lane that a further phrasing's lane belongs to: ``dense (2)`` → ``dense``."""
    return re.sub(r" \(\d+\)$", "", lane)


def gate_score(attempt: Attempt) -> float:
    """The gate's score of an attempt that went through the gate."""
    assert attempt.gate is not None
    return attempt.gate.score


def best_of(attempts: Sequence[Attempt]) -> int:
    """A passing attempt before any other, then the higher gate score, then the earlier one."""
    order = [
        (attempt.gate is None or not attempt.gate.passed, -gate_score(attempt), place)
        for place, attempt in enumerate(attempts)
    ]
    return min(order)[2]


def verdict_of(gate: GateDecision, *, faithful: bool, override: bool) -> str:
    """``insufficient``, ``needs_review`` (the gate's middle outcome, or an answer below the floor) or ``answerable``."""
    if gate.outcome == "refuse" and not override:
        return "insufficient"
    return "answerable" if faithful and (override or gate.passed) else "needs_review"


def degradations(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """The lanes that could not run, or answered only in part, each with its reason, once."""
    lines = (
        f"{lane.name}: {lane.reason}" for a in attempts for lane in a.lanes if lane.status != "off" and lane.reason
    )
    return tuple(dict.fromkeys(lines))


class Clock:
    """Milliseconds from one lap to the next."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now
