"""Wiki pages: summary, keywords, evidence and links."""

import random
import subprocess
import sys

from workbench.corpus.chunking import chunk
from workbench.corpus.digest import digest
from workbench.corpus.entities import entities
from workbench.kernels.analysis import analyzer
from workbench.records import Document

HEAT = """# Heating

Thank you. The heating runs from October to April at Halden Quay and stops when radiators reach twenty degrees.
Radiators are bled by the tenant with a small brass key from the office.

- The thermostat controls radiators in every room except the bathroom and hall.

| radiators | radiators radiators radiators radiators |
|---|---|

Good luck. A failed thermostat is exchanged within four hours at Halden Quay in the cold months.
"""
DOCUMENTS = (
    Document("heat.md", HEAT, "Heating"),
    Document(
        "park.md", "Parking at Halden Quay costs 30 crowns. Call `open_barrier` at the `open_barrier` gate.", "Parking"
    ),
    Document("pets.md", "Dogs need consent. Cats do not."),
    Document("signs.md", "---"),
    Document("blank.md", " \n"),
)


def pages(*documents: Document) -> dict[str, object]:
    passages = [p for d in documents for p in chunk(d)]
    english = analyzer("english")
    made = digest(documents, passages, entities(documents, passages, analyzer=english), analyzer=english)
    return {page.document_id: page for page in made}


def test_C9_a_page_summarises_and_cites_every_passage_of_its_document() -> None:
    page = pages(*DOCUMENTS)["heat.md"]
    assert page.id == "heat.md#page"
    assert page.title == "Heating"
    assert page.passage_ids == tuple(p.id for p in chunk(DOCUMENTS[0]))
    assert "Thank you" not in page.summary
    assert "|" not in page.summary
    assert "# " not in page.summary
    # in the document's order, list markers off, wrapped lines joined
    places = [HEAT.replace("\n", " ").index(part) for part in ("The heating", "Radiators are bled", "The thermostat")]
    assert places == sorted(places)
    assert page.summary.count(".") == 3


def test_keywords_are_words_as_written_rarest_and_most_frequent_first() -> None:
    made = pages(*DOCUMENTS)
    assert made["heat.md"].keywords[0] == "radiators"
    assert made["park.md"].keywords[0] == "open_barrier"
    assert not {"open", "barrier", "30"} & set(made["park.md"].keywords)


def test_pages_link_documents_that_name_the_same_things() -> None:
    made = pages(*DOCUMENTS)
    assert made["heat.md"].links == ("park.md",)
    assert made["park.md"].links == ("heat.md",)
    assert made["pets.md"].links == ()


def test_a_document_without_passages_has_no_page_and_one_without_words_an_empty_summary() -> None:
    made = pages(*DOCUMENTS)
    assert "blank.md" not in made
    assert made["signs.md"].summary == ""
    assert made["signs.md"].keywords == ()
    assert made["pets.md"].title == "pets.md"


def test_any_order_of_documents_gives_the_same_pages() -> None:
    expected = pages(*DOCUMENTS)
    for seed in range(5):
        shuffled = list(DOCUMENTS)
        random.Random(seed).shuffle(shuffled)
        assert pages(*shuffled) == expected


def test_the_hash_seed_changes_nothing() -> None:
    code = (
        "from tests.corpus.test_digest import DOCUMENTS, pages\n"
        "from tests.corpus.test_entities import DOCUMENTS as MORE, found\n"
        "print(pages(*DOCUMENTS, *MORE), found(*MORE))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
