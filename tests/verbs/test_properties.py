"""Whatever the lanes: contributions fold to the score, and a ranking survives JSON and feeds the next verb."""

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.verbs import Ranking, hybrid_search, provenance, rerank

IDS = st.text(st.sampled_from("abcé😀"), min_size=1, max_size=2)
LANE = st.dictionaries(IDS, st.floats(-1e6, 1e6) | st.none(), max_size=6).map(lambda held: list(held.items()))
LANES = st.dictionaries(st.sampled_from(["dense", "sparse", "graph"]), LANE, min_size=1)


@settings(deadline=None, max_examples=150)
@given(LANES, st.floats(0, 1000), st.floats(0, 1))
def test_A8_contributions_fold_to_every_score_and_absent_stays_none(lanes: dict, k: float, trade: float) -> None:  # type: ignore[type-arg]
    fused = hybrid_search(lanes, rrf_k=k)
    assert set(fused.ids) == {id for lane in lanes.values() for id, _ in lane}
    for hit in fused.hits:
        for part, lane in zip(fused.of(hit.id) or (), lanes.values(), strict=True):
            place = next((n for n, (id, _) in enumerate(lane, start=1) if id == hit.id), None)
            assert (part.rank, part.contribution) == (place, None if place is None else 1 / (k + place))
        assert provenance(fused).why(hit.id).count("did not return it") <= len(lanes)
    assert provenance(fused).attribution_residual == 0.0
    assert Ranking.from_json(json.dumps(fused.to_json())) == fused
    if len(fused):
        n = len(fused)
        picked = rerank(fused, np.add.outer(np.arange(n), np.arange(n)) % 3 / 3, lambda_mmr=trade)
        assert picked.residual == 0.0
        assert Ranking.from_json(json.dumps(picked.to_json())) == picked
        assert hybrid_search({"picked": picked, "fused": fused}).residual == 0.0
