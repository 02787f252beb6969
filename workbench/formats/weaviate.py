"""Weaviate hybrid answers: GraphQL objects with ``explainScore``, or the Python client's objects.

Ranked fusion adds w/(60 + rank) with ranks from 1 in sources of 2023 and from 0 in those of 2024: which of
the two is worked out from the explained contributions, never assumed.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.formats.engine import EngineAnswer, answered_lane, single, with_holes
from workbench.records import Lane, Passage

K = 60
"""Fixed in Weaviate's source."""
_SET = re.compile(r"Result Set '?([^\s)']+)'?", re.IGNORECASE)
_RANKED = re.compile(r"contributed\s+([0-9.eE+-]+)\s+to the score", re.IGNORECASE)
_SCORED = re.compile(r"original score\s+(-?[0-9.eE+-]+?),?\s+normali[sz]ed score:?\s+(-?[0-9.eE+-]+)", re.IGNORECASE)
_WHOLE = 1e-3
"""How near to a whole number 60·w/contribution − 60 has to come; a wrong rank base misses by 0.016 or more."""


def read_weaviate(
    answer: Any, *, alpha: float | None = None, text: str | None = None, title: str | None = None
) -> EngineAnswer:
    """An answer as Weaviate's own ranking, and with ``explainScore`` the lists that it fused.

    Args:
        answer: a GraphQL response, its list of objects, or the client's objects (``.objects``), best first.
        alpha: the query's alpha, the weight of the vector list; worked out from the contributions when left out.
        text, title: properties to take as the passage's text and title.

    Returns:
        Lanes named as the result sets are (``keyword``, ``vector``); older versions do not name them, and
        then each list's place does. ``lanes`` and ``fusion`` are empty where the rank base or alpha cannot
        be told from what is shown; ``notes`` say why. The answer has to begin at its first object.

    Raises:
        WorkbenchError: ``wrong_type`` for what is no answer, ``missing_id``, ``repeated_id``.
    """
    share = None if alpha is None else checks.number("alpha", alpha, low=0, high=1)
    notes: list[str] = []
    objects = [_object(item, place) for place, item in enumerate(_items(answer), start=1)]
    rows = [(id, score) for id, score, _, _ in objects]
    payload = {
        id: Passage(
            id,
            id,
            str(properties.get(text, "")) if text else "",
            0,
            title=str(properties.get(title, "")) if title else "",
        )
        for id, _, _, properties in objects
        if (text and text in properties) or (title and title in properties)
    }
    answered = answered_lane("weaviate", "weaviate", rows, notes, payload=payload)
    ranked = {id: _found(_RANKED, said) for id, _, said, _ in objects if said}
    scored = {id: _found(_SCORED, said) for id, _, said, _ in objects if said}
    lanes: dict[str, Lane] = {}
    fusion: dict[str, Any] = {}
    if any(ranked.values()) and not any(scored.values()):
        lanes, fusion = _by_rank(ranked, share, notes)
    elif any(scored.values()) and not any(ranked.values()):
        lanes = _by_score(scored, notes)
    elif not any(said for _, _, said, _ in objects):
        notes.append("no object has an explainScore: ask with explainScore to see the lists behind the order")
    else:
        notes.append("the explainScore texts tell no contribution that can be read, so no lane is made of them")
    return EngineAnswer("weaviate", answered, lanes, fusion, tuple(notes))


def _items(answer: Any) -> Sequence[Any]:
    given = getattr(answer, "objects", answer)
    if isinstance(given, Mapping):
        errors = given.get("errors")
        got = given.get("data", given)
        got = got.get("Get", got) if isinstance(got, Mapping) else got
        classes = [value for value in got.values() if isinstance(value, list)] if isinstance(got, Mapping) else []
        if errors or len(classes) != 1:
            why = (
                f"the engine answered with an error: {errors!r:.80}"
                if errors
                else f"it holds {len(classes)} lists of objects"
            )
            raise WorkbenchError("wrong_type", f"answer is no single list of objects: {why}")
        given = classes[0]
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise WorkbenchError(
            "wrong_type", f"answer is {type(answer).__name__}: give the response, its objects, or a list of them"
        )
    return given


def _object(item: Any, place: int) -> tuple[str, float | None, str, Mapping[str, Any]]:
    if isinstance(item, Mapping):
        extra = item.get("_additional", {})
        properties = {key: value for key, value in item.items() if key != "_additional"}
        id, score, said = extra.get("id"), extra.get("score"), extra.get("explainScore")
        if id is None and isinstance(
            said, str
        ):  # GraphQL gives the id only where it is asked for; the explanation names it
            named = sorted(set(re.findall(r"Document ([0-9a-fA-F-]{36})", said)))
            id = named[0] if len(named) == 1 else None
    else:
        metadata = getattr(item, "metadata", None)
        id = None if getattr(item, "uuid", None) is None else str(item.uuid)
        score, said = getattr(metadata, "score", None), getattr(metadata, "explain_score", None)
        properties = getattr(item, "properties", {}) or {}
    if isinstance(score, str):  # GraphQL prints scores as text
        score = float(score)
    return checks.item_id(id, f"object {place}"), single(score, f"the score of object {place}"), said or "", properties


def _found(pattern: re.Pattern[str], said: str) -> dict[str, tuple[float, ...]]:
    """List name → the numbers that the explanation gives for it; unnamed lists go by their place.

    A list that is named only by its place is told only where every list speaks: "list 0" of one object may
    be "list 1" of another.
    """
    found: dict[str, tuple[float, ...]] = {}
    for place, match in enumerate(pattern.finditer(said)):
        before = said[: match.start()]
        names = _SET.findall(before[max(before.rfind("\n"), before.rfind(" - ")) + 1 :])
        found[names[-1].split(",")[0] if names else f"list {place}"] = tuple(float(number) for number in match.groups())
    return found


def _by_rank(
    said: Mapping[str, Mapping[str, tuple[float, ...]]], alpha: float | None, notes: list[str]
) -> tuple[dict[str, Lane], dict[str, Any]]:
    names = sorted({name for found in said.values() for name in found})
    if any(name.startswith("list ") for name in names) and any(len(found) != len(names) for found in said.values()):
        notes.append(
            "this version does not name its result sets, and some objects stand in one only: which one is not said, so no lane is made of them"
        )
        return {}, {}
    terms = {
        name: held
        for name in names
        if (held := {id: found[name][0] for id, found in said.items() if name in found and found[name][0] > 0})
    }
    last = min(_folded(found) for found in said.values())
    fits = [(base, weights) for base in (0, 1) if (weights := _weights(terms, base, alpha, last)) is not None]
    if len(fits) != 1:
        why = "both rank bases explain the contributions" if fits else "neither rank base explains the contributions"
        notes.append(f"{why}, so no lane is made of them: show more objects, or say alpha")
        return {}, {}
    base, weights = fits[0]
    names = list(terms)
    lanes = {}
    for name in names:
        places = {round(weights[name] / term - K) - base + 1: (id, None) for id, term in terms[name].items()}
        if len(places) < len(terms[name]):
            notes.append(f"{name}: two objects hold one rank, so no lane is made of the explanations")
            return {}, {}
        lanes[name] = with_holes(name, dict(places), notes, backend="weaviate", score_model="rank alone")
    notes.append(
        f"the contributions are w/({K} + rank) with ranks from {base}"
        + ("" if alpha is not None else f" and {', '.join(f'{weights[name]:.4g} for {name}' for name in names)}")
    )
    if base == 0:
        return lanes, {
            "fusion": "rrf",
            "dialect": "weaviate",
            "k": K,
            "weights": {name: weights[name] for name in names},
        }
    return lanes, {"fusion": "rrf", "k": K, "weights": {name: weights[name] for name in names}}


def _folded(found: Mapping[str, tuple[float, ...]]) -> float:
    total = 0.0
    for numbers in found.values():
        total = total + numbers[0]
    return total


def _weights(
    terms: Mapping[str, Mapping[str, float]], base: int, alpha: float | None, last: float
) -> dict[str, float] | None:
    """The weights under which every contribution is w/(60 + a whole rank from ``base``); None where there are none.

    Without alpha the best contribution shown is taken for the first of its list, and the weights of two
    lists have to make 1. With it, a list may begin past its first: then the one that is not shown scores
    w/(60 + base) or more, and could only be missing if the last one shown (``last``) scores as much.
    """
    weights: dict[str, float] = {}
    for name, by_id in terms.items():
        best = max(by_id.values())
        known = {"vector": alpha, "keyword": None if alpha is None else 1 - alpha}.get(name)
        weight = weights[name] = float(f"{best * (K + base):.5g}") if known is None else known
        ranks = [weight / term - K for term in by_id.values()]
        if any(abs(rank - round(rank)) > _WHOLE or round(rank) < base for rank in ranks):
            return None
        if min(map(round, ranks)) > base and last < weight / (K + base) * (1 - 1e-6):
            return None
    if len(weights) == 2 and not math.isclose(math.fsum(weights.values()), 1, abs_tol=1e-4):
        return None
    return weights


def _by_score(said: Mapping[str, Mapping[str, tuple[float, ...]]], notes: list[str]) -> dict[str, Lane]:
    names = sorted({name for found in said.values() for name in found})
    lanes = {}
    for name in names:
        if name.startswith("list "):
            notes.append("this version does not name its result sets, so no lane is made of the explanations")
            return {}
        rows = sorted(
            ((id, found[name][0]) for id, found in said.items() if name in found), key=lambda row: (-row[1], row[0])
        )
        lanes[name] = answered_lane(name, "weaviate", [(id, score) for id, score in rows], notes)
    notes.append(
        "fused by relative scores: the lanes hold the objects of this answer alone, and the smallest score that it normalised by may belong to another, so it cannot be fused again from here"
    )
    return lanes
