"""The fusion player in a real JupyterLab: it ends at the Trace's own doubles, says each step, and plays only when told."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.rig import Scratch, scratch

FIRST = """
import workbench as wb
from workbench import views
bench = wb.Workbench.sample()
trace = bench.ask("How much notice must Brackwater give to end the Corvane agreement without a reason?")
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    with scratch(tmp_path_factory.mktemp("player"), FIRST) as opened:
        yield opened


@pytest.fixture(autouse=True)
def clean(lab: Scratch) -> Iterator[None]:
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    lab.page.emulate_media(reduced_motion="no-preference")
    yield
    lab.seen.clean()
    lab.reset()


def _step(view: Any) -> int:
    return int(view.locator(".wbp").get_attribute("data-step"))


def _rows(view: Any) -> list[list[Any]]:
    """[id, total, terms by lane] of each watched candidate, best first."""
    return view.locator(".wbp-row").evaluate_all(
        """rows => rows.map(r => [parseFloat(r.style.transform.slice(11)), r]).sort((a, b) => a[0] - b[0])
            .map(([, r]) => [r.dataset.id, r.dataset.total ?? null,
                Object.fromEntries([...r.querySelectorAll('.wbp-seg[data-term]')].map(s => [s.dataset.lane, s.dataset.term]))])"""
    )  # type: ignore[no-any-return]


def _to(view: Any, step: int) -> None:
    view.locator(".wbp-scrub").evaluate("(el, at) => { el.value = at; el.dispatchEvent(new Event('input')); }", step)


def test_nothing_plays_by_itself_and_playing_ends_at_the_trace_s_doubles(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    lab.page.wait_for_timeout(600)
    assert _step(view) == 0
    view.get_by_label("Speed").select_option("4")
    view.locator(".wbp-play").click()
    lanes = int(lab.run("print(len(trace.fusion.lanes))"))
    lab.page.wait_for_function(
        "el => el.querySelector('.wbp').dataset.kind === 'cut'", arg=view.element_handle(), timeout=30_000
    )
    view.locator(".wbp-play").click()
    _to(view, lanes + 1)  # the last lane
    rows = _rows(view)
    lab.run(f"drawn = {rows!r}")
    said = lab.run(
        "fused = trace.fusion\n"
        "assert [d[0] for d in drawn] == [id for id in fused.ids if id in {d[0] for d in drawn}]\n"
        "for id, total, terms in drawn:\n"
        "    row = fused.row(id)\n"
        "    assert float(total) == fused.scores[row], (id, total)\n"
        "    assert {k: float(v) for k, v in terms.items()} == {c.lane: c.contribution for c in fused.of(id) if c.contribution is not None}\n"
        "print(len(drawn), fused.residual)"
    )
    assert said == f"{len(rows)} 0.0"
    assert view.locator(".wbp-foot").get_attribute("data-residual") == "0"
    lab.page.wait_for_timeout(800)
    lengths = view.locator(".wbp-row").evaluate_all(
        "rows => rows.map(r => [parseFloat(r.dataset.total), [...r.querySelectorAll('.wbp-seg')].reduce((w, s) => w + s.getBoundingClientRect().width, 0)])"
    )
    longest = max(total for total, _ in lengths)
    widest = max(width for _, width in lengths)
    assert all(abs(width / widest - total / longest) < 0.02 for total, width in lengths)


def test_each_step_is_python_s_own_sentence_and_is_spoken(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    sentences = lab.run("print(*(f['sentence'] for f in player._state['frames']), sep='\\n')").split("\n")
    view.locator(".wbp-said").focus()
    assert view.locator(".wbp-said").inner_text() == sentences[0]
    for sentence in sentences[1:]:
        lab.page.keyboard.press(".")
        assert view.locator(".wbp-said").inner_text() == sentence
        assert view.locator("[aria-live=polite]").text_content() == sentence
    lab.page.keyboard.press(",")
    assert view.locator(".wbp-said").inner_text() == sentences[-2]
    lab.page.keyboard.press("Home")
    assert _step(view) == 0


def test_terms_fly_with_their_numbers_and_land(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    _to(view, 1)
    view.get_by_label("Speed").select_option("0.5")
    view.get_by_label("Step on").click()
    view.locator(".wbp-flying").first.wait_for()
    flying = view.locator(".wbp-flying span").all_text_contents()
    assert "1/(60+1)" in flying
    lab.page.wait_for_function("el => el.querySelectorAll('.wbp-flying').length === 0", arg=view.element_handle())
    assert "1/(60+1) = 0.01639" in view.locator(".wbp-row").first.inner_text() + view.inner_text()


def test_what_a_lane_did_not_return_is_a_hatched_slot_never_a_bar(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    absent = lab.run(
        "watched = set(player._state['cards']['ids'])\n"
        "print(*(f'{id} {c.lane}' for id in trace.fusion.ids if id in watched for c in trace.fusion.of(id) if c.rank is None), sep='\\n')"
    ).split("\n")
    assert absent != [""]
    _to(view, int(lab.run("print(len(trace.fusion.lanes) + 1)")))
    for line in absent:
        id, lane = line.rsplit(" ", 1)
        row = view.locator(f".wbp-row[data-id='{id}']")
        assert row.locator(f".wbp-slot[title='{lane}: not returned by this lane']").count() == 1
        assert row.locator(f".wbp-seg[data-lane='{lane}'][data-term]").count() == 0


def test_space_plays_and_pauses_and_touching_a_control_pauses(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    view.get_by_label("Speed").select_option("4")
    view.locator(".wbp-said").focus()
    lab.page.keyboard.press(" ")
    lab.page.wait_for_function("el => +el.querySelector('.wbp').dataset.step >= 1", arg=view.element_handle())
    assert "Pause" in view.locator(".wbp-play").inner_text()
    lab.page.keyboard.press(" ")
    stopped = _step(view)
    lab.page.wait_for_timeout(900)
    assert _step(view) == stopped
    lab.page.keyboard.press(" ")
    lab.page.wait_for_timeout(400)
    view.locator(".wbp-k input[type=range]").evaluate("el => { el.value = 100; el.dispatchEvent(new Event('input')); }")
    assert "Play" in view.locator(".wbp-play").inner_text()


def test_at_k_two_the_twin_agrees_with_what_if_and_k_comes_back(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    frames = int(lab.run("print(len(player._state['frames']))"))
    _to(view, frames + 4)  # 30, 15, 8, 4, 2
    assert "k = 2" in view.locator(".wbp-said").inner_text()
    rows = [[id, total] for id, total, _ in _rows(view)]
    lab.run(f"drawn = {rows!r}")
    assert (
        lab.run(
            "two = trace.what_if(k=2).fusion\n"
            "assert [d[0] for d in drawn] == [id for id in two.ids if id in {d[0] for d in drawn}]\n"
            "print(all(float(t) == two.scores[two.row(id)] for id, t in drawn))"
        )
        == "True"
    )
    view.locator(".wbp-said").focus()
    lab.page.keyboard.press("End")
    assert "Back at k = 60" in view.locator(".wbp-said").inner_text()
    assert [id for id, _, _ in _rows(view)] == lab.run(
        "print(*(id for id in trace.fusion.ids if id in set(player._state['cards']['ids'])), sep='\\n')"
    ).split("\n")


def test_a_knob_that_is_let_go_is_confirmed_and_the_step_stays(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    _to(view, 4)
    view.locator("[data-lane='dense'] input[type=range]").evaluate(
        "el => { el.value = 3; el.dispatchEvent(new Event('input')); el.dispatchEvent(new Event('change')); }"
    )
    view.locator(".wbp-state", has_text="confirmed by Python").wait_for(timeout=10_000)
    assert _step(view) == 4
    assert lab.run("print(player.trace.fusion.params['weights']['dense'])") == "3.0"


def test_ties_flash_with_their_rule_and_the_cut_falls_after_the_last_that_is_kept(lab: Scratch) -> None:
    view = lab.view(
        "tied = wb.Workbench([wb.Document(i, f'text {i}') for i in 'abc'], signals=['text'], reranker=None,\n"
        "    lanes={'p': ['b#c0', 'c#c0'], 'q': ['a#c0']}, config=wb.Config(top_k=2)).retrieve('nothing')\n"
        "player = views.FusionPlayer(tied); player"
    )
    kinds = lab.run("print(*(f['kind'] for f in player._state['frames']))").split()
    _to(view, kinds.index("ties"))
    assert view.locator(".wbp-row.wbp-tie").count() == 2
    assert "tied: smaller id" in view.inner_text()
    _to(view, kinds.index("cut"))
    lab.page.wait_for_timeout(800)
    line = view.locator(".wbp-cut").bounding_box()
    rows = view.locator(".wbp-row").evaluate_all(
        "rows => rows.map(r => [r.dataset.id, r.getBoundingClientRect().y]).sort((a, b) => a[1] - b[1])"
    )
    assert line is not None
    assert [id for id, y in rows if y < line["y"]] == ["a#c0", "b#c0"]


def test_raw_sums_show_why_scores_cannot_simply_be_added(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    view.get_by_label("add raw scores instead").check()
    assert "drown the others" in view.locator(".wbp-said").inner_text()
    rows = [[id, total] for id, total, _ in _rows(view)]
    lab.run(f"drawn = {rows!r}")
    assert (
        lab.run(
            "def raw(id):\n    total = None\n    for c in trace.fusion.of(id):\n        if c.score is not None:\n"
            "            total = c.score if total is None else total + c.score\n    return total\n"
            "print(all(float(t) == raw(id) for id, t in drawn))"
        )
        == "True"
    )
    view.get_by_label("add raw scores instead").uncheck()
    assert view.locator(".wbp-foot").get_attribute("data-residual") == "0"


def test_with_reduced_motion_steps_take_the_place_of_motion(lab: Scratch) -> None:
    lab.page.emulate_media(reduced_motion="reduce")
    view = lab.view("player = views.FusionPlayer(trace); player")
    _to(view, 1)
    view.get_by_label("Step on").click()
    assert view.locator(".wbp-flying").count() == 0
    assert view.evaluate("el => el.getAnimations({ subtree: true }).length") == 0
    assert view.locator(".wbp-total").first.inner_text() != ""


def test_the_step_as_a_table(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    _to(view, 3)
    watched = view.locator(".wbp-row").count()
    view.locator(".wbp-said").focus()
    lab.page.keyboard.press("t")
    assert view.locator("table tbody tr").count() == watched
    lab.page.keyboard.press("Escape")
    assert not view.locator("table").is_visible()


def test_a_run_without_candidates_says_so(lab: Scratch) -> None:
    view = lab.view(
        "views.FusionPlayer(wb.Workbench([wb.Document('a', 'boiler')], signals=['text']).retrieve('violin'))"
    )
    assert "nothing to fuse" in view.inner_text()


def test_hostile_text_is_shown_as_text_and_nothing_runs(lab: Scratch) -> None:
    view = lab.view(
        'bad = "<img src=x onerror=window.ran=1><script>window.ran=1</script></style>\\u202e\\x00\\"\'"\n'
        "docs = [wb.Document(f'{i} {bad}', f'# {bad}\\n\\nboiler {bad}', title=bad) for i in range(3)]\n"
        "views.FusionPlayer(wb.Workbench(docs, lanes={bad: [wb.Passage(f'own {bad}', 'd', bad, 0, (bad,), bad)]}).retrieve('boiler'))"
    )
    for _ in range(6):
        view.get_by_label("Step on").click()
    view.locator(".wbp-said").focus()
    lab.page.keyboard.press("t")
    assert lab.page.evaluate("() => window.ran") is None
    assert view.locator("img, script, a, iframe").count() == 0
    assert "<img src=x onerror=window.ran=1>" in view.inner_text()


def test_rank_by_rank_each_term_comes_by_itself_and_the_end_is_the_same(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    view.locator(".wbp-scrub").focus()
    view.page.keyboard.press("r")
    assert view.get_by_label("rank by rank").is_checked()
    ranks = view.locator(".wbp-lane").first.locator(".wbp-chip").count()
    _to(view, 2)
    assert view.locator(".wbp").get_attribute("data-kind") == "rank"
    terms = "rows => rows.map(r => r.querySelectorAll('[data-term]').length)"
    assert sum(view.locator(".wbp-row").evaluate_all(terms)) == 1
    assert re.search(r"gets 1/\(60\+\d+\) = 0\.01\d+; it has", view.locator(".wbp-said").inner_text())
    _to(view, 1 + ranks)
    assert sum(view.locator(".wbp-row").evaluate_all(terms)) == ranks
    _to(view, 2 + ranks)
    assert view.locator(".wbp").get_attribute("data-kind") == "lane"
    totals = "rows => rows.map(r => [r.dataset.id, r.dataset.total]).sort()"
    slow = view.locator(".wbp-row").evaluate_all(totals)
    view.page.keyboard.press("r")
    assert _step(view) == 2
    assert view.locator(".wbp-row").evaluate_all(totals) == slow


def test_a_slider_keeps_the_focus_while_python_answers(lab: Scratch) -> None:
    view = lab.view("player = views.FusionPlayer(trace); player")
    slider = view.locator(".wbp-k input[type=range]")
    slider.focus()
    for _ in range(3):
        view.page.keyboard.press("ArrowLeft")
        view.locator(".wbp-state", has_text="confirmed").wait_for(timeout=10_000)
        assert slider.evaluate("el => el === document.activeElement")
    assert lab.run("print(player.trace.fusion.params['k'] < 60)") == "True"
