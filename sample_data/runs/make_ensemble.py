"""How ``langchain_ensemble.json`` was made: LangChain's EnsembleRetriever, asked one question over the two runs beside it.

Needs the extra ``parity``. The order is recorded so that a notebook can show it where LangChain is absent.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from workbench.formats import read_run

HERE = Path(__file__).parent
QUESTION = "q001"
WEIGHTS = (0.6, 0.4)
C = 60


def ensemble(question: str = QUESTION) -> Any:
    """The ensemble over ``lexical.trec`` and ``dense.trec``; a document is told by the ``id`` in its metadata."""
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Recorded(BaseRetriever):
        ids: tuple[str, ...]

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(page_content=id, metadata={"id": id}) for id in self.ids]

    retrievers = []
    for name in ("lexical", "dense"):
        lane = read_run(HERE / f"{name}.trec", lane=name)[question][name]
        retrievers.append(Recorded(ids=lane.ids, name=name))
    return EnsembleRetriever(retrievers=retrievers, weights=list(WEIGHTS), c=C, id_key="id")


def main() -> None:
    order = [document.metadata["id"] for document in ensemble().invoke(QUESTION)]
    record = {
        "versions": {name: version(name) for name in ("langchain-core", "langchain-classic")},
        "question": QUESTION,
        "lanes": ["lexical", "dense"],
        "weights": list(WEIGHTS),
        "c": C,
        "order": order,
    }
    (HERE / "langchain_ensemble.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
