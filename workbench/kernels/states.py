"""What became of each word of a claim: matched, elsewhere, absent, in conflict, or a function word."""

from bisect import bisect_left
from collections.abc import Sequence

from workbench.kernels.sides import Laid, Side
from workbench.kernels.windows import Evidence
from workbench.records import Flag, TokenMatch, Window


def state(i: int, claim: Side, laid: Sequence[Laid], evidence: Evidence) -> TokenMatch:
    """Where token i stands: beside it in the alignment, else anywhere in the windows, else elsewhere."""
    token = claim.tokens[i]
    places = []
    for each in laid:
        theirs = each.side.tokens
        beside = [j for a, j in each.pairs if a == i and theirs[j].term == token.term]
        equal = beside or ([] if token.stop else [j for j, t in enumerate(theirs) if t.term == token.term][:1])
        places += [each.side.window(theirs[j].start, theirs[j].end) for j in equal]
    if token.stop:
        return TokenMatch(token.start, token.end, "stop", tuple(places))
    if places:
        return TokenMatch(token.start, token.end, "matched", tuple(places))
    far = evidence.first(token.term)
    if far is None:
        return TokenMatch(token.start, token.end, "absent")
    passage, other = far
    return TokenMatch(token.start, token.end, "elsewhere", (Window(evidence.ids[passage], other.start, other.end),))


def marked(matches: Sequence[TokenMatch], flagged: Sequence[Flag]) -> tuple[TokenMatch, ...]:
    """The states as the flags leave them: what a conflict names is in conflict, a date that nothing states is absent whole.

    A function word that is not laid beside its like goes with an absent word next to it: "is the only" is one thing.
    """
    found = []
    for match in matches:
        hits = [f for f in flagged if f.start < match.end and match.start < f.end]
        if any(f.severity == "conflict" for f in hits):
            found.append(TokenMatch(match.start, match.end, "conflict", match.at))
        elif any(f.at is None for f in hits):
            found.append(TokenMatch(match.start, match.end, "absent"))
        else:
            found.append(match)
    content = [k for k, match in enumerate(found) if match.state != "stop"]
    for k, match in enumerate(found):
        if match.state == "stop" and not match.at:
            after = bisect_left(content, k)
            if any(found[near].state in ("absent", "conflict") for near in content[max(0, after - 1) : after + 1]):
                found[k] = TokenMatch(match.start, match.end, "absent")
    return tuple(found)


def added(matches: Sequence[TokenMatch]) -> tuple[list[tuple[int, int]], int]:
    """The longest run of neighbouring words that no evidence holds, function words between them aside; and how many words there are.

    Overlapping tokens, as scripts without spaces have them, are one word.
    """
    best: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    count, end = 0, -1
    for match in matches:
        if match.state == "stop":
            continue
        new = match.start >= end
        count, end = count + new, match.end
        if match.state != "absent":
            run = []
        elif new or not run:
            run = [*run, (match.start, match.end)]
        else:
            run = [*run[:-1], (run[-1][0], match.end)]
        best = run if len(run) > len(best) else best
    return best, count
