"""What a BM25 index answers: a ranking with its contributions, and one term in one document."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from workbench.frozen import ArrayRecord, read_only
from workbench.records.ranking import Floats

Flags = Annotated[np.ndarray, np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class BM25Result(ArrayRecord):
    """The best k documents for T query terms, best first. ``scores[i]`` is the left fold of row i, NaN left out."""

    terms: tuple[str, ...]
    """T, as given: a repeated term has a column for each time."""
    ids: tuple[str, ...]
    scores: Floats
    contributions: Floats
    """k × T. NaN where a term adds nothing since the document lacks it; 0.0 is a real contribution."""
    matched: Flags
    """k × T: does the document hold the term? With ``plus`` a term that it lacks contributes too."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", read_only(self.scores, np.float64))
        object.__setattr__(self, "contributions", read_only(self.contributions, np.float64))
        object.__setattr__(self, "matched", read_only(self.matched, np.bool_))


@dataclass(frozen=True, slots=True)
class TermScore:
    """One query term in one document. What the corpus or the document lacks is None, or 0 where it is a count."""

    term: str
    tf: int
    df: int
    idf: float | None
    """None for a term that no document holds."""
    length: int
    """Tokens in the document."""
    weight: float | None
    """The tf part: contribution = idf · weight. None where the term adds nothing."""
    contribution: float | None
    """The entry that was added to the score; None where the term adds nothing."""
    notes: tuple[str, ...] = ()
    """What is odd about it, in words."""
