"""Hostile text in every place that holds text is shown as text: in every view, every picture and every figure."""

from collections.abc import Iterator

import pytest

from tests.browser.rig import Scratch, scratch

FIRST = r"""
import html
import workbench as wb
from workbench import views
from workbench.views import figures
from workbench.views.hosting import TABS
from workbench.views.picture import picture
BAD = ("<script>window.ran=1</script><img src=x onerror=window.ran=1></style></textarea></script><svg onload=window.ran=1>"
       "[x](javascript:window.ran=1) ![y](javascript:window.ran=1) {{7*7}} ${7*7} $x$ <a href='javascript:window.ran=1'>go</a> \u202e\x00\u2066&lt;b&gt;\"'`")
documents = [wb.Document(f"d{i} {BAD}", f"# {BAD}\n\nThe boiler {i} {BAD} is read in May by 30 crews. Meters are sealed {i}.",
                         title=BAD, metadata={BAD: BAD}) for i in range(4)]
own = [wb.Passage(f"own {BAD}", f"d {BAD}", f"boiler {BAD}", 0, (BAD,), BAD)]
bench = wb.Workbench(documents, signals=["text", "structure", "graph", "wiki"], embedder=None, lanes={f"lane {BAD}": own},
                     generator=lambda query, passages: f"The boiler is read in May {BAD}. It is read by 90 crews {BAD}.",
                     config=wb.Config(lambda_mmr=0.5))
query = f"boiler meters {BAD}"
trace = bench.ask(query, gate_override=True)
"""
VIEWS = ["Board", "FusionPlayer", "Why", "Redundancy", "Gate", "Grounding", "Predict"]
FIGURES = ["contributions", "waterfall", "redundancy", "gate", "rank_path"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    with scratch(tmp_path_factory.mktemp("hostile"), FIRST) as opened:
        yield opened


@pytest.fixture(autouse=True)
def clean(lab: Scratch) -> Iterator[None]:
    yield
    lab.seen.clean()
    lab.reset()


def nothing_ran(lab: Scratch) -> None:
    lab.page.wait_for_timeout(200)
    assert lab.page.evaluate("() => window.ran") is None


def is_text(view: object) -> None:
    found = view.evaluate(  # type: ignore[attr-defined]
        """root => [...root.querySelectorAll('*')].filter(e =>
            ['script', 'img', 'iframe', 'object', 'embed', 'link', 'base', 'foreignobject'].includes(e.localName)
            || [...e.attributes].some(a => a.name.startsWith('on') || (/^(xlink:)?(href|src|action|formaction)$/.test(a.name) && /^\\s*javascript:/i.test(a.value)))
        ).map(e => e.outerHTML.slice(0, 200))"""
    )
    assert found == []


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shows_hostile_text_as_text(lab: Scratch, name: str) -> None:
    view = lab.view(f"views.{name}(trace)")
    lab.page.wait_for_timeout(300)
    is_text(view)
    for key in ("t", "Escape", ".", ".", "?"):
        view.locator("button:not(:disabled), [tabindex='0']").first.focus()
        lab.page.keyboard.press(key)
    is_text(view)
    shown = view.inner_text() + " ".join(
        view.locator("option, [title]").evaluate_all("all => all.map(e => e.title + e.textContent)")
    )
    assert "<script>window.ran=1</script>" in shown
    assert "\x00" not in shown
    assert "\u202e" not in shown
    assert "⟨U+202E⟩⟨U+0000⟩" in shown
    nothing_ran(lab)


def test_the_app_shows_hostile_text_as_text_in_every_tab(lab: Scratch) -> None:
    view = lab.view(
        "app = views.App(bench, query=query, queries=[query, {'query': BAD, 'kind': BAD}]); app", ".wba-query"
    )
    app = view.locator("xpath=ancestor::*[contains(@class, 'wb ')] | ancestor::*[@class='wb']").last
    lab.run("app.keep(BAD); app.trace = app.trace.what_if(k=2)")
    for tab in ("board", "fusion_player", "why", "redundancy", "gate", "grounding", "predict"):
        app.locator(f".wba-tabs [data-tab={tab}]").click()
        app.locator(f".wba-panel[data-tab={tab}] > div").wait_for()
        is_text(app)
    app.locator(".wba-query").fill(" ")
    app.locator(".wba-query").press("Enter")
    app.locator(".wb-error").wait_for()
    app.get_by_role("button", name="Copy as Python").click()
    app.get_by_label("Python", exact=True).wait_for()
    is_text(app)
    assert "<script>window.ran=1</script>" in app.locator(".wba-told").inner_text()
    nothing_ran(lab)


def test_pictures_and_tables_are_escaped(lab: Scratch) -> None:
    lab.view(
        "from IPython.display import HTML, display\n"
        "display(HTML(picture(trace))); display(HTML(views.Predict(trace)._repr_mimebundle_()[0]['text/html'])); print(trace)",
        ".jp-RenderedHTMLCommon",
    )
    output = lab.page.locator(".jp-Notebook .jp-Cell").last
    shown = output.locator(".jp-RenderedHTMLCommon, .jp-RenderedText")
    assert shown.count() == 3
    assert shown.locator("img, script, iframe, svg, a").count() == 0
    assert "<script>window.ran=1</script>" in output.inner_text()
    assert "\u202e" not in output.inner_text()
    nothing_ran(lab)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_shows_hostile_text_as_text(lab: Scratch, name: str) -> None:
    figure = lab.view(f"figures.{name}(trace)", ".js-plotly-plot")
    figure.locator(".main-svg").first.wait_for()
    lab.page.wait_for_timeout(500)
    found = figure.locator("a, script, img, foreignObject, iframe").evaluate_all(
        "all => all.map(e => e.outerHTML.slice(0, 300))"
    )
    assert [each for each in found if "modebar" not in each and "plot-img" not in each] == []
    nothing_ran(lab)
