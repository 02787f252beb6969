"""Redundancy: how MMR trades relevance for difference, pick by pick, on the similarities that it read."""

from collections.abc import Mapping
from typing import Any, ClassVar

from workbench.views import modules
from workbench.views.adjust import Adjustable
from workbench.views.states import redundancy as states


class Redundancy(Adjustable):
    """The similarities in selection order beside the race for the next pick: λ · relevance − (1 − λ) · redundancy.

    λ moves through the browser's twin while it is dragged; when it is let go Python makes the Trace anew and the
    twin's picks are held against it. A Trace without diversity is offered it. A cell opens its two texts.
    """

    _esm = modules.compose("redundancy.js")
    _css = modules.styles("panel.css", "redundancy.css")
    answers: ClassVar[Mapping[str, str]] = {**Adjustable.answers, "pair": "_send_pair"}

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        state, buffers = states.redundancy(self.trace)
        return {**state, "changed": self.changed}, buffers

    def _send_pair(self, message: Mapping[str, Any]) -> None:
        """The two texts of a cell, with what they share marked."""
        one, other = message.get("one"), message.get("other")
        self.say({"type": "pair", **states.pair(self.trace, one, other)})  # type: ignore[arg-type]
