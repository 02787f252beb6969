import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.config import GatePolicy
from workbench.kernels.gate_flips import Limits, causes_of
from workbench.kernels.sufficiency import features, gate
from workbench.records import GateDecision

SEED = json.loads((Path(__file__).parents[1] / "conformance" / "rerankgate.json").read_text(encoding="utf-8"))
EVIDENCE = [("a", "written notice of ninety days", 0.9), ("b", "a written notice ends the lease", 0.5)]
POLICY_NAMES = {
    "top_score": "weight_top_score",
    "coverage": "weight_coverage",
    "margin": "weight_margin",
    "support": "weight_support",
}


@pytest.mark.parametrize("case", SEED["gate"], ids=lambda case: f"{case['query']!r} {case['preset']}")
def test_R6_the_gate_equals_the_seed(case: dict) -> None:
    evidence = [tuple(row) for row in case["evidence"]]
    decision = gate(case["query"], evidence, GatePolicy.of_preset(case["preset"]), analyzer="ascii")
    expect = case["expect"]
    assert decision.passed is expect["passed"]
    assert round(decision.score, 4) == expect["score"]
    assert decision.threshold == expect["threshold"]
    assert list(decision.codes) == expect["reasons"]
    assert {f.name: round(f.value, 4) for f in decision.features} == expect["features"]


def test_R6_a_decision_says_all_of_itself() -> None:
    decision = gate("written notice", EVIDENCE)
    top, coverage, margin, support, depth = decision.features
    assert (top.value, top.weight, top.contribution, top.floor, top.margin) == (0.9, 0.35, 0.35 * 0.9, 0.10, 0.9 - 0.10)
    assert (coverage.value, coverage.floor) == (1.0, 0.25)
    assert margin.value == (0.9 - 0.5) / 0.9
    assert (depth.value, depth.weight, depth.contribution) == (2.0, None, None)
    assert decision.score == top.contribution + coverage.contribution + margin.contribution + support.contribution
    assert [c.id for c in decision.conditions] == ["evidence", "top_score", "coverage", "score"]
    assert (decision.passed, decision.causes, decision.codes) == (True, (), ("PASS",))


def test_R6a_causes_hold_the_violated_conditions_and_notes_the_observations() -> None:
    # the seed's codes for this one are NO_MARGIN alone, though the score is why it fails
    case = SEED["gate"][1]
    decision = gate(case["query"], [tuple(row) for row in case["evidence"]], analyzer="ascii")
    assert decision.codes == ("NO_MARGIN",)
    assert decision.causes == ("score",)
    assert decision.notes == ("low_margin",)
    assert decision.reasons == (
        "The gate's score, 0.4231, is below the threshold 0.55.",
        "Note: the best passage leads by a margin of 0.02051, less than 0.05; this decides nothing.",
    )
    assert decision.explanation == "The evidence does not suffice: the score 0.4231 is below the threshold 0.55."


def test_R6a_a_broken_floor_is_a_cause_of_its_own() -> None:
    decision = gate("parking permit", [("a", "written notice", 0.9), ("b", "written notice", 0.1)])
    assert decision.score > decision.threshold
    assert decision.causes == ("coverage",)
    assert decision.codes == ("LOW_COVERAGE",)
    assert decision.missing == ("parking", "permit")
    low = gate("written notice", [("a", "written notice", 0.05)], GatePolicy(threshold=0.1))
    assert low.causes == ("top_score",)
    assert low.codes == ("LOW_TOP_SCORE", "NO_MARGIN")


def test_score_below_threshold_is_the_code_only_where_no_other_applies() -> None:
    decision = gate("written notice", EVIDENCE, GatePolicy(threshold=1.0))
    assert decision.codes == ("SCORE_BELOW_THRESHOLD",)


def test_no_evidence_is_a_decision_not_an_error() -> None:
    decision = gate("anything", [])
    assert (decision.passed, decision.codes, decision.causes) == (False, ("NO_EVIDENCE",), ("evidence",))
    assert decision.explanation == "The evidence does not suffice: there is none."
    assert decision.flips == decision.notes == ()
    assert decision.missing == ("anything",)


def test_one_passage_has_no_lead_and_nothing_to_agree_with() -> None:
    decision = gate("written notice", EVIDENCE[:1])
    assert decision.feature("margin").note == "no second passage to lead over"
    assert decision.feature("support").note == "no second passage to agree with"
    assert decision.score == pytest.approx(0.35 * 0.9 + 0.30)


def test_the_margin_is_between_the_two_best_scores_wherever_they_stand() -> None:
    diverse = [("a", "x", 0.9), ("c", "z", 0.2), ("b", "y", 0.8)]  # diversity put the third second
    assert features("x", diverse)[2].value == pytest.approx(0.1 / 0.9)


def test_a_best_score_above_one_counts_as_one_and_the_note_says_so() -> None:
    top = features("x", [("a", "x", 7.5)])[0]
    assert (top.value, top.note) == (1.0, "the best score is 7.5 and counts as 1")


def test_coverage_names_the_words_as_asked() -> None:
    decision = gate("Which Deposits were returned, and when?", [("a", "the deposit", 0.5)])
    assert decision.covered == ("Deposits",)
    assert decision.missing == ("returned",)


def test_R7_a_threshold_set_by_hand_is_honoured() -> None:
    decision = gate("written notice", EVIDENCE, GatePolicy(threshold=0.3))
    assert (decision.threshold, decision.preset) == (0.3, "balanced, threshold set to 0.3")
    assert GatePolicy.of_preset("balanced", threshold=0.3).threshold == 0.3
    strict = GatePolicy.of_preset("strict", min_coverage=0.0)
    assert (strict.threshold, strict.min_coverage, strict.preset) == (0.7, 0.0, "strict, min_coverage set to 0")


def test_the_binding_condition_fails_by_most_or_holds_by_least() -> None:
    passing = gate("written notice", EVIDENCE)
    assert [c.id for c in passing.conditions if c.binding] == ["score"]
    failing = gate("parking permit fees", [("a", "written", 0.9), ("b", "notice", 0.1)], GatePolicy(min_coverage=0.9))
    assert [c.id for c in failing.conditions if c.binding] == ["coverage"]


def test_the_flip_of_coverage_says_how_many_whole_words_it_takes() -> None:
    case = SEED["gate"][1]
    decision = gate(case["query"], [tuple(row) for row in case["evidence"]], analyzer="ascii")
    coverage = next(f for f in decision.flips if (f.kind, f.name) == ("feature", "coverage"))
    assert (coverage.feasible, coverage.needed) == (False, pytest.approx(1.0895, abs=1e-3))
    margin = next(f for f in decision.flips if (f.kind, f.name) == ("feature", "margin"))
    assert margin.feasible
    assert margin.sentence == "With margin at 0.655 instead of 0.02051, all else kept, the gate would pass."
    third = gate("red green blue", [("a", "red green", 0.9), ("b", "red", 0.5)], GatePolicy(threshold=0.72))
    words = next(f for f in third.flips if (f.kind, f.name) == ("feature", "coverage"))
    assert words.needed == pytest.approx(0.8037, abs=1e-4)
    assert words.sentence == (
        "With coverage at 0.8037 instead of 0.6667, all else kept, the gate would pass; "
        "that takes 3 of the query's 3 words in the evidence."
    )


def test_no_flip_is_feasible_while_a_floor_that_it_does_not_mend_fails() -> None:
    decision = gate("parking permit", [("a", "written notice", 0.9), ("b", "x", 0.1)])
    assert decision.causes == ("coverage", "score")
    feasible = {(f.kind, f.name) for f in decision.flips if f.feasible}
    assert feasible == {("feature", "coverage")}


def turned(decision: GateDecision, policy: GatePolicy, kind: str, name: str, value: float) -> bool:
    """The verdict with one number changed, by the gate's arithmetic."""
    numbers = {f.name: f.value for f in decision.features}
    if kind == "feature":
        numbers[name] = value
        limits = Limits.of(policy)
    else:
        base = Limits.of(policy)
        if kind == "weight":
            weights = tuple(value if n == name else w for n, w in zip(POLICY_NAMES, base.weights, strict=True))
            limits = replace(base, weights=weights)
        else:
            limits = replace(base, **{name: value})
    values = tuple(numbers[n] for n in POLICY_NAMES)
    return not causes_of(values, limits)


unit = st.floats(0, 1).map(lambda x: round(x, 3))


@given(
    st.lists(st.tuples(st.text("ab ", max_size=5), st.floats(0, 1.2)), min_size=1, max_size=5),
    st.sampled_from(["a b", "aa bb cc", "a", "the"]),
    st.tuples(unit, unit, unit),
    st.tuples(unit, unit, unit, unit),
)
@settings(deadline=None, max_examples=300)
def test_every_feasible_flip_turns_the_verdict_and_nothing_nearer_does(rows, query, limits, weights) -> None:
    policy = GatePolicy(
        threshold=limits[0],
        min_top_score=limits[1],
        min_coverage=limits[2],
        **dict(zip(POLICY_NAMES.values(), weights, strict=True)),
    )
    evidence = [(f"e{i}", text, score) for i, (text, score) in enumerate(rows)]
    decision = gate(query, evidence, policy, analyzer="plain")
    folded = decision.features[0].contribution
    for feature in decision.features[1:4]:
        folded += feature.contribution
    assert decision.score == folded
    assert decision.passed == (not decision.causes) == all(c.passed for c in decision.conditions)
    for flip in decision.flips:
        if not flip.feasible:
            continue
        assert turned(decision, policy, flip.kind, flip.name, flip.needed) != decision.passed, flip
        step = 1e-9 * max(1.0, abs(flip.needed))
        if abs(flip.observed - flip.needed) > step:
            for nearly in (0.99, 1 - step / abs(flip.needed - flip.observed)):
                back = flip.observed + nearly * (flip.needed - flip.observed)
                assert turned(decision, policy, flip.kind, flip.name, back) == decision.passed, flip
        if flip.kind == "feature" and flip.name == "coverage":
            count, of = map(int, re.findall(r"takes (\d+) of the query's (\d+)", flip.sentence)[0])
            assert of == len(decision.covered) + len(decision.missing)
            assert turned(decision, policy, flip.kind, flip.name, count / of) != decision.passed, flip


def test_a_feasible_flip_of_the_policy_turns_the_gate_itself() -> None:
    decision = gate("written notice", EVIDENCE)
    for flip in decision.flips:
        if flip.feasible and flip.kind != "feature":
            field = POLICY_NAMES.get(flip.name, flip.name) if flip.kind == "weight" else flip.name
            assert not gate("written notice", EVIDENCE, GatePolicy(**{field: flip.needed})).passed, flip


def test_two_thresholds_give_answer_review_and_refuse() -> None:
    score = gate("written notice", EVIDENCE).score

    def outcome(threshold: float, review: float | None) -> str:
        return gate("written notice", EVIDENCE, GatePolicy(threshold=threshold, review_threshold=review)).outcome

    assert outcome(score, 0.1) == "answer"
    assert outcome(score + 0.01, score) == "review"
    assert outcome(score + 0.02, score + 0.01) == "refuse"
    assert outcome(score + 0.01, None) == "refuse"


def test_review_is_not_for_a_broken_floor() -> None:
    decision = gate("parking permit", [("a", "written notice", 0.9)], GatePolicy(review_threshold=0.0))
    assert decision.causes == ("coverage", "score")
    assert (decision.outcome, decision.passed) == ("refuse", False)


def test_settings_stand_beside_what_the_preset_declares() -> None:
    decision = gate("written notice", EVIDENCE, GatePolicy.of_preset("strict", threshold=0.3, weight_margin=0.0))
    assert {s.name: (s.declared, s.effective) for s in decision.overrides} == {
        "threshold": (0.7, 0.3),
        "weight_margin": (0.2, 0.0),
    }
    assert gate("written notice", EVIDENCE).overrides == ()
    assert len(decision.settings) == 11


def test_a_missing_word_names_the_nearest_passage_that_would_supply_it() -> None:
    outside = [("c", "parking for visitors", 0.4), ("d", "a resident permit for parking", 0.3)]
    decision = gate("parking permit tariff", EVIDENCE, candidates=outside)
    assert [(m.term, m.passage_id, m.place) for m in decision.missing_terms] == [
        ("parking", "c", 1),
        ("permit", "d", 2),
        ("tariff", None, None),
    ]
    assert gate("parking permit tariff", EVIDENCE).missing_terms == ()  # nobody said what lies outside


@given(
    st.lists(st.tuples(st.text("ab ", max_size=5), st.floats(0, 1)), min_size=1, max_size=4),
    st.lists(st.tuples(st.text("abc ", max_size=5), st.floats(0, 1)), max_size=4),
    st.sampled_from(["a b c", "aa c cc", "c"]),
    unit,
)
@settings(deadline=None)
def test_a_passage_that_is_said_to_turn_the_gate_turns_it(rows, rest, query, threshold) -> None:
    policy = GatePolicy(threshold=threshold)
    evidence = [(f"e{i}", text, score) for i, (text, score) in enumerate(rows)]
    outside = [(f"o{i}", text, score) for i, (text, score) in enumerate(rest)]
    decision = gate(query, evidence, policy, analyzer="plain", candidates=outside)
    assert len(decision.missing_terms) == (len(decision.missing) if outside else 0)
    for missing in decision.missing_terms:
        if missing.place is not None:
            added = outside[missing.place - 1]
            assert missing.passage_id == added[0]
            again = gate(query, [*evidence, added], policy, analyzer="plain")
            assert missing.term in again.covered
            assert (again.passed != decision.passed) is missing.turns


def test_every_number_in_a_sentence_is_the_records_own() -> None:
    for case in SEED["gate"]:
        decision = gate(case["query"], [tuple(row) for row in case["evidence"]], GatePolicy.of_preset(case["preset"]))
        own = [decision.score, decision.threshold, float(len(case["evidence"]))]
        own += [n for f in decision.features for n in (f.value, f.weight, f.floor) if n is not None]
        own += [n for c in decision.conditions for n in (c.observed, c.limit)]
        own += [n for f in decision.flips for n in (f.observed, f.needed)]
        own += [0.05]  # the policy's own limits of the notes
        own += range(len(decision.covered) + len(decision.missing) + 1)
        for sentence in (*decision.reasons, decision.explanation, *(f.sentence for f in decision.flips)):
            for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", sentence):
                assert any(number in (f"{n:.4g}", repr(n)) for n in own), (number, sentence)


def test_R_a_nan_score_never_passes() -> None:
    with refused("not_finite", "score of 'a'", "nan"):
        gate("x", [("a", "x", float("nan"))])
    with refused("repeated_id", "'a'"):
        gate("x", [("a", "x", 0.5), ("a", "y", 0.4)])
    with refused("not_finite", "threshold"):
        GatePolicy(threshold=float("nan"))
    with refused("contradiction", "review_threshold 0.6", "0.55"):
        GatePolicy(review_threshold=0.6)
    with refused("repeated_id", "'a'"):
        gate("x", [("a", "x", 0.5)], candidates=[("a", "x", 0.1)])
    with refused("unknown_preset", "'balancd'", "balanced"):
        GatePolicy.of_preset("balancd")
