"""The winner's standing against brute force, and the worked example."""

import json
import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.helpers import refused
from workbench import Config, Document, Passage, Workbench, dbsf, relative_score, rrf
from workbench.explain.standing import Stability
from workbench.explore.refuse import Refuse
from workbench.explore.stability import _rivals, stability
from workbench.records import Fusion
from workbench.records.turning import Interval

LANES = {"lexical": ["x", "y"], "dense": ["y", "z"], "graph": ["x"]}


def bench_of(lanes: dict[str, list[str]], **config: object) -> Workbench:
    """A workbench whose only lanes are the given ones."""

    def lane(ids: list[str]) -> list[Passage]:
        return [Passage(id, id, f"text of {id}", 0) for id in ids]

    return Workbench(
        [Document("none", "")],
        signals=["text"],
        reranker=None,
        lanes={name: lane(ids) for name, ids in lanes.items()},
        config=Config(**config),  # type: ignore[arg-type]
    )


def standing(fusion: Fusion, **grid: object) -> Stability:
    """Stability of a bare fusion, through a run that holds it."""
    trace = bench_of({"a": ["x"]}).retrieve("anything")
    return stability(replace(trace, attempts=(replace(trace.attempt, fusion=fusion),)), **grid)  # type: ignore[arg-type]


def test_the_worked_example_stays_first_for_every_k_and_up_to_a_dense_weight_of_1_016() -> None:
    answer = standing(rrf(LANES))
    by_knob = {each.knob: each for each in answer.intervals}
    assert answer.winner == "x"
    assert (by_knob["k"].low, by_knob["k"].high, by_knob["k"].below, by_knob["k"].above) == (0.0, None, None, None)
    dense = by_knob["dense"]
    assert (dense.low, dense.below, dense.above, dense.confirmed) == (0.0, None, "y", True)
    assert dense.high == pytest.approx(2 - 61 / 62, abs=0)
    assert (by_knob["graph"].below, by_knob["graph"].low) == ("y", pytest.approx(61 / 62, abs=0))
    assert {r.lane: r.first for r in answer.left_out} == {"lexical": "x", "dense": "x", "graph": "y"}


def test_the_interval_of_k_ends_at_the_root() -> None:
    answer = standing(rrf({"one": ["Y", "p", "q", "X"], "two": ["r", "s", "t", "X"]}))
    k = next(each for each in answer.intervals if each.knob == "k")
    assert (answer.winner, k.high, k.below is not None, k.confirmed) == ("X", None, True, True)
    assert k.low == 2.0


def random_fusion(seed: int) -> Fusion:
    rng = random.Random(seed)
    ids = [f"d{i:02}" for i in range(14)]
    lanes = {f"lane{n}": rng.sample(ids, rng.randint(3, 14)) for n in range(rng.randint(2, 4))}
    dialect = rng.choice([None, None, "qdrant", "weaviate", "haystack"])
    weights = {name: rng.choice([0.5, 1.0, 1.0, 1.6]) for name in lanes}
    return rrf(lanes, k=rng.choice([2, 8, 60]), weights=weights, dialect=dialect)


def turned(refuse: Refuse, knob: str, value: float) -> Fusion:
    return refuse.at(k=value) if knob == "k" else refuse.at(weights={knob: value})


def test_scanned_settings_inside_the_interval_keep_the_winner_and_those_just_outside_do_not() -> None:
    ends = 0
    for seed in range(80):
        fusion = random_fusion(seed)
        refuse = Refuse(fusion)
        for each in standing(fusion, lane=fusion.lanes[0], ks=[60], weights=[1]).intervals:
            at = partial(turned, refuse, each.knob)
            assert each.confirmed, (seed, each)
            low, high = each.low, 50.0 if each.high is None else each.high
            for part in np.linspace(0.02, 0.98, 9).tolist():
                assert at(low + (high - low) * part).ids[0] == fusion.ids[0], (seed, each)
            ends += _outside(each, at, fusion.ids[0])
    assert ends > 60


def _outside(each: Interval, at, winner: str) -> int:  # type: ignore[no-untyped-def]
    ends = 0
    if each.below is not None:
        assert at(each.low * (1 - 1e-4)).ids[0] != winner
        ends += 1
    if each.above is not None and each.high is not None:
        assert at(each.high * (1 + 1e-4)).ids[0] != winner
        ends += 1
    return ends


def test_a_candidate_that_is_outdone_in_every_lane_is_never_a_rival() -> None:
    for seed in range(60):
        fusion = random_fusion(seed)
        refuse = Refuse(fusion)
        rivals = {fusion.ids[0], *_rivals(refuse)}
        rng = random.Random(seed)
        for _ in range(8):
            weights = {lane: round(rng.uniform(0.1, 3), 2) for lane in fusion.lanes}
            assert refuse.at(k=rng.choice([2.5, 10, 200]), weights=weights).ids[0] in rivals


def test_the_map_holds_the_winner_of_every_cell_and_the_grid_is_the_callers() -> None:
    fusion = rrf(LANES)
    answer = standing(fusion, lane="dense", ks=[0, 2, 60], weights=[0, 1, 2])
    assert answer.map is not None
    assert (answer.map.lane, answer.map.ks.tolist(), answer.map.weights.tolist()) == ("dense", [0, 2, 60], [0, 1, 2])
    for i, weight in enumerate(answer.map.weights.tolist()):
        for j, k in enumerate(answer.map.ks.tolist()):
            made = rrf(LANES, k=k, weights={"dense": weight})
            assert answer.map.ids[answer.map.winners[i, j]] == made.ids[0]
    assert answer.map.winners[1].tolist() == [0, 0, 0]
    assert answer.map.ids[answer.map.winners[2, 2]] == "y"


def test_left_out_the_map_turns_the_lane_that_has_to_change_least() -> None:
    answer = standing(rrf(LANES))
    assert answer.map is not None
    assert answer.map.lane == "dense"
    assert (answer.map.k_now in answer.map.ks, answer.map.weight_now in answer.map.weights) == (True, True)


def test_methods_without_k_or_weights_say_so_and_refuse_a_grid() -> None:
    scored = {"one": [("a", 1.0), ("b", 0.5), ("c", 0.0)], "two": [("b", 4.0), ("c", 3.0), ("a", 2.0)]}
    relative = standing(relative_score(scored))
    assert {each.knob for each in relative.intervals} == {"one", "two"}
    assert (relative.map, relative.notes) == (None, ("relative_score reads no k",))
    spread = standing(dbsf(scored))
    assert (spread.intervals, spread.map) == ((), None)
    assert spread.left_out
    with refused("parameter_of_another_fusion", "dbsf"):
        standing(dbsf(scored), ks=[1, 2])
    with refused("unknown_id", "'dens'", "did you mean 'dense'"):
        standing(rrf(LANES), lane="dens")
    with refused("out_of_range"):
        standing(rrf(LANES), ks=[-1])


def test_stability_of_a_trace_speaks_survives_json_and_shows_itself() -> None:
    named = {"mine": LANES["lexical"], "yours": LANES["dense"], "theirs": LANES["graph"]}
    answer = bench_of(named).retrieve("anything").stability()
    assert Stability.from_json(json.loads(json.dumps(answer.to_json()))) == answer
    assert "a yours weight up to 1.016" in answer.sentence
    assert "Without theirs y is first." in answer.sentence
    assert "<table" in answer._repr_html_()
    assert answer.sentence in repr(answer)
