"""What would turn the gate's verdict: one feature, one limit or one weight changed, all else kept."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from workbench.config import GatePolicy
from workbench.records import Flip

NAMES = ("top_score", "coverage", "margin", "support")
LIMITS = {
    "threshold": "the threshold",
    "min_top_score": "the floor of the best score",
    "min_coverage": "the floor of coverage",
}
Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of a policy that decide, in the order of ``NAMES``."""

    threshold: float
    min_top_score: float
    min_coverage: float
    weights: Values

    @classmethod
    def of(cls, policy: GatePolicy) -> Self:
        weights = (policy.weight_top_score, policy.weight_coverage, policy.weight_margin, policy.weight_support)
        return cls(policy.threshold, policy.min_top_score, policy.min_coverage, weights)


def fold(values: Values, weights: Values) -> float:
    """The gate's score: weight · value, folded left to right."""
    score = weights[0] * values[0]
    for weight, value in zip(weights[1:], values[1:], strict=True):
        score += weight * value
    return score


def causes_of(values: Values, limits: Limits) -> tuple[str, ...]:
    """The ids of the violated conditions; none when the gate passes."""
    broken = (
        ("top_score", values[0] < limits.min_top_score),
        ("coverage", values[1] < limits.min_coverage),
        ("score", fold(values, limits.weights) < limits.threshold),
    )
    return tuple(id for id, violated in broken if violated)


def flips_of(
    values: Mapping[str, float], limits: Limits, covered: tuple[str, ...], missing: tuple[str, ...]
) -> tuple[Flip, ...]:
    """For each feature, limit and weight: the nearest value that turns the verdict, all else kept.

    ``feasible`` holds where that value can be reached (features within 0..1, coverage by whole query
    words, weights from 0, limits within 0..1) and the gate, run again with it, gives the other verdict.
    Nothing nearer turns it.
    What stands in nobody's way (a floor that holds while another fails) and what no value could turn (a
    feature of weight 0, a weight on a feature of 0) has no flip.
    """
    now = tuple(values[name] for name in NAMES)
    terms = len(covered) + len(missing)
    flips = [
        flip
        for place in range(len(NAMES))
        for flip in (_feature_flip(place, now, limits, terms), _weight_flip(place, now, limits))
        if flip is not None
    ]
    flips += [flip for name in LIMITS if (flip := _limit_flip(name, now, limits)) is not None]
    order = ("feature", "threshold", "weight")
    return tuple(sorted(flips, key=lambda flip: order.index(flip.kind)))


def said(a: float, b: float) -> tuple[str, str]:
    """Two numbers in four digits, or in full where four digits would make different numbers look alike."""
    short = f"{a:.4g}", f"{b:.4g}"
    return short if a == b or short[0] != short[1] else (repr(a), repr(b))


def _feature_flip(place: int, now: Values, limits: Limits, terms: int) -> Flip | None:
    name, weight, observed = NAMES[place], limits.weights[place], now[place]
    floor = {"top_score": limits.min_top_score, "coverage": limits.min_coverage}.get(name)
    passes = not causes_of(now, limits)
    if weight == 0 and floor is None:
        return None

    def changed(value: float) -> Values:
        return (*now[:place], value, *now[place + 1 :])

    def turned(value: float) -> bool:
        # its own floor and the score; another broken floor is not this feature's to mend
        holds = fold(changed(value), limits.weights) >= limits.threshold and (floor is None or value >= floor)
        return holds != passes

    if turned(observed):
        return None  # what fails is another feature's floor
    score = fold(now, limits.weights)
    by_score = observed + (limits.threshold - score) / weight if weight else observed
    if passes:
        start = by_score if floor is None or (weight and by_score > floor) else floor
    else:
        start = by_score if floor is None else max(by_score, floor)
    needed = _settle(start, turned, down=passes)
    if needed is None:
        return None
    if name != "coverage":
        return _flip("feature", name, observed, needed, 0 <= needed <= 1, passes, changed(needed), limits)
    words = _whole_words(needed, terms, turned, down=passes)
    found = _flip("feature", name, observed, needed, words is not None, passes, changed(needed), limits)
    if not found.feasible:
        return found
    takes = f"; that takes {words} of the query's {terms} words in the evidence."
    return replace(found, sentence=found.sentence.removesuffix(".") + takes)


def _weight_flip(place: int, now: Values, limits: Limits) -> Flip | None:
    value, observed = now[place], limits.weights[place]
    passes = not causes_of(now, limits)
    below = fold(now, limits.weights) < limits.threshold
    if value == 0 or passes == below:
        return None  # no weight moves a feature of 0, nor mends a floor

    def changed(weight: float) -> Limits:
        return replace(limits, weights=(*limits.weights[:place], weight, *limits.weights[place + 1 :]))

    def turned(weight: float) -> bool:
        return (fold(now, changed(weight).weights) >= limits.threshold) != passes

    start = observed + (limits.threshold - fold(now, limits.weights)) / value
    needed = _settle(start, turned, down=passes == (value > 0))
    if needed is None:
        return None
    return _flip("weight", NAMES[place], observed, needed, needed >= 0, passes, now, changed(needed))


def _limit_flip(name: str, now: Values, limits: Limits) -> Flip | None:
    observed = getattr(limits, name)
    value = {"threshold": fold(now, limits.weights), "min_top_score": now[0], "min_coverage": now[1]}[name]
    passes = not causes_of(now, limits)
    if not passes and value >= observed:
        return None  # this limit is met
    needed = math.nextafter(value, math.inf) if passes else value
    changed = replace(limits, **{name: needed})  # type: ignore[arg-type]
    return _flip("threshold", name, observed, needed, 0 <= needed <= 1, passes, now, changed)


def _settle(start: float, turned: Callable[[float], bool], *, down: bool) -> float | None:
    """The first value from ``start`` on that turns the verdict: algebra is exact, doubles are not."""
    if not math.isfinite(start):
        return None
    step = 0.0
    for _ in range(40):
        value = start - step if down else start + step
        if turned(value):
            return value
        step = 2 * step or math.ulp(max(1.0, abs(start)))
    return None


def _whole_words(needed: float, words: int, turned: Callable[[float], bool], *, down: bool) -> int | None:
    """How many of the query's words would have to stand in the evidence; None where no number of them turns the verdict."""
    if not words:
        return None
    near = math.floor(needed * words) if down else math.ceil(needed * words)
    for count in (near + 1, near, near - 1) if down else (near - 1, near, near + 1):
        if 0 <= count <= words and turned(count / words):
            return count
    return None


def _flip(
    kind: str, name: str, observed: float, needed: float, reachable: bool, passes: bool, values: Values, limits: Limits
) -> Flip:
    """The record, with ``feasible`` decided by the gate's own arithmetic on the changed numbers."""
    feasible = reachable and bool(causes_of(values, limits)) == passes
    shown, asked = said(observed, needed)
    subject = {"feature": name, "weight": f"the weight of {name}", "threshold": LIMITS.get(name, name)}[kind]
    if feasible:
        end = "fail" if passes else "pass"
        sentence = f"With {subject} at {asked} instead of {shown}, all else kept, the gate would {end}."
    elif reachable:
        sentence = f"With {subject} at {asked} instead of {shown}, another condition would still fail."
    else:
        sentence = (
            f"{subject[0].upper()}{subject[1:]} would have to be {asked} instead of {shown}, which is out of reach."
        )
    return Flip(kind, name, observed, needed, feasible, sentence)
