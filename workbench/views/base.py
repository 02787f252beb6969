"""What every view is: a Trace drawn in the browser, with words, a picture and a text table for where no script runs."""

import logging
from collections.abc import Mapping
from typing import Any, ClassVar

import anywidget
from traitlets import Dict, Instance, Unicode, observe

from workbench.errors import WorkbenchError
from workbench.trace import Trace
from workbench.views.escaping import visible
from workbench.views.picture import picture
from workbench.views.selection import Selection
from workbench.views.text import table

_LOG = logging.getLogger(__name__)


class View(anywidget.AnyWidget):
    """Base of the views. Setting ``trace`` redraws; ``selection`` is shared by every view that is given the same one.

    A view says what to draw in ``draw`` (plain data, and bytes by name) and answers the browser in ``answers``: the
    message's ``type`` → a method that takes the message. What such a method raises is shown in the view in words, and
    the last good state stays.

    Raises:
        traitlets.TraitError: ``trace`` or ``selection`` is something else.
    """

    trace = Instance(Trace)
    selection = Instance(Selection, read_only=True)
    _state = Dict().tag(sync=True)
    _buffers = Dict().tag(sync=True)
    _selection = Dict().tag(sync=True)
    _error = Unicode("").tag(sync=True)

    answers: ClassVar[Mapping[str, str]] = {}
    """Message type → name of the method that answers it."""

    def __init__(self, trace: Trace, *, selection: Selection | None = None, **options: Any) -> None:
        shared = selection if selection is not None else Selection()
        if shared.selected is None and trace.order:
            shared.selected = trace.order[0]
        self.set_trait("selection", shared)
        self.trace = trace
        self.redraw()  # before there is a line to the browser: its first message carries the whole state, in marimo too
        self._connect(**options)

    def _connect(self, **options: Any) -> None:
        """Opens the line to the browser. A view inside another has none of its own, so it is not made a widget."""
        super().__init__(_selection=_told(self.selection), **options)
        self.on_msg(self._heard)
        self.selection.observe(self._tell, ["selected", "pinned"])

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """What the browser needs to draw ``trace``: plain data, and binary columns by name."""
        raise NotImplementedError

    def say(self, message: Mapping[str, Any], buffers: list[bytes] | None = None) -> None:
        """Sends a message to the view's script; text in it is made visible."""
        self.send(shown(message), buffers)

    def close(self) -> None:
        """Takes the view off the page and frees it."""
        if self.comm is not None:
            self.selection.unobserve(self._tell, ["selected", "pinned"])
        super().close()

    def redraw(self) -> None:
        """Draws the trace again and sends it as one message."""
        state, buffers = self.draw()
        with self.hold_sync():
            self._buffers = buffers
            self._state = shown(state)

    @observe("trace")
    def _traced(self, _: Any) -> None:
        if self.comm is not None:
            self.redraw()
            self._error = ""

    def _heard(self, _: Any, content: Any, buffers: list[Any]) -> None:
        try:
            kind = str(content.get("type")) if isinstance(content, dict) else ""
            if kind not in self.answers:
                raise WorkbenchError(
                    "wrong_type", f"the view sent {content!r:.80}: it may send {', '.join(self.answers)}"
                )
            getattr(self, self.answers[kind])(content)
        except Exception as error:  # noqa: BLE001 - a callback's error belongs in the view, in words
            self._complain(error)
        else:
            self._error = ""

    def _complain(self, error: Exception) -> None:
        _LOG.debug("a callback of %s failed", type(self).__name__, exc_info=error)
        words = error.message if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}"
        self._error = ""  # so that the same error twice is said twice
        self._error = visible(words)

    def _tell(self, _: Any) -> None:
        self._selection = _told(self.selection)

    @observe("_selection")
    def _told_by_the_browser(self, change: Any) -> None:
        told = change["new"]
        with self.selection.hold_trait_notifications():
            for name in ("selected", "pinned"):
                setattr(self.selection, name, self._id(told.get(name)))

    def _id(self, told: Any) -> str | None:
        """The id that the browser names; it knows ids as they are shown."""
        if not isinstance(told, str) or told in self.trace.passages:
            return told if isinstance(told, str) else None
        return next((id for id in self.trace.passages if visible(id) == told), told)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/html": picture(self.trace)}, metadata

    def __repr__(self) -> str:
        return table(self.trace)


def shown(value: Any) -> Any:
    """Plain data as it may cross to the browser: every text with its hidden characters written out."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {shown(key): shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    return value


def _told(selection: Selection) -> dict[str, str | None]:
    return shown({"key": selection.key, "selected": selection.selected, "pinned": selection.pinned})  # type: ignore[no-any-return]
