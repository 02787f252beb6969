"""Query expansion from the top passages (R8; the term selection of relevance model feedback, RM3)."""

import unicodedata
from collections import Counter
from collections.abc import Sequence

from workbench import checks
from workbench.kernels import analysis
from workbench.kernels.analysis import Analyzer
from workbench.records import AddedTerm, Rewrite

SHORTEST = 3
"""A term of one or two letters says too little to ask for. Ideographs and kana are indexed by twos, so two do."""


def expand(
    query: str,
    evidence: Sequence[tuple[str, str]],
    *,
    analyzer: str | Analyzer = "english",
    passages: int = 3,
    terms: int = 5,
) -> Rewrite | None:
    """``query`` with up to ``terms`` new content terms from the first ``passages`` of ``evidence`` (id, text).

    New means: not a term of the query. Terms longer than two letters (a pair of ideographs or kana counts
    as long enough), most frequent first, then alphabetical. What is counted is the analyzer's term; what is added is how the passages write it (the
    most frequent spelling, then the alphabetically first), since a stem is not a word to ask with.

    Returns:
        None when the passages hold no new term.

    Raises:
        WorkbenchError: ``out_of_range``, ``wrong_type``, ``unknown_analyzer``, ``repeated_id``.
    """
    checks.text("query", query)
    head = checks.whole("passages", passages)
    most = checks.whole("terms", terms)
    reader = analysis.analyzer(analyzer) if isinstance(analyzer, str) else analyzer
    top = [(checks.item_id(id, "evidence"), checks.text(f"text of {id!r}", text)) for id, text in evidence][:head]
    checks.no_repeats([id for id, _ in top], "evidence")

    known = {token.term for token in reader.tokens(query)}
    counts: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = {}
    sources: dict[str, list[str]] = {}
    for id, text in top:
        for token in reader.tokens(text):
            if token.stop or _short(token.term) or token.term in known:
                continue
            counts[token.term] += 1
            spellings.setdefault(token.term, Counter())[text[token.start : token.end].lower()] += 1
            if id not in sources.setdefault(token.term, []):
                sources[token.term].append(id)
    chosen = sorted(counts, key=lambda term: (-counts[term], term))[:most]
    if not chosen:
        return None
    added = tuple(AddedTerm(_spelling(spellings[term]), counts[term], tuple(sources[term])) for term in chosen)
    return Rewrite(" ".join([query, *(each.term for each in added)]), added)


def _short(term: str) -> bool:
    wide = len(term) >= 2 and all(unicodedata.east_asian_width(char) == "W" for char in term)
    return len(term) < SHORTEST and not wide


def _spelling(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], form))
