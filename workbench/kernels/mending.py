"""What a verdict hangs on: a sentence changed where its verdict points, and judged again.

Nothing here is worked out on paper: a change is told only when the judge, asked again, gave another verdict.
"""

from collections.abc import Callable, Sequence

from workbench.records import Edit, Flag, Mend, SentenceGrounding

Again = Callable[[str, int, int], str | None]
"""(answer, start, end of the sentence) → its verdict; None where the changed text is no longer that one sentence."""


def mends(answer: str, judged: SentenceGrounding, again: Again) -> tuple[Mend, ...]:
    """The change that would turn this sentence's verdict, if any: what the evidence says instead, or without the missing words."""
    if judged.verdict == "conflict":
        tried = [("replace", _replaced(judged))]
    elif judged.verdict in ("partial", "unsupported"):
        tried = [
            ("leave_out", _left_out(answer, judged, ("absent",))),
            ("leave_out", _left_out(answer, judged, ("absent", "elsewhere"))),
        ]
    else:
        return ()
    for kind, edits in tried:
        if edits:
            changed = edited(answer, edits)
            end = judged.end + len(changed) - len(answer)
            verdict = (
                "" if not any(c.isalnum() for c in changed[judged.start : end]) else again(changed, judged.start, end)
            )
            if verdict is not None and verdict != judged.verdict:
                return (Mend(kind, edits, verdict, _sentence(answer, kind, edits, verdict)),)
    return ()


def edited(answer: str, edits: Sequence[Edit]) -> str:
    """``answer`` with the edits made; they come in text order and do not overlap."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [answer[at : edit.start], edit.text]
        at = edit.end
    return "".join((*pieces, answer[at:]))


def _replaced(judged: SentenceGrounding) -> tuple[Edit, ...]:
    edits: list[Edit] = []
    for flag in judged.flags:
        if flag.severity == "conflict" and (not edits or edits[-1].end <= flag.start):
            edits.append(Edit(flag.start, flag.end, _instead(flag)))
    return tuple(edits)


def _instead(flag: Flag) -> str:
    if flag.kind != "negation":
        return flag.evidence or ""
    return "" if flag.evidence is None else f"{flag.evidence} {flag.claim}"


def _left_out(answer: str, judged: SentenceGrounding, states: tuple[str, ...]) -> tuple[Edit, ...]:
    """The words of those states, each with the white space before it; neighbours are one edit."""
    edits: list[Edit] = []
    for token in judged.tokens:
        if token.state not in states:
            continue
        start = token.start
        while start > judged.start and answer[start - 1].isspace():
            start -= 1
        if edits and start <= edits[-1].end:
            edits[-1] = Edit(edits[-1].start, max(edits[-1].end, token.end), "")
        else:
            edits.append(Edit(start, token.end, ""))
    return tuple(edits)


def _sentence(answer: str, kind: str, edits: Sequence[Edit], verdict: str) -> str:
    if kind == "replace":
        told = ", ".join(
            f"{edit.text!r} instead of {answer[edit.start : edit.end]!r}"
            if edit.text
            else f"no {answer[edit.start : edit.end]!r}"
            for edit in edits
        )
        return f"With {told} it would be {verdict.replace('_', ' ')}."
    words = ", ".join(repr(" ".join(answer[edit.start : edit.end].split())) for edit in edits)
    if not verdict:
        return f"None of its words is held: {words}."
    return f"Without {words} it would be {verdict.replace('_', ' ')}."
