import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.kernels import sentences
from workbench.kernels.grounding import ground
from workbench.kernels.overlap import jaccard
from workbench.records import Grounding

TESTS = Path(__file__).parents[1]
SEED = json.loads((TESTS / "conformance" / "rerankgate.json").read_text(encoding="utf-8"))
DATA = TESTS.parents[1] / "shared" / "data"
RETURNS = (
    "Customers may return unused items within 30 days of delivery for a full refund. Gift cards and clearance "
    "stock cannot be returned. The buyer pays return postage unless the item arrived damaged."
)


def verdicts(answer: str, *texts: str, **options) -> list[str]:
    evidence = [(f"p{i}", text) for i, text in enumerate(texts)]
    return [sentence.verdict for sentence in ground(answer, evidence, **options).sentences]


@pytest.mark.parametrize("case", SEED["judge"], ids=lambda case: repr(case["answer"][:30]))
def test_R10_the_f1_judge_equals_the_seed(case: dict) -> None:
    evidence = [(id, text) for id, text, *_ in case["evidence"]]
    found = ground(case["answer"], evidence, method="f1", floor=case["floor"], analyzer="ascii", splitter="regex")
    expect = case["expect"]
    assert round(found.score, 4) == expect["score"]
    assert [s.text for s in found.unsupported] == expect["unsupported"]
    assert [{"sentence": s.text, "grounding": round(s.score, 4)} for s in found.sentences] == expect["per_sentence"]


def test_R10_the_floor_of_f1_is_035_and_is_met_at_equality() -> None:
    found = ground("red", [("p", "red green blue grey")], method="f1")
    assert (found.floor, found.score) == (0.35, 0.4)
    assert verdicts("red", "red green blue grey", method="f1", floor=0.4) == ["supported"]
    assert verdicts("red", "red green blue grey", method="f1", floor=0.41) == ["unsupported"]


def test_f1_by_sentence_names_the_sentence_as_its_window() -> None:
    (sentence,) = ground("Gift cards cannot be returned.", [("p", RETURNS)], method="f1", unit="sentence").sentences
    (window,) = sentence.windows
    assert RETURNS[window.start : window.end] == "Gift cards and clearance stock cannot be returned."


def test_f1_flags_a_copy_from_a_long_passage_and_alignment_does_not() -> None:
    # the fault that alignment is there for: F1 measures the passage's length
    long = RETURNS + " " + " ".join(f"Branch {n} keeps other hours and other prices." for n in "abcdefghijklm")
    copy = "Gift cards and clearance stock cannot be returned."
    assert verdicts(copy, long, method="f1") == ["unsupported"]
    assert verdicts(copy, long) == ["supported_verbatim"]


@pytest.mark.parametrize("method", ["f1", "alignment"])
def test_an_empty_answer_has_no_sentences(method: str) -> None:
    found = ground("", [("p", RETURNS)], method=method)
    assert found.sentences == ()
    assert found.score == (0.0 if method == "f1" else None)  # the seed prints 0.0; absent is None


def test_what_cannot_be_checked_is_left_out_of_the_mean_and_says_why() -> None:
    found = ground("It is what it is. The buyer pays return postage.", [("p", RETURNS)])
    idle, checked = found.sentences
    assert (idle.verdict, idle.score) == ("not_checkable", None)
    assert idle.reason == "There are only function words, which any text holds."
    assert found.score == checked.score == 1.0
    assert found.unsupported == ()
    assert ground("It is what it is.", [("p", RETURNS)]).score is None


def test_no_evidence_supports_nothing() -> None:
    (sentence,) = ground("The buyer pays.", []).sentences
    assert (sentence.verdict, sentence.score, sentence.windows) == ("unsupported", 0.0, ())
    assert {token.state for token in sentence.tokens} == {"absent"}


def test_the_record_names_method_floor_and_splitter_and_survives_json() -> None:
    found = ground("Customers may return items within 90 days. It is so.", [("p", RETURNS)])
    assert (found.method, found.floor, found.splitter) == ("alignment", 0.5, sentences.version("sentencex"))
    assert Grounding.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_spans_are_code_points_of_the_answer_and_of_the_passage() -> None:
    answer = "🙂🙂 Yes. The buyer pays return postage of 5 euros."
    passage = "📦 Note. The buyer pays return postage of 7 euros."
    _, sentence = ground(answer, [("p", passage)]).sentences
    assert answer[sentence.start : sentence.end] == sentence.text
    (flag,) = sentence.flags
    assert answer[flag.start : flag.end] == flag.claim == "5 euros"
    assert passage[flag.at.start : flag.at.end] == flag.evidence == "7 euros"
    for token in sentence.tokens:
        for place in token.at:
            if token.state in ("matched", "stop"):
                theirs, mine = passage[place.start : place.end], answer[token.start : token.end]
                assert theirs.casefold() == mine.casefold()


def test_every_word_of_a_sentence_has_a_state() -> None:
    (sentence,) = ground("The buyer pays freight for gift cards to Oslo within 9 days.", [("p", RETURNS)]).sentences
    words = {sentence.text[t.start : t.end]: t.state for t in sentence.tokens}
    assert words["The"] == "stop"
    assert words["freight"] == words["Oslo"] == "absent"
    assert words["gift"] == words["cards"] == "matched"


def test_a_word_that_only_other_sentences_hold_is_elsewhere() -> None:
    third = "Dogs sleep in the hall."
    (sentence,) = ground(
        "Cats chase mice near dogs.", [("a", "Cats chase mice."), ("b", "Birds sing near cats."), ("c", third)]
    ).sentences
    states = {sentence.text[t.start : t.end]: t for t in sentence.tokens}
    assert states["dogs"].state in ("elsewhere", "matched")
    assert third[states["dogs"].at[-1].start : states["dogs"].at[-1].end] == "Dogs"


def test_support_may_come_from_two_passages() -> None:
    answer = "The pump is inspected every 90 days and doses are stored between 2 and 8 degrees."
    (sentence,) = ground(
        answer,
        [
            ("a", "The circulation pump is inspected every 90 days. Grease it twice a year."),
            ("b", "Doses are stored between 2 and 8 degrees Celsius."),
        ],
    ).sentences
    assert sentence.verdict == "supported"
    assert {window.passage_id for window in sentence.windows} == {"a", "b"}
    assert sentence.scores["union_coverage"] > sentence.scores["idf_coverage"]


def test_passages_in_another_order_change_no_score() -> None:
    texts = [("a", RETURNS), ("b", "The clinic opens at 9."), ("c", "Postage is 4 euros.")]
    answer = "Clearance stock may be returned. Postage is 5 euros."
    assert [s.score for s in ground(answer, texts).sentences] == [
        s.score for s in ground(answer, texts[::-1]).sentences
    ]


def test_jaccard_of_terms_by_hand() -> None:
    matrix = jaccard([("a", "b", "b"), ("b", "c"), ()])
    assert matrix.tolist() == [[1.0, 1 / 3, 0.0], [1 / 3, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_refusals_name_what_was_given() -> None:
    with refused("out_of_range", "'alignmnt'", "did you mean 'alignment'"):
        ground("x", [], method="alignmnt")
    with refused("out_of_range", "floor is 2"):
        ground("x", [], floor=2)
    with refused("contradiction", "'sentence'"):
        ground("x", [], unit="sentence")
    with refused("repeated_id", "'p'"):
        ground("x", [("p", "a"), ("p", "b")])
    with refused("wrong_type", "answer"):
        ground(None, [])
    with refused("unknown_analyzer", "'klingon'"):
        ground("x", [], analyzer="klingon")


words = st.sampled_from(
    [
        "The",
        "dog",
        "cat",
        "never",
        "sees",
        "5",
        "10",
        "ninety",
        "houses.",
        "not",
        "Oslo",
        "Bergen",
        "may",
        "will",
        "all",
        "some",
        "東京",
        "É,",
        ";",
        "3.5",
        "🙂",
        "שלום",
        "مرحبا",
        "e\u0301te\u0301",
        "👩‍👩‍👧",
        "[1]",
        "٣",
        "twentieth",
        "€2.5m",
    ]
)
texts = st.lists(words, max_size=14).map(" ".join)


@given(texts, st.lists(texts, max_size=3), st.sampled_from(["english", "plain", "code"]))
@settings(deadline=None, max_examples=150)
def test_any_answer_over_any_evidence_keeps_the_records_promises(answer: str, evidence: list, analyzer: str) -> None:
    given_ = [(f"p{i}", text) for i, text in enumerate(evidence)]
    by_id = dict(given_)
    found = ground(answer, given_, analyzer=analyzer)
    for s in found.sentences:
        assert answer[s.start : s.end] == s.text
        assert (s.score is None) == (s.verdict == "not_checkable")
        assert all(0 <= value <= 1 for value in s.scores.values())
        assert s.verdict != "supported_verbatim" or not s.flags
        for place in (*s.windows, *(w for t in s.tokens for w in t.at), *(f.at for f in s.flags if f.at)):
            assert 0 <= place.start < place.end <= len(by_id[place.passage_id])
        for flag in s.flags:
            assert answer[flag.start : flag.end] == flag.claim
            assert s.start <= flag.start < flag.end <= s.end
    assert ground(answer, given_, analyzer=analyzer) == found


def test_every_sentence_of_a_real_collection_is_supported_by_its_own_passage() -> None:
    path = DATA / "cranfield" / "corpus.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:60]]
    flagged = [
        (row["_id"], s.text, s.verdict)
        for row in rows
        for s in ground(row["text"], [(row["_id"], row["text"])]).sentences
        if s.verdict not in ("supported_verbatim", "not_checkable") or s.flags
    ]
    assert flagged == []
