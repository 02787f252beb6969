"""The seam to answer generators: none, the extractive one, or any ``callable(query, passages) -> str``."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.kernels import sentences
from workbench.kernels.analysis import Analyzer
from workbench.records import Passage

_MARKER = re.compile(r"^(?:>\s*|[-*+]\s+|\d+[.)]\s+)+")
"""A quotation or list marker is the page's, not the sentence's."""
Generator = Callable[[str, Sequence[Passage]], str]


class ExtractiveGenerator:
    """An answer with no model: the evidence sentences that cover the query best, word for word.

    A sentence scores the number of distinct query terms in it; ties go to the better passage, then to
    the earlier sentence. Up to ``most`` are taken, each adding a query term that those before it lack
    (the first one is always taken), and set down in order of evidence.
    """

    name = "extractive"

    def __init__(self, analyzer: Analyzer, most: int = 2) -> None:
        self._analyzer, self._most = analyzer, most

    def __call__(self, query: str, passages: Sequence[Passage]) -> str:
        wanted = frozenset(self._analyzer.terms(query))
        found = []
        for place, passage in enumerate(passages):
            for start, end in sentences.split(passage.text):
                text = passage.text[start:end]
                terms = self._analyzer.terms(text)
                if text.startswith("#") or not terms:
                    continue
                found.append((-len(wanted.intersection(terms)), place, start, text, wanted.intersection(terms)))
        found.sort(key=lambda row: row[:3])
        taken: list[tuple[int, int, str]] = []
        covered: set[str] = set()
        for _, place, start, text, terms_in in found:
            repeats = any(text == other for _, _, other in taken)
            if len(taken) < self._most and not repeats and (not taken or terms_in - covered):
                taken.append((place, start, " ".join(_MARKER.sub("", text).split())))
                covered |= terms_in
        return " ".join(text for _, _, text in sorted(taken))


def as_generator(given: Any, analyzer: Analyzer) -> Generator | None:
    """None, ``"extractive"``, or a ``callable(query, passages) -> str``."""
    if given is None:
        return None
    if isinstance(given, str):
        checks.one_of("generator", given, ("extractive",), "unknown_parameter")
        return ExtractiveGenerator(analyzer)
    if not callable(given):
        raise WorkbenchError(
            "wrong_type", f"generator is {given!r}: give None, 'extractive' or a callable(query, passages) -> str"
        )
    generator: Generator = given
    return generator


def generator_name(generator: Generator | None) -> str:
    """What a Trace calls that generator; empty for none."""
    return (
        ""
        if generator is None
        else str(getattr(generator, "name", getattr(generator, "__name__", type(generator).__name__)))
    )


def generated(generator: Generator, query: str, passages: Sequence[Passage]) -> str:
    """The generator's answer.

    Raises:
        WorkbenchError: ``model_failed`` when it raises or returns no text.
    """
    try:
        answer = generator(query, tuple(passages))
    except WorkbenchError:
        raise
    except Exception as cause:
        raise WorkbenchError(
            "model_failed", f"generator {generator_name(generator)} failed: {type(cause).__name__}: {cause}"
        ) from cause
    if not isinstance(answer, str):
        raise WorkbenchError(
            "model_failed", f"generator {generator_name(generator)} returned {answer!r:.80}: a generator returns text"
        )
    return answer
