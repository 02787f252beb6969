"""How quick the views are in JupyterLab: slider to changed page, frames of the animation, first paint.

    python benchmarks/views.py

A board of 5 lanes × 50 rows beside an ipywidgets HTML table of the same size, in one run: both sliders are moved in
turn. ``dragging`` is the browser alone, ``confirmed`` runs to Python's answer checked bit for bit. It needs the
extra [test] and a Chromium (see tests/browser/rig.py).
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.rig import Scratch, scratch

FIRST = """
import ipywidgets, workbench as wb
from workbench import views
from workbench.views import App, Board
bench = wb.Workbench.sample(config=wb.Config(depth=50))
trace = bench.ask("How much notice must Brackwater give to end the Corvane agreement without a reason?")
slider, table = ipywidgets.IntSlider(value=60, min=1, max=300), ipywidgets.HTML()
def swap(_=None):
    rows = [f"<tr><td>{slider.value}</td><td>{id}</td></tr>" for lane in trace.lanes for id in lane.ids[:50]]
    table.value = f"<table class='plain' data-k='{slider.value}'>{''.join(rows)}</table>"
slider.observe(swap, 'value'); swap()
print(len(trace.lanes), max(len(lane.hits) for lane in trace.lanes))
"""
TIMES = 20

PLAIN = """async ([root, times]) => {
    const handle = root.querySelector('.noUi-handle');
    const took = [];
    handle.focus();
    for (let i = 0; i < times; i++) {
        const was = root.querySelector('.plain').dataset.k;
        const start = performance.now();
        handle.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
        await new Promise(go => {
            const watch = new MutationObserver(() => {
                if (root.querySelector('.plain')?.dataset.k !== was) { watch.disconnect(); go(); }
            });
            watch.observe(root, {subtree: true, childList: true, attributes: true});
        });
        took.push(performance.now() - start);
        await new Promise(go => setTimeout(go, 120));
    }
    return took;
}"""
DRAG = """async ([root, times]) => {
    const slider = root.querySelector('.wbb-fused input[type=range]');
    const [twin, painted, confirmed] = [[], [], []];
    const until = (held) => new Promise(go => {
        if (held()) return go();
        const watch = new MutationObserver(() => { if (held()) { watch.disconnect(); go(); } });
        watch.observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
    });
    const state = root.querySelector('.wbb-state');
    for (let i = 0; i < times; i++) {
        let start = performance.now();
        slider.value = i % 2 ? 178 : 60;
        const score = root.querySelector('.wbb-fused .wbb-row').dataset.score;
        slider.dispatchEvent(new Event('input'));
        await until(() => root.querySelector('.wbb-fused .wbb-row')?.dataset.score !== score);
        twin.push(performance.now() - start);
        start = performance.now();
        slider.dispatchEvent(new Event('change'));
        await until(() => !/asking|worked out/.test(state.textContent));
        confirmed.push(performance.now() - start);
        await new Promise(go => setTimeout(go, 350));
    }
    return [twin, confirmed];
}"""
FRAMES = """async ([root, times]) => {
    const slider = root.querySelector('.wbb-fused input[type=range]');
    const frames = [];
    for (let i = 0; i < times; i++) {
        slider.value = i % 2 ? 20 : 220;
        slider.dispatchEvent(new Event('input'));
        let last = await new Promise(requestAnimationFrame);
        const end = last + 400;
        while (last < end) {
            const now = await new Promise(requestAnimationFrame);
            frames.push(now - last);
            last = now;
        }
    }
    slider.dispatchEvent(new Event('change'));
    return frames;
}"""


def main() -> None:
    """Prints one line a figure, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder, scratch(Path(folder), FIRST) as lab:
        plain = _measured(lab, "ipywidgets.VBox([slider, table])", ".plain", PLAIN)
        _line("plain ipywidgets HTML, slider to changed page", plain)
        dragging, confirmed = _measured(lab, "views.Board(trace)", ".wbb-row", DRAG)
        _line("board, dragging: slider to changed page", dragging)
        _line("board, confirmed by Python", confirmed)
        print(
            f"{'confirmed : plain, of the medians':48} {statistics.median(confirmed) / statistics.median(plain):8.1f}"
        )
        frames = _measured(lab, "views.Board(trace)", ".wbb-row", FRAMES)
        _line("board, frames while rows move", frames)
        for _ in range(3):
            started = time.perf_counter()
            lab.view("views.App(bench)", ".wbb-row")
            print(f"{'app, run to first paint':48} {1000 * (time.perf_counter() - started):8.0f}")
            lab.reset()


def _measured(lab: Scratch, code: str, selector: str, script: str) -> Any:
    shown = lab.view(code, selector)
    lab.page.wait_for_timeout(1000)
    root = shown.locator("xpath=ancestor::*[contains(@class, 'jp-OutputArea-output')][1]")
    took = lab.page.evaluate(script, [root.element_handle(), TIMES])
    lab.reset()
    return took


def _line(name: str, values: list[float]) -> None:
    ordered = sorted(values)
    high = ordered[int(0.9 * (len(ordered) - 1))]
    print(
        f"{name:48} median {statistics.median(values):6.1f}  p90 {high:6.1f}  longest {ordered[-1]:6.1f}  n {len(values)}"
    )


if __name__ == "__main__":
    main()
