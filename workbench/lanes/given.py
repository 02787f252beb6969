"""A lane that the caller brings: a callable, or a ranking that exists already."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.lanes.base import checked
from workbench.records import Filter, Hit, Lane, Passage

Given = Callable[..., Iterable[Any]] | Iterable[Any]
_ITEMS = "ids, (id, score) pairs, Hits or Passages, best first"
_Row = tuple[str, float | None, Passage | None]


class GivenLane:
    """Any ``callable(query, depth)`` or list as a lane. Its order is the ranking; nothing is re-sorted.

    An item is an id, an (id, score | None) pair, a Hit, a Passage, or a (Passage, score | None) pair;
    a Passage brings its own text. A callable that raises makes the lane unavailable, with its own words.

    Scores that rise along the ranks say that lower is better, or that the list is not in its order: which
    of the two is asked for, never guessed. With ``better="lower"`` they are negated, and the score model
    says so.

    Raises:
        WorkbenchError: ``missing_id``, ``id_not_text``, ``repeated_id`` or ``not_finite``, naming the lane
            and the position; ``lane_failed`` for an item of another shape; ``wrong_type`` for text, a set or a mapping, which is no ranking; ``contradiction`` for scores
            against the order.
    """

    backend = "given"

    def __init__(
        self,
        name: str,
        items: Given,
        *,
        passages: Mapping[str, Passage] | None = None,
        score_model: str = "given",
        better: str = "higher",
    ) -> None:
        """``passages``: where a filter finds the metadata of an id that comes without a Passage."""
        self.name = checks.text("lane name", name)
        self._passages = passages or {}
        self._lower = checks.one_of("better", better, ("higher", "lower"), "out_of_range") == "lower"
        self._call = items if callable(items) else None
        self._rows = None if callable(items) else _rows(name, items, self._lower)
        self.score_model = f"{score_model} (negated: lower is better)" if self._lower else score_model

    @property
    def whole(self) -> bool:
        """Whether all that the lane can ever answer is here: a ranking is, a callable might answer more if asked again."""
        return self._rows is not None

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        query, depth = checked(query, depth)
        rows = self._rows
        if self._call is not None:
            try:
                answer = self._call(query, depth)
                if not isinstance(answer, str | set | frozenset | Mapping):
                    answer = list(answer)  # a generator raises only now
            except Exception as cause:  # noqa: BLE001 - whatever the caller's retriever raises, the lane says so in its own words
                reason = f"{self.name} failed: {type(cause).__name__}: {cause}"
                return Lane(
                    self.name,
                    status="unavailable",
                    reason=reason,
                    backend=self.backend,
                    score_model=self.score_model,
                    depth=depth,
                )
            rows = _rows(self.name, answer, self._lower)
        assert rows is not None
        kept = [row for row in rows if self._passes(row, filter)]
        hits = tuple(Hit(id, rank, score) for rank, (id, score, _) in enumerate(kept[:depth], start=1))
        return Lane(
            name=self.name,
            hits=hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=depth,
            filter=filter,
            dropped=None if filter is None else len(rows) - len(kept),
            payload={id: passage for id, _, passage in kept[:depth] if passage is not None},
        )

    def _passes(self, row: _Row, filter: Filter | None) -> bool:
        if filter is None:
            return True
        id, score, brought = row
        passage = brought or self._passages.get(id)
        if filter.has_window and (score is None or not filter.in_window(score)):
            return False
        return filter.admits(
            (id,) if passage is None else (id, passage.document_id), {} if passage is None else passage.metadata
        )


def _rows(name: str, items: Iterable[Any], lower: bool) -> list[_Row]:
    rows = [
        _row(f"lane {name!r}, position {place}", item)
        for place, item in enumerate(checks.listed(f"lane {name!r}", items, _ITEMS), start=1)
    ]
    checks.no_repeats([id for id, _, _ in rows], f"lane {name!r}")
    if lower:
        rows = [(id, None if score is None else -score, passage) for id, score, passage in rows]
    scored = [(id, score) for id, score, _ in rows if score is not None]
    for (above, high), (below, low) in pairwise(scored):
        if low > high:
            shown = (-high, -low) if lower else (high, low)
            advice = "drop better='lower'" if lower else "say GivenLane(…, better='lower') where lower is better"
            raise WorkbenchError(
                "contradiction",
                f"lane {name!r} has {above!r} ({shown[0]!r}) before {below!r} ({shown[1]!r}), and its scores say otherwise: {advice}, sort it, or leave the scores out",
                lane=name,
            )
    return rows


def _row(where: str, item: Any) -> _Row:
    score: Any = None
    if isinstance(item, Hit):
        item, score = item.id, item.score
    elif isinstance(item, Sequence) and not isinstance(item, str):
        if len(item) != 2:
            raise WorkbenchError(
                "lane_failed", f"{where} is {item!r:.80}: give an id, an (id, score) pair, a Hit or a Passage"
            )
        item, score = item
    passage = item if isinstance(item, Passage) else None
    id = checks.item_id(item.id if passage is not None else item, where)
    if score is None:
        return id, None, passage
    if isinstance(score, bool) or not hasattr(score, "__float__"):
        raise WorkbenchError("wrong_type", f"{where}, {id!r}, has the score {score!r}: give a number or None", id=id)
    if not math.isfinite(float(score)):
        raise WorkbenchError(
            "not_finite", f"{where}, {id!r}, has the score {float(score)!r}: give a finite number or None", id=id
        )
    return id, float(score), passage
