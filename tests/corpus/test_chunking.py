"""Passages: whole sentences, one path, every character, the same every time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.corpus.chunking import chunk
from workbench.records import Document

LINES = st.sampled_from(
    [
        "# Heading one",
        "## Two",
        "#### Four",
        "A short sentence. Another one follows, e.g. this. And a third!",
        "word " * 30,
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
        "- an item. With two sentences.",
        "1. first",
        "| a | b. c |",
        "|---|---|",
        "```python",
        "x = 1  # no heading",
        "```",
        "---",
        "===",
        "東京タワーは高い。「行く。」と言った。とても長い文がここに続いて、まだ続いて、もっと続く。",
        "สวัสดีครับที่นี่ประเทศไทยยินดีต้อนรับ",
        "cafe\u0301 \u2028 😀 …",
        "",
        "   ",
    ]
)
TEXTS = st.lists(LINES, max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\n\n"]).map(lambda nl: nl.join(lines))
)


def texts(text: str, **options: int) -> list[str]:
    return [p.text for p in chunk(Document("d", text), **options)]


def test_R1_sentences_are_packed_up_to_the_size_and_ids_count_from_0() -> None:
    text = "One is here. Two is here. Three is here. Four is here."
    passages = chunk(Document("d", text, "T", {"k": 1}), size=30, overlap=0)
    assert [p.text for p in passages] == ["One is here. Two is here.", "Three is here. Four is here."]
    assert [(p.id, p.document_id, p.position, p.title, p.metadata) for p in passages] == [
        ("d#c0", "d", 0, "T", {"k": 1}),
        ("d#c1", "d", 1, "T", {"k": 1}),
    ]


def test_R1_the_overlap_is_whole_sentences_where_one_fits_and_else_whole_words() -> None:
    text = "First sentence. Second one. Third sentence is here. Fourth."
    assert texts(text, size=45, overlap=15) == [
        "First sentence. Second one.",
        "Second one. Third sentence is here. Fourth.",
    ]
    assert texts(text, size=45, overlap=8) == ["First sentence. Second one.", "one. Third sentence is here. Fourth."]
    assert texts(text, size=45, overlap=0) == ["First sentence. Second one.", "Third sentence is here. Fourth."]


def test_a_longer_sentence_is_cut_between_words_and_a_longer_word_is_kept() -> None:
    assert texts("alpha beta gamma delta epsilon", size=20, overlap=0) == ["alpha beta gamma", "delta epsilon"]
    assert texts("alpha beta gamma delta epsilon", size=20, overlap=6) == [
        "alpha beta",
        "beta gamma delta",
        "delta epsilon",
    ]
    assert texts("a Donaudampfschifffahrt b", size=20, overlap=0) == ["a", "Donaudampfschifffahrt", "b"]


def test_a_script_without_spaces_is_cut_between_characters() -> None:
    cut = texts("東京タワーはとても高い建物です、ここからよく見える。", size=20, overlap=0)
    assert [len(part) for part in cut] == [20, 6]
    thai = texts("ที่นี่ประเทศไทยยินดีต้อนรับ", size=20, overlap=0)
    assert "".join(thai) == "ที่นี่ประเทศไทยยินดีต้อนรับ"
    assert not any(part[0] in "\u0e34\u0e35\u0e31\u0e48\u0e49" for part in thai)


def test_a_heading_opens_its_passage_and_gives_the_path() -> None:
    text = "Before.\n\n# A\n\n## B\n\nText of B.\n\n#### small\nStill B.\n\n## C\nText of C.\n\n## D\n"
    passages = chunk(Document("d", text))
    assert [(p.text, p.headings) for p in passages] == [
        ("Before.", ()),
        ("# A\n\n## B\n\nText of B.\n\n#### small\nStill B.", ("A", "B")),
        ("## C\nText of C.", ("A", "C")),
        ("## D", ("A", "D")),
    ]


def test_nothing_is_repeated_across_a_heading_and_none_is_left_at_an_end() -> None:
    text = "# A\nOne sentence here.\n#### B\nAnother sentence here.\n# C\nLast one."
    assert texts(text, size=40, overlap=20) == [
        "# A\nOne sentence here.",
        "#### B\nAnother sentence here.",
        "# C\nLast one.",
    ]


def test_fences_rules_and_delimiter_rows_stay_with_their_neighbours() -> None:
    text = "Text.\n\n```py\nx = 1\ny = 2\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert texts(text, size=20, overlap=0) == [
        "Text.\n\n```py\nx = 1",
        "y = 2\n```\n\n---",
        "| a | b |\n|---|---|",
        "| 1 | 2 |",
    ]


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff\n"[1:]])
def test_a_document_with_no_text_gives_no_passage(text: str) -> None:
    assert chunk(Document("d", text)) == ()


def test_a_document_of_signs_alone_is_kept() -> None:
    assert texts("---") == ["---"]
    assert texts("```\n```") == ["```\n```"]


def test_overlap_that_reaches_the_size_is_refused() -> None:
    with refused("contradiction", "overlap 50", "size 50"):
        chunk(Document("d", "t"), size=50, overlap=50)
    with refused("out_of_range", "size", "0"):
        chunk(Document("d", "t"), size=0, overlap=0)
    with refused("out_of_range", "overlap", "-1"):
        chunk(Document("d", "t"), overlap=-1)


@given(
    text=TEXTS, size=st.integers(1, 120), overlap=st.integers(0, 119), splitter=st.sampled_from(["sentencex", "regex"])
)
@settings(deadline=None, max_examples=400)
def test_passages_slice_the_text_and_hold_it_all_once_plus_the_overlap(
    text: str, size: int, overlap: int, splitter: str
) -> None:
    overlap = min(overlap, size - 1)
    document = Document("d", text)
    passages = chunk(document, size=size, overlap=overlap, splitter=splitter)
    reached = 0
    for number, p in enumerate(passages):
        assert p.start is not None
        assert p.end is not None
        assert p.id == f"d#c{number}"
        assert text[p.start : p.end] == p.text == p.text.strip()
        assert len(p.text) <= size or not any(c.isspace() for c in p.text)
        assert not text[reached : p.start].strip()
        assert p.end > reached
        assert reached - p.start <= overlap
        reached = p.end
    assert not text[reached:].strip()
    assert passages == chunk(document, size=size, overlap=overlap, splitter=splitter)
