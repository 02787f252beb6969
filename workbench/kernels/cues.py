"""Closed tables of words that turn a meaning: negators, opposites, quantifiers, modals, clause boundaries. English
first; the commonest negators of a few other languages."""

import re
from functools import lru_cache

from workbench.kernels.analysis import Analyzer

NEGATOR = re.compile(
    # "not more than", "no later than" and "shall not exceed" set a bound and deny nothing
    r"\b(?:not?(?!\s+(?:exceed|more|less|fewer|later|earlier|sooner|only|just)\b)|never|none|nor|neither|without|cannot|nobody|nothing|nowhere|hardly|scarcely"
    r"|nicht|kein(?:e[mnrs]?)?|niemals|pas|jamais|nunca|jamás|niet|geen)\b"
    r"|n['’]t\b"
    r"|[不没沒未]|ない|ません",
    re.IGNORECASE,
)
CONTRAST = re.compile(r"\b(?:rather\s+than|instead\s+of|as\s+opposed\s+to)\b", re.IGNORECASE)
"""Says "not" of what follows; where one side has it, counting negators compares nothing."""
_BOUNDARY = re.compile(
    r"[.!?;:—–()…。！？；，、،؛]|,|\b(?:but|whereas|while|because|although|though|however|unless|except|if|when)\b",
    re.IGNORECASE,
)

_OPPOSITES = """
increase decrease|rise fall|grow shrink|gain lose|up down|above below|over under|higher lower|high low|more less
more fewer|most least|maximum minimum|faster slower|fast slow|larger smaller|large small|big small|longer shorter
long short|earlier later|early late|before after|first last|begin end|start finish|start stop|open close|open shut
include exclude|accept reject|accept refuse|allow forbid|allow prohibit|permit forbid|permit prohibit|grant deny
approve reject|agree disagree|win lose|buy sell|import export|hire fire|arrive depart|enter leave|enter exit
enable disable|connect disconnect|attach detach|lock unlock|add remove|insert delete|expand contract|strengthen weaken
improve worsen|better worse|best worst|success failure|succeed fail|pass fail|true false|legal illegal|valid invalid
possible impossible|complete incomplete|correct incorrect|required optional|mandatory optional|mandatory voluntary
public private|internal external|inside outside|indoor outdoor|left right|north south|east west|hot cold|warm cool
wet dry|heavy light|strong weak|safe dangerous|cheap expensive|rich poor|old new|older newer|young old|male female
positive negative|profit loss|majority minority|temporary permanent|single multiple|ascend descend|front back|day night
majority none|presence absence|present absent|supporter opponent|support oppose|with without
"""
_QUANTIFIERS = {
    "all": ("all", "every", "each", "always", "everyone", "everybody", "everything", "only"),
    "some": ("some", "most", "many", "few", "several", "sometimes", "often", "usually", "rarely", "partly"),
}
_MODALS = {
    "sure": ("will", "must", "shall", "definitely", "certainly"),
    "open": ("may", "might", "could", "possibly", "perhaps", "probably"),
}
QUANTIFIER = {word: kind for kind, words in _QUANTIFIERS.items() for word in words}
UNIVERSAL = frozenset(_QUANTIFIERS["all"]) - {"each"}
"""What a claim may not add; "each" is often no more than "a piece"."""
MODAL = {word: kind for kind, words in _MODALS.items() for word in words}


@lru_cache(maxsize=16)
def opposites(reader: Analyzer) -> frozenset[tuple[str, str]]:
    """Pairs of opposite words, both ways round, in the analyzer's terms."""
    pairs = set()
    for pair in _OPPOSITES.strip().replace("\n", "|").split("|"):
        a, b = (reader.tokens(word)[0].term for word in pair.split())
        pairs |= {(a, b), (b, a)}
    return frozenset(pairs)


def clause(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int]:
    """``start:end`` widened to the nearest clause boundaries of ``text``, within the sentence ``low:high``."""
    left = low
    for match in _BOUNDARY.finditer(text, low, start):
        left = match.end()
    right = _BOUNDARY.search(text, end, high)
    return left, right.start() if right else high


def negators(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the negating words within ``start:end`` of ``text``."""
    return [match.span() for match in NEGATOR.finditer(text, start, end)]
