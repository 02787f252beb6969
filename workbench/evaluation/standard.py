"""The field's standard measures, by ir-measures (which runs trec_eval's own code), query by query.

trec_eval ignores the order of a run and goes by its scores, compared in float32, ties by descending docno. A
ranking of ours is ordered already, ties by ascending id among others, so it is handed over with scores made of
its ranks (n, n - 1, … 1): nothing can reorder it. A run of another program is measured ``ties="trec_eval"``: by
its own scores, as trec_eval would. What the order of tied candidates is worth, ``tie_span`` says.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, product
from math import factorial
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain

MEASURES = ("nDCG@10", "AP", "RR", "R@100")
TIES = ("rank", "trec_eval")
ORDERS = 20_000
"""Up to so many orders of tied candidates are each measured for the expected value."""

Values = dict[str, float | None]


def parsed(names: Sequence[str]) -> tuple[Any, ...]:
    """The measures of these names, as ir-measures writes them: ``nDCG@10``, ``AP``, ``RR``, ``P@5``, ``R@100``.

    Raises:
        WorkbenchError: ``unknown_measure``; ``repeated_id`` for one that is named twice.
    """
    import ir_measures

    found = []
    for name in checks.listed("measures", names, "names such as 'nDCG@10'"):
        try:
            found.append(ir_measures.parse_measure(checks.text("a measure", name)))
        except (NameError, ValueError, SyntaxError) as cause:
            raise WorkbenchError(
                "unknown_measure",
                f"measure {name!r} is none that ir-measures knows ({cause}): give nDCG@10, AP, RR, P@5, R@100, Success@1 or another of its list",
                name=name,
            ) from cause
    if not found:
        raise WorkbenchError("out_of_range", "measures is empty: name at least one, such as 'nDCG@10'")
    checks.no_repeats([str(each) for each in found], "measures")
    return tuple(found)


def measured(
    rankings: Mapping[str, Sequence[str]], judged: Mapping[str, Mapping[str, int]], measures: Sequence[Any]
) -> dict[str, Values]:
    """Query id → measure → value, for rankings (ids, best first) in the order in which they stand.

    A query in which nothing is judged relevant has no value (None): no ranking of it could be better than another.
    """
    runs = {query: rank_scores(ids) for query, ids in rankings.items()}
    return scored(runs, judged, measures)


def scored(
    runs: Mapping[str, Mapping[str, float]], judged: Mapping[str, Mapping[str, int]], measures: Sequence[Any]
) -> dict[str, Values]:
    """Query id → measure → value, for runs (id → score) in the order that trec_eval gives them."""
    import ir_measures

    names = [str(each) for each in measures]
    found: dict[str, Values] = {query: dict.fromkeys(names) for query in runs}
    relevant = {
        query: dict(judged[query])
        for query in runs
        if query in judged and any(grade > 0 for grade in judged[query].values())
    }
    if relevant:
        wanted = {query: dict(runs[query]) for query in relevant}
        for each in ir_measures.evaluator(list(measures), relevant).iter_calc(wanted):
            found[each.query_id][str(each.measure)] = float(each.value)
    return found


def rank_scores(ids: Sequence[str]) -> dict[str, float]:
    """n, n - 1, … 1: scores that say the ranks and nothing else."""
    return {id: float(len(ids) - place) for place, id in enumerate(ids)}


def trec_order(pairs: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """The ids in trec_eval's order: score in float32, falling; ties by descending docno."""
    return tuple(id for id, _ in sorted(sorted(pairs, reverse=True), key=lambda pair: -np.float32(pair[1])))


@dataclass(frozen=True, slots=True)
class TieSpan(FromPlain):
    """What a measure is worth over all orders in which tied candidates could stand."""

    measure: str
    given: float | None
    """In the order as handed over. None, as the others, where nothing is judged relevant."""
    best: float | None
    worst: float | None
    expected: float | None
    """The mean over all orders, each equally likely; None where there are too many to measure each."""
    tied: int
    """Candidates with a score that another one has too."""
    orders: int
    """Orders that could give other values: candidates of one grade are told apart by none."""


def tie_span(pairs: Sequence[tuple[str, float]], judged: Mapping[str, int], measure: str) -> TieSpan:
    """The best, worst and expected value of ``measure`` for one query whose candidates tie.

    Args:
        pairs: (id, score), best first; scores are compared in float32, as trec_eval does.
        judged: id → grade; what is not judged has none and counts as 0.

    Raises:
        WorkbenchError: ``contradiction`` for scores that rise, ``repeated_id``, ``unknown_measure``.
    """
    (asked,) = parsed([measure])
    ids = [id for id, _ in pairs]
    checks.no_repeats(ids, "pairs")
    scores = [np.float32(checks.number(f"score of {id!r}", score)) for id, score in pairs]
    if any(below > above for above, below in pairwise(scores)):
        raise WorkbenchError("contradiction", "the scores rise along the pairs: give them best first")
    groups = [[id for id, _ in group] for _, group in groupby(zip(ids, scores, strict=True), key=lambda pair: pair[1])]
    grades = [[judged.get(id, 0) for id in group] for group in groups]
    orders = 1
    for each in grades:
        orders *= _arrangements(each)
    variants = {
        "given": ids,
        "best": _joined(groups, [sorted(each, reverse=True) for each in grades], judged),
        "worst": _joined(groups, [sorted(each) for each in grades], judged),
    }
    counted = orders <= ORDERS
    if counted:
        for place, chosen in enumerate(product(*(list(_distinct(sorted(each))) for each in grades))):
            variants[f"order {place}"] = _joined(groups, [list(each) for each in chosen], judged)
    found = measured(variants, dict.fromkeys(variants, judged), [asked])
    name = str(asked)
    value = {key: values[name] for key, values in found.items()}
    present = [value[key] for key in variants if key.startswith("order ")]
    total = 0.0
    for each_value in present:
        total += each_value if each_value is not None else 0.0
    expected = total / len(present) if counted and value["given"] is not None else None
    tied = len([id for group in groups if len(group) > 1 for id in group])
    return TieSpan(name, value["given"], value["best"], value["worst"], expected, tied, orders)


def _arrangements(grades: Sequence[int]) -> int:
    count = factorial(len(grades))
    for _, same in groupby(sorted(grades)):
        count //= factorial(len(list(same)))
    return count


def _distinct(rest: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """The distinct orders of sorted grades, each once."""
    if not rest:
        yield ()
    for place, grade in enumerate(rest):
        if place == 0 or rest[place - 1] != grade:
            for tail in _distinct([*rest[:place], *rest[place + 1 :]]):
                yield (grade, *tail)


def _joined(groups: Sequence[Sequence[str]], grades: Sequence[Sequence[int]], judged: Mapping[str, int]) -> list[str]:
    """The ids with those of each group put where its grades say."""
    found: list[str] = []
    for group, wanted in zip(groups, grades, strict=True):
        left = {grade: [id for id in group if judged.get(id, 0) == grade] for grade in set(wanted)}
        found += [left[grade].pop(0) for grade in wanted]
    return found
