"""Numbers, dates and clock times in a text, with their spans and a value that can be compared.

"90 days" and "ninety days", "1,000" and "1000", "20 cents" and "€0.20", "12 March 2019" and
"2019-03-12" are the same facts. Closed tables, English words; digits of any script.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from workbench.kernels.numerals import (
    DAYS,
    HAN,
    HAN_SCALES,
    MONEY_SCALES,
    MONTH,
    MONTHS,
    NTHS,
    SCALES,
    SMALL,
    TENS,
    han,
    in_words,
)
from workbench.kernels.units import CURRENCIES, UNITS, Unit


@dataclass(frozen=True, slots=True)
class Fact:
    """A value at code points start:end of its text. ``start:numeral_end`` is the value without its unit."""

    kind: str
    """``number``, ``date`` or ``time``."""
    start: int
    end: int
    numeral_end: int
    text: str
    value: Fraction | None
    """The bare number in major units (20 cents are 1/5); the year of a bare year; None for other dates."""
    unit: Unit | None
    parts: tuple[tuple[str, int], ...] = ()
    """Of a date or time: (``year``, 2019), (``month``, 3), (``day``, 12), (``weekday``, 0), (``minute``, 400), (``decade``, 1990)."""


_WORD = "(?:" + "|".join(sorted([*SMALL, "dozen", *SCALES], key=len, reverse=True)) + ")"
_MONTH_NAME = (
    "(?:" + "|".join(m.capitalize() for m in MONTHS) + r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?)"
)
_NTH = r"(?:st|nd|rd|th)?"
_DIGITS = re.compile(
    r"(?P<iso>\d{4}-\d{2}-\d{2})(?!\d)"
    r"|(?P<decade>[12]\d\d0)['’]?s\b"
    r"|(?P<clock>\d{1,2}:\d{2})(?!\d)(?:\s?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
    r"|(?P<hour>\d{1,2})\s?(?P<half2>[AaPp])\.?[Mm]\b\.?"
    r"|(?P<digits>\d{1,3}(?:[,\u0020\u00a0\u2009\u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+|,\d{1,2}(?!\d))?)"
    r"(?P<nth>(?:st|nd|rd|th)\b)?(?:\s?(?P<scale>million|billion|trillion|thousand|bn)\b)?"
)
_DATE = re.compile(
    rf"(?P<month>{_MONTH_NAME})(?![A-Za-z])(?:\s+(?P<d2>\d{{1,2}}){_NTH}(?![\d:.]))?(?:,?\s+(?P<y>\d{{4}})(?!\d))?"
    rf"|(?P<weekday>{'|'.join(d.capitalize() for d in DAYS)})s?\b"
)
_DAY_BEFORE = re.compile(rf"\b(\d{{1,2}}){_NTH}\s+(?:of\s+)?\Z")
_WORDS = re.compile(
    rf"\b{_WORD}(?:(?:\s+|-)(?:(?:(?<=hundred\s)|(?<=thousand\s)|(?<=million\s))and\s+)?{_WORD})*(?:\s+and\s+a\s+half)?\b",
    re.IGNORECASE,
)
# "a third" is a share
_NTH_WORD = re.compile(
    rf"(?<!\ba )(?<!\bone )(?<!\bone-)\b(?:(?P<tens>{TENS.replace(' ', '|')})-)?(?P<nth>{'|'.join(NTHS)}|(?<=-)first|(?<=-)second)\b",
    re.IGNORECASE,
)
_HAN_NUMERAL = re.compile(
    rf"[{''.join(HAN)}{''.join(HAN_SCALES)}]+(?=\s?[年月日天週周時时小分秒歳岁元円圆名人個个次回倍本度割％%张張只隻条條件台辆輛位间間层層份把杯瓶箱枚頁页章])"
)
_DIGIT = re.compile(r"\d")
_NO_SIGNS = {code: " " for code in range(128) if not chr(code).isalpha()}
_NUMBER_WORDS = frozenset(form for w in (*SMALL, *NTHS, "dozen", *SCALES) for form in (w, w.capitalize(), w.upper()))
_DATE_WORDS = frozenset(name.capitalize() for name in (*MONTH, *DAYS, *(f"{day}s" for day in DAYS)))
_FACT_WORDS = _DATE_WORDS | _NUMBER_WORDS
_LATIN = re.compile(r"[A-Za-z]+")
_APART = frozenset(" \n\t($€£¥₹\"'“‘")
"""A digit behind one of these is no part of a name."""
# "Lumen-2" and "B12" are names, not quantities; scripts without spaces may touch a number
_NAMED = re.compile(r"(?:[A-Za-zÀ-ɏͰ-ӿ\d_.]|[A-Za-z]-)\Z")
_UNIT_AFTER = re.compile(
    r"[\s\-]{0,2}(?:(?:working|business|calendar)\s)?(km/h|m/s|(?:square|cubic)\s[A-Za-z]+|per\s?cent|degrees?\s(?:celsius|fahrenheit)|°\s?[CFcf]|[%％€$£¥₹]|[A-Za-z]+)(?![A-Za-z])",
    re.IGNORECASE,
)
_CODE_BEFORE = re.compile(r"\b(EUR|USD|JPY|INR|GBP)\s?\Z")
# "€2.5m", "$3k": after an amount of money a letter is a scale, and m no metre
_MONEY_SCALE = re.compile(r"\s?(k|m|mn|bn|b)(?![A-Za-z])", re.IGNORECASE)
_LETTERS_AFTER = re.compile(r"[A-Za-zÀ-ɏ]")
_MONTH_CUE = re.compile(
    r"\b(?:in|since|until|till|by|of|from|to|early|mid|late|last|next|this|every|each)[\s-]+$", re.IGNORECASE
)


def facts(text: str) -> tuple[Fact, ...]:
    """The numbers, dates and clock times of ``text``, in order, none inside another."""
    found: list[Fact | None] = []
    at = 0
    # a plain class is searched for fast; the patterns are then tried at its places only
    while (digit := _DIGIT.search(text, at)) is not None:
        match = _DIGITS.match(text, digit.start())
        at = match.end() if match else digit.end()
        if match and (text[digit.start() - 1] in _APART or not _named(text, digit.start())):
            found.append(_digits(text, match))
    if not _FACT_WORDS.isdisjoint(text.translate(_NO_SIGNS).split()):
        found += _written(text)
    if not text.isascii():
        found += [_number(text, *match.span(), han(match[0])) for match in _HAN_NUMERAL.finditer(text)]
    if not found:
        return ()
    kept: list[Fact] = []
    for fact in sorted((each for each in found if each is not None), key=lambda each: (each.start, -each.end)):
        if not kept or fact.start >= kept[-1].end:
            kept.append(fact)
    return tuple(kept)


def _named(text: str, start: int) -> bool:
    return _NAMED.search(text, max(0, start - 2), start) is not None


def _written(text: str) -> list[Fact | None]:
    """The dates and numbers that begin with a word."""
    found: list[Fact | None] = []
    at = 0
    for word in _LATIN.finditer(text):
        if word.start() < at or word.group() not in _FACT_WORDS:
            continue
        match = _DATE.match(text, word.start())
        if match and word.group() in _DATE_WORDS:
            found.append(_date(text, match))
            at = match.end()
        elif match := _NTH_WORD.match(text, word.start()):
            found.append(_nth(text, match))
            at = match.end()
        elif match := _WORDS.match(text, word.start()):
            found.append(_spelled(text, match))
            at = match.end()
    return found


def same(a: Fact, b: Fact) -> bool:
    """Whether two facts agree. Units count where both have a known one; a date agrees with a fuller one."""
    if a.kind != b.kind:
        return a.value is not None and a.value == b.value and a.unit is None and b.unit is None
    if a.kind != "number":
        theirs = _parts(b)
        return all(theirs.get(name) == value for name, value in a.parts)
    if a.value is None or b.value is None:
        return False
    if a.unit is None or b.unit is None:
        return a.value == b.value
    return a.unit.agrees(b.unit) and a.value * a.unit.factor == b.value * b.unit.factor


def at_odds(a: Fact, b: Fact) -> bool:
    """Whether two facts say different things of one kind: another amount of the same measure, another day, month or year."""
    if a.kind != b.kind:
        return False
    if a.kind != "number":
        theirs = _parts(b)
        return any(theirs.get(name, value) != value for name, value in _parts(a).items())
    if a.unit is not None and b.unit is not None and a.unit.dimension != b.unit.dimension:
        return _apart(a, b) or _apart(b, a)
    return not same(a, b)


def _parts(fact: Fact) -> dict[str, int]:
    """The parts of a date or time; a year tells its decade."""
    parts = dict(fact.parts)
    if "year" in parts:
        parts["decade"] = parts["year"] // 10 * 10
    return parts


def _apart(months: Fact, time: Fact) -> bool:
    """Whether so many months cannot be that time: a month has 28 to 31 days. Within that neither agrees nor differs."""
    if months.unit is None or time.unit is None or (months.unit.dimension, time.unit.dimension) != ("months", "time"):
        return False
    assert months.value is not None
    assert time.value is not None
    count, days = months.value * months.unit.factor, time.value * time.unit.factor / 86400
    return not 28 * count <= days <= 31 * count


def stated(fact: Fact, among: Sequence[Fact]) -> bool:
    """Whether ``fact`` is stated by ``among``: by one of them, or (a date's parts) by several that do not differ."""
    if any(same(fact, each) for each in among):
        return True
    if fact.kind != "date" or len(fact.parts) < 2:
        return False
    near = [_parts(each) for each in among if each.kind == "date"]
    fitting = [e for e in near if all(e.get(name, value) == value for name, value in fact.parts)]
    return all(any(e.get(name) == value for e in fitting) for name, value in fact.parts)


def _dated(
    text: str, match: re.Match[str], kind: str, parts: tuple[tuple[str, int], ...], start: int | None = None
) -> Fact:
    first = match.start() if start is None else start
    value = Fraction(parts[0][1]) if kind == "date" and len(parts) == 1 and parts[0][0] == "year" else None
    return Fact(kind, first, match.end(), match.end(), text[first : match.end()], value, None, parts)


def _time(text: str, match: re.Match[str]) -> Fact | None:
    hour, _, minute = (match["clock"] or match["hour"]).partition(":")
    at = int(hour)
    half = (match["half"] or match["half2"] or "").lower()
    if half:
        at = at % 12 + (12 if half == "p" else 0)
    if at > 24 or int(minute or 0) > 59:
        return None
    return _dated(text, match, "time", (("minute", 60 * at + int(minute or 0)),))


def _date(text: str, match: re.Match[str]) -> Fact | None:
    if match["weekday"]:
        return _dated(text, match, "date", (("weekday", DAYS.index(match["weekday"].lower())),))
    name = match["month"]
    before = _DAY_BEFORE.search(text, max(0, match.start() - 12), match.start())
    day = before[1] if before else match["d2"]
    bare = day is None and match["y"] is None
    if (
        bare
        and name.lower() in ("may", "march")
        and not _MONTH_CUE.search(text, max(0, match.start() - 8), match.start())
    ):
        return None  # the verb
    parts = [("month", MONTH[name.rstrip(".").lower()])]
    if match["y"]:
        parts.insert(0, ("year", int(match["y"])))
    if day:
        parts.append(("day", int(day)))
    return _dated(text, match, "date", tuple(parts), before.start() if before else None)


def _digits(text: str, match: re.Match[str]) -> Fact | None:
    if match["iso"]:
        year, month, day = (int(part) for part in match["iso"].split("-"))
        return _dated(text, match, "date", (("year", year), ("month", month), ("day", day)))
    if match["decade"]:
        return _dated(text, match, "date", (("decade", int(match["decade"])),))
    if match["clock"] or match["hour"]:
        return _time(text, match)
    raw = match["digits"]
    if re.fullmatch(r"\d+,\d{1,2}", raw):
        raw = raw.replace(",", ".")
    plain = re.sub(r"[,\s]", "", raw)
    value = (
        Fraction(int(plain))
        if plain.isdecimal()
        else Fraction("".join(str(int(c)) if c.isdecimal() else c for c in plain))
    )
    if match["scale"]:
        value *= 10**9 if match["scale"].lower() == "bn" else SCALES[match["scale"].lower()]
    fact = _number(text, match.start(), match.end(), value, ordinal=bool(match["nth"]))
    bare = fact is not None and len(raw) == 4 and raw.isdecimal() and fact.unit is None and not match["scale"]
    return _dated(text, match, "date", (("year", int(raw)),)) if bare and 1000 <= value < 2200 else fact


def _number(
    text: str, start: int, end: int, value: Fraction, *, ordinal: bool = False, spelled: bool = False
) -> Fact | None:
    unit, first, last = Unit("ordinal") if ordinal else None, start, end
    if not ordinal and (money := _money_before(text, start)):
        unit, first = money
        if scale := _MONEY_SCALE.match(text, end):
            value, end = value * MONEY_SCALES[scale[1].lower()], scale.end()
        last = end
    elif not ordinal:
        after = _UNIT_AFTER.match(text, end)
        name = " ".join(after[1].split()) if after else ""
        unit = UNITS.get(name) or UNITS.get(name.lower())
        last = after.end() if after and unit else end
    if unit is None and not spelled and _LETTERS_AFTER.match(text, end):
        return None  # 3D and 4x are names
    if spelled and value == 1 and unit is None:
        return None  # "one of them" counts nothing
    if unit is not None and unit.minor:
        value, unit = value * unit.factor, Unit(unit.dimension, variant=unit.variant)
    return Fact("number", first, last, end, text[first:last], value, unit)


def _money_before(text: str, start: int) -> tuple[Unit, int] | None:
    """The currency that stands before an amount, by sign or code, and where it begins."""
    near = text[max(0, start - 5) : start]
    sign = near.rstrip(" ")[-1:]
    if sign in CURRENCIES:
        return CURRENCIES[sign], text.rindex(sign, 0, start)
    code = _CODE_BEFORE.search(near)
    return (UNITS[code[1].lower()], start - len(near) + code.start()) if code else None


def _spelled(text: str, match: re.Match[str]) -> Fact | None:
    value = in_words(match[0])
    return None if value is None else _number(text, match.start(), match.end(), value, spelled=True)


def _nth(text: str, match: re.Match[str]) -> Fact | None:
    word, tens = match["nth"].lower(), match["tens"]
    value = NTHS.get(word, {"first": 1, "second": 2}.get(word, 0)) + (SMALL[tens.lower()] if tens else 0)
    return _number(text, match.start(), match.end(), Fraction(value), ordinal=True)
