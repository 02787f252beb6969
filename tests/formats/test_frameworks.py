"""The frameworks' public protocols, spoken by plain objects: the packages themselves are in tests/parity."""

from types import SimpleNamespace
from typing import Any

from tests.helpers import refused
from workbench import Config, Workbench
from workbench.formats import haystack_lane, langchain_ensemble, langchain_lane, llamaindex_lane


def document(text: str, id: str | None = None, **metadata: Any) -> SimpleNamespace:
    return SimpleNamespace(page_content=text, id=id, metadata=metadata)


class Retriever:
    def __init__(self, documents: list[Any]) -> None:
        self.documents, self.asked = documents, []

    def invoke(self, query: str) -> list[Any]:
        self.asked.append(query)
        return self.documents


def test_a_langchain_retriever_is_asked_and_brings_its_texts() -> None:
    retriever = Retriever([document("alpha beta", "a", title="A", tags=["x"]), document("gamma", "b")])
    bench = Workbench.from_lanes({"lc": langchain_lane("lc", retriever)}, reranker="feature")
    trace = bench.retrieve("alpha")
    assert retriever.asked == ["alpha"]
    assert trace.order == ("a", "b")
    assert (trace.passages["a"].text, trace.passages["a"].title, trace.passages["a"].metadata) == (
        "alpha beta",
        "A",
        {"title": "A"},
    )
    assert trace.lanes[0].score_model == "Retriever score"
    assert trace.lanes[0].hits[0].score is None


def test_F11_a_document_without_an_id_is_refused_with_its_lane_and_position() -> None:
    bench = Workbench.from_lanes({"lc": langchain_lane("lc", Retriever([document("x", "a"), document("y")]))})
    with refused("lane_failed", "lane 'lc', position 2 has no id", "id_from"):
        bench.retrieve("q")
    with refused("missing_id", "lane 'lc', position 2"):
        langchain_lane("lc", [document("x", "a"), document("y")])


def test_ids_come_from_a_key_or_a_callable_where_said() -> None:
    documents = [document("x", key="k1"), document("y", key="k2")]
    assert langchain_lane("lc", documents, id_from="key").search("q", 5).ids == ("k1", "k2")
    assert langchain_lane("lc", documents, id_from=lambda d: d.page_content).search("q", 5).ids == ("x", "y")
    with refused("missing_id", "position 1"):
        langchain_lane("lc", documents, id_from="other")


def test_F14_distances_of_a_vector_store_are_read_when_said() -> None:
    def similarity_search_with_score(query: str) -> list[Any]:
        return [(document("x", "a"), 0.1), (document("y", "b"), 0.7)]

    with refused("contradiction", "better='lower'"):
        langchain_lane("lc", similarity_search_with_score).search("q", 5)
    lane = langchain_lane("lc", similarity_search_with_score, better="lower").search("q", 5)
    assert [hit.score for hit in lane.hits] == [-0.1, -0.7]
    assert lane.score_model == "similarity_search_with_score score (negated: lower is better)"


def test_llamaindex_scores_are_read_before_anyone_overwrites_them() -> None:
    nodes = [SimpleNamespace(node=SimpleNamespace(node_id="n1", text="alpha", metadata={}), score=0.9)]
    lane = llamaindex_lane("li", SimpleNamespace(retrieve=lambda query: nodes))
    found = lane.search("q", 5)
    nodes[0].score = 0.016
    assert [(hit.id, hit.score) for hit in found.hits] == [("n1", 0.9)]
    assert found.payload["n1"].text == "alpha"


def test_a_haystack_component_is_run_by_keyword() -> None:
    class Component:
        def run(self, *, query: str) -> dict[str, Any]:
            return {"documents": [SimpleNamespace(id="h", content=query, meta={"page": 3}, score=1.5)]}

    found = haystack_lane("hs", Component()).search("words", 5)
    assert (found.ids, found.payload["h"].text, found.payload["h"].metadata) == (("h",), "words", {"page": 3})
    assert haystack_lane("hs", {"documents": []}).search("q", 5).hits == ()
    with refused("wrong_type", "documents"):
        haystack_lane("hs", {"answers": []})


def test_L1_a_retriever_that_raises_is_unavailable_in_its_own_words() -> None:
    class Broken:
        def invoke(self, query: str) -> list[Any]:
            raise ConnectionError("no route to the index")

    trace = Workbench.from_lanes({"lc": langchain_lane("lc", Broken()), "mine": ["a"]}).retrieve("q")
    assert trace.degraded == ("lc: lc failed: ConnectionError: no route to the index",)
    assert trace.order == ("a",)


def test_an_ensemble_gives_its_lanes_and_its_settings() -> None:
    one, two = Retriever([document("x"), document("y")]), Retriever([document("z"), document("y")])
    ensemble = SimpleNamespace(retrievers=[one, two], weights=[0.5, 0.5], c=60, id_key=None)
    lanes, settings = langchain_ensemble(ensemble)
    trace = Workbench.from_lanes(lanes, config=Config(**settings)).retrieve("q")
    assert list(lanes) == ["Retriever", "Retriever 2"]
    assert trace.fusion.ids == ("y", "x", "z")  # x and z tie: first seen, as LangChain has it
    assert trace.fusion.decided[2] == "first_seen"


def test_what_is_no_retriever_is_refused() -> None:
    with refused("wrong_type", "int", "invoke(query)"):
        langchain_lane("lc", 3)
    with refused("wrong_type", "retrievers, weights and c"):
        langchain_ensemble(Retriever([]))
