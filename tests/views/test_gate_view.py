"""The gate view without a browser: its state says what the decision says, knobs make new Traces, labels are swept."""

import gc
import json
import weakref
from dataclasses import replace
from typing import Any

import pytest

from tests.helpers import refused
from tests.views.test_picture import HOSTILE
from workbench import Config, Document, Trace, Workbench
from workbench.config import GatePolicy
from workbench.kernels.measures import confusion, threshold_sweep
from workbench.views.base import shown
from workbench.views.gate import Gate
from workbench.views.states import gate as states

RETRIED = "By what percentage does rent go up in April 2031?"
REFUSED = "Which planet has the most moons?"
PASSED = "How much is the pet deposit for a dog?"


class Heard(Gate):
    """A view that keeps what it says to the browser."""

    def say(self, message: Any, buffers: Any = None) -> None:
        self.__dict__.setdefault("said", []).append(message)
        super().say(message, buffers)


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench.sample()


@pytest.fixture(scope="module")
def retried(bench: Workbench) -> Trace:
    return bench.ask(RETRIED)


@pytest.fixture(scope="module")
def once() -> Trace:
    return Workbench.sample(config=Config(max_retries=0)).ask(REFUSED)


def tell(view: Gate, **message: Any) -> None:
    view._handle_custom_msg(message, [])


def test_the_state_holds_the_decisions_doubles_of_every_attempt(retried: Trace) -> None:
    state = states.gate(retried)
    assert len(state["attempts"]) == 3
    assert state["best"] == retried.best
    for told, attempt in zip(state["attempts"], retried.attempts, strict=True):
        gate = attempt.gate
        assert gate is not None
        features = [gate.feature(name) for name in ("top_score", "coverage", "margin", "support")]
        assert told["gate"]["values"] == [each.value for each in features]
        assert told["gate"]["contributions"] == [each.contribution for each in features]
        assert (told["gate"]["score"], told["gate"]["passed"]) == (gate.score, gate.passed)
        assert told["gate"]["causes"] == list(gate.causes)
        assert [flip["needed"] for flip in told["gate"]["flips"]] == [flip.needed for flip in gate.flips]
    assert state["policy"] == states.knobs(retried.config.gate)


def test_each_attempt_shows_what_was_added_to_the_query_and_from_which_passages(retried: Trace) -> None:
    first, second, third = states.gate(retried)["attempts"]
    assert first["diff"] == [["same", RETRIED]]
    assert second["diff"][0] == ["same", RETRIED]
    assert [kind for kind, _ in second["diff"]] == ["same", "added"]
    assert second["diff"][1][1].split() == [term["term"] for term in second["terms"]]
    assert retried.attempts[1].rewrite is not None
    for told, term in zip(second["terms"], retried.attempts[1].rewrite.terms, strict=True):
        assert (told["term"], told["count"]) == (term.term, term.count)
        assert [source["id"] for source in told["from"]] == list(term.passages)
    assert [each["stopped"] for each in (first, second)] == ["", ""]
    assert third["stopped"] == "the gate passed"


def test_a_word_diff_names_what_is_kept_added_and_gone() -> None:
    assert states.word_diff("a b c", "a c d e") == [["same", "a"], ["gone", "b"], ["same", "c"], ["added", "d e"]]
    assert states.word_diff("a", "a") == [["same", "a"]]
    assert states.word_diff("", "a") == [["added", "a"]]


def test_every_flip_with_a_slider_turns_the_verdict_when_the_slider_is_set_there(once: Trace) -> None:
    gate = states.gate(once)["attempts"][0]["gate"]
    flips = [flip for flip in gate["flips"] if flip["feasible"] and flip["knob"]]
    lenient = Workbench.sample(config=Config(max_retries=0)).ask(PASSED)
    assert [flip["knob"] for flip in states.gate(lenient)["attempts"][0]["gate"]["flips"] if flip["feasible"]]
    for trace, found in ((once, flips), (lenient, states.gate(lenient)["attempts"][0]["gate"]["flips"])):
        for flip in (each for each in found if each["feasible"] and each["knob"]):
            assert flip["knob"] in states.KNOBS
            view = Gate(trace)
            assert trace.gate is not None
            changes = {**states.knobs(trace.config.gate), flip["knob"]: flip["needed"]}
            tell(view, type="set", preset="balanced", changes=changes, turn=1)
            assert view._error == ""
            assert view.trace.gate is not None
            assert view.trace.gate.passed != trace.gate.passed
            view.close()


def test_a_knob_that_is_let_go_makes_the_trace_that_what_if_makes_and_answers_its_turn(retried: Trace) -> None:
    view = Heard(retried)
    tell(view, type="set", preset="lenient", changes={"threshold": 0.4, "min_coverage": 0.15}, turn=7)
    assert view.trace == retried.what_if(gate="lenient")
    assert view.trace.config.gate.preset == "lenient"
    assert view._state["changed"] is True
    assert len(view._state["attempts"]) == 1  # the first attempt passes now
    assert view.said == [{"type": "answered", "turn": 7}]
    tell(view, type="reset", turn=8)
    assert view.trace == retried
    assert view._state["changed"] is False
    view.close()


def test_a_knob_set_back_by_hand_is_no_change(retried: Trace) -> None:
    view = Heard(retried)
    tell(view, type="set", preset="balanced", changes={"threshold": 0.6}, turn=1)
    assert view._state["changed"] is True
    tell(view, type="set", preset="balanced", changes={"threshold": 0.55}, turn=2)
    assert (view._state["changed"], view.trace) == (False, retried)
    view.close()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"type": "set", "preset": "balanced", "changes": {"threshold": 1.5}}, "threshold is 1.5"),
        ({"type": "set", "preset": "balanced", "changes": {"weight_margin": -1}}, "weight_margin is -1"),
        ({"type": "set", "preset": "mild", "changes": {}}, "preset is 'mild'"),
        ({"type": "set", "preset": "balanced", "changes": {"k": 60}}, "gate setting is 'k'"),
        ({"type": "set", "preset": "balanced", "changes": [1]}, "changes is [1]"),
        ({"type": "open", "row": 0}, "row is 0"),
        ({"type": "delete"}, "it may send"),
    ],
)
def test_what_python_refuses_is_said_in_the_view_and_the_last_trace_stays(
    retried: Trace, message: dict[str, Any], said: str
) -> None:
    view = Gate(retried)
    tell(view, **message)
    assert said in view._error
    assert view.trace is retried
    view.close()


# ---------------------------------------------------------------- labelled queries


def test_triples_are_swept_as_the_kernel_sweeps_them(retried: Trace) -> None:
    queries = [("a", 0.9, True), ("b", 0.6, False), ("c", 0.5, True), ("d", 0.1, False)]
    view = Gate(retried, queries=queries)
    tried = view._state["labelled"]
    scores, answerable = [0.9, 0.6, 0.5, 0.1], [True, False, True, False]
    sweep = threshold_sweep(scores, answerable, tried["thresholds"])
    assert tried["sweep"] == [[each.tp, each.fp, each.fn, each.tn] for each in sweep]
    assert tried["at"] == [1, 1, 1, 1]
    assert tried["idle"] == []
    tell(view, type="set", preset="balanced", changes={"threshold": 0.3, "weight_margin": 1}, turn=1)
    assert view._state["labelled"]["at"] == [2, 1, 0, 1]  # a bare score moves with no weight
    view.close()


def test_traces_as_labels_follow_every_knob_and_open(bench: Workbench, retried: Trace) -> None:
    pairs = [(bench.ask(PASSED), True), (bench.ask(REFUSED), False), (retried, True)]
    view = Gate(retried, queries=pairs)
    assert view._state["labelled"]["at"] == [2, 0, 0, 1]
    tell(view, type="set", preset="strict", changes={"threshold": 0.2, "min_coverage": 0.9}, turn=1)
    policy = view.trace.config.gate
    passed = []
    for trace, _ in pairs:
        score, floors = states.standing(states.labelled((trace, True), 0), policy)
        assert trace.gate is not None
        assert floors == (trace.gate.feature("coverage").value >= 0.9)
        passed.append(floors and score >= 0.2)
    found = confusion(passed, [answerable for _, answerable in pairs])
    assert view._state["labelled"]["at"] == [found.tp, found.fp, found.fn, found.tn]
    tell(view, type="open", row=1, turn=2)
    assert (view._error, view.trace.query) == ("", REFUSED)
    assert view.trace.config.gate == policy
    tell(view, type="reset", turn=3)
    assert view.trace == retried
    view.close()


def test_a_labelled_run_without_evidence_never_passes() -> None:
    row = states.Labelled("q", True, 0.0, (0.0, 0.0, 0.0, 0.0), 0)
    assert states.standing(row, GatePolicy(threshold=0, min_top_score=0, min_coverage=0)) == (0.0, False)


def test_a_feature_that_tells_no_query_from_another_is_called_out(bench: Workbench, retried: Trace) -> None:
    rows = [states.labelled((bench.ask(PASSED), True), place) for place in range(3)]
    told = states.gate(retried, rows)["labelled"]["idle"]
    assert [line.split()[0] for line in told] == ["top_score", "coverage", "margin", "support"]


@pytest.mark.parametrize(
    ("row", "code", "said"),
    [
        (("q", float("nan"), True), "not_finite", "queries[0]: score"),
        (("q", 0.5, "yes"), "wrong_type", "answerable is 'yes'"),
        (("  ", 0.5, True), "empty_query", "query is '  '"),
        (("q", 0.5), "wrong_type", "give (query, score, answerable) or (Trace, answerable)"),
        ("q", "wrong_type", "queries[0] is 'q'"),
        (7, "wrong_type", "queries[0] is 7"),
    ],
)
def test_labels_that_cannot_be_read_are_refused(retried: Trace, row: Any, code: str, said: str) -> None:
    with refused(code, said):
        Gate(retried, queries=[row])


# ---------------------------------------------------------------- the house rules of views


def test_a_run_without_a_gate_says_so(retried: Trace) -> None:
    bare = replace(retried, attempts=tuple(replace(each, gate=None) for each in retried.attempts))
    assert states.gate(bare)["attempts"][0]["gate"] is None
    with refused("nothing_to_search", "no gate decision"):
        Gate(retried, queries=[(bare, True)])


def test_state_and_script_stay_small(retried: Trace) -> None:
    view = Gate(retried)
    assert len(json.dumps(view._state).encode()) < 40_000
    assert len(Gate._esm) < 60_000
    view.close()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_crosses_as_visible_text(text: str) -> None:
    document = Document(f"id {text}", f"# {text}\n\nThe word is {text} and the caretaker reads the meter.", title=text)
    trace = Workbench([document], signals=["text"]).ask(f"caretaker balloon zeppelin {text}")
    told = json.dumps(shown(states.gate(trace)), ensure_ascii=False)
    assert not {"\x00", "\u202e"} & set(told)


def test_a_closed_view_is_freed(retried: Trace) -> None:
    view = Gate(retried, queries=[("a", 0.9, True)])
    gone = weakref.ref(view)
    view.close()
    del view
    gc.collect()
    assert gone() is None
