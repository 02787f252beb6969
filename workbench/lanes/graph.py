"""The graph lane: query terms against entity labels; the passages of the entities that match. No edge is walked."""

from collections.abc import Sequence

from workbench.corpus.entities import Entity
from workbench.kernels.analysis import Analyzer
from workbench.lanes.labels import Label, LabelLane
from workbench.records import Passage


class GraphLane(LabelLane):
    """C8: score = number of distinct query terms on the passage's best matching entity, ties by ascending id.

    ``detail`` of a hit: ``entity`` (of two as good the one with fewer terms), ``kind``, ``matched`` (the terms).
    """

    name = "graph"
    backend = "entities"

    def __init__(self, passages: Sequence[Passage], entities: Sequence[Entity], analyzer: Analyzer) -> None:
        labels = (
            Label(e.label, e.passage_ids, (len(analyzer.terms(e.label)), e.label), {"entity": e.label, "kind": e.kind})
            for e in entities
        )
        super().__init__(passages, labels, analyzer)
