"""Sentence spans: abbreviations, Markdown, quotation marks, scripts."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.kernels import sentences

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def split(text: str, **options: str) -> list[str]:
    return [text[start:end] for start, end in sentences.split(text, **options)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Smith met e.g. Mr. Jones.", "He left.", "3.5 is fine."],
        ["He works at Acme Inc.", "The firm grew.", "It is 5 p.m.", "We left."],
        ["He works for the U.S. Government.", "See fig. 3.", "The answer is no.", "We left."],
        ["See text [1].", "Next sentence.", "(This is a note.)", "Then more."],
        ['He said "Stop. Call me."', "Then he left.", '"Why?" she asked.'],
        ["**Bold ends.**", "Next one."],
        ["彼は「行く。」と言った。", "「行く。」", "彼は言った。"],
        ["ok.", "東京です。", "ok.", "大阪。"],
        ["他来了。", "你好！", "再见"],
        ["यह है।", "वह है।"],
        ["ما هذا؟", "نعم."],
        ["😀 Stop.", "Call me."],
        ["A line that\nwas wrapped.", "Next."],
    ],
)
def test_sentences_end_where_they_end(expected: list[str]) -> None:
    glue = "" if expected[0][0] in "彼他" else " "
    assert split(glue.join(expected)) == expected


def test_french_and_german_abbreviations_by_language() -> None:
    assert split("M. Dupont est là. Oui.", language="fr") == ["M. Dupont est là.", "Oui."]
    assert split("Am 3. Mai kam er. Dann ging er.", language="de") == ["Am 3. Mai kam er.", "Dann ging er."]


def test_headings_items_and_rows_never_run_into_their_neighbours() -> None:
    text = (
        "# Title\nText of it. More\n- item one\n- item two. Then\n  it goes on.\n1. first\n2. second\n\n"
        "| a | b |\n|---|---|\n| c. d | e |\n\n---\n```py\nx = 1\n# no heading\n```\nUnder\n=====\nLast"
    )
    assert split(text) == [
        *(
            "# Title",
            "Text of it.",
            "More",
            "- item one",
            "- item two.",
            "Then\n  it goes on.",
            "1. first",
            "2. second",
        ),
        *("| a | b |", "| c. d | e |", "x = 1", "# no heading", "Under", "Last"),
    ]


def test_a_wrapped_line_that_begins_with_a_number_is_no_list_item() -> None:
    assert len(split("The rule of section\n12. of the act")) <= 2
    assert split("It was in the year\n2031) and so on.") == ["It was in the year\n2031) and so on."]


def test_the_regex_splits_as_rerankgate_does() -> None:
    for case in json.loads((CONFORMANCE / "rerankgate.json").read_text(encoding="utf-8"))["judge"]:
        expected = [row["sentence"] for row in case["expect"]["per_sentence"]]
        assert split(case["answer"], splitter="regex") == expected
    assert split("See e.g. this. Dr. Who", splitter="regex") == ["See e.g.", "this.", "Dr.", "Who"]


@pytest.mark.parametrize("splitter", sentences.SPLITTERS)
@given(text=st.text(st.sampled_from("aB.!?。」\"')* #-|`=\n\r\t1東😀\u0301\u2028"), max_size=60) | st.text(max_size=40))
@settings(deadline=None, max_examples=400)
def test_spans_are_trimmed_ordered_and_apart(splitter: str, text: str) -> None:
    at = 0
    for start, end in sentences.split(text, splitter=splitter):
        assert at <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        at = end


@given(text=st.text(st.sampled_from("abC .!?。1,\n"), max_size=60))
@settings(deadline=None)
def test_sentences_hold_all_letters(text: str) -> None:
    held = "".join(split(text))
    assert [c for c in held if c.isalnum()] == [c for c in text if c.isalnum()]


def test_the_splitter_names_its_version_and_an_unknown_one_is_refused() -> None:
    assert sentences.version().startswith("sentencex 1.")
    assert sentences.version("regex") != sentences.version()
    with refused("out_of_range", "'punkt'", "sentencex, regex"):
        sentences.split("a", splitter="punkt")
    with refused("wrong_type", "text"):
        sentences.split(b"a")  # type: ignore[arg-type]
