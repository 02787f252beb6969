"""Documents from a folder; and the readers of other layouts, under one roof."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from workbench.corpus.files import text_of
from workbench.corpus.jsonl import read_beir, read_jsonl
from workbench.corpus.outline import outline
from workbench.corpus.tables import read_csv, read_frame
from workbench.errors import WorkbenchError
from workbench.records import Document

__all__ = ["read_beir", "read_csv", "read_folder", "read_frame", "read_jsonl"]

SUFFIXES = (".md", ".markdown", ".txt")

_FRONT = re.compile(r"---[ \t]*\r?\n(?P<rows>(?:[^\r\n]*\r?\n)*?)---[ \t]*(?:\r?\n|\Z)")
_ROW = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*?))?[ \t]*")
_NOT_PLAIN = tuple("[{|>&*!%@`#")


def read_folder(path: str | Path) -> tuple[Document, ...]:
    """Every ``*.md``, ``*.markdown`` and ``*.txt`` file below ``path``, in code-point order of its path.

    The id is the path below the folder, with slashes and suffix. The title is the front matter's
    ``title``, else the first heading, else the name of the file. Front matter of plain ``key: value``
    lines becomes metadata (all text); any other is left in the text. Hidden files and folders, and
    linked folders, are passed over.

    Raises:
        WorkbenchError: ``missing_file``, ``nothing_to_search``, ``not_utf8`` (naming the file and byte).
    """
    root = Path(path)
    if not root.is_dir():
        what = "is a file" if root.is_file() else "is not there"
        raise WorkbenchError("missing_file", f"{str(root)!r} {what}: give a folder of text files", path=str(root))
    names = sorted(
        (Path(folder) / name).relative_to(root).as_posix()
        for folder, _, files in os.walk(root)
        for name in files
        if Path(name).suffix.lower() in SUFFIXES
    )
    documents = tuple(_document(root, name) for name in names if not any(p.startswith(".") for p in name.split("/")))
    if not documents:
        raise WorkbenchError(
            "nothing_to_search", f"{str(root)!r} holds no {', '.join(SUFFIXES)} file: there is nothing to search"
        )
    return documents


def _document(root: Path, name: str) -> Document:
    metadata, text = _front_matter(text_of(root / name))
    document = Document(name, text, "", metadata)  # type: ignore[arg-type]
    headings = outline(document)
    title = metadata.get("title") or (headings[0].label if headings else Path(name).stem)
    return Document(name, text, title, metadata)  # type: ignore[arg-type]


def _front_matter(text: str) -> tuple[Mapping[str, str], str]:
    front = _FRONT.match(text)
    if not front:
        return {}, text
    found: dict[str, str] = {}
    for line in front["rows"].splitlines():
        row = _ROW.fullmatch(line)
        value = row[2] or "" if row else ""
        if not row or value.startswith(_NOT_PLAIN) or row[1] in found:
            return {}, text
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
        found[row[1]] = value[1:-1] if quoted else value
    return (found, text[front.end() :]) if found else ({}, text)
