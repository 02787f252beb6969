"""What the structure and the graph lane share: labels that stand over passages, matched by the query's terms."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.frozen import FrozenMap
from workbench.kernels.analysis import Analyzer
from workbench.lanes.base import admitted, barred, checked, cut, ranked
from workbench.records import Filter, Lane, Passage


class Label(NamedTuple):
    """A label, the passages under it, and what a hit's detail says of it.

    ``preference``: of two labels that match a passage with as many terms, the smaller one is shown.
    """

    text: str
    passage_ids: tuple[str, ...]
    preference: tuple[Any, ...]
    detail: Mapping[str, Any]


class LabelLane:
    """Score = number of distinct query terms on the passage's best label, ties by ascending id."""

    name: str
    backend: str

    def __init__(self, passages: Sequence[Passage], labels: Iterable[Label], analyzer: Analyzer) -> None:
        self._passages = tuple(passages)
        self._analyzer = analyzer
        self._labels = tuple(labels)
        self._by_term: dict[str, list[int]] = {}
        for place, label in enumerate(self._labels):
            for term in dict.fromkeys(analyzer.terms(label.text)):
                self._by_term.setdefault(term, []).append(place)

    @property
    def score_model(self) -> str:
        return f"{self.backend}(distinct terms,analyzer={self._analyzer.name})"

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        query, depth = checked(query, depth)
        terms = tuple(dict.fromkeys(self._analyzer.terms(query)))
        matched: dict[int, list[str]] = {}
        for term in terms:
            for place in self._by_term.get(term, ()):
                matched.setdefault(place, []).append(term)
        allowed = admitted(self._passages, filter)
        out = barred(self._passages, allowed)
        best: dict[str, int] = {}
        order = sorted(matched, key=lambda place: (-len(matched[place]), self._labels[place].preference))
        for place in order:
            for id in self._labels[place].passage_ids:
                if id not in out:
                    best.setdefault(id, place)
        scores = {id: float(len(matched[place])) for id, place in best.items()}
        hits, dropped = cut(ranked(scores), depth, filter, allowed)
        return Lane(
            name=self.name,
            hits=hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=depth,
            detail=FrozenMap({h.id: {**self._labels[best[h.id]].detail, "matched": matched[best[h.id]]} for h in hits}),
            about=FrozenMap(
                {"query": query, "terms": [{"term": t, "labels": len(self._by_term.get(t, ()))} for t in terms]}
            ),
            filter=filter,
            dropped=dropped,
        )
