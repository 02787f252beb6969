"""A real JupyterLab and a real Chromium, started for a test module and stopped by process id."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlparse

import pytest
from playwright.sync_api import Locator, Page, Playwright, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def chromium(playwright: Playwright) -> str:
    """The browser to drive: ``CHROMIUM``, then PATH, then Playwright's own. Without one the test skips, and fails in CI."""
    named = os.environ.get("CHROMIUM")
    found = named or next(
        (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
    )
    if found is None and Path(playwright.chromium.executable_path).exists():
        found = playwright.chromium.executable_path
    if found is None:
        said = "no Chromium: set CHROMIUM, put one on PATH, or run 'playwright install chromium'"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
    return found


@dataclass
class Lab:
    """A running JupyterLab over ``root``."""

    url: str
    token: str
    root: Path

    def open(self, page: Page, notebook: str) -> None:
        """Opens a notebook and waits until its kernel is idle."""
        page.goto(f"{self.url}/lab/tree/{quote(notebook)}?token={self.token}&reset")
        page.wait_for_selector(".jp-Notebook", timeout=60_000)
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
            timeout=60_000,
        )

    def run_all(self, page: Page) -> None:
        """Runs every cell and waits until the last one has its number."""
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        page.wait_for_function(
            """() => {
                const cells = window.jupyterapp.shell.currentWidget.content.model.cells;
                const code = [...Array(cells.length).keys()].map(i => cells.get(i)).filter(c => c.type === 'code');
                return code.every(c => Number.isInteger(c.executionCount) && c.executionState !== 'running');
            }""",
            timeout=120_000,
        )


@contextlib.contextmanager
def jupyter_lab(root: Path, home: Path, *, theme: str = "JupyterLab Light") -> Iterator[Lab]:
    """JupyterLab on a free port with folders of its own; gone afterwards, with its kernels."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    folders = {
        f"{name}_DIR": home / name.lower() for name in ("JUPYTER_CONFIG", "JUPYTER_DATA", "JUPYTER_RUNTIME", "IPYTHON")
    }
    (home / "jupyter_config" / "labconfig").mkdir(parents=True)
    overrides = {
        "@jupyterlab/apputils-extension:themes": {"theme": theme},
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
        "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
        "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    }
    (home / "jupyter_config" / "labconfig" / "default_setting_overrides.json").write_text(json.dumps(overrides))
    environment = {**os.environ, "HOME": str(home), "IPYTHONDIR": str(folders["IPYTHON_DIR"])}
    environment |= {name: str(path) for name, path in folders.items() if name.startswith("JUPYTER")}
    # the kernels import the package that is tested, installed or not
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
        *("--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}"),
        *("--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"),
        "--LabApp.expose_app_in_browser=True",
    ]
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(f"{url}/api/status?token={token}", server, home / "server.log")
            yield Lab(url, token, root)
        finally:
            server.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        if server.poll() is not None:
            break
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.25)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


@dataclass
class Watch:
    """What a page did that it must not do."""

    console: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def clean(self) -> None:
        """Fails on any console error and any request outside the server."""
        assert self.outside == []
        assert self.console == []


def watch(page: Page) -> Watch:
    """Starts watching a page; requests outside the loopback are recorded and stopped."""
    seen = Watch()
    page.on("console", lambda m: seen.console.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: seen.console.append(str(e)))

    def route(route, request):  # type: ignore[no-untyped-def]
        address = urlparse(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname != "127.0.0.1":
            seen.outside.append(request.url)
            route.abort()
        else:
            route.continue_()

    page.route("**/*", route)
    return seen


@contextlib.contextmanager
def browser_page(tmp: Path, *, width: int = 1280, height: int = 900) -> Iterator[Page]:
    """A page of a Chromium with a new profile."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp / "profile"),
            executable_path=chromium(playwright),
            args=FLAGS,
            viewport={"width": width, "height": height},
        )
        try:
            yield context.pages[0] if context.pages else context.new_page()
        finally:
            context.close()


@dataclass
class Scratch:
    """A notebook of its own, open in a running JupyterLab: ``run`` puts a cell at its end and runs it."""

    lab: Lab
    page: Page
    seen: Watch

    def run(self, code: str, *, fails: bool = False) -> str:
        """Runs ``code`` in a new last cell; what it printed. A cell that raises fails the test unless it ``fails``."""
        ran = self.page.evaluate(_RUN, code)
        raised = [o for o in ran if o["output_type"] == "error"]
        assert bool(raised) == fails, "\n".join("\n".join(o["traceback"]) for o in raised) or "no error was raised"
        return "".join(_text(o["text"]) for o in ran if o["output_type"] == "stream" and o["name"] == "stdout").strip()

    def view(self, code: str, selector: str = ".wb") -> Locator:
        """Runs ``code`` and waits until the view that its last line shows is painted."""
        self.run(code)
        cells = self.page.locator(".jp-Notebook .jp-Cell")
        shown = cells.nth(cells.count() - 1).locator(selector).first
        shown.wait_for(timeout=30_000)
        return shown

    def reset(self) -> None:
        """Takes every cell but the first away, and closes what they showed."""
        self.page.keyboard.press("Escape")
        self.page.evaluate(_KEEP_FIRST)
        self.seen.console.clear()
        self.seen.outside.clear()


_RUN = """async code => {
    const panel = window.jupyterapp.shell.currentWidget;
    const {content, model} = panel;
    model.sharedModel.insertCell(model.cells.length, {cell_type: 'code', source: code, metadata: {trusted: true}});
    content.activeCellIndex = model.cells.length - 1;
    await window.jupyterapp.commands.execute('notebook:run-cell');
    content.node.querySelectorAll('.jp-Cell')[model.cells.length - 1].scrollIntoView({block: 'start'});
    return model.cells.get(model.cells.length - 1).outputs.toJSON();
}"""
_KEEP_FIRST = """() => {
    const {model} = window.jupyterapp.shell.currentWidget;
    if (model.cells.length > 1) model.sharedModel.deleteCellRange(1, model.cells.length);
}"""


def _text(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


@contextlib.contextmanager
def scratch(tmp: Path, first: str, *, theme: str = "JupyterLab Light", width: int = 1280) -> Iterator[Scratch]:
    """JupyterLab with one notebook whose first cell has run, beside no side bar: for all tests of a module."""
    root = tmp / "root"
    root.mkdir(parents=True)
    cell = {"cell_type": "code", "id": "first", "source": first, "metadata": {}, "outputs": [], "execution_count": None}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (root / "scratch.ipynb").write_text(json.dumps(book), encoding="utf-8")
    with jupyter_lab(root, tmp / "home", theme=theme) as lab, browser_page(tmp, width=width) as page:
        seen = watch(page)
        lab.open(page, "scratch.ipynb")
        if page.locator(".jp-FileBrowser").is_visible():
            page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        lab.run_all(page)
        ran = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.cells.get(0).outputs.toJSON()")
        assert not [o for o in ran if o["output_type"] == "error"], ran
        yield Scratch(lab, page, seen)
