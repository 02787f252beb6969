"""What every view stands on: joined modules, words alike in both languages, errors in words, freed when closed."""

import gc
import json
import weakref
from pathlib import Path
from random import Random

import pytest
from traitlets import TraitError

from tests.helpers import refused
from tests.views import node
from workbench import Document, Passage, Trace, Workbench, rrf
from workbench.explain import words
from workbench.explain.terms import term_text
from workbench.kernels.dialects import DIALECTS
from workbench.views import Board, Selection, modules
from workbench.views.base import shown
from workbench.views.escaping import visible

DOCUMENTS = [
    Document("a", "The boiler is read in May."),
    Document("b", "The boiler and the meter are read in June."),
    Document("c", "A meter is sealed."),
]


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Workbench(DOCUMENTS, signals=["text", "structure"]).retrieve("boiler meter")


# ---------------------------------------------------------------- modules


def test_each_module_keeps_its_names_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.js").write_text("const hidden = 1;\nexport const first = () => hidden;\nexport default 3;\n")
    (tmp_path / "two.js").write_text(
        'import { first as other } from "./one.js";\n/* a comment\n   of two lines */\nconst hidden = 2;\n'
        "export function second() {\n  return other() + hidden; // kept\n}\n"
    )
    (tmp_path / "three.js").write_text(
        'import { second } from "./two.js";\nimport {\n  first,\n} from "./one.js";\nexport default [first(), second()];\n'
    )
    monkeypatch.setattr(modules, "_HERE", tmp_path)
    joined = modules.compose("three.js")
    assert "comment" not in joined
    assert joined.count("export") == 1
    script = f"const text = {json.dumps(joined)};\nconst made = await import(`data:text/javascript,${{encodeURIComponent(text)}}`);\nconsole.log(JSON.stringify(made.default));"
    assert node.run(tmp_path / ".", script) == [1, 3]


def test_a_module_that_is_not_there_is_refused_by_name() -> None:
    with refused("missing_file", "nothing.js"):
        modules.compose("nothing.js")


def test_every_view_script_is_read_at_import_and_asks_for_nothing_outside() -> None:
    for name in ("board.js", "fusion_player.js"):
        joined = modules.compose(name)
        assert "import " not in joined.replace("important", "")
        assert "http" not in joined.replace("http://www.w3.org/2000/svg", "")
        assert "innerHTML" not in joined


# ---------------------------------------------------------------- words


def test_a_number_reads_the_same_in_python_and_in_the_browser(tmp_path: Path) -> None:
    rng = Random(7)
    values = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-9, 9) for _ in range(3000)]
    values += [10.0**p for p in range(-12, 22)] + [
        0.5,
        0.125,
        0.0625,
        2.5,
        1e21,
        123456.5,
        1e-7,
        -0.0,
        999999.5,
        0.99995,
    ]
    values += [n / 1024 for n in range(1024)]
    script = (
        'import { number, share, ordinal } from "./common.js";\nconsole.log(JSON.stringify('
        "[given.map((x) => [number(x), number(x, 2), share(x + 0)]), Array.from({ length: 130 }, (_, i) => ordinal(i + 1))]));"
    )
    told, ordinals = node.run(tmp_path, script, values)
    for value, (four, two, part) in zip(values, told, strict=True):
        assert (four, two) == (words.number(value), words.number(value, 2)), value
        assert part == words.share(value + 0) or abs(value) > 1e15, value
    assert ordinals == [words.ordinal(rank) for rank in range(1, 131)]


def test_hidden_characters_are_written_out_alike(tmp_path: Path) -> None:
    texts = ["a\u202eb\x00c\u2066d", "two\nlines\tand 東京 é 🂡", "\x7f\x85\u061c\u200e", "plain"]
    script = 'import { visible } from "./common.js";\nconsole.log(JSON.stringify(given.map(visible)));'
    assert node.run(tmp_path, script, texts) == [visible(text) for text in texts]


def test_a_term_prints_as_the_same_fraction_in_every_dialect(tmp_path: Path) -> None:
    cases = []
    for dialect in (None, *DIALECTS):
        for weights in ({}, {"x": 2, "y": 0.5}, {"x": 0, "y": 1}):
            reads = dialect is None or DIALECTS[dialect].weights != "none"
            named = weights or None if reads else None
            if dialect == "qdrant" and weights.get("x") == 2:
                continue  # 1/2 + 2 - 1 is fine, but its fraction is tested with the others
            fusion = rrf({"x": ["a", "b"], "y": ["b"]}, dialect=dialect, weights=named)
            cases.append((fusion, _setting(fusion), [term_text(fusion, "x", rank) for rank in (1, 2, 30)]))
    script = (
        'import { termText } from "./fusing.js";\n'
        "console.log(JSON.stringify(given.map((setting) => [1, 2, 30].map((rank) => termText(setting, 0, rank)))));"
    )
    assert node.run(tmp_path, script, [setting for _, setting, _ in cases]) == [texts for _, _, texts in cases]


def _setting(fusion: object) -> dict[str, object]:
    from workbench.views.states.shared import setting

    return setting(fusion)  # type: ignore[arg-type]


def test_the_last_value_of_a_burst_wins_and_no_run_is_cut_short(tmp_path: Path) -> None:
    script = """
import { coalesce } from "./common.js";
const [begun, ended] = [[], []];
const push = coalesce(async (value) => {
  begun.push(value);
  await new Promise((go) => setTimeout(go, 5));
  ended.push(value);
}, { frames: false });
for (let i = 0; i < 60; i++) {
  push(i);
  await new Promise((go) => setTimeout(go, 1));
}
await new Promise((go) => setTimeout(go, 30));
console.log(JSON.stringify({ begun, ended }));
"""
    told = node.run(tmp_path, script)
    assert told["begun"] == told["ended"]
    assert told["ended"][0] == 0
    assert told["ended"][-1] == 59
    assert len(told["ended"]) < 60


def test_views_of_one_selection_meet_and_leave_nothing_behind(tmp_path: Path) -> None:
    script = """
import { bus } from "./common.js";
const [one, two, other] = [bus("k"), bus("k"), bus("l")];
const heard = [];
two.on((now, changed) => heard.push([now.selected, Object.keys(changed)]));
other.on(() => heard.push("other"));
one.set({ selected: "a", hovered: null });
one.set({ selected: "a" });
const seen = two.now.selected;
for (const each of [one, two, other]) each.close();
const rooms = globalThis[Symbol.for("retrieval-workbench.selection")].size;
console.log(JSON.stringify({ heard, seen, rooms }));
"""
    assert node.run(tmp_path, script) == {"heard": [["a", ["selected"]]], "seen": "a", "rooms": 0}


# ---------------------------------------------------------------- the widget


def test_the_first_message_carries_the_whole_state(trace: Trace) -> None:
    view = Board(trace)
    state = view.get_state()
    assert state["_state"]["query"] == "boiler meter"
    assert set(state["_buffers"]) >= {"ranks", "raw", "scores", "order"}
    assert state["_selection"]["selected"] == trace.order[0]
    view.close()


def test_setting_the_trace_redraws(trace: Trace) -> None:
    view = Board(trace)
    view.trace = Workbench(DOCUMENTS, signals=["text"]).retrieve("sealed")
    assert view._state["query"] == "sealed"
    with pytest.raises(TraitError):
        view.trace = "not a trace"
    assert view._state["query"] == "sealed"
    view.close()


def test_what_a_callback_raises_is_said_in_words_and_the_last_good_state_stays(trace: Trace) -> None:
    view = Board(trace)
    good = view._state
    for message, said in (
        ({"type": "nonsense"}, "nonsense"),
        ("not even a mapping", "not even a mapping"),
        ({"type": "why", "row": 99}, "row is 99"),
        ({"type": "rows", "lane": "lexicla", "from": 1, "to": 2}, "lexicla"),
        ({"type": "set", "changes": {"k": -1}}, "k is -1"),
        ({"type": "set", "changes": {"kk": 1}}, "kk"),
        ({"type": "set"}, "KeyError"),
    ):
        view._handle_custom_msg(message, [])
        assert said in view._error
        assert view._state == good
        assert view.trace is trace
    view._handle_custom_msg({"type": "why", "row": 0}, [])
    assert view._error == ""
    view.close()


def test_a_selection_is_shared_both_ways(trace: Trace) -> None:
    selection = Selection()
    one, two = Board(trace, selection=selection), Board(trace, selection=selection)
    assert one._selection["key"] == two._selection["key"]
    one.set_state({"_selection": {"key": selection.key, "selected": trace.order[1], "pinned": trace.order[0]}})
    assert (selection.selected, selection.pinned) == (trace.order[1], trace.order[0])
    assert two._selection["selected"] == trace.order[1]
    selection.pinned = None
    assert one._selection["pinned"] is None
    one.close()
    selection.selected = trace.order[0]
    assert two._selection["selected"] == trace.order[0]
    two.close()


def test_a_closed_view_is_freed_though_its_selection_lives(trace: Trace) -> None:
    selection = Selection()
    view = Board(trace, selection=selection)
    view._handle_custom_msg({"type": "why", "row": 0}, [])
    gone = weakref.ref(view)
    view.close()
    del view
    gc.collect()
    assert gone() is None
    selection.selected = None


def test_a_view_carries_its_picture_and_its_text(trace: Trace) -> None:
    view = Board(trace)
    data, _ = view._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"] == repr(trace)
    assert data["text/html"].startswith("<div")
    view.close()


def test_ids_that_no_message_could_carry_are_shown_and_still_selected() -> None:
    hostile = "x\ud800\u202e\x00<script>"
    trace = Workbench(DOCUMENTS, lanes={"mine": [Passage(hostile, "d", "text \udfff here", 0)]}).retrieve("boiler")
    view = Board(trace)
    json.dumps(view.get_state()["_state"], ensure_ascii=False).encode()
    assert visible(hostile) in view._state["cards"]["ids"]
    view.set_state({"_selection": {"key": view.selection.key, "selected": visible(hostile), "pinned": None}})
    assert view.selection.selected == hostile
    view.close()


def test_shown_reaches_every_text() -> None:
    assert shown({"a\x00": ["b\x00", ("c\x00", 1, None)]}) == {"a⟨U+0000⟩": ["b⟨U+0000⟩", ["c⟨U+0000⟩", 1, None]]}
