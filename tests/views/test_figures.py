"""The plotly figures: their numbers are the Trace's doubles, what is absent stays absent, labels are text."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.helpers import refused
from tests.views.test_picture import HOSTILE
from workbench import Config, Document, Passage, Trace, Workbench
from workbench.views import figures, palette

QUERY = "How many parking permits can one household have?"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Workbench.sample().ask(QUERY)


@pytest.fixture(scope="module")
def diverse() -> Trace:
    return Workbench.sample(config=Config(lambda_mmr=0.6, rerank_head=12)).ask(QUERY)


def values(trace: Any, name: str) -> list[Any]:
    return list(trace[name])


def test_the_bars_of_contributions_are_the_traces_doubles_and_absent_has_no_bar(trace: Trace) -> None:
    figure = figures.contributions(trace, rows=8)
    fusion = trace.fusion
    assert len(figure.data) == len(fusion.lanes)
    absent = 0
    for place, bars in enumerate(figure.data):
        terms = [fusion.of(id)[place].contribution for id in fusion.ids[:8]]
        assert values(bars, "x") == terms
        for term, said in zip(terms, bars.hovertext, strict=True):
            assert ("not returned by this lane" in said) == (term is None)
        absent += terms.count(None)
        assert bars.marker.color == palette.hue(place)
    assert absent > 0
    assert 0 not in [x for bars in figure.data for x in bars.x]


def test_a_fused_score_never_stands_bare(trace: Trace) -> None:
    (first, *_) = figures.contributions(trace).layout.yaxis.ticktext
    assert "% of the most" in first


def test_the_waterfall_goes_from_the_second_to_the_first_by_the_terms_of_the_lead(trace: Trace) -> None:
    lead = trace.why().lead
    assert lead is not None
    (fall,) = figures.waterfall(trace).data
    scores = dict(zip(trace.reranking.ids, trace.reranking.scores, strict=True))
    assert values(fall, "y") == [scores[lead.other], *(t.difference for t in lead.terms), scores[trace.order[0]]]
    assert values(fall, "measure") == ["absolute", *("relative" for _ in lead.terms), "total"]


def test_without_a_lead_the_waterfall_stacks_the_lanes_that_returned_it(diverse: Trace) -> None:
    why = diverse.why()
    assert why.lead is None
    (fall,) = figures.waterfall(diverse).data
    terms = [each.contribution for each in why.contributions if each.contribution is not None]
    assert values(fall, "y") == [*terms, why.fused_score]


def test_the_heat_map_holds_the_recorded_similarities_in_pick_order(diverse: Trace) -> None:
    picked = diverse.diversification
    assert picked is not None
    (cells,) = figures.redundancy(diverse).data
    assert len(cells.z) == len(picked.ids) == 12
    for i, a in enumerate(picked.ids):
        for j, b in enumerate(picked.ids):
            column = picked.columns.index(picked.pool.index(b))
            assert cells.z[i][j] == picked.similarity[picked.pool.index(a), column]


def test_a_run_without_diversity_has_no_heat_map(trace: Trace) -> None:
    with refused("not_recorded", "set lambda_mmr"):
        figures.redundancy(trace)


def test_the_gates_bars_are_its_contributions_and_its_score(trace: Trace) -> None:
    gate = trace.gate
    assert gate is not None
    figure = figures.gate(trace)
    (bars,) = figure.data
    terms = [gate.feature(name).contribution for name in ("top_score", "coverage", "margin", "support")]
    assert values(bars, "x") == [*terms, gate.score]
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (gate.threshold, gate.threshold)


def test_a_rank_path_has_a_gap_where_a_lane_did_not_return_the_candidate(trace: Trace) -> None:
    figure = figures.rank_path(trace)
    assert len(figure.data) == 5
    gaps = 0
    for line, id in zip(figure.data, trace.order, strict=False):
        ranks = [place.rank for place in trace.why(id).path]
        assert values(line, "y") == ranks
        assert line.connectgaps is False
        gaps += ranks.count(None)
    assert gaps > 0
    with refused("unknown_id", "'nowhere'"):
        figures.rank_path(trace, ["nowhere"])
    with refused("wrong_type", "give a list"):
        figures.rank_path(trace, "nowhere")


def test_a_run_without_candidates_is_refused() -> None:
    empty = Workbench([Document("a", "boiler")], signals=["text"]).ask("violin")
    for draw in (figures.contributions, figures.waterfall, figures.rank_path):
        with refused("nothing_to_search"):
            draw(empty)
    with refused("out_of_range", "rows is 0"):
        figures.contributions(empty, rows=0)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_text_in_every_label(text: str) -> None:
    wild = f"{text} $x^2$ %{{x}} <b>bold</b> &amp;"
    lanes = {f"lane {wild}": [Passage(f"own {wild}", "d", wild, 0, (wild,), wild)]}
    documents = [Document(f"id {wild}", f"# {wild}\n\nThe caretaker reads the meter.", title=wild)]
    trace = Workbench(documents, signals=["text"], lanes=lanes, config=Config(lambda_mmr=0.5)).ask(
        f"caretaker meter {wild}"
    )
    for draw in (figures.contributions, figures.waterfall, figures.redundancy, figures.gate, figures.rank_path):
        for label in _texts(draw(trace).to_plotly_json()):
            for own in ("<br>", "<sup>", "</sup>", "<span style='font-size:11px'>", "</span>"):
                label = label.replace(own, "")
            assert not {"<", ">", "$", "\x00", "\u202e"} & set(label), label
            assert "%{" not in label


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, each in value.items() if key != "template" for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, list | tuple) else []


def test_numbers_as_ids_stay_names_in_their_own_order() -> None:
    # a category axis would read "10" and "9" as numbers, and merge what is called the same
    lanes = {"mine": [Passage(id, id, "alpha", 0, (), "same title") for id in ("10", "9", "2031-01-01")]}
    trace = Workbench([Document("a", "alpha")], signals=["text"], lanes=lanes).retrieve("alpha")
    figure = figures.contributions(trace)
    assert values(figure.data[0], "y") == list(range(len(trace.fusion.ids)))
    assert len(figure.layout.yaxis.ticktext) == 4


def test_figures_are_json_and_ask_for_no_other_server(trace: Trace) -> None:
    figure = figures.contributions(trace)
    json.loads(figure.to_json())
    page = figure.to_html(include_plotlyjs=False)
    assert "http://" not in page
    assert 'src="https://' not in page
    layout = figure.layout.template.layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"


def test_plotly_is_loaded_when_figures_are_asked_for_and_not_before() -> None:
    code = (
        "import sys, workbench\nfrom workbench import views\nfrom workbench.views import Gate, Grounding\n"
        "print('plotly' in sys.modules)\nviews.figures.contributions\nprint('plotly' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "True"]
