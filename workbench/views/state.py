"""A Trace as the small plain data that a view draws. Pure: nothing is computed that the Trace does not hold."""

from typing import Any

from workbench.explain import words
from workbench.records import Fusion, Lane, Run
from workbench.trace import Trace
from workbench.views import palette


def board(trace: Trace, *, rows: int = 8) -> dict[str, Any]:
    """Lanes side by side, the fused column, the order after reranking, the gate and the answer, ``rows`` deep."""
    first = trace.order[0] if trace.order else None
    return {
        "query": trace.query,
        "verdict": trace.verdict,
        "override": trace.override,
        "sentence": trace.why().sentence
        if first
        else f"No candidate: every lane ran and matched nothing for “{trace.query}”.",
        "first": first,
        "lanes": [_lane(trace, lane, place, rows) for place, lane in enumerate(trace.lanes)],
        "fusion": _fused(trace, rows),
        "final": _final(trace, rows),
        "gate": _gate(trace),
        "attempts": [_attempt(trace, place) for place in range(len(trace.attempts))],
        "answer": _answer(trace),
        "degraded": list(trace.degraded),
        "settings": settings(trace),
    }


def settings(run: Run) -> list[tuple[str, str]]:
    """What a reader has to know to repeat the run, as (name, value) pairs."""
    config, fusion = run.config, run.fusion
    pairs = [
        ("fusion", f"{fusion.method}" + (f", dialect {fusion.dialect}" if fusion.dialect else "")),
        *((name, words.number(value)) for name, value in fusion.params.items() if name in ("k", "rank_base")),
        ("ties", fusion.tie_rule),
        ("depth per lane", str(config.depth)),
        ("reranker", f"{run.reranking.name}, head {config.rerank_head}"),
        ("diversity", "off" if config.lambda_mmr is None else f"λ {words.number(config.lambda_mmr)}"),
        ("top k", str(config.top_k)),
    ]
    return pairs


def _title(run: Run, id: str) -> str:
    passage = run.passages.get(id)
    if passage is None:
        return id
    return (passage.headings[-1] if passage.headings else passage.title) or id


def _lane(run: Run, lane: Lane, place: int, rows: int) -> dict[str, Any]:
    return {
        "letter": palette.letter(place),
        "name": lane.name,
        "backend": lane.backend,
        "score_model": lane.score_model,
        "status": lane.status,
        "reason": lane.reason,
        "hits": len(lane.hits),
        "depth": lane.depth,
        "rows": [
            {"id": hit.id, "title": _title(run, hit.id), "rank": hit.rank, "score": hit.score}
            for hit in lane.hits[:rows]
        ],
    }


def _fused(run: Run, rows: int) -> dict[str, Any]:
    fusion = run.fusion
    letters = {lane.name: palette.letter(place) for place, lane in enumerate(run.lanes)}
    scores = fusion.scores.tolist()
    shown = []
    for row, id in enumerate(fusion.ids[:rows]):
        shown.append(
            {
                "id": id,
                "title": _title(run, id),
                "rank": row + 1,
                "score": scores[row],
                "share": scores[row] / fusion.possible if fusion.possible else None,
                "gap": scores[row] - scores[row + 1] if row + 1 < len(scores) else None,
                "decided": fusion.decided[row],
                "segments": _segments(fusion, id, letters),
                "now": run.order.index(id) + 1 if id in run.order else None,
            }
        )
    return {"method": fusion.method, "candidates": len(fusion.ids), "residual": fusion.residual, "rows": shown}


def _segments(fusion: Fusion, id: str, letters: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"lane": row.lane, "letter": letters[row.lane], "rank": row.rank, "contribution": row.contribution}
        for row in fusion.of(id)
    ]


def _final(run: Run, rows: int) -> dict[str, Any]:
    reranking = run.reranking
    scores = dict(zip(reranking.ids, reranking.scores, strict=True))
    shown = []
    for place, id in enumerate(run.order[:rows]):
        fused = run.fusion.row(id) + 1
        features = [{"name": f.name, "value": f.value, "contribution": f.contribution} for f in reranking.of(id)]
        shown.append(
            {
                "id": id,
                "title": _title(run, id),
                "rank": place + 1,
                "score": scores[id],
                "moved": fused - (place + 1),
                "kept": id in run.attempt.evidence,
                "features": features,
                "same_text": list(run.same_text(id)),
            }
        )
    return {"name": reranking.name, "candidates": len(run.order), "kept": len(run.attempt.evidence), "rows": shown}


def _gate(run: Run) -> dict[str, Any] | None:
    gate = run.gate
    if gate is None:
        return None
    return {
        "passed": gate.passed,
        "score": gate.score,
        "threshold": gate.threshold,
        "preset": gate.preset,
        "explanation": gate.explanation,
        "features": [
            {"name": f.name, "value": f.value, "weight": f.weight, "contribution": f.contribution, "floor": f.floor}
            for f in gate.features
        ],
        "reasons": list(gate.reasons),
        "missing": list(gate.missing),
    }


def _attempt(run: Run, place: int) -> dict[str, Any]:
    attempt = run.attempts[place]
    return {
        "query": attempt.query,
        "added": [] if attempt.rewrite is None else [term.term for term in attempt.rewrite.terms],
        "score": None if attempt.gate is None else attempt.gate.score,
        "passed": None if attempt.gate is None else attempt.gate.passed,
        "stopped": attempt.stopped,
        "best": place == run.best,
    }


def _answer(run: Run) -> dict[str, Any] | None:
    if run.answer is None or run.grounding is None:
        return None
    return {
        "text": run.answer,
        "generator": run.generator,
        "method": run.grounding.method,
        "floor": run.grounding.floor,
        "score": run.grounding.score,
        "judge": run.judge,
        "judged": run.judged,
        "sentences": [
            {
                "start": s.start,
                "end": s.end,
                "verdict": s.verdict,
                "score": s.score,
                "source": s.windows[0].passage_id if s.windows else None,
                "reason": s.reason,
            }
            for s in run.grounding.sentences
        ],
    }
