"""Memory's tables, in a store's SQLite file or in this process alone. Every change is one transaction."""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from workbench.corpus import schema
from workbench.corpus.packing import json_in, json_out, text_in, text_out
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.memory.episodes import Episode, Space

SCHEMA = 1
_TABLES = (
    "CREATE TABLE IF NOT EXISTS memory_settings (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS memory_episodes (
        collection NOT NULL, id TEXT NOT NULL, content NOT NULL, remembered INTEGER NOT NULL,
        valid_from INTEGER NOT NULL, valid_until INTEGER, retention TEXT NOT NULL, salience REAL, authority REAL,
        metadata TEXT NOT NULL, provenance TEXT NOT NULL, PRIMARY KEY (collection, id))""",
    """CREATE TABLE IF NOT EXISTS memory_vectors (
        collection NOT NULL, id TEXT NOT NULL, model NOT NULL, version NOT NULL, dimension INTEGER NOT NULL,
        vector BLOB NOT NULL, PRIMARY KEY (collection, id, model, version, dimension),
        FOREIGN KEY (collection, id) REFERENCES memory_episodes (collection, id) ON DELETE CASCADE)""",
    """CREATE TABLE IF NOT EXISTS memory_removed (
        collection NOT NULL, id TEXT NOT NULL, removed INTEGER NOT NULL,
        valid_from INTEGER NOT NULL, valid_until INTEGER, reason TEXT NOT NULL)""",
)
_COLUMNS = "id, content, remembered, valid_from, valid_until, retention, salience, authority, metadata, provenance"


class MemoryFile:
    """Reads and writes memory's tables. With a path it holds no connection; without one, its own until ``close``."""

    def __init__(self, path: str | Path | None, wait: float) -> None:
        self.path = None if path is None else schema.place(path)
        self._wait = wait
        self._lock = threading.RLock()
        self._own: sqlite3.Connection | None = None
        if self.path is None:
            self._own = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._own.execute("PRAGMA foreign_keys = ON")
            _prepare(self._own)

    def close(self) -> None:
        """Lets go of what lives in this process alone; a file stays as it is."""
        with self._lock:
            if self._own is not None:
                self._own.close()
                self._own = None

    def _still_open(self) -> None:
        if self._own is None and self.path is None:
            raise WorkbenchError("store_failed", "this memory lived in the process alone and was closed: make another")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """One consistent view; None where nothing was ever remembered."""
        self._still_open()
        if self._own is not None:
            with self._lock, schema.named_errors(Path(":memory:")):
                yield self._own
        elif self.path is not None and not self.path.exists():
            yield None
        else:
            assert self.path is not None
            with schema.reading(self.path) as connection:
                yield connection if _known(connection, str(self.path)) else None

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of the block, or nothing of it."""
        self._still_open()
        if self._own is not None:
            with self._lock, schema.named_errors(Path(":memory:")):
                self._own.execute("BEGIN")
                try:
                    yield self._own
                except BaseException:
                    self._own.execute("ROLLBACK")
                    raise
                self._own.execute("COMMIT")
            return
        assert self.path is not None
        if not self.path.exists():
            schema.create(self.path, _prepare)
        with schema.writing(self.path, wait=self._wait) as connection:
            if not _known(connection, str(self.path)):
                _prepare(connection)
            yield connection


def collections(connection: sqlite3.Connection) -> tuple[str, ...]:
    """The names, ascending."""
    return tuple(
        sorted(text_out(name) for (name,) in connection.execute("SELECT DISTINCT collection FROM memory_episodes"))
    )


def episodes(connection: sqlite3.Connection, collection: str) -> tuple[Episode, ...]:
    """All of a collection's episodes, by ascending id."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memory_episodes WHERE collection = ? ORDER BY id", (text_in(collection),)
    )
    return tuple(_episode(collection, row) for row in rows)


def find(connection: sqlite3.Connection, collection: str, id: str) -> Episode | None:
    """The episode of that id."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM memory_episodes WHERE collection = ? AND id = ?", (text_in(collection), id)
    ).fetchone()
    return None if row is None else _episode(collection, row)


def put(connection: sqlite3.Connection, new: Episode) -> None:
    """Adds an episode that is not there."""
    connection.execute(
        f"INSERT INTO memory_episodes (collection, {_COLUMNS}) VALUES ({', '.join('?' * 11)})",
        (
            text_in(new.collection),
            new.id,
            text_in(new.content),
            new.remembered,
            new.valid_from,
            new.valid_until,
            json_in(new.retention),
            new.salience,
            new.authority,
            json_in(new.metadata),
            json_in(new.provenance),
        ),
    )


def put_vector(connection: sqlite3.Connection, of: Episode, space: Space, vector: np.ndarray) -> bytes | None:
    """Adds the episode's vector in that space; the bytes that were there before, if any, stay and are returned."""
    key = (text_in(of.collection), of.id, text_in(space.model), text_in(space.version), space.dimension)
    there = connection.execute(
        "SELECT vector FROM memory_vectors WHERE collection = ? AND id = ? AND model = ? AND version = ? AND dimension = ?",
        key,
    ).fetchone()
    if there is None:
        connection.execute("INSERT INTO memory_vectors VALUES (?, ?, ?, ?, ?, ?)", (*key, vector.tobytes()))
        return None
    found: bytes = there[0]
    return found


def spaces(connection: sqlite3.Connection, collection: str) -> dict[Space, int]:
    """How many episodes have a vector in each space, by ascending space."""
    rows = connection.execute(
        "SELECT model, version, dimension, count(*) FROM memory_vectors WHERE collection = ? GROUP BY model, version, dimension",
        (text_in(collection),),
    )
    found = {Space(text_out(model), text_out(version), dimension): count for model, version, dimension, count in rows}
    return dict(sorted(found.items(), key=lambda item: (item[0].model, item[0].version, item[0].dimension)))


def vectors(connection: sqlite3.Connection, collection: str, space: Space) -> dict[str, np.ndarray]:
    """Id → vector, of that space alone."""
    rows = connection.execute(
        "SELECT id, vector FROM memory_vectors WHERE collection = ? AND model = ? AND version = ? AND dimension = ? ORDER BY id",
        (text_in(collection), text_in(space.model), text_in(space.version), space.dimension),
    )
    return {id: np.frombuffer(blob, dtype="<f8") for id, blob in rows}


def remove(connection: sqlite3.Connection, gone: Episode, reason: str, at: int) -> None:
    """Takes an episode out with its vectors, and notes what was valid when."""
    connection.execute(
        "INSERT INTO memory_removed VALUES (?, ?, ?, ?, ?, ?)",
        (text_in(gone.collection), gone.id, at, gone.valid_from, gone.valid_until, reason),
    )
    connection.execute(
        "DELETE FROM memory_episodes WHERE collection = ? AND id = ?", (text_in(gone.collection), gone.id)
    )


def removed(connection: sqlite3.Connection, collection: str) -> tuple[tuple[str, int, int, int | None, str], ...]:
    """(id, removed, valid_from, valid_until, reason) of what compaction took out, by ascending id and time."""
    rows = connection.execute(
        "SELECT id, removed, valid_from, valid_until, reason FROM memory_removed WHERE collection = ? ORDER BY id, removed",
        (text_in(collection),),
    )
    return tuple(rows.fetchall())


def _episode(collection: str, row: Any) -> Episode:
    id, content, remembered, valid_from, valid_until, retention, salience, authority, metadata, provenance = row
    return Episode(
        id=id,
        collection=collection,
        content=text_out(content),
        remembered=remembered,
        valid_from=valid_from,
        valid_until=valid_until,
        retention=json_out(retention),
        salience=salience,
        authority=authority,
        metadata=FrozenMap(json_out(metadata)),
        provenance=FrozenMap(json_out(provenance)),
    )


def _prepare(connection: sqlite3.Connection) -> None:
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("INSERT OR REPLACE INTO memory_settings VALUES ('schema', ?)", (json_in(SCHEMA),))


def _known(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the file holds memory's tables; those of a newer workbench are refused."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'memory_settings'").fetchone() is None:
        return False
    found = json_out(connection.execute("SELECT value FROM memory_settings WHERE name = 'schema'").fetchone()[0])
    if found > SCHEMA:
        raise WorkbenchError(
            "unknown_schema",
            f"{path!r} holds memory of schema {found}, written by a newer workbench: this one reads up to {SCHEMA}",
            schema=found,
        )
    return True
