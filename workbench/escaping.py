"""Text of documents, queries, ids and metadata is data: made visible, then escaped, before any view shows it."""

import html
import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for the tab and the new line
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of direction
    "\ud800-\udfff]"  # halves of a pair, which no file can hold
)


def visible(text: str) -> str:
    """``text`` with characters that could hide or reorder it written out: controls and direction marks as ⟨U+202E⟩."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def escaped(text: str) -> str:
    """``text`` as it may stand in HTML, in an element or in a quoted attribute."""
    return html.escape(visible(text), quote=True)
