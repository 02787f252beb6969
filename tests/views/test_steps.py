"""The steps that a player shows are those of the recorded run, to the last bit."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench import Config, Document, Trace, Workbench
from workbench.explain.steps import fusion_frames, shown
from workbench.kernels.dialects import DIALECTS
from workbench.records import Fusion

DOCUMENTS = [Document(f"d{i}", f"text {i}") for i in range(9)]


def _trace(lanes: dict[str, list[str]], **settings: object) -> Trace:
    bench = Workbench(
        DOCUMENTS,
        signals=["text"],
        lanes={name: [f"{id}#c0" for id in ids] for name, ids in lanes.items()},
        reranker=None,
        config=Config(**settings),  # type: ignore[arg-type]
    )
    return bench.retrieve("nothing here matches")


TRACE = _trace({"p": ["d1", "d2", "d3"], "q": ["d3", "d1", "d4"], "r": ["d3"]})


def test_the_frames_are_scores_ranks_each_lane_and_the_cut() -> None:
    frames = fusion_frames(TRACE)
    assert [(f.kind, f.lane) for f in frames] == [
        ("scores", None),
        ("ranks", None),
        ("lane", "lexical"),
        ("lane", "p"),
        ("lane", "q"),
        ("lane", "r"),
        ("cut", None),
    ]
    assert frames[0].totals == (None,) * 4


def test_the_last_totals_are_the_recorded_scores_in_the_recorded_order() -> None:
    last = [f for f in fusion_frames(TRACE) if f.kind == "lane"][-1]
    assert last.ids == TRACE.fusion.ids
    assert last.totals == tuple(TRACE.fusion.scores.tolist())
    assert last.places == (1, 2, 3, 4)


def test_overtaking_is_said_in_words() -> None:
    said = [f.sentence for f in fusion_frames(TRACE) if f.kind == "lane"]
    assert said[0] == "lexical returned nothing, and adds nothing."
    assert "d1#c0 leads with 0.01639" in said[1].replace("text 1 (d1#c0)", "d1#c0")
    assert "overtaking" in said[3]
    assert "not returned by it" in said[3]


def test_a_tie_has_its_own_frame_that_names_the_rule() -> None:
    frames = fusion_frames(_trace({"p": ["d2"], "q": ["d1"]}))
    ties = next(f for f in frames if f.kind == "ties")
    assert "the ascending id comes first" in ties.sentence
    assert ties.ids == ("d1#c0", "d2#c0")


def test_what_is_watched_holds_the_first_rows_and_every_lane_s_first() -> None:
    trace = _trace({"p": ["d1", "d2", "d3", "d4"], "q": ["d2", "d3", "d1", "d4"], "r": ["d8", "d2", "d3", "d1"]})
    watched = shown(trace.fusion, 4)
    assert "d8#c0" in watched
    assert watched == tuple(id for id in trace.fusion.ids if id in watched)
    assert len(watched) == 4


def test_a_run_without_candidates_has_no_frame() -> None:
    assert fusion_frames(_trace({})) == ()


def test_an_id_that_was_not_fused_is_refused_by_name() -> None:
    with refused("unknown_id", "d9#c9"):
        fusion_frames(TRACE, ["d9#c9"])


def test_every_number_of_a_sentence_is_in_the_run() -> None:
    for frame in fusion_frames(TRACE):
        for text in re.findall(r"0\.\d+", frame.sentence):
            assert any(t is not None and math.isclose(t, float(text), rel_tol=1e-3) for t in frame.totals)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_totals_fold_in_the_arithmetic_of_the_dialect(dialect: str) -> None:
    trace = _trace({"p": ["d1", "d2", "d3"], "q": ["d3", "d1", "d4"], "r": ["d4", "d3", "d2"]}, dialect=dialect)
    last = [f for f in fusion_frames(trace) if f.kind == "lane"][-1]
    assert last.totals == tuple(trace.fusion.scores.tolist())
    assert last.ids == trace.fusion.ids


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.permutations(range(9)).flatmap(lambda p: st.integers(0, 9).map(lambda n: list(p)[:n])),
        min_size=1,
        max_size=4,
    )
)
def test_each_frame_is_ordered_by_its_totals_and_ends_at_the_scores(lanes: list[list[int]]) -> None:
    trace = _trace({f"lane{i}": [f"d{each}" for each in ids] for i, ids in enumerate(lanes)})
    frames = [f for f in fusion_frames(trace) if f.kind == "lane"]
    if not trace.fusion.ids:
        assert frames == []
        return
    for frame in frames:
        begun = [t for t in frame.totals if t is not None]
        assert begun == sorted(begun, reverse=True)
        assert frame.totals == (*begun, *[None] * (len(frame.totals) - len(begun)))
    scores = dict(zip(trace.fusion.ids, trace.fusion.scores.tolist(), strict=True))
    assert list(frames[-1].totals) == [scores[id] for id in frames[-1].ids]


def test_a_lane_s_running_totals_are_left_folds() -> None:
    fusion: Fusion = TRACE.fusion
    frames = [f for f in fusion_frames(TRACE) if f.kind == "lane"]
    for at, frame in enumerate(frames):
        for id, total in zip(frame.ids, frame.totals, strict=True):
            present = [t for t in fusion.contributions[fusion.row(id), : at + 1].tolist() if not np.isnan(t)]
            expected = None
            for term in present:
                expected = term if expected is None else expected + term
            assert total == expected
