"""The record of a run, and the questions that can be asked of it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from workbench.errors import WorkbenchError
from workbench.explain import badges as _badges
from workbench.explain import compare as _compare
from workbench.explain import standing as _standing
from workbench.explain import why as _why
from workbench.explain import why_not as _why_not
from workbench.explore import checks as _checks
from workbench.explore import remedies as _remedies
from workbench.explore import stability as _stability
from workbench.explore import turning_points as _turning_points
from workbench.explore import what_if as _what_if
from workbench.frozen import from_plain, to_plain
from workbench.records import SCHEMA, Run

_TIMES = frozenset({"milliseconds", "timings"})


@dataclass(frozen=True)
class Trace(Run):
    """An immutable run. Every number shown of it is one that ordered it; nothing is worked out again.

    While the Workbench that made it is at hand, the Trace can ask its lanes what lies past the recorded
    depth. It holds on to them itself, so that no answer depends on whether a variable still exists.
    """

    __slots__ = ("_source",)  # no field: it takes no part in equality, JSON, pickles or the fingerprint

    def why(self, id: str | None = None) -> _why.Why:
        """Why a candidate stands where it stands; without an id, the first one.

        Raises:
            WorkbenchError: ``unknown_id`` for an id that no lane returned.
        """
        return _why.why(self, id)

    def why_not(self, id: str) -> _why_not.WhyNot:
        """Why a passage, or any passage of a document, is not among the evidence, and what would bring it in.

        A Trace fresh from a Workbench asks its lanes for what lies past the recorded depth; one that was read
        from a file says what it cannot know.
        """
        return _remedies.why_not(self, id)

    def compare(self, a: str, b: str) -> _compare.Comparison:
        """Why one fused candidate stands above another, lane by lane, and every single change that would swap them.

        Raises:
            WorkbenchError: ``unknown_id`` for what is no fused candidate, ``contradiction`` for the same one twice.
        """
        return _compare.compare(self, _turning_points.turning_points(self, a, b))

    def stability(
        self, *, lane: str | None = None, ks: Sequence[float] | None = None, weights: Sequence[float] | None = None
    ) -> _standing.Stability:
        """Where the fused winner stays first: the interval of k and of each weight, each lane left out, and a map.

        ``lane``, ``ks`` and ``weights`` shape the map; see ``explore.stability``.
        """
        return _stability.stability(self, lane=lane, ks=ks, weights=weights)

    def badges(self) -> tuple[_badges.Badge, ...]:
        """What a reader should be assured or warned of: terms that add up, settings that change nothing, cut-off candidates."""
        return _checks.badges(self)

    def what_if(self, **changes: Any) -> Self:
        """This run with other settings, from the recorded lanes through the same kernels; nothing is retrieved.

        ``trace.what_if(k=10)``, ``trace.what_if(weights={"dense": 2}, lambda_mmr=0.5)``,
        ``trace.what_if(without=["dense"])``, ``trace.what_if(dialect="qdrant", k=None)``. With no change
        it equals this Trace. What can be changed, what is reused and what is refused: ``explore.what_if``.
        """
        return _what_if.what_if(self, **changes)

    def fingerprint(self) -> str:
        """SHA-256 (hex) of everything but the times: the same corpus, query and config give the same one anywhere."""
        plain = json.dumps(to_plain(self, _TIMES), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(plain.encode("ascii")).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON data, times included."""
        return to_plain(self)  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The Trace that ``to_json`` wrote, exactly. Takes the data, or its text.

        Raises:
            WorkbenchError: ``unknown_schema`` for what another version wrote, or what is no Trace.
        """
        if isinstance(data, str | bytes):
            try:
                data = json.loads(data)
            except ValueError as cause:
                raise WorkbenchError("unknown_schema", f"not JSON: {cause}") from cause
        found = data.get("schema") if isinstance(data, dict) else None
        if found != SCHEMA:
            raise WorkbenchError("unknown_schema", f"schema is {found!r}: this workbench reads {SCHEMA}", schema=found)
        return from_plain(cls, data)  # type: ignore[no-any-return]

    # the one arrow up: the display is loaded when a notebook asks for it
    def _repr_mimebundle_(self, **_: Any) -> Any:
        from workbench.views.display import of_trace

        return of_trace(self)

    def _repr_html_(self) -> str:
        from workbench.views.picture import picture

        return picture(self)

    def __repr__(self) -> str:
        from workbench.views.text import table

        return table(self)
