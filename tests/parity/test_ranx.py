"""ranx's rrf itself. Its sort is not stable, so the order of equal scores is whatever it was."""

import pytest
from ranx import Run, fuse

from tests.parity.cases import cases
from workbench import rrf

pytestmark = pytest.mark.filterwarnings("ignore")


def test_200_random_fusions_have_our_scores_and_order_but_for_ties() -> None:
    drawn = list(cases(least=1))
    names = [f"q{place}" for place in range(len(drawn))]
    for count in {len(lanes) for _, lanes in drawn}:
        these = [(name, lanes) for name, (_, lanes) in zip(names, drawn, strict=True) if len(lanes) == count]
        # distinct scores in each lane: ranx would reorder equal ones on its way in
        runs = [
            Run(
                {
                    name: {id: float(len(lanes[at]) - place) for place, (id, _) in enumerate(lanes[at])}
                    for name, lanes in these
                }
            )
            for at in range(count)
        ]
        fused = fuse(runs, norm=None, method="rrf", params={"k": 60}) if count > 1 else None
        for name, lanes in these:
            ours = rrf({str(at): [id for id, _ in lane] for at, lane in enumerate(lanes)})
            if fused is None:
                assert ours.scores.tolist() == [1 / (60 + rank) for rank in range(1, len(lanes[0]) + 1)]
                continue
            theirs = dict(fused[name])
            assert theirs == dict(zip(ours.ids, ours.scores.tolist(), strict=True))
            ranked = sorted(theirs.values(), reverse=True)
            assert ranked == ours.scores.tolist()
