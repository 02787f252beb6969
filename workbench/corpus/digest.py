"""A page for each document: what it says in a few sentences and words, and the passages that it stands on."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.corpus.entities import Entity
from workbench.kernels import sentences
from workbench.kernels.analysis import Analyzer, Token
from workbench.kernels.markdown import lines
from workbench.records import Document, Passage

SENTENCES = 3
KEYWORDS = 10
LINKS = 5
COMMON = 100
FULL_LENGTH = 8
"""A sentence with fewer distinct content terms says less: its score shrinks by their share of this."""

_MARKER = re.compile(r"^(?:[-*+]|\d{1,9}[.)]) ")


@dataclass(frozen=True, slots=True)
class Page:
    """What a document comes to. ``passage_ids`` is the evidence it cites; a page itself is never cited."""

    id: str
    document_id: str
    title: str
    summary: str
    keywords: tuple[str, ...]
    passage_ids: tuple[str, ...]
    links: tuple[str, ...] = ()
    """Documents that name the same things, those that share most first."""


def digest(
    documents: Sequence[Document], passages: Sequence[Passage], entities: Sequence[Entity], *, analyzer: Analyzer
) -> tuple[Page, ...]:
    """One page for each document with a passage, by ascending document id.

    * The weight of a term in a document is tf · ln(1 + N/df), over the N documents.
    * ``summary``: the 3 sentences with the highest score, in the document's order. The score is the mean weight
      of a sentence's distinct content terms, times the share of 8 that they are, at most 1. Headings, table
      rows and code are no sentences here; of equal scores the earlier sentence stands.
    * ``keywords``: the 10 terms with the highest weight, then alphabetically, as the document writes them
      most often; numbers, single letters and the parts of
      identifiers are left out.
    * ``links``: up to 5 other documents, by the entities that both name, each counting 1/(documents that name
      it), then by id. An entity that more than half of the documents name, or more than 100, links none.
    """
    ordered = sorted(documents, key=lambda d: d.id)
    read = {d.id: analyzer.tokens(d.text) for d in ordered}
    counts = {id: Counter(t.term for t in tokens if not t.stop) for id, tokens in read.items()}
    held = Counter(term for found in counts.values() for term in found)
    # rounded, so that the last bits of a platform's logarithm decide nothing
    rarity = {term: round(math.log(1 + len(ordered) / df), 9) for term, df in held.items()}
    cited: dict[str, list[Passage]] = {}
    for passage in passages:
        cited.setdefault(passage.document_id, []).append(passage)
    links = _links(entities, passages, len(ordered))
    pages = []
    for document in ordered:
        if document.id not in cited:
            continue
        weights = {term: count * rarity[term] for term, count in counts[document.id].items()}
        pages.append(
            Page(
                id=f"{document.id}#page",
                document_id=document.id,
                title=document.title or document.id,
                summary=_summary(document.text, weights, analyzer),
                keywords=_keywords(document.text, read[document.id], weights),
                passage_ids=tuple(p.id for p in sorted(cited[document.id], key=lambda p: p.position)),
                links=links.get(document.id, ()),
            )
        )
    return tuple(pages)


def _summary(text: str, weights: Mapping[str, float], analyzer: Analyzer) -> str:
    kinds = lines(text)
    starts = [line.start for line in kinds]
    scored = []
    for start, end in sentences.split(text):
        if kinds[bisect_right(starts, start) - 1].kind in ("heading", "row", "code"):
            continue
        terms = tuple(dict.fromkeys(analyzer.terms(text[start:end])))
        total = 0.0
        for term in terms:
            total += weights.get(term, 0.0)
        if terms:
            scored.append((-total / len(terms) * min(1.0, len(terms) / FULL_LENGTH), start, end))
    best = sorted(scored)[:SENTENCES]
    return " ".join(_MARKER.sub("", " ".join(text[a:b].split())) for _, a, b in sorted(best, key=lambda row: row[1]))


def _keywords(text: str, tokens: Sequence[Token], weights: Mapping[str, float]) -> tuple[str, ...]:
    spellings: dict[str, Counter[str]] = {}
    read = 0
    for term, start, end, stop in tokens:
        part = end <= read  # of the identifier just read
        read = max(read, end)
        if not stop and not part and len(term) > 1 and not term[0].isdigit():
            spellings.setdefault(term, Counter())[text[start:end]] += 1
    best = sorted(spellings, key=lambda term: (-weights[term], term))[:KEYWORDS]
    return tuple(min(spellings[term], key=lambda form: (-spellings[term][form], form)) for term in best)


def _links(entities: Sequence[Entity], passages: Sequence[Passage], size: int) -> dict[str, tuple[str, ...]]:
    document_of = {p.id: p.document_id for p in passages}
    shared: dict[str, dict[str, float]] = {}
    for entity in sorted(entities, key=lambda entity: (entity.label, entity.kind)):
        naming = sorted({document_of[id] for id in entity.passage_ids})
        if 2 * len(naming) > size or len(naming) > COMMON:
            continue
        for one in naming:
            counted = shared.setdefault(one, {})
            for other in naming:
                if other != one:
                    counted[other] = counted.get(other, 0.0) + 1 / len(naming)
    return {
        id: tuple(sorted(others, key=lambda other: (-others[other], other))[:LINKS]) for id, others in shared.items()
    }
