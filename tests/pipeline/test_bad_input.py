"""Bad input is a named error or a stated empty result; never a traceback from below, never a guess."""

from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from tests.helpers import refused
from tests.pipeline.corpus import DOCUMENTS
from workbench import Config, Document, Trace, Workbench, ground


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(DOCUMENTS, generator="extractive")


def test_an_empty_corpus_is_nothing_to_search_which_is_not_nothing_found_B4() -> None:
    with refused("nothing_to_search", "not the same as nothing found"):
        Workbench([])


def test_documents_without_a_token_are_searched_and_match_nothing_B4() -> None:
    trace = Workbench([Document("a", ""), Document("b", "   \n")]).retrieve("anything")
    assert trace.fusion.ids == ()
    assert {lane.status for lane in trace.lanes} == {"ran"}
    assert Workbench([Document("a", "")]).ask("anything").verdict == "insufficient"


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_an_empty_query_is_one_named_error_everywhere(bench: Workbench, query: str) -> None:
    for call in (bench.retrieve, bench.ask):
        with refused("empty_query"):
            call(query)
    with refused("empty_query"):
        bench.retrieve("fine", phrasings=[query])


def test_a_query_that_is_no_text_is_refused(bench: Workbench) -> None:
    with refused("wrong_type", "42"):
        bench.retrieve(42)  # type: ignore[arg-type]


def test_a_query_of_stop_words_only_matches_nothing_by_terms_and_says_so(bench: Workbench) -> None:
    trace = bench.ask("the of and")
    assert trace.attempt.lane("lexical").hits == ()
    assert trace.attempt.lane("lexical").status == "ran"
    assert trace.verdict == "insufficient"


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ({"depth": 0}, "out_of_range"),
        ({"top_k": 0}, "out_of_range"),
        ({"rerank_head": 0}, "out_of_range"),
        ({"k": -1}, "out_of_range"),
        ({"k": float("nan")}, "not_finite"),
        ({"k": "60"}, "wrong_type"),
        ({"depth": 2.5}, "wrong_type"),
        ({"depth": True}, "wrong_type"),
        ({"lambda_mmr": 1.5}, "out_of_range"),
        ({"chunk_size": 100, "chunk_overlap": 100}, "contradiction"),
        ({"top_k": 60}, "contradiction"),
        ({"fusion": "borda"}, "unknown_fusion"),
        ({"fusion": "dbsf", "dialect": "qdrant"}, "parameter_of_another_fusion"),
        ({"weights": {"lexical": -1}}, "out_of_range"),
        ({"weights": {"lexical": float("nan")}}, "not_finite"),
        ({"ties": "random"}, "out_of_range"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(setting: dict, code: str) -> None:  # type: ignore[type-arg]
    with refused(code, *(name for name in list(setting)[-1:] if code != "unknown_fusion")):
        Config(**setting)


def test_an_unknown_setting_is_refused_with_the_nearest_name() -> None:
    with refused("unknown_parameter", "'rerank_hed'", "did you mean 'rerank_head'"):
        Config().but(rerank_hed=10)


def test_an_unknown_analyzer_is_refused() -> None:
    with refused("unknown_analyzer", "'klingon'", "english"):
        Workbench(DOCUMENTS, config=Config(analyzer="klingon"))


def test_a_document_needs_a_text_id() -> None:
    with refused("id_not_text", "7"):
        Document(7, "text")  # type: ignore[arg-type]
    with refused("missing_id"):
        Document("", "text")


def test_metadata_with_nan_is_refused_and_none_is_absent() -> None:
    with refused("not_finite", "year"):
        Document("a", "text", metadata={"year": float("nan")})  # type: ignore[arg-type]
    assert Document("a", "text", metadata={"year": None}).metadata == {"year": None}  # type: ignore[arg-type]


def test_ids_of_a_frame_stay_text() -> None:
    frame = pd.DataFrame({"id": ["001", "1e5", "NA"], "text": ["one bridge", "two bridges", "three bridges"]})
    assert [d.id for d in Workbench.from_frame(frame).documents] == ["001", "1e5", "NA"]


def test_a_folder_without_documents_is_nothing_to_search(tmp_path: Path) -> None:
    with refused("nothing_to_search"):
        Workbench.from_folder(tmp_path)
    with refused("missing_file"):
        Workbench.from_folder(tmp_path / "nowhere")


def test_strange_queries_end_in_a_trace(bench: Workbench) -> None:
    for query in ("\x00", "🦆" * 500, "a" * 20_000, "\u202eevil", "]]>--'\";", "東京タワー", "{{7*7}}", "\ud800"):
        trace = bench.ask(query)
        assert trace.query == query
        assert trace.verdict in ("answerable", "insufficient", "needs_review")
        assert trace._repr_html_()


def test_a_text_with_a_lone_surrogate_is_searched_and_comes_back_as_it_was() -> None:
    text = "Half a sign \ud800 stands here. The fox stands there."
    trace = Workbench([Document("a", text)]).ask("fox")
    assert trace.passages["a#c0"].text == text
    assert Trace.from_json(trace.to_json()) == trace


@pytest.mark.parametrize("ranking", [{"a", "b"}, frozenset(("a", "b")), "ab"])
def test_what_has_no_order_of_its_own_is_no_lane(ranking: object) -> None:
    with refused("wrong_type", "'mine'", "best first"):
        Workbench.from_lanes({"mine": ranking})


@pytest.mark.parametrize("nothing", [None, 5, "text"])
def test_where_a_list_belongs_anything_else_is_refused_by_name(bench: Workbench, nothing: object) -> None:
    for name, call in (
        ("documents", bench.add),
        ("queries", bench.evaluate),
        ("evidence", partial(ground, "An answer.")),
    ):
        with refused("wrong_type", name):
            call(nothing)
    with refused("wrong_type", "evidence 1"):
        ground("An answer.", ["a text without its id"])


@pytest.mark.parametrize("field", ["attempts", "passages", "versions", "timings", "grounding"])
def test_a_trace_whose_field_is_of_another_kind_is_not_a_whole_trace(bench: Workbench, field: str) -> None:
    with refused("unknown_schema"):
        Trace.from_json({**bench.ask("bridge").to_json(), field: "x"})
