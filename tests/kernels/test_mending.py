"""Explanations are true: what a verdict points at, changed, changes the verdict."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.kernels.grounding import ground
from workbench.kernels.mending import edited
from workbench.records import SentenceGrounding

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SAMPLE = Path(__file__).parents[2] / "sample_data"


def judged(claim: str, *texts: str) -> SentenceGrounding:
    (sentence,) = ground(claim, [(f"p{i}", text) for i, text in enumerate(texts)]).sentences
    return sentence


def confirm(answer: str, evidence: list[tuple[str, str]]) -> tuple[int, int]:
    """Asks again, from outside, about every mend of an answer; how many sentences failed, and how many have a mend."""
    failed = told = 0
    for sentence in ground(answer, evidence).sentences:
        failed += sentence.verdict in ("conflict", "partial", "unsupported")
        for mend in sentence.mends:
            told += 1
            assert mend.sentence in sentence.reason
            changed = edited(answer, mend.edits)
            end = sentence.end + len(changed) - len(answer)
            again = [s for s in ground(changed, evidence).sentences if s.start < end and sentence.start < s.end]
            if mend.verdict:
                assert [s.verdict for s in again] == [mend.verdict] != [sentence.verdict], mend
            else:
                assert not any(c.isalnum() for c in changed[sentence.start : end]), mend
    return failed, told


def test_a_mended_number_turns_a_conflict_into_support() -> None:
    found = judged("Access logs are kept for 365 days.", "Access logs are kept for 180 days and then deleted.")
    assert found.verdict == "conflict"
    (mend,) = found.mends
    assert edited(found.text, mend.edits) == "Access logs are kept for 180 days."
    assert mend.verdict == "supported_verbatim"
    assert mend.sentence == "With '180 days' instead of '365 days' it would be supported verbatim."


@pytest.mark.parametrize(
    ("claim", "text", "mended"),
    [
        ("Dogs are allowed.", "Dogs are not allowed.", "Dogs are not allowed."),
        ("The crossing is not cancelled.", "The crossing is cancelled.", "The crossing is  cancelled."),
        ("Harlow sued Vantek.", "Vantek sued Harlow.", "Vantek sued Harlow."),
        ("Costs decreased in spring.", "Costs increased in spring.", "Costs increased in spring."),
        ("Backups go to Bergen.", "Backups go to Oslo.", "Backups go to Oslo."),
    ],
)
def test_what_the_evidence_says_mends_each_kind_of_conflict(claim: str, text: str, mended: str) -> None:
    found = judged(claim, text)
    assert found.verdict == "conflict"
    assert [edited(claim, mend.edits) for mend in found.mends] == [mended]


def test_missing_words_left_out_turn_the_verdict() -> None:
    found = judged("The branch opens on Sundays and serves hot lunches.", "The branch opens on Sundays.")
    assert found.verdict == "partial"
    assert [edited(found.text, mend.edits) for mend in found.mends] == ["The branch opens on Sundays."]


def test_a_sentence_of_which_nothing_is_held_says_so() -> None:
    found = judged("Penguins juggle.", "The branch opens on Sundays.")
    (mend,) = found.mends
    assert (found.verdict, mend.verdict) == ("unsupported", "")
    assert found.reason.endswith("None of its words is held: 'Penguins juggle'.")


def test_a_supported_sentence_has_nothing_to_mend() -> None:
    assert judged("The branch opens on Sundays.", "The branch opens on Sundays.").mends == ()


NUMBERS = st.integers(2, 900)
SUBJECTS = st.sampled_from(["Access logs", "Spare keys", "Billing records", "Old maps", "Ｃａｆé menus", "東京の記録"])
VERBS = st.sampled_from(["are kept for", "may be borrowed for", "stay locked for"])
UNITS = st.sampled_from(["days", "metres", "crowns", "visitors", "percent"])
ENDS = st.sampled_from(["", " in the north hall", " by every branch 🙂", " unless the crew objects"])


@given(SUBJECTS, VERBS, NUMBERS, NUMBERS, UNITS, ENDS, ENDS)
@settings(deadline=None, max_examples=150)
def test_mending_a_flagged_number_changes_the_verdict(subject, verb, right, wrong, unit, end, more) -> None:
    assume(right != wrong)
    text = f"{subject} {verb} {right} {unit}{end}. The hall opens at noon."
    answer = f"{subject} {verb} {wrong} {unit}{more}."
    found = judged(answer, text)
    assert found.verdict == "conflict"
    assert found.mends
    assert confirm(answer, [("p", text)]) == (1, 1)


WORDS = st.sampled_from(
    [
        "dogs",
        "cats",
        "sleep",
        "bark",
        "5",
        "12",
        "ninety",
        "Oslo",
        "Bergen",
        "hall",
        "roof",
        "never",
        "not",
        "all",
        "some",
        "blanket",
        "lantern",
        "before",
        "may",
        "will",
        ",",
        ";",
        "é",
        "東京",
    ]
)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=9).map(lambda w: " ".join(w).capitalize() + "."), max_size=3)


@given(LINES.map(" ".join), LINES)
@settings(deadline=None, max_examples=200)
def test_every_mend_that_is_told_is_true(answer: str, evidence: list[str]) -> None:
    confirm(answer, [(f"p{i}", text) for i, text in enumerate(evidence)])


def test_the_mends_of_the_labelled_pairs_are_true_and_most_failures_have_one() -> None:
    path = DATA / "grounding_pairs.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    counts = [confirm(r["claim"], [(str(i), t) for i, t in enumerate(r["evidence"])]) for r in rows]
    failed, told = sum(c[0] for c in counts), sum(c[1] for c in counts)
    assert told >= 0.8 * failed


def test_the_mends_of_the_sample_answers_are_true() -> None:
    documents = {p.relative_to(SAMPLE / "documents").as_posix(): p for p in (SAMPLE / "documents").rglob("*.md")}
    failed = told = 0
    for line in (SAMPLE / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        sources = sorted({s["source"] for s in row["sentences"] if s["source"]})
        evidence = [(name, documents[name].read_text(encoding="utf-8")) for name in sources]
        a, b = confirm(row["answer"], evidence)
        failed, told = failed + a, told + b
    assert told >= 0.8 * failed > 0
