"""A cross-encoder in this process, by sentence-transformers (R5). Opt-in: ``pip install 'retrieval-workbench[cross-encoder]'``."""

import math
from collections.abc import Sequence
from typing import Any

from workbench import checks
from workbench.errors import BackendUnavailable, WorkbenchError
from workbench.models.rerankers import Candidate


class CrossEncoderReranker:
    """Scores each (query, text) pair by the sigmoid of the model's logit.

    ``model``: the folder of a model, a name that sentence-transformers has on this machine, or a CrossEncoder. A
    name is not fetched from the network unless ``download`` says so.

    Raises:
        BackendUnavailable: naming sentence-transformers, where it is not installed.
        WorkbenchError: ``model_failed`` for a model that cannot be loaded or has more than one label.
    """

    def __init__(self, model: Any, *, download: bool = False, batch_size: int = 32) -> None:
        self._batch = checks.whole("batch_size", batch_size)
        if isinstance(model, str):
            self._model, called = _loaded(model, download), model
        else:
            self._model, called = model, str(getattr(model, "model_name", "") or type(model).__name__)
        labels = getattr(getattr(self._model, "config", None), "num_labels", 1)
        if not callable(getattr(self._model, "predict", None)) or labels != 1:
            raise WorkbenchError(
                "model_failed", f"{called!r} is no cross-encoder with one label: it has {labels} labels; give one that scores relevance"
            )  # fmt: skip
        self.name = "cross-encoder"
        self.score_model = f"sigmoid(logit,{called.rstrip('/').rsplit('/', 1)[-1]})"

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> list[tuple[str, float]]:
        """(id, sigmoid of the logit) of each candidate, in the order given.

        Raises:
            WorkbenchError: ``not_finite`` for a logit that is NaN.
        """
        if not candidates:
            return []
        from torch.nn import Identity

        pairs = [(query, c.text) for c in candidates]
        logits = self._model.predict(
            pairs, activation_fn=Identity(), batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True
        ).tolist()
        scored = []
        for candidate, logit in zip(candidates, logits, strict=True):
            if math.isnan(logit):
                raise WorkbenchError("not_finite", f"{self.name} gave NaN for {candidate.id!r}", id=candidate.id)
            scored.append((candidate.id, sigmoid(logit)))
        return scored


def sigmoid(logit: float) -> float:
    """1/(1 + e⁻ˣ), by the side that does not overflow."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    grown = math.exp(logit)
    return grown / (1 + grown)


def _loaded(model: str, download: bool) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as cause:
        raise BackendUnavailable("cross-encoder", ("sentence-transformers",), "rerank") from cause
    try:
        return CrossEncoder(model, local_files_only=not download)
    except Exception as cause:
        raise WorkbenchError(
            "model_failed",
            f"cross-encoder {model!r} cannot be loaded: {type(cause).__name__}: {cause}: give the folder of a model, or download=True",
        ) from cause
