"""One answer sentence against prepared evidence: scores side by side, word states, flags, verdict."""

from bisect import bisect_left
from collections.abc import Sequence

from workbench.frozen import FrozenMap
from workbench.kernels import verbatim
from workbench.kernels.alignment import align, bigram_share, in_order, lcs
from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.flags import flags
from workbench.kernels.overlap import best_f1
from workbench.kernels.sides import Laid, Side, side
from workbench.kernels.texts import read_claim
from workbench.kernels.windows import Evidence, covered
from workbench.records import Flag, SentenceGrounding, TokenMatch, Window

FLOOR = 0.55
SOME = 0.4
PENALTY = 0.15
MOST_FLAGS = 2


def judge(answer: str, start: int, end: int, evidence: Evidence, reader: Analyzer, floor: float) -> SentenceGrounding:
    """The sentence ``answer[start:end]`` against ``evidence``.

    Its scores, each 0..1 over the sentence's distinct content terms C and the best window W:

    * ``f1``: best token-overlap F1 against a whole passage (rerankgate 0.2.0's; falls with passage length).
    * ``containment``: |C in W| / |C|.
    * ``idf_coverage``: the same with rare terms counting more.
    * ``union_coverage``: idf coverage of W and the second window together.
    * ``bigrams``: share of the sentence's pairs of neighbouring tokens that W or the second window holds.
    * ``lcs``: longest common subsequence with W ÷ tokens of the sentence.
    * ``ordered``: 1 where all content words stand in W in order and close together, polarity kept.

    ``score`` mixes them: 0.6 union coverage + 0.2 bigrams + 0.2 lcs, less 0.15 for each flag, two at most
    (a fact that stands elsewhere in the evidence costs nothing).
    Verdicts, first that fits: ``not_checkable`` (nothing to compare), ``supported_verbatim`` (word for
    word in a passage, within its clause; never flagged), ``conflict`` (a conflict flag, and the evidence
    carries at least 0.4 of the sentence's weight), ``supported`` (score ≥ floor, and no number, date or
    name that no evidence holds), ``partial`` (score ≥ floor, or union coverage ≥ 0.4), ``unsupported``.
    """
    text = answer[start:end]
    tokens, found = read_claim(answer, start, end, reader)
    terms = tuple(dict.fromkeys(token.term for token in tokens if not token.stop))
    if not tokens:
        return _not_checkable(text, start, end, tokens, "There is no word that the analyzer reads.")
    copied = verbatim.find(text, frozenset(reader.terms(text)), evidence)
    if copied is not None:
        return _verbatim(text, start, end, tokens, copied, evidence, reader)
    if not terms:
        return _not_checkable(text, start, end, tokens, "There are only function words, which any text holds.")

    weights, stretches = evidence.windows(terms)
    claim = side("", answer, start, end, tokens, found)
    laid = []
    for each in stretches:
        window = side(
            evidence.ids[each.passage], evidence.reads[each.passage].text, each.start, each.end, each.tokens, each.facts
        )
        laid.append(Laid(window, align(tokens, claim.classes, window.tokens, window.classes)))
    matches = [_match(i, claim, laid, evidence) for i in range(len(tokens))]
    flagged = flags(
        claim, laid, evidence, dict(zip(terms, weights, strict=True)), [m.state for m in matches], reader
    )
    scores = _scores(text, tokens, terms, weights, [s.held for s in stretches], laid, evidence, reader)
    if any(flag.kind == "negation" for flag in flagged):
        scores["ordered"] = 0.0
    score = _mix(scores, flagged)
    verdict, reason = _verdict(score, scores["union_coverage"], flagged, matches, claim, floor)
    return SentenceGrounding(
        text,
        start,
        end,
        verdict,
        score,
        FrozenMap(scores),
        tuple(each.side.window(each.side.start, each.side.end) for each in laid),
        _marked(matches, flagged),
        flagged,
        reason,
    )


def _not_checkable(text: str, start: int, end: int, tokens: Sequence[Token], reason: str) -> SentenceGrounding:
    states = tuple(TokenMatch(token.start, token.end, "stop") for token in tokens)
    return SentenceGrounding(text, start, end, "not_checkable", None, tokens=states, reason=reason)


def _verbatim(
    text: str,
    start: int,
    end: int,
    tokens: Sequence[Token],
    copied: Window,
    evidence: Evidence,
    reader: Analyzer,
) -> SentenceGrounding:
    """All scores but F1 are 1 by what verbatim means. Words are matched one to one, in order."""
    source = evidence.reads[evidence.ids.index(copied.passage_id)]
    theirs = [t for row in source.tokens for t in row if copied.start <= t.start and t.end <= copied.end]
    at = [Window(copied.passage_id, t.start, t.end) for t in theirs] if len(theirs) == len(tokens) else []
    states = tuple(
        TokenMatch(token.start, token.end, "stop" if token.stop else "matched", tuple(at[i : i + 1]))
        for i, token in enumerate(tokens)
    )
    scores = dict.fromkeys(("containment", "idf_coverage", "union_coverage", "bigrams", "lcs", "ordered"), 1.0)
    scores = {"f1": best_f1(frozenset(reader.terms(text)), evidence.content)[0]} | scores
    reason = f"It stands word for word in {copied.passage_id!r}."
    return SentenceGrounding(
        text, start, end, "supported_verbatim", 1.0, FrozenMap(scores), (copied,), states, reason=reason
    )


def _scores(
    text: str,
    tokens: Sequence[Token],
    terms: Sequence[str],
    weights: Sequence[float],
    held: Sequence[int],
    laid: Sequence[Laid],
    evidence: Evidence,
    reader: Analyzer,
) -> dict[str, float]:
    best = held[0] if held else 0
    both = best | (held[1] if len(held) > 1 else 0)
    mine = [token.term for token in tokens]
    windows = [[token.term for token in each.side.tokens] for each in laid]
    longest = lcs(mine, windows[0]) if windows else 0
    return {
        "f1": best_f1(frozenset(reader.terms(text)), evidence.content)[0],
        "containment": best.bit_count() / len(terms),
        "idf_coverage": covered(best, weights),
        "union_coverage": covered(both, weights),
        "bigrams": bigram_share(mine, windows),
        "lcs": longest / len(mine),
        "ordered": float(bool(laid) and in_order(tokens, laid[0].side.tokens, laid[0].pairs)),
    }


def _mix(scores: dict[str, float], flagged: Sequence[Flag]) -> float:
    mixed = 0.6 * scores["union_coverage"] + 0.2 * scores["bigrams"] + 0.2 * scores["lcs"]
    costly = sum(1 for flag in flagged if flag.severity == "conflict" or flag.at is None)
    return max(0.0, mixed - PENALTY * min(MOST_FLAGS, costly))


def _match(i: int, claim: Side, laid: Sequence[Laid], evidence: Evidence) -> TokenMatch:
    """Where token i stands: beside it in the alignment, else anywhere in the windows, else elsewhere."""
    token = claim.tokens[i]
    places = []
    for each in laid:
        beside = [j for a, j in each.pairs if a == i and each.side.tokens[j].term == token.term]
        equal = beside or (
            [] if token.stop else [j for j, t in enumerate(each.side.tokens) if t.term == token.term][:1]
        )
        places += [each.side.window(each.side.tokens[j].start, each.side.tokens[j].end) for j in equal]
    if token.stop:
        return TokenMatch(token.start, token.end, "stop", tuple(places))
    if places:
        return TokenMatch(token.start, token.end, "matched", tuple(places))
    far = evidence.first(token.term)
    if far is None:
        return TokenMatch(token.start, token.end, "absent")
    passage, other = far
    return TokenMatch(token.start, token.end, "elsewhere", (Window(evidence.ids[passage], other.start, other.end),))


def _marked(matches: Sequence[TokenMatch], flagged: Sequence[Flag]) -> tuple[TokenMatch, ...]:
    """The states as the flags leave them: what a conflict names is in conflict, a date that nothing states is absent whole.

    A function word that is not laid beside its like goes with an absent word next to it: "is the only" is one thing.
    """
    marked = []
    for match in matches:
        hits = [f for f in flagged if f.start < match.end and match.start < f.end]
        if any(f.severity == "conflict" for f in hits):
            marked.append(TokenMatch(match.start, match.end, "conflict", match.at))
        elif match.state != "stop" and any(f.at is None for f in hits):
            marked.append(TokenMatch(match.start, match.end, "absent"))
        else:
            marked.append(match)
    content = [k for k, match in enumerate(marked) if match.state != "stop"]
    for k, match in enumerate(marked):
        if match.state == "stop" and not match.at:
            at = bisect_left(content, k)
            if any(marked[near].state in ("absent", "conflict") for near in content[max(0, at - 1) : at + 1]):
                marked[k] = TokenMatch(match.start, match.end, "absent")
    return tuple(marked)


def added(matches: Sequence[TokenMatch]) -> list[TokenMatch]:
    """The longest run of neighbouring content words that no evidence holds, function words between them aside.

    Overlapping tokens, as scripts without spaces have them, count as one word.
    """
    best: list[TokenMatch] = []
    run: list[TokenMatch] = []
    for match in matches:
        if match.state == "stop":
            continue
        run = [*run, match] if match.state == "absent" else []
        if _words(run) > _words(best):
            best = run
    return best


def _words(run: Sequence[TokenMatch]) -> int:
    count, end = 0, -1
    for match in run:
        if match.start >= end:
            count, end = count + 1, match.end
    return count


def _verdict(
    score: float, union: float, flagged: Sequence[Flag], matches: Sequence[TokenMatch], claim: Side, floor: float
) -> tuple[str, str]:
    conflicts = [flag for flag in flagged if flag.severity == "conflict"]
    if conflicts and union >= SOME:
        return "conflict", conflicts[0].sentence
    unknown = [flag for flag in flagged if flag.at is None]
    if unknown and score >= floor:
        return "partial", unknown[0].sentence
    import os
    if score >= floor and _words(added(matches))>=int(os.environ.get('AA','99')):
        return "partial","added"
    if score >= floor:
        return "supported", f"The score {score:.4g} reaches the floor {floor:.4g}."
    missing = [claim.text[m.start : m.end] for m in matches if m.state in ("absent", "elsewhere")]
    listed = f" Not beside it: {', '.join(dict.fromkeys(missing))}." if missing else ""
    verdict = "partial" if union >= SOME else "unsupported"
    return verdict, f"The score {score:.4g} is below the floor {floor:.4g}.{listed}"
