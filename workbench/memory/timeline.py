"""What was valid when: a collection's windows of validity side by side, as text and as a small escaped picture."""

from dataclasses import dataclass

from workbench.escaping import escaped, visible
from workbench.explain import words
from workbench.frozen import FromPlain
from workbench.memory import times
from workbench.memory.episodes import Episode, Retention

_ROWS = 40
_WIDTH = 40
_HUES = {"valid": "#009e73", "not yet": "#56b4e9", "expired": "#7f7f7f", "compacted": "#d55e00"}
_MARKS = {"valid": "█", "not yet": "░", "expired": "▒", "compacted": "·"}


@dataclass(frozen=True, slots=True)
class Span(FromPlain):
    """One episode's window. A compacted one has no text any more."""

    id: str
    text: str
    valid_from: int
    valid_until: int | None
    state: str
    """``valid``, ``not yet`` or ``expired`` at the moment asked, or ``compacted``."""
    retention: Retention
    """What keeps it; for a compacted one, why it went."""


@dataclass(frozen=True, slots=True)
class Timeline(FromPlain):
    """A collection's windows, by the time at which they open, then by id."""

    collection: str
    at: int
    spans: tuple[Span, ...]

    @property
    def valid(self) -> tuple[str, ...]:
        """The ids of what is valid at the moment asked, in the order of the spans."""
        return tuple(span.id for span in self.spans if span.state == "valid")

    def _repr_html_(self) -> str:
        first, last = self._reach()
        rows = []
        for span in self.spans[:_ROWS]:
            left, right = self._share(span, first, last)
            bar = f'<div style="margin-left:{100 * left:.2f}%;width:{max(0.5, 100 * (right - left)):.2f}%;height:9px;background:{_HUES[span.state]}"></div>'
            label = f"<b>{escaped(words.clip(span.text or '(compacted)', 60))}</b> <small>{escaped(_window(span))} · {span.state} · {escaped(_kept(span))}</small>"
            rows.append(
                f'<tr><td style="text-align:left;padding:2px 8px 2px 0">{label}</td><td style="width:45%">{bar}</td></tr>'
            )
        head = f"<b>{escaped(words.clip(self.collection, 60))}</b> at {times.shown(self.at)}: {self._counts()}"
        style = "font:13px/1.35 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--jp-ui-font-color1,var(--vscode-foreground,#1b1f24));background:var(--jp-layout-color1,var(--vscode-editor-background,#fff));padding:8px 10px"
        return f'<div style="{style}">{head}<table style="border-collapse:collapse;width:100%;color:inherit;font-size:12px">{"".join(rows)}</table>{escaped(self._rest())}</div>'

    def __repr__(self) -> str:
        first, last = self._reach()
        lines = [f"{words.clip(self.collection, 60)} at {times.shown(self.at)}: {self._counts()}"]
        for span in self.spans[:_ROWS]:
            left, right = (round(_WIDTH * share) for share in self._share(span, first, last))
            left = min(left, _WIDTH - 1)
            drawn = " " * left + _MARKS[span.state] * max(1, right - left)
            lines.append(
                f"{drawn.ljust(_WIDTH)}  {span.state:9}  {_window(span)}  {words.clip(span.text or '(compacted)', 50)}"
            )
        return visible("\n".join([*lines, *filter(None, [self._rest()])]))

    def _counts(self) -> str:
        counts = {state: sum(1 for span in self.spans if span.state == state) for state in _HUES}
        return ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "nothing remembered"

    def _rest(self) -> str:
        more = len(self.spans) - _ROWS
        return f"1-{_ROWS} of {len(self.spans)}" if more > 0 else ""

    def _reach(self) -> tuple[int, int]:
        """From the first opening to the last moment that is named; never empty."""
        moments = [self.at, *(span.valid_from for span in self.spans)]
        moments += [span.valid_until for span in self.spans if span.valid_until is not None]
        return min(moments), max(max(moments), min(moments) + 1)

    @staticmethod
    def _share(span: Span, first: int, last: int) -> tuple[float, float]:
        end = last if span.valid_until is None else span.valid_until
        return (span.valid_from - first) / (last - first), (end - first) / (last - first)


def timeline(
    collection: str, at: int, held: tuple[Episode, ...], gone: tuple[tuple[str, int, int, int | None, str], ...]
) -> Timeline:
    """The windows of what is held, and of what compaction took out."""
    spans = [
        Span(each.id, each.content, each.valid_from, each.valid_until, each.state(at), each.retention) for each in held
    ]
    spans += [Span(id, "", start, end, "compacted", reason) for id, _, start, end, reason in gone]
    return Timeline(collection, at, tuple(sorted(spans, key=lambda span: (span.valid_from, span.id, span.state))))


def _window(span: Span) -> str:
    return (
        f"{times.shown(span.valid_from)} to {'open end' if span.valid_until is None else times.shown(span.valid_until)}"
    )


def _kept(span: Span) -> str:
    if span.state == "compacted":
        return str(span.retention)
    return span.retention if isinstance(span.retention, str) else f"{span.retention:g} days"
