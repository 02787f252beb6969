"""Predict-first without a browser: nothing is given away, a guess is held against the order, and what it overlooked is said."""

import gc
import json
import weakref
from itertools import pairwise
from typing import Any

import pytest

from tests.helpers import refused
from tests.views.test_picture import HOSTILE
from workbench import Document, Passage, Trace, Workbench
from workbench.explain import words
from workbench.views import Predict
from workbench.views.states import predict as states

QUERY = "How much notice must Brackwater give to end the Corvane agreement without a reason?"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Workbench.sample().retrieve(QUERY)


def two_lanes(first: list[Any], second: list[Any]) -> Trace:
    """A Trace of two given lanes; ids are their own texts."""
    ids = sorted({each if isinstance(each, str) else each[0] for each in (*first, *second)})
    documents = [Document(id, f"text {id}") for id in ids]
    passages = {id: Passage(id, id, f"text {id}", 0) for id in ids}

    def lane(rows: list[Any]) -> Any:
        given = [each if isinstance(each, tuple) else (each, None) for each in rows]
        return lambda query, depth: [(passages[id], score) for id, score in given]

    return Workbench(
        documents, signals=[], reranker=None, lanes={"lexical": lane(first), "dense": lane(second)}
    ).retrieve("text")


def tell(view: Predict, **message: Any) -> None:
    view._handle_custom_msg(message, [])


def numbers_of(value: Any) -> set[float]:
    if isinstance(value, dict):
        return set().union(*map(numbers_of, value.values()), set())
    if isinstance(value, list | tuple):
        return set().union(*map(numbers_of, value), set())
    return {float(value)} if isinstance(value, int | float) and not isinstance(value, bool) else set()


@pytest.mark.parametrize("of", ["fusion", "final"])
def test_no_score_and_no_order_cross_before_the_reveal(trace: Trace, of: str) -> None:
    view = Predict(trace, of=of)
    secret = {*trace.fusion.scores[:5].tolist(), *trace.reranking.scores[:5]}
    secret |= {hit.score for lane in trace.lanes for hit in lane.hits[:50] if hit.score and hit.score % 1}
    assert not numbers_of(view._state) & secret
    assert view._state["revealed"] is None
    assert list(view._state["ids"]) != list(states.truth(trace, of, 5))


@pytest.mark.parametrize("of", ["fusion", "final"])
def test_neither_picture_nor_text_shows_a_score_before_the_reveal(trace: Trace, of: str) -> None:
    view = Predict(trace, of=of)
    data, _ = view._repr_mimebundle_()
    scores = [*trace.fusion.scores[:5].tolist(), *trace.reranking.scores[:5]]
    for text in (data["text/plain"], data["text/html"], repr(view)):
        assert not [score for score in scores if words.number(score) in text]
        assert "structure 4" in text or of == "final"
    view.reveal(states.truth(trace, of, 5))
    assert "5 of 5 in the right place" in repr(view)


def test_cards_are_dealt_the_same_way_every_time_and_never_in_the_true_order() -> None:
    for count in range(2, 9):
        ids = [f"d{i}" for i in range(count)]
        assert states.dealt(ids) == states.dealt(ids)
        assert sorted(states.dealt(ids)) == ids
        assert states.dealt(ids) != tuple(ids)


def test_a_right_guess_overlooks_nothing(trace: Trace) -> None:
    view = Predict(trace)
    result = view.reveal(trace.fusion.ids[:5])
    assert result.right == trace.fusion.ids[:5]
    assert (result.pairs_right, result.pairs, result.overlooked) == (10, 10, ())
    assert result.sentence == "5 of 5 in the right place; 10 of 10 pairs the right way round."


def test_the_reveal_from_the_browser_brings_the_recorded_scores(trace: Trace) -> None:
    view = Predict(trace)
    tell(view, type="reveal", guess=[0, 1, 2, 3, 4])
    assert view._error == ""
    revealed = view._state["revealed"]
    assert revealed["scores"] == trace.fusion.scores[:5].tolist()
    assert [view._state["ids"][i] for i in revealed["truth"]] == list(trace.fusion.ids[:5])
    assert revealed["shares"][0] == trace.why(trace.fusion.ids[0]).share
    assert view.result is not None
    assert len(view.result.overlooked) == len(revealed["overlooked"])
    tell(view, type="again")
    assert view.result is None
    assert view._state["revealed"] is None


def test_agreement_overlooked_is_an_absence() -> None:
    made = two_lanes(["p", "q", "r", "x"], ["s", "t", "u", "x"])
    result = states.judged(made, "fusion", 3, ["p", "x", "s"])
    seen = result.overlooked[0]
    assert (seen.higher, seen.lower, seen.kind) == ("p", "x", "absence")
    assert seen.sentence == (
        "“p” is not returned by dense, where “x” has 1/(60+4) from dense; absent adds nothing. "
        "Together 0.03125 for “x” against 0.01639."
    )


def test_a_high_score_overlooked_is_told_from_its_place() -> None:
    made = two_lanes([("a", 90.0), ("b", 2.0)], [("b", 1.0), ("c", 0.5), ("d", 0.4), ("a", 0.3)])
    assert made.fusion.ids[:2] == ("b", "a")
    seen = states.judged(made, "fusion", 2, ["a", "b"]).overlooked[0]
    assert seen.kind == "scores"
    assert "“a” has the higher score in lexical (90 against 2), but only places count" in seen.sentence
    assert "first instead of second is worth 0.0002644" in seen.sentence


def test_an_exact_tie_names_the_rule() -> None:
    made = two_lanes(["a"], ["b"])
    seen = states.judged(made, "fusion", 2, ["b", "a"]).overlooked[0]
    assert seen.kind == "tie"
    assert made.fusion.tie_rule in seen.sentence


def test_places_alone_name_the_lane_that_makes_most_of_it() -> None:
    made = two_lanes(["a", "b", "c"], ["a", "b", "c"])
    seen = states.judged(made, "fusion", 2, ["b", "a"]).overlooked[0]
    assert seen.kind == "places"
    assert "lexical makes most of it: 1/(60+1) for “a” against 1/(60+2) for “b”" in seen.sentence


def test_a_reranked_order_names_the_feature(trace: Trace) -> None:
    seen = states.judged(trace, "final", 2, trace.order[1::-1]).overlooked[0]
    assert seen.kind == "feature"
    assert "phrase is 1 for “1. Background” and 0 for “2. Notice for convenience”" in seen.sentence


def test_a_diversified_order_names_the_pick_that_says_it_already(trace: Trace) -> None:
    made = trace.what_if(lambda_mmr=0.5)
    assert made.diversification is not None
    relevance = {step.id: step.relevance for step in made.diversification.steps}
    order = made.order[:12]
    higher, lower = next((b, a) for a, b in pairwise(order) if relevance[b] > relevance[a])
    guess = [each for each in order if each != higher]
    guess.insert(guess.index(lower), higher)
    seen = states.judged(made, "final", 12, guess).overlooked[0]
    assert (seen.higher, seen.lower, seen.kind) == (higher, lower, "redundancy")
    assert "which was picked before" in seen.sentence


@pytest.mark.parametrize("guess", [[0, 1, 2], [0, 1, 2, 3, 3], [0, 1, 2, 3, 9], [0, 1, 2, 3, 1.5], []])
def test_a_guess_that_is_no_order_of_the_cards_is_refused_and_nothing_is_revealed(
    trace: Trace, guess: list[Any]
) -> None:
    view = Predict(trace)
    tell(view, type="reveal", guess=guess)
    assert view._error
    assert view.result is None
    assert view._state["revealed"] is None


def test_what_cannot_be_put_in_order_is_refused(trace: Trace) -> None:
    with refused("out_of_range", "count is 1"):
        Predict(trace, count=1)
    with refused("out_of_range", "'gate'"):
        Predict(trace, of="gate")
    with refused("nothing_to_search", "1 candidates"):
        Predict(Workbench([Document("a", "boiler")], signals=["text"]).retrieve("boiler"))


def test_another_trace_deals_new_cards_and_forgets_the_guess(trace: Trace) -> None:
    view = Predict(trace)
    view.reveal(trace.fusion.ids[:5])
    view.trace = Workbench.sample().retrieve("parking permit")
    assert view.result is None
    assert view._state["revealed"] is None
    assert view._state["query"] == "parking permit"


def test_hostile_text_crosses_as_visible_text() -> None:
    documents = [Document(f"d{i}", f"boiler {text}", title=text) for i, text in enumerate(HOSTILE)]
    view = Predict(Workbench(documents, signals=["text"]).retrieve("boiler"), count=10)
    data, _ = view._repr_mimebundle_()
    assert "<script" not in data["text/html"]
    assert "<img" not in data["text/html"]
    assert "\u202e" not in json.dumps(view._state, ensure_ascii=False) + data["text/html"] + data["text/plain"]


def test_a_closed_view_is_freed(trace: Trace) -> None:
    view = Predict(trace)
    gone = weakref.ref(view)
    view.close()
    del view
    gc.collect()
    assert gone() is None
