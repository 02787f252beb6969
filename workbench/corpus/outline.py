"""Headings of a document as structure nodes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.kernels.markdown import lines
from workbench.records import Document, Passage

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


@dataclass(frozen=True, slots=True)
class Node:
    """A heading and what stands under it: code points ``start:end`` of the document, up to the next heading that is not deeper."""

    document_id: str
    label: str
    level: int
    start: int
    end: int
    path: tuple[str, ...] = ()
    """The headings above it, outermost first."""


def outline(document: Document) -> tuple[Node, ...]:
    """The document's Markdown headings in text order; () where it has none. Fenced code makes no heading.

    Labels are the words of the heading, without markup. A heading without words is passed over.
    """
    text = document.text
    headings = [
        (line, label)
        for line in lines(text)
        if line.kind == "heading" and (label := plain(text[line.content : line.end]))
    ]
    nodes: list[Node] = []
    above: list[tuple[int, str]] = []
    for place, (line, label) in enumerate(headings):
        while above and above[-1][0] >= line.level:
            above.pop()
        end = next((later.start for later, _ in headings[place + 1 :] if later.level <= line.level), len(text))
        nodes.append(Node(document.id, label, line.level, line.start, end, tuple(name for _, name in above)))
        above.append((line.level, label))
    return tuple(nodes)


def passages_under(node: Node, passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """The passages that hold text under ``node``, its own heading included, in the order given."""
    return tuple(
        p
        for p in passages
        if p.document_id == node.document_id
        and p.start is not None
        and p.end is not None
        and p.start < node.end
        and p.end > node.start
    )


def plain(label: str) -> str:
    """The words of a heading: without links, emphasis, code marks and closing hashes."""
    bare = re.sub(r"(?:^|[ \t])#+[ \t]*$", "", label)
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", bare)).split())
