"""BEIR's layout. ``read_beir`` is the corpus reader's; here is what it takes to write its judgements."""

from collections.abc import Mapping
from pathlib import Path

from workbench.corpus.jsonl import read_beir
from workbench.errors import WorkbenchError
from workbench.formats.textfile import write_text

__all__ = ["read_beir", "write_beir_qrels"]


def write_beir_qrels(path: str | Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    """Writes ``qrels/{split}.tsv``: a header, then query id, document id and relevance by tabs.

    Raises:
        WorkbenchError: ``malformed_line`` for an id that holds a tab or a line break.
    """
    lines = ["query-id\tcorpus-id\tscore"]
    for query, judged in qrels.items():
        for document, grade in judged.items():
            for id in (query, document):
                if not id or any(sign in id for sign in "\t\r\n"):
                    raise WorkbenchError("malformed_line", f"the id {id!r} holds a tab, a line break or nothing", id=id)
            lines.append(f"{query}\t{document}\t{grade:d}")
    write_text(path, lines, {})
