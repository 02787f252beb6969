"""Entities: what is a name, a term, a word of code, and what is not."""

import random

import pytest

from workbench.corpus.chunking import chunk
from workbench.corpus.entities import Entity, entities
from workbench.kernels.analysis import analyzer
from workbench.records import Document

AGREEMENT = """# Heat Supply Agreement

Corvane Metering Ltd (the "Supplier") shall visit Halden Quay. The **Service Credit** is due.

**Service Credit** means a sum, worked out under Schedule B. **Dwelling** has the meaning given in clause 2.

“Contract Year” means twelve months. By the Contract Year Corvane shall act. Brackwater's Company Secretary signs.

| Ref | Monthly Charge Table |
|---|---|
| Every Service Credit | Bank of England rate |
"""
CODE = """Call `parse_reading` or getUserById; see E-4107, ERR_RATE, `db-a`, client.search(q) and `hour`.

Service Credits are paid late. Dwelling heat is paid. In every Dwelling there is one. Some dwelling is not. Paid monthly.

「暖房」と《利用規則》がある。「行く。」と言った。
"""
DOCUMENTS = (
    Document("a.md", AGREEMENT),
    Document("b.md", CODE),
    Document("c.md", "Nothing to name here. Really. Yes."),
)


def found(*documents: Document, size: int = 500) -> dict[str, Entity]:
    passages = [p for d in documents for p in chunk(d, size=size, overlap=0)]
    return {e.label: e for e in entities(documents, passages, analyzer=analyzer("english"))}


def test_each_kind_is_found() -> None:
    kinds = {label: e.kind for label, e in found(*DOCUMENTS).items()}
    assert {label for label, kind in kinds.items() if kind == "term"} == {
        *("Supplier", "Service Credit", "Dwelling", "Contract Year", "暖房", "利用規則")
    }
    assert {label for label, kind in kinds.items() if kind == "identifier"} == {
        *("parse_reading", "getUserById", "E-4107", "ERR_RATE", "db-a", "client.search")
    }
    assert {label for label, kind in kinds.items() if kind == "name"} == {
        *("Corvane Metering Ltd", "Halden Quay", "Schedule B", "Company Secretary", "Bank of England")
    }


@pytest.mark.parametrize(
    "text",
    [
        "Really. Nothing here is named.",
        "Heating is off. The Heating is on, and Heating stays.",
        "Say `hour`, `200` or `a b`.",
        "# Every Heading Has Capitals\n\ntext",
        "```\nBig Words In Code\n```",
        "On heat Meters. Heat Meters are new.",
    ],
)
def test_what_is_no_entity(text: str) -> None:
    assert found(Document("d", text)) == {}


def test_a_term_counts_wherever_it_is_written_and_its_plural_is_the_same_entity() -> None:
    at_large = found(*DOCUMENTS, size=60)
    assert {id.split("#")[0] for id in at_large["Service Credit"].passage_ids} == {"a.md", "b.md"}
    # of one word: in another document only with a capital inside a sentence
    dwellings = at_large["Dwelling"].passage_ids
    texts = {p.id: p.text for p in chunk(DOCUMENTS[1], size=60, overlap=0)}
    assert [texts[id] for id in dwellings if id in texts] == ["In every Dwelling there is one. Some dwelling is not."]


def test_any_order_of_documents_gives_the_same_entities() -> None:
    passages = [p for d in DOCUMENTS for p in chunk(d)]
    expected = entities(DOCUMENTS, passages, analyzer=analyzer("plain"))
    for seed in range(5):
        shuffled, pieces = list(DOCUMENTS), list(passages)
        random.Random(seed).shuffle(shuffled)
        random.Random(seed).shuffle(pieces)
        assert entities(shuffled, pieces, analyzer=analyzer("plain")) == expected


def test_labels_are_read_by_the_analyzer_of_the_text() -> None:
    for label in found(*DOCUMENTS):
        assert analyzer("english").terms(label)
    assert entities((), (), analyzer=analyzer("english")) == ()
