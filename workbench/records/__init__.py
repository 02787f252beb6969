"""The nouns that flow through a run: plain frozen data, look-ups, and JSON both ways.

Absent is None, or NaN inside an array, never 0. Ids are text. Ranks count from 1. A character range
is half-open and counts code points. Times are milliseconds and take no part in equality.
"""

from workbench.records.documents import Document, Filter, Passage
from workbench.records.evidence import (
    AddedTerm,
    Citation,
    Citations,
    Condition,
    Edit,
    Flag,
    Flip,
    GateDecision,
    Grounding,
    Mend,
    MissingTerm,
    Rewrite,
    SentenceGrounding,
    Setting,
    TokenMatch,
    Window,
)
from workbench.records.ranking import Contribution, Diversification, Feature, Fusion, Hit, Lane, Reranking, Step
from workbench.records.run import SCHEMA, Attempt, Run

__all__ = [
    "SCHEMA",
    "AddedTerm",
    "Attempt",
    "Citation",
    "Citations",
    "Condition",
    "Contribution",
    "Diversification",
    "Document",
    "Edit",
    "Feature",
    "Filter",
    "Flag",
    "Flip",
    "Fusion",
    "GateDecision",
    "Grounding",
    "Hit",
    "Lane",
    "Mend",
    "MissingTerm",
    "Passage",
    "Reranking",
    "Rewrite",
    "Run",
    "SentenceGrounding",
    "Setting",
    "Step",
    "TokenMatch",
    "Window",
]
