"""Answering only what one is sure of: what a threshold on a score does, over labelled queries.

A query is *answered* when its score reaches the threshold. An answered query that cannot be answered is an
error. Selective risk, its area (AURC) and its excess over the best possible order (E-AURC) follow Geifman and
El-Yaniv (2017) and Geifman, Uziel and El-Yaniv (2019); the area under the generalised risk (AUGRC) Traub et al.
(2024). Queries that tie in score are answered together: within a tie the curve is the mean over all orders, so no
number depends on how ties are broken.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain
from workbench.kernels.measures import Confusion

SEED = 20300501
"""What the bootstrap draws from unless a generator is given, so that a band is the same on every run."""


@dataclass(frozen=True, slots=True)
class RiskCoverage(FromPlain):
    """Risk against coverage over n queries, the surest first. Entry i is for the i + 1 surest queries."""

    n: int
    errors: float
    """How many of all are errors when all are answered."""
    coverage: tuple[float, ...]
    """Share answered: (i + 1) / n."""
    risk: tuple[float, ...]
    """Share of the answered ones that are errors."""
    optimal: tuple[float, ...]
    """The least risk that any order could have: every error last."""
    aurc: float
    """Mean of ``risk``. Chance gives errors / n."""
    optimal_aurc: float
    e_aurc: float
    """``aurc - optimal_aurc``: what the order alone costs; 0 is a perfect order."""
    augrc: float
    """Mean over i of errors among the i + 1 surest, over n. Chance gives about errors / 2n; it stays calm at low coverage."""

    @property
    def random(self) -> float:
        """The risk of answering in random order, at any coverage."""
        return self.errors / self.n


def risk_coverage(scores: Sequence[float], answerable: Sequence[bool]) -> RiskCoverage:
    """The curve of answering in descending order of ``scores``.

    Raises:
        WorkbenchError: ``nothing_to_search`` without a query, ``shape_mismatch``, ``not_finite``.
    """
    rows = _rows(scores, answerable)
    n = len(rows)
    wrong: list[float] = []  # errors among the first i + 1, a tie counted evenly
    before = 0
    for _, group in groupby(sorted(rows, key=lambda row: -row[0]), key=lambda row: row[0]):
        tied = [row[1] for row in group]
        mistaken = tied.count(False)
        wrong += [before + mistaken * (i + 1) / len(tied) for i in range(len(tied))]
        before += mistaken
    right = n - before
    best = [max(0, i + 1 - right) / (i + 1) for i in range(n)]
    risk = [count / (i + 1) for i, count in enumerate(wrong)]
    area, least = _mean(risk), _mean(best)
    return RiskCoverage(
        n=n,
        errors=float(before),
        coverage=tuple((i + 1) / n for i in range(n)),
        risk=tuple(risk),
        optimal=tuple(best),
        aurc=area,
        optimal_aurc=least,
        e_aurc=area - least,
        augrc=_mean([count / n for count in wrong]),
    )


def auroc(scores: Sequence[float], answerable: Sequence[bool]) -> float | None:
    """The chance that an answerable query scores above another; ties count half. None where one of the two is missing."""
    rows = sorted(_rows(scores, answerable))
    good = sum(1 for _, label in rows if label)
    if not good or good == len(rows):
        return None
    won, below = 0.0, 0
    for _, group in groupby(rows, key=lambda row: row[0]):
        labels = [row[1] for row in group]
        right, wrong = labels.count(True), labels.count(False)
        won += right * (below + wrong / 2)
        below += wrong
    return won / (good * (len(rows) - good))


@dataclass(frozen=True, slots=True)
class Costs(FromPlain):
    """What a wrong decision costs, in any one unit; a right one costs nothing."""

    false_answer: float = 1.0
    """An answer to what cannot be answered."""
    false_refusal: float = 1.0
    """No answer to what can be."""
    review: float = 0.0
    """A query handed to a person, who then decides rightly."""

    def __post_init__(self) -> None:
        for name in ("false_answer", "false_refusal", "review"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), low=0))

    def of(self, cells: Confusion) -> float:
        """The cost of one confusion matrix, in all."""
        return self.false_answer * cells.fp + self.false_refusal * cells.fn


def sweep(
    scores: Sequence[float], answerable: Sequence[bool], *, floors_hold: Sequence[bool] | None = None
) -> tuple[Confusion, ...]:
    """The confusion at every threshold that matters, ascending: each distinct score, and one just above them all.

    ``floors_hold``: False where the gate fails at any threshold.
    """
    rows = _rows(scores, answerable)
    hold = [True] * len(rows) if floors_hold is None else [bool(each) for each in floors_hold]
    if len(hold) != len(rows):
        raise WorkbenchError(
            "shape_mismatch", f"floors_hold holds {len(hold)} and scores {len(rows)}: give one of each per query"
        )
    good = sum(1 for _, label in rows if label)
    ascending = sorted(zip(rows, hold, strict=True))
    above = float(np.nextafter(ascending[-1][0][0], np.inf))
    tp = sum(1 for (_, label), ok in ascending if ok and label)
    fp = sum(1 for (_, label), ok in ascending if ok and not label)
    cells = []
    for score, group in groupby(ascending, key=lambda row: row[0][0]):
        cells.append(Confusion(tp, fp, good - tp, len(rows) - good - fp, score))
        for (_, label), ok in group:
            tp, fp = tp - (ok and label), fp - (ok and not label)
    return (*cells, Confusion(tp, fp, good - tp, len(rows) - good - fp, above))


def cheapest(cells: Sequence[Confusion], costs: Costs) -> Confusion:
    """The entry of least cost; on a tie the lowest threshold, which answers most."""
    if not cells:
        raise WorkbenchError("nothing_to_search", "cells is empty: give the confusions of at least one threshold")
    return min(cells, key=costs.of)


@dataclass(frozen=True, slots=True)
class TwoThresholds(FromPlain):
    """Answer from ``answer_from`` on, refuse below ``review_from``, review between."""

    review_from: float
    answer_from: float
    answered_right: int
    answered_wrong: int
    reviewed: int
    refused_right: int
    refused_wrong: int
    cost: float


def two_thresholds(scores: Sequence[float], answerable: Sequence[bool], costs: Costs) -> TwoThresholds:
    """The pair of thresholds of least cost, among the distinct scores and one just above; on a tie the fewest reviews, then the lowest."""
    cells = sweep(scores, answerable)
    n = len(scores)
    best: tuple[float, int, Confusion, Confusion] | None = None
    low: tuple[float, int, Confusion] | None = None
    for high in cells:
        # the best lower threshold up to here: refusing below it instead of reviewing
        saved = costs.false_refusal * high.fn - costs.review * (high.fn + high.tn)
        if low is None or saved <= low[0]:
            low = (saved, high.fn + high.tn, high)
        answered = high.tp + high.fp
        cost = costs.false_answer * high.fp + costs.review * (n - answered) + low[0]
        if best is None or (cost, n - answered - low[1]) < best[:2]:
            best = (cost, n - answered - low[1], low[2], high)
    assert best is not None
    cost, between, lower, upper = best
    assert lower.threshold is not None
    assert upper.threshold is not None
    return TwoThresholds(lower.threshold, upper.threshold, upper.tp, upper.fp, between, lower.tn, lower.fn, cost)


@dataclass(frozen=True, slots=True)
class Band(FromPlain):
    """A number and where it would lie over other samples of queries: the middle ``level`` of the resamples (percentile bootstrap)."""

    value: float
    low: float
    high: float
    level: float
    resamples: int
    seed: int | None
    """None where a generator was handed in."""


def bootstrap(
    statistic: Callable[[Sequence[float], Sequence[bool]], float | None],
    scores: Sequence[float],
    answerable: Sequence[bool],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    generator: np.random.Generator | None = None,
) -> Band:
    """``statistic(scores, answerable)`` with its band. Queries are drawn with replacement (Efron 1979).

    Without ``generator`` it draws from ``numpy.random.Generator(PCG64(SEED))``. Resamples on which the statistic is
    None (one of the labels was not drawn) are left out.

    Raises:
        WorkbenchError: ``nothing_to_search`` where the statistic is None on all the queries.
    """
    rows = _rows(scores, answerable)
    count = checks.whole("resamples", resamples, low=10)
    share = checks.number("level", level, low=0.5, high=0.999)
    value = statistic([row[0] for row in rows], [row[1] for row in rows])
    if value is None:
        raise WorkbenchError("nothing_to_search", "the statistic is None on these queries: give some of either label")
    draw = np.random.Generator(np.random.PCG64(SEED)) if generator is None else generator
    found = []
    for _ in range(count):
        sample = [rows[i] for i in draw.integers(0, len(rows), len(rows)).tolist()]
        drawn = statistic([row[0] for row in sample], [row[1] for row in sample])
        if drawn is not None:
            found.append(drawn)
    found.sort()
    tail = (1 - share) / 2
    return Band(
        value,
        _quantile(found, tail),
        _quantile(found, 1 - tail),
        share,
        len(found),
        SEED if generator is None else None,
    )


def risk_band(
    scores: Sequence[float],
    answerable: Sequence[bool],
    *,
    points: int = 25,
    resamples: int = 300,
    level: float = 0.95,
    generator: np.random.Generator | None = None,
) -> tuple[tuple[float, float, float], ...]:
    """(coverage, low, high) of the risk at ``points`` coverages, evenly spaced up to 1; drawn as ``bootstrap`` draws."""
    rows = _rows(scores, answerable)
    count = checks.whole("resamples", resamples, low=10)
    share = checks.number("level", level, low=0.5, high=0.999)
    places = [max(1, round(len(rows) * (p + 1) / points)) for p in range(checks.whole("points", points, low=2))]
    draw = np.random.Generator(np.random.PCG64(SEED)) if generator is None else generator
    curves = []
    for _ in range(count):
        sample = [rows[i] for i in draw.integers(0, len(rows), len(rows)).tolist()]
        curves.append(risk_coverage([row[0] for row in sample], [row[1] for row in sample]).risk)
    tail = (1 - share) / 2
    found = []
    for place in places:
        values = sorted(curve[place - 1] for curve in curves)
        found.append((place / len(rows), _quantile(values, tail), _quantile(values, 1 - tail)))
    return tuple(found)


def _quantile(ascending: Sequence[float], share: float) -> float:
    """The value at ``share`` of the way, between neighbours in proportion."""
    at = share * (len(ascending) - 1)
    low = int(at)
    high = min(low + 1, len(ascending) - 1)
    return ascending[low] + (at - low) * (ascending[high] - ascending[low])


def _rows(scores: Sequence[float], answerable: Sequence[bool]) -> list[tuple[float, bool]]:
    if len(scores) != len(answerable):
        raise WorkbenchError(
            "shape_mismatch",
            f"scores holds {len(scores)} and answerable {len(answerable)}: give one of each per query, in the same order",
        )
    if not len(scores):
        raise WorkbenchError("nothing_to_search", "scores is empty: give at least one query")
    return [
        (checks.number(f"scores[{i}]", score), bool(label))
        for i, (score, label) in enumerate(zip(scores, answerable, strict=True))
    ]


def _mean(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
