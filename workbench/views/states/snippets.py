"""Two lines of a passage as a lane saw it: text and marks by turns, cut in Python so that no offset is counted twice."""

import re
from collections.abc import Sequence
from typing import Any

from workbench.explain import words
from workbench.records import Lane, Passage

WIDTH = 150
"""Characters of a snippet."""
_HEADING = re.compile(r"\A(?:\s*#{1,6}[^\n]*\n)+\s*")


def snippet(lane: Lane, passage: Passage) -> list[str]:
    """Pieces of text, every second one marked: matched terms, the nearest sentence, or the label that led here."""
    detail = lane.detail.get(passage.id)
    detail = detail if isinstance(detail, dict) else {}
    text = passage.text
    start = found.end() if (found := _HEADING.match(text)) and found.end() < len(text) else 0
    label = _label(detail)
    if label:
        return [label[0], words.clip(label[1], 40), f" · {_flat(text[start : start + WIDTH])}"]
    spans = [(int(a), int(b)) for a, b in detail.get("spans", ()) if a >= start]
    if not spans and "nearest" in detail:
        spans = [(int(detail["nearest"]["start"]), int(detail["nearest"]["end"]))]
    return _pieces(text, start, spans)


def _label(detail: Any) -> tuple[str, str] | None:
    if "entity" in detail:
        return f"{detail['kind']} ", str(detail["entity"])
    if "node" in detail:
        return "under ", str(detail["node"])
    if "page" in detail:
        return "page ", str(detail["page"])
    return None


def _pieces(text: str, start: int, spans: Sequence[tuple[int, int]]) -> list[str]:
    begin = _begin(text, start, spans)
    end = min(len(text), begin + WIDTH)
    pieces, at = [], begin
    for left, right in spans:
        if left < at or left >= end:
            continue
        right = min(right, end)
        pieces += [_flat(text[at:left]), _flat(text[left:right])]
        at = right
    pieces.append(_flat(text[at:end]) + ("…" if end < len(text) else ""))
    if begin > start:
        pieces[0] = f"…{pieces[0]}"
    return pieces


def _begin(text: str, start: int, spans: Sequence[tuple[int, int]]) -> int:
    """Where the window that holds most marks begins, a few words before its first; the passage's start if that does."""

    def held(begin: int) -> int:
        return sum(1 for left, right in spans if begin <= left and right <= begin + WIDTH)

    best, most = start, held(start)
    for left, _ in spans:
        at = max(start, left - 24)
        if at > start:
            space = text.find(" ", at, left)
            at = space + 1 if space >= 0 else left
        if held(at) > most + 1:
            best, most = at, held(at)
    return best


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)
