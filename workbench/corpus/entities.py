"""Named things in the documents, found by rules: the nodes of the graph lane. No model; any order of documents gives the same."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.corpus.mentions import (
    KINDS,
    Lexicon,
    Mention,
    begins_something,
    defined,
    identifiers,
    lower_words,
    names,
    sentence_starts,
)
from workbench.kernels.analysis import Analyzer
from workbench.records import Document, Passage


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing and the passages that name it, by document and position. ``kind``: ``term``, ``identifier`` or ``name``."""

    label: str
    kind: str
    passage_ids: tuple[str, ...]


@dataclass(slots=True)
class _Found:
    spellings: Counter[str] = field(default_factory=Counter)
    kinds: set[str] = field(default_factory=set)
    passages: set[tuple[str, int, str]] = field(default_factory=set)


def entities(documents: Sequence[Document], passages: Sequence[Passage], *, analyzer: Analyzer) -> tuple[Entity, ...]:
    """Defined terms, words of code and capitalised names (see ``mentions``), in ascending order of their label.

    What is found anywhere counts wherever a document writes it. A defined term of one word counts in
    other documents only with a capital inside a sentence. Labels that ``analyzer`` reads alike (Service
    Credit, Service Credits) are one entity, shown in its most frequent spelling; a label without a
    content term is none, since no query could reach it.
    """
    lower = frozenset().union(*(lower_words(document.text) for document in documents)) if documents else frozenset()
    terms = {document.id: list(defined(document.text)) for document in documents}
    several = {m.label for found in terms.values() for m in found if " " in m.label}
    prefixes = tuple(sorted({f"{label}{ending} " for label in several for ending in ("", "s")}))
    own = {
        d.id: [
            *terms[d.id],
            *identifiers(d.text),
            # "by the Commencement Date Corvane shall": a term and what follows it are no name
            *(name for name in names(d.text, lower) if not name.label.startswith(prefixes)),
        ]
        for d in documents
    }
    kinds: dict[str, set[str]] = {}
    for mention in (m for found in own.values() for m in found):
        kinds.setdefault(mention.label, set()).add(mention.kind)
    for label in [label for label, found in kinds.items() if "term" in found]:
        kinds.setdefault(f"{label}s", set()).add("term")
    lexicon = Lexicon(kinds)
    places = _Places(passages)
    grouped: dict[tuple[str, ...], _Found] = {}
    for document in documents:
        at_home = {m.label for m in own[document.id]}
        at_home |= {f"{label}s" for label in at_home}
        for mention in (*own[document.id], *_again(document.text, lexicon, kinds, at_home)):
            key = analyzer.terms(mention.label)
            if not key:
                continue
            found = grouped.setdefault(key, _Found())
            found.spellings[mention.label] += 1
            found.kinds |= kinds[mention.label]
            found.passages |= {(p.document_id, p.position, p.id) for p in places.holding(document.id, mention)}
    return tuple(
        sorted(
            (
                Entity(_spelling(f.spellings), min(f.kinds, key=KINDS.index), tuple(p[2] for p in sorted(f.passages)))
                for f in grouped.values()
                if f.passages
            ),
            key=lambda entity: (entity.label, entity.kind),
        )
    )


def _again(text: str, lexicon: Lexicon, kinds: dict[str, set[str]], at_home: set[str]) -> Iterator[Mention]:
    starts = sentence_starts(text)
    for label, start, end in lexicon.find(text):
        abroad = label not in at_home and " " not in label and "term" in kinds[label]
        if abroad and (not label[0].isupper() or begins_something(text, start, starts)):
            continue
        yield Mention(label, min(kinds[label], key=KINDS.index), start, end)


def _spelling(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda label: (-spellings[label], len(label), label))


class _Places:
    """Which passages hold a stretch of a document whole."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._of: dict[str, list[Passage]] = {}
        for passage in sorted(passages, key=lambda p: (p.document_id, p.position)):
            if passage.start is not None and passage.end is not None:
                self._of.setdefault(passage.document_id, []).append(passage)
        self._starts = {id: [p.start or 0 for p in of] for id, of in self._of.items()}
        self._ends = {id: [p.end or 0 for p in of] for id, of in self._of.items()}

    def holding(self, document_id: str, mention: Mention) -> Sequence[Passage]:
        if document_id not in self._of:
            return ()
        first = bisect_left(self._ends[document_id], mention.end)
        return self._of[document_id][first : bisect_right(self._starts[document_id], mention.start)]
