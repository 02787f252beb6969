"""What the Why view shows of two candidates, of one that is not there, and of the winner at other settings."""

from typing import Any

from workbench.explain.compare import Comparison
from workbench.explain.standing import Stability
from workbench.explain.why_not import REASONS, WhyNot, settings_in_words
from workbench.explore.what_if import CHANGES
from workbench.records.turning import Move, Tie
from workbench.trace import Trace
from workbench.views import palette
from workbench.views.states import shared

WORDS = {
    "score": "the score decides",
    "rounding": "rounding decides: exact scores would order them otherwise or not at all",
    "id": "tied exactly: the ascending id decides",
    "first_seen": "tied exactly: the one seen first comes first",
}


def compared(trace: Trace, a: str, b: str) -> dict[str, Any]:
    """``a`` against ``b``: differences are a's less b's, and ``turn`` is what puts the one behind ahead.

    Raises:
        WorkbenchError: ``unknown_id``, ``contradiction`` for the same one twice.
    """
    found = trace.compare(a, b)
    sign = 1.0 if found.first == a else -1.0
    reranked = dict(zip(trace.reranking.ids, trace.reranking.scores, strict=True))
    return {
        "a": a,
        "b": b,
        "first": found.first,
        "second": found.second,
        "titles": {id: shared.title(trace, id) for id in (a, b)},
        "rows": [shared.rows(trace.fusion).index(id) for id in (a, b)],
        "sentence": found.sentence,
        "deciding": _deciding(trace, found),
        "final": {found.first: found.first_rank, found.second: found.second_rank},
        "features": [[each.name, sign * each.difference] for each in found.features],
        "reranked": [reranked.get(a), reranked.get(b)],
        "knobs": _knobs(found),
        "move": _move(trace, found.smallest_move),
        "removals": [[each.lane, each.first, each.swaps] for each in found.turning.removals],
        "notes": [note for note in (found.turning.k_note, found.turning.weights_note) if note],
    }


def _deciding(trace: Trace, found: Comparison) -> str:
    """What decides between the two, after fusion and in the end."""
    rule = f" ({found.tie_rule})" if found.decided != "score" else f"; {found.deciding} makes most of the difference"
    after = "" if _as_fused(trace) else "After fusion: "
    opening = WORDS[found.decided]
    said = f"{after}{opening if after else opening.capitalize()}{rule}."
    if _as_fused(trace) or found.first_rank is None or found.second_rank is None:
        return said
    swapped = found.second_rank < found.first_rank
    kept = "turns them round" if swapped else "leaves them so"
    if trace.diversification is not None:
        return f"{said} Diversity {kept}."
    sign = -1.0 if swapped else 1.0
    most = max(found.features, key=lambda each: sign * each.difference, default=None)
    made = "" if most is None else f"; {most.name} makes most of it"
    return f"{said} Then {trace.reranking.name} reranking {kept}{made}."


def _as_fused(trace: Trace) -> bool:
    return trace.diversification is None and trace.reranking.name == "identity"


def _knobs(found: Comparison) -> list[dict[str, Any]]:
    """k where it is read, and each weight: where it stands, and every value at which the two tie."""
    turning = found.turning
    knobs: list[tuple[str, float | None, tuple[Tie, ...]]] = []
    if not turning.k_note:
        knobs.append(("k", turning.k_now, turning.k))
    for lane, now in turning.weights_now.items():
        knobs.append((lane, now, tuple(tie for tie in turning.weights if tie.knob == lane)))
    return [{"knob": knob, "now": now, "ties": [_tie(tie) for tie in ties]} for knob, now, ties in knobs]


def _tie(tie: Tie) -> dict[str, Any]:
    return {
        "at": tie.at,
        "exact": tie.exact,
        "swaps": tie.swaps,
        "sides": [[tie.below, tie.first_below], [tie.above, tie.first_above]],
        "confirmed": tie.confirmed,
    }


def _move(trace: Trace, move: Move | None) -> dict[str, Any] | None:
    if move is None:
        return None
    return {"lane": move.lane, "title": shared.title(trace, move.id), "from": move.from_rank, "to": move.to_rank}


def why_not(trace: Trace, asked: str) -> dict[str, Any]:
    """Why a passage, or any of a document's, is not among the evidence. A change that what_if can make can be tried."""
    found = trace.why_not(asked)
    lanes = () if found.probe is None else found.probe.lanes
    return {
        "asked": asked,
        "id": found.id if found.id in trace.fusion.ids else None,
        "reason": REASONS[found.reason],
        "sentence": found.sentence,
        "lanes": [[p.lane, p.state.replace("_", " "), p.rank, p.depth, p.score, p.last_score, p.note] for p in lanes],
        "changes": _changes(found),
        "near": list(found.near),
    }


def _changes(found: WhyNot) -> list[dict[str, Any]]:
    return [
        {
            "said": f"{settings_in_words(change)}: it then stands {change.rank}.",
            "settings": dict(change.settings) if set(change.settings) <= set(CHANGES) else None,
        }
        for change in found.changes
    ]


def winners(trace: Trace, lane: str | None) -> dict[str, Any]:
    """Who is first at each k × weight of ``lane`` (the most telling one when None), and how firmly the winner stands."""
    found: Stability = trace.stability(lane=lane)
    drawn = found.map
    grid = None if drawn is None else {
        "lane": drawn.lane,
        "ks": drawn.ks.tolist(),
        "weights": drawn.weights.tolist(),
        "winners": drawn.winners.tolist(),
        "leads": drawn.leads.tolist(),
        "ids": list(drawn.ids),
        "titles": [shared.title(trace, id) for id in drawn.ids],
        "looks": [{"letter": str(i + 1), "hue": palette.hue(i), "pattern": palette.pattern(i)} for i in range(len(drawn.ids))],
        "now": [drawn.k_now, drawn.weight_now],
    }  # fmt: skip
    return {"sentence": found.sentence, "notes": list(found.notes), "lanes": list(_own_lanes(trace)), "map": grid}


def _own_lanes(trace: Trace) -> tuple[str, ...]:
    """The lanes whose weight is a knob of its own: a further phrasing shares its lane's."""
    lanes = shared.lanes(trace)
    return tuple(lane["name"] for lane in lanes if lane["column"] is not None and lane["weightOf"] == lane["name"])
