"""One answer sentence against prepared evidence: scores side by side, word states, flags, verdict."""

from collections.abc import Sequence

from workbench.frozen import FrozenMap
from workbench.kernels import verbatim
from workbench.kernels.alignment import align, bigram_share, in_order, lcs
from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.flags import flags
from workbench.kernels.overlap import best_f1
from workbench.kernels.sides import Laid, side
from workbench.kernels.states import added, marked, state
from workbench.kernels.texts import read_claim
from workbench.kernels.windows import Evidence, covered
from workbench.records import Flag, SentenceGrounding, TokenMatch, Window

FLOOR = 0.5
SOME = 0.4
PENALTY = 0.15
MOST_FLAGS = 2
ADDED = 0.25
"""Share of the content words that, in one run and held by no evidence, is more than a change of wording."""


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
    carries at least 0.4 of the sentence's weight), ``supported`` (score ≥ floor, no number, date or name
    that no evidence holds, and no run of two or more words, a quarter of the content words, that none
    holds), ``partial`` (score ≥ floor, or union coverage ≥ 0.4), ``unsupported``.
    """
    text = answer[start:end]
    tokens, found = read_claim(answer, start, end, reader)
    terms = tuple(dict.fromkeys(token.term for token in tokens if not token.stop))
    if not tokens:
        return _not_checkable(text, start, end, tokens, "There is no word that the analyzer reads.")
    own = frozenset(reader.terms(text))
    copied = verbatim.find(text, own, evidence)
    if copied is not None:
        return _verbatim(text, start, end, tokens, copied, evidence, own)
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
    matches = [state(i, claim, laid, evidence) for i in range(len(tokens))]
    flagged = flags(claim, laid, evidence, dict(zip(terms, weights, strict=True)), [m.state for m in matches], reader)
    scores = _scores(tokens, terms, weights, [s.held for s in stretches], laid)
    scores = {"f1": best_f1(own, evidence.content)[0]} | scores
    if any(flag.kind == "negation" for flag in flagged):
        scores["ordered"] = 0.0
    score = _mix(scores, flagged)
    verdict, reason = _verdict(answer, score, scores["union_coverage"], flagged, matches, floor)
    return SentenceGrounding(
        text,
        start,
        end,
        verdict,
        score,
        FrozenMap(scores),
        tuple(each.side.window(each.side.start, each.side.end) for each in laid),
        marked(matches, flagged),
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
    own: frozenset[str],
) -> SentenceGrounding:
    """All scores but F1 are 1 by what verbatim means. Words are matched one to one, in order."""
    source = evidence.reads[evidence.ids.index(copied.passage_id)]
    held = [s for s, (a, b) in enumerate(source.spans) if a < copied.end and copied.start < b]
    theirs = [t for s in held for t in source.row(s)[0] if copied.start <= t.start and t.end <= copied.end]
    at = [Window(copied.passage_id, t.start, t.end) for t in theirs] if len(theirs) == len(tokens) else []
    states = tuple(
        TokenMatch(token.start, token.end, "stop" if token.stop else "matched", tuple(at[i : i + 1]))
        for i, token in enumerate(tokens)
    )
    scores = dict.fromkeys(("containment", "idf_coverage", "union_coverage", "bigrams", "lcs", "ordered"), 1.0)
    scores = {"f1": best_f1(own, evidence.content)[0]} | scores
    reason = f"It stands word for word in {copied.passage_id!r}."
    return SentenceGrounding(
        text, start, end, "supported_verbatim", 1.0, FrozenMap(scores), (copied,), states, reason=reason
    )


def _scores(
    tokens: Sequence[Token], terms: Sequence[str], weights: Sequence[float], held: Sequence[int], laid: Sequence[Laid]
) -> dict[str, float]:
    best = held[0] if held else 0
    both = best | (held[1] if len(held) > 1 else 0)
    mine = [token.term for token in tokens]
    windows = [[token.term for token in each.side.tokens] for each in laid]
    longest = lcs(mine, windows[0]) if windows else 0
    return {
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


def _verdict(
    answer: str, score: float, union: float, flagged: Sequence[Flag], matches: Sequence[TokenMatch], floor: float
) -> tuple[str, str]:
    conflicts = [flag for flag in flagged if flag.severity == "conflict"]
    if conflicts and union >= SOME:
        return "conflict", conflicts[0].sentence
    if score >= floor:
        unknown = [flag for flag in flagged if flag.at is None]
        if unknown:
            return "partial", unknown[0].sentence
        run, content = added(matches)
        if len(run) > 1 and len(run) >= ADDED * content:
            words = ", ".join(repr(answer[a:b]) for a, b in run)
            return "partial", f"The sentence adds what no evidence holds: {words}."
        return "supported", f"The score {score:.4g} reaches the floor {floor:.4g}."
    return "partial" if union >= SOME else "unsupported", f"The score {score:.4g} is below the floor {floor:.4g}."
