"""The Why view without a browser: its numbers are the Trace's, its answers are those that the Trace gives."""

import gc
import json
import weakref
from typing import Any

import pytest

from tests.helpers import refused
from tests.views.test_picture import HOSTILE
from workbench import Document, Trace, Workbench
from workbench.explain.why_not import REASONS
from workbench.views import Selection, Why
from workbench.views.base import shown
from workbench.views.states import compared as pairs
from workbench.views.states import why as states

QUERY = "How much notice must Brackwater give to end the Corvane agreement without a reason?"


class Heard(Why):
    """A view that keeps what it says to the browser."""

    def say(self, message: Any, buffers: Any = None) -> None:
        self.__dict__.setdefault("said", []).append(message)
        super().say(message, buffers)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Workbench.sample().ask(QUERY)


@pytest.fixture(scope="module")
def dialect(trace: Trace) -> Trace:
    return trace.what_if(dialect="weaviate")


def tell(view: Why, **message: Any) -> Any:
    view._handle_custom_msg(message, [])
    return getattr(view, "said", [None])[-1]


def folded(values: list[float | None]) -> float:
    total = 0.0
    for value in values:
        total = total if value is None else total + value
    return total


def test_a_candidates_terms_fold_to_its_score(trace: Trace) -> None:
    for id in trace.order:
        one = states.candidate(trace, id)
        assert folded([term for _, _, term in one["terms"]]) == one["score"] == trace.why(id).fused_score
        assert folded([gained for *_, gained in one["features"]]) == one["reranked"]
        assert one["sentence"] == trace.why(id).sentence


def test_the_gap_to_the_next_is_said_with_what_decided_it(trace: Trace) -> None:
    first, last = trace.fusion.ids[0], trace.fusion.ids[-1]
    scores = trace.fusion.scores
    assert states.candidate(trace, first)["next"] == {"gap": scores[0] - scores[1], "decided": "score"}
    assert states.candidate(trace, last)["next"] is None


def test_each_lane_says_what_it_saw(trace: Trace) -> None:
    one = states.candidate(trace, "agreement/amendment-1.md#c1")
    details = {detail["lane"]: detail for detail in one["details"]}
    assert list(details) == [lane.name for lane in trace.lanes if lane.hit(one["id"])]
    terms = trace.attempt.lane("lexical").detail[one["id"]]["terms"]
    assert details["lexical"]["bars"] == [[t["term"], t["df"], t["contribution"]] for t in terms]
    assert "notice" in details["lexical"]["text"][1::2]
    assert details["dense"]["said"].startswith("nearest sentence, cosine 0.4876")
    assert details["dense"]["text"][1].startswith("After the first winter of operation")
    assert details["structure"]["said"].startswith("under “Amendment 1 to the Metering")
    assert details["graph"]["said"] == "term “Brackwater” (matched: brackwat)"
    assert details["wiki"]["said"].startswith("second page “Amendment 1")


def test_a_lane_of_ones_own_says_no_more_than_it_knows() -> None:
    bench = Workbench([Document("a", "boiler")], signals=["text"], lanes={"mine": lambda query, depth: [("a#c0", 0.5)]})
    trace = bench.retrieve("boiler")
    details = states.candidate(trace, trace.order[0])["details"]
    assert details[-1] == {
        "lane": "mine",
        "score": 0.5,
        "said": "says no more than its rank and score",
        "bars": [],
        "text": [],
    }


def test_a_lane_that_did_not_return_it_is_absent_never_zero(trace: Trace) -> None:
    lonely = next(id for id in trace.fusion.ids if None in [part.rank for part in trace.fusion.of(id)])
    assert [None, None, None] in states.candidate(trace, lonely)["terms"]


def test_the_first_candidates_and_what_is_marked_are_sent_at_once_others_when_asked(trace: Trace) -> None:
    far = trace.fusion.ids[-1]
    view = Heard(trace, selection=Selection(selected=trace.order[20], pinned=far))
    assert set(view._state["candidate"]) == {*trace.order[:5], trace.order[20], far}
    said = tell(view, type="why", id=trace.order[30], stamp=3)
    assert said == {"type": "why", "stamp": 3, "candidate": states.candidate(trace, trace.order[30])}


def test_a_selection_from_another_run_is_not_an_error(trace: Trace) -> None:
    view = Why(trace, selection=Selection(selected="elsewhere", pinned="nowhere"))
    assert view._error == ""
    assert set(view._state["candidate"]) == set(trace.order[:5])


def test_the_state_stays_small(trace: Trace) -> None:
    state, buffers = states.state(trace, trace.order[20])
    assert len(json.dumps(shown(state))) + sum(map(len, buffers.values())) < 45_000


def test_the_raw_record_is_the_records_own_json(trace: Trace) -> None:
    view = Heard(trace)
    raw = json.loads(tell(view, type="record", id=trace.order[0], stamp=0)["text"])
    assert raw["why"]["fused_score"] == trace.why().fused_score
    assert raw["passage"]["text"] == trace.passages[trace.order[0]].text
    assert set(raw["lanes"]) == {lane.name for lane in trace.lanes if lane.hit(trace.order[0])}


def test_differences_are_a_less_b_whichever_stands_first(trace: Trace) -> None:
    a, b = trace.order[:2]
    one, other = pairs.compared(trace, a, b), pairs.compared(trace, b, a)
    assert [value for _, value in one["features"]] == [-value for _, value in other["features"]]
    assert one["rows"] == other["rows"][::-1]
    assert one["first"] == other["first"] == trace.compare(a, b).first
    assert one["reranked"] == [trace.reranking.scores[trace.reranking.ids.index(id)] for id in (a, b)]


def test_every_turning_point_of_the_comparison_is_offered_and_swaps_the_two(trace: Trace) -> None:
    a, b = trace.fusion.ids[0], trace.order[2]
    found, turning = pairs.compared(trace, a, b), trace.compare(a, b).turning
    assert [tie["at"] for knob in found["knobs"] for tie in knob["ties"]] == [
        t.at for t in (*turning.k, *turning.weights)
    ]
    assert found["knobs"][0]["knob"] == "k"
    behind = found["second"]
    tried = 0
    for knob in found["knobs"]:
        for tie in knob["ties"]:
            value = next(value for value, first in tie["sides"] if first == behind)
            changes = {"k": value} if knob["knob"] == "k" else {"weights": {knob["knob"]: value}}
            fusion = trace.what_if(**changes).fusion
            assert fusion.row(behind) < fusion.row(found["first"])
            tried += 1
    assert tried >= 5


def test_no_k_flips_it_is_an_answer(trace: Trace) -> None:
    found = pairs.compared(trace, *trace.order[:2])
    assert found["knobs"][0] == {"knob": "k", "now": 60.0, "ties": []}


def test_the_deciding_line_names_the_lane_the_reranker_and_the_tie_rule(trace: Trace) -> None:
    assert pairs.compared(trace, *trace.order[:2])["deciding"] == (
        "After fusion: the score decides; lexical makes most of the difference. "
        "Then feature reranking turns them round; phrase makes most of it."
    )
    tied = Workbench([Document("a", "one two"), Document("b", "one two")], signals=["text"], reranker=None)
    made = tied.retrieve("one", phrasings=["two"])
    a, b = made.fusion.ids
    line = pairs.compared(made, a, b)["deciding"]
    assert line.startswith("The score decides") or line.startswith("Tied exactly: the ascending id decides")


def test_an_exact_tie_names_its_rule() -> None:
    lanes = {"one": lambda query, depth: ["a#c0"], "two": lambda query, depth: ["b#c0"]}
    documents = [Document("a", "text"), Document("b", "text")]
    trace = Workbench(documents, signals=[], reranker=None, lanes=lanes).retrieve("text")
    found = pairs.compared(trace, *trace.order)
    assert found["deciding"] == f"Tied exactly: the ascending id decides ({trace.fusion.tie_rule})."


def test_a_document_that_is_not_there_says_which_stage_lost_it_and_what_can_be_tried(trace: Trace) -> None:
    view = Heard(trace)
    answer = tell(view, type="why_not", id="handbook/pets.md", stamp=0)["answer"]
    found = trace.why_not("handbook/pets.md")
    assert (answer["reason"], answer["sentence"]) == (REASONS[found.reason], found.sentence)
    assert [lane[0] for lane in answer["lanes"]] == [lane.name for lane in trace.lanes]
    assert answer["changes"][0]["settings"] == dict(found.changes[0].settings)
    tell(view, type="set", changes=answer["changes"][0]["settings"], turn=1)
    assert view._error == ""
    assert found.id in view.trace.attempt.evidence


def test_an_id_that_is_nowhere_is_an_answer_with_what_is_near(trace: Trace) -> None:
    answer = pairs.why_not(trace, "agreement/service-agreement.md#c99")
    assert answer["reason"] == REASONS["no_document"]
    assert "agreement/service-agreement.md#c9" in answer["near"]
    assert answer["id"] is None


def test_the_winner_map_is_stabilitys_with_the_present_setting_on_it(trace: Trace) -> None:
    view = Heard(trace)
    said = tell(view, type="map", lane="dense", stamp=1)["winners"]
    found = trace.stability(lane="dense")
    assert found.map is not None
    assert said["sentence"] == found.sentence
    assert said["map"]["winners"] == found.map.winners.tolist()
    assert said["map"]["now"] == [60.0, 1.0]
    assert said["map"]["now"][0] in said["map"]["ks"]
    assert said["lanes"] == [lane.name for lane in trace.lanes]


def test_a_fusion_without_k_has_no_map_and_says_why(trace: Trace) -> None:
    said = pairs.winners(trace.what_if(fusion="dbsf"), None)
    assert said["map"] is None
    assert said["notes"]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"type": "why", "id": "nobody"}, "'nobody'"),
        ({"type": "record", "id": None}, "None"),
        ({"type": "compare", "a": "nobody", "b": "no one"}, "nobody"),
        ({"type": "map", "lane": "smell"}, "'smell'"),
        ({"type": "set", "changes": {"k": -1}}, "-1"),
        ({"type": "shout"}, "shout"),
    ],
)
def test_what_cannot_be_answered_shows_in_words_and_the_state_stays(trace: Trace, message: Any, said: str) -> None:
    view = Why(trace)
    before = view._state
    tell(view, **message)
    assert said in view._error
    assert view._state is before
    assert view.trace is trace


def test_a_knob_that_is_let_go_makes_the_trace_that_what_if_makes(trace: Trace) -> None:
    view = Heard(trace)
    said = tell(view, type="set", changes={"k": 2, "weights": {"dense": 0.5}}, turn=4)
    assert said == {"type": "answered", "turn": 4}
    assert view.trace == trace.what_if(k=2, weights={"dense": 0.5})
    assert view._state["changed"] is True
    tell(view, type="reset", turn=5)
    assert view.trace is trace
    with refused("contradiction", "itself"):
        pairs.compared(trace, trace.order[0], trace.order[0])


def test_a_diversified_run_shows_the_pick(trace: Trace) -> None:
    made = trace.what_if(lambda_mmr=0.5)
    picked = made.diversification
    assert picked is not None
    first, second = (states.candidate(made, id)["pick"] for id in made.order[:2])
    assert first["redundancy"] is None
    assert second["redundancy"] == picked.steps[1].redundancy
    assert second["score"] == picked.steps[1].score


def test_hostile_text_crosses_as_visible_text() -> None:
    documents = [Document(f"d{i}", f"boiler {text}", title=text) for i, text in enumerate(HOSTILE)]
    view = Heard(Workbench(documents, signals=["text", "structure"]).retrieve("boiler"))
    a, b = view.trace.order[:2]
    for message in (
        {"type": "record", "id": a},
        {"type": "compare", "a": a, "b": b},
        {"type": "why_not", "id": HOSTILE[0]},
    ):
        tell(view, **message)
    assert view._error == ""
    text = json.dumps([view._state, shown(view.said)], ensure_ascii=False)
    assert "\u202e" not in text
    assert "⟨U+202E⟩" in text


def test_ids_are_found_by_the_text_that_the_browser_shows() -> None:
    trace = Workbench([Document("a\u202eb", "boiler"), Document("c", "boiler")], signals=["text"]).retrieve("boiler")
    view = Heard(trace)
    id = next(id for id in trace.order if "\u202e" in id)
    said = tell(view, type="why", id=id.replace("\u202e", "⟨U+202E⟩"))
    assert said["candidate"]["id"] == id


def test_no_candidate_is_said_in_words() -> None:
    view = Why(Workbench([Document("a", "boiler")], signals=["text"]).retrieve("zzz"))
    assert "matched nothing" in view._state["empty"]
    assert view._state["first"] is None


def test_float32_dialects_say_their_arithmetic(dialect: Trace) -> None:
    state, _ = states.state(dialect, None)
    assert state["setting"]["arithmetic"] == "float32"


def test_a_closed_view_is_freed(trace: Trace) -> None:
    view = Why(trace)
    gone = weakref.ref(view)
    view.close()
    del view
    gc.collect()
    assert gone() is None
