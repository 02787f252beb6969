"""What is to be written of a ranking, whatever it is held in; and what other readers would make of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.lanes.given import GivenLane
from workbench.records import Fusion, Lane, Run

_ALL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Export:
    """One query's rows, best first: (id, score, what the lane says of it). Scores fall, whatever they were."""

    name: str
    rows: tuple[tuple[str, float, Mapping[str, Any]], ...]
    about: Mapping[str, Any]
    lower: bool
    """The scores were negated when they were read."""


def exported(query: str, given: Any, lane: str | None, scores: str) -> Export:
    """One query's ranking, ready to be written.

    Raises:
        WorkbenchError: ``wrong_type``, ``unknown_id``, ``missing_score``, ``contradiction``.
    """
    checks.item_id(query, "a query")
    checks.one_of("scores", scores, ("own", "rank"), "out_of_range")
    held = _held(query, given, lane)
    pairs = [(hit.id, hit.score) for hit in held.hits]
    if scores == "rank":
        pairs = [(id, float(len(pairs) - place)) for place, (id, _) in enumerate(pairs)]
    for id, score in pairs:
        if score is None:
            raise WorkbenchError(
                "missing_score",
                f"query {query!r}: {id!r} has no score, and a run needs one: say scores='rank' to write n, n-1, … 1",
                id=id,
            )
    rows = tuple((id, score, held.detail.get(id) or {}) for id, score in pairs if score is not None)
    for (above, high, _), (below, low, _) in pairwise(rows):
        if low > high:
            raise WorkbenchError(
                "contradiction",
                f"query {query!r}: {below!r} ({low!r}) stands after {above!r} ({high!r}), and readers of a run go by the score: say scores='rank'",
                id=below,
            )
    return Export(held.name, rows, held.about, scores == "own" and held.about.get("better") == "lower")


def _held(query: str, given: Any, lane: str | None) -> Lane:
    if isinstance(given, Mapping):
        name = lane if lane is not None else next(iter(given)) if len(given) == 1 else None
        if name is None:
            raise WorkbenchError(
                "unknown_id", f"query {query!r} has the lanes {', '.join(map(repr, given))}: say which, lane=…"
            )
        given = given[checks.one_of("lane", name, given, "unknown_id")]
    if isinstance(given, Run):
        place = dict(zip(given.reranking.ids, given.reranking.scores, strict=True))
        given = GivenLane(
            "workbench", given.order if given.diversification else [(id, place[id]) for id in given.order]
        )
    elif isinstance(given, Fusion):
        given = GivenLane(given.method, list(zip(given.ids, given.scores.tolist(), strict=True)))
    elif not isinstance(given, Lane):
        given = GivenLane("workbench", given)
    answer = given if isinstance(given, Lane) else given.search("-", _ALL)
    if answer.status != "ran":
        raise WorkbenchError(
            "absent_lane",
            f"query {query!r}: lane {answer.name!r} is {answer.status!r} ({answer.reason}): there is nothing to write",
        )
    return answer


def warnings_of(query: str, item: Export) -> list[str]:
    """Rows that trec_eval (score, then descending docno) or pytrec_eval (the same in float32) would order otherwise."""
    pairs = [(above, below) for above, below in pairwise(item.rows)]
    swapped = [(a[0], b[0]) for a, b in pairs if a[1] == b[1] and a[0] < b[0]]
    narrow = [(a[0], b[0]) for a, b in pairs if a[1] != b[1] and np.float32(a[1]) == np.float32(b[1]) and a[0] < b[0]]
    found = []
    if item.lower:
        return [
            f"query {query!r}: lower scores are better here, and trec_eval takes higher for better: it would read this run upside down; scores='rank' keeps the order"
        ]
    if swapped:
        found.append(
            f"query {query!r}: {len(swapped)} ties would turn round in trec_eval, which orders them by descending docno, first {swapped[0][0]!r} and {swapped[0][1]!r}; scores='rank' keeps the order"
        )
    if narrow:
        found.append(
            f"query {query!r}: {len(narrow)} scores are equal in float32, in which pytrec_eval compares, first {narrow[0][0]!r} and {narrow[0][1]!r}; scores='rank' keeps the order"
        )
    return found
