"""Where the sample data and notebooks lie: inside the wheel, or beside the package in a checkout."""

from pathlib import Path

from workbench.errors import WorkbenchError


def folder(name: str) -> Path:
    """The folder ``sample_data`` or ``notebooks``.

    Raises:
        WorkbenchError: ``missing_file`` where the package was copied without it.
    """
    package = Path(__file__).parent
    for place in (package / "_shipped" / name, package.parent / name):
        if place.is_dir():
            return place
    raise WorkbenchError(
        "missing_file", f"{name} is neither in the wheel nor beside the package: install the package again"
    )
