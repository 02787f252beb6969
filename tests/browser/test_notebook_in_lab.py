"""Notebook 00 in a real JupyterLab: it runs from top to bottom and shows why, with nothing fetched and no error."""

import shutil
from pathlib import Path

import pytest

from tests.browser.rig import browser_page, jupyter_lab, watch

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_notebook_00_runs_from_top_to_bottom_in_jupyterlab(tmp_path: Path, theme: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(NOTEBOOKS / "00_why_first.ipynb", root)
    with jupyter_lab(root, tmp_path / "home", theme=theme) as lab, browser_page(tmp_path) as page:
        seen = watch(page)
        lab.open(page, "00_why_first.ipynb")
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        lab.run_all(page)
        shown = page.locator(".jp-OutputArea-output .wb").first
        shown.get_by_text("is first").first.wait_for(timeout=30_000)
        assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
        seen.clean()
