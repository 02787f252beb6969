"""Reads lanes once: ids become codes that ascend in id order, so that a re-fuse never touches a string."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.records import Hit, Lane


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLanes:
    """Lanes in the form that every fusion reads. n candidates, L lanes, in the order they were given."""

    names: tuple[str, ...]
    backends: tuple[str, ...]
    ids: tuple[str, ...]
    """n, ascending by code point: the code of an id is its place here."""
    labels: np.ndarray
    """The ids again, as an object array: n of them are taken in a new order at once."""
    codes: tuple[np.ndarray, ...]
    """One intp array a lane: the codes of its hits, best first."""
    ranks: np.ndarray
    """n × L int32, from 1, -1 where absent."""
    raw: np.ndarray
    """n × L float64, the lanes' own scores, NaN where absent or not given."""
    slots: np.ndarray
    """L × n intp: where each hit's term stands in the table that ``spread`` lays out."""
    repeats: FrozenMap
    """Lane → ids that it held more than once; only with ``repeats="best"``."""

    def spread(self, terms: Sequence[np.ndarray], dtype: str) -> np.ndarray:
        """One array of terms a lane, best first, as L × n; 0 where a lane did not return the candidate.

        The 0 is for adding up alone, where it changes no bit of a sum: what is absent is absent by ``ranks``.
        """
        # a row for each lane, its terms from the second place on; rank -1 is the last place of the row before
        # (of the first row: of the last), which no lane reaches, so that absent needs no test
        table = np.zeros((len(self.names), _width(self.codes)), dtype=dtype)
        for lane, term in enumerate(terms):
            table[lane, 1 : len(term) + 1] = term
        held: np.ndarray = table.ravel().take(self.slots)
        return held

    def scores(self, lane: int) -> np.ndarray:
        """The lane's own scores, best first.

        Raises:
            WorkbenchError: ``missing_score``, naming the ids and the lane.
        """
        scores: np.ndarray = self.raw[self.codes[lane], lane]
        absent = np.isnan(scores)
        if absent.any():
            ids = [self.ids[code] for code in self.codes[lane][absent].tolist()]
            raise WorkbenchError(
                "missing_score",
                f"lane {self.names[lane]!r} gives no score for {named(ids)}: fuse by rank (rrf), or give (id, score) pairs",
                lane=self.names[lane],
                ids=tuple(ids),
            )
        return scores

    def first_seen(self) -> np.ndarray:
        """n: the place at which each id first turns up, reading lane after lane."""
        read = np.concatenate(self.codes)
        seen = np.empty(len(self.ids), dtype=np.intp)
        # of repeated indices numpy keeps the last assignment, so reading backwards keeps the first place
        seen[read[::-1]] = np.arange(len(read))[::-1]
        return seen


def prepare(lanes: Any, *, repeats: str | None = None) -> PreparedLanes:
    """Lanes checked and interned, ready for any number of fusions.

    Args:
        lanes: mapping of lane name → the lane, best first: ids, ``(id, score or None)`` pairs, ``Hit``
            records, or a ``Lane``. ``PreparedLanes`` are handed back as they are.
        repeats: None refuses an id that one lane holds twice. ``"best"`` keeps its first place, closes
            the gaps that the later ones leave, and records the id in ``repeats``.

    Raises:
        WorkbenchError: ``no_lanes``, ``absent_lane``, ``repeated_id``, ``missing_id``, ``id_not_text``,
            ``not_finite``, ``wrong_type``, ``contradiction`` or ``out_of_range``.
    """
    if repeats is not None:
        checks.one_of("repeats", repeats, ("best",), "out_of_range")
    if isinstance(lanes, PreparedLanes):
        if repeats is not None:
            raise WorkbenchError(
                "contradiction",
                f"repeats is {repeats!r}, and the lanes are prepared already: give it to prepare()",
            )
        return lanes
    if not isinstance(lanes, Mapping):
        raise WorkbenchError(
            "wrong_type",
            f"lanes is {type(lanes).__name__} {lanes!r:.80}: give a mapping of lane name → list, best first",
            value=lanes,
        )
    if not lanes:
        raise WorkbenchError("no_lanes", f"lanes is {lanes!r}: give at least one; a lane that matched nothing is []")
    names = tuple(checks.text("a lane's name", name) for name in lanes)
    read = [_read(name, lane, repeats is not None) for name, lane in lanes.items()]
    return _intern(names, read)


def text_ids(given: Sequence[Any], lane: str | None = None) -> list[str]:
    """The ids as plain text; the refusal of a bad one names its place in the lane, or among the candidates.

    Raises:
        WorkbenchError: ``missing_id`` or ``id_not_text``.
    """
    if set(map(type, given)) <= {str} and "" not in given:
        return list(given)
    return [
        str(checks.item_id(each, f"candidate {place}" if lane is None else _where(lane, place)))
        for place, each in enumerate(given, start=1)
    ]


def named(ids: Sequence[str]) -> str:
    """Some ids for a message: all of them up to five, else the first five and how many more."""
    rest = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return ", ".join(map(repr, ids[:5])) + rest


@dataclass(frozen=True, slots=True)
class _Read:
    ids: list[str]
    scores: np.ndarray | None
    backend: str
    repeated: tuple[str, ...]


def _intern(names: tuple[str, ...], read: list[_Read]) -> PreparedLanes:
    ids = sorted(set().union(*(lane.ids for lane in read)))
    if ids[:1] == [""]:  # the empty id comes first
        for name, lane in zip(names, read, strict=True):
            text_ids(lane.ids, name)
    codes = _codes(dict(zip(ids, range(len(ids)), strict=True)), read)
    ranks = np.full((len(ids), len(names)), -1, dtype=np.int32)
    raw = np.full((len(ids), len(names)), np.nan)
    for column, (lane, rows) in enumerate(zip(read, codes, strict=True)):
        ranks[rows, column] = np.arange(1, len(rows) + 1)
        if lane.scores is not None:
            raw[rows, column] = lane.scores
    if np.count_nonzero(ranks > 0) < sum(map(len, codes)):
        for name, lane in zip(names, read, strict=True):
            checks.no_repeats(lane.ids, f"lane {name!r}")
    slots = np.ascontiguousarray(ranks.T) + np.arange(len(names), dtype=np.intp)[:, None] * _width(codes)
    labels = np.array(ids, dtype=object)
    for array in (labels, ranks, raw, slots, *codes):
        array.flags.writeable = False
    return PreparedLanes(
        names=names,
        backends=tuple(lane.backend for lane in read),
        ids=tuple(ids),
        labels=labels,
        codes=tuple(codes),
        ranks=ranks,
        raw=raw,
        slots=slots,
        repeats=FrozenMap((name, lane.repeated) for name, lane in zip(names, read, strict=True) if lane.repeated),
    )


def _codes(code: dict[str, int], read: list[_Read]) -> list[np.ndarray]:
    """Each lane's ids as codes, looked up in one go: half the time of an iterator for each lane."""
    given: list[str] = []
    for lane in read:
        given += lane.ids
    # itemgetter takes no empty list, and gives the bare item for one
    looked_up = itemgetter(*given)(code) if len(given) > 1 else [code[each] for each in given]
    rows = np.fromiter(looked_up, dtype=np.intp, count=len(given))
    ends = [0, *accumulate(len(lane.ids) for lane in read)]
    return [rows[start:end] for start, end in pairwise(ends)]


def _width(codes: Sequence[np.ndarray]) -> int:
    return max(map(len, codes)) + 2


def _read(name: str, given: Any, keep_best: bool) -> _Read:
    if given is None:
        raise WorkbenchError("absent_lane", f"{name} did not run; an empty lane is []", lane=name)
    backend = ""
    items = given
    if isinstance(given, Lane):
        if given.status != "ran":
            why = f" ({given.reason})" if given.reason else ""
            raise WorkbenchError(
                "absent_lane",
                f"{name} is {given.status!r}{why}: it did not run; leave it out of the fusion, an empty lane is []",
                lane=name,
                status=given.status,
            )
        backend, items = given.backend, given.hits
    elif hasattr(given, "tolist"):
        items = given.tolist()
    if not isinstance(items, list | tuple):
        raise WorkbenchError(
            "wrong_type",
            f"lane {name!r} is {type(given).__name__} {given!r:.80}: give a list, best first, of ids, (id, score) pairs or Hits",
            lane=name,
        )
    ids, scores = _split(name, items)
    return _keep_best(ids, scores, backend) if keep_best else _Read(ids, scores, backend, ())


def _split(name: str, items: Sequence[Any]) -> tuple[list[str], np.ndarray | None]:
    kinds = set(map(type, items))
    if kinds <= {str}:
        return list(items), None
    if kinds == {Hit}:
        _ranks_are_places(name, items)
        return text_ids([hit.id for hit in items], name), _scores(name, items, [hit.score for hit in items])
    if kinds <= {tuple, list} and set(map(len, items)) == {2}:
        return text_ids([pair[0] for pair in items], name), _scores(name, items, [pair[1] for pair in items])
    for place, item in enumerate(items, start=1):
        if isinstance(item, Hit | tuple | list | Mapping):
            raise WorkbenchError(
                "wrong_type",
                f"{_where(name, place)} is {item!r:.80}: give every item as an id, or every item as an (id, score) pair, or as a Hit",
                lane=name,
                position=place,
            )
    return text_ids(items, name), None


def _scores(name: str, items: Sequence[Any], given: list[Any]) -> np.ndarray | None:
    kinds = set(map(type, given))
    if kinds <= {type(None)}:
        return None
    if kinds == {float}:
        scores = np.array(given)
        if np.isfinite(scores).all():
            return scores
    return np.array(
        [
            np.nan
            if score is None
            else checks.number(f"the score at {_where(name, place)} ({items[place - 1]!r})", score)
            for place, score in enumerate(given, start=1)
        ]
    )


def _ranks_are_places(name: str, hits: Sequence[Hit]) -> None:
    for place, hit in enumerate(hits, start=1):
        if hit.rank != place:
            raise WorkbenchError(
                "contradiction",
                f"{_where(name, place)} is {hit.id!r} with rank {hit.rank!r}: ranks count from 1 without a gap, best first; give ids alone to rank them by place",
                lane=name,
                id=hit.id,
                rank=hit.rank,
            )


def _keep_best(ids: list[str], scores: np.ndarray | None, backend: str) -> _Read:
    first: dict[str, int] = {}
    repeated: dict[str, None] = {}
    for place, each in enumerate(ids):
        if first.setdefault(each, place) != place:
            repeated[each] = None
    kept = list(first.values())
    return _Read(list(first), None if scores is None else scores[kept], backend, tuple(repeated))


def _where(name: str, place: int) -> str:
    return f"lane {name!r}, position {place}"
