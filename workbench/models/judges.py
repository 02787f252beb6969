"""The seam to faithfulness judges: the workbench's own grounding, or any callable."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError

METHODS = ("alignment", "f1")
Judge = Callable[[str, Sequence[str]], float]


def as_judge(given: Any) -> str | Judge:
    """``"alignment"`` or ``"f1"`` (the grounding kernel's), or a ``callable(answer, evidence texts) -> float``."""
    if isinstance(given, str):
        return checks.one_of("judge", given, METHODS, "unknown_parameter")
    if not callable(given):
        raise WorkbenchError(
            "wrong_type", f"judge is {given!r}: give 'alignment', 'f1' or a callable(answer, evidence texts) -> float"
        )
    judge: Judge = given
    return judge


def judge_name(judge: str | Judge) -> str:
    """What a Trace calls that judge."""
    if isinstance(judge, str):
        return judge
    return str(getattr(judge, "name", getattr(judge, "__name__", type(judge).__name__)))


def asked(judge: Judge, answer: str, texts: Sequence[str]) -> float:
    """The callable's faithfulness, clamped to 0..1 (R11).

    Raises:
        WorkbenchError: ``model_failed`` when it raises or returns what is no number; ``not_finite`` for NaN or infinity.
    """
    name = judge_name(judge)
    try:
        value = judge(answer, list(texts))
    except WorkbenchError:
        raise
    except Exception as cause:
        raise WorkbenchError("model_failed", f"judge {name} failed: {type(cause).__name__}: {cause}") from cause
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise WorkbenchError("model_failed", f"judge {name} returned {value!r}: a judge returns a number in 0..1")
    if not math.isfinite(float(value)):
        raise WorkbenchError("not_finite", f"judge {name} returned {float(value)!r}: a judge returns a number in 0..1")
    return min(1.0, max(0.0, float(value)))
