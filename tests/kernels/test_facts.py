from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.kernels.facts import at_odds, facts, same


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
        ("1 000", "1,000"),
        ("€2.5m", "2,500,000 euros"),
        ("€2.5 million", "EUR 2.5m"),
        ("$3k", "3,000 dollars"),
        ("the twentieth", "the 20th"),
        ("twenty-first", "21st"),
        ("2 square kilometres", "2,000,000 square metres"),
        ("36 km/h", "10 m/s"),
        ("ten working days", "10 Working Days"),
        ("十八张", "18张"),
        ("the 1990s", "the 1990's"),
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
        ("3 months", "90 days"),
        ("€2.5m", "2.5 metres"),
        ("1 m", "1 million"),
        ("ten weeks", "ten working days"),
        ("the fifth", "the seventh"),
        ("the 1990s", "the 1980s"),
    ],
)
def test_two_facts_that_differ(a: str, b: str) -> None:
    (mine,), (theirs,) = facts(a), facts(b)
    assert not same(mine, theirs)


@pytest.mark.parametrize(
    "text",
    ["Lumen-2", "B12", "AES-256", "one of them", "he may go", "they march on", "v1.2.x", "a 3D film", "a third of it"],
)
def test_what_only_looks_like_a_fact(text: str) -> None:
    assert facts(text) == ()


def test_a_less_exact_date_agrees_with_a_fuller_one_and_not_the_other_way() -> None:
    (year,), (day,) = facts("2019"), facts("12 March 2019")
    assert same(year, day)
    assert not same(day, year)


def test_months_and_days_are_at_odds_only_where_no_month_fits() -> None:
    def apart(a: str, b: str) -> bool:
        (mine,), (theirs,) = facts(a), facts(b)
        assert at_odds(mine, theirs) is at_odds(theirs, mine)
        return at_odds(mine, theirs)

    assert not apart("3 months", "90 days")  # 84 to 93 days: neither the same nor at odds
    assert apart("3 months", "30 days")
    assert apart("1 year", "90 days")
    assert not apart("3 months", "90 metres")


def test_a_year_lies_in_its_decade_and_in_no_other() -> None:
    (decade,), (inside,), (outside,) = facts("the 1990s"), facts("1994"), facts("2004")
    assert same(decade, inside)
    assert at_odds(decade, outside)
    assert not at_odds(decade, inside)


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


@given(st.text(st.sampled_from("0123456789 ,.€%kmMarch二十天-:thdaysNinty\n"), max_size=30))
@settings(deadline=None, max_examples=300)
def test_a_fact_is_a_piece_of_its_text(text: str) -> None:
    for fact in facts(text):
        assert text[fact.start : fact.end] == fact.text
        assert fact.start < fact.numeral_end <= fact.end or fact.kind != "number"
