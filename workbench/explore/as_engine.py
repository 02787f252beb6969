"""The same lanes as another engine would fuse them, with what it does otherwise in words."""

from dataclasses import dataclass
from typing import Any, Generic

from workbench import checks
from workbench.explain.dialect_words import Elsewhere, elsewhere
from workbench.explore.source import R
from workbench.explore.what_if import what_if
from workbench.kernels.dialects import DIALECTS


@dataclass(frozen=True, slots=True)
class AsEngine(Generic[R]):
    """``run`` is the whole run under the engine's fusion; ``said`` holds its fused ranks beside the present ones."""

    run: R
    said: Elsewhere


def as_engine(run: R, dialect: str, *, k: float | None = None) -> AsEngine[R]:
    """Fuses the run's recorded lanes as ``dialect`` does, with the engine's own k unless one is given.

    The run's weights go along where the engine reads weights, and are dropped where it reads none. Nothing
    is retrieved.

    Raises:
        WorkbenchError: ``unknown_dialect``, and what the dialect refuses of k and weights.
    """
    spoken = DIALECTS[checks.one_of("dialect", dialect, DIALECTS, "unknown_dialect")]
    changes: dict[str, Any] = {"dialect": dialect, "k": k, "fusion": "rrf", "ties": "fold"}
    if spoken.weights == "none":
        changes["weights"] = {}
    other = what_if(run, **changes)
    return AsEngine(other, elsewhere(run.fusion, other.fusion))
