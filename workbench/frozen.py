"""Immutability, exact equality and exact JSON for the records. Knows no record by name."""

import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Never, Self, Union, get_args, get_origin

import numpy as np

from workbench.errors import WorkbenchError


class FrozenMap(dict[str, Any]):
    """A read-only mapping from text to plain data; its values are frozen too.

    Raises:
        WorkbenchError: ``wrong_type`` for a value that JSON cannot hold, ``not_finite`` for NaN or
            infinity. An absent value is left out or None.
    """

    __slots__ = ()

    def __init__(self, items: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()) -> None:
        pairs = items.items() if isinstance(items, Mapping) else items
        super().__init__({str(key): freeze(value, str(key)) for key, value in pairs})

    def _refuse(self, *_: Any, **__: Any) -> Never:
        raise TypeError("a record's mapping is read-only")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenMap, (dict(self),)


_IMMUTABLE = frozenset({type(None), str, bool, int, FrozenMap})


def freeze(value: Any, where: str = "value") -> Any:
    """Plain data, made immutable: lists become tuples, mappings FrozenMaps, numpy scalars Python's."""
    if type(value) in _IMMUTABLE or isinstance(value, str) or (is_dataclass(value) and not isinstance(value, type)):
        return value
    if isinstance(value, np.generic):
        return freeze(value.item(), where)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise WorkbenchError(
                "not_finite", f"{where} is {value!r}: leave an absent value out, or give None", name=where
            )
        return value
    if isinstance(value, Mapping):
        return FrozenMap(value)
    if isinstance(value, list | tuple):
        return tuple(freeze(item, where) for item in value)
    raise WorkbenchError(
        "wrong_type",
        f"{where} is {type(value).__name__} {value!r:.80}: records hold text, numbers, booleans, lists and mappings of these",
        name=where,
    )


def read_only(array: Any, dtype: Any) -> np.ndarray:
    """A read-only C-ordered copy of ``array`` (no copy when it already is one)."""
    given = np.asarray(array, dtype=dtype, order="C")
    if given.flags.writeable or given.base is not None:
        given = given.copy()
        given.flags.writeable = False
    return given


class ArrayRecord:
    """Base of records that hold arrays: equality compares arrays (NaN equals NaN), pickles stay frozen."""

    __slots__ = ()
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.compare)  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        kinds = left.dtype == right.dtype and left.shape == right.shape
        return kinds and bool(np.array_equal(left, right, equal_nan=left.dtype.kind == "f"))
    return bool(left == right)


# ---------------------------------------------------------------- JSON


def to_plain(value: Any, skip: frozenset[str] = frozenset()) -> Any:
    """A record as JSON data. Arrays become nested lists with null for NaN; ``skip`` names fields to leave out."""
    if isinstance(value, np.ndarray):
        return _array_to_plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name), skip) for f in fields(value) if f.name not in skip}
    if isinstance(value, Mapping):
        return {key: to_plain(item, skip) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item, skip) for item in value]
    return value


def _array_to_plain(array: np.ndarray) -> Any:
    if array.dtype.kind != "f" or not np.isnan(array).any():
        return array.tolist()
    holes = array.astype(object)
    holes[np.isnan(array)] = None
    return holes.tolist()


class FromPlain:
    """Adds ``to_json`` and ``from_json`` to a record, driven by its field types."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """This record as plain JSON data; ``from_json`` gives back an equal record."""
        return typing.cast(dict[str, Any], to_plain(self))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The record that ``to_json`` wrote, exactly."""
        return typing.cast(Self, from_plain(cls, data))


def from_plain(kind: Any, data: Any) -> Any:
    """``data`` read as the type ``kind``: the inverse of ``to_plain``."""
    if kind is Any:
        return freeze(data)
    origin = get_origin(kind)
    if origin is typing.Annotated:
        base, dtype = get_args(kind)[:2]
        return _array_from_plain(data, dtype) if base is np.ndarray else from_plain(base, data)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        return from_plain(next(part for part in get_args(kind) if part is not type(None)), data)
    if origin is tuple:
        parts = get_args(kind)
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(from_plain(parts[0], item) for item in data)
        return tuple(from_plain(part, item) for part, item in zip(parts, data, strict=True))
    if kind is FrozenMap:
        return FrozenMap(data)
    if origin is dict or origin is Mapping:
        return {key: from_plain(get_args(kind)[1], item) for key, item in data.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        if not isinstance(data, Mapping) or set(data) - set(hints):
            extra = sorted(set(data) - set(hints)) if isinstance(data, Mapping) else type(data).__name__
            raise WorkbenchError(
                "unknown_schema", f"not a {kind.__name__} of this version: {extra!r} has no place in it"
            )
        try:
            return kind(**{name: from_plain(hints[name], item) for name, item in data.items()})
        except WorkbenchError:
            raise
        except (TypeError, ValueError, AttributeError) as cause:  # of a field that holds another kind of thing
            raise WorkbenchError("unknown_schema", f"not a whole {kind.__name__}: {cause}") from cause
    return data


def _array_from_plain(data: Any, dtype: Any) -> np.ndarray:
    array = np.array(data, dtype=object)
    if np.dtype(dtype).kind == "f":
        array = np.where(array == None, np.nan, array)  # noqa: E711 - elementwise
    return read_only(array.astype(dtype), dtype)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)
