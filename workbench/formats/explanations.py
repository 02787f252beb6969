"""``_explanation`` trees of Elasticsearch and OpenSearch, read by what they say, whatever words are around it.

Of Elasticsearch's rrf a part's ``value`` is the rank, not a score, and a printed 0 means "not in this
list". Of OpenSearch a part's ``value`` is the normalised score, and a list that did not match has no part.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_INITIAL = re.compile(r"\branks?\b[^\[\]]{0,20}\[\s*(\d+(?:\s*,\s*\d+)*)\s*\]", re.IGNORECASE)
_CONSTANT = re.compile(r"rank[_ ]?constant\W{0,4}(\d+)", re.IGNORECASE)
_TERM = re.compile(r"score\W{0,4}([0-9.]+(?:[eE][+-]?\d+)?)", re.IGNORECASE)
_NAMED = re.compile(r"at index \[\d+\]\s*\[([^\]]+)\]|in query \[([^\]]+)\]", re.IGNORECASE)
_COMBINED = re.compile(r"^\s*(\w+)\b.{0,40}\bcombination\b", re.IGNORECASE)
_NORMALISED = re.compile(r"^\s*(\w+)\b.{0,60}\bnormali[sz]ation\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One list's share in one hit. ``rank`` (from 1) and ``score`` (the list's own) are None where not said."""

    place: int
    name: str
    rank: int | None
    score: float | None
    term: float | None
    """What it added to the fused score, as printed."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One hit's explanation. ``method``: ``rrf``, or the name of a normalisation (``min_max``, ``l2``, …)."""

    method: str
    k: float | None
    parts: tuple[Part, ...]
    combination: str = ""


def explained(tree: Any) -> Explained | str:
    """What an explanation says of fusion; or, in words, why it says nothing that can be read."""
    nodes = list(_nodes(tree))
    if not nodes:
        return "its explanation is no tree of value, description and details"
    for node in nodes:
        said = str(node.get("description", ""))
        if _INITIAL.search(said):
            return _rrf(node, said)
        if _COMBINED.search(said):
            return _combined(node, said)
    return f"its explanation is not of a fusion: {str(nodes[0].get('description', ''))[:60]!r}"


def _nodes(tree: Any, depth: int = 0) -> Sequence[Mapping[str, Any]]:
    """The tree from the root down, a fused node may stand inside another; parts of parts are not looked into."""
    if not isinstance(tree, Mapping) or depth > 3:
        return []
    found = [tree]
    for inner in _details(tree):
        found += _nodes(inner, depth + 1)
    return found


def _details(node: Mapping[str, Any]) -> Sequence[Any]:
    details = node.get("details")
    return details if isinstance(details, Sequence) and not isinstance(details, str) else ()


def _rrf(node: Mapping[str, Any], said: str) -> Explained | str:
    initial = _INITIAL.search(said)
    assert initial is not None
    ranks = [int(rank) for rank in initial[1].split(",")]
    constant = _CONSTANT.search(said)
    details = _details(node)
    if len(details) != len(ranks):
        return f"its explanation names {len(ranks)} ranks and has {len(details)} parts"
    parts = []
    for place, (rank, part) in enumerate(zip(ranks, details, strict=True)):
        value = part.get("value") if isinstance(part, Mapping) else None
        if not isinstance(value, int | float) or value != rank:
            return f"its explanation gives rank {rank} in words and {value!r} as the value of part {place}"
        words = str(part.get("description", ""))
        term = _TERM.search(words)
        parts.append(
            Part(
                place,
                _name(words),
                rank if rank > 0 else None,
                _score(part) if rank > 0 else None,
                float(term[1]) if term and rank > 0 else None,
            )
        )
    return Explained("rrf", float(constant[1]) if constant else None, tuple(parts))


def _combined(node: Mapping[str, Any], said: str) -> Explained | str:
    parts, methods, constants = [], set(), set()
    for place, part in enumerate(_details(node)):
        words = str(part.get("description", "")) if isinstance(part, Mapping) else ""
        method = _NORMALISED.search(words)
        if method is None:
            return f"part {place} of its explanation names no normalisation: {words[:60]!r}"
        methods.add(method[1].lower())
        constants |= {float(found[1]) for found in [_CONSTANT.search(words)] if found}
        value = part.get("value")
        if not isinstance(value, int | float):
            return f"part {place} of its explanation has the value {value!r}"
        score = _score(part)
        matched = value > 0 or score is not None
        parts.append(Part(place, "", None, score if matched else None, float(value) if matched else None))
    if len(methods) != 1 or len(constants) > 1:
        return f"its explanation names the normalisations {', '.join(sorted(methods)) or 'none'}: give one"
    combination = _COMBINED.search(said)
    assert combination is not None
    return Explained(methods.pop(), next(iter(constants), None), tuple(parts), combination[1].lower())


def _name(words: str) -> str:
    found = _NAMED.search(words)
    return (found[1] or found[2] or "") if found else ""


def _score(part: Mapping[str, Any]) -> float | None:
    """The list's own score: the value of the one explanation below the part."""
    inner = _details(part)
    value = inner[0].get("value") if len(inner) == 1 and isinstance(inner[0], Mapping) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
