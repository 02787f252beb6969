"""Numbers as other programs print them, read without guessing."""

import math
import re

from workbench.errors import WorkbenchError

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_NATURAL = re.compile(r"\+?\d+")
_WHOLE = re.compile(r"[+-]?\d+")


def decimal(text: str, where: str) -> float:
    """A score. Exponents are read; thousands separators, decimal commas, NaN and infinity are refused."""
    if _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    hint = "; write it without a thousands separator and with a decimal point" if "," in text else ""
    raise WorkbenchError(
        "malformed_line", f"{where} has the score {text!r}: give a finite decimal number{hint}", value=text
    )


def natural(text: str, where: str, what: str, *, negative: bool = False) -> int:
    """A rank (0, 1, 2, …), or with ``negative`` a grade."""
    if (_WHOLE if negative else _NATURAL).fullmatch(text):
        return int(text)
    kind = "a whole number" if negative else "a whole number from 0"
    raise WorkbenchError("malformed_line", f"{where} has the {what} {text!r}: give {kind}", value=text)
