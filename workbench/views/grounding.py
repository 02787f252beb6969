"""Grounding: the answer beside its evidence, sentence by sentence, with what supports it and what speaks against it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.explore.what_if import what_if
from workbench.kernels.grounding import METHODS
from workbench.trace import Trace
from workbench.views import modules
from workbench.views.base import View
from workbench.views.selection import Selection
from workbench.views.states import grounding as states


class Grounding(View):
    """An answer and the evidence it stands on. The floor moves through the browser's twin; the method can be switched.

    A floor that is let go makes a new Trace where the method is the run's own. The other method is worked out from
    the Trace's passages when it is first asked for; it is a comparison, and ``trace`` stays what it is.
    """

    _esm = modules.compose("grounding.js")
    _css = modules.styles("panel.css", "grounding.css")
    answers: ClassVar[Mapping[str, str]] = {"method": "_method", "set": "_set", "reset": "_reset"}

    def __init__(self, trace: Trace, *, selection: Selection | None = None) -> None:
        self._asked, self._derived = trace, False
        self._compared = False
        self._floor: float | None = None  # of the other method; None is its own
        super().__init__(trace, selection=selection)

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        if not self._derived:
            self._asked = self.trace
        here = self.trace.answer is not None and self.trace.grounding is not None
        other = None
        if here and self._compared:
            other = states.reground(self.trace, states.other_method(self.trace), self._floor)
        changed = self.trace != self._asked or self._floor is not None
        return {**states.grounding(self.trace, other), "changed": changed}, {}

    def _method(self, message: Mapping[str, Any]) -> None:
        """The other method is asked for."""
        checks.one_of("method", message.get("method"), METHODS, "out_of_range")
        self._compared = True
        self.redraw()
        self._answered(message)

    def _set(self, message: Mapping[str, Any]) -> None:
        """The floor of a method was let go."""
        method = checks.one_of("method", message.get("method"), METHODS, "out_of_range")
        floor = checks.number("floor", message.get("floor"), low=0, high=1)
        if self.trace.grounding is None:
            raise WorkbenchError("nothing_to_search", "this run has no grounding whose floor could be set")
        if method == self.trace.grounding.method:
            self._show(what_if(self.trace, sentence_floor=floor))
        else:
            self._floor = floor
            self.redraw()
        self._answered(message)

    def _reset(self, message: Mapping[str, Any]) -> None:
        self._floor = None
        self._show(self._asked)
        self._answered(message)

    def _show(self, trace: Trace) -> None:
        self._derived = True
        try:
            if trace == self.trace:
                self.redraw()  # an equal Trace is no change to the trait
            self.trace = trace
        finally:
            self._derived = False

    def _answered(self, message: Mapping[str, Any]) -> None:
        self.say({"type": "answered", "turn": message.get("turn")})
