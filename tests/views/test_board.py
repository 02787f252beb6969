"""What the board and the player send to the browser, and what comes back: no browser needed."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.views import node
from workbench import Config, Document, Trace, Workbench
from workbench.views import Board, FusionPlayer, modules
from workbench.views.states import shared
from workbench.views.states.snippets import WIDTH, snippet

QUERY = "How much notice must Brackwater give to end the Corvane agreement without a reason?"


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench.sample()


@pytest.fixture(scope="module")
def trace(bench: Workbench) -> Trace:
    return bench.ask(QUERY)


@pytest.fixture
def board(trace: Trace) -> Any:
    view = Board(trace)
    yield view
    view.close()


def _heard(view: Any, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = []
    monkeypatch.setattr(type(view), "send", lambda self, content, buffers=None: said.append(content))
    return said


def _twin(tmp: Path, view: Any) -> Any:
    """The twin's own answer from what a view sends, and how it differs from Python's."""
    script = """
import { difference, fuse, inputs } from "./fusing.js";
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16)).buffer;
const buffers = Object.fromEntries(Object.entries(given.buffers).map(([name, text]) => [name, bytes(text)]));
const read = inputs(given.state, buffers);
const fused = fuse(read, given.change);
console.log(JSON.stringify({ difference: difference(read, fused), order: [...fused.order], decided: fused.decided }));
"""
    buffers = {name: data.hex() for name, data in view._buffers.items()}
    return node.run(tmp, script, {"state": view._state, "buffers": buffers, "change": {}})


# ---------------------------------------------------------------- state


def test_the_columns_are_the_fusion_s_own_doubles(board: Board, trace: Trace) -> None:
    ids = shared.rows(trace.fusion)
    n, lanes = len(ids), len(trace.fusion.lanes)
    ranks = np.frombuffer(board._buffers["ranks"], "<i4").reshape(lanes, n)
    order = np.frombuffer(board._buffers["order"], "<i4")
    assert tuple(ids[row] for row in order) == trace.fusion.ids
    assert np.frombuffer(board._buffers["scores"], "<f8").tolist() == trace.fusion.scores.tolist()
    for lane, name in enumerate(trace.fusion.lanes):
        found = trace.attempt.lane(name)
        assert [
            ids[row] for row in np.argsort(np.where(ranks[lane] < 0, n + 1, ranks[lane]))[: len(found.hits)]
        ] == list(found.ids)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"k": 3},
        {"dialect": "elasticsearch"},
        {"dialect": "haystack"},
        {"dialect": "llamaindex"},
        {"dialect": "qdrant"},
        {"fusion": "relative_score", "weights": {"dense": 2}},
        {"fusion": "dbsf"},
        {"ties": "exact"},
    ],
)
def test_the_twin_gives_the_same_bits_from_what_is_sent(
    tmp_path: Path, bench: Workbench, settings: dict[str, Any]
) -> None:
    trace = bench.ask(QUERY).what_if(**settings)
    for kind in (Board, FusionPlayer):
        view = kind(trace)
        assert _twin(tmp_path, view)["difference"] is None
        view.close()


def test_a_planted_difference_is_found(tmp_path: Path, board: Board) -> None:
    scores = np.frombuffer(board._buffers["scores"], "<f8").copy()
    scores[3] = np.nextafter(scores[3], 1)
    board._buffers = {**board._buffers, "scores": scores.tobytes()}
    assert "place 4" in _twin(tmp_path, board)["difference"]
    order = np.frombuffer(board._buffers["order"], "<i4").copy()
    order[[0, 1]] = order[[1, 0]]
    board._buffers = {**board._buffers, "order": order.tobytes()}
    assert "another candidate" in _twin(tmp_path, board)["difference"]


def test_a_lane_s_header_says_what_it_is_and_what_became_of_it() -> None:
    def broken(query: str, depth: int) -> list[str]:
        raise RuntimeError("no server: start one")

    trace = Workbench(
        [Document("a", "alpha"), Document("b", "bravo")],
        signals=["text", "embedding"],
        embedder=None,
        lanes={"mine": broken, "none": []},
    ).retrieve("alpha")
    view = Board(trace)
    lanes = {lane["name"]: lane for lane in view._state["lanes"]}
    assert (lanes["lexical"]["status"], lanes["lexical"]["hits"], lanes["lexical"]["column"]) == ("ran", 1, 0)
    assert lanes["lexical"]["milliseconds"] >= 0
    assert lanes["lexical"]["scoreModel"].startswith("bm25")
    assert lanes["structure"]["status"] == "off"
    assert lanes["structure"]["column"] is None
    assert "embedder" in lanes["dense"]["reason"]
    assert "no server: start one" in lanes["mine"]["reason"]
    assert (lanes["none"]["status"], lanes["none"]["hits"]) == ("ran", 0)
    assert any("less than declared" in text for _, text in view._state["badges"])
    view.close()


def test_a_snippet_marks_the_lane_s_own_terms_and_loses_no_letter(trace: Trace) -> None:
    lane = trace.attempt.lane("lexical")
    for hit in lane.hits[:20]:
        passage = trace.passages[hit.id]
        pieces = snippet(lane, passage)
        whole = "".join(pieces).strip("…")
        assert whole.strip() in " ".join(passage.text.split()) + " "
        assert len(whole) <= WIDTH + 2
        spans = {" ".join(passage.text[a:b].split()) for a, b in lane.detail[hit.id]["spans"]}
        marked = pieces[1::2]
        assert marked
        assert all(any(span.startswith(piece) for span in spans) for piece in marked)


def test_judged_passages_and_documents_carry_a_mark(trace: Trace) -> None:
    ids = shared.rows(trace.fusion)
    view = Board(trace, judged={trace.order[0], "agreement/amendment-1.md"})
    marked = [ids[row] for row in view._state["judged"]]
    assert trace.order[0] in marked
    assert "agreement/amendment-1.md#c2" in marked
    assert len(marked) < len(ids)
    view.close()


def test_a_single_lane_with_hits_is_called_out() -> None:
    trace = Workbench([Document("a", "alpha"), Document("b", "bravo")], signals=["text"]).retrieve("alpha")
    view = Board(trace)
    assert ["note", "only lexical has hits: no weight and no k can change the order"] in view._state["badges"]
    view.close()


def test_a_trace_without_candidates_has_a_board_and_a_player() -> None:
    trace = Workbench([Document("a", "boiler")], signals=["text"]).ask("violin")
    board, player = Board(trace), FusionPlayer(trace)
    assert "matched nothing" in board._state["sentence"]
    assert player._state["frames"] == []
    board.close()
    player.close()


# ---------------------------------------------------------------- answers


def test_text_of_further_rows_comes_when_it_is_asked_for(
    board: Board, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = _heard(board, monkeypatch)
    board._handle_custom_msg({"type": "rows", "lane": "dense", "from": 51, "to": 100, "stamp": 7}, [])
    [answer] = said
    assert (answer["stamp"], answer["from"], len(answer["snippets"])) == (7, 51, 50)
    assert answer["cards"]["ids"] == list(trace.attempt.lane("dense").ids[50:100])


def test_a_knob_that_is_let_go_makes_the_trace_that_what_if_makes(
    board: Board, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = _heard(board, monkeypatch)
    board._handle_custom_msg({"type": "set", "changes": {"k": 2, "weights": {"dense": 3}}}, [])
    assert board._error == ""
    assert board.trace == trace.what_if(k=2, weights={"dense": 3})
    assert board._state["setting"]["k"] == 2
    assert board._state["changed"] is True
    assert [each["type"] for each in said] == ["answered"]
    board._handle_custom_msg({"type": "reset"}, [])
    assert board.trace is trace
    assert board._state["changed"] is False


def test_reset_goes_back_to_the_trace_that_was_given_last(board: Board, bench: Workbench) -> None:
    other = bench.retrieve("parking permit")
    board.trace = other
    board._handle_custom_msg({"type": "set", "changes": {"k": 5}}, [])
    board._handle_custom_msg({"type": "reset"}, [])
    assert board.trace is other


# ---------------------------------------------------------------- budgets


def test_state_for_four_lanes_of_fifty_is_within_its_budget(bench: Workbench) -> None:
    trace = Workbench(
        bench.documents, signals=["text", "embedding", "structure", "graph"], config=Config(depth=50)
    ).ask(QUERY)
    assert [len(lane.hits) for lane in trace.lanes if lane.status == "ran"] == [50] * 4
    total = 0
    for kind in (Board, FusionPlayer):
        view = kind(trace)
        total += len(json.dumps(view._state)) + sum(map(len, view._buffers.values()))
        view.close()
    assert total < 90_000  # of the 150 kB that all views share


@pytest.mark.parametrize("name", ["board", "fusion_player", "why", "redundancy", "gate", "grounding", "predict"])
def test_the_script_of_one_view_alone_is_below_100_kB_as_it_is(name: str) -> None:
    assert len(modules.compose(f"{name}.js").encode()) < 100_000


def test_ten_thousand_candidates_are_drawn_in_two_seconds() -> None:
    documents = [Document(f"d{i:05}", f"boiler {i}") for i in range(10_000)]
    ids = [f"{document.id}#c0" for document in documents]
    trace = Workbench(
        documents, signals=["text"], lanes={"up": ids, "down": ids[::-1]}, config=Config(depth=10_000)
    ).retrieve("boiler")
    started = time.perf_counter()
    view = Board(trace)
    assert time.perf_counter() - started < 2
    assert view._state["candidates"] == 10_000
    assert len(view._state["cards"]["rows"]) < 200
    assert len(json.dumps(view._state)) < 120_000
    view.close()
