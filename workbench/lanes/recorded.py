"""Rankings that another program made, as lanes: nothing is searched, and there need be no corpus."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench import checks
from workbench.config import Config
from workbench.corpus.library import Library
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels import analysis
from workbench.kernels.analysis import Analyzer
from workbench.lanes.base import Retriever, checked
from workbench.lanes.given import GivenLane
from workbench.records import Document, Filter, Lane, Passage

_ALL = 2**31 - 1


class RecordedLane:
    """A lane that answers with what was recorded, for the queries that were recorded.

    ``answers`` maps a query's words to its ``Lane``; ``always`` answers whatever is asked. Its order is the
    ranking, its scores and details are handed on, and a lane that did not run says so again.

    Raises:
        WorkbenchError: ``not_recorded`` for a query that was not.
    """

    def __init__(
        self,
        name: str,
        answers: Mapping[str, Lane],
        *,
        always: Lane | None = None,
        passages: Mapping[str, Passage] | None = None,
        ids: Mapping[str, str] | None = None,
    ) -> None:
        """``passages``: where a filter finds metadata. ``ids``: query id → words, for the refusal's hint."""
        self.name = name
        self._answers, self._always = dict(answers), always
        self._passages, self._ids = passages or {}, ids or {}

    def search(self, query: str, depth: int, filter: Filter | None = None) -> Lane:
        query, depth = checked(query, depth)
        lane = self._answers.get(query, self._always)
        if lane is None:
            raise self._unknown(query)
        if lane.status != "ran":
            return replace(lane, name=self.name, depth=depth)
        kept = (
            lane.hits
            if filter is None
            else tuple(hit for hit in lane.hits if self._passes(lane, hit.id, hit.score, filter))
        )
        hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept[:depth], start=1))
        shown = {hit.id for hit in hits}
        return replace(
            lane,
            name=self.name,
            hits=hits,
            backend=lane.backend or "given",
            score_model=lane.score_model or "given",
            depth=depth,
            detail=FrozenMap((id, said) for id, said in lane.detail.items() if id in shown),
            payload={id: passage for id, passage in lane.payload.items() if id in shown},
            filter=filter,
            dropped=None if filter is None else len(lane.hits) - len(kept),
        )

    def rank_of(self, query: str, id: str) -> tuple[int, float | None] | None:
        """The recorded rank and score of ``id`` at any depth; None where the ranking does not hold it."""
        hit = self.search(query, _ALL).hit(id)
        return None if hit is None else (hit.rank, hit.score)

    def _passes(self, lane: Lane, id: str, score: float | None, filter: Filter) -> bool:
        if filter.has_window and (score is None or not filter.in_window(score)):
            return False
        passage = lane.payload.get(id) or self._passages.get(id)
        ids = (id,) if passage is None else (id, passage.document_id)
        return filter.admits(ids, {} if passage is None else passage.metadata)

    def _unknown(self, query: str) -> WorkbenchError:
        if query in self._ids:
            said = f"it is the id of {self._ids[query]!r}: ask with these words"
        else:
            some = ", ".join(repr(words) for words in list(self._answers)[:3])
            said = f"the {len(self._answers)} recorded queries begin with {some}"
        return WorkbenchError(
            "not_recorded", f"lane {self.name!r} has no ranking of {query!r}, and cannot search: {said}", query=query
        )


@dataclass(frozen=True, slots=True)
class Recording:
    """What a workbench over recorded rankings is made of."""

    library: Library
    """One passage for each id that has a text or a place in a ranking; its text is empty where none was given."""
    lanes: dict[str, Any]
    """Lane name → engine."""
    longest: int
    """The hits of the longest ranking; 0 where no ranking is recorded."""
    textless: tuple[str, ...]
    """The ranked ids whose text is not known, ascending."""


def recorded_options(
    lanes: Any,
    texts: Any,
    queries: Mapping[str, str] | None,
    better: str | Mapping[str, str],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """What a Workbench over recorded rankings is given; see ``Workbench.from_lanes``.

    Raises:
        WorkbenchError: as ``recording``; ``contradiction`` for a reranker that reads what has no text.
    """
    given: Config | None = options.get("config")
    config = given if given is not None else Config()
    kept = recording(lanes, texts, queries, better, analysis.analyzer(config.analyzer))
    if kept.longest:
        config = config.but(max_retries=0, **({} if given is not None else {"depth": kept.longest}))
    reranker = options.get("reranker", "feature" if texts is not None and not kept.textless else "identity")
    if reranker == "feature" and kept.textless:
        raise WorkbenchError(
            "contradiction",
            f"reranker is 'feature', which reads texts, and {len(kept.textless)} ranked ids have none, such as {kept.textless[0]!r}: give texts for them, or reranker='identity'",
            ids=kept.textless,
        )
    fixed = {"documents": kept.library, "lanes": kept.lanes, "reranker": reranker, "config": config}
    return {"signals": (), "embedder": None, **options, **fixed}


def recording(
    lanes: Any, texts: Any, queries: Mapping[str, str] | None, better: str | Mapping[str, str], analyzer: Analyzer
) -> Recording:
    """Rankings, and the texts of what they rank, as a workbench takes them; see ``Workbench.from_lanes``.

    Raises:
        WorkbenchError: ``no_lanes``, ``wrong_type``, ``unknown_parameter``, ``contradiction``, and what
            ``GivenLane`` refuses.
    """
    if not isinstance(lanes, Mapping) or not lanes:
        raise WorkbenchError(
            "no_lanes" if isinstance(lanes, Mapping) else "wrong_type",
            f"lanes is {lanes!r:.80}: give a mapping of lane name → ranking, or of query id → such a mapping",
        )
    many = all(isinstance(value, Mapping) for value in lanes.values())
    by_query: dict[str, Mapping[str, Any]] = dict(lanes) if many else {"": lanes}
    words = _words(by_query, queries, many)
    names = tuple(dict.fromkeys(checks.text("lane name", name) for given in by_query.values() for name in given))
    if not names:
        raise WorkbenchError("no_lanes", "lanes holds queries and no lane: give each query at least one ranking")
    live: dict[str, Any] = {}
    answers: dict[str, dict[str, Lane]] = {name: {} for name in names}
    for query, given in by_query.items():
        for name in names:
            if name not in given:
                answers[name][words[query]] = _untold(name, query)
            elif _is_live(given[name]):
                if many:
                    raise WorkbenchError(
                        "wrong_type",
                        f"lane {name!r} of query {query!r} is {given[name]!r:.60}: a retriever answers any query itself; give it as {{lane name: retriever}}",
                    )
                live[name] = given[name]
            else:
                answers[name][words[query]] = _lane(name, given[name], _direction(name, names, better))
    ranked = {hit.id for by_words in answers.values() for lane in by_words.values() for hit in lane.hits}
    brought = {
        id for by_words in answers.values() for lane in by_words.values() for id, p in lane.payload.items() if p.text
    }
    passages = _passages(texts, ranked)
    known = {passage.id: passage for passage in passages}
    made = {
        name: live[name]
        if name in live
        else RecordedLane(
            name,
            {} if not many else answers[name],
            always=None if many else answers[name][""],
            passages=known,
            ids=words if many else None,
        )
        for name in names
    }
    lengths = [len(lane.hits) for by_words in answers.values() for lane in by_words.values()]
    return Recording(
        Library(_documents(passages), passages, analyzer),
        made,
        max(lengths, default=0),
        tuple(sorted(id for id in ranked if not known[id].text and id not in brought)),
    )


def _words(by_query: Mapping[str, Any], queries: Mapping[str, str] | None, many: bool) -> dict[str, str]:
    """Query id → the words that are asked."""
    if not many:
        if queries:
            raise WorkbenchError(
                "unknown_parameter",
                "queries names the words of query ids, and these lanes have none: give {query id: {lane name: ranking}}, or drop queries",
            )
        return {"": ""}
    given = queries or {}
    words = {checks.item_id(id, "a query"): checks.query_text(given.get(id, id)) for id in by_query}
    missing = [id for id in words if given and id not in given]
    if missing:
        raise WorkbenchError(
            "unknown_id",
            f"queries has no words for {missing[0]!r} ({len(missing)} in all): give them all",
            ids=tuple(missing),
        )
    seen: dict[str, str] = {}
    for id, text in words.items():
        if text in seen:
            raise WorkbenchError(
                "repeated_id",
                f"queries {seen[text]!r} and {id!r} have the same words {text!r}: a ranking is found by its words; leave one out",
                id=id,
            )
        seen[text] = id
    return words


def _direction(name: str, names: tuple[str, ...], better: str | Mapping[str, str]) -> str:
    if isinstance(better, str):
        return better
    for lane in better:
        checks.one_of("better: lane", lane, names, "unknown_parameter")
    return better.get(name, "higher")


def _is_live(given: Any) -> bool:
    return not isinstance(given, Lane) and (callable(given) or isinstance(given, Retriever))


def _lane(name: str, given: Any, better: str) -> Lane:
    if isinstance(given, Lane):
        return given
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise WorkbenchError(
            "wrong_type",
            f"lane {name!r} is {type(given).__name__} {given!r:.60}: give a list of ids or (id, score) pairs, best first, a Lane, or a retriever",
        )
    return GivenLane(name, given, better=better).search("-", _ALL)


def _untold(name: str, query: str) -> Lane:
    return Lane(
        name,
        status="unavailable",
        reason=f"nothing is recorded for query {query!r}: it matched nothing, or was never asked",
        backend="given",
    )


def _passages(texts: Any, ranked: set[str]) -> tuple[Passage, ...]:
    given = {} if texts is None else texts
    if not isinstance(given, Mapping):
        items = list(given)
        for item in items:
            if not isinstance(item, Document | Passage):
                raise WorkbenchError(
                    "wrong_type", f"texts holds {item!r:.60}: give a mapping of id → text, or Documents or Passages"
                )
        checks.no_repeats([item.id for item in items], "texts")
        given = {item.id: item for item in items}
    found: dict[str, Passage] = {}
    for id, text in given.items():
        found[checks.item_id(id, "texts")] = _passage(id, text)
    for id in ranked - found.keys():
        found[id] = Passage(id, id, "", 0)
    return tuple(found[id] for id in sorted(found))


def _documents(passages: tuple[Passage, ...]) -> tuple[Document, ...]:
    of: dict[str, list[Passage]] = {}
    for passage in passages:
        of.setdefault(passage.document_id, []).append(passage)
    return tuple(
        Document(id, "\n\n".join(p.text for p in parts), parts[0].title, parts[0].metadata)
        for id, parts in sorted(of.items())
    )


def _passage(id: str, text: Any) -> Passage:
    if isinstance(text, Passage):
        return replace(text, id=id)
    if isinstance(text, Document):
        return Passage(id, id, text.text, 0, title=text.title, metadata=text.metadata, start=0, end=len(text.text))
    return Passage(id, id, checks.text(f"text of {id!r}", text), 0, start=0, end=len(text))
