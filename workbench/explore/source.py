"""What stands behind a Trace while its Workbench lives: the very lanes and vectors that the run used."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from workbench.records import Attempt, Passage, Run
from workbench.records.probing import Probe

R = TypeVar("R", bound=Run)


class Source(Protocol):
    """The shelf that a run was made from. It never changes, so its answers are of the run's own corpus."""

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Every passage, by id."""
        ...

    def cosines(self, ids: Sequence[str]) -> np.ndarray | None:
        """n × n similarities by the passages' vectors; None where one of them has none."""
        ...

    def probe(self, run: Run, id: str) -> Probe:
        """The passage's true rank and score in each lane of the reported attempt."""
        ...

    def again(self, run: Run, *, filtered: bool = True, **changes: Any) -> Attempt:
        """The reported attempt once more, retrieval included, with changed settings; without its filter if asked."""
        ...


def source_of(run: Run) -> Source | None:
    """What stands behind a run; None for one that was read from a file, unpickled or made by hand."""
    return getattr(run, "_source", None)


def bound(run: R, source: Source | None) -> R:
    """``run``, with ``source`` behind it. Takes no part in equality, JSON, pickles or the fingerprint."""
    if source is not None:
        object.__setattr__(run, "_source", source)
    return run
