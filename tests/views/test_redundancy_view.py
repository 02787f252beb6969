"""The redundancy view without a browser: its state is the recorded picks, λ makes new Traces, two texts share marks."""

import gc
import json
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers import refused
from tests.views import node
from tests.views.test_picture import HOSTILE
from workbench import Document, Trace, Workbench, mmr
from workbench.records import Diversification
from workbench.views import Redundancy, Selection
from workbench.views.base import shown
from workbench.views.states import redundancy as states

QUERY = "How much notice must Brackwater give to end the Corvane agreement without a reason?"


class Heard(Redundancy):
    """A view that keeps what it says to the browser."""

    def say(self, message: Any, buffers: Any = None) -> None:
        self.__dict__.setdefault("said", []).append(message)
        super().say(message, buffers)


@pytest.fixture(scope="module")
def plain() -> Trace:
    return Workbench.sample().retrieve(QUERY)


@pytest.fixture(scope="module")
def trace(plain: Trace) -> Trace:
    return plain.what_if(lambda_mmr=0.5)


def with_picks(trace: Trace, picked: Diversification) -> Trace:
    """``trace`` with other picks over the same pool."""
    attempt = replace(trace.attempt, diversification=picked)
    return replace(trace, attempts=(*trace.attempts[: trace.best], attempt, *trace.attempts[trace.best + 1 :]))


def tell(view: Redundancy, **message: Any) -> None:
    view._handle_custom_msg(message, [])


def read(buffers: dict[str, bytes], name: str, kind: str = "<f8") -> np.ndarray:
    return np.frombuffer(buffers[name], dtype=kind)


def test_the_state_holds_the_recorded_picks_to_the_last_bit(trace: Trace) -> None:
    picked = trace.diversification
    assert picked is not None
    state, buffers = states.redundancy(trace)
    assert [picked.pool[i] for i in read(buffers, "picks", "<i4")] == list(picked.ids)
    assert read(buffers, "scores").tolist() == [step.score for step in picked.steps]
    redundancy = [float("nan") if s.redundancy is None else s.redundancy for s in picked.steps]
    np.testing.assert_array_equal(read(buffers, "redundancy"), redundancy)
    assert read(buffers, "against", "<i4")[0] == -1
    square = read(buffers, "similarity").reshape(state["n"], state["n"])
    np.testing.assert_array_equal(square, picked.similarity)
    assert (state["whole"], state["symmetric"], state["lambda"]) == (True, True, 0.5)
    assert state["similarityOf"] == "cosine of the passages' vectors"


def test_the_state_of_fifty_candidates_stays_small(trace: Trace) -> None:
    state, buffers = states.redundancy(trace)
    assert state["n"] == 50
    assert len(json.dumps(shown(state))) + sum(map(len, buffers.values())) < 40_000


def test_a_trace_without_diversity_is_offered_it_and_turned_on_from_the_browser(plain: Trace) -> None:
    view = Redundancy(plain)
    assert (view._state["on"], view._state["offered"]) == (False, 0.7)
    tell(view, type="set", changes={"lambda_mmr": 0.7}, turn=1)
    assert view._error == ""
    assert view.trace == plain.what_if(lambda_mmr=0.7)
    assert (view._state["on"], view._state["changed"]) == (True, True)
    tell(view, type="reset", turn=2)
    assert view.trace is plain
    assert view._state["on"] is False


def test_python_says_which_question_it_answers(trace: Trace) -> None:
    view = Heard(trace)
    tell(view, type="set", changes={"lambda_mmr": 0.25}, turn=7)
    assert view.said[-1] == {"type": "answered", "turn": 7}
    assert view._state["lambda"] == 0.25


@pytest.mark.parametrize("value", [1.5, -0.1, "half"])
def test_a_lambda_that_is_none_shows_in_the_view_and_the_last_state_stays(trace: Trace, value: Any) -> None:
    view = Redundancy(trace)
    before = view._state
    tell(view, type="set", changes={"lambda_mmr": value})
    assert repr(value) in view._error
    assert view._state is before
    assert view.trace is trace


def test_relevance_only_leaves_the_relevance_order_and_the_state_says_so(trace: Trace) -> None:
    assert states.redundancy(trace.what_if(lambda_mmr=1))[0]["departs"] is False
    assert states.redundancy(trace)[0]["departs"] is True


def test_an_asymmetric_matrix_is_marked(trace: Trace) -> None:
    pool = trace.reranking.ids[:3]
    lopsided = mmr(pool, [0.9, 0.8, 0.7], [[1, 0.2, 0.1], [0.9, 1, 0.3], [0.4, 0.5, 1]], lambda_mmr=0.5)
    state, _ = states.redundancy(with_picks(trace, lopsided))
    assert (state["symmetric"], state["whole"]) == (False, True)


def test_similarities_that_were_never_read_are_absent_not_zero(trace: Trace) -> None:
    pool = trace.reranking.ids[:3]
    matrix = np.array([[1, 0.2, 0.1], [0.2, 1, 0.3], [0.1, 0.3, 1]])
    state, buffers = states.redundancy(with_picks(trace, mmr(pool, [0.9, 0.8, 0.7], lambda j: matrix[j], top_k=2)))
    square = read(buffers, "similarity").reshape(3, 3)
    assert state["whole"] is False
    assert np.isnan(square).sum() == 3
    assert len(read(buffers, "picks", "<i4")) == 2


def test_a_cell_opens_two_texts_with_the_shared_terms_marked() -> None:
    documents = [Document("a", "The boiler is read in June."), Document("b", "Boilers are read by Ana.")]
    trace = Workbench(documents, signals=["text"]).retrieve("boiler").what_if(lambda_mmr=0.5)
    places = [trace.reranking.ids.index(next(p for p in trace.passages if p.startswith(d))) for d in ("a", "b")]
    view = Heard(trace)
    tell(view, type="pair", one=places[0], other=places[1])
    pair = view.said[-1]
    assert [pieces[1::2] for pieces in pair["pieces"]] == [["boiler", "read"], ["Boilers", "read"]]
    assert ["".join(pieces) for pieces in pair["pieces"]] == [d.text for d in documents]
    assert (pair["shared"], pair["of"]) == (2, [3, 3])


@pytest.mark.parametrize("place", [-1, 50, 1.5, None, "0"])
def test_a_cell_outside_the_pool_is_refused_in_words(trace: Trace, place: Any) -> None:
    view = Redundancy(trace)
    tell(view, type="pair", one=0, other=place)
    assert f"other is {place!r}" in view._error
    with refused("out_of_range", "other is 50"):
        states.pair(trace, 0, 50)


def test_hostile_text_crosses_as_visible_text() -> None:
    documents = [Document(f"d{i}", f"boiler {text}", title=text) for i, text in enumerate(HOSTILE)]
    view = Heard(Workbench(documents, signals=["text"]).retrieve("boiler").what_if(lambda_mmr=0.5))
    tell(view, type="pair", one=0, other=1)
    text = json.dumps([view._state, shown(view.said[-1])], ensure_ascii=False)
    assert "\u202e" not in text
    assert "\\u0000" not in text
    assert "⟨U+202E⟩" in text


def test_no_candidate_is_a_state_of_its_own() -> None:
    view = Redundancy(Workbench([Document("a", "boiler")], signals=["text"]).retrieve("zzz"))
    assert (view._state["on"], view._state["n"]) == (False, 0)


def test_a_closed_view_is_freed(trace: Trace) -> None:
    view = Redundancy(trace, selection=Selection())
    gone = weakref.ref(view)
    view.close()
    del view
    gc.collect()
    assert gone() is None


def test_the_steps_that_the_browser_draws_are_the_twins_at_any_lambda(trace: Trace, tmp_path: Path) -> None:
    """What the view reads of a state gives Python's picks at every λ: asked of the very buffers that are sent."""
    state, buffers = states.redundancy(trace)
    given = {
        "names": [str(place).zfill(8) for place in state["byId"]],
        "relevance": read(buffers, "relevance").tolist(),
        "similarity": read(buffers, "similarity").tolist(),
        "lambdas": [0, 0.01, 0.3, 0.5, 0.99, 1],
    }
    script = """
import { mmr } from "./kernels.js";
const { names: ids, relevance, similarity, lambdas } = given;
console.log(JSON.stringify(lambdas.map((lambda) => {
  const { picks, steps } = mmr({ ids, relevance, similarity, lambda });
  return [picks, steps.map((step) => step.score)];
})));
"""
    for value, (picks, scores) in zip(given["lambdas"], node.run(tmp_path, script, given), strict=True):
        picked = trace.what_if(lambda_mmr=value).diversification
        assert picked is not None
        assert [picked.pool[i] for i in picks] == list(picked.ids)
        assert scores == [step.score for step in picked.steps]
