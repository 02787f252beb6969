"""Generators and judges over the chat protocol, against a real HTTP server."""

import math
from typing import Any

import pytest

from tests.helpers import refused
from tests.models import server
from tests.models.server import chat, says, served
from tests.pipeline.corpus import DOCUMENTS
from workbench import Workbench
from workbench.models.chat import ChatGenerator, ChatJudge

KEY = "sk-very-secret-0123456789"
ANSWERABLE = "How is written notice of the end of the lease sent?"
OFTEN: dict[str, Any] = {"timeout": 5, "retries": 1, "backoff": 0.01}


def test_a_chat_model_answers_from_the_evidence_and_the_answer_is_grounded() -> None:
    with served(chat("  The notice must be sent by registered mail. ")) as up:
        trace = Workbench(DOCUMENTS, generator=ChatGenerator(up.url, "small", KEY, **OFTEN)).ask(ANSWERABLE)
    assert (trace.verdict, trace.answer) == ("answerable", "The notice must be sent by registered mail.")
    assert trace.generator == "chat small"
    path, headers, body = up.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"], [m["role"] for m in body["messages"]]) == (
        "small",
        0,
        ["system", "user"],
    )
    for n, passage in enumerate(trace.evidence, start=1):
        assert f"[{n}] {passage.text}" in body["messages"][1]["content"]
    assert ANSWERABLE in body["messages"][1]["content"]


def test_nothing_is_asked_of_the_model_when_the_evidence_is_insufficient() -> None:
    with served(chat("made up")) as up:
        trace = Workbench(DOCUMENTS, generator=ChatGenerator(up.url, "small")).ask(
            "quarterly tax forms for violin makers"
        )
        assert (trace.verdict, trace.answer, up.requests) == ("insufficient", None, [])


@pytest.mark.parametrize(
    ("said", "value", "verdict"),
    [
        ('{"faithfulness": 0.9}', 0.9, "answerable"),
        ('{"faithfulness": 0}', 0.0, "needs_review"),
        ('```json\n{"faithfulness": 1, "why": "all of it"}\n```', 1.0, "answerable"),
        ("0.25", 0.25, "needs_review"),
    ],
)
def test_R11_a_chat_model_judges_the_answer(said: str, value: float, verdict: str) -> None:
    with served(chat(said)) as up:
        bench = Workbench(DOCUMENTS, generator="extractive", judge=ChatJudge(up.url, "judge-1", **OFTEN))
        trace = bench.ask(ANSWERABLE)
    assert (trace.judged, trace.verdict, trace.judge) == (value, verdict, "chat judge-1")
    assert trace.answer is not None
    assert trace.answer in up.requests[0][2]["messages"][1]["content"]


@pytest.mark.parametrize(
    "said", ["very", "", "{}", '{"faithfulness": "0.9"}', '{"faithfulness": true}', '{"faithfulness": 1.5}', "-1", "NaN", '{"faithfulness": NaN}', "[0.5]", "0.9 I think"]
)  # fmt: skip
def test_R11_a_judgement_that_is_no_number_of_0_to_1_is_refused(said: str) -> None:
    with served(chat(said)) as up, refused("model_failed", "faithfulness of 0 to 1", up.url):
        ChatJudge(up.url, "judge-1")("an answer", ["evidence"])


@pytest.mark.parametrize(
    "answer", [says({}), says({"choices": []}), says({"choices": [{}]}), says([]), says(None), chat(None), chat(7), chat(["a"]), says({"choices": "abc"}), server.half]
)  # fmt: skip
def test_an_answer_of_another_shape_is_a_named_error(answer: server.Answer) -> None:
    with served(answer) as up, refused("model_failed", up.url):
        ChatGenerator(up.url, "small", **OFTEN)("q", [])


def test_a_busy_model_is_asked_again_and_a_slow_one_is_a_time_out() -> None:
    with served(says({}, 429), chat("yes")) as up:
        assert ChatGenerator(up.url, "small", **OFTEN)("q", []) == "yes"
        assert len(up.requests) == 2
    with served(server.silent) as up:
        bench = Workbench(DOCUMENTS, generator=ChatGenerator(up.url, "small", timeout=0.3))
        with refused("model_timed_out", "0.3 s"):
            bench.ask(ANSWERABLE)


def test_the_key_is_in_no_repr_and_no_error() -> None:
    with served(says({"choices": KEY})) as up:
        for model in (ChatGenerator(up.url, "small", KEY), ChatJudge(up.url, "small", KEY)):
            assert KEY not in repr(model) + repr(vars(model))
            with refused("model_failed") as caught:
                model("q", [])
            assert KEY not in str(caught.value)


def test_any_callable_serves_as_generator_and_judge() -> None:
    bench = Workbench(
        DOCUMENTS, generator=lambda query, passages: passages[0].text, judge=lambda answer, evidence: math.pi / 4
    )
    assert bench.ask(ANSWERABLE).judged == math.pi / 4
