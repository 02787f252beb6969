"""How an answer shows itself: its sentence first, then its numbers as tables, in text and in HTML."""

from collections.abc import Sequence
from typing import NamedTuple

from workbench.escaping import escaped, visible
from workbench.explain import words


class Table(NamedTuple):
    """A small table. A cell is text, a number, True/False, or None for what is absent."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[object]]


class Shown:
    """Gives a record with a ``sentence`` and ``tables()`` its text and its escaped HTML."""

    __slots__ = ()
    sentence: str

    def tables(self) -> list[Table]:
        """The numbers behind the sentence."""
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [self.sentence]
        for table in self.tables():
            if table.rows:
                cells = [[_cell(value) for value in row] for row in (table.head, *table.rows)]
                widths = [max(len(row[i]) for row in cells) for i in range(len(table.head))]
                lines += ["", table.title]
                lines += ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return visible("\n".join(lines))

    def _repr_html_(self) -> str:
        body = "".join(_html(table) for table in self.tables() if table.rows)
        return f'<div style="color:var(--jp-ui-font-color1,#1b1f24);background:var(--jp-layout-color1,#fff);font:13px/1.4 system-ui,sans-serif;padding:8px"><p style="margin:0 0 6px">{escaped(self.sentence)}</p>{body}</div>'


def either(parts: Sequence[str]) -> str:
    """a, b or c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _html(table: Table) -> str:
    style = "text-align:left;padding:1px 10px 1px 0;vertical-align:top"
    head = "".join(f'<th scope="col" style="{style}">{escaped(name)}</th>' for name in table.head)
    rows = "".join(
        "<tr>" + "".join(f'<td style="{style}">{escaped(_cell(value))}</td>' for value in row) + "</tr>"
        for row in table.rows
    )
    return f'<table style="border-collapse:collapse;font-size:12px;margin:4px 0;color:inherit"><caption style="text-align:left;font-weight:bold">{escaped(table.title)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return words.number(float(value), 6)
    return str(value)
