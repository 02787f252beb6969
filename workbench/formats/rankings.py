"""Rows of any format made rankings: checked once, in one place, whatever file or frame they came from."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import NamedTuple

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.records import Hit, Lane

ORDERS = ("given", "rank", "score")


class Row(NamedTuple):
    """One ranked item as it was read. ``where`` names its line or row for a refusal."""

    query: str
    lane: str
    id: str
    rank: int | None
    score: float | None
    where: str
    detail: FrozenMap | None = None


@dataclass(frozen=True)
class Rankings(Mapping[str, Mapping[str, Lane]]):
    """Query id → lane name → ``Lane``: what ``Workbench.from_lanes`` takes whole, and ``rrf`` query by query."""

    lanes: Mapping[str, Mapping[str, Lane]]
    queries: Mapping[str, str] = field(default_factory=dict)
    """Query id → its words, where the format holds them."""
    notes: tuple[str, ...] = ()
    """What a reader should know before trusting the order: ties, gaps, what was passed over."""

    def __getitem__(self, query: str) -> Mapping[str, Lane]:
        if query not in self.lanes:
            some = ", ".join(map(repr, list(self.lanes)[:3]))
            raise KeyError(f"no query {query!r}: there are {len(self.lanes)}, such as {some}")
        return self.lanes[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self.lanes)

    def __len__(self) -> int:
        return len(self.lanes)

    @property
    def ids(self) -> tuple[str, ...]:
        """Every ranked id, ascending."""
        return tuple(sorted({id for lanes in self.lanes.values() for lane in lanes.values() for id in lane.ids}))


def together(*rankings: Rankings) -> Rankings:
    """Several readings as one: each query gets the lanes of all, in the order given.

    Raises:
        WorkbenchError: ``repeated_id`` where two have a lane of one name for a query; ``contradiction``
            where they give a query different words.
    """
    lanes: dict[str, dict[str, Lane]] = {}
    queries: dict[str, str] = {}
    for each in rankings:
        for query, found in each.items():
            held = lanes.setdefault(query, {})
            for name, lane in found.items():
                if name in held:
                    raise WorkbenchError(
                        "repeated_id",
                        f"two rankings have a lane {name!r} for query {query!r}: name them apart with lane=…",
                        id=name,
                    )
                held[name] = lane
        for query, words in each.queries.items():
            if queries.setdefault(query, words) != words:
                raise WorkbenchError(
                    "contradiction",
                    f"query {query!r} is {queries[query]!r} and {words!r}: one id has one wording",
                    id=query,
                )
    return Rankings(lanes, queries, tuple(dict.fromkeys(note for each in rankings for note in each.notes)))


def ranked(
    rows: Iterable[Row],
    *,
    order: str = "given",
    better: str = "higher",
    backend: str = "given",
    about: Mapping[str, object] | None = None,
    queries: Mapping[str, str] | None = None,
    notes: Iterable[str] = (),
    ties: str = "descending",
) -> Rankings:
    """Rows as lanes, in the order of their first rows.

    Args:
        order: ``given`` keeps the rows as they stand, and refuses ranks or scores that say otherwise;
            ``rank`` sorts by the ranks; ``score`` by the scores, ties by id.
        ties: ``descending`` (as trec_eval) or ``ascending`` id; only ``order="score"`` reads it.

    Raises:
        WorkbenchError: ``repeated_id``, ``contradiction`` or ``missing_score``, naming the row.
    """
    checks.one_of("order", order, ORDERS, "out_of_range")
    checks.one_of("better", better, ("higher", "lower"), "out_of_range")
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.query, row.lane), []).append(row)
    lanes: dict[str, dict[str, Lane]] = {}
    said = list(notes)
    for (query, name), group in groups.items():
        once(group)
        kept = _sorted(group, order, better, ties)
        agreeing(kept, order, better)
        lane, remark = _lane(name, kept, order, better, backend, dict(about or {}), ties)
        lanes.setdefault(query, {})[name] = lane
        said += [f"query {query!r}, lane {name!r}: {remark}"] if remark else []
    said += twins(row.id for group in groups.values() for row in group)
    return Rankings(lanes, dict(queries or {}), tuple(said))


def twins(ids: Iterable[str]) -> list[str]:
    """A remark on ids that look the same and are not: other Unicode forms, blanks around them."""
    forms: dict[str, str] = {}
    for id in sorted(set(ids)):
        form = unicodedata.normalize("NFC", id).strip()
        if form in forms:
            return [
                f"the ids {forms[form]!r} and {id!r} look alike and are two: other Unicode forms or blanks around them"
            ]
        forms[form] = id
    return []


def once(rows: Iterable[Row]) -> None:
    """Refuses an id that stands twice in one ranking, naming both rows."""
    seen: dict[str, str] = {}
    for row in rows:
        if row.id in seen:
            raise WorkbenchError(
                "repeated_id",
                f"{row.where} ranks {row.id!r} for query {row.query!r} again, after {seen[row.id]}: one lane ranks an item once; keep the better one",
                id=row.id,
                query=row.query,
                where=row.where,
            )
        seen[row.id] = row.where


def _sorted(rows: list[Row], order: str, better: str, ties: str) -> list[Row]:
    if order == "given":
        return rows
    for row in rows:
        if (row.rank if order == "rank" else row.score) is None:
            raise WorkbenchError(
                "missing_score",
                f"{row.where} has no {order}, and order is {order!r}: give one, or order='given'",
                where=row.where,
            )
    if order == "rank":
        return sorted(rows, key=lambda row: row.rank or 0)
    by_id = sorted(rows, key=lambda row: row.id, reverse=ties == "descending")
    sign = -1.0 if better == "higher" else 1.0
    return sorted(by_id, key=lambda row: sign * (0.0 if row.score is None else row.score))


def agreeing(rows: list[Row], order: str, better: str) -> None:
    """Refuses rows whose ranks or scores say another order than theirs, naming the row."""
    ranks = [row for row in rows if row.rank is not None]
    for above, below in pairwise(ranks if order != "score" else []):
        assert above.rank is not None
        assert below.rank is not None
        if below.rank <= above.rank:
            what = (
                "has the rank of the one before it again"
                if below.rank == above.rank
                else "ranks above the one before it"
            )
            raise WorkbenchError(
                "contradiction",
                f"{below.where} {what} ({below.id!r} {below.rank}, {above.id!r} {above.rank}): say order='score' to go by the scores, as trec_eval does, {'or order=' + repr('rank') + ' by the ranks, ' if below.rank != above.rank and order != 'rank' else ''}or put the rows in order",
                where=below.where,
                id=below.id,
            )
    scored = [row for row in rows if row.score is not None]
    for above, below in pairwise(scored):
        assert above.score is not None
        assert below.score is not None
        if below.score != above.score and (below.score > above.score) == (better == "higher"):
            other = "lower" if better == "higher" else "higher"
            raise WorkbenchError(
                "contradiction",
                f"{below.where} scores {below.score!r} after {above.score!r}, and {better} is better: say better={other!r} where {other} is, order='score' to go by the scores, or put the rows in order",
                where=below.where,
                id=below.id,
            )


def _lane(
    name: str, rows: list[Row], order: str, better: str, backend: str, about: dict[str, object], ties: str
) -> tuple[Lane, str]:
    lower = better == "lower"
    scores = [None if row.score is None else -row.score if lower else row.score for row in rows]
    hits = tuple(Hit(row.id, rank, score) for rank, (row, score) in enumerate(zip(rows, scores, strict=True), start=1))
    tied = tie_words([row.id for row in rows], [row.score for row in rows])
    ranks = [row.rank for row in rows if row.rank is not None]
    gaps = [f"{a} to {b}" for a, b in pairwise(ranks) if b > a + 1] if order != "score" else []
    if order == "score":
        said = f"by score, ties by {ties} id" + (" (trec_eval's rule)" if ties == "descending" else "")
    else:
        said = "as it stood" if order == "given" else "by the rank column"
    remark = "; ".join(
        part
        for part in (
            f"ties: {tied}" if tied else "",
            f"the rank column jumps from {gaps[0]}" + (f" and {len(gaps) - 1} times more" if len(gaps) > 1 else "")
            if gaps
            else "",
        )
        if part
    )
    if ranks and order != "score":
        about["rank_base"] = ranks[0]
    lane = Lane(
        name,
        hits,
        backend=backend,
        score_model=f"{backend} (negated: lower is better)" if lower else backend,
        depth=max(len(hits), 1),
        detail=FrozenMap((row.id, row.detail) for row in rows if row.detail),
        about=FrozenMap({**about, "order": said, **({"ties": tied} if tied else {}), "better": better}),
    )
    return lane, remark


def tie_words(ids: list[str], scores: list[float | None]) -> str:
    """How equal scores are ordered, as far as the rows show it; empty where no two are equal."""
    groups = [
        [id for id, _ in group]
        for score, group in groupby(zip(ids, scores, strict=True), key=lambda pair: pair[1])
        if score is not None
    ]
    tied = [group for group in groups if len(group) > 1]
    if not tied:
        return ""
    rows = len([id for group in tied for id in group])
    if all(group == sorted(group) for group in tied):
        rule = "in ascending id"
    elif all(group == sorted(group, reverse=True) for group in tied):
        rule = "in descending id, trec_eval's rule"
    else:
        rule = "by neither ascending nor descending id: by the order that the program left"
    return f"{rows} rows with an equal score beside them stand {rule}"
