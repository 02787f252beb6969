"""The app in a real JupyterLab: its first screen, its tabs, its settings, its queries, its scenarios, its errors."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.browser.rig import Scratch, scratch

FIRST = """
import gc, weakref
import workbench as wb
from workbench import views
bench = wb.Workbench.sample()
from workbench.views import App, Board
"""
TABS = ["board", "fusion_player", "why", "redundancy", "gate", "grounding", "predict"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    with scratch(tmp_path_factory.mktemp("app"), FIRST) as opened:
        yield opened


@pytest.fixture(autouse=True)
def clean(lab: Scratch) -> Iterator[None]:
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    lab.page.emulate_media(reduced_motion="no-preference")
    lab.page.mouse.move(1, 1)
    yield
    lab.seen.clean()
    lab.reset()


def opened(lab: Scratch, code: str = "app = views.App(bench); app") -> Locator:
    lab.view(code, ".wbb-row")
    cells = lab.page.locator(".jp-Notebook .jp-Cell")
    return cells.nth(cells.count() - 1).locator(".wb").first


def show(view: Locator, tab: str) -> Locator:
    view.locator(f".wba-tabs [data-tab={tab}]").click()
    panel = view.locator(f".wba-panel[data-tab={tab}] > div")
    panel.wait_for(timeout=10_000)
    return panel


def fused(view: Any) -> list[str]:
    return view.locator(".wbb-fused .wbb-row").evaluate_all(
        "rows => rows.map(r => [parseFloat(r.style.transform.slice(11)), r.dataset.id]).sort((a, b) => a[0] - b[0]).map(r => r[1])"
    )  # type: ignore[no-any-return]


def slide(view: Locator, selector: str, *positions: float, let_go: bool = True) -> None:
    view.locator(selector).first.evaluate(
        """(el, [positions, go]) => {
            for (const at of positions) { el.value = at; el.dispatchEvent(new Event('input')); }
            if (go) el.dispatchEvent(new Event('change'));
        }""",
        [list(positions), let_go],
    )


def confirmed(view: Locator) -> None:
    view.locator(".wba-status[data-kind=good]").wait_for(timeout=15_000)


K = ".wba-k input[type=range]"


@pytest.mark.parametrize("width", [1280, 800])
def test_the_first_screen_is_painted_soon_and_fits(lab: Scratch, width: int) -> None:
    lab.page.set_viewport_size({"width": width, "height": 900})
    started = time.perf_counter()
    view = opened(lab)
    painted = time.perf_counter() - started
    # the limit is 1.5 s on a quiet machine (benchmarks/views.py prints it); here others may use the processors
    assert painted < 6
    lab.page.wait_for_timeout(200)
    box = view.bounding_box()
    assert box is not None
    assert box["height"] <= 560
    for part in view.locator(".wba-row, .wba-main, .wba-tools").all():
        inner = part.bounding_box()
        if inner is not None:
            assert inner["x"] >= box["x"]
            assert inner["x"] + inner["width"] <= box["x"] + box["width"] + 0.5
    clipped = view.locator(".wba button").evaluate_all(
        "all => all.filter(e => e.offsetParent && !e.classList.contains('wbb-strip') && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
    )
    assert clipped == []
    assert view.locator(".wbb-why").inner_text() == lab.run("print(app.trace.why().sentence)")


def test_every_tab_shows_its_view_and_loads_only_when_it_is_opened(lab: Scratch) -> None:
    view = opened(lab)
    assert view.locator(".wba-panel").count() == 1
    assert lab.run("print('why.js' in app._parts)") == "False"
    for tab in TABS[1:]:
        panel = show(view, tab)
        assert panel.inner_text().strip()
        assert view.locator(".wb-error").count() == 0
        assert lab.run("print(app.tab)") == tab
    assert view.locator(".wba-panel:visible").count() == 1
    lab.run("app.tab = 'board'")
    view.locator(".wbb-row").first.wait_for()


def test_hover_and_selection_go_from_tab_to_tab(lab: Scratch) -> None:
    view = opened(lab)
    row = view.locator(".wbb-fused .wbb-row[data-id]").nth(2)
    id = row.get_attribute("data-id")
    row.hover()
    lit = view.locator(".wbb-row.wbb-lit").evaluate_all("rows => [...new Set(rows.map(r => r.dataset.id))]")
    assert lit == [id]
    assert view.locator(".wbb-row.wbb-lit").count() >= 2
    row.click()
    show(view, "why")
    assert view.locator(".wbw-pick").input_value() == id
    lab.page.wait_for_timeout(200)
    assert lab.run("print(app.selection.selected)") == id


def test_k_and_weights_reorder_while_they_are_dragged_and_python_confirms(lab: Scratch) -> None:
    view = opened(lab)
    before, text = fused(view), view.locator(".wbb-why").inner_text()
    slide(view, K, 30, let_go=False)
    lab.page.wait_for_timeout(150)
    dragged = fused(view)
    assert dragged != before
    assert lab.run("print(app.trace is app.asked)") == "True"
    slide(view, K, 30)
    confirmed(view)
    assert fused(view) == dragged
    assert view.locator(".wbb-why").inner_text() != text
    assert lab.run("print(app.trace == app.asked.what_if(k=2))") == "True"
    view.get_by_role("button", name="Weights").click()
    slide(view, ".wba-weights input[type=range]", 3)
    lab.page.wait_for_function(
        "el => el.querySelector('.wba-status').dataset.kind === 'good'", arg=view.element_handle()
    )
    lab.page.wait_for_timeout(300)
    assert lab.run("print(dict(app.trace.config.weights)['lexical'], app.trace.config.k)") == "3.0 2.0"
    assert view.locator(".wb-error").count() == 0


def test_the_last_value_wins_after_a_burst_of_sixty_changes(lab: Scratch) -> None:
    view = opened(lab)
    view.locator(K).evaluate(
        """async el => {
            for (let i = 0; i < 60; i++) {
                el.value = 240 - i * 3; el.dispatchEvent(new Event('input')); el.dispatchEvent(new Event('change'));
                await new Promise(go => setTimeout(go, 16));
            }
        }"""
    )
    last = round(10 ** ((240 - 59 * 3) / 100))
    confirmed(view)
    lab.page.wait_for_timeout(400)
    assert view.locator(".wba-k .wb-number").input_value() == str(last)
    assert lab.run("print(app.trace.fusion.params['k'])") == f"{last}.0"
    assert view.locator(".wbb-fused .wb-number").input_value() == str(last)


def test_the_other_settings_reach_python(lab: Scratch) -> None:
    view = opened(lab)
    view.get_by_label("Gate preset").select_option("strict")
    view.get_by_label("Diversity (MMR)").check()
    confirmed(view)
    top = view.get_by_label("Top k: how many are kept")
    top.fill("3")
    top.press("Enter")
    lab.page.wait_for_timeout(600)
    assert lab.run("print(app.trace == app.asked.what_if(gate='strict', lambda_mmr=0.7, top_k=3))") == "True"
    show(view, "redundancy")
    slide(view, ".wba-settings input[aria-label^='λ']", 0.3)
    lab.page.wait_for_timeout(800)
    assert lab.run("print(app.trace.config.lambda_mmr)") == "0.3"
    view.locator(".wba-settings").get_by_role("button", name="Reset").click()
    lab.page.wait_for_function(
        "el => el.querySelector('.wba-settings button[aria-label^=Reset]').disabled", arg=view.element_handle()
    )
    assert lab.run("print(app.trace is app.asked)") == "True"


def test_a_bad_query_shows_an_error_and_keeps_the_last_state(lab: Scratch) -> None:
    view = opened(lab)
    before, query = fused(view), lab.run("print(app.trace.query)")
    box = view.get_by_label("Query", exact=True)
    box.fill("   ")
    box.press("Enter")
    view.locator(".wb-error", has_text="an empty query").wait_for()
    assert fused(view) == before
    assert lab.run("print(app.trace.query)") == query
    box.fill("clause 14.2")
    box.press("Enter")
    lab.page.wait_for_function("el => !el.querySelector('.wb-error')", arg=view.element_handle())
    confirmed(view)
    assert lab.run("print(app.trace.query)") == "clause 14.2"
    assert fused(view)[:3] == lab.run("print(*app.trace.fusion.ids[:3])").split()


def test_keys_work_inside_and_jupyterlab_does_not_steal_them(lab: Scratch) -> None:
    view = opened(lab)
    cells = lab.page.locator(".jp-Notebook .jp-Cell").count()
    view.locator(".wbb-fused .wbb-row").first.click()
    lab.page.keyboard.press("]")
    lab.page.wait_for_function(
        "el => el.querySelector('.wba-query').value === 'clause 14.2'", arg=view.element_handle()
    )
    confirmed(view)
    lab.page.keyboard.press("[")
    lab.page.wait_for_function(
        "el => el.querySelector('.wba-query').value !== 'clause 14.2'", arg=view.element_handle()
    )
    lab.page.wait_for_timeout(500)
    view.locator(".wba-tabs [data-tab=board]").focus()
    lab.page.keyboard.press("ArrowRight")
    assert lab.page.evaluate("() => document.activeElement.dataset.tab") == "fusion_player"
    view.locator(".wba-panel[data-tab=fusion_player] > div").wait_for()
    lab.page.keyboard.press("ArrowLeft")
    view.locator(".wbb-row").first.wait_for()
    lab.page.keyboard.press("?")
    assert "the saved query before" in view.inner_text()
    lab.page.keyboard.press("Escape")
    assert lab.page.evaluate("() => document.activeElement.dataset.tab") == "board"
    for key in ("a", "b", "x", "d", "d", "m", "0", "0"):  # JupyterLab: insert, cut, delete, markdown, restart
        lab.page.keyboard.press(key)
    view.get_by_label("Query", exact=True).focus()
    lab.page.keyboard.type(" [s]?")
    lab.page.wait_for_timeout(200)
    assert view.get_by_label("Query", exact=True).input_value().endswith(" [s]?")
    assert lab.page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert lab.page.locator(".jp-Dialog").count() == 0


def test_a_dialect_leaves_ghost_ranks_and_a_sentence(lab: Scratch) -> None:
    view = opened(lab)
    view.locator("select[aria-label=Fusion]").select_option("qdrant")
    view.locator(".wba-ghost").first.wait_for()
    assert view.locator(".wba-told").inner_text() == lab.run("print(app._state['ghost']['sentence'])")
    first = view.locator(".wba-ghost").first
    first.hover()
    id = first.get_attribute("data-id")
    lit = view.locator(".wbb-row.wbb-lit").evaluate_all("rows => [...new Set(rows.map(r => r.dataset.id))]")
    assert lit == [id]
    view.get_by_label("End the comparison").click()
    lab.page.wait_for_function(
        "el => el.querySelector('.wba-side').classList.contains('wb-hidden')", arg=view.element_handle()
    )


def test_a_scenario_is_named_kept_and_compared(lab: Scratch) -> None:
    view = opened(lab)
    view.locator(".wbb-fused .wbb-row").first.click()
    lab.page.keyboard.press("s")
    name = view.get_by_label("Name of the scenario")
    assert name.input_value() == "as asked"
    name.fill("the start")
    name.press("Enter")
    view.locator(".wba-side b", has_text="against the start").wait_for()
    slide(view, K, 0)
    confirmed(view)
    assert view.locator(".wba-ghost .wba-moved").count() > 0
    assert lab.run("print(list(app.scenarios))") == "['the start']"


def test_copy_as_python_shows_the_lines(lab: Scratch) -> None:
    view = opened(lab)
    view.get_by_role("button", name="Copy as Python").click()
    area = view.get_by_label("Python", exact=True)
    area.wait_for()
    assert area.input_value() == lab.run("print(app.python)")
    area.focus()
    lab.page.keyboard.press("Escape")
    assert not area.is_visible()


def test_a_closed_app_is_freed_and_leaves_the_page(lab: Scratch) -> None:
    view = opened(lab, "app = views.App(bench); display(app)")
    for tab in TABS[1:]:
        show(view, tab)
    lab.run("gone = weakref.ref(app); app.close(); del app")
    view.wait_for(state="detached")
    assert lab.run("gc.collect(); print(gone())") == "None"
    assert lab.page.evaluate("() => globalThis[Symbol.for('retrieval-workbench.selection')].size") == 0


def test_a_workbench_and_a_trace_as_a_last_line_show_themselves(lab: Scratch) -> None:
    view = opened(lab, "bench")
    assert view.locator(".wba-query").is_visible()
    lab.view("bench.ask('clause 14.2')", ".wbb-row")
    assert lab.page.locator(".jp-Notebook .jp-Cell").last.locator(".wba").count() == 0


def test_one_trace_alone_can_be_looked_at_and_set(lab: Scratch) -> None:
    view = opened(lab, "app = views.App(bench.ask('clause 14.2')); app")
    assert view.get_by_label("Query", exact=True).is_disabled()
    slide(view, K, 30)
    confirmed(view)
    assert lab.run("print(app.trace.config.k)") == "2.0"
