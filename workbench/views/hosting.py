"""Views inside another view: each draws and answers as it does alone, and the host carries what it says."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from workbench.trace import Trace
from workbench.views.base import View
from workbench.views.selection import Selection

TABS = {
    "board": ("Board", "Board"),
    "fusion_player": ("Fusion", "FusionPlayer"),
    "why": ("Why", "Why"),
    "redundancy": ("Redundancy", "Redundancy"),
    "gate": ("Gate", "Gate"),
    "grounding": ("Grounding", "Grounding"),
    "predict": ("Predict", "Predict"),
}
"""Module of a view that can be hosted → its label and its class. A module is loaded when it is first opened."""


class Host(Protocol):
    """What a hosted view needs of the view around it."""

    def carry(self, name: str, message: Mapping[str, Any], buffers: list[bytes] | None) -> None:
        """Sends a message of the view ``name`` to its script."""
        ...

    def redraw_panel(self, name: str) -> None:
        """Draws the view ``name`` again."""
        ...


class _Hosted:
    """Stands before a view's class: it has no line to the browser of its own."""

    _host: Host | None = None
    _name = ""

    def _connect(self) -> None:
        """Nothing is opened: the host's line is used."""

    def say(self, message: Mapping[str, Any], buffers: list[bytes] | None = None) -> None:
        """Sends a message by way of the host."""
        if self._host is not None:
            self._host.carry(self._name, message, buffers)

    def redraw(self) -> None:
        """Asks the host to draw it."""
        if self._host is not None:  # while it is being made, it has none
            self._host.redraw_panel(self._name)

    def take(self, trace: Trace, given: Trace) -> None:
        """Shows ``trace``; Reset goes back to ``given``."""
        self._asked, self._derived = given, True  # what a view alone keeps of the Trace that it was given
        self.trace = trace

    def answer(self, message: Any) -> None:
        """Does what the view's script asks; what it raises is the host's to say."""
        kind = message.get("type") if isinstance(message, dict) else None
        if kind not in self.answers:  # type: ignore[attr-defined]
            raise TypeError(f"the {self._name} view sent {message!r:.80}")
        getattr(self, self.answers[kind])(message)  # type: ignore[attr-defined]


def view_class(name: str) -> type[View]:
    """The class of a view of ``TABS``."""
    found: type[View] = getattr(import_module(f"workbench.views.{name}"), TABS[name][1])
    return found


@cache
def _hosted_class(name: str) -> type[Any]:
    cls = view_class(name)
    return type(f"Hosted{cls.__name__}", (_Hosted, cls), {})


def hosted(name: str, host: Host, trace: Trace, selection: Selection) -> Any:
    """The view ``name`` of a Trace inside ``host``; its ``trace`` can be observed."""
    made = _hosted_class(name)(trace, selection=selection)
    made._host, made._name = host, name
    return made
