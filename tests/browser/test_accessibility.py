"""Every view for everyone: axe finds nothing serious, the keyboard reaches everything, and motion can be turned off."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator

from tests.browser.rig import Scratch, scratch

AXE = "axe-core@4.10.3"
FIRST = """
import workbench as wb
from workbench import views
bench = wb.Workbench.sample()
trace = bench.ask("How much notice must Brackwater give to end the Corvane agreement without a reason?")
spread = trace.what_if(lambda_mmr=0.5)
labels = [(trace, True), (bench.ask("How long should I roast a chicken at 200 degrees?"), False)]
"""
VIEWS = {
    "App": "views.App(bench)",
    "Board": "views.Board(trace)",
    "FusionPlayer": "views.FusionPlayer(trace)",
    "Why": "views.Why(trace, selection=views.Selection(trace.order[1], trace.order[0]))",
    "Redundancy": "views.Redundancy(spread)",
    "Gate": "views.Gate(trace, queries=labels)",
    "Grounding": "views.Grounding(trace)",
    "Predict": "views.Predict(trace)",
}
THEMES = ["JupyterLab Light", "JupyterLab Dark"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    with scratch(tmp_path_factory.mktemp("axe"), FIRST) as opened:
        yield opened


@pytest.fixture(autouse=True)
def clean(lab: Scratch) -> Iterator[None]:
    lab.page.emulate_media(reduced_motion="no-preference")
    yield
    lab.seen.clean()
    lab.reset()


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checker's script out of its npm package, pinned; without it the tests skip, and fail in CI."""
    folder = tmp_path_factory.mktemp("npm")
    npm = shutil.which("npm")
    ran = npm and subprocess.run(
        [npm, "pack", AXE, "--silent"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    packed = next(folder.glob("*.tgz"), None)
    if packed is None:
        said = f"{AXE} cannot be had: {ran.stderr.strip()[-200:] if ran else 'npm is not installed'}"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
    with tarfile.open(packed) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


def opened(lab: Scratch, name: str) -> Locator:
    view = lab.view(VIEWS[name], ".wb")
    if name == "App":
        view.locator(".wbb-row").first.wait_for()
    lab.page.wait_for_timeout(250)
    return view


def violations(lab: Scratch, axe: str, view: Locator) -> list[str]:
    if not lab.page.evaluate("() => Boolean(window.axe)"):
        lab.page.evaluate(axe)
    found = view.evaluate(
        """async el => (await axe.run(el, {resultTypes: ['violations']})).violations
            .filter(v => ['serious', 'critical'].includes(v.impact))
            .flatMap(v => v.nodes.map(n => `${v.id} (${v.impact}): ${n.html.slice(0, 160)} | ${n.any.map(a => a.message).join('; ').slice(0, 160)}`))"""
    )
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious_in_any_view(lab: Scratch, axe: str, theme: str) -> None:
    lab.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    lab.page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
    found = {}
    for name in VIEWS:
        view = opened(lab, name)
        found[name] = violations(lab, axe, view)
        if name == "App":
            for tab in ("fusion_player", "why", "redundancy", "gate", "grounding", "predict"):
                view.locator(f".wba-tabs [data-tab={tab}]").click()
                view.locator(f".wba-panel[data-tab={tab}] > div").wait_for()
                lab.page.wait_for_timeout(200)
                found[f"App, {tab}"] = violations(lab, axe, view)
            view.locator("select[aria-label=Fusion]").select_option("qdrant")
            view.locator(".wba-ghost").first.wait_for()
            found["App, compared"] = violations(lab, axe, view)
        lab.reset()
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize("name", VIEWS)
def test_the_keyboard_reaches_everything_and_leaves_again(lab: Scratch, name: str) -> None:
    view = opened(lab, name)
    # one stop in a list of rows or tabs stands for all of them: the arrows go on from there
    unreached = view.evaluate(
        """root => [...root.querySelectorAll('button, input, select, textarea, summary, [role=option], [role=tab], [role=gridcell]')]
            .filter(e => e.offsetParent && !e.disabled && e.tabIndex < 0)
            .filter(e => !e.closest('[role=listbox], [role=tablist], [role=grid], [role=radiogroup], [role=list]')?.querySelector("[tabindex='0'], [aria-activedescendant]")
                && !e.closest("[role=listbox][tabindex='0'], [role=grid][tabindex='0']"))
            .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert unreached == []
    stops = view.evaluate(
        "root => [...root.querySelectorAll('*')].filter(e => e.tabIndex >= 0 && e.offsetParent && !e.disabled).length"
    )
    view.locator("button:visible:not(:disabled), [tabindex='0']:visible").first.focus()
    visited = set()
    for _ in range(stops + 5):
        inside = view.evaluate(
            "root => root.contains(document.activeElement) && [...root.querySelectorAll('*')].indexOf(document.activeElement)"
        )
        if inside is False:
            break
        visited.add(inside)
        ring = lab.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert ring != "none", lab.page.evaluate("() => document.activeElement.outerHTML.slice(0, 200)")
        lab.page.keyboard.press("Tab")
    else:
        pytest.fail("Tab never leaves the view")
    assert len(visited) >= min(stops, 3)


@pytest.mark.parametrize("name", VIEWS)
def test_with_reduced_motion_nothing_tweens(lab: Scratch, name: str) -> None:
    lab.page.emulate_media(reduced_motion="reduce")
    view = opened(lab, name)
    moving = "root => root.getAnimations({ subtree: true }).map(a => `${a.effect.target.className} ${a.playState}`)"
    assert view.evaluate(moving) == []
    first = view.locator("input[type=range]:visible:not(:disabled)").first
    if first.count():
        first.evaluate(
            "el => { el.value = Number(el.min) + (el.max - el.min) / 5; el.dispatchEvent(new Event('input')); }"
        )
        lab.page.wait_for_timeout(60)
        assert view.evaluate(moving) == []
        first.evaluate("el => el.dispatchEvent(new Event('change'))")
    view.locator("[tabindex='0']:visible, button:visible:not(:disabled)").first.focus()
    for key in (".", "j", " ", "c"):
        lab.page.keyboard.press(key)
        lab.page.wait_for_timeout(60)
        assert view.evaluate(moving) == []
