import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.kernels.alignment import align, bigram_share, in_order, lcs
from workbench.kernels.analysis import Token, analyzer
from workbench.kernels.grounding import ground
from workbench.kernels.sides import side
from workbench.kernels.texts import read
from workbench.kernels.windows import Evidence
from workbench.records import SentenceGrounding, Window

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def judged(claim: str, *texts: str, **options) -> SentenceGrounding:
    (sentence,) = ground(claim, [(f"p{i}", text) for i, text in enumerate(texts)], **options).sentences
    return sentence


# ---------------------------------------------------------------- alignment


def laid(claim: str, window: str) -> list[tuple[str, str]]:
    reader = analyzer("english")
    sides = []
    for text in (claim, window):
        each = read(text, reader, "sentencex")
        tokens = tuple(t for row in each.tokens for t in row)
        found = each.facts
        sides.append(side("", text, 0, len(text), tokens, found))
    a, b = sides
    pairs = align(a.tokens, a.classes, b.tokens, b.classes)
    return [(claim[a.tokens[i].start : a.tokens[i].end], window[b.tokens[j].start : b.tokens[j].end]) for i, j in pairs]


def test_a_changed_value_stands_opposite_the_one_it_replaces() -> None:
    pairs = laid("Tickets cost 180 crowns.", "In summer tickets cost 140 crowns, on board 180 crowns.")
    assert pairs == [("Tickets", "tickets"), ("cost", "cost"), ("180", "140"), ("crowns", "crowns")]


def test_the_alignment_ascends_on_both_sides() -> None:
    reader = analyzer("plain")
    a, b = reader.tokens("x b c a y"), reader.tokens("a b x c y")
    pairs = align(a, [0] * len(a), b, [0] * len(b))
    assert all(p[0] < q[0] and p[1] < q[1] for p, q in pairwise(pairs))


def naive_lcs(a: str, b: str) -> int:
    if not a or not b:
        return 0
    if a[-1] == b[-1]:
        return naive_lcs(a[:-1], b[:-1]) + 1
    return max(naive_lcs(a[:-1], b), naive_lcs(a, b[:-1]))


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
@settings(deadline=None)
def test_the_longest_common_subsequence_by_a_second_method(a: str, b: str) -> None:
    assert lcs(a, b) == naive_lcs(a, b)


def test_bigrams_by_hand() -> None:
    assert bigram_share(["a", "b", "c"], [["a", "b", "x", "c"]]) == 0.5
    assert bigram_share(["a", "b", "c"], [["a", "b"], ["b", "c"]]) == 1.0
    assert bigram_share(["a"], [["x", "a"]]) == 1.0


def test_the_ordered_certificate_needs_every_content_word_in_order_and_close() -> None:
    def certain(claim: str, window: str) -> bool:
        reader = analyzer("plain")
        a, b = reader.tokens(claim), reader.tokens(window)
        return in_order(a, b, align(a, [0] * len(a), b, [0] * len(b)))

    assert certain("cats chase mice", "grey cats often chase small mice")
    assert not certain("mice chase cats", "cats chase mice")
    assert not certain("cats chase dogs", "cats chase mice")
    assert not certain("cats mice", "cats aa bb cc dd ee mice")


def test_the_best_window_covers_most_and_the_second_adds_most() -> None:
    evidence = Evidence(
        ["a", "b"], ["Rain falls. Dogs bark at cats. Cats purr.", "Mice eat cheese."], analyzer("plain"), "sentencex"
    )
    weights, (best, other) = evidence.windows(["dogs", "bark", "cheese"])
    assert (best.passage, best.first, other.passage) == (0, 1, 1)
    assert best.held == 0b011
    assert len(weights) == 3


# ---------------------------------------------------------------- verbatim


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The clinic opens at 9.", "Note. The clinic opens at 9. It closes at 5."),
        ("the  clinic opens at 9", "The clinic\nopens at 9."),
        ("Insurance is included.", "Insurance is included, but wear parts are not covered."),
        ("退款需要十天。", "退款需要十天。换货只要五天。"),
        ("No dogs are allowed.", "No dogs are allowed."),
        ("It costs 3.5 crowns.", "It costs 3.5 crowns."),
    ],
)
def test_a_copy_is_verbatim_and_never_flagged(claim: str, text: str) -> None:
    found = judged(claim, text)
    assert (found.verdict, found.score, found.flags) == ("supported_verbatim", 1.0, ())


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Dogs are allowed.", "No dogs are allowed."),
        ("Dogs are allowed.", "Dogs are allowed under no circumstances."),
        ("The rate is 3.", "The rate is 3.5."),
        ("The rate is 5.", "The rate is 5%."),
        ("It costs 5.", "It costs 5,000."),
        ("The cat log.", "The cat logging module."),
    ],
)
def test_a_piece_that_says_something_else_is_not_verbatim(claim: str, text: str) -> None:
    assert judged(claim, text).verdict != "supported_verbatim"


def test_a_copied_word_matches_where_it_stands() -> None:
    text = "Note. The clinic opens at 9."
    found = judged("The clinic opens at 9.", text)
    assert found.windows == (Window("p0", 6, 27),)
    clinic = found.tokens[1]
    assert (clinic.state, clinic.at) == ("matched", (Window("p0", 10, 16),))


# ---------------------------------------------------------------- flags


@pytest.mark.parametrize(
    ("kind", "claim", "text", "mine", "theirs"),
    [
        ("number", "Logs are kept for 365 days.", "Access logs are kept for 180 days.", "365 days", "180 days"),
        ("number", "Logs are kept for ten days.", "Access logs are kept for 180 days.", "ten days", "180 days"),
        ("number", "换货只要两天。", "退款需要十天。换货只要五天。", "两", "五"),
        ("unit", "Stop when leakage exceeds 2 litres.", "Stop when leakage exceeds 2 ml.", "2 litres", "2 ml"),
        ("date", "It was launched in May 2019.", "It was launched in March 2019.", "May 2019", "March 2019"),
        (
            "date",
            "The train leaves Aarhus at 08:15.",
            "The train leaves Aarhus at 06:40 and reaches Odense at 08:15.",
            "08:15",
            "06:40",
        ),
        (
            "negation",
            "Opened items are eligible for a refund.",
            "Opened items are not eligible for a refund.",
            "eligible",
            "not",
        ),
        ("negation", "The crossing is not cancelled.", "The crossing is cancelled in storms.", "not", None),
        ("entity", "Backups go to Bergen every night.", "Backups go to Oslo every night.", "Bergen", "Oslo"),
        ("antonym", "Costs decreased in spring.", "Costs increased in spring.", "decreased", "increased"),
        ("quantifier", "All pilots finished.", "Some pilots finished; four withdrew.", "All", "Some"),
        ("hedge", "The seal will stop the leak.", "The seal may stop the leak.", "will", "may"),
        ("order", "Harlow sued Vantek over the patent.", "Vantek sued Harlow over the patent.", "Harlow", "Vantek"),
    ],
)
def test_a_conflict_is_named_with_both_sides(kind: str, claim: str, text: str, mine: str, theirs: str | None) -> None:
    found = judged(claim, text)
    assert found.verdict == "conflict"
    flag = next(flag for flag in found.flags if flag.kind == kind)
    assert (flag.severity, flag.claim, flag.evidence) == ("conflict", mine, theirs)
    assert claim[flag.start : flag.end] == mine
    assert flag.at is not None
    if theirs is not None:
        assert text[flag.at.start : flag.at.end] == theirs
        assert theirs in flag.sentence
    assert mine in flag.sentence
    assert any(t.state == "conflict" for t in found.tokens)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Refunds are paid within 10 working days.", "Refunds are paid to the card within ten working days."),
        ("Panels deliver 1400 watts.", "Solar panels deliver 1,400 watts at first."),
        ("The parser rejects files larger than 4 MB.", "Files larger than 4 MB are rejected by the parser."),
        ("Harlow was sued by Vantek over the patent.", "Vantek sued Harlow over the patent."),
        ("You cannot return gift cards.", "Gift cards cannot be returned."),
        ("Lumen-2 was launched in 2019.", "The Lumen-2 satellite was launched on 12 March 2019."),
    ],
)
def test_the_same_said_otherwise_raises_no_flag(claim: str, text: str) -> None:
    found = judged(claim, text)
    assert found.flags == ()
    assert found.verdict == "supported"


def test_a_number_that_no_evidence_holds_is_noted_without_a_counterpart() -> None:
    found = judged(
        "The choir has 40 singers and rehearses on Tuesday evenings.", "The choir rehearses on Tuesday evenings."
    )
    assert [(f.kind, f.severity, f.claim, f.evidence, f.at) for f in found.flags] == [
        ("number", "info", "40", None, None)
    ]
    assert found.flags[0].sentence == "The number '40' stands nowhere in the evidence."


def test_a_name_that_no_evidence_holds_is_noted() -> None:
    found = judged("The choir rehearses with Elin Rask.", "The choir rehearses on Tuesdays in the old school.")
    assert [(f.kind, f.severity, f.claim) for f in found.flags] == [
        ("entity", "info", "Elin"),
        ("entity", "info", "Rask"),
    ]


def test_a_second_passage_that_states_the_value_settles_it() -> None:
    found = judged(
        "Adult loans last 21 days and child loans last 30 days.",
        "Adult loans last 21 days.",
        "Child loans last 30 days.",
    )
    assert (found.verdict, found.flags) == ("supported", ())


def test_a_value_is_settled_only_where_the_same_thing_is_spoken_of() -> None:
    prices = "Tickets bought online cost 140 crowns; tickets bought on board cost 180 crowns."
    found = judged("Tickets bought online cost 180 crowns.", prices)
    assert [(f.kind, f.claim, f.evidence) for f in found.flags] == [("number", "180", "140")]
    managers = (
        "The site manager for Sailmaker Estate is Brida Fenn.",
        "The site manager for Tanner Row is Derrin Vale.",
    )
    found = judged("The site manager for Sailmaker Estate is Derrin Vale.", *managers)
    assert {(f.claim, f.evidence) for f in found.flags} >= {("Derrin", "Brida"), ("Vale", "Fenn")}
    assert found.verdict == "conflict"
    assert judged("The site manager for Tanner Row is Derrin Vale.", *managers).flags == ()


def test_numbers_of_different_things_are_not_at_odds() -> None:
    found = judged("A voice call costs three times a text.", "A voice call costs 22 crowns.")
    assert [(f.kind, f.severity) for f in found.flags] == [("number", "info")]


def test_a_unit_is_compared_also_without_a_number() -> None:
    found = judged(
        "You get 15 crowns for every full hour without heat.", "You get 15 crowns for every full day without heat."
    )
    assert [(f.kind, f.claim, f.evidence) for f in found.flags] == [("unit", "hour", "day")]


def test_a_word_of_all_that_the_evidence_lacks_keeps_a_sentence_from_support() -> None:
    found = judged("Staff must always wear goggles.", "Staff must wear goggles when the saw is running.")
    assert [(f.kind, f.severity, f.claim) for f in found.flags] == [("quantifier", "info", "always")]
    assert found.verdict == "partial"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Notice is no more than 30 days.", "Notice is at most 30 days."),
        (
            "The deposit is held by the Trust rather than by Brackwater.",
            "The deposit is held by the Trust, not by Brackwater.",
        ),
    ],
)
def test_a_bound_and_a_choice_are_no_negation(claim: str, text: str) -> None:
    assert [f for f in judged(claim, text).flags if f.kind == "negation"] == []


def test_a_function_word_goes_with_the_absent_word_beside_it() -> None:
    found = judged(
        "Media Play News is the only paper for lawyers.", "Media Play News is the voice of home entertainment."
    )
    states = {found.text[t.start : t.end]: t.state for t in found.tokens}
    assert (states["is"], states["the"]) == ("stop", "stop")
    assert [states[w] for w in ("only", "paper", "for", "lawyers")] == ["absent"] * 4


def test_a_date_that_nothing_states_is_absent_as_a_whole() -> None:
    found = judged("Brian died on 16 May 2001.", "Brian died. May he rest.", "Others died on 16 July.")
    states = {found.text[t.start : t.end]: t.state for t in found.tokens}
    assert {states["16"], states["May"], states["2001"]} <= {"absent", "conflict"}


def test_words_added_in_a_row_make_a_sentence_partial() -> None:
    text = "The nurse records the batch number before each injection. Each patient waits."
    found = judged("The nurse records the batch number and blood type before each injection.", text)
    assert (found.verdict, found.score > found_floor()) == ("partial", True)
    assert found.reason.startswith("The sentence adds what no evidence holds: 'blood', 'type'.")


def found_floor() -> float:
    return ground("x", []).floor


def test_added_detail_is_partial_and_the_reason_names_it() -> None:
    found = judged(
        "The branch opens on Sundays and serves hot lunches.", "The branch opens on Sundays. It lends books."
    )
    assert found.verdict == "partial"
    assert found.reason.endswith("Without 'and serves hot lunches' it would be supported verbatim.")


def test_any_script_is_compared() -> None:
    assert judged("Le café ferme à minuit.", "Le cafe\u0301 ferme à minuit du lundi au jeudi.").verdict.startswith(
        "supported"
    )
    assert judged("東京タワーは高い。", "昨日、東京タワーはとても高いと聞いた。").scores["containment"] > 0.5
    assert judged("Библиотека закрыта.", "Музей открыт.").verdict == "unsupported"


def test_a_word_a_token_and_a_stop_word_keep_their_states_under_every_analyzer() -> None:
    for name in ("english", "plain", "code"):
        found = judged("The parse_query call takes 5 ms.", "parse_query takes 7 ms.", analyzer=name)
        assert [f.kind for f in found.flags] == ["number"], name


def test_a_tie_between_windows_goes_to_the_earlier_passage() -> None:
    found = judged("Dogs bark loudly.", "Loudly dogs bark here.", "Loudly dogs bark there.")
    assert found.windows[0].passage_id == "p0"


def test_tokens_of_a_number_are_one() -> None:
    (sentence,) = read("In ninety days.", analyzer("english"), "sentencex").tokens
    assert sentence[1:2] == (Token("#90", 3, 9, False),)


# ---------------------------------------------------------------- against labels


def test_the_verdict_parts_the_labelled_pairs_better_than_passage_f1() -> None:
    path = DATA / "grounding_pairs.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    accuracy = {}
    for method in ("f1", "alignment"):
        right = {True: 0, False: 0}
        for row in rows:
            found = ground(row["claim"], [(str(i), t) for i, t in enumerate(row["evidence"])], method=method)
            passed = all(s.verdict.startswith("supported") for s in found.sentences)
            right[row["label"] == "supported"] += passed == (row["label"] == "supported")
        supported = sum(1 for row in rows if row["label"] == "supported")
        accuracy[method] = (right[True] / supported + right[False] / (len(rows) - supported)) / 2
    assert accuracy["f1"] < 0.55
    assert accuracy["alignment"] > 0.87


def test_the_score_ranks_the_wice_claims_better_than_passage_f1() -> None:
    path = DATA / "wice" / "claims.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[::4]]
    area = {}
    for method in ("f1", "alignment"):
        good, rest = [], []
        for row in rows:
            lines = row["evidence"]
            evidence = [(str(i), " ".join(lines[i : i + 4])) for i in range(0, len(lines), 4)]
            score = ground(row["claim"], evidence, method=method).score
            (good if row["label"] == "supported" else rest).append(-1.0 if score is None else score)
        above = sum((a > b) + 0.5 * (a == b) for a in good for b in rest)
        area[method] = above / (len(good) * len(rest))
    assert area["alignment"] > 0.76
    assert area["alignment"] > area["f1"]
