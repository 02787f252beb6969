"""Headings as structure nodes, and the passages under them."""

from workbench.corpus.chunking import chunk
from workbench.corpus.outline import outline, passages_under
from workbench.records import Document

TEXT = """intro

# One `code` **bold** [link](http://x) ##
a

## Two
b

```
# no heading
```

### Three
c

#Not a heading
Under
-----
d

# Four
"""


def test_headings_become_nodes_with_level_path_and_reach() -> None:
    nodes = outline(Document("d", TEXT))
    assert [(n.label, n.level, n.path) for n in nodes] == [
        ("One code bold link", 1, ()),
        ("Two", 2, ("One code bold link",)),
        ("Three", 3, ("One code bold link", "Two")),
        ("Four", 1, ()),
    ]
    assert [TEXT[n.start :].splitlines()[0] for n in nodes[1:]] == ["## Two", "### Three", "# Four"]
    assert [n.end for n in nodes] == [nodes[3].start, nodes[3].start, nodes[3].start, len(TEXT)]


def test_an_underlined_heading_counts_and_a_rule_does_not() -> None:
    assert [(n.label, n.level) for n in outline(Document("d", "Top\n===\n\nSub\n---\n\ntext\n\n---\nmore"))] == [
        *(("Top", 1), ("Sub", 2))
    ]


def test_a_document_without_headings_has_no_outline() -> None:
    assert outline(Document("d", "just text\n\n#hashtag and 3 # 4")) == ()
    assert outline(Document("d", "# \n##\n")) == ()


def test_every_passage_under_a_node_is_returned_and_no_other() -> None:
    document = Document("d", TEXT)
    passages = chunk(document, size=40, overlap=0)
    under = {n.label: [p.text.split("\n")[0] for p in passages_under(n, passages)] for n in outline(document)}
    assert under["Four"] == ["# Four"]
    assert under["Two"] == ["## Two", "### Three", *under["Three"][1:]]
    assert len(under["One code bold link"]) == len(passages) - 2
    other = chunk(Document("e", TEXT), size=40, overlap=0)
    assert passages_under(outline(document)[0], other) == ()
