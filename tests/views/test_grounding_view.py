"""The grounding view without a browser: ranges of pieces give back the very spans, floors and methods are Python's."""

import gc
import json
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.views.test_picture import HOSTILE
from workbench import Document, Trace, Workbench
from workbench.kernels.grounding import ground
from workbench.records import Flag, TokenMatch, Window
from workbench.views.base import shown
from workbench.views.grounding import Grounding
from workbench.views.states import grounding as states

POLICY = (
    "Customers may return unused items within 30 days of delivery for a full refund. Gift cards and clearance stock "
    "cannot be returned. The buyer pays return postage unless the item arrived damaged. Branches keep other hours and "
    "other prices; the Harbour branch opens at nine, the Ropewalk branch at ten, and the Saltern branch on Mondays."
)
SCRIPTS = "東京の配達は三日かかります。 Cafe\u0301 🎉 parties are allowed on Fridays. يمكن إرجاع السلع خلال 30 يوما."
ANSWER = (
    "Customers may return unused items within 90 days of delivery for a full refund. Gift cards and clearance stock "
    "cannot be returned. 🎉 Cafe\u0301 parties are allowed on Fridays. يمكن إرجاع السلع خلال 30 يوما. 東京の配達は三日かかります。 "
    "The moon is made of cheese. It is what it is."
)


def asked(answer: str, *texts: str, judge: Any = "alignment") -> Trace:
    documents = [Document(f"d{i}", text) for i, text in enumerate(texts)]
    bench = Workbench(documents, signals=["text"], generator=lambda query, passages: answer, judge=judge)
    return bench.ask("May customers return gift cards? Fridays 30 東京 السلع", gate_override=True)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return asked(ANSWER, POLICY, SCRIPTS)


def tell(view: Grounding, **message: Any) -> None:
    view._handle_custom_msg(message, [])


def text(pieces: Sequence[str], span: Sequence[int]) -> str:
    return "".join(pieces[span[0] : span[1]])


def check_spans(trace: Trace, state: dict[str, Any], method: str) -> int:
    """Every range of pieces against the record's span of the text; how many were checked."""
    found = trace.grounding if method == state["recorded"] else states.reground(trace, method, None)
    assert found is not None
    assert trace.answer is not None
    answer, checked = trace.answer, 0
    bodies = {passage.id: passage.text for passage in trace.evidence}
    names = [card["id"] for card in state["evidence"]]

    def same(told: Sequence[int], window: Window) -> None:
        assert names[told[0]] == window.passage_id
        card = state["evidence"][told[0]]
        assert text(card["pieces"], told[1:]) == bodies[window.passage_id][window.start : window.end]

    for told, span, row in zip(
        state["groundings"][method]["sentences"], state["sentences"], found.sentences, strict=True
    ):
        assert text(state["answer"], span) == row.text == answer[row.start : row.end]
        tokens: tuple[TokenMatch, ...] = row.tokens
        for (mark, first, last, at), token in zip(told["tokens"], tokens, strict=True):
            assert mark == token.state
            assert text(state["answer"], (first, last)) == answer[token.start : token.end]
            for each, window in zip(at, token.at, strict=True):
                same(each, window)
                checked += 1
        for each, window in zip(told["windows"], row.windows, strict=True):
            same(each, window)
        flags: tuple[Flag, ...] = row.flags
        for each, flag in zip(told["flags"], flags, strict=True):
            assert text(state["answer"], each["span"]) == answer[flag.start : flag.end]
            if flag.at is not None:
                same(each["at"], flag.at)
            checked += 1
    return checked


def test_pieces_give_back_answer_evidence_and_every_span_in_any_script(trace: Trace) -> None:
    state = states.grounding(trace, states.reground(trace, "f1", None))
    assert "".join(state["answer"]) == trace.answer
    for card, passage in zip(state["evidence"], trace.evidence, strict=True):
        assert "".join(card["pieces"]) == passage.text
    assert check_spans(trace, state, "alignment") > 30
    check_spans(trace, state, "f1")


_WORDS = st.sampled_from(
    [
        "gift",
        "cards",
        "30",
        "90",
        "days",
        "not",
        "returned.",
        "🎉",
        "e\u0301t\u00e9",
        "東京の配達。",
        "يوما",
        "👩‍👩‍👧",
        "\u202e",
        "items,",
    ]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(_WORDS, min_size=1, max_size=14), st.lists(_WORDS, min_size=3, max_size=20))
def test_any_answer_and_evidence_keep_their_spans(claim: list[str], passage: list[str]) -> None:
    trace = asked(" ".join(claim), " ".join([*passage, "gift cards"]))
    state = states.grounding(trace)
    if state["missing"]:
        return
    check_spans(trace, state, "alignment")


def test_each_sentence_has_the_verdict_score_and_scores_of_the_record(trace: Trace) -> None:
    state = states.grounding(trace)
    assert trace.grounding is not None
    told = state["groundings"]["alignment"]["sentences"]
    assert [each["verdict"] for each in told] == [row.verdict for row in trace.grounding.sentences]
    assert [each["score"] for each in told] == [row.score for row in trace.grounding.sentences]
    assert [each["scores"] for each in told] == [dict(row.scores) for row in trace.grounding.sentences]
    assert {"conflict", "supported_verbatim", "unsupported", "not_checkable"} <= {each["verdict"] for each in told}
    (number,) = [flag for flag in told[0]["flags"] if flag["severity"] == "conflict"]
    assert text(state["answer"], number["span"]) == "90 days"
    assert text(state["evidence"][number["at"][0]]["pieces"], number["at"][1:]) == "30 days"


def test_precision_and_recall_make_the_recorded_f1(trace: Trace) -> None:
    state = states.grounding(trace)
    assert trace.grounding is not None
    compared = 0
    for told, row in zip(state["overlaps"], trace.grounding.sentences, strict=True):
        if "f1" not in row.scores:
            continue
        assert (0.0 if told is None else told["f1"]) == row.scores["f1"]
        if told is not None:
            precision, recall = told["both"] / told["mine"], told["both"] / told["theirs"]
            assert (told["precision"], told["recall"]) == (precision, recall)
            assert told["f1"] == 2 * precision * recall / (precision + recall)
            compared += 1
    assert compared >= 4
    copied = state["overlaps"][1]
    assert (copied["precision"], copied["recall"] < 0.35) == (1.0, True)


def test_the_other_method_is_worked_out_when_it_is_asked_for_and_is_the_kernels(trace: Trace) -> None:
    view = Grounding(trace)
    assert list(view._state["groundings"]) == ["alignment"]
    tell(view, type="method", method="f1", turn=1)
    assert view._error == ""
    assert trace.answer is not None
    found = ground(trace.answer, [(p.id, p.text) for p in trace.evidence], method="f1", analyzer=trace.config.analyzer)
    told = view._state["groundings"]["f1"]
    assert (told["floor"], told["score"]) == (found.floor, found.score)
    assert [each["verdict"] for each in told["sentences"]] == [row.verdict for row in found.sentences]
    assert view.trace is trace  # a comparison, no other run
    tell(view, type="set", method="f1", floor=0.1, turn=2)
    lower = ground(trace.answer, [(p.id, p.text) for p in trace.evidence], method="f1", floor=0.1)
    assert [s["verdict"] for s in view._state["groundings"]["f1"]["sentences"]] == [s.verdict for s in lower.sentences]
    assert view._state["changed"] is True
    tell(view, type="reset", turn=3)
    assert (view._state["groundings"]["f1"]["floor"], view._state["changed"]) == (found.floor, False)
    view.close()


def test_the_floor_of_the_runs_own_method_makes_the_trace_that_what_if_makes(trace: Trace) -> None:
    view = Grounding(trace)
    tell(view, type="set", method="alignment", floor=0.95, turn=1)
    assert view._error == ""
    assert view.trace == trace.what_if(sentence_floor=0.95)
    assert view._state["groundings"]["alignment"]["floor"] == 0.95
    tell(view, type="reset", turn=2)
    assert view.trace == trace
    view.close()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"type": "set", "method": "alignment", "floor": 2}, "floor is 2"),
        ({"type": "set", "method": "alignment", "floor": float("nan")}, "floor is nan"),
        ({"type": "set", "method": "vibes", "floor": 0.5}, "method is 'vibes'"),
        ({"type": "method", "method": None}, "method is None"),
    ],
)
def test_what_python_refuses_is_said_and_the_last_state_stays(trace: Trace, message: dict[str, Any], said: str) -> None:
    view = Grounding(trace)
    tell(view, **message)
    assert said in view._error
    assert view.trace is trace
    view.close()


def test_runs_without_an_answer_say_why() -> None:
    bench = Workbench([Document("a", POLICY)], signals=["text"])
    assert states.grounding(bench.retrieve("gift cards"))["missing"] == (
        "There is no answer to ground: the run only retrieved."
    )
    assert "does not suffice" in states.grounding(bench.ask("violin strings"))["missing"]
    assert "no generator gave one" in states.grounding(bench.ask("gift cards", gate_override=True))["missing"]
    assert "was not grounded" in states.grounding(replace(asked(ANSWER, POLICY), grounding=None))["missing"]
    view = Grounding(bench.retrieve("gift cards"))
    tell(view, type="set", method="alignment", floor=0.5)
    assert "no grounding" in view._error
    view.close()


def test_a_run_judged_by_f1_compares_with_alignment() -> None:
    trace = asked(ANSWER, POLICY, judge="f1")
    view = Grounding(trace)
    assert view._state["methods"] == ["f1", "alignment"]
    tell(view, type="method", method="alignment", turn=1)
    assert set(view._state["groundings"]) == {"f1", "alignment"}
    view.close()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_crosses_as_visible_text_and_keeps_its_marks(hostile: str) -> None:
    trace = asked(f"The caretaker says {hostile} and returns gift cards.", f"Gift cards: {hostile} says the caretaker.")
    state = shown(states.grounding(trace))
    told = json.dumps(state, ensure_ascii=False)
    assert not {"\x00", "\u202e"} & set(told)
    marked = [text(state["answer"], token[1:3]) for token in state["groundings"]["alignment"]["sentences"][0]["tokens"]]
    assert "caretaker" in marked


def test_state_and_script_stay_small(trace: Trace) -> None:
    view = Grounding(trace)
    tell(view, type="method", method="f1", turn=1)
    assert len(json.dumps(view._state).encode()) < 60_000
    assert len(Grounding._esm) < 60_000
    view.close()


def test_a_closed_view_is_freed(trace: Trace) -> None:
    view = Grounding(trace)
    gone = weakref.ref(view)
    view.close()
    del view
    gc.collect()
    assert gone() is None
