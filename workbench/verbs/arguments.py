"""Reads what a verb was given. Every check of shape, number and id happens here, before an engine is called."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.kernels.dense import METRICS, DenseIndex
from workbench.kernels.lanes_in import named, prepare
from workbench.records import Document, Filter, Hit, Lane, Passage
from workbench.verbs.contract import within
from workbench.verbs.ranking import Ranking
from workbench.verbs.requests import Limits, Vectors


def filter_of(given: Any) -> Filter | None:
    """A Filter, or None."""
    if given is None or isinstance(given, Filter):
        return given
    raise WorkbenchError("wrong_type", f"filter is {type(given).__name__} {given!r:.60}: give a Filter")


def documents(given: Any, limits: Limits) -> tuple[Passage, ...]:
    """Documents, Passages, (id, text) pairs or a mapping id → text, as passages; at least one.

    Raises:
        WorkbenchError: ``nothing_to_search``, ``repeated_id``, ``missing_id``, ``id_not_text``, ``wrong_type``, ``too_large``.
    """
    items = _items("documents", given, "Documents, Passages, (id, text) pairs or a mapping id → text")
    _some("documents", items, given)
    within("documents", len(items), limits.documents)
    read = tuple(_passage(f"document {place}", item) for place, item in enumerate(items, start=1))
    checks.no_repeats([passage.id for passage in read], "documents")
    return read


def vectors(given: Any, metric: str | None, limits: Limits) -> Vectors:
    """A mapping id → vector, (id, vector) pairs, or a built DenseIndex; at least one vector.

    Raises:
        WorkbenchError: ``nothing_to_search``, ``repeated_id``, ``shape_mismatch``, ``not_finite``, ``wrong_type``,
            ``zero_vector`` under cosine, ``contradiction`` for a metric that the index was not built with, ``too_large``.
    """
    if metric is not None:
        checks.one_of("metric", metric, METRICS, "out_of_range")
    if isinstance(given, DenseIndex):
        if metric not in (None, given.metric):
            raise WorkbenchError(
                "contradiction", f"metric is {metric!r}, and the index was built for {given.metric!r}: drop the metric"
            )
        return Vectors(given.ids, given.metric, given.dimension, None, given)
    items = _items("vectors", given, "a mapping id → vector, (id, vector) pairs, or a DenseIndex")
    _some("vectors", items, given)
    within("vectors", len(items), limits.documents)
    pairs = [_pair(f"vector {place}", item) for place, item in enumerate(items, start=1)]
    ids = tuple(str(checks.item_id(id, f"vector {place}")) for place, (id, _) in enumerate(pairs, start=1))
    checks.no_repeats(ids, "vectors")
    rows = [_numbers(f"the vector of {id!r}", row, 1) for id, (_, row) in zip(ids, pairs, strict=True)]
    for id, row in zip(ids, rows, strict=True):
        if len(row) != len(rows[0]):
            raise WorkbenchError(
                "shape_mismatch",
                f"the vector of {id!r} has {len(row)} dimensions and that of {ids[0]!r} {len(rows[0])}: give vectors of one model",
                id=id,
            )
        _has_direction(f"the vector of {id!r}", row, metric or "cosine")
    within("a vector", len(rows[0]), limits.dimension)
    return Vectors(ids, metric or "cosine", len(rows[0]), np.stack(rows), None)


def query_vector(given: Any, among: Vectors | None) -> np.ndarray:
    """d numbers of the vectors' own dimension, with a direction where the metric is cosine.

    Raises:
        WorkbenchError: ``wrong_type``, ``shape_mismatch``, ``not_finite``, ``zero_vector``.
    """
    vector = _numbers("query_vector", given, 1)
    if among is not None:
        if len(vector) != among.dimension:
            raise WorkbenchError(
                "shape_mismatch",
                f"query_vector has {len(vector)} dimensions and the vectors {among.dimension}: give a vector of the same model",
                given=len(vector),
                expected=among.dimension,
            )
        _has_direction("query_vector", vector, among.metric)
    vector.flags.writeable = False
    return vector


def lanes(given: Mapping[str, Any], limits: Limits) -> dict[str, Lane]:
    """Every lane as a Lane under its own name: rankings of other verbs, Lanes, or lists of ids, pairs or Hits.

    Raises:
        WorkbenchError: ``no_lanes``, ``absent_lane``, ``repeated_id``, ``missing_id``, ``id_not_text``,
            ``not_finite``, ``wrong_type``, ``contradiction``, ``too_large``.
    """
    if not isinstance(given, Mapping):
        raise WorkbenchError("wrong_type", f"lanes is {given!r:.80}: give a mapping of lane name → lane")
    within("lanes", len(given), limits.lanes)
    for name, lane in given.items():
        if hasattr(lane, "__len__"):
            within(f"lane {name!r}", len(lane), limits.hits)
    as_lanes = {name: lane.as_lane(name) if isinstance(lane, Ranking) else lane for name, lane in given.items()}
    read = prepare(as_lanes)
    found: dict[str, Lane] = {}
    for column, name in enumerate(read.names):
        lane = as_lanes[name]
        if isinstance(lane, Lane):
            found[name] = replace(lane, name=name)
            continue
        codes = read.codes[column]
        scores = [None if score != score else score for score in read.raw[codes, column].tolist()]
        pairs = zip((read.ids[code] for code in codes.tolist()), scores, strict=True)
        hits = tuple(Hit(id, rank, score) for rank, (id, score) in enumerate(pairs, start=1))
        found[name] = Lane(name, hits, backend="given")
    return found


def candidates(given: Any, limits: Limits) -> Lane:
    """Scored candidates as a lane: a ranking of another verb, a Lane, or a list of pairs or Hits.

    Raises:
        WorkbenchError: ``nothing_to_search``, ``missing_score`` naming the ids, and what ``lanes`` refuses.
    """
    if given is not None and hasattr(given, "__len__") and len(given) == 0:
        raise WorkbenchError(
            "nothing_to_search", f"candidates is {given!r}: reranking nothing is a mistake in the call; give candidates"
        )
    lane = lanes({"candidates": given}, limits)["candidates"]
    if not lane.hits:
        raise WorkbenchError("nothing_to_search", "candidates holds no hit: reranking nothing is a mistake in the call")
    within("candidates", len(lane.hits), limits.candidates)
    absent = [hit.id for hit in lane.hits if hit.score is None]
    if absent:
        raise WorkbenchError(
            "missing_score",
            f"{named(absent)} without a relevance score: MMR weighs scores; score it, or leave it out",
            ids=tuple(absent),
        )
    return lane


def similarity(given: Any, n: int) -> Any:
    """n × n finite numbers, from n × n or n · n row-major ones; a function of a position is handed on.

    Raises:
        WorkbenchError: ``shape_mismatch``, ``not_finite``, ``wrong_type``.
    """
    if callable(given):
        return given
    array = _numbers("similarity", given, None)
    if array.ndim == 1 and array.size == n * n:
        array = array.reshape(n, n)
    if array.shape != (n, n):
        held = f"{array.size} values" if array.ndim == 1 else " × ".join(map(str, array.shape))
        raise WorkbenchError(
            "shape_mismatch",
            f"similarity has {held} for {n} candidates: give {n} × {n}, or {n * n} numbers row-major",
            shape=array.shape,
            candidates=n,
        )
    array.flags.writeable = False
    return array


def scored_by_both(dense: Lane, sparse: Lane) -> None:
    """Refuses a linear fusion unless both lanes score every candidate.

    Raises:
        WorkbenchError: ``missing_score``, naming the ids and the lane.
    """
    for lane, other in ((dense, sparse), (sparse, dense)):
        held = {hit.id for hit in lane.hits}
        for how, ids in (
            ("never saw", sorted(hit.id for hit in other.hits if hit.id not in held)),
            ("gives no score for", sorted(hit.id for hit in lane.hits if hit.score is None)),
        ):
            if ids:
                raise WorkbenchError(
                    "missing_score",
                    f"lane {lane.name!r} {how} {named(ids)}: linear needs a score from both lanes for every candidate; fuse by rank (rrf), or score them",
                    lane=lane.name,
                    ids=tuple(ids),
                )


# ---------------------------------------------------------------- inside


def _items(name: str, given: Any, wanted: str) -> Sequence[Any]:
    if isinstance(given, Mapping):
        return list(given.items())
    if given is None or isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise WorkbenchError("wrong_type", f"{name} is {given!r:.60}: give {wanted}", name=name)
    return list(given)


def _some(name: str, items: Sequence[Any], given: Any) -> None:
    if not items:
        raise WorkbenchError(
            "nothing_to_search",
            f"{name} is {given!r:.60}: there is nothing to search, which is not the same as nothing found; give at least one",
            name=name,
        )


def _pair(where: str, item: Any) -> tuple[Any, Any]:
    if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
        raise WorkbenchError("wrong_type", f"{where} is {item!r:.60}: give a pair of an id and what it stands for")
    return item[0], item[1]


def _passage(where: str, item: Any) -> Passage:
    if isinstance(item, Passage):
        checks.item_id(item.id, where)
        checks.text(f"the text of {item.id!r}", item.text)
        return item
    if isinstance(item, Document):
        return Passage(item.id, item.id, item.text, 0, title=item.title, metadata=item.metadata)
    id, text = _pair(where, item)
    id = checks.item_id(id, where)
    return Passage(id, id, checks.text(f"the text of {id!r}", text), 0)


def _numbers(name: str, given: Any, axes: int | None) -> np.ndarray:
    try:
        array = np.asarray(given)
    except ValueError as ragged:
        raise WorkbenchError("shape_mismatch", f"{name} has rows of different lengths: {ragged}") from ragged
    if array.dtype.kind not in "fiu":
        raise WorkbenchError("wrong_type", f"{name} is {array.dtype} {given!r:.60}: give numbers", name=name)
    if axes is not None and (array.ndim != axes or array.size == 0):
        raise WorkbenchError("shape_mismatch", f"{name} has shape {array.shape}: give one list of numbers", name=name)
    read: np.ndarray = array.astype(np.float64)
    if not np.isfinite(read).all():
        odd = float(read[~np.isfinite(read)][0])
        raise WorkbenchError("not_finite", f"{name} holds {odd!r}: give finite numbers", name=name, value=odd)
    return read


def _has_direction(name: str, vector: np.ndarray, metric: str) -> None:
    if metric == "cosine" and not vector.any():
        raise WorkbenchError(
            "zero_vector",
            f"{name} is all zeros: under cosine there is no similarity to a zero vector; leave it out, or use metric='dot'",
            name=name,
        )
