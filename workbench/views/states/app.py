"""The app's own state: what can be set, how it is set, and how two runs differ place by place."""

from typing import Any

from workbench.config import PRESETS, Config, GatePolicy
from workbench.corpus.queries import LabelledQuery
from workbench.explain import words
from workbench.explore.what_if import CHANGES
from workbench.kernels.dialects import DIALECTS
from workbench.trace import Trace
from workbench.views.states import shared

ASKED = "as asked"
"""Name of the run before any setting was changed, where runs are compared."""
GHOSTS = 10
"""Places that are compared with another run."""
KINDS = {
    "answerable": "answered by the documents",
    "missing_answer": "right topic, no answer",
    "off_topic": "off topic",
}


def state(trace: Trace, asked: Trace) -> dict[str, Any]:
    """What the controls show of a run, and what of it differs from the run ``asked``."""
    config = trace.config
    return {
        "query": trace.query,
        "verdict": trace.verdict,
        "override": trace.override,
        "lanes": shared.lanes(trace),
        "setting": shared.setting(trace.fusion),
        "fusion": fusion_value(config),
        "lambda": config.lambda_mmr,
        "topK": config.top_k,
        "gate": gate_value(config.gate),
        "changed": trace is not asked,
        "said": said(trace, asked),
    }


def fusions() -> list[list[str]]:
    """The menu of fusions as (value, label, what it does): rrf, its dialects, and fusions by score."""
    rows = [["rrf", "rrf", "weight/(k + rank), ties by exact doubles, then id"]]
    rows += [[name, f"rrf as {name}", _formula(name)] for name in DIALECTS]
    rows.append(["relative_score", "relative score", "each lane's scores stretched to 0 … 1, weighted, added"])
    rows.append(["dbsf", "dbsf", "each lane's scores by mean and spread, added"])
    return rows


def fusion_value(config: Config) -> str:
    """The menu's value for a config's fusion."""
    return config.dialect or config.fusion


def fusion_changes(value: str, config: Config) -> dict[str, Any]:
    """What choosing ``value`` changes: k goes to the method's own, and weights where it reads none."""
    dialect = value if value in DIALECTS else None
    unread = value == "dbsf" or (dialect is not None and DIALECTS[dialect].weights == "none")
    fusion = "rrf" if dialect is not None else value
    return {"fusion": fusion, "dialect": dialect, "k": None, "weights": {} if unread else config.weights}


def gate_value(policy: GatePolicy) -> str:
    """The preset's name, or ``by hand``."""
    return next((name for name in PRESETS if policy == GatePolicy.of_preset(name)), "by hand")


def saved(queries: tuple[LabelledQuery, ...]) -> list[dict[str, Any]]:
    """Saved queries in order, each with the group that it stands under."""
    return [{"query": each.query, "group": KINDS.get(each.kind, each.kind)} for each in queries]


def changes(trace: Trace, asked: Trace) -> dict[str, Any]:
    """The settings of ``trace`` that differ from those of ``asked``, as ``what_if`` takes them."""
    pairs = {name: getattr(trace.config, name) for name in CHANGES if name != "without"}
    return {name: value for name, value in pairs.items() if value != getattr(asked.config, name)}


def said(trace: Trace, asked: Trace) -> str:
    """The settings that differ from the run as asked, in a few words."""
    config, parts = trace.config, []
    different = changes(trace, asked)
    if {"fusion", "dialect"} & set(different):
        parts.append(fusion_value(config).replace("_", " "))
    if "k" in different:
        parts.append("its own k" if config.k is None else f"k {words.number(config.k)}")
    if "weights" in different:
        parts += [f"{lane} × {words.number(value)}" for lane, value in config.weights.items() if value != 1]
        parts += [] if any(value != 1 for value in config.weights.values()) else ["weights 1"]
    if "lambda_mmr" in different:
        parts.append("no diversity" if config.lambda_mmr is None else f"λ {words.number(config.lambda_mmr)}")
    if "top_k" in different:
        parts.append(f"top {config.top_k}")
    if "gate" in different:
        parts.append(f"gate {config.gate.preset}")
    known = {"fusion", "dialect", "k", "weights", "lambda_mmr", "top_k", "gate"}
    parts += [f"{name} {value!r}" for name, value in different.items() if name not in known]
    return ", ".join(parts) or ASKED


def method(trace: Trace) -> str:
    """How a run was fused, in a few words."""
    name, k = fusion_value(trace.config).replace("_", " "), trace.fusion.params.get("k")
    return name if k is None else f"{name}, k {words.number(k)}"


def ghost(trace: Trace, name: str, other: Trace) -> dict[str, Any]:
    """Where the first candidates of ``trace`` stood in ``other``, fused and at the end, with a sentence on what differs."""
    return {
        "name": name,
        "sentence": _difference(trace, name, other),
        "rows": [_ghost_row(trace, other, id) for id in trace.order[:GHOSTS]],
        "gone": [[id, shared.title(other, id)] for id in other.order[:GHOSTS] if id not in trace.order[:GHOSTS]],
    }


def _ghost_row(trace: Trace, other: Trace, id: str) -> dict[str, Any]:
    return {
        "id": id,
        "title": shared.title(trace, id),
        "fused": _place(trace.fusion.ids, id),
        "fusedWas": _place(other.fusion.ids, id),
        "final": _place(trace.order, id),
        "finalWas": _place(other.order, id),
    }


def _place(ids: tuple[str, ...], id: str) -> int | None:
    return ids.index(id) + 1 if id in ids else None


def _difference(trace: Trace, name: str, other: Trace) -> str:
    opening = ""
    if (trace.config.fusion, trace.config.dialect) != (other.config.fusion, other.config.dialect):
        opening = f"{_method(trace.config)} "
    if trace.query != other.query:
        opening += "Another query was asked then. "
    orders = (("fused", trace.fusion.ids, other.fusion.ids), ("final", trace.order, other.order))
    parts = [f"{_moved(now, was)} in the {kind} order" for kind, now, was in orders]
    return f"{opening}Against “{name}”, {words.listed(parts)}; {_lead(trace, other)}."


def _moved(now: tuple[str, ...], was: tuple[str, ...]) -> str:
    first = now[:GHOSTS]
    moved = [id for id in first if _place(was, id) != _place(now, id)]
    return f"{len(moved)} of the first {len(first)} moved" if moved else f"the first {len(first)} stand alike"


def _lead(trace: Trace, other: Trace) -> str:
    if not trace.order or not other.order:
        return "one of the two has no candidate"
    now, was = trace.order[0], other.order[0]
    title = words.clip(shared.title(trace, now), 60)
    return f"{title} is first in both" if now == was else f"{title} is first, where it was {_was(other, now)}"


def _was(other: Trace, id: str) -> str:
    place = _place(other.order, id)
    return "not ranked" if place is None else words.ordinal(place)


def _method(config: Config) -> str:
    name = fusion_value(config)
    told = {value: text for value, _, text in fusions()}[name]
    return f"{name.replace('_', ' ')}: {told}."


def _formula(name: str) -> str:
    dialect = DIALECTS[name]
    ties = {"id": "ascending id", "first_seen": "first seen"}[dialect.ties]
    base = "" if dialect.rank_base == 1 else f", ranks from {dialect.rank_base}"
    return f"{dialect.formula}, k {words.number(dialect.k)} of its own{base}, ties by {ties}"
