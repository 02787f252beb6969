"""Azure AI Search responses: ``value`` with ``@search.score``, and ``@search.rerankerScore`` of the semantic ranker."""

from collections.abc import Sequence
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.formats.engine import EngineAnswer, answered_lane, mapping, single
from workbench.records import Passage

_SCORE, _RERANKED = "@search.score", "@search.rerankerScore"


def read_azure(response: Any, *, key: str, text: str | None = None, title: str | None = None) -> EngineAnswer:
    """A response as the engine's own ranking. The two scores are of two scales and never stand in one lane.

    Args:
        key: the index's key field, the documents' ids.
        text, title: fields to take as the passage's text and title.

    Where every document has a semantic score (0 to 4), that one made the order and is the lane's; the fused
    score stands in the details. The lists behind a fused score are not told.

    Raises:
        WorkbenchError: ``wrong_type``, ``missing_id``, ``repeated_id``.
    """
    rows = mapping(response, "response").get("value")
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise WorkbenchError("wrong_type", f"value of the response is {rows!r:.60}: give a search response")
    notes: list[str] = []
    read: list[tuple[str, float | None, float | None]] = []
    payload: dict[str, Passage] = {}
    for place, item in enumerate(rows, start=1):
        row = mapping(item, f"row {place}")
        id = checks.item_id(row.get(key), f"row {place}, field {key!r},")
        read.append(
            (id, single(row.get(_SCORE), f"{_SCORE} of {id!r}"), single(row.get(_RERANKED), f"{_RERANKED} of {id!r}"))
        )
        said = {name: row[name] for name in (text, title) if name is not None and isinstance(row.get(name), str)}
        if said:
            payload[id] = Passage(id, id, said.get(text or "", ""), 0, title=said.get(title or "", ""))
    semantic = [score for _, _, score in read if score is not None]
    if semantic and len(semantic) < len(read):
        notes.append(
            f"only {len(semantic)} of {len(read)} documents have a {_RERANKED}: two scales order this page, so its lane has no scores"
        )
    by_semantic = bool(semantic) and len(semantic) == len(read)
    if by_semantic:
        notes.append(
            f"the order is the semantic ranker's ({_RERANKED}); {_SCORE} is the score before it, of another scale"
        )
    scores = [(id, reranked if by_semantic else None if semantic else score) for id, score, reranked in read]
    detail = {id: {"score": score, "reranker_score": reranked} for id, score, reranked in read}
    return EngineAnswer(
        "azure", answered_lane("azure", "azure", scores, notes, detail=detail, payload=payload), notes=tuple(notes)
    )
