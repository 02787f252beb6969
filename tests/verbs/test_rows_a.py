"""Rows A1-A13 and A16 of the systems page, and the faults seen in the original."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.helpers import refused
from tests.verbs.counting import counted
from workbench import BackendUnavailable, DenseIndex, Document, Filter, Lane, Passage, Workbench
from workbench.records import Diversification, Fusion, Hit
from workbench.testing import check_lane
from workbench.verbs import (
    BACKENDS,
    VERBS,
    Backend,
    Limits,
    MixedScoreModels,
    Provenance,
    Ranking,
    backend_status,
    filtered_search,
    hybrid_search,
    provenance,
    rerank,
    sparse_search,
    vector_search,
)

DOCS = [
    Document("a", "red tape and red ink", title="Tape", metadata={"year": 2031}),  # type: ignore[arg-type]
    Document("b", "blue tape", metadata={"year": 2030}),  # type: ignore[arg-type]
    Document("c", "green ink"),
]
VECTORS = {"a": [1.0, 0.0], "b": [0.0, 1.0], "d": [1.0, 1.0]}
WORKED = {"lexical": [("x", 0.91), ("y", 0.4)], "dense": [("y", 2.0), ("z", 1.0)], "graph": [("x", 0.55)]}


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench.sample(signals=["text", "embedding"])


def test_A1_every_verb_takes_its_backend_by_keyword_and_the_result_names_it(bench: Workbench) -> None:
    found = sparse_search("red tape", DOCS, backend="lexical")
    near = vector_search([1.0, 0.2], VECTORS, backend="dense")
    both = hybrid_search({"sparse": found, "dense": near}, backend="local")
    diverse = rerank(both, np.eye(len(both)), backend="local")
    kept = filtered_search("tape", DOCS, filter=Filter(exclude_ids=("b",)), backend="lexical")
    stored = sparse_search("invoice", bench=bench, backend="index")
    named = [(each.verb, each.backend) for each in (found, near, both, diverse, kept, stored)]
    assert named == [
        ("sparse_search", "lexical"),
        ("vector_search", "dense"),
        ("hybrid_search", "local"),
        ("rerank", "local"),
        ("filtered_search", "lexical"),
        ("sparse_search", "index"),
    ]
    assert provenance(both, backend="local").backend == "local"


def test_A2_one_table_says_which_backend_serves_which_verb() -> None:
    assert tuple(BACKENDS) == ("local", "lexical", "dense", "index")
    assert {verb for backend in BACKENDS.values() for verb in backend.engines} == set(VERBS)
    for name, backend in BACKENDS.items():
        assert backend_status(name).verbs == tuple(backend.engines)


def test_A2_a_backend_that_cannot_produce_the_lane_is_refused_and_names_those_that_can() -> None:
    local, calls = counted("local")
    with refused("backend_cannot_serve_verb", "'local'", "'dense' or 'index'"):
        vector_search([1.0], {"a": [1.0]}, backend=local)
    with refused("backend_cannot_serve_verb", "'lexical', 'dense' or 'index'".replace(", ", " or ")):
        filtered_search("x", {"a": "x"}, filter=Filter(exclude_ids=("b",)), backend=local)
    with refused("backend_cannot_serve_verb", "'index'", "'local'"):
        rerank([("a", 1.0)], [1], backend="index")
    assert calls == []


def test_A3_a_missing_component_raises_and_the_status_says_so_before_the_call() -> None:
    absent = replace(BACKENDS["lexical"], name="mine", needs=lambda verb: {"tantivy": False, "snowballstemmer": True})
    status = backend_status(absent)
    assert (status.available, status.missing) == (False, ("tantivy",))
    with pytest.raises(BackendUnavailable, match="tantivy") as caught:
        sparse_search("x", {"a": "x"}, backend=absent)
    assert (caught.value.backend, caught.value.missing, caught.value.verb) == ("mine", ("tantivy",), "sparse_search")


def test_A3_every_backend_of_ours_runs_and_index_says_what_it_has_to_be_given(bench: Workbench) -> None:
    assert all(backend_status(name).available is True for name in ("local", "lexical", "dense"))
    unknown = backend_status("index")
    assert unknown.available is None
    assert unknown.missing == ("a Workbench (bench=…)",)
    with pytest.raises(BackendUnavailable, match="bench=") as caught:
        sparse_search("x", backend="index")
    assert caught.value.verb == "sparse_search"
    assert backend_status("index", bench=bench).available is True
    with refused("unknown_backend", "'nope'", "local, lexical, dense, index"):
        backend_status("nope")


def test_A3_a_workbench_without_the_lane_is_unavailable_never_an_empty_result() -> None:
    bare = Workbench.sample(embedder=None)
    status = backend_status("index", verb="vector_search", bench=bare)
    assert status.available is False
    assert "embedder" in status.missing[0]
    with pytest.raises(BackendUnavailable, match="embedder"):
        vector_search(query="invoice", bench=bare, backend="index")
    silent = Workbench.sample(signals=["embedding"])
    with pytest.raises(BackendUnavailable, match="'text'"):
        sparse_search("invoice", bench=silent, backend="index")


def test_A4_the_worked_example_fuses_to_its_exact_doubles() -> None:
    fused = hybrid_search(WORKED)
    assert fused.ids == ("x", "y", "z")
    assert [hit.score for hit in fused.hits] == [0.03278688524590164, 0.03252247488101534, 0.016129032258064516]
    assert hybrid_search(WORKED, top_k=1).ids == ("x",)
    assert hybrid_search(WORKED, rrf_k=1).hit("x").score == 1 / 2 + 1 / 2


def test_A4_the_result_of_any_verb_is_a_lane_of_another_and_keeps_its_backend() -> None:
    found, near = sparse_search("red tape", DOCS), vector_search([1.0, 0.2], VECTORS)
    fused = hybrid_search({"sparse": found, "dense": near, "mine": ["a"]})
    again = hybrid_search({"fused": fused, "picked": rerank(fused, np.eye(len(fused)))})
    assert [part.backend for part in fused.of("a") or ()] == ["lexical", "dense", "given"]
    assert [part.backend for part in again.of("a") or ()] == ["local", "local"]
    assert again.query == "red tape"
    renamed = hybrid_search({"first": Lane("own name", (Hit("a", 1, 0.5),), backend="engine")})
    assert (renamed.lanes[0].name, (renamed.of("a") or ())[0].backend) == ("first", "engine")


def test_A4_without_explain_the_contributions_are_left_out_and_said_to_be() -> None:
    bare = hybrid_search(WORKED, explain=False)
    assert bare.hits == hybrid_search(WORKED).hits
    assert bare.of("x") is None
    assert provenance(bare).attribution_residual is None
    assert "gave no attribution" in provenance(bare).why("x")


def test_A5_the_same_lanes_in_the_same_order_give_the_same_bits_and_order_is_part_of_the_answer() -> None:
    lanes: dict[str, Any] = {
        name: ["p"] * (n == 0) + [f"{name}{i}" for i in range(n)] + ["p"] * (n > 0)
        for name, n in (("r0", 0), ("r1", 1), ("r6", 6))
    }
    turned = {name: lanes[name] for name in ("r6", "r0", "r1")}
    first, other = hybrid_search(lanes).hit("p").score, hybrid_search(turned).hit("p").score
    assert first == (1 / 61 + 1 / 62) + 1 / 67
    assert other == (1 / 67 + 1 / 61) + 1 / 62
    assert hybrid_search(turned) == hybrid_search(dict(turned))


def test_A6_an_empty_lane_fuses_and_is_reported_and_none_is_refused() -> None:
    fused = hybrid_search(dense=[("a", 1.0)], sparse=[])
    assert fused.ids == ("a",)
    assert "sparse (given) ran and matched nothing" in provenance(fused).why("a")
    assert "sparse (given) ran and matched nothing" in repr(fused)
    nothing = hybrid_search(dense=[], sparse=[])
    assert len(nothing) == 0
    assert "dense (given) ran and matched nothing" in repr(nothing)
    with refused("absent_lane", "sparse did not run"):
        hybrid_search(dense=[("a", 1.0)])
    with refused("absent_lane", "no embedder"):
        hybrid_search({"dense": Lane("dense", status="unavailable", reason="no embedder")})


def test_A7_linear_is_alpha_dense_plus_the_rest_sparse() -> None:
    fused = hybrid_search(dense=[("a", 0.2), ("b", 0.1)], sparse=[("b", 0.9), ("a", 0.3)], fusion="linear", alpha=0.25)
    assert fused.hit("b").score == 0.25 * 0.1 + 0.75 * 0.9
    assert fused.ids == ("b", "a")
    assert fused.score_model == "linear(alpha=0.25,dense=given,sparse=given)"
    with refused("missing_score", "'dense' gives no score for 'a'"):
        hybrid_search(dense=["a"], sparse=[("a", 0.3)], fusion="linear")
    with refused("shape_mismatch", "'c'"):
        hybrid_search({"dense": [], "c": []}, fusion="linear")


def test_A8_why_is_one_sentence_with_rank_score_backend_model_and_every_contribution() -> None:
    found, near = sparse_search("red tape", DOCS), vector_search([1.0, 0.2], VECTORS)
    said = provenance(hybrid_search({"sparse": found, "dense": near, "graph": []})).why("d")
    assert said == (
        "d is third of 3 with the score 0.01613 from backend local (score model rrf(k=60,lanes=sparse+dense+graph)): "
        "sparse (lexical) did not return it; dense (dense) has it second with 0.8321 and adds 0.01613; "
        "graph (given) ran and matched nothing."
    )


def test_A8_absent_is_none_never_0_and_the_residual_is_exactly_0() -> None:
    why: Provenance = provenance(hybrid_search(WORKED))
    absent = (why.of("x") or ())[1]
    assert (absent.lane, absent.rank, absent.score, absent.contribution) == ("dense", None, None, None)
    assert why.attribution_residual == 0.0
    for ranking in (sparse_search("red tape", DOCS), vector_search([1.0, 0.2], VECTORS), rerank([("a", 0.3)], [1])):
        assert provenance(ranking).attribution_residual == 0.0


def test_A8_a_backend_that_scores_nothing_gives_no_attribution() -> None:
    listed = Backend(
        "list", "an order and no more", {"sparse_search": lambda _: Lane("list", (Hit("a", 1),), score_model="none")}
    )
    ranking = sparse_search("x", backend=listed)
    assert ranking.contributions is None
    assert provenance(ranking).attribution_residual is None
    assert "no score" in provenance(ranking).why("a")


def test_A8_provenance_of_a_backend_that_the_result_did_not_come_from_is_refused() -> None:
    ranking = sparse_search("red tape", DOCS)
    with refused("contradiction", "'dense'", "'lexical'"):
        provenance(ranking, backend="dense")
    with refused("unknown_backend", "'nope'"):
        provenance(ranking, backend="nope")
    with refused("wrong_type", "list"):
        provenance([("a", 1.0)])  # type: ignore[arg-type]
    with refused("unknown_id", "'z'"):
        provenance(ranking).why("z")


def test_A9_the_score_model_is_part_of_every_result() -> None:
    found = sparse_search("red tape", DOCS)
    assert found.score_model == "bm25-lucene(k1=1.2,b=0.75,analyzer=english)"
    assert sparse_search("red", DOCS, k1=2, analyzer="plain").score_model == "bm25-lucene(k1=2,b=0.75,analyzer=plain)"
    assert vector_search([1, 0], VECTORS).score_model == "cosine(2 d)"
    assert vector_search([1, 0], VECTORS, metric="dot", model="toy 1").score_model == "dot(toy 1)"
    assert hybrid_search(WORKED).score_model == "rrf(k=60,lanes=lexical+dense+graph)"
    assert rerank(found, np.eye(2)).score_model == f"mmr(lambda=0.7,relevance={found.score_model})"


def test_A9_comparing_or_adding_scores_of_different_models_warns() -> None:
    found, other = sparse_search("tape", DOCS), sparse_search("tape", DOCS, k1=2)
    with pytest.warns(MixedScoreModels, match=r"k1=1\.2.*k1=2"):
        rows = found.compare(other)
    assert all(row.difference is None for row in rows)
    near = vector_search([1.0, 0.2], {"a": [1, 0], "b": [0, 1]})
    with pytest.warns(MixedScoreModels, match="linear adds"):
        hybrid_search(dense=near, sparse=found, fusion="linear")
    same = found.compare(sparse_search("tape", DOCS[:2]))
    assert [(row.id, row.moved) for row in same] == [("b", 0), ("a", 0)]
    assert all(row.difference is not None for row in same)


def test_A10_rerank_is_mmr_over_the_given_scores_and_the_first_redundancy_is_absent() -> None:
    picked = rerank([("c0", 0.9), ("c1", 0.4)], [1, 0.2, 0.2, 1], lambda_mmr=0.7)
    assert [hit.score for hit in picked.hits] == [0.63, 0.21999999999999997]
    first, second = picked.of("c0"), picked.of("c1")
    assert first is not None
    assert second is not None
    assert (first[1].score, first[1].contribution) == (None, None)
    assert second[1].score == 0.2
    assert "nothing was picked before it" in provenance(picked).why("c0")
    assert "its redundancy 0.2, most like c0, takes 0.06" in provenance(picked).why("c1")
    assert "did not return" not in provenance(picked).why("c0")


def test_A10_similarity_may_be_flat_nested_an_array_numpy_scalars_or_a_function() -> None:
    candidates = [("a", 0.9), ("b", np.float64(0.88)), ("c", 0.5)]
    matrix = [[1.0, 0.95, 0.1], [0.95, 1.0, 0.2], [0.1, 0.2, 1.0]]
    flat = [np.float64(value) for row in matrix for value in row]
    array = np.array(matrix)
    found = [rerank(candidates, given, lambda_mmr=0.3) for given in (matrix, flat, array, lambda j: array[:, j])]
    assert {each.ids for each in found} == {("a", "c", "b")}
    assert len({each.hits for each in found}) == 1


def test_A10_only_candidate_selected_is_read_and_an_unchanged_order_is_said() -> None:
    upper = [[1.0, -5.0], [0.2, 1.0]]
    assert rerank([("a", 0.9), ("b", 0.4)], upper).hit("b").score == 0.7 * 0.4 - (1 - 0.7) * 0.2
    assert "λ changes nothing here" in repr(rerank([("a", 0.9), ("b", 0.4)], np.eye(2)))


def test_A11_ids_and_metadata_apply_before_the_search_and_the_window_to_its_own_scores() -> None:
    by_year = sparse_search("tape ink", DOCS, filter=Filter(where={"year": 2031}))  # type: ignore[arg-type]
    assert (by_year.ids, by_year.dropped) == (("a",), 2)
    scores = {hit.id: hit.score for hit in sparse_search("tape", DOCS).hits}
    window = filtered_search("tape", DOCS, filter=Filter(min_score=scores["b"]))
    assert (window.ids, window.dropped) == (("b",), 1)
    near = filtered_search(
        query_vector=[1, 0], vectors=VECTORS, documents=DOCS, filter=Filter(where={"year": 2030}), backend="dense"
    )  # type: ignore[arg-type]
    assert (near.ids, near.dropped) == (("b",), 2)
    assert near.text("b") == "blue tape"


def test_A11_the_filter_and_what_it_dropped_are_in_the_provenance_and_on_the_page() -> None:
    kept = filtered_search("tape", DOCS, filter=Filter(exclude_ids=("b",)))
    why = provenance(kept)
    assert why.filter == Filter(exclude_ids=("b",))
    assert why.dropped == 1
    assert "a filter kept 1 out" in why.why("a")
    assert "a filter kept 1 out" in repr(kept)
    fused = provenance(hybrid_search({"sparse": kept, "mine": ["a"]}))
    assert [source.dropped for source in fused.sources] == [1, None]
    with refused("wrong_type", "sparse_search or vector_search"):
        filtered_search("tape", DOCS, filter=None)  # type: ignore[arg-type]
    with refused("unknown_parameter", "'metric'"):
        filtered_search("tape", DOCS, filter=Filter(exclude_ids=("b",)), metric="dot")


def test_A12_nothing_to_search_is_not_nothing_found() -> None:
    assert sparse_search("purple", DOCS).ids == ()
    assert "ran and matched nothing" in repr(sparse_search("purple", DOCS))
    with refused("nothing_to_search", "not the same as nothing found"):
        sparse_search("purple", [])


def test_A12_a_zero_vector_has_a_dot_product() -> None:
    found = vector_search([0, 0], {"a": [1, 0], "z": [0, 0]}, metric="dot")
    assert [(hit.id, hit.score) for hit in found.hits] == [("a", 0.0), ("z", 0.0)]
    with refused("zero_vector", "'z'"):
        vector_search([1, 0], {"a": [1, 0], "z": [0, 0]})


def test_A12_a_size_limit_is_read_from_the_backend_and_comes_before_any_work() -> None:
    lexical, calls = counted("lexical")
    small = replace(lexical, limits=Limits(documents=2, hits=50))
    with refused("too_large", "3", "at most 2"):
        sparse_search("tape", DOCS, backend=small)
    with refused("out_of_range", "99", "from 1 to 50"):
        sparse_search("tape", DOCS[:2], backend=small, top_k=99)
    local, fused = counted("local")
    few = replace(local, limits=Limits(lanes=1, hits=2, candidates=1))
    with refused("too_large", "lanes"):
        hybrid_search(dense=[], sparse=[], backend=few)
    with refused("too_large", "'a'"):
        hybrid_search({"a": ["x", "y", "z"]}, backend=few)
    with refused("too_large", "candidates"):
        rerank([("a", 1.0), ("b", 1.0)], np.eye(2), backend=few)
    flat = replace(counted("dense")[0], limits=Limits(dimension=2))
    with refused("too_large", "a vector"):
        vector_search([1, 0, 0], {"a": [1, 0, 0]}, backend=flat)
    assert (calls, fused) == ([], [])
    assert sparse_search("tape", DOCS[:2], backend=small).ids == ("b", "a")
    assert calls == ["sparse_search"]


def test_A13_a_backend_that_fails_is_a_named_error_with_its_own_words() -> None:
    def fails(_: Any) -> Lane:
        raise OSError("disk 7 is gone")

    broken = Backend("mine", "breaks", {"sparse_search": fails, "hybrid_search": fails, "rerank": fails})
    for call in (
        lambda: sparse_search("x", backend=broken),
        lambda: hybrid_search(WORKED, backend=broken),
        lambda: rerank([("a", 1.0)], [1], backend=broken),
    ):
        with refused("lane_failed", "'mine'", "OSError: disk 7 is gone", "nothing was ranked"):
            call()


def _answers(verb: str, answer: Any) -> Backend:
    return Backend("mine", "answers what it was built with", {verb: lambda _: answer})


@pytest.mark.parametrize(
    ("lane", "said"),
    [
        ([("a", 1.0)], "list"),
        (Lane("m", (Hit("a", 1, 0.5), Hit("a", 2, 0.4)), score_model="m"), "not different"),
        (Lane("m", (Hit("a", 2, 0.5),), score_model="m"), "without a gap"),
        (Lane("m", (Hit("a", 1, math.nan),), score_model="m"), "not finite"),
        (Lane("m", (Hit("a", 1, 0.4), Hit("b", 2, 0.5)), score_model="m"), "falling"),
        (Lane("m", tuple(Hit(f"h{i}", i + 1, 0.5) for i in range(11)), score_model="m"), "11 hits for 10"),
        (Lane("m", (Hit("a", 1, 0.5),)), "no score model"),
        (Lane("m", (Hit("a", 1, 0.5),), score_model="m", filter=Filter(min_score=0.1)), "filter"),
    ],
)
def test_A13_a_lane_that_breaks_the_contract_is_refused_never_salvaged(lane: Any, said: str) -> None:
    with refused("lane_failed", said, "nothing was ranked"):
        sparse_search("x", backend=_answers("sparse_search", lane))


def test_A13_a_fusion_or_a_reranking_that_breaks_the_contract_is_refused() -> None:
    whole = hybrid_search(WORKED).fusion
    assert whole is not None
    fewer = hybrid_search({name: lane for name, lane in WORKED.items() if name != "graph"}).fusion
    for fusion, said in (
        (fewer, "it fused lanes"),
        (replace(whole, residual=0.5), "miss the score by 0.5"),
        (replace(whole, scores=whole.scores[::-1]), "falling"),
        (hybrid_search({**WORKED, "graph": ["q"]}).fusion, "ranks 4 ids"),
    ):
        with refused("lane_failed", said):
            hybrid_search(WORKED, backend=_answers("hybrid_search", fusion))
    picked = rerank([("a", 1.0), ("b", 0.5)], np.eye(2)).diversification
    assert isinstance(picked, Diversification)
    with refused("lane_failed", "picked 1 of 2"):
        rerank([("a", 1.0), ("b", 0.5)], np.eye(2), backend=_answers("rerank", replace(picked, steps=picked.steps[:1])))
    with refused("lane_failed", "not different candidates"):
        rerank([("a", 1.0), ("c", 0.5)], np.eye(2), backend=_answers("rerank", picked))


def test_A13_a_hit_that_was_not_in_the_call_is_refused() -> None:
    inventive = replace(
        BACKENDS["lexical"], engines={"sparse_search": lambda s: Lane("m", (Hit("z", 1, 0.5),), score_model="m")}
    )
    with refused("lane_failed", "'z'", "not in the call"):
        sparse_search("x", DOCS, backend=inventive)


def test_A15_a_retriever_that_the_caller_built_is_a_backend(bench: Workbench) -> None:
    retriever = bench.retrievers[0]
    mine = Backend.of(retriever)
    found = sparse_search("invoice", backend=mine, top_k=3)
    assert found.backend == "lexical"
    assert found.ids == retriever.search("invoice", 3).ids
    dense = Backend.of(bench.retrievers[1], verbs=("vector_search",))
    assert vector_search(query="invoice", backend=dense, top_k=3).ids == bench.retrievers[1].search("invoice", 3).ids
    with refused("backend_cannot_serve_verb"):
        sparse_search("invoice", backend=dense)


def test_A2_index_searches_what_a_workbench_stores_with_text_and_metadata(bench: Workbench) -> None:
    found = sparse_search("invoice", bench=bench, backend="index", top_k=5)
    near = vector_search(query="invoice", bench=bench, backend="index", top_k=5)
    for ranking, lane in ((found, "lexical"), (near, "dense")):
        built = next(each for each in bench.retrievers if each.name == lane)
        assert ranking.hits == built.search("invoice", 5).hits
        assert ranking.text(ranking.ids[0]) == bench.passage(ranking.ids[0]).text
    kept = filtered_search("invoice", bench=bench, backend="index", filter=Filter(exclude_ids=(found.ids[0],)))
    assert found.ids[0] not in kept.ids
    with refused("unknown_parameter", "query_vector"):
        vector_search([1.0], bench=bench, backend="index")
    with refused("unknown_parameter", "documents"):
        sparse_search("x", DOCS, bench=bench, backend="index")
    with refused("unknown_parameter", "bench"):
        sparse_search("x", DOCS, bench=bench)
    with refused("wrong_type", "bench"):
        sparse_search("x", bench=object(), backend="index")


def test_A16_code_is_read_as_an_identifier_and_its_parts() -> None:
    docs = {"a": "def parse_query(text)", "b": "def close_socket()", "c": "the query"}
    assert sparse_search("parse_query", docs, analyzer="code").ids == ("a", "c")
    assert sparse_search("get_user_by_id by", {"x": "get_user_by_id", "y": "user"}, analyzer="code").ids == ("x", "y")
    assert sparse_search("東京", {"x": "東京タワー", "y": "大阪"}).ids == ("x",)


# ---------------------------------------------------------------- faults seen in the original


def test_faults_A_a_fused_hit_keeps_each_lanes_backend_its_text_and_its_metadata() -> None:
    fused = hybrid_search({"sparse": sparse_search("red tape", DOCS), "dense": vector_search([1, 0], VECTORS)})
    assert [part.backend for part in fused.of("a") or ()] == ["lexical", "dense"]
    assert fused.text("a") == "red tape and red ink"
    assert fused.metadata("a") == {"year": 2031}
    assert rerank(fused, np.eye(len(fused))).text("a") == "red tape and red ink"
    assert fused.text("d") is None


def test_faults_A_where_lanes_disagree_about_a_payload_the_higher_raw_score_wins() -> None:
    low = sparse_search("tape", {"a": "tape and much else that makes it long"})
    high = sparse_search("tape", {"a": "tape"}, k1=0.1)
    assert low.hits[0].score < high.hits[0].score  # type: ignore[operator]
    assert hybrid_search({"low": low, "high": high}).text("a") == "tape"
    assert hybrid_search({"one": high, "two": replace(high, payload=low.payload)}).text("a") == "tape"


def test_faults_A_a_nan_inside_a_result_is_refused_not_read_as_0() -> None:
    with refused("not_finite", "nan"):
        hybrid_search(dense=Lane("dense", (Hit("a", 1, math.nan),)), sparse=[])
    ranking = sparse_search("red tape", DOCS)
    with refused("not_finite", "'a'", "nan"):
        replace(ranking, hits=(Hit("a", 1, math.nan),))
    with refused("contradiction", "ranks count from 1"):
        replace(ranking, hits=(Hit("a", 2, 0.5),))
    with refused("repeated_id", "'a'"):
        replace(ranking, hits=(Hit("a", 1, 0.5), Hit("a", 2, 0.5)))


# ---------------------------------------------------------------- the record


def rankings() -> list[Ranking]:
    found, near = sparse_search("red tape", DOCS, filter=Filter(exclude_ids=("c",))), vector_search([1.0, 0.2], VECTORS)
    fused = hybrid_search({"sparse": found, "dense": near, "graph": []}, top_k=2)
    linear = hybrid_search(dense=[("a", 0.2)], sparse=[("a", 0.3)], fusion="linear")
    return [found, near, fused, hybrid_search(WORKED, explain=False), linear, rerank(fused, np.eye(2))]


def test_a_ranking_and_its_provenance_survive_json() -> None:
    for ranking in rankings():
        assert Ranking.from_json(json.dumps(ranking.to_json())) == ranking
        why = provenance(ranking)
        assert Provenance.from_json(json.loads(json.dumps(why.to_json()))) == why
    with refused("unknown_schema", "7"):
        Ranking.from_json({"schema": 7})
    with refused("unknown_schema", "not JSON"):
        Ranking.from_json("{")


def test_a_ranking_is_a_lane_of_a_workbench_too(bench: Workbench) -> None:
    mine = vector_search(query="invoice", bench=bench, backend="index", top_k=4)
    own = Workbench.sample(signals=["text"], lanes={"mine": mine})
    assert next(lane for lane in own.retrieve("invoice").lanes if lane.name == "mine").ids == mine.ids


def test_a_rankings_look_ups_name_what_they_do_not_hold() -> None:
    fused = hybrid_search(WORKED, top_k=1)
    assert list(fused) == [fused.hit("x")]
    with refused("unknown_id", "'y'", "below the cut"):
        fused.hit("y")
    with refused("unknown_id", "'q'"):
        fused.text("q")


def test_what_a_ranking_shows_is_escaped_small_and_tells_absent_from_0() -> None:
    nasty = "<script>alert(1)</script>"
    docs = {f"{nasty}{n}": f"tape {nasty} \u202e" * 40 for n in range(60)}
    shown = hybrid_search({nasty: sparse_search("tape", docs, top_k=60), "dense": ["z"]})
    html = shown._repr_html_()
    assert "<script" not in html
    assert "\u202e" not in html
    assert len(html) < 30_000
    assert "1-10 of 61 hits" in html
    assert html.count("absent: it has no contribution here") == 10
    assert "\u202e" not in repr(shown)
    wide = hybrid_search({f"{nasty}{n}": [f"{nasty}{n}"] for n in range(60)})
    assert len(wide._repr_html_()) < 30_000
    assert "The first 8 of 60 lanes are shown." in repr(wide)
    assert "absent" in repr(hybrid_search(WORKED))


def test_a_ranking_turns_into_a_trace_for_the_board() -> None:
    found, near, fused, bare, linear, picked = rankings()
    for ranking in (found, near, fused, bare):
        trace = ranking.trace()
        assert tuple(passage.id for passage in trace.evidence) == ranking.ids
        assert trace.from_json(json.dumps(trace.to_json())) == trace
        assert trace.what_if() == trace
        assert trace._repr_html_().startswith("<div")
        assert "same text" not in repr(trace)
    assert isinstance(fused.fusion, Fusion)
    assert fused.trace().fusion == fused.fusion
    assert fused.trace().why("a").fused_score == fused.hit("a").score
    assert fused.trace().what_if(k=5).fusion.scores[0] == 1 / 6 + 1 / 6
    for ranking, said in ((linear, "linear fusion"), (picked, "rerank")):
        with refused("unknown_fusion", said):
            ranking.trace()


def test_a_built_index_and_passages_serve_as_they_are() -> None:
    index = DenseIndex.build([[1.0, 0.0], [0.0, 1.0]], ["p", "q"])
    assert vector_search([1, 0.1], index).ids == ("p", "q")
    with refused("contradiction", "'dot'", "'cosine'"):
        vector_search([1, 0.1], index, metric="dot")
    passages = [Passage("d#c0", "d", "red tape", 0, metadata={"page": 4}), Passage("d#c1", "d", "ink", 1)]  # type: ignore[arg-type]
    found = sparse_search("tape", passages, filter=Filter(include_ids=("d",)))
    assert found.ids == ("d#c0",)
    assert found.metadata("d#c0") == {"page": 4}


def test_the_lexical_engine_keeps_the_lane_laws_behind_the_verb(bench: Workbench) -> None:
    class AsLane:
        name = "sparse_search"

        def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
            return sparse_search(query, bench.passages, top_k=depth, filter=filter).as_lane()

    check_lane(AsLane(), ["invoice approval", "expense"], bench.passages)
