"""The structure lane: query terms against headings; every passage under a heading that matches."""

from collections.abc import Sequence

from workbench.corpus.outline import Node, passages_under
from workbench.kernels.analysis import Analyzer
from workbench.lanes.labels import Label, LabelLane
from workbench.records import Passage


class StructureLane(LabelLane):
    """C7: score = number of distinct query terms on the best covering heading, ties by ascending id.

    ``detail`` of a hit: ``node`` (the heading; of two as good the deeper one), ``path`` (the headings
    above it), ``matched`` (the terms). Documents without headings make an empty lane.
    """

    name = "structure"
    backend = "headings"

    def __init__(self, passages: Sequence[Passage], nodes: Sequence[Node], analyzer: Analyzer) -> None:
        by_document: dict[str, list[Passage]] = {}
        for passage in passages:
            by_document.setdefault(passage.document_id, []).append(passage)
        labels = (
            Label(
                node.label,
                tuple(p.id for p in passages_under(node, by_document.get(node.document_id, ()))),
                (-node.level, node.document_id, node.start),
                {"node": node.label, "path": node.path},
            )
            for node in nodes
        )
        super().__init__(passages, labels, analyzer)
