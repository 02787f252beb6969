"""Text of documents, queries, ids and metadata is data: made visible, then escaped, before any view shows it."""

import html
import unicodedata

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str) -> str:
    """``text`` with characters that could hide or reorder it written out: controls and direction marks as ⟨U+202E⟩."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(c) for c in text)


def escaped(text: str) -> str:
    """``text`` as it may stand in HTML, in an element or in a quoted attribute."""
    return html.escape(visible(text), quote=True)


def _shown(character: str) -> str:
    if character in "\n\t":
        return character
    if character in _BIDI or unicodedata.category(character) in ("Cc", "Cs"):
        return f"⟨U+{ord(character):04X}⟩"
    return character
