"""A Trace as escaped HTML that needs no script: what GitHub, nbconvert, an untrusted or a kernel-less notebook shows."""

from collections.abc import Iterable, Sequence
from typing import Any

from workbench.explain import words
from workbench.trace import Trace
from workbench.views import palette, state
from workbench.views.escaping import escaped

# set once on the root: the theme's colours, with fixed ones where there is no theme
_THEME = {
    "--i": "var(--jp-ui-font-color1,var(--vscode-foreground,#1b1f24))",
    "--m": "var(--jp-ui-font-color2,var(--vscode-descriptionForeground,#57606a))",
    "--p": "var(--jp-layout-color1,var(--vscode-editor-background,#fff))",
    "--s": "var(--jp-layout-color2,var(--vscode-editorWidget-background,#f3f4f6))",
    "--l": "var(--jp-border-color2,var(--vscode-panel-border,#d0d7de))",
    "--g": "var(--jp-success-color1,#2e7d32)",
    "--b": "var(--jp-error-color1,#c62828)",
}
_SOFT, _PAPER, _SHADE, _LINE, _GOOD, _BAD = "var(--m)", "var(--p)", "var(--s)", "var(--l)", "var(--g)", "var(--b)"
_HATCH = "repeating-linear-gradient(45deg,var(--l) 0 1px,transparent 1px 5px)"

_PRINTED = 2_000
"""Up to this many candidates the picture carries the run's fingerprint."""

_VERDICTS = {
    "retrieved": ("retrieved", "no answer was asked for", _SOFT),
    "answerable": ("answerable", "the gate let it pass", _GOOD),
    "insufficient": ("insufficient", "the gate said no: nothing was answered", _BAD),
    "needs_review": ("needs review", "the answer stands poorly on its evidence", _BAD),
}
_UNDERLINES = {
    "supported_verbatim": f"solid 2px {_GOOD}",
    "supported": f"solid 2px {_GOOD}",
    "partial": f"dashed 2px {_BAD}",
    "unsupported": f"dashed 2px {_BAD}",
    "conflict": f"double 4px {_BAD}",
    "not_checkable": f"dotted 2px {_SOFT}",
}


def picture(trace: Trace, *, rows: int = 6) -> str:
    """The board, the gate and the answer, below 30 kB whatever the corpus holds."""
    drawn = state.board(trace, rows=rows)
    body = (
        _heading(drawn),
        _board(drawn, rows),
        _lower(drawn),
        _foot(trace, drawn),
    )
    theme = ";".join(f"{name}:{value}" for name, value in _THEME.items())
    style = f"{theme};font:13px/1.35 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--i);background:{_PAPER};border:1px solid {_LINE};border-radius:6px;padding:10px 12px;overflow-x:auto"
    return f'<div style="{style}">{"".join(body)}</div>'


def _heading(drawn: dict[str, Any]) -> str:
    word, meaning, colour = _VERDICTS[drawn["verdict"]]
    override = ", by override" if drawn["override"] else ""
    degraded = "".join(
        f'<div style="color:{_BAD}">Less than declared: {_text(reason, 160)}</div>' for reason in drawn["degraded"]
    )
    return (
        f'<div style="display:flex;gap:12px;align-items:baseline;justify-content:space-between"><b style="font-size:16px">{_text(drawn["query"], 160)}</b>'
        f'<span title="{escaped(meaning)}" style="color:{colour};border:1px solid {colour};border-radius:10px;padding:0 8px;white-space:nowrap">{word}{override}</span></div>'
        f'<div style="margin:4px 0 8px">{_text(drawn["sentence"], 700)}</div>{degraded}'
    )


# ---------------------------------------------------------------- the board


def _board(drawn: dict[str, Any], rows: int) -> str:
    lanes = drawn["lanes"]
    widths = "".join(f'<col style="width:{w}">' for w in (*([f"{57 / len(lanes):.1f}%"] * len(lanes)), "21%", "22%"))
    heads = [
        *(_lane_head(lane, place) for place, lane in enumerate(lanes)),
        _fused_head(drawn["fusion"]),
        _final_head(drawn["final"]),
    ]
    deepest = max([len(lane["rows"]) for lane in lanes] + [len(drawn["fusion"]["rows"])], default=0)
    lines = []
    for row in range(min(rows, deepest)):
        cells = [_lane_cell(lane, row, drawn["first"]) for lane in lanes]
        cells += [_fused_cell(drawn, row), _final_cell(drawn["final"], row, drawn["first"])]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    table = f"table-layout:fixed;border-collapse:separate;border-spacing:4px 2px;width:100%;min-width:{120 * len(lanes) + 420}px;color:inherit;font-size:12px"
    return f'<table style="{table}"><colgroup>{widths}</colgroup><thead><tr>{"".join(heads)}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def _head(title: str, line: str, colour: str = _LINE) -> str:
    style = f"text-align:left;vertical-align:bottom;border-bottom:3px solid {colour};padding:2px 4px;background:{_PAPER};font-weight:normal"
    return f'<th style="{style}"><b>{title}</b><br><span style="color:{_SOFT}">{line}</span></th>'


def _lane_head(lane: dict[str, Any], place: int) -> str:
    hue = palette.hue(place)
    line = {"off": "off", "unavailable": "unavailable"}.get(
        lane["status"], f"{lane['hits']} hits" if lane["hits"] else "ran, matched nothing"
    )
    title = f'<span style="color:{_PAPER};background:{hue};border-radius:3px;padding:0 4px">{lane["letter"]}</span> {_text(lane["name"], 20)}'
    return _head(title, line, hue)


def _fused_head(fusion: dict[str, Any]) -> str:
    return _head("fused", f"{escaped(fusion['method'])}, {fusion['candidates']} candidates")


def _final_head(final: dict[str, Any]) -> str:
    return _head(f"after {escaped(final['name'])} reranking", f"{final['kept']} kept of {final['candidates']}")


def _cell(inner: str, *, outlined: bool = False, faded: bool = False, empty: bool = False) -> str:
    edge = ";outline:2px solid var(--i);outline-offset:-1px" if outlined else ""
    faint = ";opacity:.6" if faded else ""
    clipped = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap"
    return f'<td style="background:{_HATCH if empty else _SHADE};padding:2px 5px;text-align:left;{clipped}{edge}{faint}">{inner}</td>'


def _lines(text: str, soft: str) -> str:
    return f'{text}<br><small style="color:{_SOFT}">{soft}</small>'


def _lane_cell(lane: dict[str, Any], row: int, first: str | None) -> str:
    if row >= len(lane["rows"]):
        said = ""
        if row == 0:
            said = _text(lane["reason"], 90) if lane["status"] != "ran" else "matched nothing"
        return _cell(said and f'<span style="color:{_SOFT};white-space:normal">{said}</span>', empty=True)
    hit = lane["rows"][row]
    score = "no score" if hit["score"] is None else words.number(hit["score"])
    return _cell(
        _lines(f"<b>{hit['rank']}</b> {_text(hit['title'], 40)}", f"{score} · {escaped(words.clip_id(hit['id'], 24))}"),
        outlined=hit["id"] == first,
    )


def _fused_cell(drawn: dict[str, Any], row: int) -> str:
    rows = drawn["fusion"]["rows"]
    if row >= len(rows):
        return _cell("", empty=True)
    hit, best = rows[row], rows[0]["score"]
    share = "" if hit["share"] is None else f" · {words.share(hit['share'])} of most"
    gap = "" if hit["gap"] is None else f" · next −{words.number(hit['gap'], 2)}"
    tie = "" if hit["decided"] == "score" else f" · {escaped(hit['decided'])} decides"
    bar = "".join(_segment(part, drawn["lanes"], best) for part in hit["segments"])
    line = f'<div style="display:flex;height:9px;margin:2px 0">{bar}</div>'
    return _cell(
        f'<b>{hit["rank"]}</b> {_text(hit["title"], 60)}{line}<small style="color:{_SOFT}">{words.number(hit["score"])}{share}{gap}{tie}</small>',
        outlined=hit["id"] == drawn["first"],
    )


def _segment(part: dict[str, Any], lanes: Sequence[dict[str, Any]], best: float) -> str:
    if part["contribution"] is None or best <= 0:
        return ""
    place = next(i for i, lane in enumerate(lanes) if lane["name"] == part["lane"])
    title = f"{part['lane']}: rank {part['rank']}, {words.number(part['contribution'])}"
    style = f"width:{100 * part['contribution'] / best:.2f}%;background:{palette.pattern(place)} {palette.hue(place)};margin-right:1px"
    return f'<span title="{escaped(title)}" style="{style}"></span>'


def _final_cell(final: dict[str, Any], row: int, first: str | None) -> str:
    if row >= len(final["rows"]):
        return _cell("", empty=True)
    hit = final["rows"][row]
    moved = (
        ""
        if not hit["moved"]
        else f' <span style="color:{_SOFT}">{"▲" if hit["moved"] > 0 else "▼"}{abs(hit["moved"])}</span>'
    )
    cut = "" if hit["kept"] else " · below the cut"
    if hit["same_text"]:
        cut += f" · same text as {_text(hit['same_text'][0], 40)}"
    parts = " + ".join(
        f"{escaped(f['name'])} {words.number(f['contribution'])}"
        for f in hit["features"]
        if f["contribution"] is not None
    )
    return _cell(
        _lines(
            f"<b>{hit['rank']}</b>{moved} {_text(hit['title'], 60)}",
            f"{words.number(hit['score'])}{' = ' + parts if parts else ''}{cut}",
        ),
        outlined=hit["id"] == first,
        faded=not hit["kept"],
    )


# ---------------------------------------------------------------- gate and answer


def _lower(drawn: dict[str, Any]) -> str:
    parts = [part for part in (_gate(drawn), _answer(drawn)) if part]
    panes = "".join(f'<div style="flex:1 1 300px;min-width:0">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:20px;margin-top:8px">{panes}</div>' if parts else ""


def _gate(drawn: dict[str, Any]) -> str:
    gate = drawn["gate"]
    if gate is None:
        return ""
    colour = _GOOD if gate["passed"] else _BAD
    rows = "".join(_gate_row(f) for f in gate["features"] if f["contribution"] is not None)
    tries = drawn["attempts"]
    retried = (
        ""
        if len(tries) < 2
        else f'<div style="color:{_SOFT}">{len(tries)} attempts; the last stopped because {_text(tries[-1]["stopped"], 80)}.</div>'
    )
    return (
        f'<b style="color:{colour}">Gate: {"pass" if gate["passed"] else "no"}</b> {words.number(gate["score"])} against {words.number(gate["threshold"])}'
        f' <span style="color:{_SOFT}">({_text(gate["preset"], 60)})</span>'
        f'<table style="border-collapse:collapse;font-size:12px;margin:2px 0;color:inherit">{rows}</table><div>{_text(gate["explanation"], 300)}</div>{retried}'
    )


def _gate_row(feature: dict[str, Any]) -> str:
    width = max(0.0, min(1.0, feature["value"])) * 100
    floor = "" if feature["floor"] is None else f", floor {words.number(feature['floor'])}"
    bar = f'<div style="width:90px;height:8px;background:{_SHADE}"><div style="width:{width:.1f}%;height:8px;background:{palette.hue(0)}"></div></div>'
    cells = (
        escaped(feature["name"].replace("_", " ")),
        bar,
        f"{words.number(feature['weight'])} · {words.number(feature['value'])} = {words.number(feature['contribution'])}{floor}",
    )
    return "<tr>" + "".join(f'<td style="text-align:left;padding:0 8px 0 0">{c}</td>' for c in cells) + "</tr>"


def _answer(drawn: dict[str, Any]) -> str:
    answer = drawn["answer"]
    if answer is None:
        return ""
    score = "nothing to check" if answer["score"] is None else f"grounding {words.number(answer['score'])}"
    return (
        f'<b>Answer</b> <span style="color:{_SOFT}">{_text(answer["generator"], 40)}; {score} by {escaped(answer["method"])}, floor {words.number(answer["floor"])}</span>'
        f"<div>{''.join(_sentences(answer))}</div>"
    )


def _sentences(answer: dict[str, Any]) -> Iterable[str]:
    at = 0
    for sentence in answer["sentences"][:12]:
        yield escaped(answer["text"][at : sentence["start"]])
        at = sentence["end"]
        source = (
            "" if sentence["source"] is None else f' <sup style="color:{_SOFT}">{_text(sentence["source"], 60)}</sup>'
        )
        score = "" if sentence["score"] is None else f" {words.number(sentence['score'])}"
        title = f"{sentence['verdict'].replace('_', ' ')}{score} {sentence['reason']}".strip()
        text = _text(answer["text"][sentence["start"] : sentence["end"]], 600)
        yield f'<span title="{escaped(title)}" style="border-bottom:{_UNDERLINES[sentence["verdict"]]}">{text}</span>{source}'
    rest = len(answer["sentences"]) - 12
    if rest > 0:
        yield f" … and {rest} more sentences"


def _foot(trace: Trace, drawn: dict[str, Any]) -> str:
    pairs = " · ".join(f"{escaped(name)} {_text(value, 80)}" for name, value in drawn["settings"])
    # it reads the whole run: a second and more beyond this many candidates, too long for a display
    printed = f" · fingerprint {trace.fingerprint()[:12]}" if drawn["fusion"]["candidates"] <= _PRINTED else ""
    return f'<div style="color:{_SOFT};font-size:11px;margin-top:8px">{pairs}{printed}</div>'


def _text(text: str, width: int) -> str:
    return escaped(words.clip(text, width))
