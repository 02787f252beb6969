"""C6 and A3 with a real server: full text and vectors of a table of the user's, beside the lanes of this process."""

import json
import pickle
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.helpers import refused
from tests.postgres.conftest import Server, stop
from workbench import BackendUnavailable, Config, Filter, Trace, Workbench
from workbench.lanes.postgres import PostgresLane, PostgresTextLane, PostgresVectorLane
from workbench.models.embedders import CallableEmbedder, WordLlamaEmbedder
from workbench.testing import check_lane

QUERY = "How many parking permits can one household have?"
COLUMNS: dict[str, Any] = {
    "text_column": "body",
    "document_column": "page",
    "title_column": "title",
    "metadata_columns": ["words", "old"],
}


def text(dsn: str, **options: Any) -> PostgresTextLane:
    return PostgresTextLane(dsn, "passages", **{"vector_column": "parsed", "match": "any", **COLUMNS, **options})


def vectors(dsn: str, **options: Any) -> PostgresVectorLane:
    return PostgresVectorLane(dsn, "passages", WordLlamaEmbedder(), **{**COLUMNS, **options})


@pytest.mark.parametrize("make", [text, vectors])
def test_a_postgres_lane_keeps_the_laws_of_every_lane(dsn: str, bench: Workbench, make: Any) -> None:
    assert make(dsn).search(QUERY, 5).reason == ""
    check_lane(make(dsn), [QUERY, "data retention", "zzzz qqqq"], bench.passages)


def test_C6_full_text_in_the_database_takes_the_place_of_bm25_by_name(dsn: str, bench: Workbench) -> None:
    trace = Workbench(bench.documents, lanes={"lexical": text(dsn, name="lexical")}).retrieve(QUERY)
    lane = trace.attempt.lane("lexical")
    assert (lane.status, lane.backend) == ("ran", "postgres")
    assert lane.score_model == "ts_rank_cd(websearch_to_tsquery,match=any,normalization=0,config=english)"
    assert trace.fusion.lanes == ("lexical", "dense", "structure", "graph", "wiki")
    assert lane.hits[0].id.startswith("handbook/")
    assert lane.detail[lane.hits[0].id]["matched"]
    assert "'permit'" in lane.about["tsquery"]


def test_C6_an_engine_for_a_signal_that_is_off_is_refused(dsn: str, bench: Workbench) -> None:
    with refused("contradiction", "'text' is not declared"):
        Workbench(bench.documents, signals=["wiki"], lanes={"lexical": text(dsn, name="lexical")})
    with refused("contradiction", "calls itself 'postgres'"):
        Workbench(bench.documents, lanes={"lexical": text(dsn)})


def test_postgres_and_in_process_lanes_are_fused_in_one_trace_over_the_sample_data(dsn: str, bench: Workbench) -> None:
    both = Workbench.sample(lanes={"postgres": text(dsn), "pgvector": vectors(dsn)})
    trace = both.ask(QUERY)
    assert trace.fusion.lanes == ("lexical", "dense", "structure", "graph", "wiki", "postgres", "pgvector")
    assert trace.fusion.backends[-2:] == ("postgres", "postgres")
    assert trace.verdict == "answerable"
    assert trace.evidence[0].document_id == "handbook/parking.md"
    first = {c.lane: c for c in trace.fusion.of(trace.evidence[0].id)}
    assert first["postgres"].contribution == 1 / (60 + (first["postgres"].rank or 0))
    read = Trace.from_json(json.dumps(trace.to_json()))
    assert read == trace
    assert both.ask(QUERY).fingerprint() == trace.fingerprint()
    assert "postgres" in trace.why().sentence or "postgres" in repr(trace)


def test_pgvector_ranks_as_the_exact_index_does(dsn: str, bench: Workbench) -> None:
    ours = bench.retrieve(QUERY).attempt.lane("dense")
    theirs = vectors(dsn).search(QUERY, 20)
    assert theirs.ids == ours.ids[:20]
    for a, b in zip(theirs.hits, ours.hits, strict=False):
        assert a.score == pytest.approx(b.score, abs=1e-5)  # the database holds float32
    assert theirs.score_model == ours.score_model.replace("cosine(", "pgvector-cosine(")


def test_dot_products_are_ranked_highest_first(dsn: str) -> None:
    lane = vectors(dsn, metric="dot").search(QUERY, 10)
    scores = [hit.score for hit in lane.hits]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    with refused("out_of_range", "'l2'"):
        vectors(dsn, metric="l2")


def test_all_words_or_any_word_of_the_query(dsn: str) -> None:
    everything, anything = (
        text(dsn, match="all").search("resident permit", 500),
        text(dsn).search("resident permit", 500),
    )
    assert set(everything.ids) < set(anything.ids)
    assert everything.about["tsquery"] == "'resid' & 'permit'"


def test_a_filter_holds_in_the_database_and_says_how_many_rows_it_kept_out(dsn: str, bench: Workbench) -> None:
    total = len(bench.passages)
    page = text(dsn).search("permit", 500, Filter(include_ids=("handbook/parking.md",)))
    assert page.ids
    assert {p.document_id for p in page.payload.values()} == {"handbook/parking.md"}
    assert page.dropped == total - sum(p.document_id == "handbook/parking.md" for p in bench.passages)
    old = text(dsn).search("data", 500, Filter(where={"old": True}))  # type: ignore[arg-type]
    assert old.ids
    assert all(p.metadata["old"] is True for p in old.payload.values())
    assert text(dsn).search("data", 500, Filter(where={"old": 1})).ids == ()  # type: ignore[arg-type]
    assert text(dsn).search("data", 500, Filter(where={"colour": "red"})).dropped == total  # type: ignore[arg-type]
    window = text(dsn).search("data", 500, Filter(min_score=0.1))
    assert all(hit.score is not None and hit.score >= 0.1 for hit in window.hits)


@pytest.mark.parametrize(
    "query", ["'; DROP TABLE passages; --", 'permit" | \'household', "%s %(query)s {} $1", "a & | ! <-> ((", "東京タワー", "-permit or"]
)  # fmt: skip
def test_a_query_is_a_value_and_never_sql(dsn: str, query: str) -> None:
    for lane in (text(dsn), text(dsn, match="all"), vectors(dsn)):
        assert lane.search(query, 5).status in ("ran", "unavailable")
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT count(*) FROM passages").fetchone() != (0,)


def test_what_postgres_cannot_hold_makes_the_lane_unavailable_in_its_own_words(dsn: str) -> None:
    for query in ("a\x00b", "\ud800"):
        lane = text(dsn).search(query, 5)
        assert (lane.status, lane.hits) == ("unavailable", ())
        assert lane.reason


def test_stop_words_alone_are_asked_of_nothing_and_say_so(dsn: str) -> None:
    lane = text(dsn).search("the of and", 5)
    assert (lane.status, lane.hits) == ("ran", ())
    assert "stop words" in lane.about["note"]


def test_names_are_quoted_whatever_they_hold(server: Server, dsn: str) -> None:
    name, column = 'odd "table"; DROP TABLE passages; -- 100%s', "te'x\"t %"
    with psycopg.connect(dsn) as connection:
        quoted = [psycopg.sql.Identifier(each.replace("%", "%%")) for each in (name, column)]
        connection.execute(psycopg.sql.SQL("CREATE TABLE {} (id int, {} text)").format(*quoted), {})
        connection.execute(
            psycopg.sql.SQL("INSERT INTO {} VALUES (7, 'a permit'), (10, 'a permit')").format(quoted[0]), {}
        )
    lane = PostgresTextLane(dsn, name, text_column=column, metadata_columns=[column]).search("permit", 5)
    assert lane.ids == ("10", "7")  # a tie goes to the ascending id, by code point
    assert lane.payload["7"].metadata == {column: "a permit"}


def test_a_table_that_repeats_an_id_or_lacks_one_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE TABLE twice (id text, text text)")
        connection.execute("INSERT INTO twice VALUES ('a', 'permit one'), ('a', 'permit two')")
        connection.execute("CREATE TABLE none (id text, text text)")
        connection.execute("INSERT INTO none VALUES (NULL, 'permit')")
    with refused("repeated_id", "'a'", "twice"):
        PostgresTextLane(dsn, "twice").search("permit", 5)
    with refused("missing_id", "position 1"):
        PostgresTextLane(dsn, "none").search("permit", 5)


def test_explain_shows_the_plan_on_demand(dsn: str) -> None:
    plan = text(dsn).explain("permit")
    assert "Sort" in plan
    assert "actual time" not in plan
    assert "actual time" in text(dsn).explain("permit", analyze=True)
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE INDEX IF NOT EXISTS near ON passages USING hnsw (embedding vector_cosine_ops)")
        connection.execute("ANALYZE passages")
    assert "passages" in vectors(dsn).explain("permit", 3)


def test_the_session_is_read_only(dsn: str) -> None:
    class Writes(PostgresTextLane):
        def _search(self, connection: Any, query: str, filter: Filter | None) -> Any:
            connection.execute("DELETE FROM passages")

    lane = Writes(dsn, "passages").search("permit", 5)
    assert lane.status == "unavailable"
    assert "read-only transaction" in lane.reason


def test_a_table_column_or_dimension_that_is_not_there_is_a_named_error(dsn: str) -> None:
    with refused("missing_table", "nowhere"):
        PostgresTextLane(dsn, "nowhere").search("permit", 5)
    with refused("missing_table", "nowhere"):
        PostgresTextLane(dsn, "nowhere.passages").search("permit", 5)
    with refused("missing_column", "text"):
        PostgresTextLane(dsn, "passages").search("permit", 5)
    short = CallableEmbedder(lambda texts: [[1.0, 2.0] for _ in texts], name="short")
    with refused("shape_mismatch", "dimensions"):
        PostgresVectorLane(dsn, "passages", short, **COLUMNS).search("permit", 5)


def test_a_missing_extension_is_named(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE DATABASE plain")
    plain = dsn.replace("/postgres?", "/plain?")
    with psycopg.connect(plain) as connection:
        connection.execute("CREATE TABLE passages (id text, body text, embedding text)")
    with pytest.raises(BackendUnavailable, match="CREATE EXTENSION vector") as caught:
        PostgresVectorLane(plain, "passages", WordLlamaEmbedder(), text_column="body").search("permit", 5)
    assert caught.value.missing == ("the pgvector extension (CREATE EXTENSION vector)",)


def test_A3_a_server_that_is_down_is_backend_unavailable_and_says_what_is_missing(
    tmp_path: Path, bench: Workbench
) -> None:
    server = Server(tmp_path / "pg")
    with psycopg.connect(server.dsn) as connection:
        connection.execute("CREATE TABLE passages (id text, text text)")
        connection.execute("INSERT INTO passages VALUES ('x', 'a permit')")
    lane = PostgresTextLane(server.dsn, "passages")
    assert lane.search("permit", 5).ids == ("x",)
    stop(server.pid)
    with pytest.raises(BackendUnavailable) as caught:
        lane.search("permit", 5)
    assert (caught.value.backend, caught.value.verb) == ("postgres", "sparse_search")
    assert "a PostgreSQL server that lets us in at" in caught.value.missing[0]
    trace = Workbench.sample(lanes={"postgres": lane}).retrieve(QUERY)
    assert trace.attempt.lane("postgres").status == "unavailable"
    assert "postgres: sparse_search" in trace.degraded[0]
    assert trace.evidence  # the others went on


def test_a_search_that_takes_too_long_is_ended(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE VIEW slow AS SELECT 'x' AS id, 'permit' || coalesce(pg_sleep(30)::text, '') AS text")
    lane = PostgresTextLane(dsn, "slow", timeout=0.3).search("permit", 5)
    assert lane.status == "unavailable"
    assert "statement timeout" in lane.reason


def test_passwords_are_kept_out_of_everything_that_is_printed() -> None:
    secret = "hunter2hunter2"
    lane: PostgresLane = PostgresTextLane(
        f"postgresql://someone:{secret}@127.0.0.1:1/wiki?connect_timeout=2", "passages"
    )
    with pytest.raises(BackendUnavailable) as caught:
        lane.search("permit", 5)
    with refused("wrong_type") as odd:
        PostgresTextLane(f"postgresql://someone:{secret}@[", "passages")
    assert secret not in repr(lane) + str(caught.value) + repr(caught.value.facts) + str(odd.value)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(lane)


def test_several_threads_may_ask_one_lane(dsn: str) -> None:
    lane, answers = text(dsn), []
    threads = [threading.Thread(target=lambda: answers.append(lane.search(QUERY, 10))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert all(answer == answers[0] for answer in answers)


def test_feedback_and_depth_reach_the_database(dsn: str) -> None:
    trace = Workbench.sample(signals=["text"], lanes={"postgres": text(dsn)}, config=Config(depth=7)).ask("violin tax")
    assert all(len(a.lane("postgres").hits) <= 7 for a in trace.attempts)
