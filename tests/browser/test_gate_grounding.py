"""Gate and Grounding in a real JupyterLab: what they paint, their knobs and keys, Python's word, any script, hostile text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rig import Scratch, scratch

FIRST = '''
import json
from workbench import Config, Document, Workbench, views
bench = Workbench.sample()
retried = bench.ask("By what percentage does rent go up in April 2031?")
refused = bench.ask("Which planet has the most moons?")
labels = [(retried, True), (refused, False), (bench.ask("How much is the pet deposit for a dog?"), True)]
POLICY = """Customers may return unused items within 30 days of delivery for a full refund. Gift cards and clearance stock
cannot be returned. The buyer pays return postage unless the item arrived damaged. Branches keep other hours and other
prices; the Harbour branch opens at nine, the Ropewalk branch at ten, and the Saltern branch closes on Mondays."""
SCRIPTS = "東京の配達は三日かかります。 Cafe\\u0301 🎉 parties are allowed on Fridays. يمكن إرجاع السلع خلال 30 يوما."
ANSWER = """Customers may return unused items within 90 days of delivery for a full refund. Gift cards and clearance stock
cannot be returned. 🎉 Cafe\\u0301 parties are allowed on Fridays. يمكن إرجاع السلع خلال 30 يوما. 東京の配達は三日かかります。
The moon is made of cheese. It is what it is."""
def answered(answer, *texts):
    documents = [Document(f"d{i}", text) for i, text in enumerate(texts)]
    made = Workbench(documents, signals=["text"], generator=lambda query, passages: answer)
    return made.ask("May customers return gift cards? Fridays 30 東京 السلع", gate_override=True)
trace = answered(ANSWER, POLICY, SCRIPTS)
'''


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    with scratch(tmp_path_factory.mktemp("gate"), FIRST) as opened:
        yield opened


@pytest.fixture(autouse=True)
def clean(lab: Scratch) -> Iterator[None]:
    lab.page.set_viewport_size({"width": 1280, "height": 1400})
    lab.page.emulate_media(reduced_motion="no-preference")
    lab.page.mouse.move(1, 1)
    yield
    lab.seen.clean()
    lab.reset()


def slide(view: Any, selector: str, *positions: float, let_go: bool = True) -> None:
    view.locator(selector).first.evaluate(
        """(el, [positions, go]) => {
            for (const at of positions) { el.value = at; el.dispatchEvent(new Event('input')); }
            if (go) el.dispatchEvent(new Event('change'));
        }""",
        [list(positions), let_go],
    )
    view.page.wait_for_timeout(60)


def confirmed(view: Any, name: str) -> None:
    view.locator(f".{name}-state[data-kind=good]").wait_for(timeout=10_000)


THRESHOLD = "input[aria-label='the threshold']"
FLOOR = "input[aria-label='the floor of a sentence']"


# ---------------------------------------------------------------- gate


def test_the_bars_and_numbers_of_the_gate_are_the_traces_doubles(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    told = lab.run(
        "g = retried.gate; f = [g.feature(n) for n in ('top_score', 'coverage', 'margin', 'support')]\n"
        "print(json.dumps([g.score, [x.contribution for x in f], [x.value for x in f], g.explanation]))"
    )
    score, terms, values, said = lab.page.evaluate("text => JSON.parse(text)", told)
    assert float(view.locator(".wbg-score").get_attribute("data-score")) == score
    shown = view.locator(".wbg-seg").evaluate_all("all => all.map(e => Number(e.dataset.term))")
    assert shown == terms
    widths = view.locator(".wbg-seg").evaluate_all("all => all.map(e => e.getBoundingClientRect().width)")
    track = view.locator(".wbg-gauge .wbg-track").bounding_box()["width"] - 2
    assert widths == pytest.approx([track * term for term in terms], abs=1)
    assert view.locator(".wbg-fill").evaluate_all("all => all.map(e => Number(e.dataset.value))") == values
    assert said in view.locator(".wbg-said").inner_text()
    assert view.locator(".wbg-chip.wbg-missing").all_inner_texts() == ["✕ missing go"]
    assert "the gate lets it pass" in view.locator(".wbg-verdict").inner_text()


def test_a_dragged_threshold_turns_the_verdict_at_once_and_python_confirms_when_it_is_let_go(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    slide(view, THRESHOLD, 0.6, 0.7, let_go=False)
    assert view.locator(".wbg-verdict").get_attribute("data-passed") == "false"
    assert "worked out here" in view.locator(".wbg-state").inner_text()
    assert lab.run("print(gate.trace is retried)") == "True"
    slide(view, THRESHOLD, 0.7)
    confirmed(view, "wbg")
    assert lab.run("print(gate.trace.config.gate.threshold, gate.trace.gate.passed)") == "0.7 False"
    assert "is below the threshold 0.7" in view.locator(".wbg-said").inner_text()
    view.locator("button", has_text="Reset").click()
    confirmed(view, "wbg")
    assert lab.run("print(gate.trace == retried)") == "True"


def test_after_a_burst_of_60_changes_the_last_value_wins(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(refused); gate")
    view.locator(THRESHOLD).first.evaluate(
        """async el => {
            for (let i = 0; i < 60; i++) {
                el.value = 0.1 + i / 100;
                el.dispatchEvent(new Event('input'));
                if (i % 6 === 5) el.dispatchEvent(new Event('change'));
                await new Promise(go => setTimeout(go, 8));
            }
        }"""
    )
    confirmed(view, "wbg")
    assert lab.run("print(gate.trace.config.gate.threshold)") == "0.69"
    assert view.locator(".wbg-side input").input_value() == "0.69"
    assert view.locator(".wbg-limitsaid").inner_text() == "threshold 0.69"


def test_a_button_of_what_turns_the_verdict_sets_its_slider_and_turns_it(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    flips = view.locator(".wbg-flip")
    assert flips.count() == 7
    needed = float(flips.first.get_attribute("data-needed"))
    assert flips.first.get_attribute("data-knob") == "threshold"
    flips.first.click()
    assert view.locator(".wbg-verdict").get_attribute("data-passed") == "false"
    confirmed(view, "wbg")
    assert float(lab.run("print(gate.trace.config.gate.threshold)")) == needed
    assert view.locator(".wbg-side input").input_value() == repr(needed)


def test_weights_and_floors_move_the_gate_too(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    slide(view, "input[aria-label='the floor of coverage']", 0.9)
    confirmed(view, "wbg")
    assert view.locator(".wbg-row.wbg-broken").get_attribute("aria-label") == "query terms in the evidence"
    assert view.locator("[data-condition=coverage]").inner_text().startswith("✕")
    slide(view, "input[aria-label='the weight of support']", 1)
    confirmed(view, "wbg")
    assert lab.run("p = gate.trace.config.gate; print(p.min_coverage, p.weight_support)") == "0.9 1.0"


def test_the_timeline_says_what_was_added_from_where_and_why_it_stopped(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    times = view.locator(".wbg-times > li")
    assert times.count() == 3
    added = lab.run("print(*(t.term for t in retried.attempts[1].rewrite.terms))")
    assert times.nth(1).locator(".wbg-diff ins").inner_text() == added
    assert times.nth(2).locator(".wbg-stopped").inner_text() == "Stopped: the gate passed."
    source = times.nth(1).locator(".wbg-source").first
    source.click()
    assert lab.run("print(gate.selection.selected)") == source.get_attribute("data-id")
    assert source.get_attribute("aria-pressed") == "true"


def test_keys_of_the_gate_work_inside_and_jupyterlab_does_not_steal_them(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    cells = lab.page.locator(".jp-Notebook .jp-Cell").count()
    view.locator(".wbg-row[tabindex='0']").focus()
    lab.page.keyboard.press("j")
    assert lab.page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "query terms in the evidence"
    assert "coverage" in view.locator(".wb-heard").inner_text()
    lab.page.keyboard.press("1")
    confirmed(view, "wbg")
    assert view.locator(".wbg-presets [aria-pressed=true]").inner_text() == "strict"
    lab.page.keyboard.press("t")
    assert view.locator(".wbg-tables table").count() == 3
    assert view.locator(".wbg-tables").inner_text().count("top_score") == 2
    lab.page.keyboard.press("Escape")
    assert not view.locator(".wb-over").is_visible()
    lab.page.keyboard.press("a")  # would insert a cell in command mode
    assert lab.page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert lab.run("print(gate.trace.config.gate.preset)") == "strict"


def test_labelled_queries_move_with_the_knobs_list_themselves_and_open(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried, queries=labels); gate")
    counts = lambda: view.locator(".wbg-cellbutton b").all_inner_texts()  # noqa: E731
    assert counts() == ["2", "0", "0", "1"]
    slide(view, THRESHOLD, 0.6, let_go=False)
    assert counts() == ["1", "0", "1", "1"]
    slide(view, THRESHOLD, 0.1)
    slide(view, "input[aria-label='the floor of coverage']", 0)
    confirmed(view, "wbg")
    assert counts() == ["2", "1", "0", "0"]
    view.locator("[data-cell=fp]").click()
    assert view.locator(".wbg-listed li").count() == 1
    view.locator(".wbg-listed button").click()
    confirmed(view, "wbg")
    assert view.locator(".wbg-query").inner_text() == "Which planet has the most moons?"
    assert lab.run("print(gate.trace.query, gate.trace.config.gate.threshold)").endswith("moons? 0.1")
    assert view.locator(".wbg-trial path").count() == 3


def test_what_python_refuses_is_said_in_the_gate_and_the_last_state_stays(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    field = view.locator(".wbg-side input")
    field.fill("1.5")
    field.press("Enter")
    view.locator(".wb-error").wait_for()
    assert "threshold is 1.5" in view.locator(".wb-error").inner_text()
    assert view.locator(".wbg-limitsaid").inner_text() == "threshold 0.55"
    assert field.input_value() == "0.55"


def test_a_planted_difference_shows_as_an_error_in_the_gate(lab: Scratch) -> None:
    view = lab.view("gate = views.Gate(retried); gate")
    lab.run(
        "state = json.loads(json.dumps(gate._state)); state['attempts'][2]['gate']['score'] += 1e-16; gate._state = state"
    )
    view.locator(".wb-error").wait_for()
    assert "the browser and Python disagree" in view.locator(".wb-error").inner_text()


# ---------------------------------------------------------------- grounding


def test_every_mark_stands_on_its_span_in_any_script(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(trace); ground")
    told = lab.run(
        """
bodies = {p.id: p.text for p in trace.evidence}
def union(text, spans):  # ideographs are read as overlapping pairs
    held = {i for span in spans for i in range(span.start, span.end)}
    return "".join(text[i] for i in sorted(held))
rows = []
for s in trace.grounding.sentences:
    words = [t for t in s.tokens if t.state == "matched"]
    far = [w for t in words for w in t.at]
    rows.append([s.verdict, s.text, union(trace.answer, words),
                 "".join(union(bodies[id], [w for w in far if w.passage_id == id]) for id in bodies)])
print(json.dumps([trace.answer, rows]))"""
    )
    answer, rows = lab.page.evaluate("text => JSON.parse(text)", told)
    pieces = "e => [...e.querySelectorAll('[data-piece]')].map(p => p.textContent).join('')"
    assert view.locator(".wbr-answer").evaluate(pieces) == answer
    sentences = view.locator(".wbr-s")
    assert sentences.count() == len(rows) == 7
    for place, (verdict, text, mine, theirs) in enumerate(rows):
        sentence = sentences.nth(place)
        assert sentence.get_attribute("data-verdict") == verdict
        assert sentence.evaluate(pieces) == text
        sentence.focus()
        marked = "all => all.map(e => e.textContent).join('')"
        assert view.locator(".wbr-answer .wbr-hit").evaluate_all(marked) == mine
        assert view.locator(".wbr-evidence .wbr-hit").evaluate_all(marked) == theirs
    assert sum(len(mine) for _, _, mine, _ in rows) > 100


def test_hover_opens_the_evidence_at_the_matched_span_and_joins_both_sides(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(trace); ground")
    view.locator(".wbr-s").nth(1).locator("span", has_text="clearance").hover()
    lab.page.wait_for_timeout(400)
    window = "".join(view.locator(".wbr-evidence .wbr-win").all_inner_texts())
    assert " ".join(window.split()) == "Gift cards and clearance stock cannot be returned"
    assert view.locator(".wbr-pair").all_inner_texts() == ["clearance", "clearance"]
    assert view.locator(".wbr-svg path.wbr-bold").count() == 1
    frame, opened = (
        view.locator(".wbr-evidence").bounding_box(),
        view.locator(".wbr-evidence .wbr-win").first.bounding_box(),
    )
    assert frame["y"] <= opened["y"] < frame["y"] + frame["height"]
    selected = "() => document.querySelector('.wbr-sel').dataset.id"
    assert lab.page.evaluate(selected) == "d0#c0"  # hovering selects nothing
    view.locator(".wbr-s").nth(3).focus()
    lab.page.keyboard.press("c")
    assert lab.page.evaluate(selected) == "d1#c0"
    assert lab.run("print(ground.selection.selected)") == "d1#c0"


def test_a_conflict_has_a_mark_of_its_own_on_both_sides_with_its_number(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(trace); ground")
    first = view.locator(".wbr-s").first
    first.focus()
    assert first.get_attribute("data-verdict") == "conflict"
    score = lab.run("from workbench.explain.words import number\nprint(number(trace.grounding.sentences[0].score, 2))")
    assert first.locator(".wbr-num").inner_text() == f"≠ {score}"
    first.focus()
    assert "".join(view.locator(".wbr-answer .wbr-clash").all_inner_texts()) == "90 days"
    assert "".join(view.locator(".wbr-evidence .wbr-clash").all_inner_texts()) == "30 days"
    assert "'90 days' where the evidence says '30 days'" in view.locator(".wbr-flag").inner_text()
    view.locator(".wbr-flag").hover()
    assert "".join(view.locator(".wbr-pair").all_inner_texts()) == "90 days30 days"
    assert view.locator(".wbr-svg path.wbr-clash").count() >= 1


def test_the_floor_moves_verdicts_at_once_and_python_confirms(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(trace); ground")
    shown = "() => [...document.querySelectorAll('.wbr-s')].map((each) => each.dataset.verdict).join(' ')"
    python = "print(*(s.verdict for s in ground.trace.grounding.sentences))"
    before = lab.page.evaluate(shown)
    assert before == lab.run(python)
    slide(view, FLOOR, 0.2, 1, let_go=False)
    lines = view.locator(".wbr-s[data-verdict=unsupported]").first.evaluate(
        "e => getComputedStyle(e).textDecorationStyle"
    )
    assert lines == "dashed"
    slide(view, FLOOR, 0, let_go=False)
    dragged = lab.page.evaluate(shown)
    assert dragged != before
    slide(view, FLOOR, 0)
    confirmed(view, "wbr")
    assert lab.page.evaluate(shown) == dragged == lab.run(python)
    assert lab.run("print(ground.trace.config.sentence_floor)") == "0.0"
    view.locator("button", has_text="Reset").click()
    confirmed(view, "wbr")
    assert lab.page.evaluate(shown) == before


def test_the_other_method_shows_how_its_verdicts_differ_and_why(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(trace); ground")
    terms = int(
        lab.run("from workbench.kernels.analysis import analyzer\nprint(len(set(analyzer('english').terms(POLICY))))")
    )
    floor = lab.run("from workbench.explain.words import number\nprint(number(trace.grounding.floor))")
    view.locator(".wbr-s").nth(1).focus()
    lab.page.keyboard.press("m")
    confirmed(view, "wbr")
    assert view.locator(".wbr-methods [aria-pressed=true]").inner_text() == "f1"
    copied = view.locator(".wbr-s").nth(1)
    assert copied.get_attribute("data-verdict") == "unsupported"
    assert "⇄ ≡" in copied.locator(".wbr-num").inner_text()
    said = view.locator(".wbr-detail").inner_text()
    assert f"By alignment: word for word, 1, floor {floor}." in said
    assert f"a true sentence diluted by a long passage: F1 reaches 0.35 only while the passage has at most 23 content terms; this one has {terms}." in said  # fmt: skip
    assert view.locator("[data-score=precision]").get_attribute("data-value") == "1"
    lab.page.keyboard.press("m")  # known already: no question
    assert view.locator(".wbr-methods [aria-pressed=true]").inner_text() == "alignment"
    view.locator("button", has_text="Table").click()
    assert view.locator(".wb-tablebox tbody tr").count() == 7


def test_keys_of_the_grounding_move_through_the_sentences(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(trace); ground")
    view.locator(".wbr-s").first.focus()
    for _ in range(3):
        lab.page.keyboard.press("j")
    assert lab.page.evaluate("() => document.activeElement.dataset.place") == "3"
    assert "Sentence 4 of 7: word for word" in view.locator(".wb-heard").inner_text()
    lab.page.keyboard.press("k")
    assert view.locator(".wbr-open").get_attribute("data-place") == "2"
    assert view.locator(".wbr-s[tabindex='0']").count() == 1


def test_a_run_without_an_answer_says_why_and_a_new_trace_redraws(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(refused); ground")
    assert "There is no answer to ground: the gate said" in view.inner_text()
    lab.run("ground.trace = trace")
    view.locator(".wbr-s").nth(6).wait_for()
    lab.run("ground.trace = refused")
    view.locator(".wbr-none:not(.wb-hidden)").wait_for()


def test_a_planted_difference_shows_as_an_error_in_the_grounding(lab: Scratch) -> None:
    view = lab.view("ground = views.Grounding(trace); ground")
    lab.run(
        "state = json.loads(json.dumps(ground._state))\n"
        "state['groundings']['alignment']['sentences'][5]['verdict'] = 'supported'; ground._state = state"
    )
    view.locator(".wb-error").wait_for()
    assert "sentence 6 is supported by Python and unsupported by the twin" in view.locator(".wb-error").inner_text()


def test_gate_and_grounding_mark_the_same_passage_without_the_kernel(lab: Scratch) -> None:
    lab.run("both = views.Selection(); made = bench.ask(retried.query)")
    gate = lab.view("views.Gate(made, selection=both)")
    ground = lab.view("views.Grounding(made, selection=both)")
    shared = lab.run(
        "print(next(s for t in made.attempts[2].rewrite.terms for s in t.passages if s in made.attempt.evidence))"
    )
    gate.locator(f".wbg-source[data-id='{shared}']").first.click()
    assert ground.locator(".wbr-card.wbr-sel").get_attribute("data-id") == shared


# ---------------------------------------------------------------- both


HOSTILE = """
wild = ["<script>window.ran = 1</script>", "<img src=x onerror='window.ran = 1'>", "javascript:window.ran=1", "</style>",
        "{{7*7}}", "[a](javascript:window.ran=1)", "\\u202egnp.exe", "null \\x00 end", "\\" onmouseover=\\"window.ran = 1"]
text = " ".join(wild)
made = Workbench([Document(f"id {text}", f"# {text}\\n\\nThe caretaker reads the meter {text}.", title=text)],
                 signals=["text"], generator=lambda q, p: f"The caretaker reads {text}.", config=Config(max_retries=1))
hostile = made.ask(f"caretaker balloon {text}", gate_override=True)
"""


@pytest.mark.parametrize("code", ["views.Gate(hostile, queries=[(text, 0.5, True)])", "views.Grounding(hostile)"])
def test_hostile_text_is_shown_as_text(lab: Scratch, code: str) -> None:
    lab.run(HOSTILE)
    view = lab.view(code)
    lab.page.wait_for_timeout(300)
    assert lab.page.evaluate("() => window.ran") is None
    assert view.locator("script, img, style").count() == 0
    assert "<script>window.ran = 1</script>" in view.inner_text()
    assert "⟨U+202E⟩" in view.inner_text()


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize(
    "code", ["views.Gate(retried, queries=labels)", "views.Gate(refused)", "views.Grounding(trace)"]
)
def test_nothing_is_clipped_at_the_side(lab: Scratch, width: int, code: str) -> None:
    lab.page.set_viewport_size({"width": width, "height": 1400})
    view = lab.view(code)
    lab.page.wait_for_timeout(200)
    assert view.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    out = view.evaluate(
        """e => { const box = e.getBoundingClientRect();
            return [...e.querySelectorAll('*')].filter(x => x.getClientRects().length && !x.closest('.wb-heard'))
                .filter(x => { const r = x.getBoundingClientRect(); return r.right > box.right + 1 || r.left < box.left - 1; })
                .map(x => x.className?.baseVal ?? x.className); }"""
    )
    assert out == []


def test_a_closed_view_leaves_nothing_behind(lab: Scratch, tmp_path: Path) -> None:
    del tmp_path
    view = lab.view("ground = views.Grounding(trace); ground")
    lab.run("ground.close()")
    view.wait_for(state="detached")
