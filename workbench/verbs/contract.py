"""Runs an engine and holds its answer to the contract: what fails or breaks its shape is no ranking."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

from workbench import checks
from workbench.errors import BackendUnavailable, WorkbenchError
from workbench.records import Diversification, Fusion, Lane
from workbench.verbs.backends import Backend
from workbench.verbs.requests import Fuse, Request, Rerank, Search

Answer = TypeVar("Answer", Lane, Fusion, Diversification)


def searched(backend: Backend, verb: str, search: Search) -> Lane:
    """The engine's lane.

    Raises:
        WorkbenchError: ``lane_failed`` with the engine's own words, or saying which part of the contract it broke.
        BackendUnavailable: the engine answered that it could not run.
    """
    lane = _run(backend, verb, search, Lane)
    if lane.status != "ran":
        raise BackendUnavailable(backend.name, (lane.reason or lane.status,), verb)
    broken = _broken_hits(lane, search)
    if broken:
        raise _breaks(backend, verb, broken)
    return lane


def fused(backend: Backend, verb: str, request: Fuse) -> Fusion:
    """The engine's fusion; raises as ``searched`` does."""
    fusion = _run(backend, verb, request, Fusion)
    held = {id for lane in request.lanes.values() for id in lane.ids}
    scores = fusion.scores.tolist()
    broken = ""
    if fusion.lanes != tuple(request.lanes):
        broken = f"it fused lanes {fusion.lanes!r} for {tuple(request.lanes)!r}"
    elif len(fusion.ids) != len(held) or set(fusion.ids) != held:
        broken = f"it ranks {len(fusion.ids)} ids, and the lanes hold {len(held)}"
    elif not _finite(scores) or not _falling(scores):
        broken = "its scores are not finite and falling"
    elif fusion.residual != 0.0:
        broken = f"its contributions miss the score by {fusion.residual!r}"
    if broken:
        raise _breaks(backend, verb, broken)
    return fusion


def picked(backend: Backend, verb: str, request: Rerank) -> Diversification:
    """The engine's picks; raises as ``searched`` does."""
    answer = _run(backend, verb, request, Diversification)
    broken = ""
    if len(set(answer.ids)) != len(answer.ids) or not set(answer.ids) <= set(request.ids):
        broken = f"it picked {answer.ids[:5]!r}, not different candidates of the call"
    elif len(answer.steps) != min(request.top_k, len(request.ids)):
        broken = f"it picked {len(answer.steps)} of {request.top_k}"
    elif not _finite([step.score for step in answer.steps]):
        broken = "a pick's score is not finite"
    if broken:
        raise _breaks(backend, verb, broken)
    return answer


def _run(backend: Backend, verb: str, request: Request, kind: type[Answer]) -> Answer:
    engine = backend.engines[verb]
    assert engine is not None
    try:
        answer: Any = engine(request)
    except BackendUnavailable as cause:
        raise BackendUnavailable(backend.name, cause.missing, verb, cause.message) from cause
    except WorkbenchError:
        raise
    except Exception as cause:
        raise WorkbenchError(
            "lane_failed",
            f"{verb}: backend {backend.name!r} failed and nothing was ranked: {type(cause).__name__}: {cause}",
            backend=backend.name,
            verb=verb,
        ) from cause
    if not isinstance(answer, kind):
        raise _breaks(backend, verb, f"it returned {type(answer).__name__} for a {kind.__name__}")
    return answer


def _broken_hits(lane: Lane, search: Search) -> str:
    ids = lane.ids
    scores = [hit.score for hit in lane.hits if hit.score is not None]
    if not all(isinstance(id, str) and id for id in ids) or len(set(ids)) != len(ids):
        return f"its ids {ids[:5]!r} are not different texts"
    if [hit.rank for hit in lane.hits] != list(range(1, len(ids) + 1)):
        return "its ranks do not count from 1 without a gap"
    if not _finite(scores) or not _falling(scores):
        return f"its scores {scores[:5]!r} are not finite and falling"
    if len(ids) > search.depth:
        return f"it returned {len(ids)} hits for {search.depth}"
    if lane.filter != search.filter or (search.filter is not None and lane.dropped is None):
        return "it did not record the filter and what that dropped"
    if not lane.score_model:
        return "it names no score model"
    known = _searchable(search)
    unknown = [] if known is None else [id for id in ids if id not in known]
    return f"it returned {unknown[:3]!r}, which were not in the call" if unknown else ""


def _searchable(search: Search) -> frozenset[str] | None:
    if search.vectors is not None:
        return frozenset(search.vectors.ids)
    return None if search.documents is None else frozenset(passage.id for passage in search.documents)


def _finite(scores: Sequence[Any]) -> bool:
    return all(isinstance(score, float) and math.isfinite(score) for score in scores)


def _falling(scores: Sequence[float]) -> bool:
    return all(above >= below for above, below in pairwise(scores))


def _breaks(backend: Backend, verb: str, how: str) -> WorkbenchError:
    return WorkbenchError(
        "lane_failed",
        f"{verb}: backend {backend.name!r} breaks the contract: {how}; nothing was ranked",
        backend=backend.name,
        verb=verb,
    )


def within(name: str, count: int, most: int) -> None:
    """Refuses a size above its limit, before anything is read.

    Raises:
        WorkbenchError: ``too_large``.
    """
    if count > most:
        raise WorkbenchError(
            "too_large",
            f"{name} holds {count:,}, and a call takes at most {most:,}: split it, or raise the backend's Limits",
            name=name,
            count=count,
            most=most,
        )


def depth(top_k: Any, most: int) -> int:
    """``top_k`` as a whole number from 1 to the limit.

    Raises:
        WorkbenchError: ``wrong_type``, ``out_of_range``.
    """
    return checks.whole("top_k", top_k, low=1, high=most)
