"""Many queries through one configuration: every stage measured, a row a query, whatever one of them does."""

import json
from functools import partial
from pathlib import Path

import ir_measures
import pytest

from tests.helpers import refused
from workbench import Config, Document, Lane, Trace, Workbench, rrf
from workbench.corpus.queries import LabelledQuery
from workbench.evaluation import Evaluation, evaluate, evaluate_rankings, read_rows

DOCUMENTS = [
    Document("fees", "The parking fee for visitors is 40 crowns a week. " * 12),
    Document("dogs", "Dogs are welcome on the open deck of the ferry."),
    Document("boats", "The ferry leaves the harbour at noon with visitors on the deck."),
    Document("cats", "Cats stay at home when the ferry leaves."),
]
QUERIES = [
    {"id": "q1", "query": "parking fee for visitors", "relevant": {"fees": 2}},
    {"id": "q2", "query": "dogs on the ferry deck", "relevant": {"dogs": 1, "boats": 2}},
    {"id": "q3", "query": "roast chicken temperature", "relevant": {}},
]
quiet = partial(evaluate, progress=False)


@pytest.fixture(scope="module")
def bench() -> Workbench:
    return Workbench(DOCUMENTS, signals=["text", "structure", "wiki"], config=Config(chunk_size=120, chunk_overlap=20))


@pytest.fixture(scope="module")
def found(bench: Workbench) -> Evaluation:
    return quiet(bench, QUERIES)


def test_every_stage_is_measured_and_equals_ir_measures_by_hand(bench: Workbench, found: Evaluation) -> None:
    assert found.stages == ("lexical", "structure", "wiki", "fused", "final")
    assert (found.n, found.judged, found.failed) == (3, 2, 0)
    assert found.unit == "document"
    trace = bench.ask("dogs on the ferry deck")
    documents = list(dict.fromkeys(trace.passages[id].document_id for id in trace.fusion.ids))
    run = {"q": {id: 100.0 - place for place, id in enumerate(documents)}}
    for name in found.measures:
        measure = ir_measures.parse_measure(name)
        (by_hand,) = ir_measures.iter_calc([measure], {"q": {"dogs": 1, "boats": 2}}, run)
        assert found.row("q2").value(name, "fused") == by_hand.value


def test_a_documents_best_passage_stands_for_it(bench: Workbench, found: Evaluation) -> None:
    assert len([p for p in bench.passages if p.document_id == "fees"]) > 3
    assert found.row("q1").rankings["lexical"][0] == "fees"
    assert len(set(found.row("q1").rankings["lexical"])) == len(found.row("q1").rankings["lexical"])


def test_judgements_of_passages_are_met_by_passages(bench: Workbench) -> None:
    passage = bench.retrieve("parking fee").fusion.ids[0]
    rows = quiet(bench, [{"query": "parking fee", "relevant": {passage: 1}}])
    assert rows.unit == "passage"
    assert rows.mean("RR", "fused") == 1.0
    with refused("contradiction", "unit='passage'"):
        quiet(bench, [{"query": "parking fee", "relevant": {passage: 1, "dogs": 1}}])


def test_where_nothing_is_relevant_there_is_no_value_and_no_mean_counts_it(found: Evaluation) -> None:
    assert found.row("q3").value("AP") is None
    values = [found.row(id).value("AP") for id in ("q1", "q2")]
    assert found.mean("AP") == (values[0] + values[1]) / 2
    assert (found.row("q1").first_relevant, found.row("q3").first_relevant) == (1, None)


def test_a_row_opens_its_trace_until_the_corpus_changes(found: Evaluation) -> None:
    own = Workbench(DOCUMENTS, signals=["text"])
    mine = quiet(own, QUERIES)
    assert isinstance(mine.open("q2"), Trace)
    assert mine.open("q2").fingerprint() == mine.row("q2").fingerprint
    own.delete("boats")
    with refused("contradiction", "'q2'", "changed"):
        mine.open("q2")
    with refused("unknown_id", "'q9'"):
        mine.open("q9")
    read = Evaluation.from_json(json.dumps(mine.to_json()))
    assert read == mine
    with refused("not_recorded", "opened_by"):
        read.open("q1")
    again = read.opened_by(Workbench(DOCUMENTS, signals=["text"]).ask)
    assert again.open("q1").fingerprint() == mine.row("q1").fingerprint


def test_a_query_that_fails_is_a_row_and_not_the_end(bench: Workbench) -> None:
    def ask(query: str) -> Trace:
        if "dogs" in query:
            raise OSError("the line is down")
        return bench.ask(query)

    rows = quiet(ask, [*QUERIES, {"query": " ", "id": "blank"}, {"query": "x", "relevent": []}, 5])
    assert (rows.n, rows.failed) == (6, 4)
    said = {row.id: row.failure for row in rows.failures}
    assert said["q2"].code == "OSError"
    assert said["q2"].message == "the line is down"
    assert said["blank"].code == "empty_query"
    assert said["x"].code == "unknown_parameter"
    assert said["5"].code == "wrong_type"
    assert rows.mean("AP") == rows.row("q1").value("AP")
    assert "the line is down" in repr(rows)
    assert rows.frame().loc[1, "error"] == "OSError: the line is down"
    with refused("not_recorded", "the line is down"):
        rows.open("q2")


def test_what_returns_no_trace_is_said_in_the_row() -> None:
    (row,) = quiet(lambda query: query, QUERIES[:1]).failures
    assert row.failure.code == "wrong_type"
    assert "a Trace" in row.failure.message


def test_a_lane_that_did_not_run_is_in_no_mean() -> None:
    class Moody:
        name = "moody"

        def search(self, query: str, depth: int, filter: object = None) -> Lane:
            if "dogs" in query:
                raise OSError("out")
            return Workbench(DOCUMENTS, signals=["text"]).retrieve(query).lanes[0].__class__("moody", ())

    found = quiet(Workbench(DOCUMENTS, signals=["text"], lanes={"moody": Moody()}), QUERIES)
    assert "moody" not in found.row("q2").measures
    assert found.row("q1").value("AP", "moody") == 0.0  # it ran and matched nothing
    assert found.mean("AP", "moody") == 0.0
    assert found.mean("AP", "lexical") == 1.0


@pytest.mark.parametrize("how", ["stop", "interrupt"])
def test_what_was_done_before_a_stop_is_kept_and_says_so(bench: Workbench, how: str) -> None:
    asked: list[str] = []

    def ask(query: str) -> Trace:
        if how == "interrupt" and len(asked) == 2:
            raise KeyboardInterrupt
        asked.append(query)
        return bench.ask(query)

    rows = quiet(ask, QUERIES, stop=(lambda: len(asked) == 2) if how == "stop" else None)
    assert rows.n == 2
    assert "after 2 of 3 queries" in rows.stopped
    assert rows.stopped in repr(rows)


def test_queries_are_read_as_they_go_and_rows_may_go_to_a_file(bench: Workbench, tmp_path: Path) -> None:
    whole = quiet(bench, QUERIES)
    written = quiet(bench, iter(QUERIES), rows=tmp_path / "rows.jsonl")
    assert written.rows == ()
    assert written.means == whole.means
    assert written.digest == whole.digest
    strip = [row.to_json() | {"milliseconds": 0.0} for row in whole.rows]
    assert [row.to_json() for row in read_rows(tmp_path / "rows.jsonl")] == strip
    with refused("not_recorded", "read_rows"):
        written.row("q1")
    (tmp_path / "rows.jsonl").write_text('{"id": 3', encoding="utf-8")
    with refused("malformed_line", "line 1"):
        list(read_rows(tmp_path / "rows.jsonl"))


def test_frames_hold_absent_values_as_nan(found: Evaluation) -> None:
    frame = found.frame()
    assert list(frame["id"]) == ["q1", "q2", "q3"]
    assert frame["final AP"].isna().tolist() == [False, False, True]
    assert found.summary().loc["final", "AP"] == found.mean("AP")


def test_bad_calls_are_refused_before_anything_runs(bench: Workbench) -> None:
    with refused("unknown_measure", "'nDGC@10'", "nDCG@10"):
        quiet(bench, QUERIES, measures=["nDGC@10"])
    with refused("repeated_id", "'AP'"):
        quiet(bench, QUERIES, measures=["AP", "AP"])
    with refused("repeated_id", "'q1'"):
        quiet(bench, [QUERIES[0], QUERIES[0]])
    with refused("nothing_to_search", "at least one"):
        quiet(bench, [])
    with refused("wrong_type", "a Workbench"):
        quiet(5, QUERIES)
    with refused("out_of_range", "unit"):
        quiet(bench, QUERIES, unit="word")
    with refused("wrong_type", "distributed.Client"):
        quiet(bench, QUERIES, client="tcp://here")
    with refused("contradiction", "workers of its own"):
        quiet(bench, QUERIES, client=object(), processes=2)
    with refused("wrong_type", "another process"):
        quiet(lambda query: bench.ask(query), QUERIES, processes=2)
    with refused("unknown_id", "'finl'", "did you mean 'final'"):
        quiet(bench, QUERIES).mean("AP", "finl")


# ---------------------------------------------------------------- runners


def test_pool_dask_and_serial_give_one_fingerprint(bench: Workbench, found: Evaluation) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra [dask]")
    many = [
        LabelledQuery(f"{query['query']} {n}", query["relevant"], id=f"{query['id']}-{n}")
        for n in range(9)
        for query in QUERIES
    ]
    serial = quiet(bench, many)
    assert quiet(bench, many, processes=2).fingerprint() == serial.fingerprint()
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        by_dask = quiet(bench, many, client=client)
    assert by_dask.fingerprint() == serial.fingerprint()
    assert by_dask.open("q2-4").fingerprint() == serial.open("q2-4").fingerprint()
    assert [row.fingerprint for row in by_dask.rows] == [row.fingerprint for row in serial.rows]


def test_the_order_of_the_queries_shows_and_the_time_does_not(bench: Workbench, found: Evaluation) -> None:
    assert quiet(bench, QUERIES).fingerprint() == found.fingerprint()
    turned = quiet(bench, QUERIES[::-1])
    assert turned.fingerprint() != found.fingerprint()
    assert turned.means["final"]["RR"] == found.means["final"]["RR"]


# ---------------------------------------------------------------- rankings of others

RANKINGS = {
    "a": {"x": ["d1", "d2", "d3"], "y": [("d3", 9.0), ("d2", 8.0)]},
    "b": {"x": ["d2"], "y": []},
}
JUDGED = {"a": {"d2": 1}, "b": {"d9": 1}}


def test_recorded_rankings_are_measured_lane_by_lane_and_fused() -> None:
    found = evaluate_rankings(RANKINGS, JUDGED, fusion=partial(rrf, k=60), progress=False)
    assert found.stages == ("x", "y", "fused")
    assert found.row("a").rankings["fused"] == tuple(rrf(RANKINGS["a"], k=60).ids)
    assert found.mean("RR", "x") == (0.5 + 0.0) / 2
    assert found.row("b").value("RR", "y") == 0.0
    assert found.last == "fused"
    streamed = evaluate_rankings(
        iter(RANKINGS.items()), lambda id: JUDGED[id], fusion=partial(rrf, k=60), progress=False, processes=2
    )
    assert streamed.fingerprint() == found.fingerprint()


def test_a_broken_ranking_is_a_row() -> None:
    found = evaluate_rankings({"a": {"x": ["d1", "d1"]}, "b": {"x": 5}, "c": {"x": ["d1"]}}, {}, progress=False)
    assert [row.failure.code for row in found.failures] == ["repeated_id", "wrong_type"]
    assert found.mean("AP", "x") is None  # nothing is judged


# ---------------------------------------------------------------- Cranfield

CRANFIELD = Path(__file__).parents[3] / "shared" / "data" / "cranfield"


@pytest.mark.skipif(not CRANFIELD.is_dir(), reason="shared/data/cranfield is not beside the checkout")
def test_measures_equal_pytrec_eval_on_cranfield_for_every_query() -> None:
    import pytrec_eval

    from workbench.corpus.reading import read_beir

    documents, queries, qrels = read_beir(CRANFIELD)
    longest = max(len(d.text) for d in documents)
    config = Config(chunk_size=longest + 1, chunk_overlap=0, depth=100)
    bench = Workbench(documents, signals=["text"], reranker=None, config=config)
    found = quiet(bench.retrieve, [{"id": id, "query": words, "relevant": qrels[id]} for id, words in queries.items()])
    assert found.n == found.judged == 225
    runs = {
        row.id: {d: float(len(ids) - n) for n, d in enumerate(ids)}
        for row in found.rows
        for ids in [row.rankings["lexical"]]
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10", "map", "recip_rank", "recall_100"}).evaluate(runs)
    names = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank", "R@100": "recall_100"}
    for row in found.rows:
        assert {ours: row.value(ours, "lexical") for ours in names} == {
            ours: theirs[row.id][name] for ours, name in names.items()
        }
