"""The lexical lane: BM25 in this process, by our own index or by the rank-bm25 library."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels.analysis import Analyzer
from workbench.kernels.bm25 import BM25Index
from workbench.kernels.bm25_results import BM25Result
from workbench.kernels.bm25_weights import Scoring
from workbench.lanes.base import Remembered, admitted, checked, cut, engine_depth
from workbench.records import Filter, Hit, Lane, Passage

SPANS_OF = 20
"""Matched character spans are looked up for this many best hits, those that a reader sees first."""


class LexicalLane:
    """BM25 over the passages' text.

    ``detail`` of a hit: ``terms`` (one entry per query term in the passage: term, df, contribution; they
    fold to the score) and, for the first hits, ``spans`` of the matched terms in the passage's text.
    ``about``: ``terms`` (the query's, with document frequencies and what is odd about their idf) and
    ``unindexed`` (those in no passage).
    """

    name = "lexical"
    backend = "bm25"

    def __init__(
        self,
        passages: Sequence[Passage],
        analyzer: Analyzer,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        variant: str = "lucene",
        index: BM25Index | None = None,
    ) -> None:
        """``index``: one over these passages, in their order, where there is one already."""
        self._passages = {p.id: p for p in passages}
        self._ordered = tuple(passages)
        self._analyzer = analyzer
        if index is None and passages:
            tokens = [analyzer.terms(p.text) for p in passages]
            index = BM25Index.build(tokens, [p.id for p in passages], k1=k1, b=b, variant=variant)
        self._index = index
        self._scoring = Scoring.of(variant, k1=k1, b=b, k1_plus_1=None, delta=None, epsilon=None)
        self._score_model = self._scoring.text(analyzer.name)
        self._spans = Remembered(self._token_spans, 4096)

    @property
    def score_model(self) -> str:
        return self._score_model

    @property
    def index(self) -> BM25Index | None:
        """The index; None without a passage."""
        return self._index

    def changed(self, passages: Sequence[Passage]) -> "LexicalLane":
        """The lane over other passages; only those that are new or changed are counted."""
        new = [p for p in passages if p.id not in self._passages or self._passages[p.id].text != p.text]
        index = self._index
        if index is not None and passages:
            index = index.changed([p.id for p in passages], {p.id: self._analyzer.terms(p.text) for p in new})
        scoring = self._scoring
        return LexicalLane(
            passages,
            self._analyzer,
            k1=scoring.k1,
            b=scoring.b,
            variant=scoring.variant,
            index=index if passages else None,
        )

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        query, depth = checked(query, depth)
        terms = self._analyzer.terms(query)
        if self._index is None:
            about = _about_query(dict.fromkeys(dict.fromkeys(terms), 0), query)
            return Lane(self.name, backend=self.backend, score_model=self.score_model, depth=depth, about=about)
        allowed = admitted(self._ordered, filter)
        found = self._index.search(terms, engine_depth(depth, filter, len(self._ordered)), allowed=allowed)
        hits, dropped = cut(zip(found.ids, found.scores.tolist(), strict=True), depth, filter, allowed)
        row_of = {id: row for row, id in enumerate(found.ids)}
        terms_df = {term: self._index.df(term) for term in dict.fromkeys(terms)}
        return Lane(
            name=self.name,
            hits=hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=depth,
            detail=FrozenMap({hit.id: self._detail(hit, terms_df, found, row_of[hit.id]) for hit in hits}),
            about=_about_query(terms_df, query, {term: self._index.notes(term) for term in terms_df}),
            filter=filter,
            dropped=dropped,
        )

    def rank_of(self, query: str, id: str) -> tuple[int, float] | None:
        """The true rank and score of any passage, past any depth; None where no query term is in it."""
        return None if self._index is None else self._index.rank_of(id, self._analyzer.terms(query))

    def _detail(self, hit: Hit, df: Mapping[str, int], found: BM25Result, row: int) -> dict[str, Any]:
        added = found.contributions[row].tolist()
        held = found.matched[row].tolist()
        terms = [
            {"term": term, "df": df[term], "contribution": value, **({} if matched else {"matched": False})}
            for term, value, matched in zip(found.terms, added, held, strict=True)
            if value == value
        ]
        detail: dict[str, Any] = {"terms": terms}
        if hit.rank <= SPANS_OF:
            wanted = {term for term, matched in zip(found.terms, held, strict=True) if matched}
            detail["spans"] = [[start, end] for term, start, end in self._spans(hit.id) if term in wanted]
        return detail

    def _token_spans(self, id: str) -> tuple[tuple[str, int, int], ...]:
        return tuple((t.term, t.start, t.end) for t in self._analyzer.tokens(self._passages[id].text) if not t.stop)


class RankBM25Lane:
    """The rank-bm25 library itself, on an index of ours or on a ``BM25Okapi`` (or L, Plus) the user has.

    Its scores as it gives them, its order made deterministic: score, then ascending id. A passage that
    holds no query term is left out, also where the library gives it a score.
    """

    name = "lexical"
    backend = "rank-bm25"

    def __init__(
        self,
        passages: Sequence[Passage],
        analyzer: Analyzer,
        *,
        index: Any = None,
        tokenize: Callable[[str], Sequence[str]] | None = None,
        k1: float = 1.5,
        b: float = 0.75,
        variant: str = "okapi",
    ) -> None:
        """``index``: the user's own, over the passages in their order; ``tokenize`` is then how it was fed.

        Raises:
            WorkbenchError: ``wrong_type`` or ``shape_mismatch`` for an index that does not fit the passages.
        """
        import rank_bm25

        self._ordered = tuple(passages)
        self._analyzer = analyzer
        self._terms = tokenize or analyzer.terms
        if index is None:
            tokens = [list(self._terms(p.text)) for p in passages]
            if not any(tokens):
                tokens = [[""] for _ in passages]  # the library divides by the number of tokens
            classes = {"okapi": rank_bm25.BM25Okapi, "l": rank_bm25.BM25L, "plus": rank_bm25.BM25Plus}
            index = classes[checks.one_of("variant", variant, classes, "unknown_variant")](tokens, k1=k1, b=b)
        if not callable(getattr(index, "get_scores", None)) or not hasattr(index, "doc_freqs"):
            raise WorkbenchError("wrong_type", f"index is {index!r:.80}: give a rank_bm25 index such as BM25Okapi")
        if len(index.doc_freqs) != len(self._ordered):
            raise WorkbenchError(
                "shape_mismatch",
                f"the rank-bm25 index holds {len(index.doc_freqs)} documents for {len(self._ordered)} passages: give one passage a document, in its order",
            )
        self._index = index

    @property
    def score_model(self) -> str:
        return f"rank-bm25-{type(self._index).__name__}(k1={self._index.k1:g},b={self._index.b:g},analyzer={self._analyzer.name})"

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        query, depth = checked(query, depth)
        terms = list(self._terms(query))
        allowed = admitted(self._ordered, filter)
        scores = self._index.get_scores(terms).tolist()
        if not all(score == score for score in scores):
            raise WorkbenchError("lane_failed", f"rank-bm25 gave NaN for {query!r}")
        rows = [
            (-scores[i], p.id)
            for i, p in enumerate(self._ordered)
            if (allowed is None or allowed[i]) and any(t in self._index.doc_freqs[i] for t in terms)
        ]
        hits, dropped = cut([(id, -negative) for negative, id in sorted(rows)], depth, filter, allowed)
        place = {p.id: i for i, p in enumerate(self._ordered)}
        df = {t: sum(t in doc for doc in self._index.doc_freqs) for t in dict.fromkeys(terms)}
        detail = {
            hit.id: {"matched": [t for t in dict.fromkeys(terms) if t in self._index.doc_freqs[place[hit.id]]]}
            for hit in hits
        }
        return Lane(
            name=self.name,
            hits=hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=depth,
            detail=FrozenMap(detail),
            about=_about_query(df, query),
            filter=filter,
            dropped=dropped,
        )


def _about_query(df: Mapping[str, int], query: str, notes: Mapping[str, Sequence[str]] | None = None) -> FrozenMap:
    said = notes or {}
    return FrozenMap(
        {
            "query": query,
            "terms": [
                {"term": term, "df": count, **({"notes": said[term]} if said.get(term) else {})}
                for term, count in df.items()
            ],
            "unindexed": [term for term, count in df.items() if count == 0],
        }
    )
