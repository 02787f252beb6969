"""C11: the reranker over HTTP, against a real server that answers well, slowly, by half, wrongly and with malice."""

import json
import pickle
import time
from typing import Any

import pytest

from tests.helpers import refused
from tests.models import server
from tests.models.server import by_length, raw, results, says, served
from tests.pipeline.corpus import DOCUMENTS
from workbench import Trace, Workbench
from workbench.models.http import LARGEST
from workbench.models.http_reranker import HttpReranker
from workbench.models.rerankers import Candidate

KEY = "sk-very-secret-0123456789"
THREE = [Candidate("a", "one", 0.3), Candidate("b", "three", 0.2), Candidate("c", "fourteen", 0.1)]


def reranker(url: str, **options: Any) -> HttpReranker:
    return HttpReranker(url, "rank-1", KEY, **{"timeout": 5, "retries": 2, "backoff": 0.01, **options})


def test_C11_posts_model_query_and_documents_and_reads_index_and_relevance_score() -> None:
    with served(results((2, 0.9), (0, 0.1), (1, 5))) as up:
        assert reranker(up.url).rerank("which?", THREE) == [("a", 0.1), ("b", 5.0), ("c", 0.9)]
    (path, headers, body), *more = up.requests
    assert not more
    assert path == "/v1/rerank"
    assert body == {"model": "rank-1", "query": "which?", "documents": ["one", "three", "fourteen"]}
    assert headers["authorization"] == f"Bearer {KEY}"


def test_C11_without_a_key_none_is_sent_and_a_slash_at_the_end_changes_nothing() -> None:
    with served(results((0, 1), (1, 1), (2, 1))) as up:
        HttpReranker(up.url + "/", "rank-1").rerank("which?", THREE)
    assert up.requests[0][0] == "/v1/rerank"
    assert "authorization" not in up.requests[0][1]


def test_C11_in_a_workbench_the_server_orders_the_head_and_the_trace_says_whose_scores_they_are() -> None:
    with served(by_length) as up:
        trace = Workbench(DOCUMENTS, reranker=reranker(up.url)).retrieve("written notice of the end", 3)
    lengths = [len(trace.passages[id].text) for id in trace.reranking.ids]
    assert lengths == sorted(lengths, reverse=True)
    assert (trace.reranking.name, trace.reranking.score_model) == ("http rank-1", "relevance_score(rank-1)")
    assert up.requests[0][2]["query"] == "written notice of the end"
    assert Trace.from_json(json.dumps(trace.to_json())) == trace


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (results((0, 0.1), (1, 0.2)), "left out 1 of 3 documents, the first at index 2"),
        (results((0, 0.1), (1, 0.2), (1, 0.3)), "the index 1 twice"),
        (results((0, 0.1), (1, 0.2), (3, 0.3)), "the index 3, and there are 3 documents"),
        (results((0, 0.1), (1, 0.2), (-1, 0.3)), "the index -1"),
        (results((0, 0.1), (1, 0.2), (2.0, 0.3)), "no index"),
        (results((0, 0.1), (1, 0.2), ("2", 0.3)), "no index"),
        (results((0, 0.1), (1, 0.2), (True, 0.3)), "no index"),
        (results((0, 0.1), (1, None), (2, 0.3)), "relevance_score None"),
        (results((0, 0.1), (1, "high"), (2, 0.3)), "'high'"),
        (results((0, 0.1), (1, True), (2, 0.3)), "True"),
        (says({"data": []}), "no list of results"),
        (says({"results": "all of them"}), "no list of results"),
        (says([1, 2]), "no list of results"),
        (says(None), "no list of results"),
        (says({"results": [1, 2, 3]}), "no index"),
        (raw(b"<html>busy</html>"), "no JSON"),
        (raw(b""), "no JSON"),
        (raw(b"[" * 200_000), "no JSON"),
        (raw(b'{"results": [{"index": 0, "relevance_score": NaN}]}'), "NaN is no JSON number"),
        (raw(b'{"results": [{"index": 0, "relevance_score": -Infinity}]}'), "Infinity"),
        (raw(b"\xff\xfe\x00"), "no JSON"),
        (raw(b"\x1f\x8b", content_encoding="gzip"), "compressed"),
        (says({"error": "no such model"}, 404), "answered 404"),
        (says({"error": "who are you?"}, 401), "answered 401"),
        (says({}, 302, location="http://127.0.0.1:1/elsewhere"), "answered 302"),
        (server.half, "v1"),
        (server.endless, f"more than {LARGEST} bytes"),
    ],
)  # fmt: skip
def test_C11_an_answer_that_breaks_the_contract_is_a_named_error_and_nothing_is_half_reranked(
    answer: server.Answer, said: str
) -> None:
    with served(answer) as up:
        with refused("model_failed", said, up.url):
            reranker(up.url).rerank("which?", THREE)
        assert len(up.requests) == 1  # an answer was given: asking again would not mend it
        bench = Workbench(DOCUMENTS, reranker=reranker(up.url))
        with refused("model_failed"):
            bench.retrieve("written notice")


@pytest.mark.parametrize("huge", [b"1e400", b"-1e999", b"1" + b"0" * 400])
def test_C11_a_score_that_no_double_holds_is_refused(huge: bytes) -> None:
    body = b'{"results": [{"index": 0, "relevance_score": ' + huge + b"}]}"
    with served(raw(body)) as up, refused("not_finite", "index 0"):
        reranker(up.url).rerank("which?", THREE)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_C11_a_server_that_is_busy_is_asked_again(status: int) -> None:
    with served(says({"error": "busy"}, status), results((0, 1), (1, 2), (2, 3))) as up:
        assert reranker(up.url).rerank("which?", THREE) == [("a", 1.0), ("b", 2.0), ("c", 3.0)]
    assert len(up.requests) == 2


def test_C11_tries_are_bounded_and_the_pauses_double() -> None:
    with served(says({"error": "busy"}, 503)) as up:
        started = time.monotonic()
        with refused("model_failed", "answered 503, tried 3 times", "busy"):
            reranker(up.url, backoff=0.1).rerank("which?", THREE)
        assert 0.3 <= time.monotonic() - started < 2
    assert len(up.requests) == 3
    with served(says({}, 503)) as up, refused("model_failed", "tried 1 times"):
        reranker(up.url, retries=0).rerank("which?", THREE)


def test_C11_what_retry_after_asks_for_is_waited() -> None:
    with served(says({}, 429, retry_after="1"), results((0, 1), (1, 2), (2, 3))) as up:
        started = time.monotonic()
        reranker(up.url).rerank("which?", THREE)
        assert time.monotonic() - started >= 1


@pytest.mark.parametrize("slow", [server.silent, server.drips, server.drips_headers])
def test_C11_the_time_out_holds_from_connecting_to_the_last_byte(slow: server.Answer) -> None:
    with served(slow) as up:
        started = time.monotonic()
        with refused("model_timed_out", up.url, "0.4 s"):
            reranker(up.url, timeout=0.4).rerank("which?", THREE)
        assert time.monotonic() - started < 2
        assert len(up.requests) == 1


def test_C11_nobody_there_is_said_with_the_address() -> None:
    with served(by_length) as up:
        url = up.url
    with refused("model_failed", url, "cannot be reached, tried 3 times"):
        reranker(url).rerank("which?", THREE)


def test_C11_no_candidates_ask_nothing() -> None:
    assert reranker("http://127.0.0.1:1").rerank("which?", []) == []


# ---------------------------------------------------------------- the key


def tells_the_key(handler: server.Handler, body: dict[str, Any]) -> None:
    """A hostile server: its answer repeats the key that it was sent."""
    handler.give(400, json.dumps({"error": handler.headers["authorization"], "key": KEY}).encode())


@pytest.mark.parametrize(
    "answer", [tells_the_key, raw(KEY.encode()), says({"results": [KEY]}), says({"results": [{"index": 0, "relevance_score": KEY}]}), says({KEY: 1})]
)  # fmt: skip
def test_C11_a_server_that_repeats_the_key_gets_it_into_no_error(answer: server.Answer) -> None:
    with served(answer) as up, refused("model_failed") as caught:
        reranker(up.url).rerank("which?", THREE)
    assert "[key]" in caught.value.message
    assert KEY not in "".join(
        (repr(caught.value), str(caught.value), repr(caught.value.facts), repr(pickle.dumps(caught.value)))
    )


def test_C11_the_key_is_in_no_repr_trace_export_or_pickle() -> None:
    with served(by_length) as up:
        ours = reranker(up.url)
        bench = Workbench(DOCUMENTS, reranker=ours)
        trace = bench.retrieve("written notice")
    shown = [repr(ours), str(ours), repr(vars(ours)), repr(ours._server._key), repr(trace), trace._repr_html_()]
    shown += [json.dumps(trace.to_json()), repr(pickle.dumps(ours)), repr(bench._reranker)]
    assert not [text for text in shown if KEY in text]


def test_C11_a_copy_without_its_key_says_so_instead_of_calling_without_it() -> None:
    with served(by_length) as up:
        copy = pickle.loads(pickle.loads(pickle.dumps(pickle.dumps(reranker(up.url)))))
        with refused("model_failed", "left out"):
            copy.rerank("which?", THREE)
        assert not up.requests
        assert pickle.loads(pickle.dumps(HttpReranker(up.url, "rank-1"))).rerank("which?", THREE)


@pytest.mark.parametrize("key", ["", "two\nlines", "ключ", 7])
def test_C11_a_key_that_no_header_can_hold_is_refused_without_showing_it(key: Any) -> None:
    with refused("wrong_type", "api_key") as caught:
        HttpReranker("http://127.0.0.1:1", "m", key)
    assert str(key) == "" or str(key) not in caught.value.message


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://host", "wrong_type"),
        ("host/v1", "wrong_type"),
        ("http://", "wrong_type"),
        ("http://ho st:x", "wrong_type"),
        (7, "wrong_type"),
        ("https://user:pass@host/v1", "contradiction"),
        ("https://host/v1?key=abc", "contradiction"),
    ],
)
def test_C11_an_address_that_is_none_or_holds_a_secret_is_refused(url: Any, code: str) -> None:
    with refused(code, "base_url") as caught:
        HttpReranker(url, "m")
    assert "pass" not in caught.value.message.replace("password", "")
    assert "abc" not in caught.value.message


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"timeout": -1}, {"retries": -1}, {"retries": 99}, {"backoff": -1}]
)
def test_C11_limits_out_of_range_are_refused_by_name(options: dict[str, float]) -> None:
    with refused("out_of_range", next(iter(options))):
        HttpReranker("http://127.0.0.1:1", "m", **options)  # type: ignore[arg-type]
