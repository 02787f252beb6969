"""The combining verbs: lanes made one ranking, and a ranking made diverse."""

import math
from collections.abc import Mapping
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.records import Contribution, Diversification, Fusion, Hit, Lane, Passage
from workbench.verbs import arguments, contract
from workbench.verbs.backends import Backend, serving
from workbench.verbs.ranking import Contributions, Ranking, warn_of_mixed
from workbench.verbs.requests import Fuse, Rerank

FUSIONS = ("rrf", "linear")


def hybrid_search(
    lanes: Mapping[str, Any] | None = None,
    *,
    dense: Any = None,
    sparse: Any = None,
    fusion: str = "rrf",
    rrf_k: float | None = None,
    alpha: float | None = None,
    top_k: int | None = None,
    explain: bool = True,
    backend: str | Backend = "local",
) -> Ranking:
    """Lanes fused into one ranking. Lane order is part of the answer: terms are folded in the order given.

    Args:
        lanes: any number of them by name, or ``dense`` and ``sparse``: rankings of other verbs, Lanes, or
            lists of ids, (id, score or None) pairs or Hits, best first. An empty lane ran and matched
            nothing; None did not run and is refused.
        fusion: ``rrf``: 1/(rrf_k + rank); ``linear``: alpha · dense + (1 − alpha) · sparse, on scores.
        rrf_k: of rrf; 60 where left out.
        alpha: of linear, 0 to 1; 0.5 where left out.
        top_k: how many are kept; all of them where left out.
        explain: False leaves the contributions out of the result, and provenance then says so.
        backend: ``local``, or a Backend that you built.

    Raises:
        WorkbenchError: ``no_lanes``, ``absent_lane``, ``repeated_id``, ``not_finite``, ``id_not_text``,
            ``unknown_fusion``, ``parameter_of_another_fusion``, ``missing_score``, ``out_of_range``,
            ``shape_mismatch``, ``contradiction``, ``lane_failed``.

    Warns:
        MixedScoreModels: linear adds scores of different models.
    """
    served = serving("hybrid_search", backend)
    method = checks.one_of("fusion", fusion, FUSIONS, "unknown_fusion")
    _read_by(method, rrf_k, alpha)
    if not isinstance(explain, bool):
        raise WorkbenchError("wrong_type", f"explain is {explain!r}: give True or False")
    depth = None if top_k is None else contract.depth(top_k, served.limits.hits)
    read = arguments.lanes(_given(lanes, dense, sparse), served.limits)
    if method == "linear":
        request = _linear(read, 0.5 if alpha is None else checks.number("alpha", alpha, low=0, high=1))
    else:
        request = Fuse("rrf", read, rrf_k=60.0 if rrf_k is None else checks.number("rrf_k", rrf_k, low=0))
    fused = contract.fused(served, "hybrid_search", request)
    ids = fused.ids[:depth]
    hits = tuple(
        Hit(id, rank, score)
        for rank, (id, score) in enumerate(zip(ids, fused.scores.tolist()[: len(ids)], strict=True), 1)
    )
    asked = dict.fromkeys(str(lane.about["query"]) for lane in read.values() if lane.about.get("query"))
    return Ranking(
        verb="hybrid_search",
        backend=served.name,
        hits=hits,
        score_model=_fused_model(request),
        params=FrozenMap({"fusion": method, **fused.params, **({} if depth is None else {"top_k": depth})}),
        lanes=tuple(read.values()),
        contributions=_terms(fused, len(ids)) if explain else None,
        payload=_payload(fused, read),
        query=next(iter(asked)) if len(asked) == 1 else "",
        fusion=fused if explain else None,
    )


def rerank(
    candidates: Any,
    similarity: Any,
    *,
    lambda_mmr: float = 0.7,
    top_k: int | None = None,
    backend: str | Backend = "local",
) -> Ranking:
    """Maximal marginal relevance over given scores: each pick is the best of what is left, less what is said already.

    Args:
        candidates: scored ones: a ranking of another verb, a Lane, or a list of (id, score) pairs or Hits.
        similarity: n × n, or the same numbers row-major, in the candidates' order; lists or arrays; or a
            function that takes a position and gives the n similarities to that candidate. Only
            ``[candidate][selected]`` is read.
        lambda_mmr: 1 relevance only … 0 diversity only.
        top_k: how many are picked; all of them where left out.
        backend: ``local``, or a Backend that you built.

    Raises:
        WorkbenchError: ``nothing_to_search``, ``shape_mismatch``, ``missing_score``, ``repeated_id``,
            ``not_finite``, ``out_of_range``, ``wrong_type``, ``too_large``, ``lane_failed``.
    """
    served = serving("rerank", backend)
    trade = checks.number("lambda_mmr", lambda_mmr, low=0, high=1)
    wanted = None if top_k is None else contract.depth(top_k, served.limits.hits)
    lane = arguments.candidates(candidates, served.limits)
    request = Rerank(
        ids=lane.ids,
        relevance=tuple(hit.score for hit in lane.hits if hit.score is not None),
        similarity=arguments.similarity(similarity, len(lane.hits)),
        lambda_mmr=trade,
        top_k=len(lane.hits) if wanted is None else min(wanted, len(lane.hits)),
    )
    picked = contract.picked(served, "rerank", request)
    return Ranking(
        verb="rerank",
        backend=served.name,
        hits=tuple(Hit(step.id, rank, step.score) for rank, step in enumerate(picked.steps, start=1)),
        score_model=f"mmr(lambda={trade:g},relevance={lane.score_model or 'given'})",
        params=FrozenMap({"lambda_mmr": trade, "top_k": request.top_k}),
        lanes=(lane,),
        contributions=_picks(picked, lane, served.name),
        filter=lane.filter,
        dropped=lane.dropped,
        payload={id: lane.payload[id] for id in lane.ids if id in lane.payload},
        query=str(lane.about.get("query", "")),
        diversification=picked,
        notes=() if picked.changed else ("λ changes nothing here: the picks stand in relevance order",),
    )


def _given(lanes: Mapping[str, Any] | None, dense: Any, sparse: Any) -> Mapping[str, Any]:
    if lanes is not None:
        if dense is not None or sparse is not None:
            raise WorkbenchError(
                "contradiction", "lanes is given, and dense or sparse too: put all of them into lanes, in fusion order"
            )
        return lanes
    if dense is None and sparse is None:
        raise WorkbenchError("no_lanes", "no lane was given: give lanes={name: lane}, or dense= and sparse=")
    return {"dense": dense, "sparse": sparse}


def _read_by(method: str, rrf_k: Any, alpha: Any) -> None:
    name, value, why = (
        ("alpha", alpha, "alpha weighs scores; rrf fuses ranks")
        if method == "rrf"
        else (
            "rrf_k",
            rrf_k,
            "rrf_k smooths ranks; linear adds scores",
        )
    )
    if value is not None:
        raise WorkbenchError(
            "parameter_of_another_fusion",
            f"{name} is {value!r} with fusion {method!r}: {why}; drop it, or name the other fusion",
            name=name,
            fusion=method,
        )


def _linear(lanes: dict[str, Lane], alpha: float) -> Fuse:
    if sorted(lanes) != ["dense", "sparse"]:
        raise WorkbenchError(
            "shape_mismatch",
            f"lanes holds {', '.join(map(repr, lanes))}: linear fuses two, named 'dense' and 'sparse'; fuse more by rrf",
            lanes=tuple(lanes),
        )
    dense, sparse = lanes["dense"], lanes["sparse"]
    arguments.scored_by_both(dense, sparse)
    warn_of_mixed("linear adds", (dense.score_model, sparse.score_model))
    return Fuse("linear", {"dense": dense, "sparse": sparse}, alpha=alpha)


def _fused_model(request: Fuse) -> str:
    if request.method == "linear":
        parts = (f"{name}={lane.score_model or 'given'}" for name, lane in request.lanes.items())
        return f"linear(alpha={request.alpha:g},{','.join(parts)})"
    return f"rrf(k={request.rrf_k:g},lanes={'+'.join(request.lanes)})"


def _terms(fusion: Fusion, count: int) -> Contributions:
    """The contributions of the first ``count`` rows, read from the arrays at once."""
    of_lanes = tuple(zip(fusion.lanes, fusion.backends, strict=True))
    arrays = (fusion.ranks, fusion.raw, fusion.contributions)
    rows = zip(*(array[:count].tolist() for array in arrays), strict=True)
    return tuple(
        tuple(
            Contribution(lane, backend, None if rank < 0 else rank, _present(score), _present(term))
            for (lane, backend), rank, score, term in zip(of_lanes, *row, strict=True)
        )
        for row in rows
    )


def _present(value: float) -> float | None:
    return None if math.isnan(value) else value


def _payload(fusion: Fusion, lanes: Mapping[str, Lane]) -> dict[str, Passage]:
    """Where lanes disagree about a payload, the one with the highest raw score wins, the first lane on a tie."""
    scored = [(lane, {hit.id: hit.score for hit in lane.hits}) for lane in lanes.values() if lane.payload]
    found: dict[str, tuple[float, Passage]] = {}
    for lane, scores in scored:
        for id, passage in lane.payload.items():
            if id not in scores:
                continue
            score = scores[id]
            level = float("-inf") if score is None else score
            if id not in found or level > found[id][0]:
                found[id] = (level, passage)
    return {id: found[id][1] for id in fusion.ids if id in found}


def _picks(picked: Diversification, lane: Lane, backend: str) -> Contributions:
    """λ · relevance, and what redundancy takes: absent for the first pick, never 0."""
    rank = {hit.id: hit.rank for hit in lane.hits}
    rows = []
    for step in picked.steps:
        relevance = Contribution(
            "relevance", lane.backend, rank[step.id], step.relevance, picked.lambda_mmr * step.relevance
        )
        taken = None if step.redundancy is None else -((1 - picked.lambda_mmr) * step.redundancy)
        rows.append((relevance, Contribution("redundancy", backend, None, step.redundancy, taken)))
    return tuple(rows)
