"""What ends badly leaves the store whole: kills, a full disk, a folder that cannot be written, damaged and foreign files."""

import contextlib
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers import refused
from tests.store.corpus import bench, document, toy
from workbench import Document, Workbench
from workbench.corpus import schema

ROOT = Path(__file__).parents[2]
KILLS = 200


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: a kill is the same there, and 200 of them take less time."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shared if os.access(shared, os.W_OK) else None))
    yield folder
    shutil.rmtree(folder)


def test_200_kills_lose_no_committed_document_and_never_leave_a_file_that_does_not_open(memory: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "tests.store.nursery", str(memory), str(KILLS), "7"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr[-3000:]
    seen = json.loads(ran.stdout)
    assert seen["kills"] == KILLS
    # the kills fell where it matters, and what was finished before them was something to lose
    assert seen["within a change"] >= 20
    assert seen["within a save"] >= 20
    assert seen["changes"] >= 20
    assert seen["saves"] >= 20
    assert seen["left behind"] == []


# ---------------------------------------------------------------- no room, no permission


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True, text=True
    )
    if made.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def large(id: str = "large") -> Document:
    return Document(id, "A long report.", metadata={"attached": "0123456789" * 200_000})  # type: ignore[arg-type]


def test_a_full_disk_is_a_named_error_and_leaves_the_old_file_whole(disk: Path) -> None:
    ours = bench([document(1), document(2)], store=disk / "store.db", signals=["text"])
    with refused("store_full", str(disk / "store.db"), "make room"):
        ours.add(large())
    assert [d.id for d in ours.documents] == ["d001", "d002"]  # what is shown is what is kept
    assert [d.id for d in Workbench.load(disk / "store.db").documents] == ["d001", "d002"]
    ours.add(document(3))  # a small one still goes in
    assert bench(store=disk / "store.db").reconcile().in_step
    with refused("store_full"):
        bench([large()], signals=["text"]).save(disk / "other.db")
    with refused("store_full"):
        bench([large()], signals=["text"]).save(disk / "store.db")
    assert sorted(p.name for p in disk.iterdir()) == ["store.db"]
    assert len(Workbench.load(disk / "store.db").documents) == 3


def test_a_read_only_disk_is_a_named_error_and_can_still_be_read(disk: Path) -> None:
    ours = bench([document(1), document(2)], store=disk / "store.db")
    before = (disk / "store.db").read_bytes()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with refused("store_read_only", str(disk / "store.db")):
        ours.add(document(3))
    with refused("store_read_only"):
        ours.delete("d001")
    with refused("store_read_only"):
        ours.save(disk / "other.db")
    with refused("store_read_only"):
        bench([document(4)], store=disk / "new.db")
    loaded = Workbench.load(disk / "store.db", embedder=toy())
    assert loaded.retrieve("night desk").fusion.ids == ours.retrieve("night desk").fusion.ids
    assert (disk / "store.db").read_bytes() == before


def test_a_file_that_may_not_grow_is_a_named_error_and_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    bench([document(1)], store=path, signals=["text"])
    code = (
        "import resource, sys\n"
        "from tests.store.corpus import bench\n"
        "from tests.store.test_crash import large\n"
        "from workbench import WorkbenchError\n"
        "ours = bench(store=sys.argv[1], signals=['text'])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n"
        "try:\n    ours.add(large())\nexcept WorkbenchError as error:\n    print(error.code)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, cwd=ROOT)
    assert ran.stdout.strip() == "store_failed", ran.stderr
    assert [d.id for d in bench(store=path).documents] == ["d001"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


# ---------------------------------------------------------------- files that are no store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    bench([document(n, sections=40) for n in range(20)], store=tmp_path / "store.db")
    return tmp_path / "store.db"


@pytest.mark.parametrize("kept", [1 / 10, 1 / 3, 1 / 2, 9 / 10])
@pytest.mark.parametrize("odd", [0, 100])
def test_a_truncated_file_is_refused_by_name(path: Path, kept: float, odd: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept) // 4096 * 4096 + odd])
    for opened in (lambda: Workbench.load(path, embedder=toy()), lambda: bench(store=path)):
        with refused("store_damaged", str(path), "truncated or damaged"):
            opened()


def test_an_empty_file_and_a_text_file_are_no_store(tmp_path: Path) -> None:
    for name, content in (("empty.db", b""), ("notes.db", b"# Notes\n" * 100), ("short.db", b"SQLite")):
        (tmp_path / name).write_bytes(content)
        for opened in (Workbench.load, lambda p: bench([document(1)], store=p), bench([document(1)]).save):
            with refused("not_a_store", name):
                opened(tmp_path / name)
        assert (tmp_path / name).read_bytes() == content  # nobody's file is written over


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "browser.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE documents (id, text)")
        connection.commit()
    before = path.read_bytes()
    for opened in (Workbench.load, lambda p: bench([document(1)], store=p), bench([document(1)]).save):
        with refused("not_a_store", "another program"):
            opened(path)
    assert path.read_bytes() == before


def test_a_damaged_page_is_found_by_reconcile(path: Path) -> None:
    ours = bench(store=path)
    raw = bytearray(path.read_bytes())
    at = raw.find(b"Night Desk of house 7 in version 1 answers part 3 ")
    raw[at : at + 5] = b"Light"
    path.write_bytes(raw)
    with refused("store_damaged", "'d007'"):
        ours.reconcile()


def test_nothing_there_is_a_missing_file(tmp_path: Path) -> None:
    with refused("missing_file", "nowhere.db"):
        Workbench.load(tmp_path / "nowhere.db")
    with refused("wrong_type", "path is 7"):
        Workbench.load(7)  # type: ignore[arg-type]
    with refused("nothing_to_search"):
        bench(store=tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


# ---------------------------------------------------------------- schema


def test_a_store_of_an_older_schema_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the tables of step 2 go, and with them all that schema 1 did not have
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table in ("mentions", "entities", "pages", "postings"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DELETE FROM settings WHERE name IN ('drift', 'uncounted')")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    fresh = bench([document(n, sections=40) for n in range(20)])
    ours = bench(store=path)
    assert ours.retrieve("night desk meter").fingerprint() == fresh.retrieve("night desk meter").fingerprint()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (schema.SCHEMA,)
    assert not bench(store=path).reconcile().in_step  # the counts were not there
    assert bench(store=path).reconcile().in_step


def test_a_store_of_a_newer_schema_is_refused(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    with refused("unknown_schema", "99", f"up to {schema.SCHEMA}"):
        Workbench.load(path)


# ---------------------------------------------------------------- two processes


def test_a_second_writer_waits_or_gets_a_named_error_and_readers_never_block(tmp_path: Path) -> None:
    from workbench.corpus.store import Store

    path = tmp_path / "store.db"
    bench([document(1)], store=path)
    other = bench(store=Store(path, wait=0.2))
    with schema.writing(path):
        with refused("store_locked", str(path)):
            other.add(document(2))
        assert [d.id for d in Workbench.load(path, embedder=toy()).documents] == ["d001"]
        assert other.retrieve("night desk").fusion.ids
    other.add(document(2))
    assert len(Workbench.load(path, embedder=toy()).documents) == 2


def test_two_workbenches_over_one_store_see_each_others_documents_when_they_write(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    one = bench([document(1)], store=path)
    two = bench(store=path)
    one.add(document(2))
    assert len(two.documents) == 1  # what a workbench shows changes only when it is changed
    two.add(document(3))
    one.delete("d001")
    two.add(document(2, version=5))
    assert [(d.id, d.metadata["version"]) for d in two.documents] == [("d002", 5), ("d003", 1)]
    with refused("unknown_id", "d001"):
        two.delete("d001")
    assert two.reconcile().in_step
    fresh = bench([document(2, version=5), document(3)])
    assert two.retrieve("night desk").fingerprint() == fresh.retrieve("night desk").fingerprint()


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    code = (
        "import sys\n"
        "from tests.store.corpus import bench, document\n"
        "first = int(sys.argv[2])\n"
        "ours = bench([document(first)], store=sys.argv[1], signals=['text', 'embedding'])\n"
        "for number in range(first + 1, first + 8):\n    ours.add(document(number))\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", code, str(path), str(n)], cwd=ROOT) for n in (0, 100)
    ]
    assert [process.wait(120) for process in started] == [0, 0]
    ours = bench(store=path, signals=["text", "embedding"])
    assert {d.id for d in ours.documents} == {f"d{n:03}" for first in (0, 100) for n in range(first, first + 8)}
    assert ours.reconcile().in_step
