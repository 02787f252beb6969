"""Lines of Markdown by kind, so that a heading, a list item or a table row is never read as prose. Plain text is all prose.

The subset of CommonMark that bears on where text begins and ends; nested blocks and HTML are read as prose.
"""

import re
from typing import NamedTuple

KINDS = ("text", "blank", "heading", "item", "row", "code", "mark")
"""``mark``: a line that says nothing itself: a fence, a rule, a table's delimiter row, the underline of a heading."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}(?!.*`)|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"\s*(?:[-*+]|(\d{1,9})[.)])[ \t]+(?=\S)")
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


class Line(NamedTuple):
    """Code points ``start:end`` without the line break. ``content`` is where its own text begins; ``level`` is a heading's."""

    kind: str
    start: int
    end: int
    content: int
    level: int = 0


def lines(text: str) -> tuple[Line, ...]:
    """The lines of ``text``, each with its kind (``KINDS``). Both ``# heading`` and underlined headings count."""
    found: list[Line] = []
    fence = ""
    table = False
    for match in _LINE.finditer(text):
        start, written = match.start(), match.group().rstrip("\r\n")
        if not match.group():
            break
        end = start + len(written)
        opening = _FENCE.match(written)
        if fence:
            closing = opening and opening[1].startswith(fence) and not written[opening.end() :].strip()
            fence = "" if closing else fence
            found.append(Line("mark" if closing else "code" if written.strip() else "blank", start, end, start))
            continue
        table = table and "|" in written
        if opening:
            fence = opening[1]
            found.append(Line("mark", start, end, start))
        elif not table and found and _is_delimiter(text, found[-1], written):
            found[-1] = found[-1]._replace(kind="row")
            found.append(Line("mark", start, end, start))
            table = True
        elif table:
            found.append(Line("row", start, end, start))
        else:
            found += _plain_line(written, start, end, found)
    return tuple(found)


def _is_delimiter(text: str, above: Line, written: str) -> bool:
    return (
        above.kind in ("text", "row")
        and "|" in written
        and "|" in text[above.start : above.end]
        and bool(_DELIMITER.match(written))
    )


def _plain_line(written: str, start: int, end: int, above: list[Line]) -> list[Line]:
    if not written.strip():
        return [Line("blank", start, end, start)]
    heading = _HEADING.match(written)
    if heading:
        return [Line("heading", start, end, start + heading.end(), len(heading[1]))]
    underline = _UNDERLINE.match(written)
    if underline and _is_title(above):
        title = above.pop()
        return [
            title._replace(kind="heading", level=1 if underline[1][0] == "=" else 2),
            Line("mark", start, end, start),
        ]
    if _RULE.match(written):
        return [Line("mark", start, end, start)]
    item = _ITEM.match(written)
    if item and (item[1] is None or item[1] == "1" or not above or above[-1].kind != "text" or _in_list(above)):
        return [Line("item", start, end, start + item.end())]
    if written.lstrip().startswith("|"):
        return [Line("row", start, end, start)]
    return [Line("text", start, end, start)]


def _is_title(above: list[Line]) -> bool:
    """Whether the line above is a paragraph of its own, and not front matter of one line."""
    kinds = [line.kind for line in above[-3:]]
    return kinds[-1:] == ["text"] and kinds[-2:-1] != ["text"] and kinds != ["mark", "text"]


def _in_list(above: list[Line]) -> bool:
    """Whether the text line above goes on with a list item: then "2." is the next item, not a number that was wrapped."""
    for line in reversed(above):
        if line.kind != "text":
            return line.kind == "item"
    return False
