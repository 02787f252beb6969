"""Why, Redundancy and Predict in a real JupyterLab: what they paint, their keys and knobs, Python's word, hostile text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rig import Scratch, scratch

FIRST = """
import json
from workbench import Document, Workbench, views
bench = Workbench.sample()
trace = bench.ask("How much notice must Brackwater give to end the Corvane agreement without a reason?")
diverse = trace.what_if(lambda_mmr=0.5)
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    with scratch(tmp_path_factory.mktemp("why"), FIRST) as opened:
        yield opened


@pytest.fixture(autouse=True)
def clean(lab: Scratch) -> Iterator[None]:
    lab.page.set_viewport_size({"width": 1280, "height": 1200})
    lab.page.emulate_media(reduced_motion="no-preference")
    lab.page.mouse.move(1, 1)
    yield
    lab.seen.clean()
    lab.reset()


def slide(view: Any, label: str, *positions: float, let_go: bool = True) -> None:
    """Drags the slider of that name through ``positions``, one an animation frame."""
    view.get_by_label(label, exact=True).evaluate(
        """async (el, [positions, go]) => {
            for (const at of positions) {
                el.value = at;
                el.dispatchEvent(new Event('input'));
                await new Promise((next) => requestAnimationFrame(next));
            }
            if (go) el.dispatchEvent(new Event('change'));
        }""",
        [list(positions), let_go],
    )


def confirmed(view: Any) -> None:
    view.locator(".wbo-status", has_text="confirmed by Python").wait_for(timeout=20_000)


def numbers(view: Any, selector: str, name: str) -> list[float]:
    return [float(value) for value in view.locator(selector).evaluate_all(f"els => els.map(e => e.dataset.{name})")]


def clipped(view: Any) -> list[str]:
    """What sticks out of its box and is neither cut with an ellipsis nor scrolled."""
    return view.evaluate(
        """(root) => [...root.querySelectorAll('*')].filter((el) => {
            const style = getComputedStyle(el);
            if (el.scrollWidth <= el.clientWidth + 1 || !el.clientWidth || style.display === 'inline') return false;
            return style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && el.tagName !== 'svg' && !el.closest('.wb-heard');
        }).map((el) => `${el.className}: ${el.textContent.slice(0, 60)}`)"""
    )


LAMBDA = "λ: 0 diversity only, 1 relevance only"


# ---------------------------------------------------------------- redundancy


def test_the_picks_that_are_drawn_are_the_traces_own(lab: Scratch) -> None:
    view = lab.view("r = views.Redundancy(diverse); r")
    scores = lab.run("print(json.dumps([s.score for s in diverse.diversification.steps[:5]]))")
    drawn = view.locator(".wbx-row.wbx-kept").evaluate_all(
        "els => els.map(e => [Number(e.style.transform.match(/, (.*)px/)[1]), Number(e.dataset.score)]).sort((a, b) => a[0] - b[0]).map(e => e[1])"
    )
    assert drawn == json.loads(scores)
    assert "Skipped: “2. Notice for convenience”, more relevant (0.7625)" in view.locator(".wbx-told").inner_text()
    assert clipped(view) == []


def test_lambda_moves_the_picks_while_it_is_dragged_and_python_confirms_the_last_value(lab: Scratch) -> None:
    view = lab.view("r = views.Redundancy(diverse); r")
    before = view.locator(".wbx-told").inner_text()
    slide(view, LAMBDA, *[0.5 + i / 200 for i in range(60)], let_go=False)
    view.locator(".wbo-status", has_text="worked out here").wait_for()
    assert view.locator(".wbx-told").inner_text() != before
    assert lab.run("print(r.trace.config.lambda_mmr)") == "0.5"
    slide(view, LAMBDA, 0.2, 0.9, 0.3)
    confirmed(view)
    assert lab.run("print(r.trace.config.lambda_mmr, r.trace == diverse.what_if(lambda_mmr=0.3))") == "0.3 True"
    slide(view, LAMBDA, 1)
    view.locator(".wbo-note", has_text="λ changes nothing here").wait_for()


def test_a_step_moves_one_candidate_and_the_first_has_no_redundancy_yet(lab: Scratch) -> None:
    view = lab.view("r = views.Redundancy(diverse); r")
    view.locator(".wbx-map").focus()
    for _ in range(5):
        lab.page.keyboard.press(",")
    assert view.locator(".wbx-count").inner_text() == "0 of 50 picks"
    assert view.locator(".wbx-threads path").count() == 0
    lab.page.keyboard.press(".")
    assert "redundancy none yet" in view.locator(".wbx-told").inner_text()
    lab.page.keyboard.press(".")
    assert "redundancy with “1. Background” (pick 1)" in view.locator(".wbx-told").inner_text()
    assert view.locator(".wbx-threads path").count() > 3
    view.locator(".wbx-map").focus()
    lab.page.keyboard.press(" ")
    view.locator(".wbx-count", has_text="4 of 50 picks").wait_for()
    lab.page.keyboard.press(" ")
    assert view.get_by_text("▶ Play").is_visible()


def test_a_cell_opens_its_texts_by_pointer_and_by_keys(lab: Scratch) -> None:
    view = lab.view("r = views.Redundancy(diverse); r")
    view.locator(".wbx-map").click(position={"x": 20, "y": 60})
    view.locator(".wbx-pair mark").first.wait_for()
    lab.page.keyboard.press("Escape")
    view.locator(".wbx-map").focus()
    lab.page.keyboard.press("ArrowDown")
    assert "beside" in view.locator(".wbx-cell").inner_text()
    lab.page.keyboard.press("Enter")
    view.locator(".wbx-pair").wait_for()
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("t")
    assert view.locator(".wb-tablebox tbody tr").count() == 100


def test_a_run_without_diversity_is_offered_it(lab: Scratch) -> None:
    view = lab.view("r = views.Redundancy(trace); r")
    view.get_by_text("Turn diversity on at λ 0.7").click()
    confirmed(view)
    assert lab.run("print(r.trace.config.lambda_mmr)") == "0.7"
    view.get_by_text("Turn diversity off").click()
    view.get_by_text("Turn diversity on at λ 0.7").wait_for()


def test_a_refusal_shows_in_the_view_and_lambda_goes_back(lab: Scratch) -> None:
    view = lab.view("r = views.Redundancy(diverse); r")
    lab.run("r._handle_custom_msg({'type': 'set', 'changes': {'lambda_mmr': 7}}, [])")
    view.locator(".wb-error", has_text="lambda_mmr is 7").wait_for()
    assert view.get_by_label(LAMBDA, exact=True).input_value() == "0.5"


def test_a_planted_difference_between_the_twin_and_python_is_an_error(lab: Scratch) -> None:
    view = lab.view("r = views.Redundancy(diverse); r")
    lab.run(
        "import numpy as np\nbuffers = dict(r._buffers)\nscores = np.frombuffer(buffers['scores']).copy()\n"
        "scores[3] = np.nextafter(scores[3], 1)\nbuffers['scores'] = scores.tobytes()\n"
        "with r.hold_sync():\n    r._buffers = buffers\n    r._state = {**r._state, 'kept': 4}"
    )
    view.locator(".wb-error", has_text="at pick 4 the twin has score").wait_for()


def test_reduced_motion_tweens_nothing(lab: Scratch) -> None:
    lab.page.emulate_media(reduced_motion="reduce")
    view = lab.view("r = views.Redundancy(diverse); r")
    assert view.locator(".wbx-row").first.evaluate("e => getComputedStyle(e).transitionDuration") == "0s"


# ---------------------------------------------------------------- why


def test_levels_open_one_by_one_and_the_waterfall_ends_at_the_score(lab: Scratch) -> None:
    view = lab.view("w = views.Why(trace); w")
    falls = numbers(view, ".wbw-waterfall", "total")
    assert falls == [float(x) for x in lab.run("print(trace.why().fused_score, trace.reranking.scores[0])").split()]
    bars = numbers(view.locator(".wbw-waterfall").first, ".wbw-fall:not(.wbw-total) i", "value")
    total = 0.0
    for value in bars:
        total = total + value
    assert total == falls[0]
    assert view.locator(".wbw-level").all_inner_texts() == ["▾ Bars", "▸ Table"]
    view.locator(".wbw-pick").focus()
    lab.page.keyboard.press(".")
    lab.page.keyboard.press(".")
    view.locator(".wbw-raw", has_text='"fused_score"').wait_for()
    assert view.locator(".wbw-level").count() == 3
    for _ in range(5):
        lab.page.keyboard.press(",")
    assert view.locator(".wbw-level").all_inner_texts() == ["▸ Bars"]


def test_pin_one_select_another_and_the_signed_bars_sum_to_the_difference(lab: Scratch) -> None:
    view = lab.view("w = views.Why(trace); w")
    view.get_by_role("button", name="The one below").focus()
    lab.page.keyboard.press("p")
    lab.page.keyboard.press("j")
    lab.page.keyboard.press("j")
    view.locator("[data-tab=compare]").click()
    view.get_by_text("A is pinned, B selected").wait_for()
    assert lab.run("print(w.selection.pinned == trace.order[0], w.selection.selected == trace.order[2])") == "True True"
    *bars, difference = numbers(view.locator(".wbw-signs"), "i", "value")
    assert difference == float(
        lab.run(
            "f = trace.fusion; a, b = (f.row(i) for i in (trace.order[0], trace.order[2])); print(f.scores[a] - f.scores[b])"
        )
    )
    total = 0.0
    for value in bars:
        total = total + value
    assert total == pytest.approx(difference, abs=1e-17)
    assert clipped(view) == []


def test_a_button_sets_k_past_its_turning_point_and_the_two_change_places(lab: Scratch) -> None:
    view = lab.view(
        "w = views.Why(trace, selection=views.Selection(selected=trace.order[2], pinned=trace.order[0])); w"
    )
    view.locator("[data-tab=compare]").click()
    caption = view.locator(".wbw-signs .wbw-caption")
    caption.wait_for()
    assert caption.inner_text().endswith("A leads")
    view.locator(".wbw-go", has_text="below it").first.click()
    confirmed(view)
    assert caption.inner_text().endswith("B leads")
    k = float(lab.run("print(w.trace.config.k)"))
    tie = float(lab.run("print(trace.compare(trace.order[0], trace.order[2]).turning.k[0].at)"))
    assert 0 < tie - k < 1
    view.get_by_label("Reset: back to the Trace as given").click()
    view.locator(".wbw-signs .wbw-caption", has_text="A leads").wait_for()


def test_a_burst_of_sixty_keys_on_k_ends_at_the_last_value_with_the_focus_kept(lab: Scratch) -> None:
    view = lab.view("w = views.Why(trace); w")
    view.locator("[data-tab=compare]").click()
    slider = view.get_by_label("k, the smoothing of reciprocal rank fusion", exact=True)
    slider.focus()
    at = int(slider.input_value())
    for _ in range(60):
        lab.page.keyboard.press("ArrowRight")
    confirmed(view)
    lab.page.wait_for_function("() => document.activeElement.type === 'range'")
    assert int(slider.input_value()) == at + 60
    assert float(lab.run("print(w.trace.config.k)")) == round(10 ** ((at + 60) / 100))


def test_why_not_answers_for_a_document_and_its_change_can_be_tried(lab: Scratch) -> None:
    view = lab.view("w = views.Why(trace); w")
    view.locator("[data-tab=not]").click()
    view.locator(".wbw-ask").fill("handbook/pets.md")
    lab.page.keyboard.press("Enter")
    view.locator(".wbw-sentence", has_text="is fused 139th").wait_for()
    view.get_by_text("Try it").click()
    confirmed(view)
    assert lab.run("print('handbook/pets.md' in {p.document_id for p in w.trace.evidence})") == "True"
    view.locator(".wbw-ask").fill("no such thing")
    view.get_by_role("button", name="Ask").click()
    view.locator(".wbw-sentence", has_text="is no document or passage here").wait_for()


def test_the_winner_map_marks_the_setting_and_a_cell_sets_the_run(lab: Scratch) -> None:
    view = lab.view("w = views.Why(trace); w")
    view.locator("[data-tab=map]").click()
    view.locator(".wbw-now").wait_for(timeout=20_000)
    assert view.locator(".wbw-now").get_attribute("data-winner") == lab.run("print(trace.fusion.ids[0])")
    view.locator(".wbw-map").focus()
    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.press("ArrowUp")
    said = view.locator(".wbw-where").inner_text()
    lab.page.keyboard.press("Enter")
    confirmed(view)
    lane = view.get_by_label("The lane whose weight is turned").input_value()
    assert lab.run("print(w.trace.config.k, w.trace.config.weights[" + repr(lane) + "])") == "40.0 1.1"
    assert said.startswith(f"k 40, {lane} weight 1.1")


def test_views_that_share_a_selection_mark_the_same_candidate(lab: Scratch) -> None:
    view = lab.view(
        "import ipywidgets\ns = views.Selection()\nipywidgets.VBox([views.Why(diverse, selection=s), views.Redundancy(diverse, selection=s)])",
        ".jp-OutputArea-output",
    )
    view.locator(".wbx-row").nth(3).wait_for()
    view.locator(".wbx-row").nth(3).click()
    id = view.locator(".wbx-row").nth(3).get_attribute("data-id")
    view.page.wait_for_function("id => document.querySelector('.wbw-pick').value === id", arg=id)
    assert lab.run("print(s.selected)") == id


# ---------------------------------------------------------------- predict


def test_cards_move_by_keys_and_pointer_and_the_reveal_holds_them_against_the_order(lab: Scratch) -> None:
    view = lab.view("p = views.Predict(trace); p")
    scores = lab.run("print(*['%.4g' % s for s in trace.fusion.scores[:5]])").split()
    assert not [score for score in scores if score in view.inner_text()]
    assert view.locator(".wbq-sel, .wbq-lit").count() == 0
    dealt = view.locator(".wbq-card").evaluate_all("els => els.map(e => e.dataset.id)")
    view.locator(".wbq-card").first.focus()
    lab.page.keyboard.press("Enter")
    lab.page.keyboard.press("j")
    lab.page.keyboard.press("Enter")
    third = view.locator(".wbq-card").nth(2)
    box = third.bounding_box()
    assert box is not None
    lab.page.mouse.move(box["x"] + 50, box["y"] + 40)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] + 50, box["y"] - 130, steps=6)
    lab.page.mouse.up()
    lab.page.keyboard.press("r")
    view.locator(".wbq-true").nth(4).wait_for()
    guess = [dealt[2], dealt[1], dealt[0], *dealt[3:]]
    assert lab.run("print(json.dumps(p.result.guess))") == json.dumps(guess)
    assert numbers(view, ".wbq-true", "score") == [
        float(x) for x in lab.run("print(*trace.fusion.scores[:5].tolist())").split()
    ]
    assert view.locator(".wbq-said b").first.inner_text() == lab.run("print(p.result.sentence)")
    assert clipped(view) == []
    view.get_by_role("button", name="Try again").click()
    view.get_by_text("Hidden: the fusion's order and every score.").wait_for()


def test_escape_puts_a_card_back(lab: Scratch) -> None:
    view = lab.view("p = views.Predict(trace); p")
    first = view.locator(".wbq-card").first
    first.focus()
    for key in ("Enter", "j", "j", "Escape"):
        lab.page.keyboard.press(key)
    assert first.get_attribute("aria-posinset") == "1"
    assert first.get_attribute("data-lifted") == "false"


# ---------------------------------------------------------------- all three


def test_hostile_text_is_shown_as_text_in_every_view(lab: Scratch) -> None:
    lab.run(
        """
bad = ["<script>window.hurt = 1</script>", "<img src=x onerror='window.hurt = 1'>", "</style><b>bold</b>", "\\u202egnp.exe", "nul \\x00"]
evil = Workbench([Document(f"d{i} {t}".replace("\\x00", ""), f"boiler {t}", title=t) for i, t in enumerate(bad)], signals=["text"]).retrieve("boiler " + bad[0])
"""
    )
    for code in ("views.Redundancy(evil.what_if(lambda_mmr=0.5))", "views.Predict(evil)", "views.Why(evil)"):
        view = lab.view(code)
        assert "<script>" in view.inner_text()
        assert view.locator("script, img, b:text-is('bold')").count() == 0
    for tab in ("compare", "not", "map"):
        view.locator(f"[data-tab={tab}]").click()
        view.page.wait_for_timeout(500)
    assert lab.page.evaluate("window.hurt") is None


@pytest.mark.parametrize("code", ["views.Redundancy(diverse)", "views.Why(diverse)", "views.Predict(trace)"])
def test_a_narrow_page_cuts_nothing(lab: Scratch, code: str) -> None:
    view = lab.view(code)
    lab.page.set_viewport_size({"width": 800, "height": 1200})
    lab.page.wait_for_timeout(400)
    assert clipped(view) == []
    assert view.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_letters_stay_in_the_view_and_jupyterlab_takes_no_key(lab: Scratch, tmp_path: Path) -> None:
    view = lab.view("views.Why(trace)")
    cells = lab.page.locator(".jp-Notebook .jp-Cell").count()
    view.get_by_role("button", name="The one below").focus()
    for key in ("j", "k", "a", "b", "x", "t", "?", "Escape", "p"):
        lab.page.keyboard.press(key)
    assert lab.page.locator(".jp-Notebook .jp-Cell").count() == cells


def test_the_heat_map_follows_the_theme(lab: Scratch) -> None:
    view = lab.view("views.Redundancy(diverse)")
    ink = "c => c.getContext('2d').getImageData(1, 1, 1, 1).data[0]"  # the mark of the selected candidate
    canvas = view.locator(".wbx-map")
    assert canvas.evaluate(ink) < 60
    try:
        lab.page.evaluate("window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
        lab.page.wait_for_function(f"({ink})(document.querySelector('.wbx-map')) > 200")
        assert clipped(view) == []
    finally:
        lab.page.evaluate("window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})")
        lab.page.wait_for_function(f"({ink})(document.querySelector('.wbx-map')) < 60")
