"""The same picture without JupyterLab's kernel: Voilà, nbconvert's page offline, an untrusted notebook, marimo."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Page

from tests.browser.rig import Lab, Watch, browser_page, jupyter_lab, watch

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "00_why_first.ipynb"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser_page(tmp_path_factory.mktemp("exports")) as opened:
        yield opened


@pytest.fixture
def seen(page: Page) -> Watch:
    page.unroute_all()
    return watch(page)


@contextlib.contextmanager
def served(command: list[str], log: Path) -> Iterator[str]:
    """A server on a free port of this machine, stopped by its process id; ``{port}`` in the command is filled in."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": paths, "HOME": str(log.parent)}
    with log.open("w") as out:
        filled = [part.format(port=port) for part in command]
        server = subprocess.Popen(
            filled, env=environment, stdout=out, stderr=out, start_new_session=True, cwd=log.parent
        )
        try:
            for _ in range(240):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                assert server.poll() is None, log.read_text()[-2000:]
                time.sleep(0.25)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def needs(module: str) -> None:
    if os.environ.get("CI") == "true":
        __import__(module)
    else:
        pytest.importorskip(module, reason=f"{module} is not installed: pip install -e '.[test]'")


def test_workbench_app_shows_the_app_in_a_tab_by_itself_and_asks_nothing_of_others(
    tmp_path: Path, page: Page, seen: Watch
) -> None:
    needs("voila")
    command = [
        sys.executable,
        "-c",
        "from workbench.cli import main; main()",
        "app",
        "--port",
        "{port}",
        "--no-browser",
        "--dark",
    ]
    with served(command, tmp_path / "log") as url:
        page.goto(url)
        page.locator(".wbb-row").first.wait_for(timeout=60_000)
        slider = page.locator(".wba-k input[type=range]")
        slider.evaluate(
            "el => { el.value = 30; el.dispatchEvent(new Event('input')); el.dispatchEvent(new Event('change')); }"
        )
        page.locator(".wba-status[data-kind=good]").wait_for(timeout=15_000)
        page.locator(".wba-tabs [data-tab=gate]").click()
        page.locator(".wba-panel[data-tab=gate] > div").wait_for()
        ground = page.locator(".wb").first.evaluate("el => getComputedStyle(el).backgroundColor")
        assert max(int(part) for part in ground.removeprefix("rgb(").removesuffix(")").split(", ")) < 80
        seen.clean()


def is_the_picture(page: Page) -> None:
    for said in ("is first", "fused", "answerable"):
        page.locator("div:visible > table:visible, div:visible", has_text=said).last.wait_for()


@pytest.mark.parametrize("kept", [False, True], ids=["as stored", "with the widget's id"])
def test_nbconvert_s_page_shows_the_picture_offline(tmp_path: Path, page: Page, seen: Watch, kept: bool) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    shown = [out for cell in notebook.cells for out in cell.get("outputs", []) if "text/html" in out.get("data", {})]
    if kept:  # as JupyterLab saves it: an id whose model is in no file
        for out in shown:
            out["data"][WIDGET] = {"model_id": "0" * 32, "version_major": 2, "version_minor": 0}
    body, _ = HTMLExporter().from_notebook_node(notebook)
    made = tmp_path / "page.html"
    made.write_text(body, encoding="utf-8")
    page.goto(made.as_uri(), wait_until="domcontentloaded")
    is_the_picture(page)
    assert page.locator("table").count() >= 2
    # nbconvert's own template asks for its helpers; the page is whole without them
    assert all("cdnjs.cloudflare.com" in url for url in seen.outside)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    tmp = tmp_path_factory.mktemp("untrusted")
    (tmp / "root").mkdir()
    shutil.copy(NOTEBOOK, tmp / "root")
    with jupyter_lab(tmp / "root", tmp / "home", theme="JupyterLab Dark") as opened:
        yield opened


def test_an_untrusted_notebook_shows_the_picture_without_running(lab: Lab, page: Page, seen: Watch) -> None:
    lab.open(page, NOTEBOOK.name)
    page.wait_for_function("() => document.querySelectorAll('.jp-RenderedHTMLCommon table').length > 0")
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.cells.get(1).trusted") is False
    assert page.locator(".wb").count() == 0
    is_the_picture(page)
    seen.clean()


MARIMO = """
import marimo

app = marimo.App()


@app.cell
def _():
    import workbench as wb
    from workbench import views

    documents = [wb.Document("a", "The boiler is read in May."), wb.Document("b", "The boiler and the meter are read.")]
    views.App(wb.Workbench(documents, signals=["text", "structure"]), query="boiler meter")
    return


if __name__ == "__main__":
    app.run()
"""


def test_marimo_shows_the_app_and_its_tabs(tmp_path: Path, page: Page, seen: Watch) -> None:
    needs("marimo")
    (tmp_path / "app.py").write_text(MARIMO)
    command = [
        sys.executable,
        "-m",
        "marimo",
        "run",
        "app.py",
        "--headless",
        "--no-token",
        "--host",
        "127.0.0.1",
        "--port",
        "{port}",
    ]
    with served(command, tmp_path / "log") as url:
        page.goto(url)
        page.locator(".wbb-row").first.wait_for(timeout=60_000)
        slider = page.locator(".wba-k input[type=range]")
        slider.evaluate(
            "el => { el.value = 30; el.dispatchEvent(new Event('input')); el.dispatchEvent(new Event('change')); }"
        )
        page.locator(".wba-status[data-kind=good]").wait_for(timeout=15_000)
        page.locator(".wba-tabs [data-tab=gate]").click()
        page.locator(".wba-panel[data-tab=gate] > div").wait_for(timeout=15_000)


def test_a_notebook_carries_no_widget_state() -> None:
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert "widgets" not in stored["metadata"]
    assert WIDGET not in json.dumps(stored)
