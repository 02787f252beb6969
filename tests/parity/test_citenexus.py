"""CiteNexus's rrf_fuse itself."""

import pytest
from citenexus.retrieve.fusion import rrf_fuse
from citenexus.retrieve.types import Candidate, RetrievalSignal

from tests.parity.cases import cases, named
from workbench import rrf

pytestmark = pytest.mark.filterwarnings("ignore")


def test_200_random_fusions_have_our_order_and_scores() -> None:
    signal = next(iter(RetrievalSignal))
    for rng, lanes in cases():
        k = rng.choice([60, 1])
        theirs = rrf_fuse(
            [[Candidate(eu_id=id, score=score, signal=signal) for id, score in lane] for lane in lanes], k=k
        )
        ours = rrf(named(lanes), dialect="citenexus", k=k)
        assert [(found.eu_id, found.score) for found in theirs] == list(
            zip(ours.ids, ours.scores.tolist(), strict=True)
        )
