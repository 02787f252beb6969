"""The board: lanes side by side, the fused column at the right, the winner and its twins joined."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from workbench import checks
from workbench.trace import Trace
from workbench.views import modules
from workbench.views.adjust import Adjustable
from workbench.views.selection import Selection
from workbench.views.states import board as states
from workbench.views.states import shared

_CHUNK = 100


class Board(Adjustable):
    """A Trace as lanes, their fusion, and how far reranking moved each candidate.

    ``judged``: passage or document ids known to be relevant; their rows carry a mark. Every list scrolls to its end;
    text beyond the first rows is sent when it is looked at. k and the weights move through the browser's twin while
    they are dragged, and Python confirms them when they are let go: ``trace`` is then the new Trace.
    """

    _esm = modules.compose("board.js")
    _css = modules.styles("board.css")
    answers: ClassVar[Mapping[str, str]] = {**Adjustable.answers, "rows": "_send_rows", "why": "_send_why"}

    def __init__(self, trace: Trace, *, judged: Collection[str] = (), selection: Selection | None = None) -> None:
        self._judged = frozenset(judged)
        super().__init__(trace, selection=selection)

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        state, buffers = states.board(self.trace, judged=self._judged)
        return {**state, "changed": self.changed}, buffers

    def _send_rows(self, message: Mapping[str, Any]) -> None:
        """Text of a stretch of one lane's hits (``lane``, ranks ``from`` to ``to``), or of the candidates ``rows``."""
        ids = shared.rows(self.trace.fusion)
        wanted = [int(row) for row in message.get("rows", ())][:_CHUNK]
        answer: dict[str, Any] = {"type": "rows", "stamp": message.get("stamp")}
        if message.get("lane") is not None:
            lane = self.trace.attempt.lane(str(message["lane"]))
            first = checks.whole("from", message.get("from"))
            last = min(checks.whole("to", message.get("to")), first + _CHUNK - 1, len(lane.hits))
            row_of = {id: row for row, id in enumerate(ids)}
            wanted += [row_of[hit.id] for hit in lane.hits[first - 1 : last]]
            answer |= {"lane": lane.name, "from": first, "snippets": states.lane_rows(self.trace, lane, first, last)}
        self.say({**answer, "cards": shared.cards(self.trace, ids, wanted)})

    def _send_why(self, message: Mapping[str, Any]) -> None:
        ids = shared.rows(self.trace.fusion)
        id = ids[checks.whole("row", message.get("row"), low=0, high=len(ids) - 1)]
        self.say({"type": "why", "id": id, "text": self.trace.why(id).sentence})
