"""The laws that every lane keeps, for the authors of lanes: ``check_lane`` raises AssertionError with the law's name."""

import json
from collections.abc import Sequence
from itertools import pairwise

from workbench.lanes.base import Retriever
from workbench.records import Filter, Lane, Passage


def check_lane(retriever: Retriever, queries: Sequence[str], passages: Sequence[Passage], *, depth: int = 20) -> None:
    """Asks ``retriever`` each query and checks what it answers.

    The laws: ids are unique and known; ranks count from 1; scores are finite and never rise; the depth
    holds, and a shallower answer is the head of a deeper one; the same question gives the same answer;
    an id filter holds and says how many it dropped; ``terms`` in a detail fold to the score; JSON both ways;
    status ``ran`` for an answer, with backend and score model named.
    """
    known = {p.id for p in passages}
    for query in queries:
        lane = retriever.search(query, depth)
        _holds(lane.name == retriever.name, "a lane answers under its own name", lane)
        if lane.status != "ran":
            _holds(
                lane.status in ("off", "unavailable") and bool(lane.reason) and not lane.hits,
                "a lane that did not run says why and ranks nothing",
                lane,
            )
            continue
        _holds(bool(lane.backend) and bool(lane.score_model), "a lane names its backend and score model", lane)
        _ranking(lane, known, depth)
        _folds(lane)
        again = retriever.search(query, depth)
        _holds(again == lane, "the same question gives the same answer", again)
        shallow = retriever.search(query, max(1, depth // 2))
        _holds(
            shallow.hits == lane.hits[: max(1, depth // 2)], "a shallower answer is the head of a deeper one", shallow
        )
        _holds(Lane.from_json(json.loads(json.dumps(lane.to_json()))) == lane, "a lane survives JSON", lane)
        if lane.hits:
            _filters(retriever, query, depth, lane)


def _ranking(lane: Lane, known: set[str], depth: int) -> None:
    ids = [hit.id for hit in lane.hits]
    _holds(len(set(ids)) == len(ids), "a lane ranks an item once", lane)
    _holds(
        all(id in known or id in lane.payload for id in ids),
        "a hit is a passage of the corpus, or brings its own",
        lane,
    )
    _holds([hit.rank for hit in lane.hits] == list(range(1, len(ids) + 1)), "ranks count from 1 without a gap", lane)
    _holds(len(ids) <= depth, "the depth holds", lane)
    scores = [hit.score for hit in lane.hits if hit.score is not None]
    _holds(all(abs(score) < float("inf") for score in scores), "scores are finite", lane)
    _holds(
        all(above >= below for above, below in pairwise(scores)),
        "scores never rise with the rank",
        lane,
    )


def _folds(lane: Lane) -> None:
    for hit in lane.hits:
        terms = lane.detail.get(hit.id, {}).get("terms") if lane.detail else None
        if not terms:
            continue
        total = terms[0]["contribution"]
        for term in terms[1:]:
            total = total + term["contribution"]
        _holds(total == hit.score, f"the terms of {hit.id!r} fold to its score", lane)


def _filters(retriever: Retriever, query: str, depth: int, lane: Lane) -> None:
    first = lane.hits[0].id
    without = retriever.search(query, depth, Filter(exclude_ids=(first,)))
    _holds(first not in without.ids, "an excluded id is not returned", without)
    _holds(
        without.filter is not None and without.dropped is not None and without.dropped >= 1,
        "a filter is recorded with what it dropped",
        without,
    )
    only = retriever.search(query, depth, Filter(include_ids=(first,)))
    _holds(only.ids == (first,), "an included id is returned alone", only)


def _holds(truth: bool, law: str, lane: Lane) -> None:
    if not truth:
        raise AssertionError(f"lane {lane.name!r} breaks a law: {law}; it answered {lane.hits[:3]!r}")
