"""How a Trace or a Workbench shows itself as a cell's last line: a widget, its picture, and text."""

import sys
from typing import Any

from workbench.errors import WorkbenchError
from workbench.pipeline import Workbench
from workbench.trace import Trace
from workbench.views.escaping import escaped
from workbench.views.picture import picture
from workbench.views.text import table


def of_trace(trace: Trace) -> Any:
    """The board of a Trace. Without a kernel behind a page: the picture and the text alone."""
    if not _in_a_kernel():
        return {"text/html": picture(trace), "text/plain": table(trace)}
    from workbench.views.board import Board

    return Board(trace)._repr_mimebundle_()


def of_workbench(bench: Workbench) -> Any:
    """The app over a Workbench, opened with its first saved query; in words where there is none to begin with."""
    lanes = ", ".join(each.name for each in bench.retrievers)
    said = f"Workbench over {len(bench.documents)} documents, {len(bench.passages)} passages; lanes: {lanes or 'none'}"
    if not _in_a_kernel():
        return {"text/plain": said}
    from workbench.views.app import App

    try:
        return App(bench)._repr_mimebundle_()
    except WorkbenchError as error:
        words = f"{said}: views.App(bench, query=…) shows it ({error.message})"
        return {"text/plain": words, "text/html": f"<div>{escaped(words)}</div>"}


def _in_a_kernel() -> bool:
    """Whether a notebook's kernel runs this, so that a widget has a page to be on."""
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None
