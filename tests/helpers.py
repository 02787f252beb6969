"""What many tests share."""

import contextlib
from collections.abc import Iterator

import pytest

from workbench.errors import WorkbenchError


@contextlib.contextmanager
def refused(code: str, *said: str) -> Iterator[pytest.ExceptionInfo[WorkbenchError]]:
    """The block raises a WorkbenchError of this code, whose message says each of ``said``."""
    with pytest.raises(WorkbenchError) as caught:
        yield caught
    assert caught.value.code == code, f"{caught.value.code}: {caught.value.message}"
    for words in said:
        assert words in caught.value.message, caught.value.message
