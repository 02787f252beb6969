"""The board's state: lanes, rows that are drawn, the fused order's setting, the sentences of the first rows."""

from collections.abc import Collection
from typing import Any

import numpy as np

from workbench.explain import words
from workbench.records import Lane, Run
from workbench.trace import Trace
from workbench.views.states import shared
from workbench.views.states.snippets import snippet

DRAWN = 20
"""Rows of each lane whose text is sent at once."""
SENTENCES = 12
"""Fused rows whose sentence is sent at once."""


def board(trace: Trace, *, judged: Collection[str] = ()) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The state and its binary columns. ``judged``: passage or document ids known to be relevant."""
    fusion = trace.fusion
    ids = shared.rows(fusion)
    row_of = {id: row for row, id in enumerate(ids)}
    final = np.full(len(ids), -1, dtype="<i4")
    for place, id in enumerate(trace.order):
        final[row_of[id]] = place + 1
    first = trace.order[0] if trace.order else None
    return {
        "query": trace.query,
        "verdict": trace.verdict,
        "override": trace.override,
        "lanes": shared.lanes(trace),
        "setting": shared.setting(fusion),
        "candidates": len(ids),
        "possible": fusion.possible,
        "decided": list(fusion.decided[:DRAWN]),
        "cards": shared.cards(trace, ids, _card_rows(trace, row_of)),
        "snippets": {lane.name: lane_rows(trace, lane, 1, DRAWN) for lane in trace.lanes if lane.hits},
        "first": first,
        "sentence": _opening(trace),
        "sentences": {id: trace.why(id).sentence for id in _spoken(trace)},
        "reranker": trace.reranking.name,
        "kept": len(trace.attempt.evidence),
        "judged": [row_of[id] for id in ids if id in judged or trace.passages[id].document_id in judged],
        "badges": badges(trace),
    }, {**shared.columns(fusion), "final": final.tobytes()}


def lane_rows(run: Run, lane: Lane, first: int, last: int) -> list[list[str]]:
    """Snippets of the hits ranked ``first`` to ``last``."""
    return [snippet(lane, run.passages[hit.id]) for hit in lane.hits[first - 1 : last]]


def badges(trace: Trace) -> list[list[str]]:
    """What a reader should know before trusting the picture, as (kind, sentence) pairs."""
    fusion, found = trace.fusion, []
    if fusion.residual != 0:
        found.append(["warn", f"contributions miss the score by {words.number(fusion.residual)}"])
    found += [["warn", f"less than declared: {reason}"] for reason in trace.degraded]
    for lane, repeated in sorted(fusion.repeats.items()):
        found.append(["warn", f"{lane} held {len(repeated)} ids more than once: the best place counts"])
    models = dict.fromkeys(lane.score_model for lane in trace.lanes if lane.name in fusion.lanes and lane.hits)
    if fusion.method != "rrf" and len(models) > 1:
        found.append(["warn", f"{len(models)} different score models are fused by score"])
    filled = [lane.name for lane in trace.lanes if lane.name in fusion.lanes and lane.hits]
    if len(filled) == 1:
        found.append(["note", f"only {filled[0]} has hits: no weight and no k can change the order"])
    return found


def _opening(trace: Trace) -> str:
    if trace.order:
        return trace.why().sentence
    return f"No candidate: every lane ran and matched nothing for “{words.clip(trace.query, 120)}”."


def _spoken(trace: Trace) -> list[str]:
    return list(dict.fromkeys((*trace.order[:3], *trace.fusion.ids[:SENTENCES])))


def _card_rows(trace: Trace, row_of: dict[str, int]) -> list[int]:
    if len(row_of) <= shared.ALL_CARDS:
        return list(range(len(row_of)))
    drawn = {row_of[hit.id] for lane in trace.lanes for hit in lane.hits[:DRAWN] if hit.id in row_of}
    return sorted(drawn | {row_of[id] for id in (*trace.fusion.ids[: 2 * DRAWN], *trace.order[:DRAWN])})
