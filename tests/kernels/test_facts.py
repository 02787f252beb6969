from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.kernels.facts import facts, same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("90 days", "ninety days"),
        ("1,000", "1000"),
        ("1 000 metres", "1 km"),
        ("12 eggs", "a dozen"),
        ("twenty-one", "21"),
        ("two hundred and five", "205"),
        ("four and a half", "4.5"),
        ("3,5", "3.5"),
        ("2 million", "2,000,000"),
        ("15%", "15 percent"),
        ("€0.20", "20 cents"),
        ("12 March 2019", "2019-03-12"),
        ("March 12, 2019", "the 12th of March 2019"),
        ("6:40 am", "06:40"),
        ("5 pm", "17:00"),
        ("十天", "10天"),
        ("二十五人", "25人"),
        ("2 weeks", "fourteen days"),
    ],
)
def test_the_same_fact_written_in_two_ways(a: str, b: str) -> None:
    (mine,), (theirs,) = facts(a), facts(b)
    assert same(mine, theirs)
    assert same(theirs, mine)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("90 days", "30 days"),
        ("2 ml", "2 litres"),
        ("40 seconds", "40 milliseconds"),
        ("590 miles", "590 km"),
        ("€5", "$5"),
        ("March 2019", "May 2019"),
        ("13 January", "31 January"),
        ("06:40", "6:40 pm"),
        ("Monday", "Tuesday"),
        ("3.5", "35"),
    ],
)
def test_two_facts_that_differ(a: str, b: str) -> None:
    (mine,), (theirs,) = facts(a), facts(b)
    assert not same(mine, theirs)


@pytest.mark.parametrize("text", ["Lumen-2", "B12", "AES-256", "one of them", "he may go", "they march on", "v1.2.x"])
def test_what_only_looks_like_a_fact(text: str) -> None:
    assert facts(text) == ()


def test_a_less_exact_date_agrees_with_a_fuller_one_and_not_the_other_way() -> None:
    (year,), (day,) = facts("2019"), facts("12 March 2019")
    assert same(year, day)
    assert not same(day, year)


def test_facts_come_in_order_with_their_spans() -> None:
    text = "Pay €1,400 by 31 January, at ninety days."
    assert [(f.kind, text[f.start : f.end]) for f in facts(text)] == [
        ("number", "€1,400"),
        ("date", "31 January"),
        ("number", "ninety days"),
    ]
    assert facts(text)[0].value == Fraction(1400)


@given(st.integers(0, 999_999))
@settings(deadline=None)
def test_grouping_digits_changes_no_value(n: int) -> None:
    (grouped,), (plain,) = facts(f"{n:,} items"), facts(f"{n} items")
    assert grouped.value == plain.value == n
