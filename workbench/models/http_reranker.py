"""A reranker behind an HTTP API of the shape that Cohere and Jina serve (C11)."""

import math
from collections.abc import Sequence
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.models.http import Server
from workbench.models.rerankers import Candidate


class HttpReranker:
    """POST ``{base_url}/rerank`` with ``{model, query, documents}``; reads ``results[]`` of ``{index, relevance_score}``.

    Every candidate is scored once, or there is an error and nothing is reranked. Times out, tries again and keeps
    ``api_key`` to itself as ``workbench.models.http.Server`` says.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 2,
        backoff: float = 0.5,
    ) -> None:
        self._server = Server(base_url, api_key=api_key, timeout=timeout, retries=retries, backoff=backoff)
        self.model = checks.text("model", model)
        self.name = f"http {model}"
        self.score_model = f"relevance_score({model})"

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> list[tuple[str, float]]:
        """(id, relevance score) of each candidate, in the order given.

        Raises:
            WorkbenchError: ``model_timed_out``, ``model_failed`` (HTTP errors; an index that is missing, repeated or
                out of range; another shape), ``not_finite``.
        """
        if not candidates:
            return []
        payload = {"model": self.model, "query": checks.query_text(query), "documents": [c.text for c in candidates]}
        answer = self._server.post("/rerank", payload)
        scores = self._scores(answer, len(candidates))
        return [(c.id, scores[place]) for place, c in enumerate(candidates)]

    def _scores(self, answer: Any, size: int) -> dict[int, float]:
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise self._wrong(f"answered {answer!r:.200}, which has no list of results")
        scores: dict[int, float] = {}
        for row in results:
            index = row.get("index") if isinstance(row, dict) else None
            if not isinstance(index, int) or isinstance(index, bool):
                raise self._wrong(f"gave {row!r:.200}, which has no index")
            if not 0 <= index < size:
                raise self._wrong(f"gave the index {index}, and there are {size} documents")
            if index in scores:
                raise self._wrong(f"gave the index {index} twice")
            scores[index] = self._score(row.get("relevance_score"), index)
        missing = [index for index in range(size) if index not in scores]
        if missing:
            raise self._wrong(f"left out {len(missing)} of {size} documents, the first at index {missing[0]}")
        return scores

    def _score(self, value: Any, index: int) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(f"gave the relevance_score {value!r:.80} at index {index}")
        try:
            score = float(value)
        except OverflowError:
            score = math.inf
        if not math.isfinite(score):
            raise WorkbenchError(
                "not_finite", f"{self.name} at {self._server.base_url} gave {score!r} at index {index}"
            )
        return score

    def _wrong(self, what: str) -> WorkbenchError:
        return WorkbenchError(
            "model_failed",
            self._server.hide(f"{self.name} at {self._server.base_url} {what}: it has to score each document once"),
        )

    def __repr__(self) -> str:
        return f"HttpReranker({self._server.base_url!r}, {self.model!r})"
