"""TREC runs (``qid Q0 docno rank score tag``) and qrels (``qid iteration docno relevance``).

trec_eval ignores the rank column and the order of the lines: it goes by score, ties by descending docno.
Here the file's own order is kept and what it says is checked; ``order="score"`` reads it as trec_eval does.
"""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.formats.numbers import decimal, natural
from workbench.formats.rankings import Rankings, Row, ranked
from workbench.formats.textfile import TextFile, malformed, read_text, write_text
from workbench.formats.writing import exported, warnings_of
from workbench.frozen import FrozenMap

_FIELDS = re.compile(r"[^ \t]+")
_GAPS = re.compile(r"[ \t]+")
RUN = "qid Q0 docno rank score tag"
DETIED = 1e-6
"""Some programs part equal scores by steps of this size."""


def read_run(path: str | Path, *, lane: str | None = None, order: str = "given", better: str = "higher") -> Rankings:
    """The rankings of a TREC run, one lane a query. Ids stay the text they are, so do the printed numbers.

    Columns are parted by blanks or tabs; ``.gz`` files, a byte order mark and CRLF are read. Ranks may
    begin at 0 or 1. The order is the file's; how it breaks ties stands in ``notes`` and in each lane.

    Args:
        lane: name of the lanes; the file's tag when left out.
        order: ``given``, ``rank`` or ``score`` (as trec_eval: ties by descending docno, ranks ignored).
        better: ``lower`` for a run whose scores are distances. The format says ``higher``.

    Raises:
        WorkbenchError: ``missing_file``, ``not_utf8``; ``malformed_line`` for a line of other than six
            columns or an unreadable number; ``repeated_id`` for a docno that a query has twice;
            ``contradiction`` for ranks or scores against the file's order; each naming the line.
    """
    file = read_text(path)
    rows, lines = [], []
    for number, line in file.lines:
        fields = _FIELDS.findall(line)
        if len(fields) != 6:
            raise malformed(file, number, f"holds {len(fields)} fields: a run has six, {RUN}{_hint(fields)}")
        lines.append((number, line, fields))
    layout = _layout(file, [(line, fields) for _, line, fields in lines])
    tags = Counter(fields[5] for _, _, fields in lines)
    if lane is None and len(tags) > 1:
        raise WorkbenchError(
            "contradiction",
            f"{file.name!r} holds the tags {', '.join(map(repr, list(tags)[:3]))}: say lane=… to take them as one lane",
        )
    name = lane if lane is not None else next(iter(tags), Path(path).stem)
    for number, line, fields in lines:
        query, _, docno, rank, score, _ = fields
        where = f"line {number} of {file.name!r}"
        row = Row(query, name, docno, natural(rank, where, "rank"), decimal(score, where), where)
        printed = _printed(layout, fields, row.rank, row.score)
        rows.append(row if printed == line else row._replace(detail=FrozenMap({"line": number, "printed": line})))
    notes = (*file.notes, *_interleaved([row.query for row in rows], file.name), *_detied(rows))
    return ranked(rows, order=order, better=better, backend="trec run", about=layout, notes=notes)


def write_run(
    path: str | Path,
    rankings: Mapping[str, Any],
    *,
    lane: str | None = None,
    tag: str | None = None,
    scores: str = "own",
    rank_base: int | None = None,
) -> tuple[str, ...]:
    """Writes a TREC run. What ``read_run`` read of a well-formed file comes out byte for byte (``.gz``: its content).

    Well-formed: the lines of a query stand together, no line is blank, every line ends in the same way.

    Args:
        rankings: query id → a ``Lane``, a ``Fusion``, a Trace, ids or (id, score) pairs; or ``Rankings``.
        lane: which lane, where the rankings hold several.
        tag: the last column; the lane's own tag or name when left out.
        scores: ``own``, or ``rank``: n, n − 1, … 1, which keeps the order wherever the run is read.
        rank_base: 0 or 1; the lane's own, or 1, when left out.

    Returns:
        What a reader that ignores ranks and order (trec_eval, pytrec_eval, which compares in float32)
        would see in another order; empty where none would. ``scores="rank"`` leaves none.

    Raises:
        WorkbenchError: ``missing_score`` for ids without scores, ``contradiction`` for scores that rise,
            unless ``scores="rank"``; ``malformed_line`` for an id that holds a blank.
    """
    lines: list[str] = []
    found: list[str] = []
    about: Mapping[str, Any] = {}
    for query, given in rankings.items():
        item = exported(query, given, lane, scores)
        about = about or item.about
        base = int(item.about.get("rank_base", 1)) if rank_base is None else rank_base
        for place, (id, score, said) in enumerate(item.rows):
            fields = (
                query,
                str(item.about.get("iteration", "Q0")),
                id,
                str(place + base),
                repr(-score if item.lower else score),
                tag or str(item.about.get("tag", item.name)),
            )
            printed = said.get("printed")
            if isinstance(printed, str) and _still(printed, fields, tag is None and rank_base is None):
                lines.append(printed)
                continue
            for what, field in zip(("query id", "iteration", "docno", "", "", "tag"), fields, strict=True):
                if not field or _GAPS.search(field) or "\n" in field or "\r" in field:
                    raise WorkbenchError(
                        "malformed_line",
                        f"{what} {field!r} of query {query!r} holds a blank or nothing: a run's columns are parted by blanks; give it another name",
                        id=id,
                    )
            lines.append(str(item.about.get("separator", " ")).join(fields))
        found += warnings_of(query, item)
    write_text(path, lines, about)
    return tuple(found)


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """Query id → docno → relevance. Negative grades are kept; what is not judged is not there.

    Raises:
        WorkbenchError: ``missing_file``, ``not_utf8``; ``malformed_line`` for other than four columns or a
            grade that is no whole number; ``repeated_id`` for a pair judged twice; each naming the line.
    """
    file = read_text(path)
    found: dict[str, dict[str, int]] = {}
    for number, line in file.lines:
        fields = _FIELDS.findall(line)
        if len(fields) != 4:
            beir = "; this is BEIR's layout: workbench.formats.read_beir reads its folder" if len(fields) == 3 else ""
            raise malformed(
                file, number, f"holds {len(fields)} fields: qrels have four, qid iteration docno relevance{beir}"
            )
        query, _, docno, grade = fields
        judged = found.setdefault(query, {})
        if docno in judged:
            raise WorkbenchError(
                "repeated_id",
                f"line {number} of {file.name!r} judges {docno!r} for query {query!r} again: keep one",
                id=docno,
                line=number,
            )
        judged[docno] = natural(grade, f"line {number} of {file.name!r}", "relevance", negative=True)
    return found


def write_qrels(path: str | Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    """Writes qrels, in the order given: ``qid 0 docno relevance``.

    Raises:
        WorkbenchError: ``malformed_line`` for an id that holds a blank.
    """
    lines = []
    for query, judged in qrels.items():
        for docno, grade in judged.items():
            for id in (query, docno):
                if not id or re.search(r"[ \t\r\n]", id):
                    raise WorkbenchError(
                        "malformed_line", f"the id {id!r} holds a blank or nothing: qrels are parted by blanks", id=id
                    )
            lines.append(f"{query} 0 {docno} {grade:d}")
    write_text(path, lines, {})


def _hint(fields: list[str]) -> str:
    if len(fields) == 3:
        return "; three are MS MARCO's, read by read_msmarco_run"
    return "; four are qrels, read by read_qrels" if len(fields) == 4 else ""


def _layout(file: TextFile, lines: list[tuple[str, list[str]]]) -> dict[str, Any]:
    """What most lines of the file have in common; a line that differs keeps its own words."""
    gaps = Counter(gap for line, _ in lines for gap in _GAPS.findall(line))
    iterations = Counter(fields[1] for _, fields in lines)
    tags = Counter(fields[5] for _, fields in lines)
    return {
        "file": Path(file.name).name,  # its folder is the machine's: it would change the fingerprint
        "separator": gaps.most_common(1)[0][0] if gaps else " ",
        "iteration": iterations.most_common(1)[0][0] if iterations else "Q0",
        **({"tag": tags.most_common(1)[0][0]} if tags else {}),
        "newline": file.newline,
        "mark": file.mark,
        "ended": file.ended,
    }


def _printed(layout: Mapping[str, Any], fields: list[str], rank: int | None, score: float | None) -> str:
    return str(layout["separator"]).join(
        (fields[0], layout["iteration"], fields[2], str(rank), repr(score), layout["tag"])
    )


def _still(printed: str, fields: tuple[str, ...], same_columns: bool) -> bool:
    """Whether the printed line still says what is written: the query, the docno, and the score as a number."""
    old = _FIELDS.findall(printed)
    return same_columns and old[0] == fields[0] and old[2] == fields[2] and float(old[4]) == float(fields[4])


def _interleaved(queries: list[str], file: str) -> list[str]:
    runs = [query for place, query in enumerate(queries) if place == 0 or queries[place - 1] != query]
    if len(runs) == len(set(runs)):
        return []
    return [f"{file}: the lines of a query do not stand together; written again, they will"]


def _detied(rows: list[Row]) -> list[str]:
    pairs = [
        (above.score, below.score)
        for above, below in pairwise(rows)
        if above.query == below.query and above.score is not None and below.score is not None
    ]
    steps = len([1 for above, below in pairs if abs(above - below - DETIED) < DETIED / 20])
    if not steps:
        return []
    return [
        f"{steps} scores lie 0.000001 below the one before: some programs part equal scores by such a step, so these may be ties"
    ]
