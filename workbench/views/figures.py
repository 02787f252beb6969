"""A Trace as plotly figures, for papers, reports and scripts: every number is one that the Trace holds.

Each function returns a ``plotly.graph_objects.Figure``. What is absent has no bar, cell or point, never a zero.
Labels are escaped: plotly reads tags and formulas in them. Nothing is fetched; plotly writes itself into a page that
``figure.to_html()`` makes.
"""

import html
from collections.abc import Sequence

import plotly.graph_objects as go

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.explain import words
from workbench.kernels.sufficiency import WEIGHTED
from workbench.trace import Trace
from workbench.views import palette
from workbench.views.escaping import visible
from workbench.views.states.shared import title

INK = "#787878"
"""Text that reads on white paper and on JupyterLab's dark one."""
GRID = "rgba(128,128,128,0.28)"
UP, DOWN, WHOLE = palette.HUES[2], palette.HUES[5], palette.HUES[7]
SHAPES = ("", "\\", "|", "/", "-")
"""The lanes' patterns, as palette.PATTERNS has them."""

_OVER = {"fgcolor": "#ffffff", "fgopacity": 0.6, "size": 6, "fillmode": "overlay"}
_PLACES = {"showgrid": False, "zeroline": False}
_AXIS = {
    "gridcolor": GRID,
    "zerolinecolor": INK,
    "linecolor": INK,
    "tickcolor": INK,
    "automargin": True,
    "ticks": "outside",
    "ticklen": 4,
    "title": {"standoff": 8},
}
TEMPLATE = go.layout.Template(
    layout={
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": INK, "size": 13, "family": "system-ui, sans-serif"},
        "colorway": palette.HUES,
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "legend": {"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0.0},
        "margin": {"l": 8, "r": 24, "t": 72, "b": 8},
        "title": {
            "x": 0.0,
            "xref": "container",
            "y": 1.0,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 26, "l": 8},
        },
        "hoverlabel": {"align": "left"},
    }
)
"""Transparent paper and mid-grey lines: light and dark pages alike."""


def contributions(trace: Trace, *, rows: int = 10) -> go.Figure:
    """What each lane added to the first ``rows`` fused candidates, as stacked bars; x is the fused score.

    Raises:
        WorkbenchError: ``nothing_to_search`` where the run has no candidate, ``out_of_range`` (rows).
    """
    fusion = trace.fusion
    ids = _some(fusion.ids, rows)
    figure = go.Figure(layout=_layout(trace, f"What each lane added ({fusion.method})", "fused score"))
    for place, lane in enumerate(fusion.lanes):
        terms = [fusion.of(id)[place] for id in ids]
        told = [
            f"{lane}: not returned by this lane"
            if each.contribution is None
            else f"{lane}, rank {each.rank}: {words.number(each.contribution)}"
            for each in terms
        ]
        figure.add_bar(
            x=[each.contribution for each in terms],
            y=list(range(len(ids))),
            name=_safe(f"{palette.letter(place)} {lane}"),
            orientation="h",
            marker=_marker(place),
            hoverinfo="text",
            hovertext=[_safe(each) for each in told],
        )
    figure.update_layout(barmode="relative", height=170 + 42 * len(ids), bargap=0.3)
    names = [f"{place} {_safe(words.clip(title(trace, id), 34))}" for place, id in enumerate(ids, start=1)]
    return _listed(figure, names, [_standing(trace, id) for id in ids])


def waterfall(trace: Trace, id: str | None = None) -> go.Figure:
    """From the score of the next candidate (of the one above, for all but the first) to this one's, term by term.

    Where the run has no such lead (diversity reorders by picks, or nothing stands beside it), from zero to the fused
    score, lane by lane.

    Raises:
        WorkbenchError: ``unknown_id``, ``nothing_to_search``.
    """
    why = trace.why(id)
    lead = why.lead
    if lead is not None and lead.terms:
        other, name = trace.why(lead.other), words.clip(title(trace, why.id), 60)
        base, total = (_score(trace, each, lead.stage) for each in (lead.other, why.id))
        steps = [(t.name, t.difference) for t in lead.terms if t.here is not None or t.there is not None]
        heading = f"From {words.clip(title(trace, other.id), 60)} to {name} ({lead.stage} score)"
        first: list[tuple[str, float]] = [(other.id, base)]
    else:
        steps = [(each.lane, each.contribution) for each in why.contributions if each.contribution is not None]
        heading = f"What makes the fused score of {words.clip(title(trace, why.id), 60)}"
        first, total = [], why.fused_score
    labels = [*(label for label, _ in first), *(label for label, _ in steps), why.id]
    values = [*(value for _, value in first), *(value for _, value in steps), total]
    shown = [words.number(value) for value in values]
    signs = [
        text if i < len(first) or i == len(values) - 1 or values[i] < 0 else f"+{text}" for i, text in enumerate(shown)
    ]
    figure = go.Figure(layout=_layout(trace, heading, ""))
    figure.add_waterfall(
        x=list(range(len(values))),
        y=values,
        measure=[*("absolute" for _ in first), *("relative" for _ in steps), "total"],
        text=signs,
        textposition="outside",
        hoverinfo="text",
        hovertext=[_safe(f"{label}: {value!r}") for label, value in zip(labels, values, strict=True)],
        connector={"line": {"color": INK, "width": 1, "dash": "dot"}},
        increasing={"marker": {"color": UP}},
        decreasing={"marker": {"color": DOWN}},
        totals={"marker": {"color": WHOLE}},
        cliponaxis=False,
    )
    figure.update_xaxes(
        tickvals=list(range(len(values))), ticktext=[_safe(words.clip_id(each, 16)) for each in labels], **_PLACES
    )
    figure.update_layout(showlegend=False, height=380, margin_t=72)
    return figure


def redundancy(trace: Trace) -> go.Figure:
    """Similarities between MMR's picks, in pick order: the row is the candidate, the column an earlier pick.

    A similarity that the run did not record has no cell.

    Raises:
        WorkbenchError: ``not_recorded`` where the run had no diversity stage.
    """
    picked = trace.diversification
    if picked is None:
        raise WorkbenchError("not_recorded", "this run had no diversity stage: set lambda_mmr to record similarities")
    row_of = {id: row for row, id in enumerate(picked.pool)}
    column_of = {picked.pool[row]: column for column, row in enumerate(picked.columns)}
    ids = picked.ids
    cells = [[float(picked.similarity[row_of[a], column_of[b]]) if b in column_of else None for b in ids] for a in ids]
    told = [
        [
            f"{a} like {b}: {'not recorded' if value is None else words.number(value)}"
            for b, value in zip(ids, row, strict=True)
        ]
        for a, row in zip(ids, cells, strict=True)
    ]
    heading = f"How alike the picks are, λ {words.number(picked.lambda_mmr)}"
    figure = go.Figure(layout=_layout(trace, heading, ""))
    places = list(range(len(ids)))
    figure.add_heatmap(
        z=cells,
        x=places,
        y=places,
        colorscale="Cividis",
        zmin=min([0.0, *(value for row in cells for value in row if value is not None)]),
        zmax=1,
        xgap=1,
        ygap=1,
        hoverinfo="text",
        hovertext=[[_safe(each) for each in row] for row in told],
        colorbar={"title": {"text": "similarity"}, "outlinewidth": 0},
    )
    names = [_safe(words.clip_id(id, 26)) for id in ids]
    figure.update_xaxes(
        tickvals=places,
        ticktext=[str(place + 1) for place in places],
        title_text=_safe(f"earlier pick; {picked.similarity_of or 'similarity'}"),
        **_PLACES,
    )
    figure.update_yaxes(
        tickvals=places,
        ticktext=[f"{i + 1} {name}" for i, name in enumerate(names)],
        autorange="reversed",
        showgrid=False,
    )
    figure.update_layout(height=max(360, 150 + 22 * len(ids)))
    return figure


def gate(trace: Trace) -> go.Figure:
    """What each feature added to the gate's score, the score, and the threshold as a line.

    Raises:
        WorkbenchError: ``nothing_to_search`` where the run has no gate decision.
    """
    decision = trace.gate
    if decision is None:
        raise WorkbenchError("nothing_to_search", "this run has no gate decision to draw")
    features = [decision.feature(name) for name in WEIGHTED]
    verdict = "passes" if decision.passed else "does not pass"
    figure = go.Figure(layout=_layout(trace, f"The gate: the evidence {verdict}", "gate score"))
    told = [
        f"{words.number(each.value)} × {words.number(each.weight or 0)}"
        + ("" if each.floor is None else f", floor {words.number(each.floor)}")
        for each in features
    ]
    limit = f"threshold {words.number(decision.threshold)}"
    terms = [*(each.contribution for each in features), decision.score]
    places = range(len(features))
    figure.add_bar(
        x=terms,
        y=list(range(len(terms))),
        orientation="h",
        marker={
            "color": [*(palette.hue(place) for place in places), WHOLE],
            "pattern": {"shape": [*(SHAPES[place % len(SHAPES)] for place in places), ""], **_OVER},
        },
        text=[words.number(term or 0) for term in terms],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="text",
        hovertext=[*(f"{each.name}: {each.contribution!r}" for each in features), f"score: {decision.score!r}"],
    )
    figure.add_vline(x=decision.threshold, line={"color": INK, "dash": "dash", "width": 2})
    figure.add_annotation(x=decision.threshold, y=1, yref="paper", yanchor="bottom", showarrow=False, text=limit)
    figure.update_layout(showlegend=False, height=380, margin_t=92, margin_r=64)
    return _listed(figure, [*(each.name for each in features), "score"], [*told, limit])


def rank_path(trace: Trace, ids: Sequence[str] | None = None) -> go.Figure:
    """Each candidate's rank in every lane and stage, best at the top; the first five unless ``ids`` names others.

    A lane that did not return a candidate leaves a gap in its line.

    Raises:
        WorkbenchError: ``unknown_id``, ``nothing_to_search``, ``wrong_type``.
    """
    if isinstance(ids, str):
        raise WorkbenchError("wrong_type", f"ids is {ids!r}: give a list of candidate ids")
    wanted = tuple(ids) if ids is not None else trace.order[:5]
    paths = [trace.why(id).path for id in _some(wanted, max(1, len(wanted)))]
    stages = [place.stage for place in paths[0]]
    figure = go.Figure(layout=_layout(trace, "Where each candidate stood, stage by stage", ""))
    dashes = ("solid", "dash", "dot", "dashdot", "longdash")
    for place, (id, path) in enumerate(zip(wanted, paths, strict=True)):
        figure.add_scatter(
            x=list(range(len(stages))),
            y=[each.rank for each in path],
            mode="lines+markers",
            name=_safe(words.clip(title(trace, id), 40)),
            connectgaps=False,
            line={"color": palette.hue(place), "dash": dashes[place % len(dashes)], "width": 2},
            marker={"size": 9, "symbol": place},
            hoverinfo="text",
            hovertext=[
                _safe(f"{id}, {each.stage}: {'not there' if each.rank is None else f'rank {each.rank} of {each.of}'}")
                for each in path
            ],
        )
    figure.update_xaxes(tickvals=list(range(len(stages))), ticktext=[_safe(stage) for stage in stages], zeroline=False)
    deepest = max((each.rank or 1 for path in paths for each in path), default=1)
    figure.update_yaxes(
        title_text="rank (log)", type="log", autorange="reversed", tickvals=[n for n in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000) if n <= 2 * deepest]
    )  # fmt: skip
    figure.update_layout(height=430, margin_t=72)
    return figure


def _layout(trace: Trace, heading: str, x: str) -> go.Layout:
    query = _safe(words.clip(trace.query, 90))
    return go.Layout(
        template=TEMPLATE, title={"text": f"{_safe(heading)}<br><sup>{query}</sup>"}, xaxis={"title": {"text": x}}
    )


def _listed(figure: go.Figure, names: Sequence[str], below: Sequence[str]) -> go.Figure:
    """Rows from the top, each with a second, smaller line under its name. Both come escaped."""
    rows = [f"{name}<br><span style='font-size:11px'>{line}</span>" for name, line in zip(names, below, strict=True)]
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed", showgrid=False)
    return figure


def _standing(trace: Trace, id: str) -> str:
    """A fused score, never bare: its share of the most possible, and the lanes that did not return it."""
    fusion = trace.fusion
    score = float(fusion.scores[fusion.row(id)])
    most = "" if not fusion.possible else f", {words.share(score / fusion.possible)} of the most"
    absent = [palette.letter(i) for i, each in enumerate(fusion.of(id)) if each.contribution is None]
    return f"{words.number(score)}{most}" + (f", not in {', '.join(absent)}" if absent else "")


def _score(trace: Trace, id: str, stage: str) -> float:
    if stage == "fusion":
        return float(trace.fusion.scores[trace.fusion.row(id)])
    return trace.reranking.scores[trace.reranking.ids.index(id)]


def _some(ids: Sequence[str], rows: int) -> tuple[str, ...]:
    wanted = checks.whole("rows", rows)
    if not ids:
        raise WorkbenchError(
            "nothing_to_search", "there is no candidate to draw: no lane returned one, or ids is empty"
        )
    return tuple(ids[:wanted])


def _marker(place: int) -> dict[str, object]:
    shape = SHAPES[place % len(SHAPES)]
    return {"color": palette.hue(place), "pattern": {"shape": shape, **_OVER}}


def _safe(text: str) -> str:
    """``text`` as plotly may show it: no tag, no entity and no formula in it, nothing that hides or reorders."""
    return html.escape(visible(text), quote=True).replace("$", "&#36;").replace("%{", "%&#123;")
