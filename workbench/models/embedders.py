"""The seam to embedding models: anything that turns texts into an n × d array.

An embedder's identity is its name, version and dimension. Vectors of another identity are never mixed.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from workbench.errors import BackendUnavailable, WorkbenchError


class Embedder(Protocol):
    """What the dense lane needs of an embedding model."""

    @property
    def identity(self) -> str:
        """Name, version and dimension, for example ``wordllama 0.4.0 (256 d)``."""
        ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """The vectors of n texts: n × d. A row of zeros says that the text has no vector."""
        ...


class WordLlamaEmbedder:
    """WordLlama's static 256-dimensional vectors, from the files inside its wheel. Never the network.

    The same text gives the same bits whatever stands beside it in the batch.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return WordLlamaEmbedder, ()  # another process reads the vectors from its own wheel

    @cached_property
    def _model(self) -> Any:
        try:
            import wordllama
        except ImportError as cause:
            raise BackendUnavailable("dense", ("wordllama",), "embed") from cause
        # its own resolver looks in the wrong folder, then goes to the network: name the wheel's folder
        return wordllama.WordLlama.load(dim=256, cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    @cached_property
    def identity(self) -> str:
        return f"wordllama {version('wordllama')} (256 d)"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """float32, n × 256; zeros for a text with no token."""
        if not texts:
            return np.zeros((0, 256), dtype=np.float32)
        return np.asarray(self._model.embed(list(texts)))


class CallableEmbedder:
    """Any ``callable(texts) -> n × d`` as an embedder.

    Raises:
        WorkbenchError: ``model_failed`` with the callable's own words; ``shape_mismatch`` for another
            number of rows, or rows of other lengths than before; ``not_finite``.
    """

    def __init__(self, function: Callable[[list[str]], Any], *, name: str = "", version: str = "") -> None:
        self._function = function
        self._name = name or getattr(function, "__name__", type(function).__name__)
        self._version = version
        self._dimension: int | None = None

    @property
    def settled(self) -> bool:
        """Whether the dimension is known, from a first call."""
        return self._dimension is not None

    @property
    def identity(self) -> str:
        size = "dimension not known yet" if self._dimension is None else f"{self._dimension} d"
        return " ".join(part for part in (self._name, self._version, f"({size})") if part)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        try:
            vectors = np.asarray(self._function(list(texts)), dtype=np.float64)
        except Exception as cause:
            raise WorkbenchError(
                "model_failed", f"embedder {self._name} failed: {type(cause).__name__}: {cause}"
            ) from cause
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise WorkbenchError(
                "shape_mismatch",
                f"embedder {self._name} gave shape {vectors.shape} for {len(texts)} texts: give one row a text",
            )
        if not np.isfinite(vectors).all():
            row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
            raise WorkbenchError(
                "not_finite", f"embedder {self._name} gave NaN or infinity for text {row}: {texts[row]!r:.60}", row=row
            )
        if self._dimension is not None and vectors.shape[1] != self._dimension:
            raise WorkbenchError(
                "shape_mismatch",
                f"embedder {self._name} gave {vectors.shape[1]} dimensions, and {self._dimension} before",
            )
        self._dimension = int(vectors.shape[1])
        return vectors


def settled_identity(embedder: Embedder, text: str) -> str:
    """The identity with its dimension in it: a callable's is learnt by embedding ``text``, where nothing was embedded yet.

    Raises:
        WorkbenchError: what the embedder raises.
    """
    if isinstance(embedder, CallableEmbedder) and not embedder.settled:
        embedder.embed([text])
    return embedder.identity


def as_embedder(given: Any) -> Embedder | None:
    """``"wordllama"``, None, an Embedder, or a callable, as an Embedder (None stays None)."""
    if given is None or (hasattr(given, "embed") and hasattr(given, "identity")):
        embedder: Embedder | None = given
        return embedder
    if given == "wordllama":
        return WordLlamaEmbedder()
    if callable(given):
        return CallableEmbedder(given)
    raise WorkbenchError(
        "wrong_type",
        f"embedder is {given!r}: give 'wordllama', None, a callable(texts) -> n × d, or an object with .embed and .identity",
    )
