"""What is shown, as the few lines of Python that make it."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from workbench.config import PRESETS, GatePolicy
from workbench.frozen import FrozenMap
from workbench.trace import Trace


def python_text(
    asked: Trace,
    changes: Mapping[str, Any],
    origin: str | None,
    view: str,
    selected: str | None = None,
    pinned: str | None = None,
) -> str:
    """Lines that make the run ``asked``, change its settings, and show it in ``view``.

    ``origin``: the expression that makes the Workbench; empty where none is known, None where there is none.
    """
    lines = ["import workbench as wb", "from workbench import views", ""]
    if origin is None:
        lines.append("trace = ...  # the Trace that you gave the app")
    else:
        lines.append(f"bench = {origin}" if origin else "bench = ...  # the Workbench that you gave the app")
        call = "retrieve" if asked.verdict == "retrieved" else "ask"
        lines.append(f"trace = bench.{call}({asked.query!r})")
    if changes:
        told = ", ".join(f"{name}={_said(value)}" for name, value in changes.items())
        lines.append(f"trace = trace.what_if({told})")
    chosen = [
        f"{value!r}" if name == "selected" else f"{name}={value!r}"
        for name, value in (("selected", selected), ("pinned", pinned))
        if value is not None
    ]
    selection = f", selection=views.Selection({', '.join(chosen)})" if chosen else ""
    lines.append(f"views.{view}(trace{selection})")
    return "\n".join(lines)


def _said(value: Any) -> str:
    if isinstance(value, FrozenMap):
        return repr(dict(value))
    if isinstance(value, GatePolicy):
        return _policy(value)
    return repr(value)


def _policy(policy: GatePolicy) -> str:
    base = next(name for name in PRESETS if policy.preset.split(",")[0] == name)
    preset = GatePolicy.of_preset(base)
    if policy == preset:
        return repr(base)
    names = [each.name for each in fields(policy) if each.name != "preset"]
    told = [f"{name}={getattr(policy, name)!r}" for name in names if getattr(policy, name) != getattr(preset, name)]
    return f"wb.GatePolicy.of_preset({', '.join([repr(base), *told])})"
