"""Analyzers: text to terms, each with the characters that it came from.

Text is folded by NFKC and full case folding (Unicode's NFKC_Casefold: é matches e + U+0301, ß matches
ss, full-width letters match ASCII); accents stay. Scripts that write without spaces, and Hangul with its
endings, become overlapping character bigrams, as Lucene's CJK analyzer does. Stemming is Snowball's
English (Porter2). Spans count code points of the text as given.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version as version_of
from itertools import pairwise
from typing import NamedTuple

import snowballstemmer

from workbench import checks
from workbench.kernels.folding import folded, ignored
from workbench.kernels.stopwords import CODE, ENGLISH, SEED

MOST_CACHED = 200_000
"""Distinct words an analyzer remembers; the cache starts anew when full."""


class Token(NamedTuple):
    """A term and the code points ``start:end`` it was read from; ``stop`` marks a function word."""

    term: str
    start: int
    end: int
    stop: bool


class Analyzer:
    """Text to terms, always the same way. Get one from ``analyzer(name)``.

    ``version`` names what shapes the terms, so that an index can tell whether it is still current.
    """

    __slots__ = ("_cache", "_cut", "_read", "name", "version")

    def __init__(
        self, name: str, version: str, cut: Callable[[str], re.Pattern[str]], read: Callable[[str], tuple[Token, ...]]
    ) -> None:
        self.name = name
        self.version = version
        self._cut = cut
        self._read = read
        self._cache: dict[str, tuple[tuple[Token, ...], tuple[str, ...]]] = {}

    def tokens(self, text: str) -> tuple[Token, ...]:
        """Every token in text order, function words included. Parts of an identifier follow the whole."""
        found: list[Token] = []
        known, new = self._cache, tuple.__new__  # the named constructor takes twice as long
        for match in self._cut(text).finditer(text):
            at, word = match.start(), match.group()
            for term, start, end, stop in (known.get(word) or self._word(word))[0]:
                found.append(new(Token, (term, at + start, at + end, stop)))
        return tuple(found)

    def terms(self, text: str) -> tuple[str, ...]:
        """The content terms in text order, as often as they stand there."""
        found: list[str] = []
        known = self._cache
        for word in self._cut(text).findall(text):
            found += (known.get(word) or self._word(word))[1]
        return tuple(found)

    def _word(self, word: str) -> tuple[tuple[Token, ...], tuple[str, ...]]:
        known = self._cache.get(word)
        if known is None:
            tokens = self._read(word)
            known = tokens, tuple(token.term for token in tokens if not token.stop)
            if len(self._cache) >= MOST_CACHED:
                self._cache.clear()
            self._cache[word] = known
        return known

    def __repr__(self) -> str:
        return f"Analyzer({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], "Analyzer"], tuple[str]]:
        # by name: a process pool gets its own cache
        return analyzer, (self.name,)


@cache
def analyzer(name: str) -> Analyzer:
    """The analyzer of that name; one object a name.

    * ``english``: Snowball-stemmed words; English function words are marked.
    * ``plain``: the same words unstemmed, for any language; English function words are marked.
    * ``code``: an identifier and its parts (``parse_query``: parse_query, parse, query), unstemmed.
    * ``ascii``: runs of a-z and 0-9 of the lower-cased text, as rerankgate 0.2.0 reads it.

    ``english`` and ``plain`` split identifiers with an underscore, or written likeThis, in the same way;
    words WrittenLikeThis stay whole there, since most of those are names.

    Raises:
        WorkbenchError: ``unknown_analyzer``, naming the known ones.
    """
    checks.one_of("analyzer", name, _ANALYZERS, "unknown_analyzer")
    return _ANALYZERS[name]()


def _english() -> Analyzer:
    stem = snowballstemmer.stemmer("english").stemWord
    by = f"english 1 (snowballstemmer {version_of('snowballstemmer')})"
    return Analyzer("english", by, _prose_words, partial(_read, _prose_words, partial(_prose_word, stem)))


def _plain() -> Analyzer:
    return Analyzer(
        "plain", "plain 1 (unstemmed)", _prose_words, partial(_read, _prose_words, partial(_prose_word, str))
    )


def _code() -> Analyzer:
    by = "code 1 (unstemmed, identifiers and their parts)"
    return Analyzer("code", by, _code_words, partial(_read, _code_words, _code_word))


def _ascii() -> Analyzer:
    return Analyzer("ascii", "ascii 1 (as rerankgate 0.2.0)", lambda _: _ASCII_WORD, _read_ascii)


_ANALYZERS = {"english": _english, "plain": _plain, "code": _code, "ascii": _ascii}


# ---------------------------------------------------------------- where words begin and end

_PROSE_SHAPE = (
    r"[A-Za-z](?=['’.+#])(?:"  # what a letter and a sign may open, before the words that are far more common
    r"(?<=[cdjlmnstCDJLMNST])['’](?=W)(?![sS](?!W))"  # an elided article: l'eau, d'accord
    r"|\+\+|#(?!W)"  # C++, C#
    r"|\.(?:[A-Za-z]\.)+(?!W))"  # U.S., e.g.
    r"|W+(?:(?=[.,'’])(?:"
    r"(?<=[0-9])(?:\.(?=[0-9])|,(?=[0-9]{3}(?![0-9])))"  # 3.5, B2.1, 49,000
    r"|['’](?=W)"  # tenant's, don't, O'Brien
    r")W+)*"
)
_CODE_SHAPE = r"[A-Za-z]\+\+|[A-Za-z]#(?!W)|W+(?:(?<=[0-9])\.(?=[0-9])W+)*"
_ASCII_WORD = re.compile(r"[a-zA-Z0-9\u0130\u212a]+")  # İ and the Kelvin sign are the two that lower-case into a-z
_SIGNS = frozenset("℀℁℅℆℠℡™℻")  # NFKC would glue the letters of a ™ to the word before it


_EXTRAS = (range(0x80, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x1FC00), range(0xE0100, 0xE01F0))


def _prose_words(text: str) -> re.Pattern[str]:
    return _words(_PROSE_SHAPE, text.isascii() or _blocks(text))


def _code_words(text: str) -> re.Pattern[str]:
    return _words(_CODE_SHAPE, text.isascii() or _blocks(text))


@cache
def _words(shape: str, blocks: bool | frozenset[int]) -> re.Pattern[str]:
    r"""``shape`` with W for a character of a word: \w, and what else of those Unicode blocks belongs to one.

    Only the blocks that a text uses, since one class of all of them runs ten times slower.
    """
    if isinstance(blocks, bool):
        return re.compile(shape.replace("W", "[A-Za-z0-9_]"))
    extras = "".join(sorted(char for char in _extras() if ord(char) >> 8 in blocks))
    return re.compile(shape.replace("W", rf"[\w{extras}]"))


def _blocks(text: str) -> frozenset[int]:
    return frozenset(ord(char) >> 8 for char in _extras().intersection(text))


@cache
def _extras() -> frozenset[str]:
    r"""What belongs to words beside \w: marks, ignorable characters, symbols that NFKC makes letters (㎏)."""
    points = (chr(point) for span in _EXTRAS for point in span if not 0xD800 <= point < 0xE000)
    return frozenset(char for char in points if not char.isalnum() and _in_word(char))


def _in_word(char: str) -> bool:
    if unicodedata.category(char)[0] == "M" or ignored(char):
        return True
    form = unicodedata.normalize("NFKC", char)
    return form != char and form.strip("()").isalnum() and char not in _SIGNS


_BIGRAMS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9fe\uaa60-\uaa7f"  # Thai, Lao, Myanmar, Khmer
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\uac00-\ud7af"  # kana, Hangul
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"  # Han
)


# ---------------------------------------------------------------- what a word says

_PROSE_CAMEL = re.compile(r"[a-z]{2,}[a-z0-9]*[A-Z]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z](?![\u0300-\u036f]))|(?<=[A-Z])(?=[A-Z][a-z])")


def _read(
    cut: Callable[[str], re.Pattern[str]], read: Callable[[str, str], Iterator[Token]], word: str
) -> tuple[Token, ...]:
    """The tokens of one word. Runs of a script without spaces become bigrams; what stands between is read by ``read``."""
    if word.isascii():
        return tuple(read(word.lower(), word))
    whole = folded(word)
    found: list[Token] = []
    at = 0
    for run in (*_BIGRAMS.finditer(whole.text), None):
        end = len(whole.text) if run is None else run.start()
        between = whole.text[at:end]
        for match in cut(between).finditer(between):
            left = at + match.start()
            for term, start, stops_at, stop in read(match.group(), whole.cased[left : at + match.end()]):
                found.append(Token(term, *whole.span(left + start, left + stops_at), stop))
        if run is not None:
            found += [Token(whole.text[a:b], *whole.span(a, b), False) for a, b in _bigrams(run.group(), run.start())]
            at = run.end()
    return tuple(found)


def _bigrams(run: str, at: int) -> Iterator[tuple[int, int]]:
    """Spans of every two neighbouring characters, a mark going with its character; a lone one stands alone."""
    heads = [i for i, char in enumerate(run) if i == 0 or unicodedata.category(char)[0] != "M"]
    ends = [*heads[1:], len(run)]
    for i in range(max(1, len(heads) - 1)):
        yield at + heads[i], at + ends[min(i + 1, len(ends) - 1)]


def _prose_word(stem: Callable[[str], str], form: str, written: str) -> Iterator[Token]:
    if form[-1] in "'’":
        yield Token(form[0], 0, len(form), True)
        return
    plain = form.replace("’", "'")
    stop = plain in ENGLISH
    if not stop and plain[-1] == ".":
        yield Token(plain.replace(".", ""), 0, len(form), False)
        return
    if not stop and plain.endswith("'s"):
        plain = plain[:-2]
        stop = plain in ENGLISH
    left, right = len(plain) - len(plain.lstrip("_'")), len(plain.rstrip("_'"))
    if left < right and ("_" in plain or (written != form and _PROSE_CAMEL.match(written))):
        yield from _identifier(plain[left:right], written[left:right], left, stem, ENGLISH)
    elif _says_something(plain):
        yield Token(plain if stop else _term(plain, stem), 0, len(form), stop)


def _code_word(form: str, written: str) -> Iterator[Token]:
    if form.strip("_"):
        yield from _identifier(form, written, 0, str, CODE)


def _identifier(form: str, written: str, at: int, stem: Callable[[str], str], stops: frozenset[str]) -> Iterator[Token]:
    """The whole, never stemmed, then its parts; a word of one part is a word like others."""
    humps = () if form[0].isdigit() else (match.start() for match in _HUMP.finditer(written))
    cuts = [0, *humps, len(form)]
    parts = [(a + m.start(), a + m.end()) for a, b in pairwise(cuts) for m in re.finditer("[^_']+", form[a:b])]
    if parts == [(0, len(form))]:
        if _says_something(form):
            stop = form in stops
            yield Token(form if stop else _term(form, stem), at, at + len(form), stop)
        return
    yield Token(form, at, at + len(form), False)
    for start, end in parts:
        yield Token(_term(form[start:end], stem), at + start, at + end, False)


def _term(form: str, stem: Callable[[str], str]) -> str:
    if form.isalpha():
        return stem(form)
    return form.replace(",", "") if form[0].isdigit() else form


def _says_something(form: str) -> bool:
    return any(char.isalnum() for char in form)


def _read_ascii(word: str) -> tuple[Token, ...]:
    lowered = [char.lower() for char in word]
    at = [i for i, piece in enumerate(lowered) for _ in piece]
    found = re.finditer("[a-z0-9]+", "".join(lowered))
    return tuple(Token(m.group(), at[m.start()], at[m.end() - 1] + 1, m.group() in SEED) for m in found)
