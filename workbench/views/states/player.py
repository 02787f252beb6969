"""The fusion player's state: the candidates worth watching, and the frames that explain.steps reads off the run."""

from typing import Any

from workbench.explain.steps import fusion_frames, shown
from workbench.trace import Trace
from workbench.views.states import shared


def player(trace: Trace, *, most: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The state and its binary columns, with at most ``most`` candidates to watch."""
    fusion = trace.fusion
    ids = shared.rows(fusion)
    row_of = {id: row for row, id in enumerate(ids)}
    watched = shown(fusion, most)
    kept = set(trace.attempt.evidence)
    return {
        "query": trace.query,
        "lanes": shared.lanes(trace),
        "setting": shared.setting(fusion),
        "candidates": len(ids),
        "possible": fusion.possible,
        "cards": shared.cards(trace, ids, [row_of[id] for id in watched]),
        "kept": [row_of[id] for id in watched if id in kept],
        "cut": len(trace.attempt.evidence) if trace.reranking.name == "identity" else len(trace.reranking.ids),
        "frames": [
            {
                "kind": frame.kind,
                "lane": frame.lane,
                "sentence": frame.sentence,
                "rows": [row_of[id] for id in frame.ids],
                "places": list(frame.places),
                "totals": list(frame.totals),
            }
            for frame in fusion_frames(trace, watched)
        ],
    }, shared.columns(fusion)
