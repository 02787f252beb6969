"""Why: what put a candidate where it stands, what would swap two, and what became of one that is not there."""

from collections.abc import Mapping
from typing import Any, ClassVar

from workbench.views import modules
from workbench.views.adjust import Adjustable
from workbench.views.states import compared as pairs
from workbench.views.states import why as states


class Why(Adjustable):
    """A candidate explained: sentence, bars that sum to its score, table, raw record, opened one by one.

    Beside it: the selected candidate against the pinned one with every single change that would swap them, why any
    document or passage is not among the evidence, and a map of winners over k × a lane's weight. Sliders move
    through the browser's twin; when they are let go Python makes the Trace anew.
    """

    _esm = modules.compose("why.js")
    _css = modules.styles("panel.css", "why.css")
    answers: ClassVar[Mapping[str, str]] = {
        **Adjustable.answers,
        "why": "_send_why",
        "record": "_send_record",
        "compare": "_send_comparison",
        "why_not": "_send_why_not",
        "map": "_send_map",
    }

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        state, buffers = states.state(self.trace, self.selection.selected, self.selection.pinned)
        return {**state, "changed": self.changed}, buffers

    def _named(self, message: Mapping[str, Any], name: str) -> str:
        told = message.get(name)
        return self._id(told) or repr(told)

    def _reply(self, message: Mapping[str, Any], **answer: Any) -> None:
        self.say({"type": message["type"], "stamp": message.get("stamp"), **answer})

    def _send_why(self, message: Mapping[str, Any]) -> None:
        self._reply(message, candidate=states.candidate(self.trace, self._named(message, "id")))

    def _send_record(self, message: Mapping[str, Any]) -> None:
        id = self._named(message, "id")
        self._reply(message, id=id, text=states.record(self.trace, id))

    def _send_comparison(self, message: Mapping[str, Any]) -> None:
        self._reply(message, pair=pairs.compared(self.trace, self._named(message, "a"), self._named(message, "b")))

    def _send_why_not(self, message: Mapping[str, Any]) -> None:
        self._reply(message, answer=pairs.why_not(self.trace, self._named(message, "id")))

    def _send_map(self, message: Mapping[str, Any]) -> None:
        lane = message.get("lane")
        self._reply(message, winners=pairs.winners(self.trace, None if lane is None else str(lane)))
