"""Knobs in a view: what was let go in the browser becomes another Trace from the recorded lanes."""

from collections.abc import Mapping
from typing import Any, ClassVar

from workbench.explore.what_if import what_if
from workbench.trace import Trace
from workbench.views.base import View
from workbench.views.selection import Selection


class Adjustable(View):
    """A view whose knobs change the run. ``trace`` follows; Reset goes back to the Trace that it was given."""

    answers: ClassVar[Mapping[str, str]] = {"set": "_set", "reset": "_reset"}

    def __init__(self, trace: Trace, *, selection: Selection | None = None) -> None:
        self._asked, self._derived = trace, False
        super().__init__(trace, selection=selection)

    @property
    def changed(self) -> bool:
        """Whether a knob has been moved since the trace was given."""
        return self.trace is not self._asked

    def redraw(self) -> None:
        if not self._derived:
            self._asked = self.trace
        super().redraw()

    def _set(self, message: Mapping[str, Any]) -> None:
        self._show(what_if(self.trace, **dict(message["changes"])), message)

    def _reset(self, message: Mapping[str, Any]) -> None:
        self._show(self._asked, message)

    def _show(self, trace: Trace, message: Mapping[str, Any]) -> None:
        self._derived = True
        try:
            self.trace = trace
        finally:
            self._derived = False
        self.say({"type": "answered", "turn": message.get("turn")})
