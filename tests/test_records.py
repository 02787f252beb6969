"""Records are frozen, equal by value, exact through JSON, and refuse what they cannot hold."""

import copy
import json
import pickle

import numpy as np
import pytest

from tests.helpers import refused
from workbench import BackendUnavailable, Document, Filter, Lane, Passage, WorkbenchError, rrf
from workbench.errors import CODES
from workbench.frozen import FrozenMap
from workbench.records import Fusion, Hit


@pytest.fixture
def fusion() -> Fusion:
    return rrf({"a": [("x", 0.5), ("y", None)], "b": ["y", "z"]})


def test_arrays_are_read_only_and_equality_compares_them(fusion: Fusion) -> None:
    with pytest.raises(ValueError, match="read-only"):
        fusion.scores[0] = 1.0
    same = rrf({"a": [("x", 0.5), ("y", None)], "b": ["y", "z"]})
    assert fusion == same
    assert np.isnan(fusion.contributions).any()
    assert fusion != rrf({"a": [("x", 0.6), ("y", None)], "b": ["y", "z"]})


def test_a_record_survives_json_pickle_and_copy_and_stays_frozen(fusion: Fusion) -> None:
    for other in (
        Fusion.from_json(json.loads(json.dumps(fusion.to_json()))),
        pickle.loads(pickle.dumps(fusion)),
        copy.deepcopy(fusion),
    ):
        assert other == fusion
        assert not other.ranks.flags.writeable
        assert other.ranks.dtype == np.int32


def test_an_empty_fusion_survives_json() -> None:
    empty = rrf({"a": [], "b": []})
    assert Fusion.from_json(json.loads(json.dumps(empty.to_json()))) == empty
    assert empty.contributions.shape == (0, 2)


def test_absent_is_null_in_json_never_zero(fusion: Fusion) -> None:
    row = fusion.to_json()["contributions"][fusion.ids.index("z")]
    assert row[0] is None
    assert fusion.of("z")[0].rank is None


def test_a_lane_with_payload_and_filter_survives_json() -> None:
    lane = Lane(
        "mine",
        hits=(Hit("x", 1, 0.25),),
        payload={"x": Passage("x", "d", "text", 0)},
        filter=Filter(where={"year": 2031}),
        dropped=3,
    )  # type: ignore[arg-type]
    assert Lane.from_json(json.loads(json.dumps(lane.to_json()))) == lane


def test_times_take_no_part_in_equality() -> None:
    assert Lane("a", milliseconds=1.0) == Lane("a", milliseconds=2.0)


def test_a_mapping_is_frozen_all_the_way_down() -> None:
    held = FrozenMap({"a": [1, {"b": [2]}]})
    with pytest.raises(TypeError, match="read-only"):
        held["a"] = 1
    with pytest.raises(TypeError, match="read-only"):
        held["a"][1]["b"] = 1
    assert held["a"][1]["b"] == (2,)
    with refused("wrong_type", "object"):
        FrozenMap({"a": object()})


def test_a_filter_is_checked_when_built() -> None:
    with refused("contradiction", "'b'"):
        Filter(include_ids=("a", "b"), exclude_ids=("b",))
    with refused("contradiction", "window is empty"):
        Filter(min_score=0.9, max_score=0.1)
    with refused("empty_id_list"):
        Filter(include_ids=())
    with refused("empty_id_list"):
        Filter(exclude_ids=())
    with refused("id_not_text", "7"):
        Filter(include_ids=(7,))  # type: ignore[arg-type]


def test_a_filter_by_metadata_does_not_match_a_missing_key() -> None:
    wanted = Filter(where={"year": 2031})  # type: ignore[arg-type]
    assert wanted.admits(("a",), {"year": 2031})
    assert not wanted.admits(("a",), {"year": 2030})
    assert not wanted.admits(("a",), {})


def test_errors_carry_code_message_and_facts_through_a_process_boundary() -> None:
    for error in (
        WorkbenchError("out_of_range", "k is -1: give a number of at least 0", name="k", value=-1),
        BackendUnavailable("dense", ("wordllama",), "vector_search"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.code, again.message, again.facts) == (
            type(error),
            error.code,
            error.message,
            error.facts,
        )
    assert BackendUnavailable("dense", ("wordllama",), "vector_search").missing == ("wordllama",)
    assert all(meaning and not meaning.endswith(".") for meaning in CODES.values())
    with pytest.raises(KeyError):
        WorkbenchError("no_such_code", "x")


def test_a_document_with_a_wrong_text_is_refused() -> None:
    with refused("wrong_type", "None"):
        Document("a", None)  # type: ignore[arg-type]
