"""The approximate index beside the exact one, and what it missed."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import refused
from tests.store.corpus import bench, document
from workbench import BackendUnavailable, Filter, Passage, Trace, Workbench
from workbench.lanes.ann import Hnsw, HnswLane
from workbench.lanes.dense import DenseLane
from workbench.models.embedders import CallableEmbedder

pytest.importorskip("usearch", reason="needs the extra [ann]")

PASSAGES = [Passage(f"p{n:04}#c0", f"p{n:04}", str(n), 0) for n in range(3000)]
VECTORS = np.random.default_rng(7).normal(size=(3001, 64))
COARSE = Hnsw(connectivity=2, expansion_add=4, expansion_search=2)


def numbered(texts: Sequence[str]) -> np.ndarray:
    return VECTORS[[int(text) for text in texts]]


@pytest.fixture(scope="module")
def exact() -> DenseLane:
    return DenseLane(PASSAGES, CallableEmbedder(numbered))


def test_every_hit_has_its_exact_cosine_and_a_coarse_graph_says_what_it_missed(exact: DenseLane) -> None:
    lane, truth = HnswLane(PASSAGES, CallableEmbedder(numbered), COARSE).search("3000", 20), exact.search("3000", 20)
    assert (lane.backend, lane.score_model) == ("usearch", truth.score_model)
    scores = {hit.id: exact.rank_of("3000", hit.id) for hit in lane.hits}
    assert all(hit.score == scores[hit.id][1] for hit in lane.hits)  # type: ignore[index]
    missed = lane.about["missed"]
    assert missed
    assert {m["id"] for m in missed} == set(truth.ids) - set(lane.ids)
    assert all(exact.rank_of("3000", m["id"]) == (m["rank"], m["cosine"]) for m in missed)
    assert lane.about["found"] == 1 - len(missed) / 20
    assert lane.about["index"] == "hnsw(connectivity=2,expansion_add=4,expansion_search=2)"


def test_a_fine_graph_finds_nearly_all_and_the_same_ones_each_time() -> None:
    fine = Hnsw(connectivity=32, expansion_add=256, expansion_search=512)
    lanes = [HnswLane(PASSAGES, CallableEmbedder(numbered), fine) for _ in range(2)]
    assert lanes[0].search("3000", 20) == lanes[1].search("3000", 20)
    assert lanes[0].search("3000", 20).about["found"] >= 0.9


def test_with_a_filter_or_nothing_left_to_miss_the_exact_index_answers(exact: DenseLane) -> None:
    lane = HnswLane(PASSAGES, CallableEmbedder(numbered), COARSE)
    only = Filter(include_ids=("p0007", "p0008"))
    assert lane.search("3000", 5, only).hits == exact.search("3000", 5, only).hits
    assert lane.search("3000", 5, only).about["index"] == "exact"
    assert lane.search("3000", 3000).hits == exact.search("3000", 3000).hits


def test_in_a_workbench_the_trace_shows_it_and_reads_back(tmp_path: Path) -> None:
    ours = Workbench.sample(dense="hnsw", store=tmp_path / "a.db")
    trace = ours.retrieve("parking permits", 5)
    lane = trace.attempt.lane("dense")
    assert lane.backend == "usearch"
    assert 0.8 <= lane.about["found"] <= 1
    assert Trace.from_json(json.dumps(trace.to_json())) == trace
    assert Workbench.load(tmp_path / "a.db", dense="hnsw").retrieve("parking permits", 5).attempt.lane("dense") == lane
    small = bench([document(1)], dense=Hnsw(connectivity=4))
    small.add(document(2))
    small.delete("d001")
    assert {id.split("#")[0] for id in small.retrieve("night desk").attempt.lane("dense").ids} == {"d002"}


def test_settings_are_checked() -> None:
    with refused("out_of_range", "connectivity"):
        Hnsw(connectivity=1)
    with refused("unknown_variant", "'ivf'", "exact, hnsw"):
        bench([document(1)], dense="ivf")
    with refused("wrong_type", "dense"):
        bench([document(1)], dense=7)


def test_A3_a_missing_usearch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("usearch", "usearch.index"):
        monkeypatch.setitem(sys.modules, name, None)  # as where it was never installed
    with pytest.raises(BackendUnavailable) as caught:
        HnswLane(PASSAGES, CallableEmbedder(numbered))
    assert caught.value.missing == ("usearch",)
    lane = bench([document(1)], dense="hnsw").retrieve("night desk").attempt.lane("dense")
    assert lane.status == "unavailable"
    assert "usearch" in lane.reason
