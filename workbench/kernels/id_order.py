"""Ids in ascending order, so that a row number stands for an id and breaks ties for nothing."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True, eq=False)
class IdOrder:
    """n ids. A row is an id's place in ascending order by code point."""

    what: str
    """What the ids name, for messages: ``document`` or ``vector``."""
    ids: tuple[str, ...]
    """As given."""
    ascending: tuple[str, ...]
    given: np.ndarray
    """Row → place as given."""

    @classmethod
    def of(cls, ids: Sequence[str], what: str) -> "IdOrder":
        """The order of n different ids.

        Raises:
            WorkbenchError: ``wrong_type``, ``nothing_to_search``, ``missing_id``, ``id_not_text``, ``repeated_id``.
        """
        if isinstance(ids, str) or not hasattr(ids, "__len__"):
            raise WorkbenchError("wrong_type", f"ids is {ids!r:.80}: give a list, one id a {what}", name="ids")
        if len(ids) == 0:
            raise WorkbenchError(
                "nothing_to_search", f"ids is {ids!r}: there is no {what} to search; give at least one"
            )
        names = tuple(ids)
        if not all(type(each) is str and each for each in names):  # told apart first: a name for each place costs more
            names = tuple(str(checks.item_id(each, f"{what} {place}")) for place, each in enumerate(ids, start=1))
        checks.no_repeats(names, "ids")
        given = sorted(range(len(names)), key=names.__getitem__)
        return cls(what, names, tuple(names[place] for place in given), np.array(given))

    def row(self, id: str) -> int:
        """The row of ``id``.

        Raises:
            WorkbenchError: ``unknown_id``, ``wrong_type``.
        """
        row = bisect_left(self.ascending, checks.text("id", id))
        if row == len(self.ascending) or self.ascending[row] != id:
            raise WorkbenchError(
                "unknown_id", f"{id!r} is not among the {len(self.ids)} {self.what}s of the index", id=id
            )
        return row

    def named(self, rows: np.ndarray) -> tuple[str, ...]:
        """The ids of ``rows``."""
        return tuple(map(self.ascending.__getitem__, rows.tolist()))

    def mask(self, allowed: Any) -> np.ndarray | None:
        """``allowed``, one bool an id in the order given, as one bool a row; None where nothing is barred.

        Raises:
            WorkbenchError: ``wrong_type``, ``shape_mismatch``.
        """
        if allowed is None:
            return None
        mask = np.asarray(allowed)
        if mask.dtype != np.bool_:
            raise WorkbenchError(
                "wrong_type", f"allowed holds {mask.dtype}: give one bool a {self.what}", name="allowed"
            )
        if mask.shape != self.given.shape:
            raise WorkbenchError(
                "shape_mismatch",
                f"allowed has shape {mask.shape} for {len(self.ids)} {self.what}s: give one bool each",
                shape=mask.shape,
            )
        by_row: np.ndarray = mask[self.given]
        return by_row
