"""Lanes over a table in PostgreSQL: full text by ``ts_rank_cd``, nearest vectors by pgvector.

    lane = PostgresTextLane("host=db dbname=wiki", "articles", text_column="body", document_column="page")
    Workbench(documents, lanes={"postgres": lane})           # beside the built-in lanes
    Workbench(documents, lanes={"lexical": lane.called("lexical")})   # in the place of BM25

Values are sent apart from the SQL, identifiers are quoted by psycopg, and the session is read-only.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from workbench import checks
from workbench.errors import BackendUnavailable, WorkbenchError
from workbench.frozen import FrozenMap
from workbench.lanes.base import checked, cut
from workbench.lanes.postgres_rows import Table, quoted
from workbench.models.embedders import Embedder
from workbench.records import Filter, Lane, Passage

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composed

METRICS = {"cosine": ("<=>", "1 - ({})"), "dot": ("<#>", "-({})")}
"""Metric → pgvector's operator, and what makes its distance a score where more is better."""


class _Search(NamedTuple):
    """One statement and what the lane says of the query."""

    sql: "Composed"
    values: dict[str, Any]
    about: dict[str, Any]


class PostgresLane(ABC):
    """What both lanes share. A connection is opened for a search and closed after it."""

    backend = "postgres"
    verb: str
    name: str

    def __init__(self, dsn: str, table: Table, name: str, timeout: float) -> None:
        self._dsn = checks.text("dsn", dsn)
        self._table = table
        self._timeout = checks.number("timeout", timeout, above=0)
        self.name = checks.text("name", name)
        self._where = self._address()

    def called(self, name: str) -> Self:
        """The same lane under another name."""
        other = copy(self)
        other.name = checks.text("name", name)
        return other

    @property
    @abstractmethod
    def score_model(self) -> str: ...

    @abstractmethod
    def _search(self, connection: "Connection[tuple[Any, ...]]", query: str, filter: Filter | None) -> _Search | str:
        """The statement of (id, document_id, text, title, metadata, score, detail) rows, best first, up to ``%(depth)s``.
        A text says why there is nothing to ask."""

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        """The best ``depth`` rows, ties by ascending id in code points.

        Raises:
            BackendUnavailable: psycopg, the server or the extension is missing.
            WorkbenchError: ``missing_table``, ``missing_column``, ``shape_mismatch``, ``missing_id``, ``repeated_id``.
        """
        query, depth = checked(query, depth)
        about: dict[str, Any] = {"query": query}
        rows: list[tuple[Any, ...]] = []
        barred = 0
        try:
            with self._connected() as connection:
                search = self._search(connection, query, filter)
                if isinstance(search, str):
                    about["note"] = search
                else:
                    about |= search.about
                    limit = None if filter is not None and filter.has_window else depth
                    rows = connection.execute(search.sql, {**search.values, "depth": limit}).fetchall()
                if filter is not None:
                    barred = connection.execute(*self._table.barred(filter)).fetchone()[0]  # type: ignore[index]
        except _Failed as cause:
            return Lane(
                self.name,
                status="unavailable",
                reason=str(cause),
                backend=self.backend,
                score_model=self.score_model,
                depth=depth,
            )
        passages = {p.id: p for p in map(self._passage, rows, range(1, len(rows) + 1))}
        checks.no_repeats([row[0] for row in rows], f"lane {self.name!r}: table {self._table.name!r}")
        hits, dropped = cut([(row[0], float(row[5])) for row in rows], depth, filter, None)
        details = {row[0]: row[6] for row in rows}
        return Lane(
            name=self.name,
            hits=hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=depth,
            detail=FrozenMap({hit.id: details[hit.id] for hit in hits}),
            about=FrozenMap(about),
            filter=filter,
            dropped=None if dropped is None else dropped + barred,
            payload={hit.id: passages[hit.id] for hit in hits},
        )

    def explain(self, query: str, depth: int = 100, filter: Filter | None = None, *, analyze: bool = False) -> str:
        """PostgreSQL's plan for that search; with ``analyze`` the search is run and the plan says what it took.

        Raises:
            WorkbenchError: those of ``search``; ``lane_failed`` with the server's own words.
        """
        from psycopg import sql

        query, depth = checked(query, depth)
        try:
            with self._connected() as connection:
                search = self._search(connection, query, filter)
                if isinstance(search, str):
                    return search
                options = sql.SQL("EXPLAIN (ANALYZE, BUFFERS) " if analyze else "EXPLAIN ")
                return "\n".join(
                    row[0]
                    for row in connection.execute(
                        sql.Composed([options, search.sql]), {**search.values, "depth": depth}
                    )
                )
        except _Failed as cause:
            raise WorkbenchError("lane_failed", f"lane {self.name!r}: {cause}") from cause

    def _passage(self, row: tuple[Any, ...], place: int) -> Passage:
        id = checks.item_id(row[0], f"lane {self.name!r}, position {place},")
        return Passage(id, row[1], row[2], 0, title=row[3], metadata=FrozenMap(row[4]))

    @contextmanager
    def _connected(self) -> "Iterator[Connection[tuple[Any, ...]]]":
        psycopg = _psycopg(self.verb)
        try:
            connection = psycopg.connect(self._dsn, connect_timeout=max(1, round(self._timeout)))
        except psycopg.Error as cause:
            # its words name the host and the user, never the password
            raise self._unavailable(f"a PostgreSQL server that lets us in at {self._where}", cause) from None
        try:
            with connection:
                connection.read_only = True
                connection.execute(
                    "SELECT set_config('statement_timeout', %s, true)", (str(round(self._timeout * 1000)),)
                )
                yield connection
        except psycopg.Error as cause:
            raise self._named(psycopg, cause) from None
        except UnicodeError as cause:
            raise _Failed(f"PostgreSQL cannot hold the query: {cause}") from None

    def _named(self, psycopg: Any, cause: Exception) -> Exception:
        words = str(cause).splitlines()[0]
        if isinstance(cause, psycopg.errors.UndefinedTable | psycopg.errors.InvalidSchemaName):
            return WorkbenchError("missing_table", f"lane {self.name!r}: {words}: name a table that {self._where} has")
        if isinstance(cause, psycopg.errors.UndefinedColumn):
            return WorkbenchError(
                "missing_column", f"lane {self.name!r}: {words}: name columns of {self._table.name!r}"
            )
        if isinstance(cause, psycopg.errors.UndefinedObject) and '"vector"' in words:
            return self._unavailable("the pgvector extension (CREATE EXTENSION vector)", cause)
        if isinstance(cause, psycopg.errors.DataException) and "dimensions" in words:
            return WorkbenchError(
                "shape_mismatch", f"lane {self.name!r}: {words}: give the embedder that made the table's vectors"
            )
        if isinstance(cause, psycopg.OperationalError) and not isinstance(cause, psycopg.errors.QueryCanceled):
            return self._unavailable(f"a PostgreSQL server that stays up at {self._where}", cause)
        return _Failed(f"{type(cause).__name__}: {words}")

    def _unavailable(self, missing: str, cause: Exception) -> BackendUnavailable:
        words = " ".join(str(cause).split())
        return BackendUnavailable(
            self.backend, (missing,), self.verb, f"{self.verb}: lane {self.name!r} needs {missing}: {words}"
        )

    def _address(self) -> str:
        """Host, port and database, without user and password."""
        psycopg = _psycopg(self.verb)
        try:
            parts = psycopg.conninfo.conninfo_to_dict(self._dsn)
        except psycopg.Error:
            # libpq's own message would quote the text, and with it a password
            raise WorkbenchError(
                "wrong_type", "dsn is no connection string: give 'host=... dbname=...' or 'postgresql://...'"
            ) from None
        return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._where!r}, {self._table.name!r}, name={self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(f"{self!r} holds a connection string and is not pickled: build it where it is used")


class PostgresTextLane(PostgresLane):
    """Full text: ``websearch_to_tsquery`` says what matches, ``ts_rank_cd`` how well.

    ``detail`` of a hit: ``matched``, the query's lexemes that its row holds. ``about``: ``tsquery``. PostgreSQL
    gives no contributions of terms to ``ts_rank_cd``, so none are shown.

    Args:
        dsn: libpq's connection string.
        table: ``table`` or ``schema.table``.
        document_column: what a row's document is called; the id where left out.
        metadata_columns: for the filter's ``where``.
        vector_column: a ``tsvector`` column, where there is one; otherwise the text is parsed at each search.
        language: a text search configuration.
        match: ``all`` words of the query, or ``any``.
        normalization: of ``ts_rank_cd``.
        timeout: seconds, for the connection and for a search.
    """

    verb = "sparse_search"

    def __init__(
        self,
        dsn: str,
        table: str,
        *,
        id_column: str = "id",
        text_column: str = "text",
        document_column: str | None = None,
        title_column: str | None = None,
        metadata_columns: Sequence[str] = (),
        vector_column: str | None = None,
        language: str = "english",
        match: str = "all",
        normalization: int = 0,
        name: str = "postgres",
        timeout: float = 10.0,
    ) -> None:
        self._vector = vector_column
        self._language = checks.text("language", language)
        self._match = checks.one_of("match", match, ("all", "any"), "out_of_range")
        self._normalization = checks.whole("normalization", normalization, low=0, high=63)
        columns = Table.of(table, id_column, text_column, document_column, title_column, metadata_columns)
        super().__init__(dsn, columns, name, timeout)

    @property
    def score_model(self) -> str:
        return f"ts_rank_cd(websearch_to_tsquery,match={self._match},normalization={self._normalization},config={self._language})"

    def _search(self, connection: "Connection[tuple[Any, ...]]", query: str, filter: Filter | None) -> _Search | str:
        from psycopg import sql

        parsed = sql.SQL(
            "websearch_to_tsquery(%(language)s::regconfig, %(query)s)"
            if self._match == "all"
            else "replace(websearch_to_tsquery(%(language)s::regconfig, %(query)s)::text, '&', '|')::tsquery"
        )
        asked = {"language": self._language, "query": query}
        row = connection.execute(sql.SQL("SELECT {}::text").format(parsed), asked).fetchone()
        if row is None or not row[0]:
            return "no word of the query is searched for: they are all stop words or marks"
        document = (
            sql.SQL("to_tsvector(%(language)s::regconfig, coalesce({}, ''))").format(self._table.text)
            if self._vector is None
            else quoted(self._vector)
        )
        matched = sql.SQL(
            "jsonb_build_object('matched', ARRAY(SELECT lexeme FROM unnest({}) WHERE lexeme = "
            "ANY(tsvector_to_array(to_tsvector(%(language)s::regconfig, %(query)s)))))"
        ).format(document)
        score = sql.SQL("ts_rank_cd({}, asked, %(normalization)s)").format(document)
        allowed, values = self._table.admitted(filter)
        return _Search(
            self._table.select(
                score,
                matched,
                source=sql.SQL("{}, (SELECT {} AS asked) AS question").format(self._table.identifier, parsed),
                condition=sql.SQL("{} @@ asked AND {}").format(document, allowed),
            ),
            {**asked, "normalization": self._normalization, **values},
            {"language": self._language, "match": self._match, "tsquery": row[0]},
        )


class PostgresVectorLane(PostgresLane):
    """Nearest vectors by pgvector. Exact without an index on the column; with one as exact as the index is.

    A row without a vector, or with a zero one, is not returned. ``detail`` of a hit: the metric's value. Other
    arguments as in ``PostgresTextLane``.

    Args:
        embedder: the model that made the column's vectors.
        vector_column: a ``vector`` column.
        metric: ``cosine`` or ``dot``.
    """

    verb = "vector_search"

    def __init__(
        self,
        dsn: str,
        table: str,
        embedder: Embedder,
        *,
        vector_column: str = "embedding",
        metric: str = "cosine",
        id_column: str = "id",
        text_column: str = "text",
        document_column: str | None = None,
        title_column: str | None = None,
        metadata_columns: Sequence[str] = (),
        name: str = "pgvector",
        timeout: float = 10.0,
    ) -> None:
        self._embedder = embedder
        self._vector = checks.text("vector_column", vector_column)
        self._metric = checks.one_of("metric", metric, METRICS, "out_of_range")
        columns = Table.of(table, id_column, text_column, document_column, title_column, metadata_columns)
        super().__init__(dsn, columns, name, timeout)

    @property
    def score_model(self) -> str:
        return f"pgvector-{self._metric}({self._embedder.identity})"

    def _search(self, connection: "Connection[tuple[Any, ...]]", query: str, filter: Filter | None) -> _Search | str:
        from psycopg import sql

        vector = np.asarray(self._embedder.embed([query]), dtype=np.float64)[0]
        if not vector.any():
            return "the model knows no token of the query: it has no vector"
        operator, worth = METRICS[self._metric]
        distance = sql.SQL("{} {} %(vector)s::vector").format(quoted(self._vector), sql.SQL(operator))
        score = sql.SQL(worth).format(distance)
        allowed, values = self._table.admitted(filter)
        return _Search(
            self._table.select(
                score,
                sql.SQL("jsonb_build_object(%(metric)s::text, {})").format(score),
                source=self._table.identifier,
                condition=sql.SQL("({}) <> 'NaN' AND {}").format(distance, allowed),
                order=distance,  # so that an index on the column can serve it
            ),
            {"vector": json.dumps(vector.tolist()), "metric": self._metric, **values},
            {"embedder": self._embedder.identity, "metric": self._metric},
        )


class _Failed(Exception):
    """The server refused the search, in its own words."""


def _psycopg(verb: str) -> Any:
    try:
        import psycopg
    except ImportError as cause:
        raise BackendUnavailable("postgres", ("psycopg",), verb) from cause
    return psycopg
