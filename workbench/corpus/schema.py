"""The store's file: one SQLite database in write-ahead mode. How it is made, told from others, opened and brought up to date.

A new file is made whole under another name and then given its own, so that a file of that name is always a
store. Afterwards every change is one transaction: a reader sees what was before it or what is after it.
"""

import contextlib
import errno
import itertools
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from workbench.errors import WorkbenchError

APPLICATION = 0x77_6B_62_73
"""SQLite's application id of a store: "wkbs"."""
FILE = "workbench.db"
"""Name of the store inside a folder."""
WAIT = 10.0
"""Seconds that a writer waits for another one."""
_NUMBER = itertools.count()
"""Tells the files apart that one process makes at once."""
SMALL = 256 * 1024
"""Free bytes below which a failed write is put down to a full disk."""

STEPS = (
    # 1: documents and what is cut from them
    """
    CREATE TABLE settings (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE documents (
        id PRIMARY KEY NOT NULL, title NOT NULL, text NOT NULL, metadata TEXT NOT NULL, digest BLOB NOT NULL);
    CREATE TABLE passages (
        number INTEGER PRIMARY KEY, id UNIQUE NOT NULL,
        document_id NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        position INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, headings TEXT NOT NULL);
    CREATE INDEX passages_of_document ON passages (document_id);
    CREATE TABLE outline (
        document_id NOT NULL REFERENCES documents (id) ON DELETE CASCADE, place INTEGER NOT NULL,
        label NOT NULL, level INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, path TEXT NOT NULL,
        PRIMARY KEY (document_id, place)) WITHOUT ROWID;
    CREATE TABLE vectors (
        passage INTEGER PRIMARY KEY REFERENCES passages (number) ON DELETE CASCADE,
        digest BLOB NOT NULL, unit BLOB NOT NULL);
    """,
    # 2: what is distilled from all of them, and the counts that the lexical index is made of
    """
    CREATE TABLE entities (number INTEGER PRIMARY KEY, label NOT NULL, kind TEXT NOT NULL);
    CREATE TABLE mentions (
        entity INTEGER NOT NULL REFERENCES entities (number) ON DELETE CASCADE,
        passage INTEGER NOT NULL REFERENCES passages (number) ON DELETE CASCADE,
        PRIMARY KEY (entity, passage)) WITHOUT ROWID;
    CREATE INDEX mentions_of_passage ON mentions (passage);
    CREATE TABLE pages (
        document_id PRIMARY KEY NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        title NOT NULL, summary NOT NULL, keywords TEXT NOT NULL, links TEXT NOT NULL);
    CREATE TABLE postings (
        analyzer TEXT PRIMARY KEY NOT NULL, ids TEXT NOT NULL, digests BLOB NOT NULL, terms TEXT NOT NULL,
        starts BLOB NOT NULL, document BLOB NOT NULL, tf BLOB NOT NULL, width INTEGER NOT NULL, length BLOB NOT NULL);
    """,
)
"""Step n brings a store from schema n − 1 to n; a new store takes them all."""
SCHEMA = len(STEPS)


def place(path: str | Path) -> Path:
    """The store's file: ``path`` itself, or ``workbench.db`` in it where it is a folder or has no suffix."""
    if not isinstance(path, str | Path):
        raise WorkbenchError("wrong_type", f"path is {path!r:.80}: give the path of a file or folder", name="path")
    given = Path(path)
    return given / FILE if given.is_dir() or not given.suffix else given


def create(path: Path, fill: Callable[[sqlite3.Connection], None]) -> bool:
    """Makes a new store with what ``fill`` writes, all or nothing. False where a file of that name came first.

    Raises:
        WorkbenchError: ``store_full``, ``store_read_only``, ``store_failed``.
    """
    temporary: str | None = None
    with named_errors(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _sweep(path)
            temporary = str(path.parent / f".{path.name}.{os.getpid()}.{next(_NUMBER)}.new")
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
            connection = sqlite3.connect(temporary, isolation_level=None)
            try:
                # nobody else sees the file yet: it needs no journal, and is forced to the disk at the end
                connection.execute("PRAGMA journal_mode = OFF")
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("BEGIN")
                _upgrade(connection, 0)
                fill(connection)
                connection.execute("COMMIT")
                connection.execute("PRAGMA journal_mode = WAL")
            finally:
                connection.close()
            _to_disk(Path(temporary))
            return _publish(Path(temporary), path)
        finally:
            if temporary is not None:
                for each in (temporary, f"{temporary}-wal", f"{temporary}-shm", f"{temporary}-journal"):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(each)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """One consistent view of the store, whatever is written meanwhile. Neither waits for a writer nor blocks one.

    Raises:
        WorkbenchError: ``missing_file``, ``not_a_store``, ``store_damaged``, ``unknown_schema``, ``store_failed``.
    """
    with named_errors(path), contextlib.closing(_opened(path)) as connection:
        connection.execute("BEGIN")
        yield connection
        connection.execute("ROLLBACK")


@contextlib.contextmanager
def writing(path: Path, *, wait: float = WAIT) -> Iterator[sqlite3.Connection]:
    """One transaction: all of it is kept when the block ends, nothing of it when the block raises.

    Raises:
        WorkbenchError: ``store_locked`` after ``wait`` seconds of another's writing, ``store_full``,
            ``store_read_only``, and those of ``reading``.
    """
    with named_errors(path), contextlib.closing(_opened(path, wait)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _opened(path: Path, wait: float = WAIT) -> sqlite3.Connection:
    if not path.exists():
        raise WorkbenchError(
            "missing_file", f"no store at {str(path)!r}: save one there, or open it with store=", path=str(path)
        )
    with open(path, "rb") as file:
        if file.read(16) != b"SQLite format 3\x00":
            raise _foreign(path, "it is no SQLite file")
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, isolation_level=None, timeout=wait)
    try:
        try:
            found = _schema(connection, path)
        except sqlite3.OperationalError:
            # a read-only folder has no room for the shared memory of write-ahead mode; with no log left
            # over nobody writes there, and the file alone is the whole store
            log = Path(f"{path}-wal")
            if os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size):
                raise
            connection.close()
            connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True, isolation_level=None)
            found = _schema(connection, path)
        if found > SCHEMA:
            raise WorkbenchError(
                "unknown_schema",
                f"{str(path)!r} has the schema {found}, written by a newer workbench: this one reads up to {SCHEMA}",
                schema=found,
            )
        if found < SCHEMA:
            connection.execute("BEGIN IMMEDIATE")
            _upgrade(connection, int(connection.execute("PRAGMA user_version").fetchone()[0]))
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _schema(connection: sqlite3.Connection, path: Path) -> int:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise _foreign(path, "it is the SQLite file of another program")
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # a file cut short shows here
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _upgrade(connection: sqlite3.Connection, found: int) -> None:
    for step in STEPS[found:]:
        for statement in step.split(";"):
            if statement.strip():
                connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _publish(temporary: Path, path: Path) -> bool:
    try:
        os.link(temporary, path)  # unlike a rename, a link never takes the place of another's file
    except FileExistsError:
        return False
    except OSError as cause:
        if cause.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        if path.exists():  # a file system without links
            return False
        os.rename(temporary, path)
    with contextlib.suppress(PermissionError):  # Windows opens no folder
        _to_disk(path.parent)
    return True


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sweep(path: Path) -> None:
    """Takes away what a process that was killed while it made this store left behind."""
    if os.name != "posix":  # elsewhere there is no asking after a process without touching it
        return
    for left in path.parent.glob(f".{path.name}.*.new*"):
        number = left.name.removeprefix(f".{path.name}.").split(".")[0]
        if number.isdigit() and int(number) != os.getpid() and not _lives(int(number)):
            left.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# ---------------------------------------------------------------- errors by name


@contextlib.contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Turns what SQLite and the file system raise into the store's own errors, with their words kept."""
    try:
        yield
    except sqlite3.Error as cause:
        raise _named(cause, path) from cause
    except OSError as cause:
        if isinstance(cause, sqlite3.Error | WorkbenchError):
            raise
        code, advice = _ADVICE.get(_OF_ERRNO.get(cause.errno or 0, ""), _ADVICE["IOERR"])
        raise WorkbenchError(code, f"{str(path)!r}: {cause}: {advice}", path=str(path)) from cause


_ADVICE = {
    "BUSY": ("store_locked", "another process is writing; wait for it, or end it"),
    "FULL": ("store_full", "no room is left on the disk; what was saved before is whole; make room and save again"),
    "READONLY": (
        "store_read_only",
        "the file or its folder cannot be written; what was saved before is whole; change the permissions or save elsewhere",
    ),
    "CORRUPT": ("store_damaged", "the file is truncated or damaged; take a copy from before, or build it anew"),
    "NOTADB": ("not_a_store", "it is no SQLite file; give the path of a store"),
    "IOERR": ("store_failed", "the file system failed; what was saved before is whole; see to the disk and try again"),
}
_OF_ERRNO = {errno.ENOSPC: "FULL", errno.EDQUOT: "FULL", errno.EACCES: "READONLY", errno.EPERM: "READONLY", errno.EROFS: "READONLY"}  # fmt: skip
_PRIMARY = {5: "BUSY", 6: "BUSY", 8: "READONLY", 10: "IOERR", 11: "CORRUPT", 13: "FULL", 14: "IOERR", 26: "NOTADB"}


def _named(cause: sqlite3.Error, path: Path) -> WorkbenchError:
    kind = _PRIMARY.get(getattr(cause, "sqlite_errorcode", 11) & 0xFF, "CORRUPT")
    if kind == "IOERR":
        # write-ahead mode reports a full or read-only disk in other words
        with contextlib.suppress(OSError):
            if not os.access(path.parent, os.W_OK):
                kind = "READONLY"
            elif shutil.disk_usage(path.parent).free < SMALL:
                kind = "FULL"
    code, advice = _ADVICE[kind]
    return WorkbenchError(code, f"{str(path)!r}: {cause}: {advice}", path=str(path))


def _foreign(path: Path, why: str) -> WorkbenchError:
    return WorkbenchError(
        "not_a_store",
        f"{str(path)!r} is no store of the workbench: {why}; give the path of a store, or of a file that is not there yet",
        path=str(path),
    )
