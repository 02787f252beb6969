"""The user's table as a lane reads it: quoted columns, one row's shape, and the filter as conditions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench import checks
from workbench.frozen import to_plain
from workbench.records import Filter

if TYPE_CHECKING:
    from psycopg.sql import Composable, Composed, Identifier


@dataclass(frozen=True, slots=True)
class Table:
    """Names of a table and its columns, as the user gave them; quoted by psycopg when they go into SQL."""

    name: str
    id_column: str
    text_column: str
    document_column: str | None
    title_column: str | None
    metadata_columns: tuple[str, ...]

    @classmethod
    def of(
        cls, name: str, id: str, text: str, document: str | None, title: str | None, metadata: Sequence[str]
    ) -> "Table":
        """The table, its names checked to be text."""
        for what, value in (("table", name), ("id_column", id), ("text_column", text)):
            checks.item_id(checks.text(what, value), what)
        if isinstance(metadata, str):
            metadata = (metadata,)
        return cls(name, id, text, document, title, tuple(checks.text("metadata_columns", each) for each in metadata))

    @property
    def identifier(self) -> "Identifier":
        """``"schema"."table"``."""
        return quoted(*self.name.split("."))

    @property
    def text(self) -> "Identifier":
        """The text's column."""
        return quoted(self.text_column)

    @property
    def _id(self) -> "Composed":
        from psycopg import sql

        # in the order of code points, as every tie in the workbench
        return sql.SQL('({}::text COLLATE "C")').format(quoted(self.id_column))

    @property
    def _document(self) -> "Composed":
        from psycopg import sql

        if self.document_column is None:
            return self._id
        return sql.SQL("coalesce({}::text, {})").format(quoted(self.document_column), self._id)

    def select(
        self,
        score: "Composable",
        detail: "Composable",
        *,
        source: "Composable",
        condition: "Composable",
        order: "Composable | None" = None,
    ) -> "Composed":
        """Rows of (id, document_id, text, title, metadata, score, detail), best first, up to ``%(depth)s``.

        ``order``: ascending, in the place of ``score`` descending.
        """
        from psycopg import sql

        title = (
            sql.SQL("''")
            if self.title_column is None
            else sql.SQL("coalesce({}::text, '')").format(quoted(self.title_column))
        )
        pairs = sql.SQL(", ").join(
            sql.SQL("{}::text, to_jsonb({})").format(sql.Literal(name.replace("%", "%%")), quoted(name))
            for name in self.metadata_columns
        )
        return sql.SQL(
            "SELECT {id}, {document}, coalesce({text}, ''), {title}, jsonb_build_object({pairs}), {score}, {detail} "
            "FROM {source} WHERE {condition} ORDER BY {order}, {id} LIMIT %(depth)s"
        ).format(
            id=self._id,
            document=self._document,
            text=self.text,
            title=title,
            pairs=pairs,
            score=score,
            detail=detail,
            source=source,
            condition=condition,
            order=sql.SQL("{} DESC").format(score) if order is None else order,
        )

    def admitted(self, filter: Filter | None) -> tuple["Composable", dict[str, Any]]:
        """The condition that a row may be searched at all, and its values."""
        from psycopg import sql

        parts: list[Composable] = []
        values: dict[str, Any] = {}
        for name, negated in (("include_ids", False), ("exclude_ids", True)):
            ids = None if filter is None else getattr(filter, name)
            if ids is not None:
                values[name] = list(ids)
                among = sql.SQL("({id} = ANY({ids}) OR {document} = ANY({ids}))").format(
                    id=self._id, document=self._document, ids=sql.Placeholder(name)
                )
                parts.append(sql.SQL("NOT {}").format(among) if negated else among)
        for place, (key, value) in enumerate({} if filter is None else filter.where.items()):
            if key not in self.metadata_columns:
                parts.append(sql.SQL("false"))  # a missing key does not match
            elif value is None:
                parts.append(sql.SQL("{} IS NULL").format(quoted(key)))
            else:
                values[f"where_{place}"] = json.dumps(to_plain(value))
                parts.append(
                    sql.SQL("coalesce(to_jsonb({}) = {}::jsonb, false)").format(
                        quoted(key), sql.Placeholder(f"where_{place}")
                    )
                )
        return (sql.SQL(" AND ").join(parts) if parts else sql.SQL("true")), values

    def barred(self, filter: Filter) -> tuple["Composed", dict[str, Any]]:
        """The statement that counts the rows that a filter keeps out, and its values."""
        from psycopg import sql

        condition, values = self.admitted(filter)
        return sql.SQL("SELECT count(*) FROM {} WHERE NOT ({})").format(self.identifier, condition), values


def quoted(*names: str) -> "Identifier":
    """The identifier, quoted; a % is doubled, since psycopg looks for places of values in all of a statement."""
    from psycopg import sql

    return sql.Identifier(*(name.replace("%", "%%") for name in names))
