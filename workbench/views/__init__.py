"""Pictures of a Trace: interactive views, the static picture, the text table. Loaded when first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.views import figures as figures
    from workbench.views.app import App as App
    from workbench.views.board import Board as Board
    from workbench.views.fusion_player import FusionPlayer as FusionPlayer
    from workbench.views.gate import Gate as Gate
    from workbench.views.grounding import Grounding as Grounding
    from workbench.views.predict import Predict as Predict
    from workbench.views.redundancy import Redundancy as Redundancy
    from workbench.views.selection import Selection as Selection
    from workbench.views.why import Why as Why

_MODULES = frozenset({"figures"})
_HOMES = {
    "App": "workbench.views.app",
    "Board": "workbench.views.board",
    "FusionPlayer": "workbench.views.fusion_player",
    "Gate": "workbench.views.gate",
    "Grounding": "workbench.views.grounding",
    "Predict": "workbench.views.predict",
    "Redundancy": "workbench.views.redundancy",
    "Selection": "workbench.views.selection",
    "Why": "workbench.views.why",
}

__all__ = sorted({*_HOMES, *_MODULES})


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'workbench.views' has no attribute {name!r}: it offers {', '.join(__all__)}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
