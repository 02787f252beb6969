"""Counts tokens: which documents hold a term, and how often. Term after term, documents ascending."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """p postings of V terms in n documents; those of term t stand at ``starts[t]:starts[t + 1]``."""

    term: dict[str, int]
    """Term → its number."""
    starts: np.ndarray
    """V + 1."""
    document: np.ndarray
    """p int32, ascending within a term."""
    tf: np.ndarray
    """p, of the smallest unsigned kind that holds them."""
    length: np.ndarray
    """n int64: tokens a document."""

    @property
    def df(self) -> np.ndarray:
        """V: the documents that hold each term."""
        return np.diff(self.starts)

    @property
    def codes(self) -> np.ndarray:
        """p int32: the number of each posting's term."""
        return np.repeat(np.arange(len(self.term), dtype=np.int32), self.df)

    def kept(self, keep: np.ndarray) -> "Postings":
        """Those of the documents that ``keep`` (n bools) marks, numbered anew in their order. A term that no document holds any more is gone."""
        if keep.all():
            return self
        held = keep[self.document]
        counts = np.bincount(self.codes[held], minlength=len(self.term))
        alive = counts > 0
        terms = [term for term, live in zip(self.term, alive.tolist(), strict=True) if live]
        number = np.cumsum(keep, dtype=np.int32) - np.int32(1)
        return Postings(
            {term: code for code, term in enumerate(terms)},
            _starts(counts[alive]),
            number[self.document[held]],
            self.tf[held],
            self.length[keep],
        )

    def merged(self, rows: np.ndarray, other: "Postings", other_rows: np.ndarray) -> "Postings":
        """These and those of other documents in one; ``rows`` and ``other_rows``, both ascending, are the documents' new numbers."""
        term = dict(self.term)
        code_of = np.array([term.setdefault(each, len(term)) for each in other.term], dtype=np.int32)
        codes = np.concatenate([self.codes, code_of[other.codes]])
        document = np.concatenate([rows[self.document], other_rows[other.document]]).astype(np.int32)
        size = len(rows) + len(other_rows)
        # one long sorted run and a short one: a stable sort merges them in about one pass
        by_term = np.argsort(codes.astype(np.int64) * size + document, kind="stable")
        length = np.empty(size, dtype=np.int64)
        length[rows], length[other_rows] = self.length, other.length
        tf = np.concatenate([self.tf, other.tf])[by_term]
        return Postings(term, _starts(np.bincount(codes, minlength=len(term))), document[by_term], tf, length)


def count(documents: Sequence[Sequence[str]], ids: Sequence[str]) -> Postings:
    """The postings of tokenised ``documents``; ``ids`` name them in a refusal (``wrong_type``)."""
    for id, tokens in zip(ids, documents, strict=True):
        if isinstance(tokens, str) or not hasattr(tokens, "__len__"):
            raise WorkbenchError(
                "wrong_type", f"the tokens of {id!r} are {tokens!r:.80}: give a list of tokens, one text each", id=id
            )
    length = np.array([len(tokens) for tokens in documents], dtype=np.int64)
    term: defaultdict[str, int] = defaultdict()
    term.default_factory = term.__len__
    try:
        codes = np.fromiter(map(term.__getitem__, chain.from_iterable(documents)), dtype=np.int32, count=length.sum())
    except TypeError:  # an unhashable token
        _refuse_first_odd(documents, ids)
        raise
    if not all(isinstance(each, str) for each in term):
        _refuse_first_odd(documents, ids)

    by_term = _stable_order(codes)
    codes = codes[by_term]
    owner = np.repeat(np.arange(len(documents), dtype=np.int32), length)[by_term]
    first = np.ones(len(codes), dtype=bool)
    first[1:] = (codes[1:] != codes[:-1]) | (owner[1:] != owner[:-1])
    at = np.flatnonzero(first)
    tf = np.diff(at, append=len(codes))
    starts = _starts(np.bincount(codes[at], minlength=len(term)))
    smallest = np.min_scalar_type(int(tf.max(initial=0)))
    return Postings(dict(term), starts, owner[at], tf.astype(smallest), length)


def _starts(counts: np.ndarray) -> np.ndarray:
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def _stable_order(codes: np.ndarray) -> np.ndarray:
    """``argsort(codes, kind="stable")`` in two halves: numpy counts 16-bit keys, and only compares longer ones."""
    low = np.argsort(codes.astype(np.uint16), kind="stable")
    high: np.ndarray = (codes >> 16).astype(np.uint16)
    if not high.any():
        return low
    return low[np.argsort(high[low], kind="stable")]


def _refuse_first_odd(documents: Sequence[Sequence[str]], ids: Sequence[str]) -> None:
    for id, tokens in zip(ids, documents, strict=True):
        for place, token in enumerate(tokens, start=1):
            if not isinstance(token, str):
                raise WorkbenchError(
                    "wrong_type",
                    f"token {place} of {id!r} is {token!r:.80} ({type(token).__name__}): a token is text",
                    id=id,
                )
