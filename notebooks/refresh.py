"""Runs every notebook beside this file from top to bottom and stores its outputs, without times or widget state."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def refresh(path: Path) -> None:
    """Executes one notebook in place. A cell that raises ends it with the traceback, and the file stays as it was."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(HERE)}}).execute()
    notebook.metadata.pop("widgets", None)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{path.stem[:2]}-{number:02d}"
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            # the widget of a stored output has no kernel behind it: the picture beside it is what is shown
            if "text/html" in output.get("data", {}):
                output["data"].pop("application/vnd.jupyter.widget-view+json", None)
    notebook.metadata["language_info"].pop("version", None)
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(p.name for p in HERE.glob("*.ipynb")):
        refresh(HERE / name)
