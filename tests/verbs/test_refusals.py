"""conformance/refusals.json, case by case: the code, the words, and no engine reached."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import refused
from tests.verbs.counting import counted
from workbench.records import Filter
from workbench.verbs import hybrid_search, rerank, sparse_search, vector_search

CASES = json.loads((Path(__file__).parents[1] / "conformance" / "refusals.json").read_text(encoding="utf-8"))["cases"]
VERBS = {
    "hybrid_search": (hybrid_search, "local"),
    "rerank": (rerank, "local"),
    "sparse_search": (sparse_search, "lexical"),
    "vector_search": (vector_search, "dense"),
}
SAYS = {
    "dense did not run; an empty lane is []": ("dense did not run; an empty lane is []",),
    "one lane ranks an item once": ("one lane ranks an item once", "'a'", "'dense'"),
    "alpha weighs scores; rrf fuses ranks": ("alpha weighs scores; rrf fuses ranks", "0.3"),
    "names b and the lane that never saw it": ("'sparse' never saw 'b'",),
    "names the fusions there are": ("'borda'", "rrf, linear"),
    "an id is text; 1 and '1' would be two items": ("an id is text", "1 and '1' would be two items", "'dense'"),
    "says 3 values for 2 candidates": ("3 values for 2 candidates",),
    "names c1": ("'c1'",),
    "reranking nothing is a mistake in the call": ("reranking nothing is a mistake in the call",),
    "names lexical and index": ("'local'", "'lexical' or 'index'"),
    "names the backends there are": ("'nope'", "local, lexical, dense, index"),
    "no similarity to a zero vector": ("no similarity to a zero vector", "query_vector"),
    "names b": ("'b'",),
    "the window is empty": ("the window is empty", "0.9", "0.1"),
}
VALUES = {"nan": ("nan",), "inf": ("inf",), 1.5: ("1.5",), -1: ("-1",)}
"""An odd value among the arguments, and how the message shows it."""


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if isinstance(value, dict):
        return {key: _read(item) for key, item in value.items()}
    return float(value) if value in ("nan", "inf") else value


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case['call']}-{case['code']}" for n, case in enumerate(CASES)])
def test_A12_every_refusal_has_its_code_its_words_and_comes_before_any_work(case: dict[str, Any]) -> None:
    arguments = _read(case["arguments"])
    said = SAYS[case["message_says"]] if case["message_says"] else ()
    shown = [word for leaf in _leaves(case["arguments"]) if leaf is not None for word in VALUES.get(leaf, ())]
    if case["call"] == "Filter":
        with refused(case["code"], *said):
            Filter(**arguments)
        return
    verb, default = VERBS[case["call"]]
    calls: list[str] = []
    if arguments.get("backend") != "nope":
        arguments["backend"], calls = counted(arguments.get("backend", default))
    with refused(case["code"], *said, *shown):
        verb(**arguments)
    assert calls == []


def test_the_counting_backends_do_count() -> None:
    local, calls = counted("local")
    hybrid_search(dense=[("a", 1.0)], sparse=[], backend=local)
    rerank([("a", 1.0)], [1], backend=local)
    lexical, words = counted("lexical")
    sparse_search("x", {"a": "x"}, backend=lexical)
    dense, numbers = counted("dense")
    vector_search([1.0], {"a": [1.0]}, backend=dense)
    assert (calls, words, numbers) == (["hybrid_search", "rerank"], ["sparse_search"], ["vector_search"])


def test_A12_nothing_else_that_is_odd_reaches_an_engine() -> None:
    local, fused = counted("local")
    lexical, words = counted("lexical")
    dense, near = counted("dense")
    docs = {"a": "text"}
    for code, call in {
        "empty_query": lambda: sparse_search("  ", docs, backend=lexical),
        "wrong_type": lambda: sparse_search("x", "a text", backend=lexical),
        "out_of_range": lambda: sparse_search("x", docs, backend=lexical, b=1.5),
        "unknown_variant": lambda: sparse_search("x", docs, backend=lexical, variant="bm42"),
        "unknown_analyzer": lambda: sparse_search("x", docs, backend=lexical, analyzer="klingon"),
        "unknown_parameter": lambda: vector_search([1], {"a": [1]}, backend=dense, query="x"),
        "shape_mismatch": lambda: vector_search([1], {"a": [1], "b": [1, 2]}, backend=dense),
        "zero_vector": lambda: vector_search([1], {"a": [0]}, backend=dense),
        "not_finite": lambda: vector_search([1], {"a": [float("inf")]}, backend=dense),
        "nothing_to_search": lambda: vector_search([1], {}, backend=dense),
        "id_not_text": lambda: vector_search([1], {7: [1]}, backend=dense),
        "missing_id": lambda: hybrid_search({"a": [("", 1.0)]}, backend=local),
        "no_lanes": lambda: hybrid_search(backend=local),
        "contradiction": lambda: hybrid_search({"a": []}, dense=[], backend=local),
        "missing_score": lambda: rerank(["a"], [1], backend=local),
    }.items():
        with refused(code):
            call()
    assert (fused, words, near) == ([], [], [])
