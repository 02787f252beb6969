"""A fusion's lanes, ready to be fused again with other numbers by the kernel that made it."""

from collections.abc import Mapping, Sequence

from workbench.after_lanes import base
from workbench.errors import WorkbenchError
from workbench.kernels.fusion import dbsf, prepare, relative_score, rrf
from workbench.kernels.lanes_in import PreparedLanes
from workbench.records import Fusion

Rows = list[tuple[str, float | None]]


class Refuse:
    """The lanes that a fusion recorded, and the settings it was made with.

    Raises:
        WorkbenchError: ``parameter_of_another_fusion`` for a method without weights or k.
    """

    def __init__(self, fusion: Fusion) -> None:
        self.fusion = fusion
        self.rows = {lane: _rows(fusion, place) for place, lane in enumerate(fusion.lanes)}
        self.prepared: PreparedLanes = prepare(self.rows)

    @property
    def knobs(self) -> dict[str, tuple[str, ...]]:
        """Lane → itself and the lanes of its further phrasings, which share its weight."""
        lanes = self.fusion.lanes
        found: dict[str, tuple[str, ...]] = {}
        for lane in lanes:
            head = base(lane) if base(lane) in lanes else lane
            found[head] = (*found.get(head, ()), lane)
        return found

    @property
    def weights(self) -> dict[str, float]:
        """The weight of every lane; empty for a method that reads none."""
        return dict(self.fusion.params.get("weights", {}))

    def at(
        self, *, k: float | None = None, weights: Mapping[str, float] | None = None, rows: dict[str, Rows] | None = None
    ) -> Fusion:
        """The same fusion with another k, other weights (by lane), or other lanes."""
        made, lanes = self.fusion, self.prepared if rows is None else prepare(rows)
        by = {**self.weights, **(weights or {})}
        used = {lane: by[lane] for lane in lanes.names} if by else None
        if made.method == "relative_score":
            return relative_score(lanes, weights=used, dialect=made.dialect)
        if made.method == "dbsf" and k is None and weights is None:
            return dbsf(lanes)
        if made.method != "rrf":
            raise WorkbenchError(
                "parameter_of_another_fusion",
                f"fusion is {made.method!r}: it reads neither k nor weights, so nothing can be turned; fuse by rrf or relative_score",
                fusion=made.method,
            )
        return rrf(
            lanes,
            k=made.params["k"] if k is None else k,
            rank_base=None if made.dialect else made.params["rank_base"],
            weights=used,
            dialect=made.dialect,
            ties=made.params["ties"],
        )

    def without(self, lanes: Sequence[str]) -> Fusion | None:
        """The fusion of the other lanes; None where none is left, or none with a weight."""
        left = {lane: rows for lane, rows in self.rows.items() if lane not in lanes}
        if not left or (self.weights and not any(self.weights[lane] for lane in left)):
            return None
        return self.at(rows=left)

    def moved(self, lane: str, id: str, to_rank: int) -> Fusion:
        """The fusion with one candidate moved to another rank of one lane; what stood between closes up."""
        rows = list(self.rows[lane])
        at = next(place for place, (each, _) in enumerate(rows) if each == id)
        rows.insert(to_rank - 1, rows.pop(at))
        return self.at(rows={**self.rows, lane: [(each, None) for each, _ in rows]})


def _rows(fusion: Fusion, lane: int) -> Rows:
    ranks, raw = fusion.ranks[:, lane].tolist(), fusion.raw[:, lane].tolist()
    held = sorted((rank, row) for row, rank in enumerate(ranks) if rank > 0)
    return [(fusion.ids[row], None if raw[row] != raw[row] else raw[row]) for _, row in held]
