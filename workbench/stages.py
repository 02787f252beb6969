"""One attempt over one shelf of lanes: the lanes are asked, then the stages after them run in their fixed order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from workbench import checks
from workbench.after_lanes import AfterLanes, Clock, Orders
from workbench.config import Config
from workbench.errors import WorkbenchError
from workbench.kernels.analysis import Analyzer
from workbench.lanes.probe import probe, same_corpus
from workbench.lanes.shelf import Shelf
from workbench.models.rerankers import FeatureReranker
from workbench.records import Attempt, Filter, Lane, Passage, Run
from workbench.records.probing import Probe


class Stages:
    """One configuration's path over one shelf of lanes. A shelf never changes, so what a Trace asks later is of its own corpus."""

    def __init__(self, shelf: Shelf, analyzer: Analyzer, reranker: Orders, config: Config) -> None:
        self.config = config
        self.after = AfterLanes(config, analyzer, reranker, shelf.passage, self.cosines)
        self._shelf, self._analyzer, self._reranker = shelf, analyzer, reranker

    def run(self, asked: str, query: str, phrasings: Sequence[str], filter: Filter | None) -> Attempt:
        """One pass. ``asked`` is what the reranker and the gate hold the evidence against; ``query`` is what the lanes are asked."""
        clock = Clock()
        lanes = self._lanes(query, phrasings, filter)
        clock.lap("lanes")
        return self.after.run(asked, query, lanes, clock=clock)

    def cosines(self, ids: Sequence[str]) -> np.ndarray | None:
        """n × n cosines of the passages' vectors; None where one of them has no vector here."""
        if self._shelf.dense is None or not all(self._shelf.holds(id) for id in ids):
            return None
        return self._shelf.dense.similarity(ids)

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Every passage of the shelf, by id."""
        return self._shelf.passages

    def probe(self, run: Run, id: str, *, checked: bool = False) -> Probe:
        """The true rank and score of a passage in each lane of the run's reported attempt.

        Raises:
            WorkbenchError: ``unknown_id``; with ``checked``, ``contradiction`` where the run is another corpus's.
        """
        engines = {engine.name: engine for engine in self._shelf.retrievers}
        size = len(self.passages)
        if checked:
            same_corpus(run.attempt, engines, size)
        stored = run.passages.get(id)
        return probe(run.attempt, stored or self._shelf.passage(id), engines, size, self._analyzer)

    def again(self, run: Run, *, filtered: bool = True, **changes: Any) -> Attempt:
        """The run's reported attempt once more with changed settings, retrieval included; without its filter if asked."""
        attempt = run.attempt
        config = run.config.but(**changes)
        reranker = self._reranker
        if isinstance(reranker, FeatureReranker):
            reranker = FeatureReranker(self._analyzer, config.rerank_weights, config.phrase)
        stages = Stages(self._shelf, self._analyzer, reranker, config)
        filter = next((lane.filter for lane in attempt.lanes if lane.filter is not None), None) if filtered else None
        off = {lane.name: lane for lane in attempt.lanes if lane.status == "off"}  # a what-if may have left some out
        lanes = tuple(
            off.get(lane.name, lane) for lane in stages._lanes(attempt.query, _phrasings(attempt.lanes), filter)
        )
        return stages.after.run(run.query, attempt.query, lanes)

    def _lanes(self, query: str, phrasings: Sequence[str], filter: Filter | None) -> tuple[Lane, ...]:
        checks.query_text(query)
        for phrasing in phrasings:
            checks.query_text(phrasing)
        lanes = list(self._shelf.search(query, self.config.depth, filter))
        for number, phrasing in enumerate(phrasings, start=2):
            again = self._shelf.search(phrasing, self.config.depth, filter)
            lanes += [replace(lane, name=f"{lane.name} ({number})") for lane in again if lane.status != "off"]
        return tuple(lanes)


def _phrasings(lanes: Sequence[Lane]) -> list[str]:
    """The further wordings that a run asked, as its lanes recorded them."""
    numbers = {int(found[1]) for lane in lanes if (found := re.search(r" \((\d+)\)$", lane.name))}
    asked = {
        n: lane.about["query"]
        for n in numbers
        for lane in lanes
        if lane.name.endswith(f" ({n})") and "query" in lane.about
    }
    if len(asked) < len(numbers):
        raise WorkbenchError(
            "not_recorded", "the run asked further phrasings and no lane recorded their words: run the query again"
        )
    return [asked[n] for n in sorted(asked)]
