"""A small corpus, a toy embedder and what a store's tests share."""

from collections.abc import Sequence
from typing import Any

from workbench import Document, Workbench
from workbench.models.embedders import CallableEmbedder


def document(number: int, version: int = 1, sections: int = 3) -> Document:
    """A document whose every passage names its number and version."""
    parts = [
        f"## Part {part}\n\nThe Night Desk of house {number} in version {version} answers part {part} of the rent ledger. "
        f"Its caretaker reads meter M-{number}-{part}."
        for part in range(sections)
    ]
    return Document(f"d{number:03}", "\n\n".join(parts), title=f"House {number}", metadata={"version": version})  # type: ignore[arg-type]


def letters(texts: Sequence[str]) -> list[list[float]]:
    """How often a text holds eight letters: a toy that needs no model."""
    return [[float(text.lower().count(letter)) for letter in "aeinorst"] for text in texts]


def toy(version: str = "1") -> CallableEmbedder:
    return CallableEmbedder(letters, name="toy", version=version)


def bench(documents: Sequence[Document] = (), **options: Any) -> Workbench:
    return Workbench(documents, **{"embedder": toy(), **options})
