"""The nouns that flow through a run: plain frozen data, look-ups, and JSON both ways.

Absent is None, or NaN inside an array, never 0. Ids are text. Ranks count from 1. A character range
is half-open and counts code points. Times are milliseconds and take no part in equality.
"""

from workbench.records.documents import Document, Filter, Passage
from workbench.records.evidence import (
    AddedTerm,
    Condition,
    Flag,
    Flip,
    GateDecision,
    Grounding,
    Rewrite,
    SentenceGrounding,
    TokenMatch,
    Window,
)
from workbench.records.ranking import Contribution, Diversification, Feature, Fusion, Hit, Lane, Reranking, Step
from workbench.records.run import SCHEMA, Attempt, Run

__all__ = [
    "SCHEMA",
    "AddedTerm",
    "Attempt",
    "Condition",
    "Contribution",
    "Diversification",
    "Document",
    "Feature",
    "Filter",
    "Flag",
    "Flip",
    "Fusion",
    "GateDecision",
    "Grounding",
    "Hit",
    "Lane",
    "Passage",
    "Reranking",
    "Rewrite",
    "Run",
    "SentenceGrounding",
    "Step",
    "TokenMatch",
    "Window",
]
