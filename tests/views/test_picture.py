"""The escaped picture and the text table of a Trace: small, deterministic, and deaf to hostile text."""

import re
from html.parser import HTMLParser

import pytest

from workbench import Config, Document, Passage, Trace, Workbench
from workbench.views.escaping import escaped, visible
from workbench.views.picture import picture
from workbench.views.text import table

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "</style><style>*{display:none}",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "[link](javascript:alert(1)) ![x](y)",
    "\u202egnp.exe",
    "null \x00 character",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)",
)


PLAIN_TAGS = {"div", "table", "colgroup", "col", "thead", "tbody", "tr", "th", "td", "b", "br", "span", "sup", "small"}


class Tags(HTMLParser):
    """Every tag and attribute name of a document."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("br", "col"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Workbench.sample().ask("How many parking permits can one household have?")


def test_the_picture_is_below_30_kb_and_holds_no_script_style_link_or_image(trace: Trace) -> None:
    drawn = picture(trace)
    assert len(drawn.encode()) < 30_000
    found = Tags(drawn)
    assert not found.open
    assert found.tags <= PLAIN_TAGS
    assert found.attributes <= {"style", "title"}
    assert "http" not in drawn


def test_the_picture_says_what_the_trace_says(trace: Trace) -> None:
    drawn = re.sub(r"<[^>]+>", "", picture(trace))
    assert trace.query in drawn.replace("&#x27;", "'")
    assert "is first" in drawn
    assert trace.fingerprint()[:12] in drawn
    for lane in trace.lanes:
        assert lane.name in drawn


def test_the_picture_and_the_table_are_the_same_on_every_run(trace: Trace) -> None:
    again = Workbench.sample().ask(trace.query)
    assert picture(again) == picture(trace)
    assert table(again) == table(trace)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text(text: str) -> None:
    # the one name in id, title, heading, text, metadata, query and answer
    document = Document(
        f"id {text}",
        f"# {text}\n\nThe word is {text} and the caretaker reads the meter.",
        title=text,
        metadata={"note": text},
    )  # type: ignore[arg-type]
    bench = Workbench(
        [document],
        generator=lambda query, passages: f"The caretaker says {text}.",
        lanes={"mine": [Passage(f"own {text}", "d", text, 0, (text,), text)]},
    )
    trace = bench.ask(f"the caretaker reads the meter {text}", gate_override=True)
    drawn = picture(trace)
    found = Tags(drawn)
    assert not found.open
    assert found.tags <= PLAIN_TAGS
    assert found.attributes <= {"style", "title"}
    for hidden in ("\x00", "\u202e"):
        assert hidden not in drawn
        assert hidden not in table(trace)


def test_what_could_hide_or_reorder_text_is_written_out() -> None:
    assert visible("a\u202eb\x00c\u2066d\ud800") == "a⟨U+202E⟩b⟨U+0000⟩c⟨U+2066⟩d⟨U+D800⟩"
    assert visible("two\nlines\tand 東京 é") == "two\nlines\tand 東京 é"
    assert escaped("<a href='x'>") == "&lt;a href=&#x27;x&#x27;&gt;"


def test_a_long_query_answer_and_title_keep_the_picture_small() -> None:
    document = Document("x" * 5_000, f"# {'heading ' * 500}\n\n{'The caretaker reads the meter. ' * 300}")
    bench = Workbench([document], generator=lambda query, passages: "The caretaker reads the meter each month. " * 400)
    trace = bench.ask("caretaker " * 1_000, gate_override=True)
    assert len(picture(trace).encode()) < 30_000


def test_a_trace_without_candidates_has_a_picture() -> None:
    trace = Workbench([Document("a", "boiler")], signals=["text"]).ask("violin")
    assert "matched nothing" in picture(trace)
    assert "insufficient" in table(trace)


def test_candidates_that_share_their_text_say_so_F10() -> None:
    trace = Workbench(
        [Document("a", "The lift is out of order."), Document("b", "The lift is out of order.")]
    ).retrieve("lift out of order")
    assert "same text as" in picture(trace)
    assert "same text as b#c0" in table(trace)


def test_a_sole_first_place_in_one_of_two_lanes_is_half_of_the_most_possible_F12() -> None:
    documents = [Document("a", "alpha"), Document("b", "bravo")]
    trace = Workbench(documents, signals=["text"], lanes={"mine": ["b#c0"]}, reranker=None).retrieve("alpha")
    assert "50% of the most possible" in trace.why("a#c0").sentence
    both = Workbench(documents, signals=["text"], lanes={"mine": ["a#c0"]}, reranker=None).retrieve("alpha")
    assert "100% of the most possible" in both.why("a#c0").sentence


def test_the_board_names_k_and_rank_base_F4() -> None:
    trace = Workbench([Document("a", "alpha")], signals=["text"], reranker=None, config=Config(k=60)).retrieve("alpha")
    assert "1/(60+1) from lexical = 0.01639" in trace.why().sentence
    assert "k 60" in re.sub(r"<[^>]+>", "", picture(trace))
    assert "rank_base 1" in picture(trace)
