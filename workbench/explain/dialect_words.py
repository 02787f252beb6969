"""What another engine does differently with the same lanes, in words: read off two fusions."""

from dataclasses import dataclass

from workbench.explain import words
from workbench.explain.shown import Shown, Table
from workbench.explain.terms import plain
from workbench.frozen import FromPlain
from workbench.records import Fusion

NAMES = {
    "azure": "Azure AI Search",
    "citenexus": "CiteNexus",
    "elasticsearch": "Elasticsearch",
    "haystack": "Haystack",
    "langchain": "LangChain",
    "llamaindex": "LlamaIndex",
    "milvus": "Milvus",
    "opensearch": "OpenSearch",
    "paper": "the paper",
    "qdrant": "Qdrant",
    "weaviate": "Weaviate",
}
_WEIGHTS = {
    "citenexus": "reads no weights",
    "haystack": "divides the weights by their sum and scales the result by k",
    "langchain": "gives each lane 1/L where no weight is set",
    "llamaindex": "reads no weights here",
    "milvus": "reads no weights",
    "opensearch": "rounds each reciprocal at the tenth decimal",
    "paper": "knows no weights",
    "qdrant": "lets a weight stretch the rank, 1/(rank/weight + k − 1)",
    "weaviate": "takes alpha and 1 − alpha for weights",
}
_TIES = {
    "azure": "does not document how it breaks ties",
    "elasticsearch": "breaks ties by shard and Lucene document, which depends on storage",
    "milvus": "breaks ties by primary key, whole numbers by value",
    "opensearch": "breaks ties by Lucene document and shard, which depends on storage",
    "paper": "leaves ties open",
    "qdrant": "leaves ties open: an unstable sort over a hash map",
    "weaviate": "breaks ties by the larger score of the lane read last, and leaves the rest open",
}
"""Of the engines whose ties our dialect cannot follow."""


@dataclass(frozen=True, slots=True)
class Ghost(FromPlain):
    """A candidate's rank in the fused order there, and in the present one."""

    id: str
    rank: int
    now: int

    @property
    def moved(self) -> int:
        """Places up (positive) or down, going from here to there."""
        return self.now - self.rank


@dataclass(frozen=True, slots=True, repr=False)
class Elsewhere(Shown, FromPlain):
    """The same lanes as another engine would fuse them."""

    dialect: str
    name: str
    differs: tuple[str, ...]
    """Each thing that the engine does otherwise, as the end of a sentence that begins with its name."""
    ranks: tuple[Ghost, ...]
    """In the engine's order, every candidate."""
    sentence: str

    def tables(self) -> list[Table]:
        """The candidates that stand elsewhere, the engine's order first."""
        rows = [(ghost.id, ghost.rank, ghost.now, ghost.moved) for ghost in self.ranks if ghost.moved]
        return [Table("stand elsewhere", ("candidate", f"in {self.name}", "now", "places up"), rows)]


def elsewhere(now: Fusion, there: Fusion) -> Elsewhere:
    """How ``there``, a fusion in an engine's dialect, differs from ``now`` over the same lanes."""
    dialect = there.dialect or "paper"
    name = NAMES.get(dialect, dialect)
    place = {id: rank for rank, id in enumerate(now.ids, start=1)}
    ranks = tuple(Ghost(id, rank, place[id]) for rank, id in enumerate(there.ids, start=1) if id in place)
    differs = tuple(differences(now, there))
    does = f"{name} {words.listed(list(differs))}" if differs else f"{name} does nothing otherwise"
    return Elsewhere(dialect, name, differs, ranks, f"{does}. {_outcome(ranks)}")


def differences(now: Fusion, there: Fusion) -> list[str]:
    """What ``there`` does otherwise: rank base, k, weights, arithmetic and ties, in that order."""
    found = [] if now.method == "rrf" else [f"fuses by rank (here {now.method} fuses by the lanes' scores)"]
    found += _numbers(now, there)
    if there.dialect != now.dialect and (there.dialect or "") in _WEIGHTS:
        found.append(_WEIGHTS[there.dialect or ""])
    mine, theirs = dict(now.params.get("weights", {})), dict(there.params.get("weights", {}))
    if mine != theirs and theirs:
        shown = ", ".join(f"{lane} {words.number(weight)}" for lane, weight in theirs.items())
        here = ", ".join(f"{lane} {words.number(weight)}" for lane, weight in mine.items())
        found.append(f"weighs {shown}" + (f" (here {here})" if here else ""))
    if now.arithmetic != there.arithmetic:
        found.append(f"computes in {there.arithmetic} (here {now.arithmetic})")
    return found + _ties(now, there)


def _numbers(now: Fusion, there: Fusion) -> list[str]:
    found = []
    for key, said in (("rank_base", "counts ranks from"), ("k", "takes k =")):
        mine, theirs = now.params.get(key), there.params[key]
        if mine != theirs:
            found.append(f"{said} {plain(theirs)}" + ("" if mine is None else f" (here {plain(mine)})"))
    return found


def _ties(now: Fusion, there: Fusion) -> list[str]:
    if now.dialect == there.dialect:
        return []
    said = _TIES.get(there.dialect or "")
    if said:
        return [f"{said} (ties go to the ascending id in this order)"]
    here, ours = (fusion.tie_rule.split("; then ", 1)[-1].split(" (", 1)[0] for fusion in (now, there))
    return [f"gives ties to {ours} (here: {here})"] if ours != here else []


def _outcome(ranks: tuple[Ghost, ...]) -> str:
    if not ranks:
        return "There is no candidate."
    moved = [ghost for ghost in ranks if ghost.moved]
    if not moved:
        return f"All {len(ranks)} candidates keep their places."
    first = ranks[0]
    lead = f"{first.id} stays first" if first.now == 1 else f"{first.id} comes first, from place {first.now}"
    return f"{lead}; {len(moved)} of {len(ranks)} candidates stand elsewhere."
