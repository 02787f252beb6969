"""Several lanes in one CSV or JSON Lines file: ``query_id, lane, doc_id, rank, score``."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.formats.numbers import decimal, natural
from workbench.formats.rankings import Rankings, Row, ranked
from workbench.formats.textfile import TextFile, malformed, read_text, write_text

COLUMNS = ("query_id", "lane", "doc_id", "rank", "score")
_SPREADSHEET = re.compile(r"\d(\.\d+)?E[+-]\d{2,}")


def read_lanes(path: str | Path, *, order: str | None = None, better: str = "higher") -> Rankings:
    """Lanes from a table with a header (``.csv``) or one object a line (``.jsonl``). Every id keeps its text.

    ``query_id``, ``doc_id`` and one of ``rank`` and ``score`` are needed. An empty rank or score is absent.

    Args:
        order: ``rank``, ``given`` or ``score``. Left out: by the rank column where there is one, else as the
            rows stand.

    Raises:
        WorkbenchError: ``missing_column``; ``malformed_line``, also for thousands separators; ``repeated_id``,
            ``contradiction``, ``id_not_text``; each naming the line.
    """
    file = read_text(path)
    jsonl = Path(str(path).removesuffix(".gz")).suffix in (".jsonl", ".ndjson")
    rows = []
    has_rank = False
    for number, cells in _objects(file) if jsonl else _cells(file):
        where = f"line {number} of {file.name!r}"
        has_rank = has_rank or cells.get("rank") not in (None, "")
        rows.append(
            Row(
                checks.item_id(cells.get("query_id"), f"{where}, query_id,"),
                checks.item_id(cells.get("lane", "lane"), f"{where}, lane,"),
                checks.item_id(cells.get("doc_id"), f"{where}, doc_id,"),
                None if cells.get("rank") in (None, "") else natural(_printed(cells["rank"]), where, "rank"),
                None if cells.get("score") in (None, "") else decimal(_printed(cells["score"]), where),
                where,
            )
        )
    spoilt = [row.id for row in rows if _SPREADSHEET.fullmatch(row.id)]
    notes = [*file.notes]
    if spoilt:
        notes.append(
            f"{len(spoilt)} ids look like numbers that a spreadsheet rewrote, first {spoilt[0]!r}: export the column as text"
        )
    return ranked(rows, order=order or ("rank" if has_rank else "given"), better=better, backend="table", notes=notes)


def write_lanes(path: str | Path, rankings: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes rankings of ``Lane`` records as CSV, ranks from 1. Scores that were negated when read come out as they were."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for query, lanes in rankings.items():
        for name, lane in lanes.items():
            sign = -1.0 if lane.about.get("better") == "lower" else 1.0
            for hit in lane.hits:
                writer.writerow((query, name, hit.id, hit.rank, "" if hit.score is None else repr(sign * hit.score)))
    write_text(path, out.getvalue()[:-1].split("\n"), {})


def _cells(file: TextFile) -> Iterator[tuple[int, dict[str, Any]]]:
    text = "\n".join(line for _, line in file.lines)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    numbers = [number for number, _ in file.lines]
    first = 0
    header: list[str] = []
    try:
        for cells in reader:
            line, first = numbers[first], reader.line_num
            if not header:
                header = _header(file, line, cells)
                continue
            if len(cells) != len(header):
                raise malformed(
                    file, line, f"holds {len(cells)} fields and the header {len(header)}: quote cells with commas"
                )
            yield line, dict(zip(header, cells, strict=True))
    except csv.Error as cause:
        raise malformed(file, numbers[min(first, len(numbers) - 1)], f"is no CSV: {cause}") from cause


def _header(file: TextFile, line: int, cells: list[str]) -> list[str]:
    for name in cells:
        checks.one_of(f"line {line} of {file.name!r}: column", name, COLUMNS, "unknown_parameter")
    checks.no_repeats(cells, f"the header of {file.name!r}")
    for name in ("query_id", "doc_id"):
        if name not in cells:
            raise WorkbenchError(
                "missing_column",
                f"{file.name!r} has no column {name!r}: it has {', '.join(map(repr, cells))}",
                column=name,
            )
    if "rank" not in cells and "score" not in cells:
        raise WorkbenchError(
            "missing_column", f"{file.name!r} has neither 'rank' nor 'score': give one", column="score"
        )
    return cells


def _objects(file: TextFile) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in file.lines:
        try:
            row = json.loads(line)
        except ValueError as cause:
            raise malformed(file, number, f"is not JSON: {cause}") from cause
        if not isinstance(row, dict):
            raise malformed(file, number, f"holds {type(row).__name__}: give an object with {', '.join(COLUMNS)}")
        for key in row:
            checks.one_of(f"line {number} of {file.name!r}: key", key, COLUMNS, "unknown_parameter")
        yield number, row


def _printed(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
