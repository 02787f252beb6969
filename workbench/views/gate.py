"""The gate: what its score is made of, what would turn its verdict, how it asked again, and how it fares on labels."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from workbench import checks
from workbench.explore.what_if import what_if
from workbench.trace import Trace
from workbench.views import modules
from workbench.views.base import View
from workbench.views.selection import Selection
from workbench.views.states import gate as states


class Gate(View):
    """Whether the evidence suffices, feature by feature; threshold, floors and weights move through the browser's twin.

    ``queries``: judged queries, each a (query, score, answerable) triple or a (Trace, answerable) pair; they give a
    sweep over thresholds and a confusion matrix whose cells list their queries. A pair's score and floors follow
    every slider, and its query opens its Trace here; a triple's score stays as given.

    A slider that is let go makes a new Trace from the recorded lanes; ``trace`` is then that one.

    Raises:
        WorkbenchError: ``wrong_type``, ``not_finite``, ``empty_query`` or ``nothing_to_search`` for what ``queries`` holds.
    """

    _esm = modules.compose("gate.js")
    _css = modules.styles("panel.css", "gate.css")
    answers: ClassVar[Mapping[str, str]] = {"set": "_set", "reset": "_reset", "open": "_open"}

    def __init__(self, trace: Trace, *, queries: Sequence[Any] = (), selection: Selection | None = None) -> None:
        self._labelled = tuple(states.labelled(row, place) for place, row in enumerate(queries))
        self._asked, self._derived = trace, False
        super().__init__(trace, selection=selection)

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        if not self._derived:
            self._asked = self.trace
        return {**states.gate(self.trace, self._labelled), "changed": self.trace != self._asked}, {}

    def _set(self, message: Mapping[str, Any]) -> None:
        """Knobs were let go: another Trace from the recorded lanes."""
        policy = states.policy_with(self.trace.config.gate, message.get("preset"), message.get("changes"))
        self._show(what_if(self.trace, gate=policy), message)

    def _reset(self, message: Mapping[str, Any]) -> None:
        self._show(self._asked, message)

    def _open(self, message: Mapping[str, Any]) -> None:
        """A labelled query's Trace, under the policy that stands here."""
        row = self._labelled[checks.whole("row", message.get("row"), low=0, high=len(self._labelled) - 1)]
        trace = self.trace if row.trace is None else what_if(row.trace, gate=self.trace.config.gate)
        self._show(trace, message)

    def _show(self, trace: Trace, message: Mapping[str, Any]) -> None:
        self._derived = True
        try:
            self.trace = trace
        finally:
            self._derived = False
        self.say({"type": "answered", "turn": message.get("turn")})
