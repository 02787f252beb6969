"""The app in a browser tab by itself: a notebook of one cell, and Voilà to show it with nothing fetched from elsewhere."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workbench.errors import BackendUnavailable, WorkbenchError

# the browser extensions that the page loads: others that are installed may be made for JupyterLab alone, and break it
_EXTENSIONS = ("@voila-dashboards/widgets-manager8", "@jupyter-widgets/jupyterlab-manager", "anywidget")

# Voilà's own template asks a CDN for icon fonts that the app does not use
_TEMPLATE = """{%- extends 'voila/templates/lab/index.html.j2' -%}
{%- block notebook_css -%}
{{ super() | replace('<link rel="stylesheet" href="https://', '<link data-left-out="https://') }}
{%- endblock notebook_css -%}
"""


def serve(data: Path | None, query: str | None, *, port: int | None, browser: bool, dark: bool) -> int:
    """Shows the app until it is stopped; the exit code of Voilà.

    ``data``: a folder of Markdown and text files; the sample documents when left out. ``port``: a free one when
    left out. Only this machine can reach it.

    Raises:
        WorkbenchError: ``backend_unavailable`` without Voilà, ``missing_file`` for a folder that is not there.
    """
    if importlib.util.find_spec("voila") is None:
        raise BackendUnavailable(
            "voila",
            ("voila",),
            "app",
            "the app needs Voilà: pip install 'retrieval-workbench[app]', or open it in a notebook",
        )
    if data is not None and not data.is_dir():
        raise WorkbenchError("missing_file", f"{str(data)!r} is no folder: give one that holds documents")
    with tempfile.TemporaryDirectory(prefix="workbench-app-") as folder:
        page = write(Path(folder), data, query)
        command = [
            *(sys.executable, "-m", "voila", str(page), "--Voila.ip=127.0.0.1"),
            *("--template=workbench", f"--theme={'dark' if dark else 'light'}"),
            *(f"--VoilaConfiguration.extension_allowlist={name}" for name in _EXTENSIONS),
            *([] if port is None else [f"--port={port}"]),
            *([] if browser else ["--no-browser"]),
        ]
        paths = os.pathsep.join(filter(None, [folder, os.environ.get("JUPYTER_PATH", "")]))
        try:
            return subprocess.call(command, env={**os.environ, "JUPYTER_PATH": paths})
        except KeyboardInterrupt:
            return 0


def write(folder: Path, data: Path | None, query: str | None) -> Path:
    """Writes the notebook and the template into ``folder``; the notebook's path."""
    template = folder / "voila" / "templates" / "workbench"
    template.mkdir(parents=True)
    (template / "index.html.j2").write_text(_TEMPLATE, encoding="utf-8")
    (template / "conf.json").write_text(json.dumps({"base_template": "lab"}), encoding="utf-8")
    made = "Workbench.sample()"
    if data is not None:
        made = f"Workbench.from_folder({str(data.resolve())!r}, generator='extractive')"
    told = "" if query is None else f", query={query!r}"
    source = f"from workbench import Workbench\nfrom workbench.views import App\nApp({made}{told})"
    cell: dict[str, object] = {
        "cell_type": "code",
        "id": "app",
        "source": source,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    page = folder / "app.ipynb"
    book = {
        "cells": [cell],
        "metadata": {"kernelspec": kernel, "title": "Retrieval workbench"},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    page.write_text(json.dumps(book), encoding="utf-8")
    return page
