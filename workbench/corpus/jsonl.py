"""JSON Lines, and the BEIR layout that is made of them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Never

from workbench import checks
from workbench.corpus.files import Ids, malformed, text_of
from workbench.errors import WorkbenchError
from workbench.records import Document

Qrels = dict[str, dict[str, int]]


def read_jsonl(path: str | Path) -> tuple[Document, ...]:
    """One document a line: ``id`` (or ``_id``) and ``text``; ``title`` and ``metadata`` where they are there.

    Any other field goes into the metadata. Blank lines are passed over.

    Raises:
        WorkbenchError: ``missing_file``, ``not_utf8``; ``malformed_line``, ``missing_id``, ``id_not_text`` or
            ``repeated_id``, naming the line; ``nothing_to_search`` when no line holds a document.
    """
    ids = Ids()
    documents = tuple(_document(row, path, line, ids) for line, row in _rows(path))
    if not documents:
        raise WorkbenchError("nothing_to_search", f"{str(path)!r} holds no document: give one JSON object a line")
    return documents


def read_beir(folder: str | Path, *, split: str = "test") -> tuple[tuple[Document, ...], dict[str, str], Qrels]:
    """A collection in BEIR's layout: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/{split}.tsv``.

    Returns:
        The documents; query id → text; query id → document id → relevance. All ids stay the text they are.
        A title is the first line of its document's text, since BEIR's judgements and baselines are of
        title and text together. A header line in the qrels is optional.

    Raises:
        WorkbenchError: ``missing_file``, naming the file; otherwise as ``read_jsonl``. A pair that is
            judged twice is ``repeated_id``.
    """
    root = Path(folder)
    if not root.is_dir():
        raise WorkbenchError("missing_file", f"{str(root)!r} is not a folder: give the one that holds corpus.jsonl")
    checks.text("split", split)
    qrels_file = root / "qrels" / f"{split}.tsv"
    for file in (root / "corpus.jsonl", root / "queries.jsonl", qrels_file):
        if not file.is_file():
            raise WorkbenchError(
                "missing_file", f"{str(file)!r} is not there: BEIR's layout needs it{_splits(root)}", path=str(file)
            )
    documents = tuple(
        replace(d, text=f"{d.title}\n\n{d.text}" if d.text.strip() else d.title) if d.title else d
        for d in read_jsonl(root / "corpus.jsonl")
    )
    return documents, _queries(root / "queries.jsonl"), _qrels(qrels_file)


def _splits(root: Path) -> str:
    names = sorted(file.stem for file in root.glob("qrels/*.tsv"))
    return f" (splits here: {', '.join(names)})" if names else ""


def _rows(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # by line feed alone: a string may hold other line separators as they are
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_no_constant)
        except ValueError as cause:
            raise malformed(path, number, f"is not JSON: {cause}") from cause
        if not isinstance(row, dict):
            raise malformed(path, number, f"holds {type(row).__name__} {line.strip()!r:.60}: give an object")
        yield number, row


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is no JSON number")


def _id_of(row: Mapping[str, Any], path: str | Path, line: int) -> Any:
    if "id" in row and "_id" in row and row["id"] != row["_id"]:
        raise malformed(path, line, f"has two ids, {row['id']!r} and {row['_id']!r}: give one")
    return row.get("id", row.get("_id"))


def _text_of(row: Mapping[str, Any], name: str, path: str | Path, line: int) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        what = f"has {name} {value!r:.60}" if name in row else f"has no {name}"
        raise malformed(path, line, f"{what}: give {name} as a string")
    return value


def _document(row: Mapping[str, Any], path: str | Path, line: int, ids: Ids) -> Document:
    id = ids.take(_id_of(row, path, line), f"line {line} of {str(path)!r}")
    metadata = row.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise malformed(path, line, f"has metadata {metadata!r:.60}: give an object")
    others = {k: v for k, v in row.items() if k not in ("id", "_id", "text", "title", "metadata")}
    twice = sorted(set(others) & set(metadata or {}))
    if twice:
        raise malformed(path, line, f"says {', '.join(twice)} twice, beside its metadata and in it: drop one")
    title = "" if row.get("title") is None else _text_of(row, "title", path, line)
    return Document(id, _text_of(row, "text", path, line), title, {**(metadata or {}), **others})  # type: ignore[arg-type]


def _queries(path: Path) -> dict[str, str]:
    ids = Ids()
    return {
        ids.take(_id_of(row, path, line), f"line {line} of {str(path)!r}"): _text_of(row, "text", path, line)
        for line, row in _rows(path)
    }


def _qrels(path: Path) -> Qrels:
    found: Qrels = {}
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        fields = line.rstrip("\r").split("\t")
        if not line.strip() or (number == 1 and fields[-1].strip() == "score"):
            continue
        if len(fields) != 3 or not fields[0] or not fields[1]:
            raise malformed(
                path, number, f"holds {len(fields)} fields: give query id, document id and relevance, by tabs"
            )
        query, document, relevance = fields
        try:
            grade = int(relevance)
        except ValueError:
            raise malformed(path, number, f"has the relevance {relevance!r}: give a whole number") from None
        judged = found.setdefault(query, {})
        if document in judged:
            raise WorkbenchError(
                "repeated_id", f"line {number} of {str(path)!r} judges {document!r} for query {query!r} again: keep one"
            )
        judged[document] = grade
    return found
