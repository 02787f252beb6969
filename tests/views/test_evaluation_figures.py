import xml.etree.ElementTree as ET

import pytest

from tests.helpers import refused
from workbench.kernels.selective import Costs, risk_band, risk_coverage, sweep
from workbench.views import evaluation_figures as figures
from workbench.views.still import svg

SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.2]
LABELS = [True, False, True, True, False, False]
HOSTILE = "<img src=x onerror=alert(1)> $x$"


@pytest.fixture(scope="module")
def cells():
    return sweep(SCORES, LABELS)


def all_figures(cells) -> dict:
    curve = risk_coverage(SCORES, LABELS)
    return {
        "sweep": figures.sweep(cells, threshold=0.55),
        "confusion": figures.confusion(cells[2]),
        "risk": figures.risk_coverage({"all": curve}, bands={"all": risk_band(SCORES, LABELS, resamples=20)}),
        "cost": figures.cost(cells, {"even": Costs(), "dear answers": Costs(false_answer=5)}),
        "scores": figures.scores(SCORES, LABELS, threshold=0.55),
    }


def test_the_lines_are_the_evaluations_own_numbers(cells) -> None:
    drawn = figures.sweep(cells)
    assert [each.name for each in drawn.data] == ["precision", "recall", "specificity", "answered"]
    assert list(drawn.data[0].y) == [c.precision for c in cells]
    assert drawn.data[0].y[-1] is None  # nothing is answered there: 0/0 has no point
    curve = risk_coverage(SCORES, LABELS)
    risk = figures.risk_coverage({"all": curve})
    assert (tuple(risk.data[0].y), tuple(risk.data[1].y)) == (curve.risk, curve.optimal)
    assert set(risk.data[2].y) == {curve.random}


def test_the_bars_of_the_scores_count_every_query() -> None:
    drawn = figures.scores([0.0, 0.5, 1.0, 1.0], [True, True, False, True])
    assert [sum(each.y) for each in drawn.data] == [3, 1]


@pytest.mark.parametrize("name", ["sweep", "confusion", "risk", "cost", "scores"])
def test_every_chart_has_a_still_picture_that_fetches_nothing(name: str, cells) -> None:
    figure = all_figures(cells)[name]
    bundle = figures.chart(figure)._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.plotly.v1+json", "text/html", "text/plain"}
    ET.fromstring(bundle["text/html"])
    assert "http" not in bundle["text/html"]
    assert len(bundle["text/html"]) < 30_000
    assert bundle["application/vnd.plotly.v1+json"]["data"]
    assert bundle == figures.chart(all_figures(cells)[name])._repr_mimebundle_()


def test_names_are_text_in_both_pictures() -> None:
    figure = figures.risk_coverage({HOSTILE: risk_coverage(SCORES, LABELS)})
    assert "<img" not in svg(figure)
    assert all("<img" not in each.name and "$" not in each.name for each in figure.data)


def test_refusals() -> None:
    with refused("nothing_to_search", "nothing to draw"):
        figures.sweep([])
    with refused("unknown_parameter", "'other'", "all"):
        figures.risk_coverage({"all": risk_coverage(SCORES, LABELS)}, bands={"other": []})
