"""MS MARCO's tab-separated files: ``qid pid rank`` runs without scores, and ``id text`` collections and queries."""

from pathlib import Path

from workbench.formats.numbers import natural
from workbench.formats.rankings import Rankings, Row, ranked
from workbench.formats.textfile import malformed, read_text


def read_msmarco_run(path: str | Path, *, lane: str = "msmarco") -> Rankings:
    """A run of three columns. It has no scores, and none is made up: its lanes rank alone.

    Raises:
        WorkbenchError: ``missing_file``, ``not_utf8``; ``malformed_line``, ``repeated_id`` or
            ``contradiction``, naming the line.
    """
    file = read_text(path)
    rows = []
    for number, line in file.lines:
        fields = line.split("\t")
        if len(fields) != 3:
            raise malformed(
                file, number, f"holds {len(fields)} fields: MS MARCO runs have three, qid pid rank, by tabs"
            )
        where = f"line {number} of {file.name!r}"
        rows.append(Row(fields[0], lane, fields[1], natural(fields[2], where, "rank"), None, where))
    return ranked(rows, backend="msmarco run", notes=file.notes)


def read_msmarco_texts(path: str | Path) -> dict[str, str]:
    """Id → text of a collection or of queries. Quotes and ``#`` are text like any other.

    Raises:
        WorkbenchError: ``missing_file``, ``not_utf8``; ``malformed_line``, naming the line, also for an id
            that stands twice.
    """
    file = read_text(path)
    found: dict[str, str] = {}
    for number, line in file.lines:
        id, tab, text = line.partition("\t")
        if not id or not tab:
            raise malformed(file, number, "holds no id, tab and text")
        if id in found:
            raise malformed(file, number, f"has the id {id!r} again: keep one")
        found[id] = text
    return found
