"""What is searched: documents, the passages cut from them, and the filter that a search may carry."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FromPlain, FrozenMap


@dataclass(frozen=True, slots=True)
class Document(FromPlain):
    """A text as it was taken in."""

    id: str
    text: str
    title: str = ""
    metadata: FrozenMap = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        checks.item_id(self.id, "a document")
        checks.text(f"text of {self.id!r}", self.text)
        checks.text(f"title of {self.id!r}", self.title)
        object.__setattr__(self, "metadata", FrozenMap(self.metadata))


@dataclass(frozen=True, slots=True)
class Passage(FromPlain):
    """The evidence unit that is ranked, fused and cited. ``text == document.text[start:end]`` where known."""

    id: str
    document_id: str
    text: str
    position: int
    headings: tuple[str, ...] = ()
    title: str = ""
    metadata: FrozenMap = field(default_factory=FrozenMap)
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Filter(FromPlain):
    """What a search may return. Ids and metadata apply before the lane runs, the score window to its own scores.

    Raises:
        WorkbenchError: ``contradiction`` or ``empty_id_list``, when built.
    """

    include_ids: tuple[str, ...] | None = None
    exclude_ids: tuple[str, ...] | None = None
    where: FrozenMap = field(default_factory=FrozenMap)
    """Metadata that has to be equal; a missing key does not match."""
    min_score: float | None = None
    max_score: float | None = None

    def __post_init__(self) -> None:
        for name in ("include_ids", "exclude_ids"):
            ids: Collection[str] | None = getattr(self, name)
            if ids is None:
                continue
            if isinstance(ids, str) or len(ids) == 0:
                raise WorkbenchError(
                    "empty_id_list", f"{name} is {ids!r}: give a list with at least one id, or leave it out"
                )
            object.__setattr__(self, name, tuple(sorted({checks.item_id(each, name) for each in ids})))
        both = sorted(set(self.include_ids or ()) & set(self.exclude_ids or ()))
        if both:
            raise WorkbenchError(
                "contradiction", f"{', '.join(map(repr, both))} is included and excluded: choose one", ids=tuple(both)
            )
        for name in ("min_score", "max_score"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.number(name, getattr(self, name)))
        if self.min_score is not None and self.max_score is not None and self.min_score > self.max_score:
            raise WorkbenchError(
                "contradiction",
                f"min_score {self.min_score!r} is above max_score {self.max_score!r}: the window is empty",
            )
        object.__setattr__(self, "where", FrozenMap(self.where))

    @property
    def has_window(self) -> bool:
        """Whether scores are looked at."""
        return self.min_score is not None or self.max_score is not None

    def admits(self, ids: Collection[str], metadata: Mapping[str, Any]) -> bool:
        """Whether an item may be searched at all; ``ids`` are its own and its document's. Scores are not looked at."""
        if self.include_ids is not None and not any(each in self.include_ids for each in ids):
            return False
        if self.exclude_ids is not None and any(each in self.exclude_ids for each in ids):
            return False
        return all(key in metadata and metadata[key] == value for key, value in self.where.items())

    def in_window(self, score: float) -> bool:
        """Whether a lane's own score lies in the window, ends included."""
        return (self.min_score is None or score >= self.min_score) and (
            self.max_score is None or score <= self.max_score
        )
