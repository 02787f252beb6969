"""Documents from tables. Every cell keeps the text it has: 001, 1e5, NA and 1.10 are no numbers here."""

import csv
import io
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from workbench import checks
from workbench.corpus.files import Ids, malformed, text_of
from workbench.errors import WorkbenchError
from workbench.records import Document


def read_csv(
    path: str | Path, *, id_column: str = "id", text_column: str = "text", title_column: str | None = None
) -> tuple[Document, ...]:
    """One document a row of a comma-separated file with a header; the other columns become metadata, as text.

    Raises:
        WorkbenchError: ``missing_file``, ``not_utf8``; ``missing_column``, naming the columns there are;
            ``malformed_line``, ``missing_id`` or ``repeated_id``, naming the line; ``nothing_to_search``.
    """
    roles = _roles(id_column, text_column, title_column)
    # fields may be long texts: the limit of the csv module is its own, 128 KB, and the same for the whole process
    limit = csv.field_size_limit(2**31 - 1)
    try:
        rows = _csv_rows(path)
    finally:
        csv.field_size_limit(limit)
    header = rows[0][1] if rows else []
    _need(header, roles, f"{str(path)!r}")
    for name in header:
        if header.count(name) > 1:
            raise malformed(path, 1, f"names the column {name!r} twice: give each its own name")
    ids = Ids()
    documents = []
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise malformed(
                path, line, f"holds {len(cells)} fields and the header {len(header)}: quote cells with commas"
            )
        row = dict(zip(header, cells, strict=True))
        documents.append(_document(row, roles, ids, f"line {line} of {str(path)!r}"))
    return _some(documents, f"{str(path)!r}")


def read_frame(
    frame: Any, *, id_column: str = "id", text_column: str = "text", title_column: str | None = None
) -> tuple[Document, ...]:
    """One document a row of a pandas frame, whatever its string dtype; the other columns become metadata.

    A missing cell is absent from the metadata; a missing text or title is empty. Dates become ISO 8601 text.

    Raises:
        WorkbenchError: ``wrong_type``, ``missing_column``, ``missing_id``, ``id_not_text``, ``repeated_id``,
            ``nothing_to_search``, ``not_finite``.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise WorkbenchError("wrong_type", f"frame is {type(frame).__name__}: give a pandas DataFrame")
    roles = _roles(id_column, text_column, title_column)
    columns = [str(name) for name in frame.columns]
    checks.no_repeats(columns, "the frame's columns")
    _need(columns, roles, "the frame")
    ids = Ids()
    documents = []
    for number, cells in enumerate(
        zip(*(frame.iloc[:, i].tolist() for i in range(len(columns))), strict=True), start=1
    ):
        row = {name: _plain(cell) for name, cell in zip(columns, cells, strict=True) if not _missing(cell, pd)}
        if id_column in row and not isinstance(row[id_column], str):
            raise WorkbenchError(
                "id_not_text",
                f"row {number} has the {id_column} {row[id_column]!r}: ids are text; read the column as text, or convert it with frame[{id_column!r}].astype(str)",
                row=number,
            )
        documents.append(_document(row, roles, ids, f"row {number}"))
    return _some(documents, "the frame")


def _missing(cell: Any, pd: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell)


def _plain(cell: Any) -> Any:
    return cell.isoformat() if isinstance(cell, date) else cell


def _roles(id_column: str, text_column: str, title_column: str | None) -> dict[str, str]:
    given = {"id_column": id_column, "text_column": text_column, "title_column": title_column}
    return {role: checks.text(role, name) for role, name in given.items() if name is not None}


def _need(columns: list[str], roles: Mapping[str, str], where: str) -> None:
    for role, name in roles.items():
        if name not in columns:
            raise WorkbenchError(
                "missing_column",
                f"{where} has no column {name!r}: it has {', '.join(map(repr, columns)) or 'none'}; give {role}",
                column=name,
                columns=tuple(columns),
            )


def _csv_rows(path: str | Path) -> list[tuple[int, list[str]]]:
    """(number of its first line, cells) of each row; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text_of(path), newline=""), strict=True)
    rows = []
    first = 1
    try:
        for cells in reader:
            if cells:
                rows.append((first, cells))
            first = reader.line_num + 1
    except csv.Error as cause:
        raise malformed(path, first, f"is no CSV: {cause}") from cause
    return rows


def _document(row: Mapping[str, Any], roles: Mapping[str, str], ids: Ids, place: str) -> Document:
    id = ids.take(row.get(roles["id_column"]), place)
    taken = set(roles.values())
    title = row.get(roles["title_column"], "") if "title_column" in roles else ""
    return Document(id, row.get(roles["text_column"], ""), title, {k: v for k, v in row.items() if k not in taken})  # type: ignore[arg-type]


def _some(documents: list[Document], where: str) -> tuple[Document, ...]:
    if not documents:
        raise WorkbenchError("nothing_to_search", f"{where} holds no row: there is nothing to search")
    return tuple(documents)
