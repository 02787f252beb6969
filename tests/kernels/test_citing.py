import pytest

from workbench.kernels.grounding import ground
from workbench.records import Citations, Grounding

EVIDENCE = [
    ("policy#c1", "Customers may return unused items within 30 days of delivery. Gift cards cannot be returned."),
    ("policy#c2", "The clinic opens at 9. Doses are stored between 2 and 8 degrees."),
    ("[odd] id", "The branch closes at noon."),
]


def cited(answer: str) -> list[Citations | None]:
    return [s.citations for s in ground(answer, EVIDENCE).sentences]


def test_a_place_in_the_evidence_counts_from_one() -> None:
    (found,) = cited("Gift cards cannot be returned [1].")
    (each,) = found.each
    assert (each.marker, each.passage_id, each.alone, each.necessary) == ("1", "policy#c1", True, True)
    assert (found.sufficient, found.verdict) == (True, "supported_verbatim")


@pytest.mark.parametrize(
    "answer",
    [
        "Gift cards cannot be returned.[1] The clinic opens at 9.[2]",
        "Gift cards cannot be returned [1]. The clinic opens at 9 [2].",
        "Gift cards cannot be returned [policy#c1]. The clinic opens at 9 [policy#c2].",
        "[1] Gift cards cannot be returned.\n[2] The clinic opens at 9.",
    ],
)
def test_a_citation_goes_with_its_sentence_wherever_it_stands(answer: str) -> None:
    first, second = cited(answer)
    assert [c.passage_id for c in first.each] == ["policy#c1"]
    assert [c.passage_id for c in second.each] == ["policy#c2"]
    assert first.sufficient
    assert second.sufficient


def test_a_citation_is_no_word_of_its_sentence() -> None:
    answer = "Gift cards cannot be returned [1], and the clinic opens at 9 [2]."
    (sentence,) = ground(answer, EVIDENCE).sentences
    assert sentence.text == answer
    assert (sentence.verdict, sentence.flags) == ("supported", ())
    assert {answer[t.start : t.end] for t in sentence.tokens}.isdisjoint({"1", "2"})
    without = "Gift cards cannot be returned, and the clinic opens at 9."
    assert ground(without, EVIDENCE).sentences[0].score == sentence.score


def test_two_passages_that_only_together_suffice_are_both_necessary() -> None:
    (found,) = cited("Gift cards cannot be returned, and the clinic opens at 9 [1, 2].")
    assert found.sufficient
    assert [(c.alone, c.necessary) for c in found.each] == [(False, True), (False, True)]


def test_a_citation_that_adds_nothing_is_not_necessary() -> None:
    (found,) = cited("The clinic opens at 9 [1][2].")
    assert [(c.passage_id, c.alone, c.necessary) for c in found.each] == [
        ("policy#c1", False, False),
        ("policy#c2", True, True),
    ]


def test_the_wrong_passage_does_not_suffice_though_the_evidence_does() -> None:
    (sentence,) = ground("Gift cards cannot be returned [2].", EVIDENCE).sentences
    assert sentence.verdict == "supported_verbatim"
    assert (sentence.citations.sufficient, sentence.citations.verdict) == (False, "unsupported")
    assert [c.necessary for c in sentence.citations.each] == [None]


@pytest.mark.parametrize("marker", ["9", "0", "policy#c7"])
def test_a_citation_of_nothing_is_told(marker: str) -> None:
    (found,) = cited(f"Gift cards cannot be returned [{marker}].")
    (each,) = found.each
    assert (each.marker, each.passage_id, each.alone, each.necessary) == (marker, None, None, None)
    assert not found.sufficient


def test_other_brackets_are_text() -> None:
    (sentence,) = ground("Gift cards [sic] cannot be returned.", EVIDENCE).sentences
    assert sentence.citations is None
    assert any(sentence.text[t.start : t.end] == "sic" for t in sentence.tokens)


def test_a_bracket_that_the_source_itself_has_is_no_citation() -> None:
    text = "See table [2] for the rates."
    (sentence,) = ground(text, [("a", text), ("b", "Other.")]).sentences
    assert (sentence.verdict, sentence.citations) == ("supported_verbatim", None)


def test_citation_recall_and_precision_are_those_of_alce() -> None:
    found = ground(
        "Gift cards cannot be returned [1]. The clinic opens at 9 [1][2]. The branch closes at noon. It is so [3].",
        EVIDENCE,
    )
    assert found.citation_recall == 2 / 3  # two of three that can be checked; the third cites nothing
    assert found.citation_precision == 2 / 3
    nothing = ground("Gift cards cannot be returned.", EVIDENCE)
    assert (nothing.citation_recall, nothing.citation_precision) == (None, None)


def test_positions_stay_code_points_around_citations() -> None:
    answer = "🙂 Ja. Gift cards 🎁 cannot be returned [1]. The clinic opens at 7 [2]."
    _, copied, wrong = ground(answer, EVIDENCE).sentences
    assert answer[copied.start : copied.end] == copied.text
    (flag,) = wrong.flags
    assert answer[flag.start : flag.end] == flag.claim == "7"
    assert [answer[c.start : c.end] for s in (copied, wrong) for c in s.citations.each] == ["1", "2"]


def test_citations_survive_json() -> None:
    found = ground("Gift cards can be returned [1, 9].", EVIDENCE)
    assert Grounding.from_json(found.to_json()) == found


def test_f1_reads_a_citation_as_a_word_as_the_seed_does() -> None:
    (sentence,) = ground("clinic [1]", EVIDENCE, method="f1", analyzer="ascii", splitter="regex").sentences
    assert sentence.citations is None
    assert sentence.score == ground("clinic 1", EVIDENCE, method="f1", analyzer="ascii").sentences[0].score
