"""Number words, ordinals, Chinese numerals, and the words of the calendar: closed tables, and their values."""

import re
from fractions import Fraction

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SMALL = {word: n for n, word in enumerate(_ONES.split())} | {w: 10 * n for n, w in enumerate(TENS.split(), start=2)}
_TEENTHS = (
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth"
    " seventeenth eighteenth nineteenth"
)
_TIETHS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
NTHS = {w: n for n, w in enumerate(_TEENTHS.split(), start=3)} | {
    w: 10 * n for n, w in enumerate(_TIETHS.split(), start=2)
}
"""Without "first" and "second": the one opens lists, the other measures time."""
MONEY_SCALES = {"k": 1000, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTH = {m: n for n, m in enumerate(MONTHS, start=1)} | {m[:3]: n for n, m in enumerate(MONTHS, start=1)} | {"sept": 9}
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
HAN = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8}


def in_words(words: str) -> Fraction | None:
    """A number in English words; None where they are no one number ("four five")."""
    half = Fraction(0)
    body = re.sub(r"\s+and\s+a\s+half$", "", words.lower())
    if body != words.lower():
        half = Fraction(1, 2)
    total, group, last = 0, 0, 10**15
    for word in re.split(r"[\s-]+", body):
        if word == "and":
            continue
        if word == "dozen":
            group = max(1, group) * 12
        elif word == "hundred":
            group, last = max(1, group) * 100, 100
        elif word in SCALES:
            total, group, last = total + max(1, group) * SCALES[word], 0, 10**15
        else:
            value = SMALL[word]
            size = 10 if value < 10 else (20 if value < 20 else 100)
            if size > last or (last == 20):
                return None
            group, last = group + value, 10 if value >= 20 else 1
    return Fraction(total + group) + half


def han(digits: str) -> Fraction:
    """Chinese numerals: 十 10, 二十五 25, 三百 300, 二〇一九 2019."""
    if not any(c in HAN_SCALES for c in digits):
        return Fraction("".join(str(HAN[c]) for c in digits))
    total, group, digit = 0, 0, 0
    for c in digits:
        if c in HAN:
            digit = HAN[c]
        elif HAN_SCALES[c] >= 10**4:
            total, group, digit = total + (group + digit or 1) * HAN_SCALES[c], 0, 0
        else:
            group, digit = group + (digit or 1) * HAN_SCALES[c], 0
    return Fraction(total + group + digit)


def calendar_terms() -> dict[str, str]:
    """The words that name a month or a weekday, lower-cased, each with the term it is compared by."""
    return {word: f"month#{n}" for word, n in MONTH.items()} | {day: f"weekday#{n}" for n, day in enumerate(DAYS)}
