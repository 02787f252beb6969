"""Qdrant scored points: REST responses, or the Python client's ``ScoredPoint`` objects."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.formats.engine import EngineAnswer, answered_lane, single
from workbench.records import Passage

DISTANCES = {"Cosine": "higher", "Dot": "higher", "Euclid": "lower", "Manhattan": "lower"}
"""Which scores are better, by the collection's distance."""


def read_qdrant(
    answer: Any,
    *,
    lane: str = "qdrant",
    distance: str | None = None,
    text: str | None = None,
    title: str | None = None,
) -> EngineAnswer:
    """Scored points as a lane; one answer for each prefetch makes the lanes of a fusion.

    A fused answer tells no ranks of its parts: ask each prefetch by itself to see them.

    Args:
        distance: the collection's ``Cosine``, ``Dot``, ``Euclid`` or ``Manhattan``. Asked for where scores
            rise along the order; ``Euclid`` and ``Manhattan`` are negated, since lower is better.
        text, title: payload keys to take as the passage's text and title.

    Raises:
        WorkbenchError: ``wrong_type`` for what is no answer; ``missing_id``, ``repeated_id``;
            ``contradiction`` for scores that rise and no distance that says so.
    """
    better = None
    if distance is not None:
        better = DISTANCES[checks.one_of("distance", distance, DISTANCES, "out_of_range")]
    notes: list[str] = []
    rows: list[tuple[str, float | None]] = []
    payload: dict[str, Passage] = {}
    numbered = 0
    for place, point in enumerate(_points(answer), start=1):
        raw = _get(point, "id")
        if isinstance(raw, int) and not isinstance(raw, bool):
            raw, numbered = str(raw), numbered + 1
        id = checks.item_id(raw, f"point {place}")
        rows.append((id, single(_get(point, "score"), f"the score of point {place}")))
        held = _get(point, "payload") or {}
        said = {key: held[key] for key in (text, title) if key is not None and isinstance(held.get(key), str)}
        if said:
            payload[id] = Passage(id, id, said.get(text or "", ""), 0, title=said.get(title or "", ""))
    if numbered:
        notes.append(f"{numbered} point ids are numbers; they are written as text, and order as text")
    scores = [score for _, score in rows if score is not None]
    rising = any(below > above for above, below in itertools.pairwise(scores))
    falling = any(below < above for above, below in itertools.pairwise(scores))
    if rising and better is None:
        raise WorkbenchError(
            "contradiction",
            f"lane {lane!r}: the scores rise along the order (first {scores[0]!r}, last {scores[-1]!r}): say distance='Euclid' or 'Manhattan' if they are distances",
            lane=lane,
        )
    if (better == "lower" and falling) or (better == "higher" and rising):
        raise WorkbenchError(
            "contradiction",
            f"lane {lane!r}: the scores run against the order that distance={distance!r} gives",
            lane=lane,
        )
    if better == "lower":
        rows = [(id, None if score is None else -score) for id, score in rows]
        notes.append("the scores are distances, lower is better: negated")
    about = {"distance": distance} if distance else {}
    return EngineAnswer(
        "qdrant", answered_lane(lane, "qdrant", rows, notes, payload=payload, about=about), notes=tuple(notes)
    )


def _points(answer: Any) -> Sequence[Any]:
    given = getattr(answer, "points", answer)
    if isinstance(given, Mapping):
        status = given.get("status")
        if isinstance(status, Mapping) and "error" in status:
            raise WorkbenchError("wrong_type", f"the engine answered with an error: {status['error']}")
        given = given.get("result", given)
        given = given.get("points", given) if isinstance(given, Mapping) else given
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise WorkbenchError(
            "wrong_type",
            f"answer is {type(answer).__name__} {answer!r:.60}: give the response, its result, or a list of scored points",
        )
    return given


def _get(point: Any, name: str) -> Any:
    return point.get(name) if isinstance(point, Mapping) else getattr(point, name, None)
