"""Row A14, and the faults of recall seen in the original."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import refused
from workbench import BackendUnavailable, Document, Filter, Workbench
from workbench.memory import TERMS, Compaction, Episode, Memory, Receipt, Timeline
from workbench.records import Contribution
from workbench.verbs import Ranking, backend_status, hybrid_search, provenance, sparse_search

MAY = "2031-05-01T00:00:00Z"
JUNE = "2031-06-01T00:00:00Z"
JULY = "2031-07-01T00:00:00Z"
LLAMA, OTHER = ("llama", "1.0"), ("llama", "1.1")


@pytest.fixture(params=["in this process", "in a file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory(None if request.param == "in this process" else tmp_path / "notes.db") as opened:
        yield opened


def remember(memory: Memory, content: str, **options: Any) -> Receipt:
    return memory.remember(content, "lease", **{"now": MAY, **options})


# ---------------------------------------------------------------- remember


def test_A14_identical_content_is_the_same_episode(memory: Memory) -> None:
    first = remember(memory, "rent is 900")
    again = remember(memory, "rent is 900", now=JUNE)
    other = remember(memory, "rent is 950")
    assert (first.status, again.status, other.status) == ("created", "existing", "created")
    assert first.id == again.id != other.id
    assert again.remembered == first.remembered == MAY
    assert memory.remember("rent is 900", "another", now=MAY).status == "created"
    assert memory.collections == ("another", "lease")


def test_A14_an_episode_is_immutable_and_the_receipt_says_what_differs(memory: Memory) -> None:
    remember(memory, "rent is 900", salience=0.3, metadata={"page": 4}, provenance="lease.pdf")
    again = remember(memory, "rent is 900", salience=0.9, metadata={"page": 4}, authority=1, retention=7)
    assert again.differs == ("salience", "authority", "retention")
    kept = memory.episode(again.id, "lease")
    assert (kept.salience, kept.authority, kept.retention) == (0.3, None, "keep")
    assert (kept.metadata, kept.provenance) == ({"page": 4}, {"source": "lease.pdf"})


def test_A14_a_receipt_says_whether_the_episode_holds_now(memory: Memory) -> None:
    assert remember(memory, "rent is 900", valid_until=JUNE).state == "valid"
    assert remember(memory, "rent is 900", now=JULY).state == "expired"
    assert remember(memory, "rent is 990", valid_from=JULY).state == "not yet"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ({"content": "  "}, "out_of_range", "'  '"),
        ({"content": 7}, "wrong_type", "7"),
        ({"collection": ""}, "missing_id", "''"),
        ({"valid_from": JUNE, "valid_until": JUNE}, "contradiction", "would never be valid"),
        ({"valid_until": "the day after"}, "unreadable_time", "'the day after'"),
        ({"valid_until": 1_900_000_000}, "unreadable_time", "1900000000"),
        ({"valid_from": "0001-01-01T00:00+14:00"}, "unreadable_time", "valid_from"),
        ({"salience": 1.5}, "out_of_range", "1.5"),
        ({"authority": float("nan")}, "not_finite", "nan"),
        ({"retention": "forever"}, "out_of_range", "'forever'"),
        ({"retention": 0}, "out_of_range", "0"),
        ({"retention": "expire"}, "contradiction", "valid_until"),
        ({"metadata": [1]}, "wrong_type", "[1]"),
        ({"embedding": [1.0]}, "unnamed_space", "(name, version)"),
        ({"embedding": [1.0], "model": "llama"}, "unnamed_space", "'llama'"),
        ({"model": LLAMA}, "unnamed_space", "no embedding"),
        ({"embedding": [0.0], "model": LLAMA}, "zero_vector", "all zeros"),
        ({"embedding": [float("inf")], "model": LLAMA}, "not_finite", "inf"),
        ({"embedding": [[1.0]], "model": LLAMA}, "shape_mismatch", "(1, 1)"),
        ({"now": "soon"}, "unreadable_time", "'soon'"),
        ({"backend": "lexical"}, "backend_cannot_serve_verb", "'index'"),
        ({"backend": "nope"}, "unknown_backend", "'nope'"),
    ],
)
def test_A14_a_bad_argument_is_refused_and_nothing_is_stored(options: dict[str, Any], code: str, said: str) -> None:
    with Memory() as memory:
        arguments = {"content": "rent is 900", "collection": "lease", "now": MAY, **options}
        with refused(code, said):
            memory.remember(**arguments)
        assert memory.collections == ()


# ---------------------------------------------------------------- recall: what was valid when


def test_A14_as_of_reconstructs_what_was_valid_then(memory: Memory) -> None:
    old = remember(memory, "rent is 900", valid_until=JUNE)
    new = remember(memory, "rent is 950", valid_from=JUNE)
    for as_of, ids in (
        (MAY, (old.id,)),
        ("2031-05-31T23:59:59.999999Z", (old.id,)),
        (JUNE, (new.id,)),
        (JULY, (new.id,)),
    ):
        assert memory.recall("rent", "lease", as_of=as_of).ids == ids
    before = memory.recall("rent", "lease", as_of="2031-01-01")
    assert before.ids == ()
    assert "not valid at 2031-01-01T00:00:00Z: 2 of 2 episodes" in before.notes
    assert memory.recall("rent", "lease", now=JULY).ids == (new.id,)


def test_A14_a_time_is_a_datetime_a_date_or_text_and_without_an_offset_utc(memory: Memory) -> None:
    remember(memory, "rent is 900", valid_from=JUNE)
    for as_of in (
        datetime(2031, 6, 1),
        date(2031, 6, 1),
        "2031-06-01",
        datetime(2031, 6, 1, 2, tzinfo=timezone(timedelta(hours=2))),
    ):
        assert memory.recall("rent", "lease", as_of=as_of).params["as_of"] == JUNE
    assert memory.recall("rent", "lease", as_of="2031-06-01T01:59:00+02:00").ids == ()


def test_faults_A_an_as_of_that_cannot_be_read_is_refused(memory: Memory) -> None:
    remember(memory, "rent is 900")
    for odd in ("last tuesday", "", 20310601, "2031-13-01"):
        with refused("unreadable_time", "as_of", repr(odd)):
            memory.recall("rent", "lease", as_of=odd)


def test_A14_nothing_remembered_is_not_nothing_found(memory: Memory) -> None:
    with refused("nothing_to_search", "'lease'", "none yet"):
        memory.recall("rent", "lease", now=MAY)
    remember(memory, "rent is 900")
    with refused("nothing_to_search", "'lodge'", "'lease'"):
        memory.recall("rent", "lodge", now=MAY)
    found = memory.recall("parking", "lease", now=MAY)
    assert found.ids == ()
    assert "matched nothing" in repr(found)
    with refused("empty_query"):
        memory.recall(" ", "lease", now=MAY)


# ---------------------------------------------------------------- recall: named terms


def folded(parts: tuple[Contribution, ...]) -> float:
    present = [part.contribution for part in parts if part.contribution is not None]
    total = present[0]
    for value in present[1:]:
        total = total + value
    return total


def test_A14_every_term_is_a_contribution_and_they_fold_to_the_score(memory: Memory) -> None:
    plain = remember(memory, "the rent is 900")
    whole = remember(memory, "rent", salience=0.9, authority=0.4, provenance="lease.pdf", valid_until=JULY)
    found = memory.recall("rent", "lease", as_of="2031-05-31", half_life_days=15)
    parts = {part.lane: part for part in found.of(whole.id) or ()}
    assert tuple(parts) == tuple(TERMS)
    assert {name: part.score for name, part in parts.items()} == {
        "similarity": 1.0,
        "recency": 15 / (15 + 30),
        "salience": 0.9,
        "authority": 0.4,
        "staleness": 30 / 61,
        "unsourced": None,
    }
    assert parts["staleness"].contribution == -(0.05 * (30 / 61))
    other = {part.lane: part.score for part in found.of(plain.id) or ()}
    assert (other["salience"], other["authority"], other["staleness"], other["unsourced"]) == (None, None, None, 1.0)
    for hit in found.hits:
        assert hit.score == folded(found.of(hit.id) or ())
    assert provenance(found).attribution_residual == 0.0


def test_A14_why_names_every_term_absent_ones_and_penalties_included(memory: Memory) -> None:
    plain = remember(memory, "rent is 900", valid_until=JULY)
    said = provenance(memory.recall("rent", "lease", as_of=JUNE)).why(plain.id)
    for words in (
        f"{plain.id} is first of 1",
        "from backend index (score model recall(similarity=0.6,recency=0.2,",
        "similarity 1 adds 0.6",
        "recency 0.4918 adds 0.09836",
        "salience is absent",
        "staleness 0.5082 takes 0.02541",
        "unsourced 1 takes 0.05",
    ):
        assert words in said


def test_A14_weights_change_the_order_and_ties_go_to_the_ascending_id(memory: Memory) -> None:
    trusted = remember(memory, "rent is 900", authority=0.6, valid_from="2030-01-01")
    fresh = remember(memory, "rent is 950", authority=0.1)
    assert memory.recall("rent", "lease", as_of=JUNE).ids == (fresh.id, trusted.id)
    assert memory.recall("rent", "lease", as_of=JUNE, weights={"authority": 0.9}).ids == (trusted.id, fresh.id)
    alone = memory.recall("rent", "lease", as_of=JUNE, weights=dict.fromkeys(TERMS, 0) | {"similarity": 1})
    assert alone.ids == tuple(sorted((trusted.id, fresh.id)))
    assert memory.recall("rent", "lease", as_of=JUNE, top_k=1).ids == (fresh.id,)


def test_faults_A_an_unknown_recall_term_is_refused_by_name_and_one_in_a_result_is_kept_and_named(
    memory: Memory,
) -> None:
    receipt = remember(memory, "rent is 900")
    with refused("unknown_parameter", "'graph_boost'", "similarity, recency"):
        memory.recall("rent", "lease", now=MAY, weights={"graph_boost": 1})
    with refused("out_of_range", "-1"):
        memory.recall("rent", "lease", now=MAY, weights={"recency": -1})
    plain = memory.recall("rent", "lease", now=MAY).to_json()
    plain["contributions"][0].append(
        {"lane": "graph_boost", "backend": "index", "rank": None, "score": 0.5, "contribution": 0.25}
    )
    plain["hits"][0]["score"] += 0.25
    foreign = Ranking.from_json(json.dumps(plain))
    assert "graph boost 0.5 adds 0.25" in provenance(foreign).why(receipt.id)
    assert provenance(foreign).attribution_residual == 0.0
    assert "graph_boost" in repr(foreign)
    words = memory.recall("rent for the garage", "lease", now=MAY)
    assert "no valid episode holds 'garag'" in words.notes


def test_A14_a_filter_applies_before_and_its_window_to_the_score(memory: Memory) -> None:
    paid = remember(memory, "rent paid", metadata={"kind": "event"})
    due = remember(memory, "rent due", metadata={"kind": "rule"})
    only = memory.recall("rent", "lease", now=MAY, filter=Filter(where={"kind": "rule"}))  # type: ignore[arg-type]
    assert (only.ids, only.dropped) == ((due.id,), 1)
    best = memory.recall("rent", "lease", now=MAY, weights={"similarity": 1})
    window = memory.recall("rent", "lease", now=MAY, weights={"similarity": 1}, filter=Filter(min_score=5))
    assert (len(best), window.ids, window.dropped) == (2, (), 2)
    assert {paid.id, due.id} == set(best.ids)


# ---------------------------------------------------------------- embedding spaces


def test_A14_two_embedding_spaces_never_mix(memory: Memory) -> None:
    one = remember(memory, "rent is 900", embedding=[1.0, 0.0], model=LLAMA)
    two = remember(memory, "rent is 950", embedding=[1.0, 0.0], model=OTHER)
    remember(memory, "no vector at all")
    found = memory.recall("rent", "lease", now=MAY, embedding=[1.0, 1.0], model=LLAMA)
    assert found.ids == (one.id,)
    assert "2 without a vector of llama 1.0 (2 d): not compared" in found.notes
    assert found.params["similarity"] == "cosine(llama 1.0 (2 d))"
    assert memory.recall("rent", "lease", now=MAY, embedding=[1.0, 1.0], model=OTHER).ids == (two.id,)
    for space, vector in ((("llama", "2.0"), [1.0, 1.0]), (LLAMA, [1.0, 1.0, 0.0])):
        with refused("space_mismatch", "llama 1.0 (2 d): 1, llama 1.1 (2 d): 1"):
            memory.recall("rent", "lease", now=MAY, embedding=vector, model=space)
    with refused("unnamed_space", "None"):
        memory.recall("rent", "lease", now=MAY, embedding=[1.0, 1.0])


def test_A14_an_episode_may_get_a_vector_of_another_space_and_keeps_the_one_it_has(memory: Memory) -> None:
    first = remember(memory, "rent is 900", embedding=[1.0, 0.0], model=LLAMA)
    second = remember(memory, "rent is 900", embedding=[0.0, 1.0], model=OTHER)
    third = remember(memory, "rent is 900", embedding=[0.5, 0.5], model=LLAMA)
    same = remember(memory, "rent is 900", embedding=[1.0, 0.0], model=LLAMA)
    assert [each.vector for each in (first, second, third, same)] == ["stored", "stored", "existing", "existing"]
    assert [each.differs for each in (first, second, third, same)] == [(), (), ("embedding",), ()]
    found = memory.recall("rent", "lease", now=MAY, embedding=[1.0, 0.0], model=LLAMA)
    assert (found.of(first.id) or ())[0].score == 1.0


# ---------------------------------------------------------------- compact


def test_A14_compact_applies_retention_and_reports_each(memory: Memory) -> None:
    remember(memory, "kept for good", valid_until=JUNE)
    expiring = remember(
        memory, "rent is 900 until june", valid_until=JUNE, retention="expire", embedding=[1.0], model=LLAMA
    )
    weekly = remember(memory, "rent reminder", retention=7)
    assert memory.compact("lease", now=MAY) == Compaction("lease", MAY, 3, 0, ())
    report = memory.compact("lease", now=JULY)
    assert (report.kept, report.expired) == (1, 1)
    assert {gone.id: gone.reason for gone in report.removed} == {
        expiring.id: "its validity ended at 2031-06-01T00:00:00Z",
        weekly.id: "it was remembered at 2031-05-01T00:00:00Z, 7 days or more ago",
    }
    with refused("unknown_id"):
        memory.episode(weekly.id, "lease")
    assert memory.compact("lease", now=JULY).removed == ()
    assert memory.compact("nobody", now=JULY).kept == 0
    assert Compaction.from_json(json.loads(json.dumps(report.to_json()))) == report


def test_A14_what_compaction_let_go_is_said_when_its_time_is_asked_for(memory: Memory) -> None:
    gone = remember(memory, "rent is 900", valid_until=JUNE, retention="expire")
    memory.compact("lease", now=JULY)
    then = memory.recall("rent", "lease", as_of="2031-05-10")
    assert then.ids == ()
    assert "valid at 2031-05-10T00:00:00Z, but let go by compaction: 1" in then.notes
    assert memory.recall("rent", "lease", as_of=JULY).notes == ()
    assert remember(memory, "rent is 900", now=JULY).status == "created"
    assert [span.state for span in memory.timeline("lease", as_of=JULY).spans] == ["compacted", "valid"]
    assert memory.episode(gone.id, "lease").remembered > 0


# ---------------------------------------------------------------- one table, one lane, one clock


def test_A1_memory_reads_the_one_table_of_backends(memory: Memory) -> None:
    remember(memory, "rent is 900")
    assert memory.recall("rent", "lease", now=MAY, backend="index").backend == "index"
    for verb in (
        lambda: memory.recall("rent", "lease", now=MAY, backend="dense"),
        lambda: memory.compact("lease", backend="local"),
    ):
        with refused("backend_cannot_serve_verb", "'index'"):
            verb()
    assert backend_status("index", verb="recall").missing == ("a Memory",)
    assert issubclass(BackendUnavailable, ValueError)


def test_A4_a_recall_is_a_lane_of_another_verb(memory: Memory) -> None:
    receipt = remember(memory, "rent is 900", metadata={"page": 4})
    recalled = memory.recall("rent", "lease", now=MAY)
    fused = hybrid_search({"memory": recalled, "sparse": sparse_search("rent", {"d": "rent law"})})
    assert [part.backend for part in fused.of(receipt.id) or ()] == ["index", "lexical"]
    assert fused.text(receipt.id) == "rent is 900"
    assert fused.metadata(receipt.id) == {"page": 4}
    with refused("unknown_fusion", "recall"):
        recalled.trace()


def test_A14_given_now_every_answer_is_the_same(tmp_path: Path) -> None:
    answers = []
    for order in (("rent a", "rent b", "rent c"), ("rent c", "rent a", "rent b")):
        with Memory() as memory:
            for content in order:
                remember(memory, content, salience=0.5)
            answers.append((memory.recall("rent", "lease", now=JUNE), memory.timeline("lease", now=JUNE)))
    assert answers[0] == answers[1]


def test_A14_left_out_now_is_the_clock() -> None:
    with Memory() as memory:
        before = datetime.now(UTC)
        memory.remember("rent is 900", "lease")
        at = datetime.fromisoformat(str(memory.recall("rent", "lease").params["as_of"]))
        assert before <= at <= datetime.now(UTC)


# ---------------------------------------------------------------- files


def test_memory_in_a_file_outlives_the_process_that_wrote_it(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom workbench.memory import Memory\n"
        "print(Memory(sys.argv[1]).remember('rent is 900', 'lease', now='2031-05-01').id)"
    )
    path = tmp_path / "folder" / "notes.db"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert Memory(path).recall("rent", "lease", now=JUNE).ids == (done.stdout.strip(),)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_reading_a_memory_that_is_not_there_makes_no_file(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "notes.db")
    assert memory.collections == ()
    assert memory.timeline("lease", now=MAY).spans == ()
    assert memory.compact("lease", now=MAY).kept == 0
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_file_is_refused_by_name(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to be read as one")
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    for path in (text, other):
        with refused("not_a_store", path.name):
            Memory(path).remember("rent", "lease", now=MAY)


def test_memory_of_a_newer_workbench_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    remember(Memory(path), "rent is 900")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE memory_settings SET value = '99' WHERE name = 'schema'")
    connection.close()
    with refused("unknown_schema", "99"):
        remember(Memory(path), "rent is 950")


def test_a_second_writer_waits_or_gets_a_named_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    first = remember(Memory(path), "rent is 900")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    hasty = Memory(path, wait=0.05)
    with refused("store_locked", "notes.db"):
        remember(hasty, "rent is 950")
    assert hasty.recall("rent", "lease", now=MAY).ids == (first.id,)  # a reader never waits
    holder.execute("ROLLBACK")
    holder.close()
    assert remember(hasty, "rent is 950").status == "created"


def test_memory_lives_in_a_workbenchs_own_store(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    receipt = remember(Memory(path), "rent is 900")
    bench = Workbench([Document("a", "red tape")], embedder=None, signals=["text"])
    bench.save(tmp_path)
    remember(Memory(path), "rent is 950")
    assert receipt.id in Memory(path).recall("rent", "lease", now=MAY).ids
    assert Workbench.load(tmp_path, embedder=None).documents == bench.documents


def test_a_memory_that_was_closed_says_so() -> None:
    memory = Memory()
    memory.close()
    with refused("store_failed", "closed"):
        remember(memory, "rent is 900")


def test_a_failed_write_leaves_nothing_behind(memory: Memory) -> None:
    remember(memory, "rent is 900")

    def breaks_half_way() -> None:
        with memory._file.writing() as connection:
            connection.execute("DELETE FROM memory_episodes")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        breaks_half_way()
    assert len(memory.recall("rent", "lease", now=MAY)) == 1


# ---------------------------------------------------------------- views


def test_a_recall_shows_its_terms_as_the_board_shows_lanes(memory: Memory) -> None:
    nasty = "rent <script>alert(1)</script> \u202e" * 20
    remember(memory, nasty, salience=0.5)
    remember(memory, "rent is 900")
    found = memory.recall("rent", "lease", now=JUNE)
    html, text = found._repr_html_(), repr(found)
    for name in TERMS:
        assert name in html
        assert name in text
    assert "<script" not in html
    assert "\u202e" not in html + text
    assert len(html) < 30_000
    assert html.count("absent: it has no contribution here") == 5
    assert Ranking.from_json(json.dumps(found.to_json())) == found


def test_a_timeline_shows_what_was_valid_when(memory: Memory) -> None:
    remember(memory, "rent <b>900</b>", valid_until=JUNE)
    remember(memory, "rent is 950", valid_from=JUNE, valid_until=JULY)
    remember(memory, "rent is 990", valid_from=JULY)
    line = memory.timeline("lease", as_of="2031-06-15")
    assert [span.state for span in line.spans] == ["expired", "valid", "not yet"]
    assert line.valid == (line.spans[1].id,)
    assert "1 valid, 1 not yet, 1 expired" in repr(line)
    bars = [text.split("  ")[0] for text in repr(line).splitlines()[1:]]
    assert bars[0].startswith("▒")
    html = line._repr_html_()
    assert "rent &lt;b&gt;900&lt;/b&gt;" in html
    assert "open end" in html
    assert Timeline.from_json(json.loads(json.dumps(line.to_json()))) == line
    for number in range(60):
        remember(memory, f"note {number}")
    assert "1-40 of 63" in repr(memory.timeline("lease", as_of=JUNE))
    assert "nothing remembered" in repr(memory.timeline("empty", as_of=JUNE))


def test_an_episode_survives_json_and_any_text(memory: Memory) -> None:
    receipt = remember(memory, "lone \ud800 surrogate", metadata={"ключ": ["ü", 1, None]})
    kept = memory.episode(receipt.id, "lease")
    assert kept.content == "lone \ud800 surrogate"
    assert Episode.from_json(json.loads(json.dumps(kept.to_json()))) == kept
    assert Receipt.from_json(json.loads(json.dumps(receipt.to_json()))) == receipt
