"""BM25 that can be taken apart: a score is the left fold of the very entries that its explanation shows.

The formulas stand in ``bm25_weights``. What a term adds to a document is computed once, when the index
is built, and only read and added afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.kernels import topk
from workbench.kernels.bm25_postings import Postings, count
from workbench.kernels.bm25_results import BM25Result, TermScore
from workbench.kernels.bm25_weights import VARIANTS, Scoring
from workbench.kernels.id_order import IdOrder


@dataclass(frozen=True, slots=True)
class _Column:
    """One term, as a query reads it: the documents that hold it, and what it adds."""

    rows: np.ndarray
    weights: np.ndarray
    absent: float | None
    whole: np.ndarray | None
    positive: bool


@dataclass(frozen=True, slots=True, eq=False)
class BM25Index:
    """Postings with their weights, over documents kept in ascending id order, so that ties cost nothing.

    Made by ``build``. Safe to share between threads.
    """

    scoring: Scoring
    _order: IdOrder
    _postings: Postings
    _mean_length: float
    _idf: np.ndarray
    _weight: np.ndarray
    """p float64: the entries."""
    _positive: np.ndarray
    """V: is every entry of the term above 0?"""
    _whole: dict[int, np.ndarray]
    """Number of a term that more than half of the documents hold → what it adds to each of the n."""

    @classmethod
    def build(
        cls,
        tokens: Sequence[Sequence[str]],
        ids: Sequence[str],
        *,
        k1: float = 1.2,
        b: float = 0.75,
        variant: str = "lucene",
        delta: float | None = None,
        epsilon: float | None = None,
        k1_plus_1: bool | None = None,
    ) -> "BM25Index":
        """The index of n tokenised documents. Their order changes nothing.

        A document with no token counts in N and in the mean length, and matches nothing.

        Args:
            tokens: n lists of tokens, as an analyzer makes them.
            ids: n different ids.
            k1: how slowly repetition saturates, 0 to 1e9. rank-bm25 and bm25s take 1.5 by default.
            b: how much length counts, 0 to 1.
            variant: ``lucene``, ``robertson``, ``atire``, ``okapi``, ``l`` or ``plus``; see ``bm25_weights``.
            delta: of ``l`` (0.5) and ``plus`` (1) only.
            epsilon: of ``okapi`` (0.25) only.
            k1_plus_1: of ``lucene`` and ``robertson`` only: True multiplies every score by k1 + 1, as
                Lucene before 8 and some engines do. The order is the same, the numbers do not compare.

        Raises:
            WorkbenchError: ``nothing_to_search``, ``shape_mismatch``, ``repeated_id``, ``missing_id``,
                ``id_not_text``, ``wrong_type``, ``out_of_range``, ``not_finite``, ``unknown_variant``,
                ``unknown_parameter`` for a number that the variant never reads.
        """
        scoring = Scoring.of(variant, k1=k1, b=b, k1_plus_1=k1_plus_1, delta=delta, epsilon=epsilon)
        order = IdOrder.of(ids, "document")
        _one_each(tokens, order.ids)
        postings = count([tokens[place] for place in order.given.tolist()], order.ascending)
        return cls._of(scoring, order, postings)

    @classmethod
    def of_postings(
        cls,
        postings: Postings,
        counted: Sequence[str],
        ids: Sequence[str],
        tokens: Mapping[str, Sequence[str]],
        *,
        k1: float = 1.2,
        b: float = 0.75,
        variant: str = "lucene",
    ) -> "BM25Index":
        """The index of ``ids``, as ``build`` makes it, from counts that were made before.

        Args:
            postings: the counts of the documents ``counted``, ascending ids.
            ids, tokens: as in ``changed``.

        Raises:
            WorkbenchError: ``shape_mismatch`` for ``counted`` that does not fit, and those of ``changed``.
        """
        scoring = Scoring.of(variant, k1=k1, b=b, k1_plus_1=None, delta=None, epsilon=None)
        if len(counted) != len(postings.length):
            raise WorkbenchError(
                "shape_mismatch",
                f"{len(counted)} ids for postings of {len(postings.length)} documents: give one id each, ascending",
            )
        order = IdOrder.of(ids, "document")
        return cls._of(scoring, order, _changed(postings, counted, order, tokens))

    def changed(self, ids: Sequence[str], tokens: Mapping[str, Sequence[str]]) -> "BM25Index":
        """The index of ``ids``, as ``build`` makes it; only those in ``tokens`` are counted, the others stay as they are.

        Args:
            ids: all of them, in the order wanted; what is here and not named leaves the index.
            tokens: id → tokens, of the documents that are new or changed.

        Raises:
            WorkbenchError: ``unknown_id`` for one that is neither here nor in ``tokens``; those of ``build``.
        """
        order = IdOrder.of(ids, "document")
        return self._of(self.scoring, order, _changed(self._postings, self._order.ascending, order, tokens))

    @classmethod
    def _of(cls, scoring: Scoring, order: IdOrder, postings: Postings) -> "BM25Index":
        mean_length = int(postings.length.sum()) / len(order.ids)
        df = postings.df
        idf = scoring.idfs(df, len(order.ids))
        weight = np.repeat(idf, df) * scoring.tf_part(postings.tf, postings.length[postings.document], mean_length)
        positive = np.minimum.reduceat(weight, postings.starts[:-1]) > 0 if len(weight) else np.zeros(0, dtype=bool)
        # adding a whole row is five times faster than adding that many entries one by one; there are few such terms
        whole = {}
        for code in np.flatnonzero(df * 2 > len(order.ids)).tolist():
            span = slice(postings.starts[code], postings.starts[code + 1])
            whole[code] = _spread(len(order.ids), postings.document[span], weight[span], scoring.absent(idf[code]))
        return cls(scoring, order, postings, mean_length, idf, weight, positive, whole)

    @property
    def ids(self) -> tuple[str, ...]:
        """n, as given to ``build``."""
        return self._order.ids

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def postings(self) -> Postings:
        """The counts, over documents in ascending id order (``ascending``)."""
        return self._postings

    @property
    def ascending(self) -> tuple[str, ...]:
        """n, the ids in the order of ``postings``."""
        return self._order.ascending

    @property
    def formula(self) -> str:
        """The variant's formula and its source, in words."""
        known = VARIANTS[self.scoring.variant]
        factor = " · (k1 + 1)" if self.scoring.k1_plus_1 and not known.k1_plus_1 else ""
        return f"{known.formula}{factor} [{known.source}]"

    def score_model(self, analyzer: str = "english") -> str:
        """For example ``bm25-lucene(k1=1.2,b=0.75,analyzer=english)``; scores compare only where it is the same."""
        return self.scoring.text(analyzer)

    def df(self, term: str) -> int:
        """How many documents hold ``term``."""
        code = self._postings.term.get(checks.text("term", term))
        return 0 if code is None else int(self._postings.starts[code + 1] - self._postings.starts[code])

    def notes(self, term: str) -> tuple[str, ...]:
        """What is odd about a term's idf, in words; () where nothing is, or where no document holds it."""
        code = self._postings.term.get(checks.text("term", term))
        return () if code is None else self.scoring.idf_notes(self.df(term), len(self.ids), float(self._idf[code]))

    def search(self, query_tokens: Sequence[str], depth: int, *, allowed: Any = None) -> BM25Result:
        """The best ``depth`` documents that hold a query term: score descending, ties to the ascending id.

        A query term counts as often as it is given. A score of 0 or below is a real score and is ranked
        (``okapi`` gives some); a document that holds no query term is never returned, also with ``plus``,
        where every document has a score. Such a score has the part of the absent terms in it, and
        ``contributions`` shows that part too. Without a query term nothing is found.

        Args:
            query_tokens: T tokens from the analyzer that made the documents' tokens.
            depth: at least 1.
            allowed: n bools, in the order of ``ids``: which documents may be returned. It changes no score.

        Raises:
            WorkbenchError: ``out_of_range``, ``wrong_type``, ``shape_mismatch``.
        """
        terms = _terms(query_tokens)
        depth = checks.whole("depth", depth)
        mask = self._order.mask(allowed)
        columns = self._columns(terms)
        scores = self._fold(terms, columns)
        rows = self._best(scores, list(columns.values()), depth, mask)
        contributions = np.full((len(rows), len(terms)), np.nan)
        matched = np.zeros((len(rows), len(terms)), dtype=bool)
        entries = {term: self._entries(column, rows) for term, column in columns.items()}
        for place, term in enumerate(terms):
            if term in entries:
                contributions[:, place], matched[:, place] = entries[term]
        return BM25Result(terms, self._order.named(rows), scores[rows], contributions, matched)

    def scores(self, query_tokens: Sequence[str]) -> np.ndarray:
        """n scores in the order of ``ids``, 0 for a document that no query term touches (with ``plus`` its constant part)."""
        terms = _terms(query_tokens)
        scores = np.empty(len(self.ids))
        scores[self._order.given] = self._fold(terms, self._columns(terms))
        return scores

    def rank_of(self, id: str, query_tokens: Sequence[str]) -> tuple[int, float] | None:
        """The rank (from 1) and score that a search deep enough gives ``id``; None where it holds no query term.

        Raises:
            WorkbenchError: ``unknown_id``, ``wrong_type``.
        """
        row = self._order.row(id)
        terms = _terms(query_tokens)
        columns = self._columns(terms)
        scores, held = self._fold(terms, columns), self._held(list(columns.values()))
        if not held[row]:
            return None
        score = scores[row]
        above = np.count_nonzero(held & (scores > score)) + np.count_nonzero((held & (scores == score))[:row])
        return int(above) + 1, float(score)

    def explain(self, id: str, query_tokens: Sequence[str]) -> tuple[TermScore, ...]:
        """One record per query term, in query order; the contributions, None left out, fold to the score.

        Raises:
            WorkbenchError: ``unknown_id``, ``wrong_type``.
        """
        row = self._order.row(id)
        return tuple(self._explain(row, term) for term in _terms(query_tokens))

    # ------------------------------------------------------------ inside: rows are places in ascending id order

    def _columns(self, terms: Sequence[str]) -> dict[str, _Column]:
        columns = {}
        for term in dict.fromkeys(terms):
            code = self._postings.term.get(term)
            if code is not None:
                span = slice(self._postings.starts[code], self._postings.starts[code + 1])
                columns[term] = _Column(
                    rows=self._postings.document[span],
                    weights=self._weight[span],
                    absent=self.scoring.absent(float(self._idf[code])),
                    whole=self._whole.get(code),
                    positive=bool(self._positive[code]),
                )
        return columns

    def _fold(self, terms: Sequence[str], columns: dict[str, _Column]) -> np.ndarray:
        """n scores: what each term adds, in query order."""
        scores = np.zeros(len(self.ids))
        for term in terms:
            column = columns.get(term)
            if column is None:
                continue
            if column.whole is not None:
                scores += column.whole
            elif column.absent is not None:
                scores += _spread(len(scores), column.rows, column.weights, column.absent)
            else:
                # numpy adds at intp several times faster than at int32
                np.add.at(scores, column.rows.astype(np.intp), column.weights)
        return scores

    def _best(self, scores: np.ndarray, columns: list[_Column], depth: int, mask: np.ndarray | None) -> np.ndarray:
        if sum(len(column.rows) for column in columns) * 8 < len(scores):
            rows = np.concatenate([np.zeros(0, dtype=np.int32), *(column.rows for column in columns)]).astype(np.intp)
            rows = rows if mask is None else rows[mask[rows]]
            return topk.best_among(scores, rows, depth, repeats=max(1, len(columns)))
        if mask is None and all(column.positive and column.absent is None for column in columns):
            return topk.best(scores, depth, above=0.0)  # whoever holds a term has more than 0
        held = self._held(columns)
        return topk.best(np.where(held if mask is None else held & mask, scores, -np.inf), depth)

    def _held(self, columns: list[_Column]) -> np.ndarray:
        held = np.zeros(len(self.ids), dtype=bool)
        for column in columns:
            held[column.rows] = True
        return held

    def _entries(self, column: _Column, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a term adds to ``rows`` (NaN: nothing), and which of them hold it."""
        at = np.minimum(np.searchsorted(column.rows, rows.astype(np.int32)), len(column.rows) - 1)
        held = column.rows[at] == rows
        return np.where(held, column.weights[at], np.nan if column.absent is None else column.absent), held

    def _explain(self, row: int, term: str) -> TermScore:
        length = int(self._postings.length[row])
        code = self._postings.term.get(term)
        if code is None:
            return TermScore(term, 0, 0, None, length, None, None, ("in no document: it adds nothing",))
        start, end = self._postings.starts[code : code + 2].tolist()
        idf = float(self._idf[code])
        notes = self.scoring.idf_notes(end - start, len(self.ids), idf)
        at = start + int(np.searchsorted(self._postings.document[start:end], row))
        if at == end or self._postings.document[at] != row:
            absent, weight = self.scoring.absent(idf), self.scoring.absent(1.0)
            adds = "it adds nothing" if absent is None else "plus adds idf · delta to every document"
            notes = (f"not in this document: {adds}", *notes)
            return TermScore(term, 0, end - start, idf, length, weight, absent, notes)
        tf = self._postings.tf[at : at + 1]
        tf_part = float(self.scoring.tf_part(tf, self._postings.length[row : row + 1], self._mean_length)[0])
        if self.scoring.variant == "l" and tf[0] > 1:
            notes = (*notes, f"tf {tf[0]} multiplies once more than in the paper, as in rank-bm25 0.2.2")
        return TermScore(term, int(tf[0]), end - start, idf, length, tf_part, float(self._weight[at]), notes)


def _changed(
    postings: Postings, counted: Sequence[str], order: IdOrder, tokens: Mapping[str, Sequence[str]]
) -> Postings:
    """The counts of the documents of ``order``, of which those in ``tokens`` are counted now."""
    row = {id: place for place, id in enumerate(order.ascending)}
    stays = [id in row and id not in tokens for id in counted]
    kept = [id for id, stay in zip(counted, stays, strict=True) if stay]
    new = [id for id in order.ascending if id in tokens]
    if len(kept) + len(new) != len(order.ids):
        unknown = min(set(row) - set(kept) - set(new))
        raise WorkbenchError("unknown_id", f"{unknown!r} is not in the index: give its tokens", id=unknown)
    postings = postings.kept(np.array(stays, dtype=bool))
    if not new:
        return postings
    rows, new_rows = (np.array([row[id] for id in part], dtype=np.intp) for part in (kept, new))
    return postings.merged(rows, count([tokens[id] for id in new], new), new_rows)


def _one_each(tokens: Sequence[Sequence[str]], ids: tuple[str, ...]) -> None:
    if isinstance(tokens, str) or not hasattr(tokens, "__len__"):
        raise WorkbenchError("wrong_type", f"tokens is {tokens!r:.80}: give a list of tokens for each document")
    if len(tokens) != len(ids):
        raise WorkbenchError(
            "shape_mismatch", f"tokens holds {len(tokens)} documents and ids {len(ids)}: give one id a document"
        )


def _spread(n: int, rows: np.ndarray, weights: np.ndarray, absent: float | None) -> np.ndarray:
    """What a term adds to each of n documents: adding 0 changes no bit of a score."""
    every = np.full(n, 0.0 if absent is None else absent)
    every[rows] = weights
    return every


def _terms(query_tokens: Sequence[str]) -> tuple[str, ...]:
    if isinstance(query_tokens, str) or not hasattr(query_tokens, "__iter__"):
        raise WorkbenchError(
            "wrong_type", f"query_tokens is {query_tokens!r:.80}: give a list of tokens", name="query_tokens"
        )
    return tuple(checks.text(f"query token {place}", each) for place, each in enumerate(query_tokens, start=1))
