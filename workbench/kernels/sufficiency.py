"""The sufficiency gate: does the evidence carry the question? (R6, R6a, R7; features of rerankgate 0.2.0)."""

from collections.abc import Sequence
from dataclasses import fields

from workbench import checks
from workbench.config import GatePolicy
from workbench.kernels import analysis
from workbench.kernels.analysis import Analyzer
from workbench.kernels.gate_flips import Limits, causes_of, flips_of, fold, said
from workbench.kernels.overlap import shared
from workbench.records import Condition, Feature, GateDecision, MissingTerm, Setting

Evidence = Sequence[tuple[str, str, float]]
WEIGHTED = ("top_score", "coverage", "margin", "support")
SUPPORTED_BY = 3
"""Support compares the first three passages with each other."""


def features(
    query: str, evidence: Evidence, *, policy: GatePolicy | None = None, analyzer: str | Analyzer = "english"
) -> tuple[Feature, ...]:
    """The gate's five features over ``evidence``: (id, text, score), best first.

    * ``top_score``: the best score, at most 1.
    * ``coverage``: share of the query's distinct content terms that any passage holds; 0 for a query
      without content terms.
    * ``margin``: (s0 - s1) / s0 of the two best scores; 0 where there is no second one or s0 is not above 0.
    * ``support``: mean Jaccard overlap of content terms over all pairs of the first three passages; 0
      where there is no pair.
    * ``depth``: passages that score at least ``policy.depth_score``. It carries no weight.

    A note says where a value is a convention rather than a measurement.

    Raises:
        WorkbenchError: ``not_finite`` (a NaN score never passes), ``repeated_id``, ``wrong_type``.
    """
    return _measure(query, evidence, policy or GatePolicy(), analyzer)[0]


def gate(
    query: str,
    evidence: Evidence,
    policy: GatePolicy | None = None,
    *,
    analyzer: str | Analyzer = "english",
    candidates: Evidence = (),
) -> GateDecision:
    """Whether ``evidence``, (id, text, score) best first, suffices for ``query`` under ``policy``.

    The score is the left fold of weight · value over top_score, coverage, margin and support. It passes
    when the score reaches the threshold and neither floor is broken. ``causes`` are the violated
    conditions and nothing else; ``notes`` observe a low margin or a low consensus and decide nothing.
    No evidence is a decision (it does not pass), not an error.

    With ``policy.review_threshold`` there are two thresholds, and ``outcome`` is ``answer``, ``review`` or
    ``refuse``. ``candidates``, passages outside the evidence, best first, tell where a missing query word
    would come from (``missing_terms``), and whether the gate, run again with that passage, turns.

    ``codes`` are rerankgate 0.2.0's, for parity: PASS alone when it passes; otherwise every one of
    LOW_TOP_SCORE, LOW_COVERAGE, NO_MARGIN and NO_CONSENSUS that applies, cause or not;
    SCORE_BELOW_THRESHOLD only where none of them does; NO_EVIDENCE alone without evidence.

    Raises:
        WorkbenchError: as ``features``.
    """
    by = policy or GatePolicy()
    measured, covered, missing = _measure(query, evidence, by, analyzer)
    values = {each.name: each.value for each in measured}
    limits = Limits.of(by)
    score = fold(tuple(values[name] for name in WEIGHTED), limits.weights)
    causes = causes_of(tuple(values[name] for name in WEIGHTED), limits) if evidence else ("evidence",)
    conditions = _conditions(len(evidence), values, score, limits)
    notes = _notes(values, by) if evidence else ()
    return GateDecision(
        passed=not causes,
        score=score,
        threshold=by.threshold,
        preset=by.preset,
        query=query,
        features=measured,
        conditions=conditions,
        causes=causes,
        notes=notes,
        codes=_codes(causes, notes),
        reasons=tuple(c.sentence for c in conditions if not c.passed)
        + tuple(_note_sentence(note, values, by) for note in notes),
        flips=flips_of(values, limits, covered, missing) if evidence else (),
        covered=covered,
        missing=missing,
        explanation=_explanation(conditions, score, by),
        outcome=_outcome(causes, score, by),
        review_threshold=by.review_threshold,
        settings=_settings(by),
        missing_terms=_missing_terms(query, evidence, candidates, by, analyzer, missing, not causes),
    )


def _outcome(causes: tuple[str, ...], score: float, policy: GatePolicy) -> str:
    if not causes:
        return "answer"
    near = policy.review_threshold is not None and score >= policy.review_threshold
    return "review" if near and causes == ("score",) else "refuse"


def _settings(policy: GatePolicy) -> tuple[Setting, ...]:
    declared = GatePolicy.of_preset(policy.preset.split(",")[0])
    names = [field.name for field in fields(GatePolicy) if field.name != "preset"]
    return tuple(Setting(name, getattr(declared, name), getattr(policy, name)) for name in names)


def _missing_terms(
    query: str,
    evidence: Evidence,
    candidates: Evidence,
    policy: GatePolicy,
    analyzer: str | Analyzer,
    missing: tuple[str, ...],
    passes: bool,
) -> tuple[MissingTerm, ...]:
    """Where each missing word would come from; a passage is asked about once, by running the gate with it."""
    rows = list(candidates)
    ids = [checks.item_id(row[0], f"candidate {i}") for i, row in enumerate(rows, start=1)]
    checks.no_repeats([*(row[0] for row in evidence), *ids], "evidence and candidates")
    if not rows or not missing:
        return ()
    reader = analysis.analyzer(analyzer) if isinstance(analyzer, str) else analyzer
    held = [frozenset(reader.terms(text)) for _, text, _ in rows]
    turned: dict[int, bool] = {}
    found = []
    for word, term in _words(query, reader).items():
        if word not in missing:
            continue
        place = next((n for n, terms in enumerate(held) if term in terms), None)
        if place is None:
            found.append(MissingTerm(word, None, None, False))
            continue
        if place not in turned:
            turned[place] = gate(query, [*evidence, rows[place]], policy, analyzer=reader).passed != passes
        found.append(MissingTerm(word, ids[place], place + 1, turned[place]))
    return tuple(found)


def _words(query: str, reader: Analyzer) -> dict[str, str]:
    """Each distinct content word of the query as it is written first, with its term."""
    words: dict[str, str] = {}
    for token in reader.tokens(query):
        if not token.stop:
            words.setdefault(token.term, query[token.start : token.end])
    return {word: term for term, word in words.items()}


def _measure(
    query: str, evidence: Evidence, policy: GatePolicy, analyzer: str | Analyzer
) -> tuple[tuple[Feature, ...], tuple[str, ...], tuple[str, ...]]:
    """The features, and the query's words that are covered and missing, as the query writes them."""
    checks.text("query", query)
    ids = [checks.item_id(row[0], f"evidence {i}") for i, row in enumerate(evidence, start=1)]
    checks.no_repeats(ids, "evidence")
    scores = [checks.number(f"score of {id!r}", row[2]) for id, row in zip(ids, evidence, strict=True)]
    reader = analysis.analyzer(analyzer) if isinstance(analyzer, str) else analyzer
    texts = [frozenset(reader.terms(checks.text(f"text of {row[0]!r}", row[1]))) for row in evidence]

    words = _words(query, reader)
    held = frozenset().union(*texts)
    covered = tuple(word for word, term in words.items() if term in held)
    missing = tuple(word for word, term in words.items() if term not in held)

    top, top_note = (min(1.0, max(scores)), "") if scores else (0.0, "no evidence")
    if scores and max(scores) > 1.0:
        top_note = f"the best score is {max(scores):g} and counts as 1"
    coverage = len(covered) / len(words) if words else 0.0
    margin, margin_note = _margin(scores)
    support, support_note = _support(texts[:SUPPORTED_BY])
    depth = sum(1 for score in scores if score >= policy.depth_score)
    return (
        (
            _weighted("top_score", top, policy.weight_top_score, policy.min_top_score, top_note),
            _weighted(
                "coverage",
                coverage,
                policy.weight_coverage,
                policy.min_coverage,
                "" if words else "the query has no content terms",
            ),
            _weighted("margin", margin, policy.weight_margin, None, margin_note),
            _weighted("support", support, policy.weight_support, None, support_note),
            Feature("depth", float(depth), note=f"passages that score at least {policy.depth_score:g}"),
        ),
        covered,
        missing,
    )


def _weighted(name: str, value: float, weight: float, floor: float | None, note: str) -> Feature:
    return Feature(name, value, weight, weight * value, floor, None if floor is None else value - floor, note)


def _margin(scores: Sequence[float]) -> tuple[float, str]:
    # by score, not by place: diversity may have put another passage second
    best = sorted(scores, reverse=True)[:2]
    if len(best) < 2:
        return 0.0, "no second passage to lead over"
    if not best[0] > 0:
        return 0.0, f"the best score is {best[0]:g}, so no share of it can be formed"
    return max(0.0, (best[0] - best[1]) / best[0]), ""


def _support(texts: Sequence[frozenset[str]]) -> tuple[float, str]:
    pairs = [(a, b) for i, a in enumerate(texts) for b in texts[i + 1 :]]
    if not pairs:
        return 0.0, "no second passage to agree with"
    total = 0.0
    for a, b in pairs:
        total += shared(a, b)
    return total / len(pairs), ""


def _conditions(count: int, values: dict[str, float], score: float, limits: Limits) -> tuple[Condition, ...]:
    if not count:
        sentence = "No evidence came through, so there is nothing to answer from."
        return (Condition("evidence", 0.0, 1.0, -1.0, False, True, sentence),)
    tests = [
        ("top_score", values["top_score"], limits.min_top_score, "The best evidence score"),
        ("coverage", values["coverage"], limits.min_coverage, "The share of query terms found in the evidence"),
        ("score", score, limits.threshold, "The gate's score"),
    ]
    # what decides is the condition that fails by most, or the one that holds by least
    binding = min(tests, key=lambda test: test[1] - test[2])[0]
    whole = "passage" if count == 1 else "passages"
    rows = [Condition("evidence", float(count), 1.0, count - 1.0, True, False, f"There is evidence: {count} {whole}.")]
    for id, observed, limit, subject in tests:
        passed = observed >= limit
        shown, against = said(observed, limit)
        relation = "reaches" if passed else "is below"
        kind = "the threshold" if id == "score" else "the floor"
        sentence = f"{subject}, {shown}, {relation} {kind} {against}."
        rows.append(Condition(id, observed, limit, observed - limit, passed, id == binding, sentence))
    return tuple(rows)


def _notes(values: dict[str, float], policy: GatePolicy) -> tuple[str, ...]:
    low_margin = values["margin"] < policy.low_margin
    low_consensus = values["support"] < policy.low_support and values["depth"] >= 2
    return ("low_margin",) * low_margin + ("low_consensus",) * low_consensus


def _note_sentence(note: str, values: dict[str, float], policy: GatePolicy) -> str:
    if note == "low_margin":
        shown, against = said(values["margin"], policy.low_margin)
        return f"Note: the best passage leads by a margin of {shown}, less than {against}; this decides nothing."
    shown, against = said(values["support"], policy.low_support)
    return f"Note: the first passages share {shown} of their terms, less than {against}; this decides nothing."


def _codes(causes: tuple[str, ...], notes: tuple[str, ...]) -> tuple[str, ...]:
    if not causes:
        return ("PASS",)
    if causes == ("evidence",):
        return ("NO_EVIDENCE",)
    applies = (
        ("LOW_TOP_SCORE", "top_score" in causes),
        ("LOW_COVERAGE", "coverage" in causes),
        ("NO_MARGIN", "low_margin" in notes),
        ("NO_CONSENSUS", "low_consensus" in notes),
    )
    return tuple(code for code, holds in applies if holds) or ("SCORE_BELOW_THRESHOLD",)


def _explanation(conditions: tuple[Condition, ...], score: float, policy: GatePolicy) -> str:
    failed = [c for c in conditions if not c.passed]
    if not failed:
        shown, against = said(score, policy.threshold)
        return f"The evidence suffices: the score {shown} reaches the threshold {against} and no floor is broken."
    if failed[0].id == "evidence":
        return "The evidence does not suffice: there is none."
    names = {"score": "the score", "top_score": "the best evidence score", "coverage": "the query term coverage"}
    parts = []
    for each in failed:
        shown, against = said(each.observed, each.limit)
        kind = "threshold" if each.id == "score" else "floor"
        parts.append(f"{names[each.id]} {shown} is below the {kind} {against}")
    return f"The evidence does not suffice: {', and '.join(parts)}."
