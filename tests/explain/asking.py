"""Law 3 for any answer: every number of its sentence stands in the Trace, in the answer's record, or is a difference of two."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from workbench.explain import words
from workbench.records import Run


def numbers_in(value: Any) -> Iterator[float]:
    """Every number that a record holds, however deep."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, np.ndarray):
        yield from (float(x) for x in value.ravel() if x == x)
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from numbers_in(getattr(value, each.name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from numbers_in(item)


def check_law_3(run: Run, answer: Any) -> int:
    """Raises AssertionError for a number that stands nowhere; gives how many were looked at."""
    own = set(numbers_in(answer))
    held = own | set(numbers_in(run.fusion)) | set(numbers_in(run.reranking)) | set(numbers_in(run.config))
    allowed = {words.number(abs(n)) for n in held} | {str(int(n)) for n in held if n.is_integer()}
    sentence = answer.sentence
    for name in sorted(_names(run, answer), key=len, reverse=True):
        sentence = sentence.replace(name, "")
    ordinals = re.findall(r"\b(\d+)(?:st|nd|rd|th)\b", sentence)
    assert all(float(each) in held for each in ordinals), (ordinals, answer.sentence)
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-\d+)?(?!\w)", sentence)
    for number in numbers:
        assert number in allowed, (number, answer.sentence)
    return len(ordinals) + len(numbers)


def _names(run: Run, answer: Any) -> set[str]:
    """Ids, titles and headings: their digits are names, not numbers. So is what the record quotes."""
    known = dict(run.passages)
    source = getattr(run, "_source", None)
    if source is not None:
        known |= source.passages
    found = {p.id for p in known.values()} | {p.document_id for p in known.values()} | {p.title for p in known.values()}
    found |= {words.clip(p.headings[-1], 60) for p in known.values() if p.headings}
    found |= {lane.score_model for lane in run.lanes}
    return {name for name in found | {getattr(answer, "asked", ""), getattr(answer, "said", "")} if name}
