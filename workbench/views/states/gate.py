"""The gate view's state: every attempt's decision, the policy's knobs, and the labelled queries it is tried on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from workbench import checks
from workbench.config import PRESETS, GatePolicy
from workbench.errors import WorkbenchError
from workbench.kernels.gate_flips import Limits, causes_of, fold
from workbench.kernels.measures import Confusion, confusion, threshold_sweep
from workbench.kernels.sufficiency import WEIGHTED
from workbench.records import Attempt, Flip, GateDecision, Run
from workbench.trace import Trace
from workbench.views import palette
from workbench.views.states import shared

KNOBS = ("threshold", "min_top_score", "min_coverage", *(f"weight_{name}" for name in WEIGHTED))
"""The numbers of a policy that decide, and that the view's sliders move."""
LABELS = {
    "top_score": "best evidence score",
    "coverage": "query terms in the evidence",
    "margin": "lead over the second score",
    "support": "agreement of the first three",
}
FLOORS = {"top_score": "min_top_score", "coverage": "min_coverage"}
THRESHOLDS = tuple(step / 50 for step in range(51))
IDLE = 0.02
"""A feature whose values lie closer together than this tells no query from another."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A query that someone judged. ``values`` are its gate features; None where only a score is known."""

    query: str
    answerable: bool
    score: float
    values: tuple[float, ...] | None = None
    evidence: int = 1
    trace: Trace | None = None


def labelled(given: Any, place: int) -> Labelled:
    """A (query, score, answerable) triple, or a (Trace, answerable) pair, as the view keeps it.

    Raises:
        WorkbenchError: ``wrong_type``, ``not_finite``, ``empty_query``, ``nothing_to_search`` (a Trace without a gate).
    """
    where = f"queries[{place}]"
    row = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else ()
    if len(row) == 2 and isinstance(row[0], Trace):
        gate = row[0].gate
        if gate is None:
            raise WorkbenchError("nothing_to_search", f"{where}: the run of {row[0].query!r} has no gate decision")
        values = tuple(gate.feature(name).value for name in WEIGHTED)
        evidence = len(row[0].attempt.evidence)
        return Labelled(row[0].query, _truth(where, row[1]), gate.score, values, evidence, row[0])
    if len(row) != 3:
        raise WorkbenchError(
            "wrong_type", f"{where} is {given!r:.80}: give (query, score, answerable) or (Trace, answerable)"
        )
    return Labelled(checks.query_text(row[0]), _truth(where, row[2]), checks.number(f"{where}: score", row[1]))


def _truth(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise WorkbenchError("wrong_type", f"{where}: answerable is {value!r}: give True or False")
    return value


def gate(trace: Trace, queries: Sequence[Labelled] = ()) -> dict[str, Any]:
    """The state. Features stand in the order in which the score is folded, attempts in the order they were made."""
    policy = trace.config.gate
    return {
        "query": trace.query,
        "verdict": trace.verdict,
        "override": trace.override,
        "features": [_feature(name, place) for place, name in enumerate(WEIGHTED)],
        "policy": knobs(policy),
        "preset": policy.preset,
        "presets": [{"name": name, "policy": knobs(GatePolicy.of_preset(name))} for name in PRESETS],
        "best": trace.best,
        "attempts": [_attempt(trace, place) for place in range(len(trace.attempts))],
        "labelled": _tried(queries, policy) if queries else None,
    }


def knobs(policy: GatePolicy) -> dict[str, float]:
    """The policy's deciding numbers by name."""
    return {name: getattr(policy, name) for name in KNOBS}


def _feature(name: str, place: int) -> dict[str, Any]:
    return {
        "name": name,
        "label": LABELS[name],
        "weight": f"weight_{name}",
        "floor": FLOORS.get(name),
        "letter": palette.letter(place),
        "hue": palette.hue(place),
        "pattern": palette.pattern(place),
    }


def _attempt(run: Run, place: int) -> dict[str, Any]:
    attempt = run.attempts[place]
    before = run.attempts[place - 1].query if place else attempt.query
    return {
        "query": attempt.query,
        "diff": word_diff(before, attempt.query),
        "terms": _terms(run, attempt),
        "stopped": attempt.stopped,
        "evidence": len(attempt.evidence),
        "gate": None if attempt.gate is None else _decision(attempt.gate),
    }


def _decision(gate: GateDecision) -> dict[str, Any]:
    features = [gate.feature(name) for name in WEIGHTED]
    return {
        "passed": gate.passed,
        "score": gate.score,
        "query": gate.query,
        "values": [feature.value for feature in features],
        "contributions": [feature.contribution for feature in features],
        "remarks": [feature.note for feature in features],
        "causes": list(gate.causes),
        "codes": list(gate.codes),
        "notes": list(gate.notes),
        "reasons": list(gate.reasons),
        "explanation": gate.explanation,
        "covered": list(gate.covered),
        "missing": list(gate.missing),
        "flips": [_flip(flip) for flip in gate.flips],
    }


def _flip(flip: Flip) -> dict[str, Any]:
    # a feature has no slider: only other evidence can change it
    knob = {"threshold": flip.name, "weight": f"weight_{flip.name}"}.get(flip.kind)
    return {"knob": knob, "needed": flip.needed, "feasible": flip.feasible, "sentence": flip.sentence}


def _terms(run: Run, attempt: Attempt) -> list[dict[str, Any]]:
    added = attempt.rewrite.terms if attempt.rewrite else ()
    return [
        {
            "term": each.term,
            "count": each.count,
            "from": [{"id": id, "title": shared.title(run, id)} for id in each.passages],
        }
        for each in added
    ]


def word_diff(before: str, after: str) -> list[list[str]]:
    """``after`` against ``before``, word by word: runs of (``same``, ``added`` or ``gone``, text)."""
    old, new = before.split(), after.split()
    pieces: list[list[str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(["same", " ".join(new[k:m])])
            continue
        pieces += [["gone", " ".join(old[i:j])]] if i < j else []
        pieces += [["added", " ".join(new[k:m])]] if k < m else []
    return pieces


def _tried(queries: Sequence[Labelled], policy: GatePolicy) -> dict[str, Any]:
    standings = [standing(row, policy) for row in queries]
    scores, hold = [score for score, _ in standings], [holds for _, holds in standings]
    answerable = [row.answerable for row in queries]
    at = confusion([ok and score >= policy.threshold for score, ok in standings], answerable)
    return {
        "rows": [_row(row) for row in queries],
        "thresholds": list(THRESHOLDS),
        "sweep": [_cells(each) for each in threshold_sweep(scores, answerable, THRESHOLDS, floors_hold=hold)],
        "at": _cells(at),
        "idle": _idle([row.values for row in queries if row.values is not None]),
    }


def _row(row: Labelled) -> dict[str, Any]:
    return {
        "query": row.query,
        "answerable": row.answerable,
        "score": row.score,
        "values": row.values,
        "evidence": row.evidence,
        "opens": row.trace is not None,
    }


def standing(row: Labelled, policy: GatePolicy) -> tuple[float, bool]:
    """A labelled query's score under ``policy``, and whether the floors hold; a bare score stays what it is."""
    if row.values is None:
        return row.score, True
    limits = Limits.of(policy)
    broken = causes_of(row.values, limits)
    return fold(row.values, limits.weights), row.evidence > 0 and not set(broken) - {"score"}


def _cells(each: Confusion) -> list[int]:
    return [each.tp, each.fp, each.fn, each.tn]


def _idle(values: Sequence[tuple[float, ...]]) -> list[str]:
    """The features that hardly differ over the labelled queries, each in a sentence."""
    if len(values) < 3:
        return []
    told = []
    for place, name in enumerate(WEIGHTED):
        low, high = min(row[place] for row in values), max(row[place] for row in values)
        if high - low < IDLE:
            told.append(
                f"{name} hardly differs over these queries ({low:.3g} to {high:.3g}): its weight moves every score alike."
            )
    return told


def policy_with(policy: GatePolicy, preset: Any, changes: Any) -> GatePolicy:
    """``policy`` with the knobs that a reader moved, named after ``preset``.

    Raises:
        WorkbenchError: ``wrong_type``, ``unknown_parameter``, ``unknown_preset``, ``out_of_range``.
    """
    if not isinstance(changes, Mapping):
        raise WorkbenchError("wrong_type", f"changes is {changes!r:.80}: give a mapping of setting → number")
    for name in changes:
        checks.one_of("gate setting", name, KNOBS, "unknown_parameter")
    return replace(policy, preset=checks.text("preset", preset), **changes)
