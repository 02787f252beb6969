"""How episodes are ranked: named terms, each a contribution that folds to the score.

    score = w₁ · similarity + w₂ · recency + w₃ · salience + w₄ · authority − w₅ · staleness − w₆ · unsourced

The form (a weighted sum of relevance, recency and importance) is that of Park and others, "Generative
Agents: Interactive Simulacra of Human Behavior", UIST 2023; authority, the two penalties and the numbers are
our own. A term that an episode does not have is absent, never 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels import analysis
from workbench.kernels.bm25 import BM25Index
from workbench.kernels.dense import DenseIndex
from workbench.lanes.base import cut
from workbench.memory import times
from workbench.memory.episodes import Episode, Space
from workbench.records import Contribution, Filter, Passage
from workbench.verbs import Ranking


@dataclass(frozen=True, slots=True)
class Term:
    """One named part of the score. A penalty is taken off."""

    weight: float
    """Where the call names none."""
    penalty: bool
    meaning: str


TERMS = {
    "similarity": Term(0.6, False, "cosine in the space that was named, or BM25 as a share of the best found"),
    "recency": Term(0.2, False, "half life ÷ (half life + time since it became valid): 1 now, 0.5 after one half life"),
    "salience": Term(0.1, False, "how much it matters, 0 to 1, as remembered"),
    "authority": Term(0.1, False, "how far its source is to be trusted, 0 to 1, as remembered"),
    "staleness": Term(0.05, True, "the share of its window of validity that has gone by; absent without an end"),
    "unsourced": Term(0.05, True, "1 where no provenance was given; absent where one was"),
}
"""One table: name → term, in the order in which they are folded."""


@dataclass(frozen=True, slots=True)
class Similar:
    """What the similarity term can say."""

    values: Mapping[str, float]
    """Id → value. An episode that is not in it cannot be compared and is no candidate."""
    model: str
    notes: tuple[str, ...]


def weights_of(given: Any) -> dict[str, float]:
    """Every term's weight, in table order; those that are named replace the table's.

    Raises:
        WorkbenchError: ``unknown_parameter`` for a name that is no term, ``out_of_range``, ``not_finite``, ``wrong_type``.
    """
    if given is not None and not isinstance(given, Mapping):
        raise WorkbenchError("wrong_type", f"weights is {given!r:.60}: give a mapping of {', '.join(TERMS)} → weight")
    for name in given or {}:
        checks.one_of("weights: term", name, TERMS, "unknown_parameter")
    return {
        name: checks.number(f"weights[{name!r}]", (given or {}).get(name, term.weight), low=0)
        for name, term in TERMS.items()
    }


def by_words(query: str, valid: Sequence[Episode], admitted: Sequence[bool], analyzer: str) -> Similar:
    """BM25 of the query's terms, divided by the best found."""
    reader = analysis.analyzer(analyzer)
    terms = reader.terms(query)
    if not valid:
        return Similar({}, f"bm25-lucene(k1=1.2,b=0.75,analyzer={analyzer})/best", ())
    index = BM25Index.build([reader.terms(each.content) for each in valid], [each.id for each in valid])
    found = index.search(terms, len(valid), allowed=np.array(admitted, dtype=bool))
    scores = found.scores.tolist()
    unheld = [term for term in dict.fromkeys(terms) if index.df(term) == 0]
    notes = (f"no valid episode holds {', '.join(map(repr, unheld))}",) if unheld else ()
    return Similar(
        {id: score / scores[0] for id, score in zip(found.ids, scores, strict=True)},
        f"{index.score_model(analyzer)}/best",
        notes,
    )


def by_vector(
    vector: np.ndarray,
    space: Space,
    stored: Mapping[str, np.ndarray],
    valid: Sequence[Episode],
    admitted: Sequence[bool],
) -> Similar:
    """Cosine in one space. An episode without a vector there is said to be left out."""
    ids = [each.id for each, ok in zip(valid, admitted, strict=True) if ok and each.id in stored]
    without = sum(1 for each, ok in zip(valid, admitted, strict=True) if ok and each.id not in stored)
    values: dict[str, float] = {}
    if ids:
        found = DenseIndex.build(np.stack([stored[id] for id in ids]), ids).search(vector, len(ids))
        values = dict(zip(found.ids, found.scores.tolist(), strict=True))
    notes = (f"{without} without a vector of {space}: not compared",) if without else ()
    return Similar(values, f"cosine({space})", notes)


def rank(
    query: str,
    valid: Sequence[Episode],
    admitted: Sequence[bool],
    similar: Similar,
    *,
    weights: Mapping[str, float],
    at: int,
    half_life_days: float,
    top_k: int,
    filter: Filter | None,
    notes: Sequence[str],
) -> Ranking:
    """The best ``top_k`` of the episodes that compare: score descending, ties to the ascending id."""
    rows: dict[str, tuple[float, tuple[Contribution, ...]]] = {}
    candidates = {each.id: each for each in valid if each.id in similar.values}
    for id, each in candidates.items():
        values = _values(each, similar.values[id], at, half_life_days)
        parts = tuple(_contribution(name, values[name], weights[name]) for name in TERMS)
        rows[id] = (_folded(parts), parts)
    ordered = sorted(rows, key=lambda id: (-rows[id][0], id))
    allowed = None if filter is None else np.array(admitted, dtype=bool)
    hits, dropped = cut([(id, rows[id][0]) for id in ordered], top_k, filter, allowed)
    shares = ",".join(f"{name}={weight:g}" for name, weight in weights.items())
    return Ranking(
        verb="recall",
        backend="index",
        hits=hits,
        score_model=f"recall({shares},half_life={half_life_days:g}d,similarity by {similar.model})",
        params=FrozenMap(
            {
                "as_of": times.shown(at),
                "weights": weights,
                "half_life_days": half_life_days,
                "similarity": similar.model,
                "top_k": top_k,
            }
        ),
        contributions=tuple(rows[hit.id][1] for hit in hits),
        filter=filter,
        dropped=dropped,
        payload={
            hit.id: Passage(hit.id, hit.id, candidates[hit.id].content, 0, metadata=candidates[hit.id].metadata)
            for hit in hits
        },
        query=query,
        notes=(*notes, *similar.notes),
    )


def _values(each: Episode, similarity: float, at: int, half_life_days: float) -> dict[str, float | None]:
    age, half = at - each.valid_from, half_life_days * times.DAY
    return {
        "similarity": similarity,
        "recency": half / (half + age),
        "salience": each.salience,
        "authority": each.authority,
        "staleness": None if each.valid_until is None else age / (each.valid_until - each.valid_from),
        "unsourced": None if each.provenance else 1.0,
    }


def _contribution(name: str, value: float | None, weight: float) -> Contribution:
    if value is None:
        return Contribution(name, "index", None, None, None)
    return Contribution(name, "index", None, value, -(weight * value) if TERMS[name].penalty else weight * value)


def _folded(parts: Sequence[Contribution]) -> float:
    present = [part.contribution for part in parts if part.contribution is not None]
    total = present[0]
    for value in present[1:]:
        total += value
    return total
