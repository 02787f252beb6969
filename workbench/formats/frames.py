"""pandas frames of rankings, by the column names of the programs that make them."""

from collections.abc import Iterator
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.formats.rankings import Rankings, Row, ranked

QUERIES = ("qid", "query_id", "q_id", "query")
ITEMS = ("docno", "doc_id", "docid")
"""PyTerrier's ``docid`` is a number beside its ``docno``, so ``docno`` comes first."""


def read_frame(frame: Any, *, lane: str | None = None, order: str | None = None, better: str = "higher") -> Rankings:
    """A frame's rankings. Known columns: PyTerrier's ``qid, docno, score, rank`` (and ``query``, its words),
    ir_measures' ``query_id, doc_id, score``, ranx's ``q_id, doc_id, score``, and plain ``query, doc_id, score``;
    ``lane`` where one frame holds several.

    Args:
        lane: the lane's name where there is no such column; ``frame`` when left out.
        order: ``rank``, ``given`` (as the rows stand) or ``score``. Left out: by the rank column where there
            is one, else as the rows stand.

    Raises:
        WorkbenchError: ``wrong_type``; ``missing_column``, naming the columns there are; ``id_not_text`` for
            numbers as ids; ``malformed_line`` for a rank or score that is none; ``repeated_id``,
            ``contradiction``; each naming the row.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise WorkbenchError("wrong_type", f"frame is {type(frame).__name__}: give a pandas DataFrame")
    columns = [str(name) for name in frame.columns]
    checks.no_repeats(columns, "the frame's columns")
    query, item = _first(columns, QUERIES, "the query"), _first(columns, ITEMS, "the item")
    if "score" not in columns and "rank" not in columns:
        raise WorkbenchError(
            "missing_column",
            f"the frame has no 'score' and no 'rank': it has {', '.join(map(repr, columns))}",
            column="score",
        )
    if lane is not None and "lane" in columns:
        raise WorkbenchError("contradiction", f"lane is {lane!r}, and the frame has a column 'lane': drop one")
    cells = {name: frame.iloc[:, columns.index(name)].tolist() for name in columns}
    rows, words = [], {}
    for number, (raw_query, raw_item) in enumerate(zip(cells[query], cells[item], strict=True), start=1):
        where = f"row {number} of the frame"
        id = _id(raw_query, query, where)
        rows.append(
            Row(
                id,
                _id(cells["lane"][number - 1], "lane", where) if "lane" in cells else lane or "frame",
                _id(raw_item, item, where),
                _rank(cells["rank"][number - 1], where, pd) if "rank" in cells else None,
                _score(cells["score"][number - 1], where, pd) if "score" in cells else None,
                where,
            )
        )
        if query != "query" and "query" in cells and isinstance(cells["query"][number - 1], str):
            words[id] = cells["query"][number - 1]
    return ranked(
        rows, order=order or ("rank" if "rank" in cells else "given"), better=better, backend="frame", queries=words
    )


def to_frame(rankings: Rankings, *, style: str = "pyterrier") -> Any:
    """A frame of the rankings; ``lane`` is a column where a query has several.

    ``pyterrier``: qid, docno, score, rank from 0 (and query, where its words are known). ``plain``: query,
    doc_id, score. Scores that were negated when read come out as they were.
    """
    import pandas as pd

    checks.one_of("style", style, ("pyterrier", "plain"), "out_of_range")
    several = any(len(lanes) > 1 for lanes in rankings.values())
    names = ("qid", "docno", "score", "rank") if style == "pyterrier" else ("query", "doc_id", "score")
    rows = [
        {
            names[0]: query,
            **({"lane": name} if several else {}),
            names[1]: hit.id,
            "score": score,
            **({"rank": hit.rank - 1} if style == "pyterrier" else {}),
            **({"query": rankings.queries[query]} if style == "pyterrier" and query in rankings.queries else {}),
        }
        for query, name, hit, score in _hits(rankings)
    ]
    columns = [names[0], *(["lane"] if several else []), *names[1:]]
    if style == "pyterrier" and rankings.queries:
        columns.append("query")
    return pd.DataFrame(rows, columns=columns)


def _hits(rankings: Rankings) -> Iterator[tuple[str, str, Any, float | None]]:
    for query, lanes in rankings.items():
        for name, lane in lanes.items():
            lower = lane.about.get("better") == "lower"
            for hit in lane.hits:
                yield query, name, hit, -hit.score if lower and hit.score is not None else hit.score


def _first(columns: list[str], known: tuple[str, ...], what: str) -> str:
    for name in known:
        if name in columns:
            return name
    raise WorkbenchError(
        "missing_column",
        f"the frame has no column for {what} ({', '.join(known)}): it has {', '.join(map(repr, columns)) or 'none'}; rename one",
        columns=tuple(columns),
    )


def _id(cell: Any, column: str, where: str) -> str:
    if isinstance(cell, float) and cell != cell:
        cell = None
    if cell is not None and not isinstance(cell, str):
        raise WorkbenchError(
            "id_not_text",
            f"{where} has the {column} {cell!r} ({type(cell).__name__}): ids are text; read the column as text, or convert it with frame[{column!r}].astype(str)",
            value=cell,
        )
    return checks.item_id(cell, f"{where}, column {column!r},")


def _rank(cell: Any, where: str, pd: Any) -> int | None:
    if pd.isna(cell):
        return None
    if isinstance(cell, bool) or not isinstance(cell, int | float) or int(cell) != cell or cell < 0:
        raise WorkbenchError("malformed_line", f"{where} has the rank {cell!r}: give a whole number from 0", value=cell)
    return int(cell)


def _score(cell: Any, where: str, pd: Any) -> float | None:
    if pd.isna(cell):
        return None
    return checks.number(f"the score in {where}", cell)
