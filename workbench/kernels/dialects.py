"""How engines turn a rank into a term: one table, read by ``rrf`` and by every page that explains it.

A dialect reproduces another engine's order and scores from the same lanes. Where an engine leaves ties
open, ours go to the ascending id, and the fusion marks each of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

Term = Callable[[float, float, np.ndarray], np.ndarray]
Exact = Callable[[Fraction, Fraction, int], tuple[int, int]]
Error = Callable[[float, float, int], float]

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23}


@dataclass(frozen=True, slots=True)
class Form:
    """A formula, and how far off its terms may be. ``place`` is the rank, counted from the dialect's rank base."""

    term: Term
    """(weight, k, places) → terms, in the dialect's own arithmetic."""
    exact: Exact
    """(weight, k, place) → the term without any rounding, as numerator and denominator (not reduced)."""
    error: Error
    """(weight, k, last place) → bound on a term's relative error, for the search of near ties."""


def _divide(weight: float, k: float, places: np.ndarray) -> np.ndarray:
    return weight / (k + places)


def _divide32(weight: float, k: float, places: np.ndarray) -> np.ndarray:
    # one reciprocal, then the weight: with weight 1 the product changes nothing
    return np.float32(weight) * (np.float32(1) / (np.float32(k) + places.astype(np.float32)))


def _divide_then_narrow(weight: float, k: float, places: np.ndarray) -> np.ndarray:
    return (weight / (k + places)).astype(np.float32)


def _ten_decimals(weight: float, k: float, places: np.ndarray) -> np.ndarray:
    # 1/(k + place) rounded half up at the tenth decimal, in whole numbers so that the rounding is exact
    whole = int(k) + places.astype(np.int64)
    rounded = (20_000_000_000 + whole) // (2 * whole)
    return np.float32(weight) * (rounded / 1e10).astype(np.float32)


def _scale(weight: float, k: float, places: np.ndarray) -> np.ndarray:
    return (k * weight) / (k + places)


def _stretch(weight: float, k: float, places: np.ndarray) -> np.ndarray:
    if weight == 0:
        return np.zeros(len(places), dtype=np.float32)
    with np.errstate(over="ignore"):  # a tiny weight stretches a rank to infinity, and its term to 0
        stretched = places.astype(np.float32) / np.float32(weight) + np.float32(k) - np.float32(1)
    return np.float32(1) / stretched


def _ratio(weight: Fraction, k: Fraction, place: int) -> tuple[int, int]:
    return weight.numerator * k.denominator, weight.denominator * (k.numerator + place * k.denominator)


def _scaled_ratio(weight: Fraction, k: Fraction, place: int) -> tuple[int, int]:
    return weight.numerator * k.numerator, weight.denominator * (k.numerator + place * k.denominator)


def _stretched_ratio(weight: Fraction, k: Fraction, place: int) -> tuple[int, int]:
    if not weight:
        return 0, 1
    term = 1 / (place / weight + k - 1)
    return term.numerator, term.denominator


def _rounding(arithmetic: str) -> Error:
    return lambda weight, k, last: 4 * EPSILON[arithmetic]


def _decimal_rounding(weight: float, k: float, last: int) -> float:
    return 4 * EPSILON["float32"] + 0.5e-10 * (k + last)


def _stretch_rounding(weight: float, k: float, last: int) -> float:
    # taking 1 away magnifies the rounding of what it is taken from, most at the first rank
    reach = 1 / weight + k if weight else 2.0
    return 4 * EPSILON["float32"] * reach / max(reach - 1, EPSILON["float32"])


PLAIN = Form(_divide, _ratio, _rounding("float64"))
_SINGLE = Form(_divide32, _ratio, _rounding("float32"))


@dataclass(frozen=True, slots=True)
class Dialect:
    """One engine's rank fusion, in words and in numbers."""

    name: str
    formula: str
    """In words; ``rank`` counts from ``rank_base``."""
    source: str
    """Where the formula was read."""
    k: float
    """Used when the call gives none."""
    rank_base: int
    weights: str
    """``each``: any, 1 by default. ``none``: the engine reads none. ``mean``: any, 1/L by default.
    ``share``: divided by their sum."""
    arithmetic: str
    """``float64`` or ``float32``."""
    ties: str
    """``id`` (ascending) or ``first_seen`` (reading lane after lane)."""
    engine_ties: str
    """What the engine itself does with equal scores."""
    form: Form
    whole_k: bool = False
    """The engine takes only whole numbers from 1 to 10,000 for k."""


DIALECTS: dict[str, Dialect] = {
    each.name: each
    for each in (
        Dialect(
            name="paper",
            formula="1/(k + rank)",
            source="Cormack, Clarke and Büttcher, SIGIR 2009",
            k=60,
            rank_base=1,
            weights="none",
            arithmetic="float64",
            ties="id",
            engine_ties="the paper leaves ties open",
            form=PLAIN,
        ),
        Dialect(
            name="citenexus",
            formula="1/(k + rank)",
            source="citenexus 0.13.1, rrf_fuse",
            k=60,
            rank_base=1,
            weights="none",
            arithmetic="float64",
            ties="id",
            engine_ties="ascending id, among scores that are equal as doubles",
            form=PLAIN,
        ),
        Dialect(
            name="elasticsearch",
            formula="weight · (1/(k + rank))",
            source="RRFRetrieverBuilder.java; weights since 9.2, pull request 130658",
            k=60,
            rank_base=1,
            weights="each",
            arithmetic="float32",
            ties="id",
            engine_ties="the smaller shard and Lucene document, which depends on storage",
            form=_SINGLE,
        ),
        Dialect(
            name="opensearch",
            formula="weight · (1/(k + rank), rounded half up to ten decimals)",
            source="neural-search: RRFNormalizationTechnique.java and RRFScoreCombinationTechnique.java",
            k=60,
            rank_base=1,
            weights="each",
            arithmetic="float32",
            ties="id",
            engine_ties="the smaller Lucene document, then shard, which depends on storage",
            form=Form(_ten_decimals, _ratio, _decimal_rounding),
            whole_k=True,
        ),
        Dialect(
            name="milvus",
            formula="1/(k + rank)",
            source="Milvus RRFRanker",
            k=60,
            rank_base=1,
            weights="none",
            arithmetic="float32",
            ties="id",
            engine_ties="the ascending primary key; whole-number keys there go by value, ids here are text",
            form=_SINGLE,
        ),
        Dialect(
            name="azure",
            formula="weight/(k + rank)",
            source="Azure AI Search documentation, hybrid search ranking (the service's arithmetic is not published)",
            k=60,
            rank_base=1,
            weights="each",
            arithmetic="float64",
            ties="id",
            engine_ties="not documented",
            form=PLAIN,
        ),
        Dialect(
            name="langchain",
            formula="weight/(rank + k)",
            source="langchain-classic 1.0.8, EnsembleRetriever",
            k=60,
            rank_base=1,
            weights="mean",
            arithmetic="float64",
            ties="first_seen",
            engine_ties="first seen, lane after lane",
            form=PLAIN,
        ),
        Dialect(
            name="llamaindex",
            formula="1/(rank + k)",
            source="llama-index QueryFusionRetriever, reciprocal_rerank (it first sorts each lane by score)",
            k=60,
            rank_base=0,
            weights="none",
            arithmetic="float64",
            ties="first_seen",
            engine_ties="first seen, lane after lane",
            form=PLAIN,
        ),
        Dialect(
            name="haystack",
            formula="k · weight/(k + rank)",
            source="haystack DocumentJoiner; it scales after the fold, so its last bits may differ",
            k=61,
            rank_base=0,
            weights="share",
            arithmetic="float64",
            ties="first_seen",
            engine_ties="first seen, lane after lane",
            form=Form(_scale, _scaled_ratio, _rounding("float64")),
        ),
        Dialect(
            name="weaviate",
            formula="weight/(rank + k)",
            source="weaviate hybrid_fusion.go, FusionRanked of 2024; it hands over alpha and 1 - alpha as weights",
            k=60,
            rank_base=0,
            weights="each",
            arithmetic="float32",
            ties="id",
            engine_ties="the larger score of the lane read last, then open (a Go map's order)",
            form=Form(_divide_then_narrow, _ratio, _rounding("float32")),
        ),
        Dialect(
            name="qdrant",
            formula="1/(rank/weight + k - 1)",
            source="qdrant reciprocal_rank_fusion.rs (there a weight stretches the rank)",
            k=2,
            rank_base=1,
            weights="each",
            arithmetic="float32",
            ties="id",
            engine_ties="open: an unstable sort over a hash map",
            form=Form(_stretch, _stretched_ratio, _stretch_rounding),
        ),
    )
}
