"""The app: a query box, the settings, and every view in tabs over one Trace."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from traitlets import Dict, Enum, observe

from workbench import checks, shipped
from workbench.config import PRESETS
from workbench.corpus.queries import LabelledQuery, labelled, read_queries
from workbench.errors import WorkbenchError
from workbench.explore.what_if import what_if
from workbench.pipeline import Workbench
from workbench.trace import Trace
from workbench.views import modules, parts
from workbench.views.base import View, shown
from workbench.views.hosting import TABS, hosted, view_class
from workbench.views.python_text import python_text
from workbench.views.selection import Selection
from workbench.views.states import app as states

_SAMPLE = "wb.Workbench.sample("
_OPENINGS = 8
"""Titles of documents that stand as saved queries where none are given."""


class App(View):
    """The whole workbench in one view. ``trace`` is what it shows; ``tab`` is the view that is open.

    Args:
        source: a Workbench, whose lanes answer what is asked; or one Trace, whose settings can be changed.
        query: what is asked first; the first saved query when left out.
        queries: saved queries: texts, ``LabelledQuery`` records or mappings as ``read_queries`` reads them. Judged
            passages carry a mark in the board. Left out: the sample's own, else the titles of the first documents.
        tab: ``board``, ``fusion_player``, ``why``, ``redundancy``, ``gate``, ``grounding`` or ``predict``.

    Settings go through ``what_if`` over the recorded lanes and are kept from query to query. A query or setting
    that is refused is said in words; what was shown stays.

    Raises:
        WorkbenchError: ``empty_query`` where there is nothing to ask first; what ``Workbench.ask`` refuses.
    """

    _esm = modules.compose("boot.js")
    _css = modules.styles("app.css")
    answers: ClassVar[Mapping[str, str]] = {
        "ask": "_ask",
        "set": "_set",
        "fusion": "_fusion",
        "reset": "_reset",
        "open": "_open",
        "panel": "_panel",
        "keep": "_keep",
        "compare": "_compare",
        "python": "_python",
    }

    tab = Enum(list(TABS), default_value="board").tag(sync=True)
    _parts = Dict().tag(sync=True)
    _panel_board = Dict().tag(sync=True)
    _panel_fusion_player = Dict().tag(sync=True)
    _panel_why = Dict().tag(sync=True)
    _panel_redundancy = Dict().tag(sync=True)
    _panel_gate = Dict().tag(sync=True)
    _panel_grounding = Dict().tag(sync=True)
    _panel_predict = Dict().tag(sync=True)

    def __init__(
        self,
        source: Workbench | Trace,
        *,
        query: str | None = None,
        queries: Sequence[Any] | None = None,
        tab: str = "board",
        selection: Selection | None = None,
    ) -> None:
        if not isinstance(source, Workbench | Trace):
            raise WorkbenchError("wrong_type", f"source is {source!r:.80}: give a Workbench or a Trace")
        checks.one_of("tab", tab, TABS, "out_of_range")
        self._bench = source if isinstance(source, Workbench) else None
        self._saved = _saved(source, queries)
        asked = source if isinstance(source, Trace) else source.ask(_opening(self._saved, query))
        self._asked, self._moving = asked, False
        self._panels: dict[str, Any] = {}
        self._scenarios: dict[str, Trace] = {}
        self._ghost: tuple[str, Trace] | None = None
        self._stamp = 0
        self.tab = tab
        super().__init__(asked, selection=selection)

    @property
    def asked(self) -> Trace:
        """The Trace before any setting was changed."""
        return self._asked

    # ------------------------------------------------------------ drawing

    def draw(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        ghost = None if self._ghost is None else states.ghost(self.trace, *self._ghost)
        return {
            **states.state(self.trace, self._asked),
            "canAsk": self._bench is not None,
            "saved": states.saved(self._saved),
            "fusions": states.fusions(),
            "presets": list(PRESETS),
            "tabs": [[name, label] for name, (label, _) in TABS.items()],
            "scenarios": list(self._scenarios),
            "ghost": ghost,
        }, {}

    def redraw(self) -> None:
        """Draws the settings and the open tab; the others are drawn when they are opened."""
        if not self._moving:
            self._asked = self.trace
        with self.hold_sync():
            for name in TABS:
                if name != self.tab:
                    setattr(self, f"_panel_{name}", {})
            self.redraw_panel(self.tab)
            super().redraw()

    def redraw_panel(self, name: str) -> None:
        """Draws the view of one tab, and sends the script that it needs the first time."""
        if name not in self._panels:
            self._panels[name] = hosted(name, self, self.trace, self.selection)
            self._panels[name].observe(self._panel_moved, "trace")
        panel = self._panels[name]
        panel.take(self.trace, self._asked)
        if name == "board":
            panel._judged = self._relevant()
        state, buffers = panel.draw()
        self._stamp += 1
        with self.hold_sync():
            self._send_parts(name)
            setattr(self, f"_panel_{name}", {"state": shown(state), "buffers": buffers, "stamp": self._stamp})

    def carry(self, name: str, message: Mapping[str, Any], buffers: list[bytes] | None) -> None:
        """Sends what a tab's view says to its script."""
        self.say({"type": "panel", "tab": name, "message": dict(message)}, buffers)

    def _send_parts(self, name: str) -> None:
        needed = [*parts.closure("app.js"), *parts.closure(f"{name}.js")]
        if f"{name}.css" not in self._parts:
            sheet = {f"{name}.css": parts.plain(view_class(name)._css)}
            self._parts = {**self._parts, **{each: parts.part(each) for each in needed}, **sheet}

    def _relevant(self) -> frozenset[str]:
        found = next((each for each in self._saved if each.query == self.trace.query), None)
        return frozenset() if found is None else frozenset(found.relevant_ids)

    @observe("tab")
    def _opened(self, _: Any) -> None:
        if self.comm is not None and not getattr(self, f"_panel_{self.tab}"):
            self.redraw_panel(self.tab)

    # ------------------------------------------------------------ moving to another Trace

    def _panel_moved(self, change: Any) -> None:
        if change["new"] is not self.trace:
            self._move(change["new"], self._asked)

    def _move(self, trace: Trace, asked: Trace) -> None:
        before, self._asked, self._moving = self._asked, asked, True
        try:
            same = trace == self.trace
            self.trace = trace
            if same:
                self.redraw()  # an equal Trace is no change to the trait
        except Exception:
            self._asked = before
            raise
        finally:
            self._moving = False

    # ------------------------------------------------------------ what the browser asks

    def _answered(self, message: Mapping[str, Any]) -> None:
        self.say({"type": "answered", "turn": message.get("turn")})

    def _ask(self, message: Mapping[str, Any]) -> None:
        """Another query, under the settings that stand."""
        if self._bench is None:
            raise WorkbenchError(
                "nothing_to_search", "this app was given one Trace: give it a Workbench to ask another query"
            )
        asked = self._bench.ask(checks.query_text(message.get("query")))
        kept = states.changes(self.trace, self._asked)
        trace = what_if(asked, **kept) if kept else asked
        self._ghost = None
        self.selection.pinned = None
        self.selection.selected = trace.order[0] if trace.order else None
        self._move(trace, asked)
        self._answered(message)

    def _set(self, message: Mapping[str, Any]) -> None:
        """Settings were let go."""
        self._move(what_if(self.trace, **dict(message["changes"])), self._asked)
        self._answered(message)

    def _fusion(self, message: Mapping[str, Any]) -> None:
        """Another fusion or dialect; the setting before stays beside it as ghost ranks."""
        known = [value for value, _, _ in states.fusions()]
        value = checks.one_of("fusion", message.get("value"), known, "unknown_fusion")
        before = self.trace
        trace = what_if(before, **states.fusion_changes(value, before.config))
        self._ghost = (states.method(before), before)
        self._move(trace, self._asked)
        self._answered(message)

    def _reset(self, message: Mapping[str, Any]) -> None:
        self._move(self._asked, self._asked)
        self._answered(message)

    def _panel(self, message: Mapping[str, Any]) -> None:
        """What the script of a tab asks of its view."""
        name = checks.one_of("tab", message.get("tab"), self._panels, "out_of_range")
        self._panels[name].answer(message.get("message"))

    def _open(self, message: Mapping[str, Any]) -> None:
        """A tab was opened."""
        self.tab = checks.one_of("tab", message.get("tab"), TABS, "out_of_range")

    def _keep(self, message: Mapping[str, Any]) -> None:
        """The present state becomes a scenario."""
        given = checks.text("name of the scenario", message.get("name")).strip()
        self.keep(given or states.said(self.trace, self._asked))

    def keep(self, name: str) -> None:
        """Freezes the present Trace under ``name`` and shows where its candidates go from here."""
        self._scenarios[name] = self.trace
        self._ghost = (name, self.trace)
        self._redraw_own()

    @property
    def scenarios(self) -> dict[str, Trace]:
        """The frozen Traces by name."""
        return dict(self._scenarios)

    def _compare(self, message: Mapping[str, Any]) -> None:
        """Ghost ranks of a scenario, of the run as asked, or of none."""
        name = message.get("name")
        if name is None:
            self._ghost = None
        elif name == states.ASKED:
            self._ghost = (states.ASKED, self._asked)
        else:
            found = next((each for each in self._scenarios if shown(each) == name), None)
            checks.one_of("scenario", found or name, self._scenarios, "unknown_id")
            self._ghost = (str(found), self._scenarios[str(found)])
        self._redraw_own()

    def _redraw_own(self) -> None:
        state, buffers = self.draw()
        with self.hold_sync():
            self._buffers, self._state = buffers, shown(state)

    def _python(self, message: Mapping[str, Any]) -> None:
        self.say({"type": "python", "text": self.python})

    @property
    def python(self) -> str:
        """The lines that make what is shown."""
        origin = None if self._bench is None else self._bench.origin
        different = states.changes(self.trace, self._asked)
        view = TABS[self.tab][1]
        return python_text(self._asked, different, origin, view, self.selection.selected, self.selection.pinned)


def _saved(source: Workbench | Trace, queries: Sequence[Any] | None) -> tuple[LabelledQuery, ...]:
    if queries is not None:
        return tuple(LabelledQuery(each) if isinstance(each, str) else labelled(each) for each in queries)
    if isinstance(source, Trace):
        return (LabelledQuery(source.query),)
    if source.origin.startswith(_SAMPLE):
        return read_queries(shipped.folder("sample_data") / "queries.jsonl")
    titles = dict.fromkeys(" ".join(d.title.split()) for d in source.documents if d.title.strip())
    return tuple(LabelledQuery(title) for title in list(titles)[:_OPENINGS])


def _opening(saved: tuple[LabelledQuery, ...], query: str | None) -> str:
    if query is not None:
        return query
    if not saved:
        raise WorkbenchError("empty_query", "the app has no query to begin with: give query='…' or queries=[…]")
    return saved[0].query
