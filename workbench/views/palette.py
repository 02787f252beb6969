"""How lanes are told apart: a hue of Okabe and Ito's palette, a pattern and a letter each. Written once for every view."""

HUES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c00", "#7f7f7f")
PATTERNS = (
    "",
    "repeating-linear-gradient(45deg,#fff6 0 2px,#fff0 2px 6px)",
    "repeating-linear-gradient(90deg,#fff6 0 2px,#fff0 2px 5px)",
    "repeating-linear-gradient(135deg,#fff6 0 2px,#fff0 2px 6px)",
    "repeating-linear-gradient(0deg,#fff6 0 2px,#fff0 2px 5px)",
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def hue(place: int) -> str:
    """The colour of the lane at ``place``."""
    return HUES[place % len(HUES)]


def pattern(place: int) -> str:
    """The lane's pattern over its colour, ``none`` for the first."""
    return PATTERNS[place % len(PATTERNS)] or "none"


def letter(place: int) -> str:
    """The lane's letter."""
    return LETTERS[place % len(LETTERS)]
