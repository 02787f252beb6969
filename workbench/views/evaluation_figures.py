"""Thresholds as plotly figures: sweep, confusion, risk against coverage, cost, and the scores of both classes.

Each function returns a ``plotly.graph_objects.Figure``; ``chart(figure)`` shows it in a notebook with a still picture
beside it, for pages where no plotly runs. Numbers are the evaluation's own.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import plotly.graph_objects as go

from workbench.errors import WorkbenchError
from workbench.kernels.measures import Confusion
from workbench.kernels.selective import Costs, RiskCoverage
from workbench.views import palette
from workbench.views.figures import DOWN, INK, TEMPLATE, UP, _safe
from workbench.views.still import Chart

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
"""Curves differ by dash as well as by hue."""


def chart(figure: go.Figure) -> Chart:
    """``figure`` as a cell's last line: live where plotly runs, a still picture and its numbers elsewhere."""
    return Chart(figure)


def sweep(cells: Sequence[Confusion], *, threshold: float | None = None) -> go.Figure:
    """Precision, recall, specificity and the share answered, against the threshold. What is 0/0 has no point."""
    _some(cells)
    figure = _figure("What a threshold does", "threshold", "share")
    lines: dict[str, list[float | None]] = {
        "precision": [c.precision for c in cells],
        "recall": [c.recall for c in cells],
        "specificity": [c.specificity for c in cells],
        "answered": [(c.tp + c.fp) / _size(c) for c in cells],
    }
    x = [c.threshold for c in cells]
    for place, (name, values) in enumerate(lines.items()):
        _line(figure, place, name, x, values)
    if threshold is not None:
        figure.add_vline(x=threshold, line={"color": INK, "width": 1, "dash": "dot"})
    figure.update_yaxes(range=[0, 1.02])
    return figure


def confusion(cells: Confusion) -> go.Figure:
    """The four cells of one threshold as counts."""
    at = "" if cells.threshold is None else f" at {cells.threshold:.4g}"
    figure = _figure(f"Answered or refused{at}", "", "queries")
    for place, (name, right, wrong) in enumerate((("answered", cells.tp, cells.fp), ("refused", cells.tn, cells.fn))):
        figure.add_bar(
            name=name,
            x=["rightly", "wrongly"],
            y=[right, wrong],
            text=[str(right), str(wrong)],
            marker={"color": palette.hue(place)},
        )
    return figure.update_layout(barmode="group")


def risk_coverage(
    curves: Mapping[str, RiskCoverage], *, bands: Mapping[str, Sequence[tuple[float, float, float]]] | None = None
) -> go.Figure:
    """Risk against coverage, each curve with its optimum (thin) and its random line (dotted).

    ``bands``: for a curve's name its (coverage, low, high), as ``evaluation.risk_band`` gives them.

    Raises:
        WorkbenchError: ``nothing_to_search`` without a curve, ``unknown_parameter`` for a band of no curve.
    """
    _some(tuple(curves))
    figure = _figure("Risk of what is answered", "share answered, surest first", "share of them in error")
    for name in bands or {}:
        if name not in curves:
            raise WorkbenchError("unknown_parameter", f"bands has {name!r}: the curves are {', '.join(curves)}")
    for place, (name, curve) in enumerate(curves.items()):
        hue = palette.hue(place)
        band = (bands or {}).get(name)
        if band:
            x = [row[0] for row in band]
            figure.add_scatter(
                x=[*x, *reversed(x)],
                y=[*(row[2] for row in band), *(row[1] for row in reversed(band))],
                fill="toself",
                mode="none",
                fillcolor=hue,
                opacity=0.15,
                name=_safe(f"{name}: band"),
                hoverinfo="skip",
            )
        _line(figure, place, f"{name}: AURC {curve.aurc:.3f}, E-AURC {curve.e_aurc:.3f}", curve.coverage, curve.risk)
        figure.add_scatter(
            x=curve.coverage,
            y=curve.optimal,
            mode="lines",
            line={"color": hue, "width": 1},
            name=_safe(f"{name}: optimal order"),
        )
        figure.add_scatter(
            x=[0, 1],
            y=[curve.random, curve.random],
            mode="lines",
            line={"color": hue, "width": 1, "dash": "dot"},
            name=_safe(f"{name}: random order"),
        )
    return figure.update_yaxes(rangemode="tozero")


def cost(cells: Sequence[Confusion], costs: Mapping[str, Costs]) -> go.Figure:
    """The cost of each threshold under one or several prices, per query; a ring marks the least."""
    _some(cells)
    figure = _figure("What a threshold costs", "threshold", "cost per query")
    x = [c.threshold for c in cells]
    for place, (name, prices) in enumerate(costs.items()):
        values = [prices.of(c) / _size(c) for c in cells]
        _line(figure, place, name, x, values)
        best = min(range(len(values)), key=values.__getitem__)
        figure.add_scatter(
            x=[x[best]],
            y=[values[best]],
            mode="markers",
            marker={"color": palette.hue(place), "size": 12, "symbol": "circle-open", "line": {"width": 2}},
            name=_safe(f"{name}: least, {values[best]:.3g} at {x[best]:.3g}"),
        )
    return figure


def scores(values: Sequence[float], answerable: Sequence[bool], *, threshold: float | None = None) -> go.Figure:
    """How many queries of each label fall into each twentieth of the score's range 0..1."""
    _some(values)
    figure = _figure("The scores of both classes", "gate score", "queries")
    edges = [i / 20 for i in range(21)]
    for label, name, hue in ((True, "answerable", UP), (False, "not answerable", DOWN)):
        mine = [v for v, each in zip(values, answerable, strict=True) if bool(each) is label]
        counts = [sum(1 for v in mine if a <= v < b or (b == 1 and v >= 1)) for a, b in pairwise(edges)]
        figure.add_bar(name=name, x=[(a + b) / 2 for a, b in pairwise(edges)], y=counts, marker={"color": hue})
    if threshold is not None:
        figure.add_vline(x=threshold, line={"color": INK, "width": 1, "dash": "dot"})
    return figure.update_layout(barmode="group", bargap=0.1)


def _figure(heading: str, x: str, y: str) -> go.Figure:
    return go.Figure(
        layout=go.Layout(
            template=TEMPLATE,
            title={"text": _safe(heading)},
            xaxis={"title": {"text": _safe(x)}},
            yaxis={"title": {"text": _safe(y)}},
            height=420,
        )
    )


def _line(figure: go.Figure, place: int, name: str, x: Sequence[float | None], y: Sequence[float | None]) -> None:
    figure.add_scatter(
        x=list(x),
        y=list(y),
        mode="lines",
        name=_safe(name),
        line={"color": palette.hue(place), "width": 2.5, "dash": DASHES[place % len(DASHES)]},
    )


def _size(cells: Confusion) -> int:
    return cells.tp + cells.fp + cells.fn + cells.tn


def _some(given: Sequence[object]) -> None:
    if not given:
        raise WorkbenchError("nothing_to_search", "there is nothing to draw: give at least one query")
