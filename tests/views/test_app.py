"""The app's Python side: one Trace for every tab, settings that stay, scenarios, lines that reproduce, freed when closed."""

import gc
import json
import weakref
from typing import Any

import pytest

import workbench as wb
from tests.helpers import refused
from workbench import views
from workbench.config import Config, GatePolicy
from workbench.views import App
from workbench.views.hosting import TABS
from workbench.views.states import app as states


@pytest.fixture(scope="module")
def bench() -> wb.Workbench:
    return wb.Workbench.sample(signals=["text", "structure", "graph"], embedder=None)


@pytest.fixture
def app(bench: wb.Workbench) -> Any:
    made = App(bench)
    yield made
    made.close()


def _send(app: App, kind: str, **facts: Any) -> None:
    app._handle_custom_msg({"type": kind, **facts}, [])


def _size(value: Any) -> int:
    return len(json.dumps(value, default=lambda data: "x" * (len(data) * 4 // 3)))


# ---------------------------------------------------------------- opening


def test_the_sample_opens_with_its_first_saved_query_and_all_of_them_to_choose(app: App) -> None:
    assert app.trace.query == app._state["saved"][0]["query"]
    assert len(app._state["saved"]) == 95
    assert {each["group"] for each in app._state["saved"]} == set(states.KINDS.values())


def test_saved_queries_may_be_texts_mappings_or_records(bench: wb.Workbench) -> None:
    app = App(bench, queries=["clause 14.2", {"query": "meter", "relevant": ["agreement/amendment-1.md"]}])
    assert [each["query"] for each in app._state["saved"]] == ["clause 14.2", "meter"]
    assert app._panel_board["state"]["judged"] == []
    _send(app, "ask", query="meter")
    ids = app._panel_board["state"]["cards"]["ids"]
    judged = [ids[row] for row in app._panel_board["state"]["judged"]]
    assert judged
    assert all(id.startswith("agreement/amendment-1.md") for id in judged)
    app.close()


def test_your_own_documents_open_with_their_titles() -> None:
    own = wb.Workbench(
        [wb.Document("a", "The boiler.", title="Boilers"), wb.Document("b", "A meter.")], signals=["text"]
    )
    app = App(own)
    assert app.trace.query == "Boilers"
    app.close()


def test_without_anything_to_ask_first_it_says_what_to_give() -> None:
    own = wb.Workbench([wb.Document("a", "The boiler.")], signals=["text"])
    with refused("empty_query", "queries"):
        App(own)
    with refused("wrong_type", "42"):
        App(42)  # type: ignore[arg-type]
    with refused("out_of_range", "borad"):
        App(own, query="boiler", tab="borad")


def test_only_the_open_tab_is_drawn_and_only_its_script_is_sent(app: App) -> None:
    assert app._panel_board["state"]["query"] == app.trace.query
    assert app._panel_why == {}
    assert "board.js" in app._parts
    assert "why.js" not in app._parts
    _send(app, "open", tab="why")
    assert app.tab == "why"
    assert app._panel_why["state"]["query"] == app.trace.query
    assert {"why.js", "why_map.js", "why.css"} <= set(app._parts)


def test_script_and_state_stay_within_their_budgets(bench: wb.Workbench) -> None:
    four = bench.ask("How many parking permits can one household have?")
    app = App(wb.Workbench.sample(embedder=None, config=Config(depth=50)))
    assert len([lane for lane in app.trace.lanes if lane.hits]) == 4
    own = {name: getattr(app, name) for name in app.keys if name.startswith("_panel_") or name == "_state"}
    assert _size(own) < 150_000
    for tab in TABS:
        app.tab = tab
        assert app._error == ""
        assert _size(getattr(app, f"_panel_{tab}")) < 150_000
    # all views together, each module once and gzipped, as they are sent
    script = len(app._esm) + sum(len(part["gz"]) for name, part in app._parts.items() if name.endswith(".js"))
    assert script < 100_000
    app.close()
    assert App(four).python.startswith("import workbench as wb")


# ---------------------------------------------------------------- settings


def test_settings_make_a_new_trace_that_every_tab_shows(app: App) -> None:
    asked = app.trace
    _send(
        app,
        "set",
        changes={"k": 10, "weights": {"structure": 2}, "top_k": 3, "gate": "strict", "lambda_mmr": 0.5},
        turn=1,
    )
    assert app._error == ""
    weights = {"structure": 2}
    assert app.trace == asked.what_if(k=10, weights=weights, top_k=3, gate="strict", lambda_mmr=0.5)
    assert app._state["said"] == "k 10, structure × 2, λ 0.5, top 3, gate strict"
    for tab in TABS:
        app.tab = tab
        assert app._panels[tab].trace is app.trace
    _send(app, "reset")
    assert app.trace is asked
    assert app._state["changed"] is False


def test_a_tab_s_own_knob_moves_the_whole_app_and_its_reset_goes_to_the_run_as_asked(app: App) -> None:
    asked = app.trace
    _send(app, "set", changes={"k": 20})
    _send(app, "panel", tab="board", message={"type": "set", "changes": {"k": 2}})
    assert app.trace == asked.what_if(k=2)
    assert app._panel_board["state"]["setting"]["k"] == 2
    assert app._panel_board["state"]["changed"] is True
    app.tab = "gate"
    _send(
        app,
        "panel",
        tab="gate",
        message={"type": "set", "preset": "strict", "changes": {"threshold": 0.7, "min_coverage": 0.35}},
    )
    assert app.trace.config.gate == GatePolicy.of_preset("strict")
    assert app._state["gate"] == "strict"
    _send(app, "panel", tab="board", message={"type": "reset"})
    assert app.trace is asked


def test_settings_stay_from_query_to_query(app: App) -> None:
    _send(app, "set", changes={"k": 5})
    _send(app, "ask", query="clause 14.2")
    assert app.trace.config.k == 5
    assert app.trace.query == "clause 14.2"
    assert app.asked.config.k is None
    assert app.selection.selected == app.trace.order[0]


def test_what_is_refused_is_said_and_what_was_shown_stays(app: App) -> None:
    shown, good = app.trace, app._panel_board
    for message, said in (
        ({"type": "ask", "query": "  "}, "query is '  '"),
        ({"type": "ask"}, "query"),
        ({"type": "set", "changes": {"k": -1}}, "k is -1"),
        ({"type": "set", "changes": {"top_k": 51}}, "top_k 51"),
        ({"type": "fusion", "value": "qdrnt"}, "did you mean 'qdrant'"),
        ({"type": "panel", "tab": "bored", "message": {}}, "bored"),
        ({"type": "panel", "tab": "board", "message": {"type": "nonsense"}}, "nonsense"),
        ({"type": "panel", "tab": "board", "message": {"type": "set", "changes": {"kk": 1}}}, "kk"),
        ({"type": "compare", "name": "never kept"}, "never kept"),
    ):
        app._handle_custom_msg(message, [])
        assert said in app._error
        assert app.trace is shown
        assert app._panel_board is good


def test_an_app_over_one_trace_changes_settings_and_says_that_it_cannot_ask(bench: wb.Workbench) -> None:
    app = App(bench.ask("clause 14.2"))
    assert app._state["canAsk"] is False
    _send(app, "ask", query="meter")
    assert "give it a Workbench" in app._error
    _send(app, "set", changes={"k": 3})
    assert app.trace.config.k == 3
    app.close()


def test_a_trace_set_from_python_is_the_new_run_as_asked(app: App, bench: wb.Workbench) -> None:
    other = bench.ask("clause 14.2")
    app.trace = other
    assert app.asked is other
    assert app._panel_board["state"]["query"] == "clause 14.2"


# ---------------------------------------------------------------- dialects, scenarios, ghosts


@pytest.mark.parametrize("value", [each[0] for each in states.fusions()])
def test_every_fusion_of_the_menu_can_be_chosen_and_left(app: App, value: str) -> None:
    before = app.trace
    _send(app, "fusion", value=value)
    assert app._error == ""
    assert app._state["fusion"] == value
    ghost = app._state["ghost"]
    assert ghost["name"] == "rrf, k 60"
    assert [row["id"] for row in ghost["rows"]] == list(app.trace.order[:10])
    for row in ghost["rows"]:
        assert row["fused"] == app.trace.fusion.ids.index(row["id"]) + 1
        assert row["finalWas"] == (before.order.index(row["id"]) + 1 if row["id"] in before.order else None)
    _send(app, "fusion", value="rrf")
    assert app.trace.fusion == before.fusion


def test_a_dialect_s_sentence_says_its_formula_and_what_moved(app: App) -> None:
    _send(app, "fusion", value="qdrant")
    sentence = app._state["ghost"]["sentence"]
    assert sentence.startswith(
        "qdrant: 1/(rank/weight + k - 1), k 2 of its own, ties by ascending id. Against “rrf, k 60”, "
    )
    moved = sum(row["fused"] != row["fusedWas"] for row in app._state["ghost"]["rows"])
    assert "of the first 10 moved in the fused order" in sentence or moved == 0


def test_weights_that_a_dialect_does_not_read_are_left_behind(app: App) -> None:
    _send(app, "set", changes={"weights": {"structure": 2}})
    _send(app, "fusion", value="llamaindex")
    assert app._error == ""
    assert dict(app.trace.config.weights) == {}


def test_a_scenario_freezes_the_state_and_stands_beside_every_later_one(app: App) -> None:
    _send(app, "set", changes={"k": 3})
    kept = app.trace
    _send(app, "keep", name="small k")
    _send(app, "keep", name=" ")
    assert list(app.scenarios) == ["small k", "k 3"]
    _send(app, "set", changes={"k": 300})
    _send(app, "compare", name="small k")
    assert app.scenarios["small k"] is kept
    assert [row["finalWas"] for row in app._state["ghost"]["rows"]] == [
        kept.order.index(id) + 1 if id in kept.order else None for id in app.trace.order[:10]
    ]
    _send(app, "compare", name=states.ASKED)
    assert app._state["ghost"]["name"] == "as asked"
    _send(app, "compare", name=None)
    assert app._state["ghost"] is None


# ---------------------------------------------------------------- Python lines


def test_the_lines_make_the_very_trace_that_is_shown(app: App, bench: wb.Workbench) -> None:
    _send(app, "set", changes={"k": 7, "weights": {"structure": 0.5}, "lambda_mmr": 0.25, "top_k": 3})
    app.trace = app.trace.what_if(gate=GatePolicy.of_preset("strict", threshold=0.2))
    app._asked = bench.ask(app.trace.query)
    app.tab = "why"
    lines = app.python.replace("wb.Workbench.sample(...)  # with the options that you gave", "bench")
    found: dict[str, Any] = {"bench": bench}
    *body, last = lines.split("\n")
    exec("\n".join(body), found)
    assert found["trace"].fingerprint() == app.trace.fingerprint()
    made = eval(last, found)
    assert isinstance(made, views.Why)
    assert made.selection.selected == app.selection.selected
    made.close()


def test_hidden_characters_of_a_query_stay_readable_python(bench: wb.Workbench) -> None:
    query = "clause \u202e14.2\x00 'quoted'"
    app = App(bench, query=query)
    line = next(line for line in app.python.split("\n") if "bench.ask" in line)
    assert "\u202e" not in line
    assert eval(line.removeprefix("trace = bench.ask")) == query
    app.close()


# ---------------------------------------------------------------- display and freeing


def test_an_app_carries_its_picture_and_its_text(app: App) -> None:
    data, _ = app._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert len(data["text/html"].encode()) < 30_000


def test_outside_a_kernel_a_trace_shows_its_picture_and_a_workbench_says_what_it_holds(bench: wb.Workbench) -> None:
    trace = bench.ask("clause 14.2")
    assert set(trace._repr_mimebundle_()) == {"text/html", "text/plain"}
    assert "passages; lanes: lexical, structure, graph" in bench._repr_mimebundle_()["text/plain"]


def test_a_closed_app_is_freed_with_every_tab_that_was_open(bench: wb.Workbench) -> None:
    selection = views.Selection()
    app = App(bench, selection=selection)
    for tab in TABS:
        app.tab = tab
    _send(app, "keep", name="x")
    gone = [weakref.ref(app), *(weakref.ref(panel) for panel in app._panels.values())]
    app.close()
    del app
    gc.collect()
    assert [ref() for ref in gone] == [None] * len(gone)
    selection.selected = None
