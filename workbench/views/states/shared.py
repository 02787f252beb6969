"""What several views tell the browser in the same way: lanes, candidates as row numbers, the fusion's setting."""

from typing import Any

import numpy as np

from workbench.after_lanes import base
from workbench.records import Fusion, Lane, Run
from workbench.views import palette

ALL_CARDS = 400
"""Up to this many candidates every title and id is sent; beyond, only those that are drawn, and more on demand."""


def rows(fusion: Fusion) -> tuple[str, ...]:
    """The candidates by ascending id: a candidate's place here is its row number in the browser."""
    return tuple(sorted(fusion.ids))


def lanes(run: Run) -> list[dict[str, Any]]:
    """Every declared lane in order. ``column`` is its place in the fusion, None where it was not fused."""
    return [_lane(run, lane, place) for place, lane in enumerate(run.lanes)]


def _lane(run: Run, lane: Lane, place: int) -> dict[str, Any]:
    fused = run.fusion.lanes
    return {
        "name": lane.name,
        "letter": palette.letter(place),
        "hue": palette.hue(place),
        "pattern": palette.pattern(place),
        "backend": lane.backend,
        "scoreModel": lane.score_model,
        "status": lane.status,
        "reason": lane.reason,
        "hits": len(lane.hits),
        "depth": lane.depth,
        "milliseconds": lane.milliseconds,
        "dropped": lane.dropped,
        "column": fused.index(lane.name) if lane.name in fused else None,
        "weightOf": base(lane.name),
        "marks": _marks(lane),
    }


def _marks(lane: Lane) -> str:
    """What a lane's snippets mark: ``terms``, the ``nearest`` sentence, the ``label`` that led here, or ``nothing``."""
    for kind, keys in (("terms", ("spans",)), ("nearest", ("nearest",)), ("label", ("node", "entity", "page"))):
        if any(isinstance(detail, dict) and any(key in detail for key in keys) for detail in lane.detail.values()):
            return kind
    return "nothing"


def setting(fusion: Fusion) -> dict[str, Any]:
    """How the fusion was made, as the browser's twin takes it."""
    params = fusion.params
    weights = params.get("weights")
    return {
        "method": fusion.method,
        "dialect": fusion.dialect,
        "ties": params.get("ties"),
        "k": params.get("k"),
        "rankBase": params.get("rank_base"),
        "weights": None if weights is None else [weights[name] for name in fusion.lanes],
        "lanes": list(fusion.lanes),
        "tieRule": fusion.tie_rule,
        "arithmetic": fusion.arithmetic,
    }


def columns(fusion: Fusion) -> dict[str, bytes]:
    """Little-endian columns: ``ranks`` int32 and ``raw`` float64, lane after lane by row number; ``order`` int32 (row
    numbers, best first) and ``scores`` float64 in that order, which the twin's own answer is held against."""
    by_id = np.array(sorted(range(len(fusion.ids)), key=fusion.ids.__getitem__), dtype=np.intp)
    order = np.empty(len(fusion.ids), dtype="<i4")
    order[by_id] = np.arange(len(fusion.ids), dtype="<i4")
    return {
        "ranks": fusion.ranks[by_id].T.astype("<i4").tobytes(),
        "raw": fusion.raw[by_id].T.astype("<f8").tobytes(),
        "order": order.tobytes(),
        "scores": fusion.scores.astype("<f8").tobytes(),
    }


def title(run: Run, id: str) -> str:
    """What a reader calls a candidate: its last heading, its title, or its id."""
    passage = run.passages.get(id)
    if passage is None:
        return id
    return (passage.headings[-1] if passage.headings else passage.title) or id


def cards(run: Run, ids: tuple[str, ...], wanted: list[int]) -> dict[str, Any]:
    """Id and title of the rows ``wanted``, as columns."""
    return {
        "rows": wanted,
        "ids": [ids[row] for row in wanted],
        "titles": [title(run, ids[row]) for row in wanted],
    }
