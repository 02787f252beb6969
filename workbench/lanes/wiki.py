"""The wiki lane: navigate distilled pages, then resolve down to the passages that they cite."""

from collections.abc import Sequence

from workbench.corpus.digest import Page
from workbench.frozen import FrozenMap
from workbench.kernels.analysis import Analyzer
from workbench.kernels.bm25 import BM25Index
from workbench.lanes.base import Remembered, admitted, barred, checked, cut, ranked
from workbench.records import Filter, Lane, Passage

PAGES = 10
"""Pages that one query opens."""


class WikiLane:
    """C9: BM25 over pages (title, summary, keywords) finds the pages; their passages are what is returned.

    A passage scores its page's BM25 plus the share of distinct query terms that it holds itself, so that
    a page is never cited, and a passage of a good page that says nothing of the query stands behind one
    that does. A passage without any query term is left out. ``detail`` of a hit: ``page``, ``page_rank``,
    and ``terms``: the two addends.
    """

    name = "wiki"
    backend = "pages"

    def __init__(self, passages: Sequence[Passage], pages: Sequence[Page], analyzer: Analyzer) -> None:
        self._passages = tuple(passages)
        self._texts = {p.id: p.text for p in passages}
        self._terms = Remembered(self._terms_of, 65_536)  # only the passages of pages that a query opens are read
        self._analyzer = analyzer
        self._pages = {page.id: page for page in pages}
        texts = [" ".join((page.title, page.summary, *page.keywords)) for page in pages]
        self._index = (
            BM25Index.build([analyzer.terms(t) for t in texts], [page.id for page in pages]) if pages else None
        )

    def _terms_of(self, id: str) -> frozenset[str]:
        return frozenset(self._analyzer.terms(self._texts[id]))

    @property
    def score_model(self) -> str:
        return f"pages(bm25+share of terms,pages={PAGES},analyzer={self._analyzer.name})"

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        query, depth = checked(query, depth)
        terms = tuple(dict.fromkeys(self._analyzer.terms(query)))
        allowed = admitted(self._passages, filter)
        out = barred(self._passages, allowed)
        opened = [] if self._index is None else list(zip(*_pages(self._index, terms), strict=True))
        scores: dict[str, float] = {}
        detail: dict[str, dict[str, object]] = {}
        for page_rank, (page_id, page_score) in enumerate(opened, start=1):
            page = self._pages[page_id]
            for id in page.passage_ids:
                held = [term for term in terms if term in self._terms(id)]
                if not held or id in out:
                    continue
                share = len(held) / len(terms)
                scores[id] = page_score + share
                addends = [
                    {"term": "page", "contribution": page_score},
                    {"term": "share of query terms", "contribution": share},
                ]
                detail[id] = {"page": page.title, "page_rank": page_rank, "matched": held, "terms": addends}
        hits, dropped = cut(ranked(scores), depth, filter, allowed)
        return Lane(
            name=self.name,
            hits=hits,
            backend=self.backend,
            score_model=self.score_model,
            depth=depth,
            detail=FrozenMap({hit.id: detail[hit.id] for hit in hits}),
            about=FrozenMap({"query": query, "terms": terms, "pages": [self._pages[id].title for id, _ in opened]}),
            filter=filter,
            dropped=dropped,
        )


def _pages(index: BM25Index, terms: Sequence[str]) -> tuple[Sequence[str], Sequence[float]]:
    found = index.search(terms, PAGES, allowed=None)
    return found.ids, found.scores.tolist()
