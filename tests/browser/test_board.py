"""The board in a real JupyterLab: what it paints, how it links, its keys, its knobs, its errors."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.rig import Scratch, scratch

FIRST = """
import numpy as np
import workbench as wb
from workbench import views
bench = wb.Workbench.sample()
trace = bench.ask("How much notice must Brackwater give to end the Corvane agreement without a reason?")
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    with scratch(tmp_path_factory.mktemp("board"), FIRST) as opened:
        yield opened


@pytest.fixture(autouse=True)
def clean(lab: Scratch) -> Iterator[None]:
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    lab.page.emulate_media(reduced_motion="no-preference")
    yield
    lab.seen.clean()
    lab.reset()


def _settled(view: Any) -> None:
    view.page.wait_for_timeout(120)


def _fused(view: Any) -> list[str]:
    """Ids of the fused rows that are drawn, best first; places are read from the transforms."""
    return view.locator(".wbb-fused .wbb-row").evaluate_all(
        "rows => rows.map(r => [parseFloat(r.style.transform.slice(11)), r.dataset.id]).sort((a, b) => a[0] - b[0]).map(r => r[1])"
    )  # type: ignore[no-any-return]


def _slide(view: Any, selector: str, *positions: int, let_go: bool = True) -> None:
    view.locator(selector).evaluate(
        """(el, [positions, go]) => {
            for (const at of positions) { el.value = at; el.dispatchEvent(new Event('input')); }
            if (go) el.dispatchEvent(new Event('change'));
        }""",
        [list(positions), let_go],
    )


K = ".wbb-fused input[type=range]"


def test_the_first_screen_shows_the_winner_its_twins_and_the_sentence(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace); board")
    _settled(view)
    box = view.bounding_box()
    assert box is not None
    assert box["height"] <= 560
    first, sentence = lab.run("print(trace.order[0]); print(trace.why().sentence)").split("\n")
    assert view.locator(".wbb-why").inner_text() == sentence
    assert view.locator(".wbb-fused .wbb-row.wbb-sel").get_attribute("data-id") == first
    marked = view.locator(".wbb-col:has(.wbb-row.wbb-sel)").evaluate_all("all => all.map(c => c.dataset.lane)")
    twins = lab.run("print(*(l.name for l in trace.lanes if (h := l.hit(trace.order[0])) and h.rank <= 6))").split()
    assert twins
    assert {*twins, "fused"} <= set(marked)
    assert view.locator(".wbb-svg path.wbb-sel, .wbb-svg .wbb-sel path").count() >= 1
    assert _fused(view)[:6] == lab.run("print(*trace.fusion.ids[:6], sep='\\n')").split("\n")


@pytest.mark.parametrize("width", [1280, 800])
def test_nothing_is_clipped_at_the_side(lab: Scratch, width: int) -> None:
    lab.page.set_viewport_size({"width": width, "height": 900})
    view = lab.view("views.Board(trace)")
    _settled(view)
    outer = view.bounding_box()
    assert outer is not None
    for part in (".wbb-fused", ".wbb-scroll", ".wbb-foot", ".wbb-why"):
        inner = view.locator(part).bounding_box()
        assert inner is not None
        assert inner["x"] >= outer["x"]
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 0.5
    clipped = view.locator(".wbb-foot button, .wbb-verdict").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
    )
    assert clipped == []


def test_every_bar_and_number_is_the_trace_s_own_double(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace); board")
    drawn = view.locator(".wbb-fused .wbb-row").evaluate_all(
        "rows => rows.map(r => [r.dataset.id, r.dataset.score, [...r.querySelectorAll('.wbb-seg')].map(s => s.dataset.term)])"
    )
    lab.run(f"drawn = {drawn!r}")
    assert lab.run(
        "for id, score, terms in drawn:\n"
        "    row = trace.fusion.row(id)\n"
        "    assert float(score) == trace.fusion.scores[row]\n"
        "    assert [float(t) for t in terms] == [c for c in trace.fusion.contributions[row].tolist() if c == c]\n"
        "print(len(drawn))"
    ) == str(len(drawn))
    widths = view.locator(".wbb-fused .wbb-row").first.evaluate(
        "r => [r.querySelector('.wbb-bar').getBoundingClientRect().width, [...r.querySelectorAll('.wbb-seg')].map(s => s.getBoundingClientRect().width)]"
    )
    assert abs(sum(widths[1]) - widths[0]) < 1  # the first row fills its bar


def test_hover_lights_the_candidate_in_all_lanes_and_in_a_second_view(lab: Scratch) -> None:
    view = lab.view(
        "import ipywidgets\nshared = views.Selection()\nboard = views.Board(trace, selection=shared)\n"
        "player = views.FusionPlayer(trace, selection=shared)\nipywidgets.VBox([board, player])"
    )
    row = view.locator(".wbb-fused .wbb-row[data-id]").nth(3)
    row.hover()
    id = row.get_attribute("data-id")
    cells = lab.page.locator(".jp-Notebook .jp-Cell").last
    lit = cells.locator(".wbb-row.wbb-lit").evaluate_all("rows => [...new Set(rows.map(r => r.dataset.id))]")
    assert lit == [id]
    assert cells.locator(".wbb-row.wbb-lit").count() >= 2
    cells.locator(".wbp-row.wbp-lit").wait_for()
    assert cells.locator(".wbp-row.wbp-lit").get_attribute("data-id") == id
    row.click()
    lab.page.wait_for_timeout(300)
    assert lab.run("print(shared.selected)") == id


def test_keys_work_inside_and_jupyterlab_does_not_steal_them(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace); board")
    cells = lab.page.locator(".jp-Notebook .jp-Cell").count()
    view.locator(".wbb-fused .wbb-row").first.click()
    focused = "() => [document.activeElement.closest('.wbb-col')?.dataset.lane, document.activeElement.dataset.row, document.activeElement.getAttribute('aria-posinset')]"
    lab.page.keyboard.press("j")
    lab.page.keyboard.press("j")
    column, row, place = lab.page.evaluate(focused)
    assert (column, place) == ("fused", "3")
    lab.page.keyboard.press("k")
    assert lab.page.evaluate(focused)[2] == "2"
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("ArrowLeft")
    assert lab.page.evaluate(focused)[:2] == ["wiki", row]  # the same candidate, one lane to the left
    lab.page.keyboard.press("Enter")
    lab.page.keyboard.press("p")
    for key in ("a", "b", "x", "d", "d", "m", "0", "0"):  # JupyterLab: insert, cut, delete, markdown, restart
        lab.page.keyboard.press(key)
    lab.page.wait_for_timeout(300)
    assert lab.page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert lab.page.locator(".jp-Dialog").count() == 0
    chosen = view.locator(".wbb-row:focus").get_attribute("data-id")
    assert lab.run("print(board.selection.selected, board.selection.pinned)") == f"{chosen} {chosen}"
    candidates = int(lab.run("print(min(200, len(trace.fusion.ids)))"))
    view.locator(".wbb-row[tabindex='0']").first.focus()
    lab.page.keyboard.press("t")
    assert view.locator("table tbody tr").count() == candidates
    lab.page.keyboard.press("Escape")
    assert not view.locator("table").is_visible()
    assert lab.page.evaluate("() => document.activeElement.className").startswith("wbb-row")
    lab.page.keyboard.press("?")
    assert "next and previous row" in view.inner_text()


def test_k_reorders_while_it_is_dragged_and_python_confirms(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace); board")
    before = _fused(view)
    _slide(view, K, 30, let_go=False)  # 10 ** 0.3: k 2
    lab.page.wait_for_timeout(150)
    assert _fused(view) != before
    assert view.locator(".wbb-state").inner_text() == "dragging: worked out here"
    assert lab.run("print(board.trace is trace)") == "True"
    dragged = _fused(view)
    _slide(view, K, 30)
    view.locator(".wbb-state", has_text="confirmed by Python").wait_for(timeout=10_000)
    assert _fused(view) == dragged
    assert lab.run("print(board.trace == trace.what_if(k=2))") == "True"
    assert view.locator(".wbb-why").inner_text() == lab.run("print(board.trace.why(board.selection.selected).sentence)")
    view.get_by_role("button", name="Reset").click()
    lab.page.wait_for_function(
        "el => !el.querySelector('.wbb-foot button:not(:disabled)')?.textContent.includes('Reset')",
        arg=view.element_handle(),
    )
    assert lab.run("print(board.trace is trace)") == "True"


def test_the_last_value_wins_after_a_burst_of_sixty_changes(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace); board")
    view.locator(K).evaluate(
        """async el => {
            for (let i = 0; i < 60; i++) {
                el.value = 240 - i * 3; el.dispatchEvent(new Event('input')); el.dispatchEvent(new Event('change'));
                await new Promise(go => setTimeout(go, 16));
            }
        }"""
    )
    last = round(10 ** ((240 - 59 * 3) / 100))
    lab.page.wait_for_function(
        "([el, k]) => el.querySelector('.wbb-fused .wb-number').value === String(k) && el.querySelector('.wbb-state').textContent.includes('confirmed')",
        arg=[view.element_handle(), last],
        timeout=30_000,
    )
    lab.page.wait_for_timeout(500)
    assert view.locator(".wbb-fused .wb-number").input_value() == str(last)
    assert lab.run("print(board.trace.fusion.params['k'])") == f"{last}.0"


@pytest.mark.parametrize("knob", [K, "[data-lane='dense'] input[type=range]"])
def test_a_slider_keeps_the_focus_while_python_answers(lab: Scratch, knob: str) -> None:
    view = lab.view("board = views.Board(trace); board")
    slider = view.locator(knob)
    slider.focus()
    for _ in range(3):
        view.page.keyboard.press("ArrowLeft")
        view.locator(".wbb-state", has_text="confirmed by Python").wait_for(timeout=10_000)
        assert slider.evaluate("el => el === document.activeElement")
    assert lab.run("print(board.trace == trace)") == "False"


def test_a_weight_moves_its_lane(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace); board")
    _slide(view, "[data-lane='dense'] input[type=range]", 3)
    view.locator(".wbb-state", has_text="confirmed by Python").wait_for(timeout=10_000)
    assert (
        lab.run("print(board.trace == trace.what_if(weights={**{l.name: 1 for l in trace.lanes}, 'dense': 3}))")
        == "True"
    )


def test_errors_of_both_sides_appear_in_words_and_the_last_good_state_stays(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace.what_if(dialect='elasticsearch')); board")
    good = _fused(view)
    field = view.locator(".wbb-fused .wb-number")
    field.fill("-5")
    field.press("Enter")
    view.locator(".wb-error").wait_for()
    assert "-5" in view.locator(".wb-error").inner_text()
    lab.page.wait_for_timeout(400)
    assert _fused(view) == good
    lab.run("board._handle_custom_msg({'type': 'why', 'row': 10**6}, [])")
    view.locator(".wb-error", has_text="row is 1000000").wait_for()
    view.get_by_role("button", name="Dismiss").click()
    assert view.locator(".wb-error").count() == 0
    # the twin and Python made to disagree: one bit of one score
    lab.run(
        "s = np.frombuffer(board._buffers['scores'], '<f8').copy(); s[0] = np.nextafter(s[0], 1)\n"
        "with board.hold_sync():\n    board._buffers = {**board._buffers, 'scores': s.tobytes()}; board._state = {**board._state, 'n': 1}"
    )
    view.locator(".wb-error", has_text="the browser and Python disagree").wait_for()


def test_ten_thousand_candidates_open_within_two_seconds_and_scroll(lab: Scratch) -> None:
    lab.run(
        "ids = [f'd{i:05}#c0' for i in range(10_000)]\n"
        "many = wb.Workbench([wb.Document(id[:-3], f'boiler {id}') for id in ids], signals=['text'],\n"
        "    lanes={'up': ids, 'down': ids[::-1]}, config=wb.Config(depth=10_000)).retrieve('boiler')"
    )
    started = time.perf_counter()
    lab.view("views.Board(many)", ".wbb-fused .wbb-row")
    opened = time.perf_counter() - started
    assert opened < 2, f"{opened:.2f} s from run to paint"
    board = lab.page.locator(".jp-Notebook .jp-Cell").last.locator(".wb")
    scroll = board.locator(".wbb-scroll")
    scroll.evaluate("el => { el.scrollTop = el.scrollHeight; }")
    board.locator("[data-lane='up'] .wbb-row[data-id='d09999#c0']").wait_for(timeout=10_000)
    lab.page.wait_for_function(
        "el => !el.querySelector('[data-lane=up] .wbb-snip').textContent.includes(' …')", arg=board.element_handle()
    )
    assert board.locator(".wbb-row").count() < 150
    assert "of 10000" in board.locator("[data-lane='up'] .wbb-about").inner_text()


def test_hostile_text_is_shown_as_text_and_nothing_runs(lab: Scratch) -> None:
    view = lab.view(
        'bad = "<img src=x onerror=window.ran=1><script>window.ran=1</script></style>\\u202e\\x00{{7*7}}javascript:window.ran=1"\n'
        "docs = [wb.Document(f'{i} {bad}', f'# {bad}\\n\\nboiler {bad}', title=bad) for i in range(3)]\n"
        "views.Board(wb.Workbench(docs, lanes={bad: [wb.Passage(f'own {bad}', 'd', bad, 0, (bad,), bad)]}).retrieve(f'boiler {bad}'))"
    )
    view.locator(".wbb-row").first.click()
    lab.page.keyboard.press("t")
    lab.page.wait_for_timeout(300)
    assert lab.page.evaluate("() => window.ran") is None
    assert view.locator("img, script, a, iframe").count() == 0
    assert "<img src=x onerror=window.ran=1>" in view.inner_text()
    assert "⟨U+202E⟩⟨U+0000⟩" in view.inner_text()


def test_with_reduced_motion_nothing_tweens(lab: Scratch) -> None:
    lab.page.emulate_media(reduced_motion="reduce")
    view = lab.view("board = views.Board(trace); board")
    _slide(view, K, 30, let_go=False)
    lab.page.wait_for_timeout(60)
    assert view.evaluate("el => el.getAnimations({ subtree: true }).length") == 0
    rows = view.locator(".wbb-fused .wbb-row").evaluate_all(
        "rows => rows.map(r => [new DOMMatrix(getComputedStyle(r).transform).f, parseFloat(r.style.transform.slice(11))])"
    )
    assert all(now == there for now, there in rows)


def test_a_closed_board_leaves_the_page(lab: Scratch) -> None:
    view = lab.view("board = views.Board(trace); board")
    lab.run("board.close()")
    view.wait_for(state="detached")
    assert lab.page.evaluate("() => globalThis[Symbol.for('retrieval-workbench.selection')].size") == 0


def test_a_drag_over_five_lanes_of_fifty_rows_takes_less_script_than_a_frame(lab: Scratch) -> None:
    view = lab.view("five = wb.Workbench.sample(config=wb.Config(depth=50)).ask(trace.query); views.Board(five)")
    _settled(view)
    session = lab.page.context.new_cdp_session(lab.page)
    session.send("Performance.enable")

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "ScriptDuration")  # type: ignore[no-any-return]

    before = spent()
    frames = view.locator(K).evaluate(
        """async el => {
            const start = performance.now();
            for (let i = 0; i < 40; i++) {
                el.value = 200 - i * 4; el.dispatchEvent(new Event('input'));
                await new Promise(go => requestAnimationFrame(go));
            }
            return (performance.now() - start) / 40;
        }"""
    )
    script = (spent() - before) * 1000 / 40
    assert script < 16.7, f"{script:.1f} ms of script a frame, {frames:.1f} ms from frame to frame"


def test_phrasings_share_one_knob_and_any_lane_name_can_be_weighed(lab: Scratch) -> None:
    view = lab.view(
        "two = wb.Workbench([wb.Document(i, f'boiler {i}') for i in 'abc'], signals=['text'], reranker=None,\n"
        "    lanes={'bm25 (es)': ['c#c0', 'a#c0']}).retrieve('boiler', phrasings=['a boiler'])\n"
        "board = views.Board(two); board"
    )
    assert view.locator("[data-lane='lexical (2)'] input").count() == 0
    assert "weight of lexical" in view.locator("[data-lane='lexical (2)'] .wb-knob").inner_text()
    for lane in ("lexical", "bm25 (es)"):
        _slide(view, f"[data-lane='{lane}'] input[type=range]", 2)
        view.locator(".wbb-state", has_text="confirmed by Python").wait_for(timeout=10_000)
    weights = lab.run("print(dict(board.trace.fusion.params['weights']), board._error)")
    assert "'lexical': 2.0" in weights
    assert "'lexical (2)': 2.0" in weights
    assert "'bm25 (es)': 2.0" in weights
