"""Rows C of SYSTEMS.md: the fused, auditable pipeline."""

import pytest

from tests.helpers import refused
from tests.pipeline.corpus import DOCUMENTS, HEATING, LEASE
from workbench import Config, Document, Filter, Lane, Passage, Workbench, rrf
from workbench.lanes.given import GivenLane


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(DOCUMENTS)


class Spy:
    """A reranker that keeps what it was shown."""

    name = "spy"

    def __init__(self) -> None:
        self.seen: list[tuple[str, list[str]]] = []

    def rerank(self, query: str, candidates: list) -> list[tuple[str, float]]:  # type: ignore[type-arg]
        self.seen.append((query, [c.id for c in candidates]))
        return [(c.id, -place) for place, c in enumerate(reversed(candidates))]


def test_C1_the_reranker_sees_only_the_fused_head_and_the_cut_only_the_reranked() -> None:
    spy = Spy()
    trace = Workbench(DOCUMENTS, reranker=spy, config=Config(rerank_head=3, top_k=2)).retrieve(
        "written notice of the end"
    )
    assert spy.seen == [("written notice of the end", list(trace.fusion.ids[:3]))]
    assert trace.reranking.ids == tuple(reversed(trace.fusion.ids[:3]))
    assert trace.attempt.evidence == trace.reranking.ids[:2]


def test_C1_every_lane_is_fused(bench: Workbench) -> None:
    trace = bench.retrieve("failed heating")
    assert trace.fusion.lanes == ("lexical", "dense", "structure", "graph", "wiki")
    assert {hit.id for lane in trace.lanes for hit in lane.hits} == set(trace.fusion.ids)


def test_C3_the_candidate_keeps_its_payload_from_the_lane_with_the_highest_raw_score() -> None:
    def passage(text: str) -> Passage:
        return Passage("x", "d", text, 0)

    low, high = [(passage("from low"), 0.2)], [(passage("from high"), 0.9)]
    bench = Workbench(DOCUMENTS, lanes={"low": low, "high": high})
    assert bench.retrieve("anything at all", 50).passages["x"].text == "from high"
    tied = Workbench(DOCUMENTS, lanes={"one": [(passage("one"), 0.5)], "two": [(passage("two"), 0.5)]})
    trace = tied.retrieve("anything at all", 50)
    assert trace.passages["x"].text == "one"
    assert [c.lane for c in trace.fusion.of("x") if c.rank] == ["one", "two"]


def test_C4_signals_decide_which_lanes_are_built_and_the_others_say_why_they_are_off() -> None:
    trace = Workbench(DOCUMENTS, signals=["text", "structure"]).retrieve("failed heating")
    assert [(lane.name, lane.status) for lane in trace.lanes] == [
        ("lexical", "ran"),
        ("dense", "off"),
        ("structure", "ran"),
        ("graph", "off"),
        ("wiki", "off"),
    ]
    assert trace.attempt.lane("dense").reason == "signal 'embedding' is not declared"
    assert trace.fusion.lanes == ("lexical", "structure")


def test_C4_community_is_the_graph_lane_and_an_unknown_signal_names_the_known() -> None:
    assert Workbench(DOCUMENTS, signals=["community"]).retrieve("Night Desk").fusion.lanes == ("graph",)
    with refused("unknown_signal", "'vectors'", "text, embedding, structure, graph, community, wiki"):
        Workbench(DOCUMENTS, signals=["vectors"])


def test_C5_without_an_embedder_the_bench_is_lexical_and_the_trace_says_why() -> None:
    trace = Workbench(DOCUMENTS, embedder=None).retrieve("failed heating")
    dense = trace.attempt.lane("dense")
    assert dense.status == "unavailable"
    assert "no embedder" in dense.reason
    assert trace.degraded == (f"dense: {dense.reason}",)
    assert "dense" not in trace.fusion.lanes


def test_C6_the_lexical_engine_is_chosen_by_name() -> None:
    trace = Workbench(DOCUMENTS, config=Config(lexical_engine="rank-bm25", bm25_variant="okapi", bm25_k1=1.5)).retrieve(
        "failed heating"
    )
    lane = trace.attempt.lane("lexical")
    assert (lane.backend, lane.score_model) == ("rank-bm25", "rank-bm25-BM25Okapi(k1=1.5,b=0.75,analyzer=english)")
    with refused("contradiction", "lucene"):
        Config(lexical_engine="rank-bm25")


def test_C7_structure_counts_distinct_query_terms_on_the_best_heading(bench: Workbench) -> None:
    lane = bench.retrieve("failed failed heating").attempt.lane("structure")
    first = lane.hits[0]
    assert first.score == 2.0
    assert lane.detail[first.id]["node"] == "Failed heating"
    assert all(hit.id.startswith("heating.md") for hit in lane.hits)
    for above, below in zip(lane.hits, lane.hits[1:], strict=False):
        assert (-above.score, above.id) < (-below.score, below.id)


def test_C7_documents_without_headings_make_an_empty_lane_not_an_error() -> None:
    lane = (
        Workbench([Document("plain.txt", "No heading here, only a sentence.")])
        .retrieve("sentence")
        .attempt.lane("structure")
    )
    assert (lane.status, lane.hits) == ("ran", ())


def test_C8_graph_returns_the_passages_of_the_matching_entities(bench: Workbench) -> None:
    lane = bench.retrieve("who is the Night Desk?").attempt.lane("graph")
    assert [p.id for p in bench.passages if "Night Desk" in p.text] == list(lane.ids)
    assert lane.detail[lane.ids[0]]["entity"] == "Night Desk"


def test_C9_wiki_resolves_pages_down_to_passages_and_never_cites_a_page(bench: Workbench) -> None:
    lane = bench.retrieve("deposit returned").attempt.lane("wiki")
    assert lane.hits
    assert set(lane.ids) <= {p.id for p in bench.passages}
    first = lane.detail[lane.ids[0]]
    assert first["page"] == "Lease"
    assert [t["term"] for t in first["terms"]] == ["page", "share of query terms"]


def test_C9_what_is_quoted_is_the_passages_own_text(bench: Workbench) -> None:
    trace = bench.retrieve("deposit returned")
    for id in trace.attempt.lane("wiki").ids:
        assert trace.passages[id].text in LEASE.text + HEATING.text + "".join(d.text for d in DOCUMENTS)


def test_C10_no_reranker_keeps_the_fused_order_and_the_trace_says_identity() -> None:
    trace = Workbench(DOCUMENTS, reranker=None).retrieve("written notice")
    assert trace.reranking.name == "identity"
    assert trace.reranking.ids == trace.fusion.ids
    assert trace.reranking.scores == tuple(trace.fusion.scores.tolist())


def test_C10_the_reranker_scores_against_the_question_as_asked_on_a_retry_too() -> None:
    spy = Spy()
    trace = Workbench(DOCUMENTS, reranker=spy, config=Config(retry_gain=0)).ask("quarterly tax forms")
    assert len(trace.attempts) == len(spy.seen) > 1
    assert {query for query, _ in spy.seen} == {"quarterly tax forms"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda c: [(x.id, 1.0) for x in c[1:]], "left out"),
        (lambda c: [(x.id, 1.0) for x in c] + [(c[0].id, 2.0)], "repeated"),
        (lambda c: [(x.id, 1.0) for x in c] + [("ghost", 2.0)], "invented"),
        (lambda c: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_C10_a_reranker_that_breaks_its_contract_is_a_named_error(answer, said: str) -> None:  # type: ignore[no-untyped-def]
    class Broken:
        def rerank(self, query: str, candidates):  # type: ignore[no-untyped-def]
            return answer(candidates)

    with refused("model_failed", said):
        Workbench(DOCUMENTS, reranker=Broken()).retrieve("written notice")


def test_C10_a_reranker_that_gives_nan_is_refused() -> None:
    class Nan:
        def rerank(self, query: str, candidates):  # type: ignore[no-untyped-def]
            return [(c.id, float("nan")) for c in candidates]

    with refused("not_finite", "nan"):
        Workbench(DOCUMENTS, reranker=Nan()).retrieve("written notice")


def test_C12_top_k_is_five_and_k_overrides_it_for_one_call(bench: Workbench) -> None:
    assert bench.config.top_k == 5
    assert len(bench.retrieve("the lease").attempt.evidence) == 5
    assert len(bench.retrieve("the lease", 2).attempt.evidence) == 2
    assert len(bench.retrieve("the lease").attempt.evidence) == 5
    with refused("out_of_range", "k is 0"):
        bench.retrieve("the lease", 0)


def test_C13_retrieve_gives_candidates_and_ask_goes_on_to_an_answer() -> None:
    bench = Workbench(DOCUMENTS, generator="extractive")
    assert (bench.retrieve("written notice").verdict, bench.retrieve("written notice").answer) == ("retrieved", None)
    trace = bench.ask("How is written notice of the end of the lease sent?")
    assert trace.verdict == "answerable"
    assert trace.answer is not None
    assert trace.grounding is not None


def test_C13_delete_takes_a_document_out_of_every_lane() -> None:
    bench = Workbench(DOCUMENTS)
    bench.delete("heating.md")
    trace = bench.retrieve("failed heating Night Desk")
    assert not [id for id in trace.fusion.ids if id.startswith("heating.md")]
    with refused("unknown_id", "heating.md"):
        bench.delete("heating.md")


def test_C14_plain_ids_candidates_and_lanes_fuse_to_the_same_order(bench: Workbench) -> None:
    lanes = {lane.name: lane for lane in bench.retrieve("written notice").lanes}
    plain = {name: list(lane.ids) for name, lane in lanes.items()}
    pairs = {name: [(hit.id, hit.score) for hit in lane.hits] for name, lane in lanes.items()}
    assert rrf(lanes).ids == rrf(plain).ids == rrf(pairs).ids


def test_C15_every_lane_and_phrasing_feeds_one_fusion(bench: Workbench) -> None:
    trace = bench.retrieve("failed heating", phrasings=["radiator is cold"])
    assert trace.fusion.lanes == (
        *("lexical", "dense", "structure", "graph", "wiki"),
        *("lexical (2)", "dense (2)", "structure (2)", "graph (2)", "wiki (2)"),
    )
    assert trace.attempt.lane("dense (2)").hits == bench.retrieve("radiator is cold").attempt.lane("dense").hits


def test_depth_head_and_cut_are_three_numbers_and_each_shows_in_the_trace() -> None:
    documents = [Document(f"d{n:03}", f"Meter number {n} was read by the caretaker.") for n in range(80)]
    trace = Workbench(documents, signals=["text"], config=Config(depth=60, rerank_head=50, top_k=4)).retrieve(
        "meter read by caretaker"
    )
    assert (len(trace.attempt.lane("lexical").hits), trace.attempt.lane("lexical").depth) == (60, 60)
    assert (len(trace.reranking.ids), trace.reranking.head) == (50, 50)
    assert len(trace.attempt.evidence) == 4
    assert (trace.config.depth, trace.config.rerank_head, trace.config.top_k) == (60, 50, 4)


def test_a_document_taken_in_again_after_it_shrank_leaves_nothing_behind() -> None:
    bench = Workbench(
        [Document("a", "Alpha sentence about boilers. " * 60), Document("b", "Bravo sentence about lifts.")]
    )
    before = len(bench.passages)
    bench.add(Document("a", "Alpha is short now."))
    assert len(bench.passages) == 2 < before
    assert {p.id for p in bench.passages} == {"a#c0", "b#c0"}
    assert set(bench.retrieve("alpha sentence about boilers").fusion.ids) <= {"a#c0", "b#c0"}


def test_a_failed_add_changes_nothing() -> None:
    bench = Workbench(DOCUMENTS)
    before = bench.retrieve("written notice").fingerprint()
    with refused("wrong_type", "str"):
        bench.add(["not a document"])  # type: ignore[list-item]
    with refused("repeated_id", "'x'"):
        bench.add([Document("x", "one"), Document("x", "two")])
    assert bench.retrieve("written notice").fingerprint() == before


def test_the_order_of_documents_changes_nothing() -> None:
    prints = {
        Workbench(order).retrieve("written notice of the lease").fingerprint()
        for order in (DOCUMENTS, DOCUMENTS[::-1], DOCUMENTS[2:] + DOCUMENTS[:2])
    }
    assert len(prints) == 1


def test_an_embedder_that_raises_makes_the_lane_unavailable_with_its_words_L1() -> None:
    def broken(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("model server is down")

    trace = Workbench(DOCUMENTS, embedder=broken).retrieve("failed heating")
    dense = trace.attempt.lane("dense")
    assert (dense.status, dense.hits) == ("unavailable", ())
    assert "model server is down" in dense.reason
    assert "model server is down" in trace.degraded[0]


def test_an_embedder_that_fails_only_on_the_query_makes_the_lane_unavailable_L1() -> None:
    calls: list[int] = []

    def flaky(texts: list[str]) -> list[list[float]]:
        calls.append(len(texts))
        if len(calls) > 1:
            raise TimeoutError("too slow")
        return [[float(len(text)), 1.0] for text in texts]

    dense = Workbench(DOCUMENTS, embedder=flaky).retrieve("failed heating").attempt.lane("dense")
    assert dense.status == "unavailable"
    assert "too slow" in dense.reason


def test_a_vector_with_nan_is_never_ranked() -> None:
    def nan(texts: list[str]) -> list[list[float]]:
        return [[float("nan"), 1.0] for _ in texts]

    dense = Workbench(DOCUMENTS, embedder=nan).retrieve("failed heating").attempt.lane("dense")
    assert dense.status == "unavailable"
    assert "NaN" in dense.reason


def test_when_no_lane_can_run_it_is_an_error_not_an_empty_answer() -> None:
    with refused("lane_failed", "no embedder"):
        Workbench(DOCUMENTS, signals=["embedding"], embedder=None).retrieve("failed heating")


def test_a_given_lane_keeps_its_order_and_may_bring_its_own_passages(bench: Workbench) -> None:
    ids = [p.id for p in bench.passages][::-1]
    trace = Workbench(DOCUMENTS, signals=["text"], lanes={"mine": lambda query, depth: ids[:depth]}).retrieve(
        "written notice"
    )
    assert list(trace.attempt.lane("mine").ids) == ids
    with refused("lane_failed", "'nowhere'"):
        Workbench(DOCUMENTS, lanes={"mine": ["nowhere"]}).retrieve("written notice")


def test_a_given_lane_that_raises_is_unavailable_in_its_own_words() -> None:
    def down(query: str, depth: int) -> list[str]:
        raise ConnectionError("refused by peer")

    trace = Workbench(DOCUMENTS, lanes={"mine": down}).retrieve("written notice")
    assert trace.attempt.lane("mine").status == "unavailable"
    assert "refused by peer" in trace.degraded[0]


@pytest.mark.parametrize(
    ("items", "code", "said"),
    [
        ([("a", 1.0), (None, 0.5)], "missing_id", "position 2"),
        ([("a", 1.0), ("", 0.5)], "missing_id", "position 2"),
        ([1, 2], "id_not_text", "position 1"),
        (["a", "a"], "repeated_id", "'a'"),
        ([("a", float("nan"))], "not_finite", "'a'"),
        ([("a", "high")], "wrong_type", "'high'"),
        ([("a", 1, 2)], "lane_failed", "position 1"),
    ],
)
def test_a_given_lane_that_breaks_the_contract_is_refused_with_lane_and_position_F11(
    items, code: str, said: str
) -> None:  # type: ignore[no-untyped-def]
    with refused(code, "lane 'mine'", said):
        Workbench(DOCUMENTS, lanes={"mine": items})


def test_F14_a_lane_where_lower_is_better_is_asked_for_its_direction_and_never_clamped() -> None:
    rows = [("lease.md#c0", -4.2), ("pets.md#c0", -0.5)]
    with refused("contradiction", "'lease.md#c0' (-4.2)", "better='lower'"):
        Workbench(DOCUMENTS, lanes={"fts": rows})
    lane = GivenLane("fts", rows, better="lower").search("notice", 10)
    assert [(hit.id, hit.score) for hit in lane.hits] == [("lease.md#c0", 4.2), ("pets.md#c0", 0.5)]
    assert lane.score_model == "given (negated: lower is better)"
    trace = Workbench(DOCUMENTS, lanes={"fts": GivenLane("fts", rows, better="lower")}).retrieve("notice")
    assert trace.attempt.lane("fts").ids == ("lease.md#c0", "pets.md#c0")


def test_two_passages_of_the_same_text_stay_two_candidates_F10() -> None:
    bench = Workbench([Document("a", "The lift is out of order."), Document("b", "The lift is out of order.")])
    trace = bench.retrieve("lift out of order")
    assert set(trace.fusion.ids) == {"a#c0", "b#c0"}
    assert trace.same_text("a#c0") == ("b#c0",)


def test_a_filter_is_recorded_with_what_it_dropped(bench: Workbench) -> None:
    trace = bench.retrieve("the lease deposit", filter=Filter(exclude_ids=("lease.md",)))
    assert not [id for id in trace.fusion.ids if id.startswith("lease.md")]
    lane = trace.attempt.lane("lexical")
    assert lane.filter == Filter(exclude_ids=("lease.md",))
    assert lane.dropped == len([p for p in bench.passages if p.document_id == "lease.md"])


def test_weights_act_and_a_weight_for_no_lane_is_refused() -> None:
    trace = Workbench(DOCUMENTS, config=Config(weights={"dense": 0.0})).retrieve("failed heating")  # type: ignore[arg-type]
    dense = [c.contribution for id in trace.fusion.ids for c in trace.fusion.of(id) if c.lane == "dense" and c.rank]
    assert set(dense) == {0.0}
    with refused("unknown_parameter", "'densse'", "did you mean 'dense'"):
        Workbench(DOCUMENTS, config=Config(weights={"densse": 1.0})).retrieve("failed heating")  # type: ignore[arg-type]


def test_an_off_lane_is_never_fused_and_holds_no_hits() -> None:
    for lane in Workbench(DOCUMENTS, signals=["text"]).retrieve("heating").lanes:
        assert isinstance(lane, Lane)
        assert lane.status == "ran" or not lane.hits


def test_a_term_that_okapi_cannot_weigh_is_explained_in_words_B1() -> None:
    documents = [
        Document(id, text)
        for id, text in zip("abcd", ("alpha beta", "alpha gamma", "delta beta", "delta gamma"), strict=True)
    ]
    lane = (
        Workbench(documents, signals=["text"], config=Config(bm25_variant="okapi"))
        .retrieve("alpha")
        .attempt.lane("lexical")
    )
    assert {hit.score for hit in lane.hits} == {0.0}
    assert lane.about["terms"][0]["notes"] == ("in exactly half of the documents: idf is 0",)
    lucene = Workbench(documents, signals=["text"]).retrieve("alpha").attempt.lane("lexical")
    assert [(hit.id, round(hit.score or 0, 4)) for hit in lucene.hits] == [("a#c0", 0.3151), ("b#c0", 0.3151)]


def test_the_lane_lists_the_query_terms_with_their_df_and_those_that_index_nothing_T1() -> None:
    lane = Workbench(DOCUMENTS, signals=["text"]).retrieve("heating 東京 zyzzyva").attempt.lane("lexical")
    assert [t["term"] for t in lane.about["terms"]] == ["heat", "東京", "zyzzyva"]
    assert lane.about["terms"][0]["df"] > 0
    assert lane.about["unindexed"] == ("東京", "zyzzyva")


def test_graph_and_wiki_read_labels_with_the_analyzer_of_the_text() -> None:
    documents = [
        Document("api", "# Client\n\nCall `MeterClient.fetch_window()` to read `parse_reading` values."),
        Document("ja", "# 暖房\n\n「暖房の期間」とは、十月から四月までをいう。管理事務所が決める。"),
    ]
    bench = Workbench(documents, signals=["graph", "wiki"])
    assert bench.retrieve("parse_reading").attempt.lane("graph").ids == ("api#c0",)
    assert bench.retrieve("暖房の期間").attempt.lane("graph").ids == ("ja#c0",)
    assert bench.retrieve("暖房").attempt.lane("wiki").ids == ("ja#c0",)
