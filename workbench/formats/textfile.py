"""Text files line by line, with what it takes to write the same bytes again."""

import gzip
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class TextFile:
    """The lines that hold something, each with its number from 1, and how the file is laid out."""

    name: str
    lines: tuple[tuple[int, str], ...]
    newline: str
    mark: bool
    """A byte order mark stood first."""
    ended: bool
    """The last line ended in a line break."""
    notes: tuple[str, ...]


def read_text(path: str | Path) -> TextFile:
    """A UTF-8 file, ``.gz`` or plain.

    Raises:
        WorkbenchError: ``missing_file``; ``not_utf8``, naming the byte; ``malformed_line`` for a damaged ``.gz``.
    """
    file = Path(path)
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "is not there"
        raise WorkbenchError("missing_file", f"{str(file)!r} {what}: give the path of a file", path=str(file))
    raw = file.read_bytes()
    if file.suffix == ".gz":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as cause:
            raise WorkbenchError(
                "malformed_line", f"{str(file)!r} cannot be unpacked: {cause}", path=str(file)
            ) from cause
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as cause:
        raise WorkbenchError(
            "not_utf8",
            f"{str(file)!r} is not UTF-8 at byte {cause.start} (0x{raw[cause.start]:02x}): save it as UTF-8",
            path=str(file),
            byte=cause.start,
        ) from cause
    mark = text.startswith(_MARK)
    parts = text.removeprefix(_MARK).split("\n")
    ended = parts[-1] == ""
    lines = parts[:-1] if ended else parts
    with_return = [line for line in lines if line.endswith("\r")]
    # the last line of a CRLF file may end without one
    crlf = bool(with_return) and len(with_return) >= len(lines) - (not ended)
    blank = [number for number, line in enumerate(lines, start=1) if not line.strip()]
    notes = []
    if with_return and not crlf:
        notes.append(
            f"{file.name}: {len(with_return)} of {len(lines)} lines end in CRLF and the others in LF; written again, all end in LF"
        )
    if blank:
        notes.append(f"{file.name}: {len(blank)} blank lines were passed over, the first at line {blank[0]}")
    kept = tuple((number, line.removesuffix("\r")) for number, line in enumerate(lines, start=1) if line.strip())
    return TextFile(str(path), kept, "\r\n" if crlf else "\n", mark, ended, tuple(notes))


def write_text(path: str | Path, lines: Sequence[str], about: Mapping[str, Any]) -> None:
    """Writes the lines in the layout that ``about`` names; UTF-8, line feeds and a last line break without one."""
    newline = str(about.get("newline", "\n"))
    text = newline.join(lines) + (newline if lines and about.get("ended", True) else "")
    raw = ((_MARK if about.get("mark") else "") + text).encode("utf-8")
    file = Path(path)
    # without a time inside, the same run packs to the same bytes
    file.write_bytes(gzip.compress(raw, mtime=0) if file.suffix == ".gz" else raw)


def malformed(file: TextFile, line: int, what: str) -> WorkbenchError:
    """``malformed_line`` for that line of the file."""
    return WorkbenchError("malformed_line", f"line {line} of {file.name!r} {what}", path=file.name, line=line)
