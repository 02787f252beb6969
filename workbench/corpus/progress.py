"""What a long intake tells of itself: a bar, or a callable of the caller's."""

from typing import Any

from workbench.corpus.library import Progress
from workbench.errors import WorkbenchError


def as_progress(given: Any) -> Progress | None:
    """None or False: nothing. True: a tqdm bar a stage. A callable(stage, done, of): itself.

    Stages: ``cut`` (documents), ``embed`` (passages), ``write`` (documents).
    """
    if given is None or given is False:
        return None
    if given is True:
        return _Bars()
    if not callable(given):
        raise WorkbenchError(
            "wrong_type", f"progress is {given!r:.80}: give True for a bar, or a callable(stage, done, of)"
        )
    told: Progress = given
    return told


class _Bars:
    """One bar at a time, closed when its stage is done."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, of: int) -> None:
        from tqdm.auto import tqdm

        if self._bar is None or self._stage != stage:
            self._bar, self._stage = tqdm(total=of, desc=stage), stage
        self._bar.update(done - self._bar.n)
        if done >= of:
            self._bar.close()
            self._bar = None
