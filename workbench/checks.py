"""Checks of arguments, shared by every floor. Each refusal names the argument, the value and what to give."""

import math
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from workbench.errors import WorkbenchError


def number(
    name: str, value: Any, *, low: float = -math.inf, high: float = math.inf, above: float | None = None
) -> float:
    """``value`` as a finite float within [low, high], or above ``above``.

    Raises:
        WorkbenchError: ``wrong_type``, ``not_finite`` or ``out_of_range``.
    """
    if isinstance(value, bool) or (not isinstance(value, int | float) and not hasattr(value, "__float__")):
        raise WorkbenchError("wrong_type", f"{name} is {value!r}: give a number", name=name, value=value)
    given = float(value)
    if not math.isfinite(given):
        raise WorkbenchError("not_finite", f"{name} is {given!r}: give a finite number", name=name, value=given)
    if above is not None and not given > above:
        raise WorkbenchError(
            "out_of_range", f"{name} is {value!r}: give a number above {above:g}", name=name, value=value
        )
    if not low <= given <= high:
        raise WorkbenchError(
            "out_of_range", f"{name} is {value!r}: give a number {_span(low, high)}", name=name, value=value
        )
    return given


def whole(name: str, value: Any, *, low: int = 1, high: int | None = None) -> int:
    """``value`` as an int within [low, high]; 0 is refused unless ``low`` allows it, never read as a default."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise WorkbenchError("wrong_type", f"{name} is {value!r}: give a whole number", name=name, value=value)
    given = int(value.__index__())
    if given < low or (high is not None and given > high):
        span = _span(low, math.inf if high is None else high)
        raise WorkbenchError("out_of_range", f"{name} is {value!r}: give a whole number {span}", name=name, value=value)
    return given


def one_of(name: str, value: Any, known: Iterable[str], code: str) -> str:
    """``value`` when it is among ``known``; otherwise an error with ``code`` that names them all."""
    names = tuple(known)
    if isinstance(value, str) and value in names:
        return value
    near = get_close_matches(value, names, 1) if isinstance(value, str) else []
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise WorkbenchError(
        code, f"{name} is {value!r}{hint}: the known ones are {', '.join(names)}", name=name, value=value, known=names
    )


def text(name: str, value: Any) -> str:
    """``value`` when it is text, else ``wrong_type``."""
    if not isinstance(value, str):
        raise WorkbenchError("wrong_type", f"{name} is {type(value).__name__} {value!r:.80}: give text", name=name)
    return value


def listed(name: str, value: Any, of: str) -> list[Any]:
    """``value`` as a list of ``of``. Text is no list, and a set has no order of its own: ``wrong_type``."""
    if isinstance(value, str | bytes | set | frozenset | Mapping) or not isinstance(value, Iterable):
        raise WorkbenchError(
            "wrong_type", f"{name} is {type(value).__name__} {value!r:.80}: give a list of {of}", name=name
        )
    return list(value)


def query_text(value: Any) -> str:
    """A query that holds some text. An empty one is the same named error everywhere."""
    if not text("query", value).strip():
        raise WorkbenchError("empty_query", f"query is {value!r}: ask something; an empty query would rank by nothing")
    return str(value)


def item_id(value: Any, where: str) -> str:
    """``value`` when it is a non-empty text id; ``where`` names the lane and position for the message."""
    if value is None or value == "":
        raise WorkbenchError("missing_id", f"{where} has no id: give each item a text id of its own", where=where)
    if not isinstance(value, str):
        raise WorkbenchError(
            "id_not_text",
            f"{where} has the id {value!r} ({type(value).__name__}): an id is text, since 1 and '1' would be two items; give {str(value)!r}",
            where=where,
            value=value,
        )
    return value


def no_repeats(ids: Collection[str], where: str) -> None:
    """Refuses a list that ranks an item twice (``repeated_id``, naming the first one)."""
    if len(set(ids)) == len(ids):
        return
    seen: dict[str, int] = {}
    for position, each in enumerate(ids, start=1):
        if each in seen:
            raise WorkbenchError(
                "repeated_id",
                f"{where} holds {each!r} at {seen[each]} and at {position}: one lane ranks an item once; drop the later one or merge them first",
                where=where,
                id=each,
            )
        seen[each] = position


def _span(low: float, high: float) -> str:
    if low > -math.inf and high < math.inf:
        return f"from {low:g} to {high:g}"
    return f"of at least {low:g}" if low > -math.inf else f"of at most {high:g}"
