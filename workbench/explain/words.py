"""How numbers, ranks and terms are put into words, the same in every sentence, table and picture."""

import math
from collections.abc import Sequence

from workbench.explain.terms import term_text
from workbench.records import Fusion, Run

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def number(value: float, digits: int = 4) -> str:
    """A number in ``digits`` significant digits, without an exponent down to 0.0001."""
    if value == 0:
        return "0"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}" if places <= 9 else f"{value:.{digits - 1}e}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def share(value: float) -> str:
    """A share of the whole as a percentage, without decimals."""
    return f"{value:.0%}"


def ordinal(rank: int) -> str:
    """first … tenth, then 11th, 12th …"""
    if 1 <= rank <= len(_ORDINALS):
        return _ORDINALS[rank - 1]
    suffix = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"


def listed(parts: Sequence[str]) -> str:
    """a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def clip(text: str, width: int) -> str:
    """``text`` on one line, cut at a word where it is longer than ``width``."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    head = line[: width - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[width // 2 :] else head) + "…"


def clip_id(id: str, width: int) -> str:
    """An id cut at its front where it is longer than ``width``: what tells passages apart stands at the end."""
    line = " ".join(id.split())
    return line if len(line) <= width else f"…{line[1 - width :]}"


def name_of(run: Run, id: str) -> str:
    """What a reader calls a candidate: its title and last heading where it has them, and always its id."""
    passage = run.passages.get(id)
    label = "" if passage is None else (passage.headings[-1] if passage.headings else passage.title)
    return f"{clip(label, 60)} ({id})" if label and label != id else id


def fused_sum(fusion: Fusion, id: str) -> str:
    """The terms that make a candidate's fused score: ``1/(60+1) from lexical + 1/(60+3) from dense = 0.0323``."""
    parts = [
        f"{term(fusion, row.lane, row.rank, row.contribution)} from {row.lane}"
        for row in fusion.of(id)
        if row.contribution is not None and row.rank is not None
    ]
    return f"{' + '.join(parts)} = {number(float(fusion.scores[fusion.row(id)]))}"


def term(fusion: Fusion, lane: str, rank: int, contribution: float) -> str:
    """One contribution as it was worked out: a fraction for ranks, a number for scores."""
    return term_text(fusion, lane, rank) if fusion.method == "rrf" else number(contribution)
