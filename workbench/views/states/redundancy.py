"""The redundancy view's state: the pool, its similarities and Python's own picks; and two texts side by side."""

from typing import Any

import numpy as np

from workbench import checks
from workbench.kernels.analysis import Analyzer, analyzer
from workbench.records import Diversification
from workbench.trace import Trace
from workbench.views.states import shared

OFFERED = 0.7
"""λ that a run without diversity is offered."""


def redundancy(trace: Trace) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The state and its binary columns; candidates are named by their place in the pool, the relevance order."""
    picked = trace.diversification
    state = {"query": trace.query, "reranker": trace.reranking.name, "kept": len(trace.attempt.evidence)}
    if picked is None:
        return {**state, "on": False, "offered": OFFERED, "n": len(trace.reranking.ids)}, {}
    square = _square(picked)
    place = {id: i for i, id in enumerate(picked.pool)}
    by_id = {id: i for i, id in enumerate(sorted(picked.pool))}
    return {
        **state,
        "on": True,
        "n": len(picked.pool),
        "lambda": picked.lambda_mmr,
        "whole": not np.isnan(square).any(),
        "symmetric": bool(np.array_equal(square, square.T, equal_nan=True)),
        "similarityOf": picked.similarity_of,
        "departs": picked.changed,
        "ids": list(picked.pool),
        "titles": [shared.title(trace, id) for id in picked.pool],
        "byId": [by_id[id] for id in picked.pool],
        "decided": [step.decided for step in picked.steps],
    }, {
        "relevance": picked.relevance.astype("<f8").tobytes(),
        "similarity": square.astype("<f8").tobytes(),
        "picks": np.array([place[step.id] for step in picked.steps], dtype="<i4").tobytes(),
        "scores": np.array([step.score for step in picked.steps], dtype="<f8").tobytes(),
        "redundancy": np.array([_number(step.redundancy) for step in picked.steps], dtype="<f8").tobytes(),
        "against": np.array(
            [-1 if step.against is None else place[step.against] for step in picked.steps], dtype="<i4"
        ).tobytes(),
    }


def pair(trace: Trace, one: int, other: int) -> dict[str, Any]:
    """Two candidates' texts as text and marks by turns; marked is every content word whose term both hold.

    Raises:
        WorkbenchError: ``out_of_range`` for a place outside the pool.
    """
    pool = trace.diversification.pool if trace.diversification is not None else trace.reranking.ids
    ids = [pool[checks.whole(name, at, low=0, high=len(pool) - 1)] for name, at in (("one", one), ("other", other))]
    read = analyzer(trace.config.analyzer)
    texts = [trace.passages[id].text for id in ids]
    terms = [set(read.terms(text)) for text in texts]
    both = terms[0] & terms[1]
    return {
        "places": [one, other],
        "pieces": [_marked(text, both, read) for text in texts],
        "shared": len(both),
        "of": [len(held) for held in terms],
    }


def _marked(text: str, both: set[str], read: Analyzer) -> list[str]:
    pieces, at = [], 0
    for token in read.tokens(text):
        # the parts of an identifier follow the whole: what is marked already is not marked twice
        if token.stop or token.term not in both or token.start < at:
            continue
        pieces += [text[at : token.start], text[token.start : token.end]]
        at = token.end
    return [*pieces, text[at:]]


def _square(picked: Diversification) -> np.ndarray:
    """n × n similarities, NaN in the columns that the run never read."""
    n = len(picked.pool)
    square = np.full((n, n), np.nan)
    square[:, list(picked.columns)] = picked.similarity
    return square


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
