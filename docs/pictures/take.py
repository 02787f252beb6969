"""Takes the pictures beside this file: every view in JupyterLab, light and dark, at 1280 and 800 pixels.

    python docs/pictures/take.py [view …]

It needs the extra [test] and a Chromium (see tests/browser/rig.py).
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Locator

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.browser.rig import Scratch, scratch  # noqa: E402

FIRST = """
import workbench as wb
from workbench import views
bench = wb.Workbench.sample()
trace = bench.ask("How many parking permits can one household have?")
spread = trace.what_if(lambda_mmr=0.5)
pair = lambda: views.Selection(trace.order[1], trace.order[0])
labels = [(bench.ask(q), answerable) for q, answerable in (
    ("How many parking permits can one household have?", True),
    ("clause 14.2", True),
    ("How quickly must Corvane report a data incident to Brackwater?", True),
    ("How long should I roast a chicken at 200 degrees?", False),
    ("What is the electric vehicle charging tariff in Schedule H?", False))]
"""
VIEWS = {
    "app": "views.App(bench, query=trace.query)",
    "trace": "from IPython.display import HTML\nfrom workbench.views.picture import picture\nHTML(picture(trace))",
    "board": "views.Board(trace)",
    "fusion": "views.FusionPlayer(trace)",
    "why": "views.Why(trace, selection=pair())",
    "redundancy": "views.Redundancy(spread)",
    "gate": "views.Gate(trace, queries=labels)",
    "grounding": "views.Grounding(trace)",
    "predict": "views.Predict(trace)",
}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
WIDTHS = (1280, 800)


def main(names: list[str]) -> None:
    """Takes the pictures of the views named; of all when none is."""
    with tempfile.TemporaryDirectory() as folder, scratch(Path(folder), FIRST) as lab:
        for theme, full in THEMES.items():
            lab.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", full)
            lab.page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=full)
            for width in WIDTHS:
                lab.page.set_viewport_size({"width": width, "height": 1600})
                for name in names or VIEWS:
                    _take(lab, name).screenshot(path=HERE / f"{name}-{theme}-{width}.png")
                    print(f"{name}-{theme}-{width}.png")
                    lab.reset()


def _take(lab: Scratch, name: str) -> Locator:
    if name == "trace":
        return lab.view(VIEWS[name], ".jp-RenderedHTMLCommon > div")
    view = lab.view(VIEWS[name])
    if name == "app":
        view.locator(".wbb-row").first.wait_for()
    if name == "fusion":  # where the terms of some lanes have come in
        view.get_by_role("slider").first.wait_for()
        view.locator("button[aria-label*='tep'], button").first.focus()
        for _ in range(6):
            lab.page.keyboard.press(".")
            lab.page.wait_for_timeout(700)
    lab.page.mouse.move(1, 1)
    lab.page.evaluate("() => document.activeElement.blur()")
    lab.page.wait_for_timeout(500)
    return view


if __name__ == "__main__":
    main(sys.argv[1:])
