"""R13 and C13 over a store: saved, opened, changed and brought back in step, to the same bits."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers import refused
from tests.store.corpus import bench, document, letters, toy
from workbench import Config, Document, Workbench
from workbench.corpus import library
from workbench.corpus.store import Store
from workbench.keeping import Keeping
from workbench.models.embedders import CallableEmbedder

QUERY = "which caretaker of house 3 reads the meter?"
DOCUMENTS = [document(n) for n in range(6)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    bench(DOCUMENTS, store=tmp_path / "store.db")
    return tmp_path / "store.db"


def sql(path: Path, statement: str) -> list[Any]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(statement).fetchall()
        connection.commit()
    return rows


def test_R13_what_was_saved_answers_to_the_same_bits(tmp_path: Path) -> None:
    ours = Workbench.sample()
    assert ours.save(tmp_path / "folder") == tmp_path / "folder" / "workbench.db"
    loaded = Workbench.load(tmp_path / "folder", generator="extractive")
    query = "How many parking permits can one household have?"
    assert loaded.ask(query).fingerprint() == ours.ask(query).fingerprint()
    assert (loaded.documents, loaded.passages, loaded.notes) == (ours.documents, ours.passages, ())
    assert (loaded._library.nodes, loaded._library.distilled) == (ours._library.nodes, ours._library.distilled)


def test_R13_signals_and_config_are_as_saved_and_may_be_given_again(tmp_path: Path) -> None:
    config = Config(chunk_size=200, chunk_overlap=20, bm25_k1=0.9, weights={"dense": 0.5})  # type: ignore[arg-type]
    ours = bench(DOCUMENTS, signals=["text", "embedding"], config=config)
    ours.save(tmp_path / "a.db")
    loaded = Workbench.load(tmp_path / "a.db", embedder=toy())
    assert (loaded.config, loaded.signals) == (config, ("text", "embedding"))
    assert loaded.retrieve(QUERY).fingerprint() == ours.retrieve(QUERY).fingerprint()
    assert Workbench.load(tmp_path / "a.db", signals=["text"]).signals == ("text",)


def test_R13_nothing_that_is_kept_is_embedded_again(path: Path) -> None:
    asked: list[str] = []

    def counts(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return letters(texts)

    ours = bench(store=path, embedder=CallableEmbedder(counts, name="toy", version="1"))
    ours.retrieve(QUERY)
    # the query, the sentences of its nearest passages, and one text to learn the dimension from
    whole = {p.text for p in ours.passages}
    assert [text for text in asked if text in whole] == [ours.passages[0].text]
    asked.clear()
    ours.add(document(9))
    ours.retrieve(QUERY)
    assert {t for t in asked if t in {p.text for p in ours.passages}} == {
        p.text for p in ours.passages if p.document_id == "d009"
    }


def test_R13_vectors_of_another_version_are_embedded_anew_and_the_reason_is_stated(path: Path) -> None:
    def doubled(texts: list[str]) -> list[list[float]]:
        return [[2 * x for x in row[::-1]] for row in letters(texts)]

    other = CallableEmbedder(doubled, name="toy", version="2")
    loaded = Workbench.load(path, embedder=other)
    fresh = bench(DOCUMENTS, embedder=CallableEmbedder(doubled, name="toy", version="2"))
    assert loaded.retrieve(QUERY).fingerprint() == fresh.retrieve(QUERY).fingerprint()
    assert loaded.notes == (
        "dense: the store's vectors are of 'toy 1 (8 d)' and the embedder is 'toy 2 (8 d)': 18 passages were embedded anew",
    )
    assert Store(path).embedder() == "toy 1 (8 d)"  # a loaded workbench leaves the file alone
    live = bench(store=path, embedder=other)
    assert live.notes == loaded.notes
    assert Store(path).embedder() == "toy 2 (8 d)"
    assert bench(store=path, embedder=other).notes == ()
    assert live.reconcile().in_step


def test_R13_another_dimension_is_another_model(path: Path) -> None:
    shorter = CallableEmbedder(lambda texts: [row[:5] for row in letters(texts)], name="toy", version="1")
    loaded = Workbench.load(path, embedder=shorter)
    assert loaded.retrieve(QUERY).attempt.lane("dense").status == "ran"
    assert "'toy 1 (5 d)'" in loaded.notes[0]


def test_R13_without_its_embedder_the_dense_lane_is_unavailable_and_the_others_run(path: Path) -> None:
    trace = Workbench.load(path).retrieve(QUERY)
    dense = trace.attempt.lane("dense")
    assert (dense.status, trace.attempt.lane("lexical").status) == ("unavailable", "ran")
    assert "the store's vectors are of 'toy 1 (8 d)'" in dense.reason
    assert trace.degraded == (f"dense: {dense.reason}",)


def test_R13_a_store_without_vectors_claims_no_vector_mode(tmp_path: Path) -> None:
    bench(DOCUMENTS, embedder=None, store=tmp_path / "a.db")
    assert Store(tmp_path / "a.db").embedder() is None
    assert Workbench.load(tmp_path / "a.db").retrieve(QUERY).attempt.lane("dense").status == "unavailable"
    again = bench(store=tmp_path / "a.db")
    assert again.retrieve(QUERY).attempt.lane("dense").status == "ran"
    assert Store(tmp_path / "a.db").embedder() == "toy 1 (8 d)"


def test_an_embedder_that_fails_costs_the_documents_nothing(tmp_path: Path) -> None:
    def down(texts: list[str]) -> list[list[float]]:
        raise ConnectionError("model server is down")

    ours = bench(DOCUMENTS, embedder=CallableEmbedder(down, name="toy", version="1"), store=tmp_path / "a.db")
    assert "model server is down" in ours.retrieve(QUERY).degraded[0]
    later = bench(store=tmp_path / "a.db")
    assert later.retrieve(QUERY).fingerprint() == bench(DOCUMENTS).retrieve(QUERY).fingerprint()
    assert Store(tmp_path / "a.db").without_vector() == 0


# ---------------------------------------------------------------- changes


def test_C13_add_and_delete_are_as_a_fresh_build_and_are_there_when_opened_again(path: Path) -> None:
    ours = bench(store=path)
    ours.delete("d002")
    ours.add([document(7), document(3, version=2, sections=1)])
    now = [document(0), document(1), document(3, version=2, sections=1), document(4), document(5), document(7)]
    fresh = bench(now).retrieve(QUERY).fingerprint()
    assert ours.retrieve(QUERY).fingerprint() == fresh
    assert bench(store=path).retrieve(QUERY).fingerprint() == fresh
    assert Workbench.load(path, embedder=toy()).retrieve(QUERY).fingerprint() == fresh
    assert ours.reconcile().in_step


def test_a_document_taken_in_again_after_it_shrank_leaves_nothing_behind(path: Path) -> None:
    ours = bench(store=path)
    ours.add(Document("d003", "Only this is left."))
    for each in (ours, bench(store=path)):
        assert [p.id for p in each.passages if p.document_id == "d003"] == ["d003#c0"]
        assert "version 1 answers" not in " ".join(p.text for p in each.passages if p.document_id == "d003")
    for table in ("passages", "outline"):
        assert sql(path, f"SELECT count(*) FROM {table} WHERE document_id = 'd003'") == [
            (1 if table == "passages" else 0,)
        ]
    assert sql(path, "SELECT count(*) FROM vectors") == sql(path, "SELECT count(*) FROM passages")


def test_a_passages_document_is_recorded_and_not_cut_from_its_id(tmp_path: Path) -> None:
    odd = [Document("page", "About the lease."), Document("page#contact", "Call the office about the lease.")]
    bench(odd, store=tmp_path / "a.db")
    assert {(p.id, p.document_id) for p in bench(store=tmp_path / "a.db").passages} == {
        ("page#c0", "page"),
        ("page#contact#c0", "page#contact"),
    }


def test_a_change_that_is_refused_leaves_store_and_workbench_as_they_were(path: Path) -> None:
    ours, before = bench(store=path), sql(path, "SELECT * FROM documents")
    with refused("wrong_type"):
        ours.add([document(8), "no document"])  # type: ignore[list-item]
    with refused("repeated_id"):
        ours.add([document(8), document(8)])
    with refused("unknown_id", "nowhere"):
        ours.delete("nowhere")
    assert [d.id for d in ours.documents] == [d.id for d in DOCUMENTS]
    assert sql(path, "SELECT * FROM documents") == before
    only = bench([document(1)], store=path.with_name("one.db"))
    with refused("nothing_to_search"):
        only.delete("d001")
    assert len(bench(store=path.with_name("one.db")).documents) == 1


def test_documents_given_with_a_store_are_put_on_top_of_what_it_has(path: Path) -> None:
    ours = bench([document(5, version=2), document(6)], store=path)
    assert [(d.id, d.metadata["version"]) for d in ours.documents][-2:] == [("d005", 2), ("d006", 1)]
    generation = Store(path).settings()["generation"]
    bench([document(6)], store=path)
    assert Store(path).settings()["generation"] == generation  # what is there word for word is no change


def test_saving_over_a_store_replaces_all_of_it(path: Path) -> None:
    bench([document(9)]).save(path)
    assert [d.id for d in bench(store=path).documents] == ["d009"]
    assert bench(store=path).reconcile().in_step


def test_a_loaded_workbench_leaves_the_file_alone(path: Path) -> None:
    before = path.read_bytes()
    loaded = Workbench.load(path, embedder=toy())
    loaded.delete("d001")
    loaded.add(document(9))
    assert loaded.retrieve(QUERY).fusion.ids
    assert path.read_bytes() == before


def test_any_text_goes_in_and_comes_out_the_same(tmp_path: Path) -> None:
    strange = [
        Document("nul", "a\x00b", title="\x00", metadata={"k\x00": "v\x00"}),  # type: ignore[arg-type]
        Document("surrogate \ud800", "half of a pair", title="\ud83d", metadata={"x": "\ud800"}),  # type: ignore[arg-type]
        Document("001", "東京タワー café cafe\u0301 🦆", metadata={"year": 2031, "share": 0.1, "none": None, "list": [1, "a", {"b": True}]}),  # type: ignore[arg-type]
        Document("1e5", ""),
        Document("'; DROP TABLE documents; --", "quotes \" ' ` and -- comments"),
    ]  # fmt: skip
    ours = bench(strange, store=tmp_path / "a.db")
    opened = bench(store=tmp_path / "a.db")
    assert opened.documents == ours.documents == tuple(sorted(strange, key=lambda d: d.id))
    assert opened.passages == ours.passages
    assert opened.retrieve("half a pair").fingerprint() == ours.retrieve("half a pair").fingerprint()
    opened.delete("surrogate \ud800")
    assert len(bench(store=tmp_path / "a.db").documents) == 4


def test_a_workbench_over_rankings_made_elsewhere_has_no_documents_to_keep(tmp_path: Path) -> None:
    ours = Workbench.from_lanes({"a": ["x", "y"], "b": ["y", "z"]})
    for call in (
        lambda: ours.save(tmp_path / "a.db"),
        ours.reconcile,
        lambda: ours.add(document(1)),
        lambda: ours.delete("x"),
    ):
        with refused("contradiction", "rankings made elsewhere"):
            call()
    with refused("contradiction", "rankings made elsewhere"):
        Workbench.from_lanes({"a": ["x"]}, store=tmp_path / "a.db")
    assert not list(tmp_path.iterdir())


def test_other_cuts_are_cut_anew_and_said(path: Path) -> None:
    ours = bench(store=path, config=Config(chunk_size=60, chunk_overlap=0))
    assert "size=500" in ours.notes[0]
    assert "size=60" in ours.notes[0]
    assert ours.passages == bench(DOCUMENTS, config=Config(chunk_size=60, chunk_overlap=0)).passages
    again = bench(store=path, config=Config(chunk_size=60, chunk_overlap=0))
    assert again.notes == ()
    assert again.reconcile().in_step


def test_another_analyzer_counts_anew(path: Path) -> None:
    plain = bench(store=path, config=Config(analyzer="plain"))
    assert plain.retrieve("reads meters").fingerprint() == bench(DOCUMENTS, config=Config(analyzer="plain")).retrieve("reads meters").fingerprint()  # fmt: skip


def test_progress_is_told_stage_by_stage(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    bench([document(n) for n in range(150)], store=tmp_path / "a.db", signals=["text", "embedding"], progress=lambda *told_: told.append(told_))  # fmt: skip
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == ["cut", "embed", "write"]
    assert told[-1] == ("write", 150, 150)
    assert ("cut", 100, 150) in told
    assert ("embed", 450, 450) in told
    with refused("wrong_type", "progress"):
        bench(DOCUMENTS, progress=7)


def test_progress_can_be_a_bar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench(DOCUMENTS, store=tmp_path / "a.db", progress=True)
    assert "embed: 100%" in capsys.readouterr().err


# ---------------------------------------------------------------- reconcile


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM passages WHERE id = 'd003#c1'", "passages: 1 missing: d003#c1"),
        ("UPDATE passages SET stop = stop - 3 WHERE id = 'd003#c1'", "passages: 1 changed: d003#c1"),
        ("DELETE FROM vectors WHERE passage = 4", "vectors: 1 missing: d001#c0"),
        ("UPDATE vectors SET digest = x'00' WHERE passage = 4", "vectors: 1 missing: d001#c0"),
        ("UPDATE settings SET value = '\"toy 0 (8 d)\"' WHERE name = 'embedder'", "vectors: of 'toy 0 (8 d)'"),
        ("DELETE FROM outline WHERE document_id = 'd004'", "headings: 3 missing: d004:"),
        ("DELETE FROM pages WHERE document_id = 'd004'", "pages: 1 missing: d004#page"),
        ("UPDATE pages SET summary = 'made up' WHERE document_id = 'd004'", "pages: 1 changed: d004#page"),
        ("DELETE FROM entities WHERE label = 'Night Desk'", "entities: 1 missing: Night Desk (name)"),
        ("DELETE FROM mentions WHERE passage = 4", "entities:"),
        ("DELETE FROM postings", "counts: missing"),
    ],
)
def test_C13_reconcile_brings_the_indexes_back_in_step_and_reports_what_differed(
    path: Path, damage: str, said: str
) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        assert connection.execute(damage).rowcount > 0
        connection.commit()
    # opened without the mending that Workbench(store=) does by itself
    keeping = Keeping(bench(DOCUMENTS)._keeping.recipe, Store(path))
    keeping._open(Store(path))
    report = keeping.reconcile()
    assert said in str(report), str(report)
    assert not report.in_step
    again = bench(store=path)
    assert again.reconcile().in_step
    assert again.retrieve(QUERY).fingerprint() == bench(DOCUMENTS).retrieve(QUERY).fingerprint()


def test_C13_reconcile_without_a_store_tries_again_what_was_unavailable() -> None:
    calls: list[int] = []

    def flaky(texts: list[str]) -> list[list[float]]:
        calls.append(len(texts))
        if len(calls) == 1:
            raise ConnectionError("not up yet")
        return letters(texts)

    ours = bench(DOCUMENTS, embedder=CallableEmbedder(flaky, name="toy", version="1"))
    assert ours.retrieve(QUERY).attempt.lane("dense").status == "unavailable"
    assert "lanes: dense was unavailable: embedder toy failed: ConnectionError: not up yet" in str(ours.reconcile())
    assert ours.retrieve(QUERY).fingerprint() == bench(DOCUMENTS).retrieve(QUERY).fingerprint()
    assert str(ours.reconcile()) == "6 documents, 18 passages: everything is in step"


def test_above_2000_passages_a_small_change_leaves_entities_and_pages_to_reconcile_and_their_lanes_say_so(
    tmp_path: Path,
) -> None:
    many = [document(n, sections=1) for n in range(library.AT_ONCE + 5)]
    path = tmp_path / "a.db"
    ours = bench(many, store=path)
    ours.delete("d1003")
    ours.add(document(3000, sections=1))
    for each in (ours, bench(store=path), Workbench.load(path, embedder=toy())):
        trace = each.retrieve("night desk house 1003")
        assert not [id for id in trace.fusion.ids if id.startswith("d1003#")]
        assert trace.attempt.lane("graph").about["drift"] == 2
        assert "reconcile()" in trace.attempt.lane("wiki").about["note"]
        assert each.retrieve("house 3000").attempt.lane("lexical").hits[0].id == "d3000#c0"
    report = ours.reconcile()
    assert "pages: 1 missing: d3000#page" in str(report)
    fresh = bench([d for d in many if d.id != "d1003"] + [document(3000, sections=1)])
    for each in (ours, bench(store=path)):
        trace = each.retrieve("night desk house 1004")
        assert "drift" not in trace.attempt.lane("graph").about
        assert trace.fingerprint() == fresh.retrieve("night desk house 1004").fingerprint()


def test_above_2000_passages_a_tenth_of_the_documents_distils_anew(tmp_path: Path) -> None:
    many = [document(n, sections=1) for n in range(library.AT_ONCE + 5)]
    ours = bench(many, signals=["community"], store=tmp_path / "a.db")
    ours.add([document(n, version=2, sections=1) for n in range(250)])
    assert "drift" not in ours.retrieve("night desk").attempt.lane("graph").about
    assert ours.reconcile().in_step


def test_the_same_vectors_come_out_as_went_in(path: Path) -> None:
    ours = bench(DOCUMENTS)
    assert ours._shelf.dense is not None
    here = ours._shelf.dense.units(ours.passages)
    there = Store(path).units(ours.passages, "toy 1 (8 d)")
    assert list(here) == list(there)
    assert all(np.array_equal(here[id], there[id]) for id in here)
