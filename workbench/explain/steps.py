"""The steps of a run, read off its recorded contributions and picks, for players that only draw them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.explain import words
from workbench.frozen import FromPlain
from workbench.records import Fusion, Run

_TIES = {
    "id": "tied exactly, the ascending id comes first",
    "first_seen": "tied exactly, the one seen first comes first",
    "rounding": "equal but for rounding, which decides",
}


@dataclass(frozen=True, slots=True)
class Frame(FromPlain):
    """One moment of a fusion. n shown candidates, best first.

    ``kind``: ``scores`` (the lanes, each with its own scores), ``ranks`` (scores forgotten), ``lane`` (that lane's
    terms are added), ``ties`` (what decided equal scores), ``cut`` (who goes on).
    """

    kind: str
    lane: str | None
    sentence: str
    ids: tuple[str, ...]
    places: tuple[int | None, ...]
    """Their places among all candidates, from 1; None before a candidate has a term."""
    totals: tuple[float | None, ...]
    """The left fold of the terms so far; None before the first one."""


def shown(fusion: Fusion, most: int = 12) -> tuple[str, ...]:
    """The candidates worth watching: the fused first ones, and each lane's first, so that it is seen to fall behind.

    At most ``most`` ids, in fused order.
    """
    leaders = sorted({row for lane in range(len(fusion.lanes)) if (row := _first(fusion, lane)) is not None})[:most]
    rest = [row for row in range(min(len(fusion.ids), 2 * most)) if row not in leaders]
    return tuple(fusion.ids[row] for row in sorted([*leaders, *rest[: most - len(leaders)]]))


def fusion_frames(run: Run, ids: Sequence[str] | None = None) -> tuple[Frame, ...]:
    """The fusion of ``run``, moment by moment, for the candidates ``ids`` (``shown`` when left out).

    Totals are the left folds of the recorded terms in lane order; the last one is the recorded score to the last bit.

    Raises:
        WorkbenchError: ``unknown_id``.
    """
    fusion = run.fusion
    rows = [fusion.row(id) for id in (shown(fusion) if ids is None else ids)]
    if not rows:
        return ()
    folds = _folds(fusion)
    lanes = [_scores(run, rows), _ranks(fusion, rows)]
    before = lanes[-1]
    for lane in range(len(fusion.lanes)):
        before = _lane(run, rows, lane, folds[lane], before)
        lanes.append(before)
    ties = _ties(run, rows)
    return (*lanes, *([] if ties is None else [ties]), _cut(run, rows))


def _first(fusion: Fusion, lane: int) -> int | None:
    found = np.flatnonzero(fusion.ranks[:, lane] == 1)
    return int(found[0]) if len(found) else None


def _folds(fusion: Fusion) -> list[np.ndarray]:
    """After each lane, every candidate's running total: n doubles, NaN before its first term."""
    arithmetic = np.float32 if fusion.arithmetic == "float32" else np.float64
    total: np.ndarray = np.full(len(fusion.ids), np.nan)
    folds = []
    for column in fusion.contributions.T:
        begun, here = ~np.isnan(total), ~np.isnan(column)
        added = (total.astype(arithmetic) + column.astype(arithmetic)).astype(np.float64)
        total = np.where(begun & here, added, np.where(here, column, total))
        folds.append(total)
    return folds


def _order(fusion: Fusion, totals: np.ndarray, lane: int) -> list[int]:
    """Rows by running total. Equal ones by the run's own tie rule, and after the last lane in the recorded order."""
    if lane == len(fusion.lanes) - 1:
        return [row for row in range(len(totals)) if totals[row] == totals[row]]
    seen: dict[int, tuple[int, int]] = {}
    if "first seen" in fusion.tie_rule:
        for place in range(lane + 1):
            for row in np.flatnonzero(fusion.ranks[:, place] > 0).tolist():
                seen.setdefault(row, (place, int(fusion.ranks[row, place])))
    begun = [row for row in range(len(totals)) if totals[row] == totals[row]]
    return sorted(begun, key=lambda row: (-totals[row], seen.get(row, (0, 0)), fusion.ids[row]))


# ---------------------------------------------------------------- frames


def _scores(run: Run, rows: Sequence[int]) -> Frame:
    fusion = run.fusion
    spans = []
    for lane, name in enumerate(fusion.lanes):
        column = fusion.raw[:, lane]
        present = column[~np.isnan(column)]
        if len(present):
            spans.append(f"{name} {words.number(float(present.max()))} to {words.number(float(present.min()))}")
    said = f": {', '.join(spans)}" if spans else ""
    return _still("scores", f"Each lane has scores of its own kind{said}.", fusion, rows)


def _ranks(fusion: Fusion, rows: Sequence[int]) -> Frame:
    if fusion.method == "rrf":
        weights = set(fusion.params["weights"].values())
        weight = words.number(weights.pop()) if len(weights) == 1 else "its lane's weight"
        k, base = words.number(fusion.params["k"]), fusion.params["rank_base"]
        said = f"Reciprocal rank fusion forgets the scores and keeps the ranks, counted from {base}: a rank adds {weight} over (k + rank), with k = {k}."
        if fusion.dialect not in (None, "paper", "citenexus", "azure", "elasticsearch", "milvus"):
            said += f" The dialect {fusion.dialect} has a form of its own."
    elif fusion.method == "relative_score":
        said = "Relative score fusion puts each lane's scores between 0 (its last hit) and 1 (its first)."
    elif fusion.method == "dbsf":
        said = "Distribution-based fusion puts each lane's scores between 0 and 1 by their mean and spread."
    else:
        said = f"{fusion.method} adds the lanes' own scores, weighted."
    return _still("ranks", said, fusion, rows)


def _still(kind: str, sentence: str, fusion: Fusion, rows: Sequence[int]) -> Frame:
    ids = tuple(fusion.ids[row] for row in sorted(rows, key=lambda row: fusion.ids[row]))
    return Frame(kind, None, sentence, ids, (None,) * len(ids), (None,) * len(ids))


def _lane(run: Run, rows: Sequence[int], lane: int, totals: np.ndarray, before: Frame) -> Frame:
    fusion = run.fusion
    order = _order(fusion, totals, lane)
    place = {row: at + 1 for at, row in enumerate(order)}
    late = [row for row in sorted(rows, key=lambda row: fusion.ids[row]) if row not in place]
    arranged = [row for row in order if row in set(rows)] + late
    after = Frame(
        "lane",
        fusion.lanes[lane],
        "",
        tuple(fusion.ids[row] for row in arranged),
        tuple(place.get(row) for row in arranged),
        tuple(float(totals[row]) if row in place else None for row in arranged),
    )
    absent = sum(1 for row in rows if fusion.ranks[row, lane] < 0)
    return Frame(
        after.kind, after.lane, _lane_said(run, lane, before, after, absent), after.ids, after.places, after.totals
    )


def _lane_said(run: Run, lane: int, before: Frame, after: Frame, absent: int) -> str:
    name = run.fusion.lanes[lane]
    if after.totals[0] is None:
        return f"{name} returned nothing, and adds nothing."
    leader = words.name_of(run, after.ids[0])
    lead = f"{leader} leads with {words.number(after.totals[0])}"
    if before.totals[0] is not None and before.ids[0] != after.ids[0]:
        lead += f", overtaking {words.name_of(run, before.ids[0])}"
    parts = [f"{name} adds its terms: {lead}"]
    riser = _riser(before, after)
    if riser is not None:
        id, was, now = riser
        parts.append(f"{words.name_of(run, id)} rises from {words.ordinal(was)} to {words.ordinal(now)}")
    if absent:
        parts.append(f"{absent} of the {len(after.ids)} shown were not returned by it")
    return f"{'; '.join(parts)}."


def _riser(before: Frame, after: Frame) -> tuple[str, int, int] | None:
    """Whoever gains most places among all candidates, the leader left out."""
    was = {id: place for id, place in zip(before.ids, before.places, strict=True) if place is not None}
    gains = [
        (was[id] - place, id, was[id], place)
        for id, place in zip(after.ids[1:], after.places[1:], strict=True)
        if place is not None and id in was and was[id] > place
    ]
    return None if not gains else max(gains, key=lambda g: (g[0], -g[3]))[1:]


def _ties(run: Run, rows: Sequence[int]) -> Frame | None:
    fusion = run.fusion
    said = []
    for above, below in pairwise(range(len(fusion.ids))):
        if fusion.decided[below] != "score" and above in rows and below in rows:
            rule = _TIES.get(fusion.decided[below], fusion.decided[below])
            said.append(f"{words.name_of(run, fusion.ids[above])} and {words.name_of(run, fusion.ids[below])}: {rule}")
    return None if not said else _final("ties", f"{'; '.join(said)}.", fusion, rows)


def _cut(run: Run, rows: Sequence[int]) -> Frame:
    reranking, kept = run.reranking, run.attempt.evidence
    behind = len(run.fusion.ids) - len(reranking.ids)
    first = words.name_of(run, run.order[0])
    if reranking.name == "identity" and run.diversification is None:
        said = f"The cut falls after {len(kept)}: the rest does not go on. {first} is first."
    else:
        out = f"; {behind} fall behind it" if behind else ""
        then = " and diversity" if run.diversification else ""
        said = f"The first {len(reranking.ids)} go on to {reranking.name} reranking{then}{out}. Of these {len(kept)} are kept, and {first} is first."
    return _final("cut", said, run.fusion, rows)


def _final(kind: str, sentence: str, fusion: Fusion, rows: Sequence[int]) -> Frame:
    order = sorted(rows)
    return Frame(
        kind,
        None,
        sentence,
        tuple(fusion.ids[row] for row in order),
        tuple(row + 1 for row in order),
        tuple(float(fusion.scores[row]) for row in order),
    )
