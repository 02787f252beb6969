"""One weight for each lane, checked by name."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.kernels.lanes_in import named


def lane_weights(
    names: Collection[str], weights: Any, *, default: float = 1.0, name_all: bool = False
) -> tuple[float, ...]:
    """One weight a lane, in lane order.

    Args:
        names: the lanes.
        weights: None (``default`` each), a mapping lane → weight (a lane that is not named gets
            ``default``; with ``name_all`` every lane has to be named), or a sequence as long as the lanes.

    Raises:
        WorkbenchError: ``unknown_parameter`` for a name that is no lane, ``shape_mismatch``,
            ``not_finite``, ``out_of_range`` (negative, or all zero), ``wrong_type``.
    """
    if weights is None or (isinstance(weights, Mapping) and not weights):
        return (default,) * len(names)
    given = weights.tolist() if hasattr(weights, "tolist") else weights
    if isinstance(given, Mapping):
        for each in given:
            checks.one_of("a lane named in weights", each, names, "unknown_parameter")
        unnamed = [name for name in names if name not in given]
        if name_all and unnamed:
            raise WorkbenchError(
                "shape_mismatch",
                f"weights is {dict(given)!r} and leaves out {named(unnamed)}: this dialect takes a weight for every lane",
                lanes=tuple(unnamed),
            )
        given = [given.get(name, default) for name in names]
    if not isinstance(given, list | tuple):
        raise WorkbenchError(
            "wrong_type", f"weights is {weights!r}: give a mapping lane → weight, or one weight a lane", value=weights
        )
    if len(given) != len(names):
        raise WorkbenchError(
            "shape_mismatch",
            f"weights is {weights!r}, {len(given)} for {len(names)} lanes: give one for each of {', '.join(names)}",
            weights=len(given),
            lanes=len(names),
        )
    read = tuple(checks.number(f"weights[{name!r}]", each, low=0) for name, each in zip(names, given, strict=True))
    if not 0 < folded(read) < math.inf:
        why = "their sum is beyond a double; give smaller ones" if any(read) else "all 0; give one of them above 0"
        raise WorkbenchError("out_of_range", f"weights is {weights!r}: {why}", value=weights)
    return read


def folded(numbers: Iterable[float]) -> float:
    """The numbers added from left to right, one rounding each; ``sum`` would give other bits from Python 3.12 on."""
    total = 0.0
    for number in numbers:
        total += number
    return total
