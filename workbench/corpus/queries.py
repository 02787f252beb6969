"""Labelled queries: what is asked, what is relevant, whether the corpus can answer it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query with its judgements. ``relevant`` maps passage or document ids to grades (0: judged not relevant)."""

    query: str
    relevant: FrozenMap = field(default_factory=FrozenMap)
    answerable: bool | None = None
    """Left out: answerable exactly when something is relevant."""
    id: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        checks.query_text(self.query)
        grades = self.relevant if isinstance(self.relevant, Mapping) else dict.fromkeys(self.relevant, 1)
        for id, grade in grades.items():
            checks.item_id(id, f"relevant of {self.query!r}")
            checks.whole(f"grade of {id!r}", grade, low=-10)
        object.__setattr__(self, "relevant", FrozenMap(grades))
        if self.answerable is None:
            object.__setattr__(self, "answerable", bool(self.relevant_ids))
        elif not isinstance(self.answerable, bool):
            raise WorkbenchError(
                "wrong_type", f"answerable of {self.query!r} is {self.answerable!r}: give true or false"
            )

    @property
    def relevant_ids(self) -> tuple[str, ...]:
        """The ids with a grade above 0, in the order given."""
        return tuple(id for id, grade in self.relevant.items() if grade > 0)


def labelled(item: Any) -> LabelledQuery:
    """A LabelledQuery, or a mapping with ``query`` and optionally ``relevant``, ``answerable``, ``id``, ``kind``.

    Raises:
        WorkbenchError: ``unknown_parameter`` for another key, ``wrong_type``, ``empty_query``.
    """
    if isinstance(item, LabelledQuery):
        return item
    if not isinstance(item, Mapping) or "query" not in item:
        raise WorkbenchError(
            "wrong_type", f"{item!r:.80} is no labelled query: give a mapping with 'query', 'relevant' and 'answerable'"
        )
    known = ("query", "relevant", "answerable", "id", "kind")
    for key in item:
        checks.one_of("key of a labelled query", key, known, "unknown_parameter")
    return LabelledQuery(**{"relevant": {}, **item})


def read_queries(path: str | Path) -> tuple[LabelledQuery, ...]:
    """The labelled queries of a JSON Lines file, one object a line.

    Raises:
        WorkbenchError: ``missing_file``; ``malformed_line`` naming the line.
    """
    file = Path(path)
    if not file.is_file():
        raise WorkbenchError(
            "missing_file", f"{file.name} is not there: give a JSON Lines file of queries", path=str(path)
        )
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(labelled(json.loads(line)))
        except ValueError as cause:  # JSON's error and ours are both ValueErrors
            raise WorkbenchError("malformed_line", f"{file.name}, line {number}: {cause}", line=number) from cause
    return tuple(found)
