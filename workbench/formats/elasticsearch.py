"""Elasticsearch and OpenSearch ``_search`` responses, with and without ``explain``."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.formats.engine import EngineAnswer, answered_lane, mapping, single, with_holes
from workbench.formats.explanations import Explained, explained
from workbench.formats.textfile import read_text
from workbench.records import Lane, Passage

ENGINES = ("elasticsearch", "opensearch")
WEIGHT_TOLERANCE = 1e-5


def read_elasticsearch(
    response: Any,
    *,
    lanes: Sequence[str] | None = None,
    engine: str = "elasticsearch",
    text: str | None = None,
    title: str | None = None,
    id_from: str = "_id",
) -> EngineAnswer:
    """A response as the engine's own ranking, and with ``explain`` the lists that it fused.

    Args:
        response: the JSON object, its text, or the path of a file that holds it.
        lanes: names of the sub-queries, in order; the names in the explanations, or ``query 0``, … when left out.
        engine: ``elasticsearch`` or ``opensearch``: whose arithmetic fused.
        text, title: fields of ``_source`` to take as the passage's text and title.
        id_from: ``_id``, or ``index/_id`` where several indices answered with the same ids.

    A fused page shows only some of each list; a rank that it does not show is held by a stand-in, so that
    the others keep their true ranks (``notes`` say which). A list that did not match is absent, never rank
    0. Timeouts and failed shards make the lanes partial: their ``reason`` says so and the run is degraded.

    Raises:
        WorkbenchError: ``wrong_type`` for what is no response; ``missing_id``, ``repeated_id``;
            ``missing_column`` for a field that no hit has; ``shape_mismatch`` for the names of the lanes.
    """
    checks.one_of("engine", engine, ENGINES, "unknown_backend")
    checks.one_of("id_from", id_from, ("_id", "index/_id"), "out_of_range")
    data = mapping(_json(response), "response")
    if "hits" not in data and "error" in data:
        return EngineAnswer(
            engine, Lane(engine, status="unavailable", reason=_failure(data), backend=engine), notes=(_failure(data),)
        )
    page = mapping(data.get("hits"), "hits of the response")
    hits = page.get("hits")
    if not isinstance(hits, Sequence) or isinstance(hits, str):
        raise WorkbenchError("wrong_type", f"hits.hits is {hits!r:.60}: give a _search response")
    notes: list[str] = []
    ids = [_id(mapping(hit, f"hit {place}"), place, id_from) for place, hit in enumerate(hits, start=1)]
    _once(ids, hits)
    partial = _partial(data)
    notes += [partial] if partial else []
    rows = [(id, single(hit.get("_score"), f"_score of {id!r}")) for id, hit in zip(ids, hits, strict=True)]
    if hits and all(score is None for _, score in rows):
        notes.append("no hit has a score: the search was sorted by a field, and the order is that of the sort")
    read = [
        (id, explained(hit["_explanation"]))
        for id, hit in zip(ids, hits, strict=True)
        if hit.get("_explanation") is not None
    ]
    payload = _payload(ids, hits, text, title)
    found, fusion = _lanes(read, len(hits), lanes, engine, partial, notes)
    answered = answered_lane(
        engine, engine, rows, notes, reason=partial, detail=_detail(read), about=_about(data, page), payload=payload
    )
    found = {
        name: replace(lane, payload={**lane.payload, **{id: payload[id] for id in lane.ids if id in payload}})
        for name, lane in found.items()
    }
    return EngineAnswer(engine, answered, found, fusion, tuple(notes))


def _json(response: Any) -> Any:
    if isinstance(response, Path) or (isinstance(response, str) and not response.lstrip().startswith(("{", "["))):
        response = "\n".join(line for _, line in read_text(response).lines)
    if not isinstance(response, str | bytes):
        # clients hand out objects that hold the body
        return getattr(response, "body", response)
    try:
        return json.loads(response)
    except ValueError as cause:
        raise WorkbenchError("wrong_type", f"response is no JSON: {cause}") from cause


def _failure(data: Mapping[str, Any]) -> str:
    error = data["error"]
    said = error.get("reason") or error.get("type") if isinstance(error, Mapping) else error
    return f"the engine answered with an error: {said}"


def _partial(data: Mapping[str, Any]) -> str:
    shards = data.get("_shards")
    failed = shards.get("failed", 0) if isinstance(shards, Mapping) else 0
    parts = []
    if data.get("timed_out") is True:
        parts.append("the search timed out")
    if isinstance(failed, int) and failed > 0 and isinstance(shards, Mapping):
        parts.append(f"{failed} of {shards.get('total', '?')} shards failed")
    return f"partial: {' and '.join(parts)}" if parts else ""


def _id(hit: Mapping[str, Any], place: int, id_from: str) -> str:
    id = checks.item_id(hit.get("_id"), f"hit {place}")
    return f"{hit.get('_index', '')}/{id}" if id_from == "index/_id" else id


def _once(ids: list[str], hits: Sequence[Mapping[str, Any]]) -> None:
    for id, count in Counter(ids).items():
        if count > 1:
            indices = sorted({str(hit.get("_index")) for each, hit in zip(ids, hits, strict=True) if each == id})
            hint = (
                f"the indices {', '.join(indices)} each have one, so say id_from='index/_id'"
                if len(indices) > 1
                else "routing may have put it on two shards; keep one"
            )
            raise WorkbenchError("repeated_id", f"{id!r} stands {count} times in the response: {hint}", id=id)


def _about(data: Mapping[str, Any], page: Mapping[str, Any]) -> dict[str, Any]:
    total = page.get("total")
    if isinstance(total, Mapping):  # a plain number in older versions
        total = f"{'at least ' if total.get('relation') == 'gte' else ''}{total.get('value')}"
    return {
        name: value
        for name, value in (("matched", total), ("took_ms", data.get("took")))
        if isinstance(value, int | str)
    }


def _detail(read: Sequence[tuple[str, Explained | str]]) -> dict[str, Any]:
    return {
        id: {
            "parts": [
                {"list": part.name or part.place, "rank": part.rank, "score": part.score, "term": part.term}
                for part in said.parts
            ]
        }
        for id, said in read
        if isinstance(said, Explained)
    }


def _payload(
    ids: list[str], hits: Sequence[Mapping[str, Any]], text: str | None, title: str | None
) -> dict[str, Passage]:
    fields = [field for field in (text, title) if field is not None]
    found: dict[str, Passage] = {}
    for id, hit in zip(ids, hits, strict=True):
        source = hit.get("_source")
        values = {f: source[f] for f in fields if isinstance(source, Mapping) and isinstance(source.get(f), str)}
        if values:
            found[id] = Passage(id, id, values.get(text or "", ""), 0, title=values.get(title or "", ""))
    for field in fields:
        if hits and not any(
            isinstance(hit.get("_source"), Mapping) and isinstance(hit["_source"].get(field), str) for hit in hits
        ):
            known = sorted({name for hit in hits if isinstance(hit.get("_source"), Mapping) for name in hit["_source"]})
            raise WorkbenchError(
                "missing_column",
                f"no hit has text in the field {field!r}: _source has {', '.join(known) or 'no field'}",
                column=field,
            )
    return found


# ---------------------------------------------------------------- the lists behind a fused page


def _lanes(
    read: Sequence[tuple[str, Explained | str]],
    of: int,
    names: Sequence[str] | None,
    engine: str,
    partial: str,
    notes: list[str],
) -> tuple[dict[str, Lane], dict[str, Any]]:
    if not read:
        return {}, {}
    unread = [(id, said) for id, said in read if isinstance(said, str)]
    good = [(id, said) for id, said in read if isinstance(said, Explained)]
    if unread or len(read) < of:
        id, why = unread[0] if unread else ("", "")
        notes.append(
            f"{len(unread)} of {of} explanations could not be read, so no lane is made of them; first {id!r}: {why}"
            if unread
            else f"only {len(read)} of {of} hits are explained, so no lane is made of them"
        )
        return {}, {}
    kinds = {(said.method, said.k, said.combination) for _, said in good}
    counts = {len(said.parts) for _, said in good}
    if len(kinds) > 1:
        notes.append(f"the hits are explained by {len(kinds)} different fusions, so no lane is made of them")
        return {}, {}
    if len(counts) > 1:
        notes.append(
            f"some hits have {min(counts)} parts and others {max(counts)}: a list that did not match has no part there, and which one it was is not said, so no lane is made of them"
        )
        return {}, {}
    count = counts.pop()
    labels = _labels(good, count, names)
    method, k, combination = kinds.pop()
    if method == "rrf":
        return _ranked(good, labels, k, engine, partial, notes)
    return _scored(good, labels, method, combination, engine, partial, notes)


def _labels(good: Sequence[tuple[str, Explained]], count: int, names: Sequence[str] | None) -> list[str]:
    if names is None:
        said = [next((e.parts[place].name for _, e in good if e.parts[place].name), "") for place in range(count)]
        labels = [name or f"query {place}" for place, name in enumerate(said)]
        return labels if len(set(labels)) == count else [f"query {place}" for place in range(count)]
    if isinstance(names, str) or len(names) != count:
        raise WorkbenchError(
            "shape_mismatch", f"lanes is {names!r}, and the explanations have {count} lists: name each, in order"
        )
    checks.no_repeats(list(names), "lanes")
    return [checks.text("a lane's name", name) for name in names]


def _ranked(
    good: Sequence[tuple[str, Explained]],
    labels: list[str],
    k: float | None,
    engine: str,
    partial: str,
    notes: list[str],
) -> tuple[dict[str, Lane], dict[str, Any]]:
    if k is None:
        notes.append("the explanations name no rank constant, so how the lists were fused is not known")
    weights: dict[str, float] = {}
    found: dict[str, Lane] = {}
    for place, name in enumerate(labels):
        places: dict[int, tuple[str, float | None]] = {}
        terms: list[tuple[int, float]] = []
        for id, said in good:
            part = said.parts[place]
            rank = part.rank if part.rank is not None else _rank_of(part.term, k)
            if part.term is not None and rank is None:
                notes.append(
                    f"{name}: the term {part.term!r} of {id!r} is 1/(k + rank) for no whole rank, so no lane is made of the explanations"
                )
                return {}, {}
            if rank is None:
                continue
            if rank in places:
                notes.append(
                    f"{name}: {places[rank][0]!r} and {id!r} both hold rank {rank}: shards were ranked apart, so no lane is made of the explanations"
                )
                return {}, {}
            places[rank] = (id, part.score)
            terms += [(rank, part.term)] if part.term is not None else []
        found[name] = with_holes(
            name, places, notes, reason=partial, backend=engine, score_model=f"{engine} sub-query score"
        )
        weight = _weight(terms, k)
        if weight is None:
            notes.append(
                f"{name}: the printed terms are not one weight times 1/(k + rank), so how the lists were fused is not known"
            )
            k = None
        elif weight != 1:
            weights[name] = weight
            notes.append(f"{name}: the printed terms are {weight:g} times 1/(k + rank), so the list weighs {weight:g}")
    if k is None:
        return found, {}
    return found, {"fusion": "rrf", "dialect": engine, "k": k, **({"weights": weights} if weights else {})}


def _rank_of(term: float | None, k: float | None) -> int | None:
    """OpenSearch prints no rank: the normalised score 1/(k + rank) is its trace."""
    if term is None or k is None or term <= 0:
        return None
    rank = 1 / term - k
    # a float32 term tells 1/term to seven digits
    return round(rank) if round(rank) >= 1 and abs(rank - round(rank)) < 2e-6 / term else None


def _weight(terms: Sequence[tuple[int, float]], k: float | None) -> float | None:
    """The one factor between the printed terms and 1/(k + rank), to five digits; None where there is no such one."""
    if not terms or k is None:
        return 1.0
    factors = [term * (k + rank) for rank, term in terms]
    weight = float(f"{factors[0]:.5g}")
    return weight if all(math.isclose(factor, weight, rel_tol=WEIGHT_TOLERANCE) for factor in factors) else None


def _scored(
    good: Sequence[tuple[str, Explained]],
    labels: list[str],
    method: str,
    combination: str,
    engine: str,
    partial: str,
    notes: list[str],
) -> tuple[dict[str, Lane], dict[str, Any]]:
    found: dict[str, Lane] = {}
    for place, name in enumerate(labels):
        rows = [(id, said.parts[place].score) for id, said in good if said.parts[place].term is not None]
        if any(score is None for _, score in rows):
            notes.append(
                f"{name}: some hits have no score of their own below the normalised one, so no lane is made of the explanations"
            )
            return {}, {}
        rows.sort(key=lambda row: (-(row[1] or 0.0), row[0]))
        found[name] = answered_lane(name, engine, rows, notes, reason=partial)
    notes.append(
        f"fused by scores ({method}, {combination}): the lanes hold the hits of this page alone, and the smallest and largest scores that it normalised by may belong to others, so it cannot be fused again from here"
    )
    return found, {}
