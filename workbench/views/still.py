"""A plotly figure with a still picture beside it, so that a page without plotly (GitHub, nbconvert, an untrusted notebook) shows it too.

The picture is drawn from the figure's own lines, bars and points; nothing is fetched and no browser is needed.
"""

import html
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from workbench.views.figures import GRID, INK

WIDE, HIGH = 640, 300
LEFT, TOP, BOTTOM = 56, 34, 46
DASHES = {"dash": "8 4", "dot": "2 3", "dashdot": "8 3 2 3", "longdash": "12 4"}


class Chart:
    """A figure that shows itself: plotly's own JSON, a still SVG, and its names as text."""

    def __init__(self, figure: go.Figure) -> None:
        self.figure = figure

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {
            "application/vnd.plotly.v1+json": json.loads(self.figure.to_json()),
            "text/html": svg(self.figure),
            "text/plain": repr(self),
        }

    def __repr__(self) -> str:
        names = [html.unescape(str(each.name)) for each in self.figure.data]
        return f"{html.unescape(self.figure.layout.title.text or '')}: {'; '.join(names)}"


def svg(figure: go.Figure) -> str:
    """The figure's lines, bars and points as SVG inside a figure element, with a legend in words. Labels stay escaped."""
    drawn = [each for each in figure.data if each.type in ("scatter", "bar")]
    names = _categories(drawn)
    xs = [_place(x, names) for each in drawn for x in each.x if x is not None]
    ys = [0.0, *(float(y) for each in drawn for y in each.y if y is not None)]
    frame = _Frame(min(xs), max(xs), names, min(ys), max(ys))
    bars = [each for each in drawn if each.type == "bar"]
    parts = [
        frame.axes(figure),
        *(_bars(each, frame, bars) if each.type == "bar" else _scatter(each, frame) for each in drawn),
    ]
    for shape in figure.layout.shapes or ():
        at = frame.x(float(shape.x0))
        parts.append(f'<path d="M{at:.1f} {TOP}V{HIGH - BOTTOM}" stroke="{INK}" stroke-dasharray="2 3"/>')
    legend = "".join(
        f'<span style="margin-right:1.2em"><span style="color:{_hue(each)}">&#9632;</span> {each.name}</span>'
        for each in drawn
    )
    return (
        f'<figure style="margin:0;max-width:{WIDE}px"><svg viewBox="0 0 {WIDE} {HIGH}" width="100%" role="img" '
        f'style="font:12px system-ui,sans-serif"><title>{figure.layout.title.text}</title>{"".join(parts)}</svg>'
        f'<figcaption style="font:12px system-ui,sans-serif">{legend}</figcaption></figure>'
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """The data's ranges, and where a value lies in the picture."""

    left: float
    right: float
    names: list[str] | None
    low: float
    high: float

    def x(self, value: float) -> float:
        left, right = (self.left, self.right) if self.names is None else (-0.5, len(self.names) - 0.5)
        return LEFT + (value - left) / ((right - left) or 1.0) * (WIDE - LEFT - 12)

    def y(self, value: float) -> float:
        return HIGH - BOTTOM - (value - self.low) / ((self.high - self.low) or 1.0) * (HIGH - BOTTOM - TOP)

    def axes(self, figure: go.Figure) -> str:
        layout = figure.layout
        parts = [f'<text x="{LEFT}" y="18" fill="{INK}" font-size="14">{layout.title.text}</text>']
        for value in _ticks(self.low, self.high):
            at = self.y(value)
            parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDE - 12}" stroke="{GRID}"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" fill="{INK}" text-anchor="end">{value:g}</text>')
        marks = (
            [(float(i), name) for i, name in enumerate(self.names)]
            if self.names
            else [(value, f"{value:g}") for value in _ticks(self.left, self.right)]
        )
        for value, name in marks:
            parts.append(
                f'<text x="{self.x(value):.1f}" y="{HIGH - BOTTOM + 16}" fill="{INK}" text-anchor="middle">{name}</text>'
            )
        parts.append(
            f'<text x="{(LEFT + WIDE) / 2:.0f}" y="{HIGH - 8}" fill="{INK}" text-anchor="middle">{layout.xaxis.title.text or ""}</text>'
        )
        parts.append(
            f'<text x="14" y="{HIGH / 2:.0f}" fill="{INK}" text-anchor="middle" transform="rotate(-90 14 {HIGH / 2:.0f})">{layout.yaxis.title.text or ""}</text>'
        )
        return "".join(parts)


def _scatter(each: Any, frame: _Frame) -> str:
    points = [
        None if x is None or y is None else (frame.x(float(x)), frame.y(float(y)))
        for x, y in zip(each.x, each.y, strict=True)
    ]
    if each.mode == "markers":
        return "".join(
            f'<circle cx="{p[0]:.1f}" cy="{p[1]:.1f}" r="6" fill="none" stroke="{_hue(each)}" stroke-width="2"/>'
            for p in points
            if p
        )
    path, pen = [], "M"
    for point in points:
        path += [] if point is None else [f"{pen}{point[0]:.1f} {point[1]:.1f}"]
        pen = "M" if point is None else "L"
    if each.fill == "toself":
        return f'<path d="{"".join(path)}Z" fill="{each.fillcolor}" fill-opacity="{each.opacity}"/>'
    dash = DASHES.get(each.line.dash or "", "")
    return f'<path d="{"".join(path)}" fill="none" stroke="{_hue(each)}" stroke-width="{each.line.width}" stroke-dasharray="{dash}"/>'


def _bars(each: Any, frame: _Frame, bars: Sequence[Any]) -> str:
    places = sorted({_place(x, frame.names) for bar in bars for x in bar.x})
    step = min((b - a for a, b in pairwise(places)), default=1.0) * 0.8
    mine = next(i for i, bar in enumerate(bars) if bar is each)
    parts = []
    for x, y in zip(each.x, each.y, strict=True):
        at = _place(x, frame.names)
        left = frame.x(at - step / 2 + mine * step / len(bars))
        right = frame.x(at - step / 2 + (mine + 1) * step / len(bars))
        top = frame.y(float(y))
        parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(0.5, right - left):.1f}" height="{max(0.0, HIGH - BOTTOM - top):.1f}" fill="{_hue(each)}"/>'
        )
        if each.text is not None:
            parts.append(
                f'<text x="{(left + right) / 2:.1f}" y="{top - 4:.1f}" fill="{INK}" text-anchor="middle">{float(y):g}</text>'
            )
    return "".join(parts)


def _hue(each: Any) -> str:
    if each.type == "bar" or each.mode == "markers":
        return str(each.marker.color)
    return str(each.fillcolor if each.fill == "toself" else each.line.color)


def _categories(drawn: Sequence[Any]) -> list[str] | None:
    named = list(dict.fromkeys(x for each in drawn for x in each.x if isinstance(x, str)))
    return named or None


def _place(x: Any, names: list[str] | None) -> float:
    return float(names.index(x)) if names is not None else float(x)


def _ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers between the two."""
    span = (high - low) or 1.0
    rough = span / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 10) for n in range(first, math.floor(high / step + 1e-9) + 1)]
