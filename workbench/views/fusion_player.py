"""The fusion player: how lanes become one ranking, term by term."""

from typing import Any

from workbench import checks
from workbench.trace import Trace
from workbench.views import modules
from workbench.views.adjust import Adjustable
from workbench.views.selection import Selection
from workbench.views.states.player import player


class FusionPlayer(Adjustable):
    """A Trace's fusion as a film of its recorded contributions: scores, ranks, lane by lane each term, ties, the cut,
    and at last k between 60 and 2. Nothing plays by itself. ``most``: how many candidates to watch.

    Raises:
        WorkbenchError: ``out_of_range`` or ``wrong_type`` for ``most``.
    """

    _esm = modules.compose("fusion_player.js")
    _css = modules.styles("fusion_player.css")

    def __init__(self, trace: Trace, *, most: int = 10, selection: Selection | None = None) -> None:
        self._most = checks.whole("most", most, low=2, high=30)
        super().__init__(trace, selection=selection)

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        state, buffers = player(self.trace, most=self._most)
        return {**state, "changed": self.changed}, buffers
