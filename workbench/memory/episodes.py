"""What memory holds: immutable episodes, each with its window of validity, and the records that its verbs give back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain, FrozenMap
from workbench.memory import times

Retention = str | float
"""``keep`` for good, ``expire`` with the window of validity, or a number of days after it was remembered."""


@dataclass(frozen=True, slots=True)
class Space(FromPlain):
    """What made a vector. Vectors of different spaces never compare."""

    model: str
    version: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.model} {self.version} ({self.dimension} d)"


@dataclass(frozen=True, slots=True)
class Episode(FromPlain):
    """One thing remembered. Moments are microseconds since 1970 UTC; the window is half-open."""

    id: str
    """SHA-256 (hex) of the content."""
    collection: str
    content: str
    remembered: int
    valid_from: int
    valid_until: int | None
    retention: Retention
    salience: float | None
    authority: float | None
    metadata: FrozenMap = field(default_factory=FrozenMap)
    provenance: FrozenMap = field(default_factory=FrozenMap)
    """Where it comes from: who said it, in what document."""

    def state(self, at: int) -> str:
        """``not yet``, ``valid`` or ``expired`` at that moment."""
        if at < self.valid_from:
            return "not yet"
        return "valid" if self.valid_until is None or at < self.valid_until else "expired"

    def due(self, at: int) -> str:
        """Why retention lets it go at that moment, in words; empty while it is kept."""
        if self.retention == "expire" and self.valid_until is not None and at >= self.valid_until:
            return f"its validity ended at {times.shown(self.valid_until)}"
        if not isinstance(self.retention, str) and at - self.remembered >= self.retention * times.DAY:
            return f"it was remembered at {times.shown(self.remembered)}, {self.retention:g} days or more ago"
        return ""


@dataclass(frozen=True, slots=True)
class Receipt(FromPlain):
    """What ``remember`` did. An episode that exists is never changed."""

    status: str
    """``created`` or ``existing``."""
    id: str
    collection: str
    remembered: str
    state: str
    """``valid``, ``not yet`` or ``expired``, now."""
    differs: tuple[str, ...] = ()
    """Arguments that were given and are not what the existing episode holds: it keeps its own."""
    space: str = ""
    """The embedding space of the vector that came with the call."""
    vector: str = ""
    """``stored``, ``existing``, or empty without an embedding."""


@dataclass(frozen=True, slots=True)
class Removed(FromPlain):
    """An episode that compaction let go."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Compaction(FromPlain):
    """What ``compact`` did."""

    collection: str
    at: str
    kept: int
    expired: int
    """Of the kept: no longer valid, and kept since their retention says so."""
    removed: tuple[Removed, ...]


def episode(
    content: Any,
    collection: Any,
    *,
    metadata: Any,
    provenance: Any,
    valid_from: Any,
    valid_until: Any,
    authority: Any,
    salience: Any,
    retention: Any,
    now: int,
) -> Episode:
    """The episode that these arguments describe.

    Raises:
        WorkbenchError: ``wrong_type``, ``empty_query`` for empty content, ``out_of_range``, ``unreadable_time``, ``contradiction``.
    """
    if not checks.text("content", content).strip():
        raise WorkbenchError("out_of_range", f"content is {content!r}: give something to remember")
    start = now if valid_from is None else times.moment("valid_from", valid_from)
    end = None if valid_until is None else times.moment("valid_until", valid_until)
    if end is not None and end <= start:
        raise WorkbenchError(
            "contradiction",
            f"valid_until {times.shown(end)} is not after valid_from {times.shown(start)}: it would never be valid",
        )
    return Episode(
        id=sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        collection=named(collection),
        content=content,
        remembered=now,
        valid_from=start,
        valid_until=end,
        retention=_retention(retention, end),
        salience=None if salience is None else checks.number("salience", salience, low=0, high=1),
        authority=None if authority is None else checks.number("authority", authority, low=0, high=1),
        metadata=_mapping("metadata", metadata),
        provenance=FrozenMap({"source": provenance})
        if isinstance(provenance, str)
        else _mapping("provenance", provenance),
    )


def named(collection: Any) -> str:
    """A collection's name: some text."""
    if not checks.text("collection", collection).strip():
        raise WorkbenchError("missing_id", f"collection is {collection!r}: give it a name")
    return str(collection)


def vector(embedding: Any, model: Any) -> tuple[Space, np.ndarray] | None:
    """The vector and its space; None where neither was given.

    Raises:
        WorkbenchError: ``unnamed_space`` for one without the other or a model without its version;
            ``wrong_type``, ``shape_mismatch``, ``not_finite``, ``zero_vector``.
    """
    if embedding is None and model is None:
        return None
    named_model = isinstance(model, tuple | list) and len(model) == 2 and all(isinstance(p, str) and p for p in model)
    if embedding is None or not named_model:
        raise WorkbenchError(
            "unnamed_space",
            f"model is {model!r} with {'no embedding' if embedding is None else 'an embedding'}: give both, the model as (name, version)",
            model=model,
        )
    try:
        read = np.asarray(embedding)
    except ValueError as ragged:
        raise WorkbenchError("shape_mismatch", f"embedding is ragged: {ragged}; give d numbers") from ragged
    if read.dtype.kind not in "fiu":
        raise WorkbenchError("wrong_type", f"embedding is {read.dtype} {embedding!r:.60}: give d numbers")
    if read.ndim != 1 or read.size == 0:
        raise WorkbenchError("shape_mismatch", f"embedding has shape {read.shape}: give one list of d numbers")
    numbers: np.ndarray = read.astype("<f8")
    if not np.isfinite(numbers).all():
        raise WorkbenchError(
            "not_finite", f"embedding holds {float(numbers[~np.isfinite(numbers)][0])!r}: give finite numbers"
        )
    if not numbers.any():
        raise WorkbenchError(
            "zero_vector", "embedding is all zeros: there is no similarity to a zero vector; leave it out"
        )
    return Space(model[0], model[1], len(numbers)), numbers


def _mapping(name: str, given: Any) -> FrozenMap:
    if given is not None and not isinstance(given, Mapping):
        raise WorkbenchError("wrong_type", f"{name} is {given!r:.60}: give a mapping")
    return FrozenMap(given or {})


def _retention(given: Any, end: int | None) -> Retention:
    if not isinstance(given, str):
        return checks.number("retention", given, above=0)
    if given not in ("keep", "expire"):
        raise WorkbenchError("out_of_range", f"retention is {given!r}: give 'keep', 'expire', or a number of days")
    if given == "expire" and end is None:
        raise WorkbenchError("contradiction", "retention is 'expire', and there is no valid_until: give one, or 'keep'")
    return given
