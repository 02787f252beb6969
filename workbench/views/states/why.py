"""The Why view's state: the run, and for one candidate at a time everything that it is explained by."""

import json
from collections.abc import Mapping
from typing import Any

from workbench.explain import words
from workbench.explain.why import Why, why
from workbench.frozen import to_plain
from workbench.records import Fusion, Lane, Passage
from workbench.trace import Trace
from workbench.views.states import shared
from workbench.views.states.snippets import snippet

AHEAD = 5
"""Candidates from the first on whose explanation is sent at once; the others' when they are asked for."""


def state(trace: Trace, *shown: str | None) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The state and the fusion's binary columns, with the explanations of the first candidates and of ``shown``."""
    fusion = trace.fusion
    known = dict.fromkeys([*(id for id in shown if id in fusion.ids), *trace.order[:AHEAD]])
    return {
        "query": trace.query,
        "lanes": shared.lanes(trace),
        "setting": shared.setting(fusion),
        "candidates": len(fusion.ids),
        "possible": fusion.possible,
        "reranker": trace.reranking.name,
        "diverse": trace.diversification is not None,
        "kept": len(trace.attempt.evidence),
        "order": [[id, shared.title(trace, id)] for id in trace.order],
        "first": trace.order[0] if trace.order else None,
        "candidate": {id: candidate(trace, id) for id in known if id is not None},
        "empty": "" if trace.order else f"No candidate: every lane ran and matched nothing for “{trace.query}”.",
    }, shared.columns(fusion)


def candidate(trace: Trace, id: str) -> dict[str, Any]:
    """One candidate's explanation.

    Raises:
        WorkbenchError: ``unknown_id`` for what no lane returned.
    """
    answer, fusion, passage = why(trace, id), trace.fusion, trace.passages[id]
    row = fusion.row(id)
    return {
        "id": id,
        "row": shared.rows(fusion).index(id),
        "title": shared.title(trace, id),
        "document": answer.document_id,
        "rank": answer.rank,
        "kept": answer.kept,
        "sentence": answer.sentence,
        "fused": row + 1,
        "score": answer.fused_score,
        "share": answer.share,
        "next": _next(fusion, row),
        "terms": [[part.rank, part.score, part.contribution] for part in answer.contributions],
        "reranked": trace.reranking.scores[trace.reranking.ids.index(id)] if id in trace.reranking.ids else None,
        "features": [
            [f.name, f.value, f.weight, f.contribution] for f in answer.features if f.contribution is not None
        ],
        "pick": _pick(trace, answer),
        "path": [[place.stage, place.rank, place.of, place.score] for place in answer.path],
        "details": [_detail(lane, passage) for lane in trace.lanes if lane.hit(id) is not None],
        "sameText": list(trace.same_text(id)),
    }


def record(trace: Trace, id: str) -> str:
    """The raw records behind a candidate's explanation, as JSON text."""
    raw = {
        "why": to_plain(why(trace, id)),
        "passage": to_plain(trace.passages[id]),
        "lanes": {lane.name: to_plain(lane.detail[id]) for lane in trace.lanes if id in lane.detail},
    }
    return json.dumps(raw, indent=2, ensure_ascii=False)


def _next(fusion: Fusion, row: int) -> dict[str, Any] | None:
    """The one below in the fused order: how far behind it is, and what decided."""
    if row + 1 >= len(fusion.ids):
        return None
    gap = float(fusion.scores[row]) - float(fusion.scores[row + 1])
    return {"gap": gap, "decided": fusion.decided[row + 1]}


def _pick(trace: Trace, answer: Why) -> dict[str, Any] | None:
    step, picked = answer.step, trace.diversification
    if step is None or picked is None:
        return None
    return {
        "lambda": picked.lambda_mmr,
        "relevance": step.relevance,
        "redundancy": step.redundancy,
        "against": None if step.against is None else shared.title(trace, step.against),
        "score": step.score,
    }


def _detail(lane: Lane, passage: Passage) -> dict[str, Any]:
    """What a lane can say of a hit: a headline, bars where it adds something up, and the text as it saw it."""
    held = lane.detail.get(passage.id)
    said: Mapping[str, Any] = held if isinstance(held, Mapping) else {}
    hit = lane.hit(passage.id)
    assert hit is not None
    return {
        "lane": lane.name,
        "score": hit.score,
        "said": _headline(said),
        "bars": [[bar["term"], bar.get("df"), bar["contribution"]] for bar in said.get("terms", ())],
        "text": _seen(lane, passage, said),
    }


def _headline(said: Mapping[str, Any]) -> str:
    matched = f" (matched: {words.listed([str(m) for m in said['matched']])})" if said.get("matched") else ""
    if "entity" in said:
        return f"{said['kind']} “{said['entity']}”{matched}"
    if "node" in said:
        return f"under “{' › '.join((*said['path'], said['node']))}”{matched}"
    if "page" in said:
        return f"{words.ordinal(said['page_rank'])} page “{said['page']}”{matched}"
    if "nearest" in said:
        return f"nearest sentence, cosine {words.number(said['nearest']['cosine'])}"
    if "cosine" in said:
        return "by the passage's vector"
    if "terms" in said:
        return "BM25, term by term"
    known = [f"{key} {value}" for key, value in said.items() if isinstance(value, str | int | float)]
    return (words.listed(known) if known else "says no more than its rank and score") + matched


def _seen(lane: Lane, passage: Passage, said: Mapping[str, Any]) -> list[str]:
    if "nearest" in said:
        start, end = int(said["nearest"]["start"]), int(said["nearest"]["end"])
        return ["", passage.text[start:end]]
    return snippet(lane, passage) if "spans" in said else []
