"""Measures of retrieval and of the gate, by hand (R12).

Three that are often called each other: *hit rate* at k asks whether any relevant item stands in the
first k (0 or 1, rerankgate 0.2.0 calls it ``recall_at_k``), *recall* at k which share of the relevant
items does, *precision* at k which share of the k places they fill.

A relevant id names a passage or a document. A passage's document is the one recorded for it in
``documents`` (passage id → document id), never cut from its id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain, FrozenMap

CUTS = (1, 3, 5, 10)
VERDICTS = ("answerable", "insufficient", "needs_review", "retrieved")


@dataclass(frozen=True, slots=True)
class Confusion(FromPlain):
    """The gate against the labels: tp passed and answerable, fp passed and not, fn and tn the rejected ones.

    ``threshold`` is None where the verdicts came from elsewhere. Ratios without a case are None.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    threshold: float | None = None

    @property
    def precision(self) -> float | None:
        """tp / (tp + fp); None where nothing passed (rerankgate 0.2.0 prints 0.0)."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """tp / (tp + fn); None where nothing is answerable (rerankgate 0.2.0 prints 0.0)."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> float | None:
        """tn / (tn + fp); None where everything is answerable."""
        return ratio(self.tn, self.tn + self.fp)


@dataclass(frozen=True, slots=True)
class Outcome(FromPlain):
    """One query with what was known of it (``relevant``, ``answerable``) and what came (``retrieved``, ``verdict``)."""

    query: str
    relevant: tuple[str, ...]
    answerable: bool
    retrieved: tuple[str, ...]
    """Passage ids, best first."""
    verdict: str

    def __post_init__(self) -> None:
        for name in ("relevant", "retrieved"):
            ids = tuple(checks.item_id(each, f"{name} of {self.query!r}") for each in getattr(self, name))
            checks.no_repeats(ids, f"{name} of {self.query!r}")
            object.__setattr__(self, name, ids)
        checks.one_of("verdict", self.verdict, VERDICTS, "out_of_range")


@dataclass(frozen=True, slots=True)
class Aggregate(FromPlain):
    """Means over the outcomes. ``hit_rate`` and ``recall`` map a cut, as text, to a mean; None without a case."""

    n: int
    judged: int
    """Outcomes with relevant ids: the ones that hit rate, recall and reciprocal rank are averaged over."""
    hit_rate: FrozenMap
    recall: FrozenMap
    mean_reciprocal_rank: float | None
    gate: Confusion
    abstention_rate: float | None
    answerable_rate: float | None
    outcomes: tuple[Outcome, ...] = field(default=())


def ratio(part: float, whole: int) -> float | None:
    """part / whole, None for 0/0: undefined is not zero."""
    return part / whole if whole else None


def hit_rate_at(
    k: int, retrieved: Sequence[str], relevant: Sequence[str], *, documents: Mapping[str, str] | None = None
) -> float | None:
    """1.0 when any of the first k is relevant, else 0.0; None without a relevant id. Also called success@k."""
    found = _found(k, retrieved, relevant, documents)
    return None if not relevant else float(any(found))


def recall_at(
    k: int, retrieved: Sequence[str], relevant: Sequence[str], *, documents: Mapping[str, str] | None = None
) -> float | None:
    """Relevant ids met among the first k ÷ relevant ids; None without a relevant id.

    A relevant document counts once, however many of its passages came.
    """
    met = {each for names in _found(k, retrieved, relevant, documents) for each in names}
    return ratio(len(met), len(set(relevant)))


def precision_at(
    k: int, retrieved: Sequence[str], relevant: Sequence[str], *, documents: Mapping[str, str] | None = None
) -> float | None:
    """Places among the first k that a relevant item fills ÷ k; None without a relevant id.

    Fewer than k retrieved items leave places empty, as in trec_eval's P_k.
    """
    found = _found(k, retrieved, relevant, documents)
    return None if not relevant else sum(1 for names in found if names) / k


def reciprocal_rank(
    retrieved: Sequence[str], relevant: Sequence[str], *, documents: Mapping[str, str] | None = None
) -> float | None:
    """1 / rank (from 1) of the first relevant item, 0.0 where none came, None without a relevant id."""
    found = _found(max(1, len(retrieved)), retrieved, relevant, documents)
    if not relevant:
        return None
    return next((1 / rank for rank, names in enumerate(found, start=1) if names), 0.0)


def aggregate(outcomes: Sequence[Outcome], *, documents: Mapping[str, str] | None = None) -> Aggregate:
    """R12's report over many queries.

    Hit rate, recall and reciprocal rank are means over the outcomes with relevant ids. The gate passed
    where the verdict is ``answerable`` (``needs_review`` did not); abstention is the share of
    ``insufficient``. Where rerankgate 0.2.0 prints 0.0 for 0/0, the value here is None.

    Raises:
        WorkbenchError: ``nothing_to_search`` without outcomes; ``contradiction`` where a verdict is
            ``retrieved``, since the gate was never asked.
    """
    rows = tuple(outcomes)
    if not rows:
        raise WorkbenchError("nothing_to_search", "outcomes is empty: give at least one query to average over")
    for row in rows:
        if row.verdict == "retrieved":
            raise WorkbenchError(
                "contradiction",
                f"verdict of {row.query!r} is 'retrieved': the gate was not asked; use answerable or insufficient",
                query=row.query,
            )
    judged = [row for row in rows if row.relevant]
    verdicts = [row.verdict for row in rows]
    return Aggregate(
        n=len(rows),
        judged=len(judged),
        hit_rate=FrozenMap(
            (str(k), _mean([hit_rate_at(k, row.retrieved, row.relevant, documents=documents) for row in judged]))
            for k in CUTS
        ),
        recall=FrozenMap(
            (str(k), _mean([recall_at(k, row.retrieved, row.relevant, documents=documents) for row in judged]))
            for k in CUTS
        ),
        mean_reciprocal_rank=_mean(
            [reciprocal_rank(row.retrieved, row.relevant, documents=documents) for row in judged]
        ),
        gate=confusion([v == "answerable" for v in verdicts], [row.answerable for row in rows]),
        abstention_rate=ratio(verdicts.count("insufficient"), len(rows)),
        answerable_rate=ratio(verdicts.count("answerable"), len(rows)),
        outcomes=rows,
    )


def confusion(passed: Sequence[bool], answerable: Sequence[bool], *, threshold: float | None = None) -> Confusion:
    """Counts the four cells. Both sequences hold one entry per query, in the same order."""
    _same_length("answerable", answerable, "passed", passed)
    cells = [(bool(p), bool(a)) for p, a in zip(passed, answerable, strict=True)]
    return Confusion(
        tp=cells.count((True, True)),
        fp=cells.count((True, False)),
        fn=cells.count((False, True)),
        tn=cells.count((False, False)),
        threshold=threshold,
    )


def threshold_sweep(
    scores: Sequence[float],
    answerable: Sequence[bool],
    thresholds: Sequence[float],
    *,
    floors_hold: Sequence[bool] | None = None,
) -> tuple[Confusion, ...]:
    """The confusion at each threshold, in the order given: a query passes with score ≥ threshold.

    ``floors_hold`` says for each query whether the gate's floors hold; where one is broken no threshold
    lets it pass. Left out, the score alone decides.
    """
    _same_length("answerable", answerable, "scores", scores)
    given = [checks.number(f"scores[{i}]", score) for i, score in enumerate(scores)]
    floors = [True] * len(given) if floors_hold is None else list(floors_hold)
    _same_length("floors_hold", floors, "scores", scores)
    limits = [checks.number(f"thresholds[{i}]", limit) for i, limit in enumerate(thresholds)]
    return tuple(
        confusion([ok and score >= limit for score, ok in zip(given, floors, strict=True)], answerable, threshold=limit)
        for limit in limits
    )


def _found(
    k: int, retrieved: Sequence[str], relevant: Sequence[str], documents: Mapping[str, str] | None
) -> list[set[str]]:
    """For each of the first k places, the relevant ids that its item answers to: its own and its document's."""
    cut = checks.whole("k", k)
    checks.no_repeats(retrieved, "retrieved")
    wanted = set(relevant)
    return [wanted & {id, documents.get(id, id) if documents is not None else id} for id in retrieved[:cut]]


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    if not present:
        return None
    total = 0.0
    for value in present:
        total += value
    return total / len(present)


def _same_length(name: str, given: Sequence[object], other: str, against: Sequence[object]) -> None:
    if len(given) != len(against):
        raise WorkbenchError(
            "shape_mismatch",
            f"{name} holds {len(given)} and {other} {len(against)}: give one of each per query, in the same order",
            **{name: len(given), other: len(against)},
        )
