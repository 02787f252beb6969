"""How the tests are spread over processes: a module stays together, and the browser's modules follow one another."""

from pathlib import Path

import pytest

_TESTS = Path(__file__).parent
_BROWSER = _TESTS / "browser"
_NOTEBOOKS = _TESTS / "test_notebooks.py"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Groups for ``--dist loadgroup``: modules share their fixtures; two browsers at once would wait for each other."""
    for item in items:
        if item.path.is_relative_to(_BROWSER):
            group = "browser"
        elif item.path == _NOTEBOOKS:
            group = item.nodeid  # long, and nothing is shared
        else:
            group = item.nodeid.split("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
