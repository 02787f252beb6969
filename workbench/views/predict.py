"""Predict-first: order the candidates yourself, then see."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from traitlets import Instance

from workbench import checks
from workbench.trace import Trace
from workbench.views import modules
from workbench.views.base import View
from workbench.views.escaping import escaped, visible
from workbench.views.selection import Selection
from workbench.views.states import predict as states
from workbench.views.states.predict import Prediction


class Predict(View):
    """A few candidates to be put in order before their scores are seen; the reveal says what the guess overlooked.

    Args:
        of: ``fusion`` (from the places in the lanes) or ``final`` (after reranking and diversity, from the fused places).
        count: how many of the first candidates are dealt, 2 to 12.

    ``result`` is None until the reveal, then a ``Prediction``; lessons check it, or reveal with ``reveal(ids)``.
    Neither the view nor its static picture shows a score or the order before.

    Raises:
        WorkbenchError: ``out_of_range``, ``wrong_type``; ``nothing_to_search`` with fewer than two candidates.
    """

    _esm = modules.compose("predict.js")
    _css = modules.styles("panel.css", "predict.css")
    answers: ClassVar[Mapping[str, str]] = {"reveal": "_revealed", "again": "_again"}

    result = Instance(Prediction, allow_none=True)

    def __init__(self, trace: Trace, *, of: str = "fusion", count: int = 5, selection: Selection | None = None) -> None:
        states.truth(trace, of, count)
        self._of, self._count = of, count
        super().__init__(trace, selection=selection)

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        state = states.predict(self.trace, self._of, self._count)
        if self.result is not None and self.result.truth != states.truth(self.trace, self._of, self._count):
            self.result = None  # it was a guess at another order
        if self.result is not None:
            state["revealed"] = states.revealed(self.trace, self.result, state["ids"])
        return state, {}

    def reveal(self, guess: Sequence[str]) -> Prediction:
        """Holds ``guess``, the dealt ids in the order guessed, against the order.

        Raises:
            WorkbenchError: ``contradiction`` for a guess that is not these candidates, each once.
        """
        self.result = states.judged(self.trace, self._of, self._count, guess)
        self.redraw()
        return self.result

    def _revealed(self, message: Mapping[str, Any]) -> None:
        ids = states.dealt(states.truth(self.trace, self._of, self._count))
        places = [checks.whole("guess", place, low=0, high=len(ids) - 1) for place in message.get("guess", ())]
        self.reveal([ids[place] for place in places])

    def _again(self, _: Mapping[str, Any]) -> None:
        self.result = None
        self.redraw()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        lines = repr(self).split("\n")
        html = "".join(f"<div>{escaped(line)}</div>" for line in lines)
        return {
            **data,
            "text/html": f'<div style="font-family:sans-serif">{html}</div>',
            "text/plain": repr(self),
        }, metadata

    def __repr__(self) -> str:
        state = states.predict(self.trace, self._of, self._count)
        lines = [f"Predict: {state['query']}", state["question"]]
        names = [lane["name"] for lane in state["lanes"]] if self._of == "fusion" else ["fusion"]
        for id, title, ranks in zip(state["ids"], state["titles"], state["ranks"], strict=True):
            places = ", ".join(f"{n} {'absent' if r is None else r}" for n, r in zip(names, ranks, strict=True))
            lines.append(f"- {title} ({id}): {places}")
        if self.result is not None:
            lines += [self.result.sentence, *(each.sentence for each in self.result.overlooked)]
        return visible("\n".join(lines))
