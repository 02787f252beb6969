"""A ranking as a small escaped HTML table, and as text: lanes or named terms side by side, absent told from 0."""

from collections.abc import Sequence

from workbench.escaping import escaped, visible
from workbench.explain import words
from workbench.records import Contribution, Hit
from workbench.verbs.attribution import provenance
from workbench.verbs.ranking import Ranking

ROWS, COLUMNS = 10, 8
_INK = "var(--jp-ui-font-color1,var(--vscode-foreground,#1b1f24))"
_SOFT = "var(--jp-ui-font-color2,var(--vscode-descriptionForeground,#57606a))"
_PAPER = "var(--jp-layout-color1,var(--vscode-editor-background,#fff))"
_LINE = "var(--jp-border-color2,var(--vscode-panel-border,#d0d7de))"
_HATCH = f"repeating-linear-gradient(45deg,{_LINE} 0 1px,transparent 1px 5px)"
_HUES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c00", "#7f7f7f")


def html(ranking: Ranking) -> str:
    """The first ten hits, below 30 kB whatever their ids and texts hold."""
    columns = _columns(ranking)
    heads = "".join(_cell(f"<b>{head}</b>", tag="th") for head in ("#", "item", "score"))
    heads += "".join(_head(ranking, name, place) for place, name in enumerate(columns))
    largest = _largest(ranking)
    body = "".join(_row(ranking, row, columns, largest) for row in range(min(ROWS, len(ranking))))
    said = [*_under(ranking)]
    style = f"font:13px/1.35 var(--jp-ui-font-family,system-ui,sans-serif);color:{_INK};background:{_PAPER};border:1px solid {_LINE};border-radius:6px;padding:8px 10px;overflow-x:auto"
    return (
        f'<div style="{style}"><div><b>{escaped(ranking.verb)}</b>{_asked(ranking)} '
        f'<span style="color:{_SOFT}">{_short(_served(ranking), 160)}</span></div>'
        f'<table style="border-collapse:collapse;color:inherit;font-size:12px;margin:4px 0"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
        + "".join(f"<div>{_short(line, 500)}</div>" for line in said)
        + "</div>"
    )


def text(ranking: Ranking) -> str:
    """The first ten hits as aligned lines, the same on every run."""
    columns = _columns(ranking)
    rows = [("rank", "score", *columns, "item")]
    for row, hit in enumerate(ranking.hits[:ROWS]):
        parts = () if ranking.contributions is None else ranking.contributions[row][:COLUMNS]
        rows.append((str(hit.rank), _score(hit), *map(_number, parts), _name(ranking, hit.id)))
    widths = [max(len(line[column]) for line in rows) for column in range(len(rows[0]))]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in rows]
    asked = f" “{words.clip(ranking.query, 80)}”" if ranking.query else ""
    lines = [f"{ranking.verb}{asked}: {_served(ranking)}", *(table if ranking.hits else ()), *_under(ranking)]
    return visible("\n".join(words.clip(line, 500) if line not in table else line for line in lines))


def _columns(ranking: Ranking) -> tuple[str, ...]:
    return () if not ranking.contributions else tuple(part.lane for part in ranking.contributions[0][:COLUMNS])


def _served(ranking: Ranking) -> str:
    shown = f", {len(ranking)} hits" if len(ranking) <= ROWS else f", 1-{ROWS} of {len(ranking)} hits"
    return f"backend {ranking.backend}, {ranking.score_model}{shown}"


def _asked(ranking: Ranking) -> str:
    return f" “{_short(ranking.query, 80)}”" if ranking.query else ""


def _under(ranking: Ranking) -> list[str]:
    lines = []
    if ranking.hits:
        lines.append(provenance(ranking).why(ranking.ids[0]))
    elif not ranking.lanes:
        lines.append("It ran and matched nothing.")
    for lane in ranking.lanes:
        if not lane.hits:
            lines.append(f"{lane.name} ({lane.backend}) ran and matched nothing.")
        if lane.filter is not None:
            lines.append(f"{lane.name}: a filter kept {lane.dropped} out.")
    if len(ranking.lanes) > COLUMNS:
        lines = [*lines[:20], f"The first {COLUMNS} of {len(ranking.lanes)} lanes are shown."]
    return [*lines, *(f"{note}." for note in ranking.notes)]


def _largest(ranking: Ranking) -> float:
    parts = [part.contribution for row in ranking.contributions or () for part in row]
    return max((abs(value) for value in parts if value is not None), default=0.0)


def _head(ranking: Ranking, name: str, place: int) -> str:
    lane = next((lane for lane in ranking.lanes if lane.name == name), None)
    line = "" if lane is None else f"{_short(lane.backend, 20)}, {len(lane.hits)} hits"
    below = f'<br><span style="color:{_SOFT};font-weight:normal">{line}</span>' if line else ""
    return _cell(f"<b>{_short(name.replace('_', ' '), 24)}</b>{below}", tag="th", edge=_HUES[place % len(_HUES)])


def _row(ranking: Ranking, row: int, columns: Sequence[str], largest: float) -> str:
    hit = ranking.hits[row]
    item = f"<b>{_short(_name(ranking, hit.id), 60)}</b>"
    if hit.id in ranking.payload:
        item += f'<br><span style="color:{_SOFT}">{_short(ranking.payload[hit.id].text, 90)}</span>'
    cells = [_cell(str(hit.rank)), _cell(item), _cell(_score(hit))]
    if ranking.contributions is not None:
        bars = zip(ranking.contributions[row][:COLUMNS], range(len(columns)), strict=True)
        cells += [_bar(part, largest, _HUES[place % len(_HUES)]) for part, place in bars]
    return f"<tr>{''.join(cells)}</tr>"


def _bar(part: Contribution, largest: float, hue: str) -> str:
    if part.contribution is None:
        return _cell("", fill=_HATCH, title="absent: it has no contribution here")
    width = 0.0 if largest == 0 else 70 * abs(part.contribution) / largest
    rank = "" if part.rank is None else f"{part.rank} · "
    bar = f'<div style="width:{width:.0f}px;height:7px;background:{hue}"></div>'
    return _cell(f"{bar}{rank}{_number(part)}", title="" if part.score is None else f"score {words.number(part.score)}")


def _cell(inner: str, *, tag: str = "td", fill: str = "", edge: str = "", title: str = "") -> str:
    style = "text-align:left;vertical-align:top;padding:2px 8px 2px 0"
    style += f";background:{fill}" if fill else ""
    style += f";border-bottom:3px solid {edge}" if edge else ""
    said = f' title="{escaped(title)}"' if title else ""
    return f'<{tag} style="{style}"{said}>{inner}</{tag}>'


def _name(ranking: Ranking, id: str) -> str:
    passage = ranking.payload.get(id)
    label = "" if passage is None else (passage.headings[-1] if passage.headings else passage.title)
    short = words.clip_id(id, 40)
    if ranking.verb == "recall" and passage is not None:
        return f"{words.clip(passage.text, 60)} ({words.clip_id(id, 9)})"
    return f"{words.clip(label, 40)} ({short})" if label and label != id else short


def _score(hit: Hit) -> str:
    return "none" if hit.score is None else words.number(hit.score, 6)


def _number(part: Contribution) -> str:
    return "absent" if part.contribution is None else words.number(part.contribution)


def _short(line: str, width: int) -> str:
    return escaped(words.clip(line, width))
