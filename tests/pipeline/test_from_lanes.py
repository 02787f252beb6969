"""Rankings made elsewhere, explained with no corpus at all."""

import pytest

from tests.helpers import refused
from workbench import Config, Document, Filter, Lane, Passage, Trace, Workbench
from workbench.explain.dialect_words import NAMES
from workbench.explore.as_engine import as_engine
from workbench.kernels.dialects import DIALECTS
from workbench.testing import check_lane

WORKED = {"lexical": ["x", "y"], "dense": ["y", "z"], "graph": ["x"]}
TEXTS = {"x": "alpha beta", "y": "beta gamma", "z": "delta"}


def test_rankings_are_explained_with_no_corpus() -> None:
    trace = Workbench.from_lanes(WORKED).retrieve("anything")
    assert trace.order == ("x", "y", "z")
    assert [lane.name for lane in trace.lanes] == ["lexical", "dense", "graph"]
    assert trace.why("y").sentence.startswith("y is second: 1/(60+2) from lexical + 1/(60+1) from dense = 0.03252")
    assert trace.reranking.name == "identity"
    assert trace.what_if() == trace
    assert Trace.from_json(trace.to_json()) == trace
    assert trace.what_if(weights={"dense": 1.02}).order[0] == "y"
    assert "alpha" not in trace._repr_html_()


def test_without_texts_the_gate_says_why_it_cannot_look() -> None:
    trace = Workbench.from_lanes(WORKED).ask("anything")
    assert (trace.verdict, trace.gate.passed, trace.gate.causes) == ("insufficient", False, ("texts",))  # type: ignore[union-attr]
    assert (
        trace.gate.explanation
        == "The gate cannot look for the query's words: no passage came with its text. Give texts."
    )  # type: ignore[union-attr]
    assert {feature.note for feature in trace.gate.features} == {"not measured: the text is not known"}  # type: ignore[union-attr]
    assert trace.attempts[0].stopped == "retries are off"


def test_one_text_that_is_missing_is_enough_not_to_look() -> None:
    trace = Workbench.from_lanes(WORKED, texts={"x": "anything", "y": "anything"}).retrieve("anything")
    assert trace.gate.explanation.startswith(
        "The gate cannot look for the query's words: 1 of the 3 passages came without its text."
    )  # type: ignore[union-attr]
    assert trace.reranking.name == "identity"


def test_texts_let_the_reranker_read_and_the_gate_look() -> None:
    trace = Workbench.from_lanes(WORKED, texts=TEXTS, generator="extractive").ask("alpha beta")
    assert trace.reranking.name == "feature"
    assert trace.gate.feature("coverage").value == 1  # type: ignore[union-attr]
    assert (trace.verdict, trace.answer) == ("answerable", "alpha beta")


@pytest.mark.parametrize(
    "texts",
    [
        [Document(id, text, title=id.upper()) for id, text in TEXTS.items()],
        [Passage(id, "doc", text, 0) for id, text in TEXTS.items()],
    ],
)
def test_texts_may_be_documents_or_passages(texts: list) -> None:
    trace = Workbench.from_lanes(WORKED, texts=texts).retrieve("alpha")
    assert {id: passage.text for id, passage in trace.passages.items()} == TEXTS


def test_a_reranker_that_reads_is_refused_without_texts() -> None:
    with refused("contradiction", "3 ranked ids have none, such as 'x'"):
        Workbench.from_lanes(WORKED, reranker="feature")


def test_many_queries_are_found_by_their_words() -> None:
    many = {"q1": {"a": ["x"], "b": ["y"]}, "q2": {"a": ["z"]}}
    bench = Workbench.from_lanes(many, queries={"q1": "first", "q2": "second"})
    assert bench.retrieve("first").order == ("x", "y")
    second = bench.retrieve("second")
    assert second.order == ("z",)
    assert second.degraded == ("b: nothing is recorded for query 'q2': it matched nothing, or was never asked",)
    with refused("not_recorded", "'third'", "'first', 'second'"):
        bench.retrieve("third")
    with refused("not_recorded", "the id of 'first'"):
        bench.retrieve("q1")


def test_an_empty_ranking_ran_and_matched_nothing() -> None:
    trace = Workbench.from_lanes({"a": ["x"], "b": []}).retrieve("q")
    assert (trace.lanes[1].status, trace.degraded) == ("ran", ())


def test_F14_the_direction_of_scores_is_asked_for() -> None:
    rows = [("a", -4.2), ("b", -0.5)]
    with refused("contradiction", "'fts'", "-4.2", "better='lower'"):
        Workbench.from_lanes({"fts": rows})
    trace = Workbench.from_lanes({"fts": rows, "other": ["b"]}, better={"fts": "lower"}).retrieve("q")
    assert [hit.score for hit in trace.lanes[0].hits] == [4.2, 0.5]
    assert "negated" in trace.lanes[0].score_model
    with refused("unknown_parameter", "did you mean 'fts'"):
        Workbench.from_lanes({"fts": rows}, better={"ftss": "lower"})


@pytest.mark.parametrize(
    ("lanes", "code", "said"),
    [
        ({}, "no_lanes", "{}"),
        (["x"], "wrong_type", "['x']"),
        ({"a": "xyz"}, "wrong_type", "'xyz'"),
        ({"a": 3}, "wrong_type", "int 3"),
        ({"a": ["x", "x"]}, "repeated_id", "lane 'a'"),
        ({"a": [None]}, "missing_id", "lane 'a', position 1"),
        ({"a": [7]}, "id_not_text", "lane 'a', position 1"),
        ({"q": {}}, "no_lanes", "no lane"),
    ],
)
def test_bad_lanes_are_refused_by_name(lanes: object, code: str, said: str) -> None:
    with refused(code, said):
        Workbench.from_lanes(lanes)  # type: ignore[arg-type]


def test_queries_have_to_fit_the_rankings() -> None:
    with refused("unknown_parameter", "queries"):
        Workbench.from_lanes({"a": ["x"]}, queries={"q": "w"})
    with refused("unknown_id", "'q2'"):
        Workbench.from_lanes({"q1": {"a": ["x"]}, "q2": {"a": ["x"]}}, queries={"q1": "w"})
    with refused("repeated_id", "'w'"):
        Workbench.from_lanes({"q1": {"a": ["x"]}, "q2": {"a": ["x"]}}, queries={"q1": "w", "q2": "w"})
    with refused("wrong_type", "'bad'"):
        Workbench.from_lanes({"a": ["x"]}, texts=["bad"])


def test_the_depth_is_that_of_the_longest_ranking_or_what_is_said() -> None:
    ids = [f"{n:03d}" for n in range(150)]
    assert len(Workbench.from_lanes({"a": ids}).retrieve("q").fusion.ids) == 150
    trace = Workbench.from_lanes({"a": ids}, config=Config(depth=10)).retrieve("q")
    assert len(trace.fusion.ids) == 10
    assert trace.config.max_retries == 0


def test_recorded_lanes_keep_the_laws_of_lanes() -> None:
    bench = Workbench.from_lanes({"a": [("x", 2.0), ("y", 1.0), ("z", 1.0)], "b": ["y"]}, texts=TEXTS)
    for retriever in bench.retrievers:
        check_lane(retriever, ["any", "other"], bench.passages)


def test_a_filter_and_details_hold_for_recorded_lanes() -> None:
    lane = Lane(
        "a",
        Workbench.from_lanes({"a": [("x", 2.0), ("y", 1.0)]}).retrieve("q").lanes[0].hits,
        detail={"y": {"matched": ["beta"]}},
    )  # type: ignore[arg-type]
    trace = Workbench.from_lanes({"a": lane}).retrieve("q", filter=Filter(min_score=0.5, exclude_ids=("x",)))
    assert (trace.order, trace.lanes[0].dropped) == (("y",), 1)
    assert trace.why("y").matched == ("a: beta",)


def test_only_ones_own_lanes_over_documents() -> None:
    bench = Workbench([Document("d", "alpha")], signals=(), lanes={"lexical": ["d#c0"]})
    assert [lane.name for lane in bench.retrieve("alpha").lanes] == ["lexical"]
    with refused("unknown_signal"):
        Workbench([Document("d", "alpha")], signals=())


# ---------------------------------------------------------------- as another engine would


@pytest.mark.parametrize("name", DIALECTS)
def test_the_same_lanes_as_another_engine_would_fuse_them(name: str) -> None:
    trace = Workbench.from_lanes(WORKED).retrieve("q")
    there = as_engine(trace, name)
    assert there.run.fusion.dialect == name
    assert there.said.name == NAMES[name]
    assert [ghost.id for ghost in there.said.ranks] == list(there.run.fusion.ids)
    assert there.said.sentence.startswith(f"{there.said.name} ")
    assert as_engine(there.run, name).said.sentence.startswith(f"{there.said.name} does nothing otherwise.")


def test_the_sentence_says_rank_base_k_weights_and_ties() -> None:
    trace = Workbench.from_lanes({"one": ["z", "y"], "two": ["b", "a"]}, config=Config(weights={"one": 2.0})).retrieve(
        "q"
    )  # type: ignore[arg-type]
    assert as_engine(trace, "llamaindex").said.sentence == (
        "LlamaIndex counts ranks from 0 (here 1), reads no weights here, weighs one 1, two 1 (here one 2, two 1) and "
        "gives ties to the first seen, reading lane after lane (here: ascending id). z stays first; 2 of 4 candidates stand elsewhere."
    )
    assert as_engine(trace, "qdrant").said.differs == (
        "takes k = 2 (here 60)",
        "lets a weight stretch the rank, 1/(rank/weight + k − 1)",
        "computes in float32 (here float64)",
        "leaves ties open: an unstable sort over a hash map (ties go to the ascending id in this order)",
    )
    with refused("unknown_dialect", "did you mean 'qdrant'"):
        as_engine(trace, "quadrant")


def test_ghosts_hold_the_present_ranks() -> None:
    lanes = {"a": ["Y", "p", "q", "X"], "b": ["r", "s", "t", "X"]}
    there = as_engine(Workbench.from_lanes(lanes).retrieve("q"), "qdrant", k=1)
    assert [(ghost.id, ghost.now, ghost.moved) for ghost in there.said.ranks[:3]] == [
        ("Y", 2, 1),
        ("r", 3, 1),
        ("X", 1, -2),
    ]


def test_a_fusion_by_scores_is_said_to_be_one() -> None:
    trace = Workbench.from_lanes({"a": [("x", 2.0), ("y", 1.0)]}, config=Config(fusion="relative_score")).retrieve("q")
    assert (
        as_engine(trace, "milvus").said.differs[0] == "fuses by rank (here relative_score fuses by the lanes' scores)"
    )
