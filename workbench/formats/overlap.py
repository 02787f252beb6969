"""Do a run and its judgements speak of the same queries and documents? The first thing to ask, before any measure."""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from workbench.frozen import FromPlain

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Overlap(FromPlain):
    """How many of the run's ids the judgements know, and the other way round."""

    shared_queries: int
    run_queries: int
    judged_queries: int
    shared_ids: int
    run_ids: int
    judged_ids: int
    hints: tuple[str, ...]
    """Ways of writing the ids under which more of them would meet."""
    unjudged_queries: tuple[str, ...]
    """Queries of the run that have no judgement; measures count them as absent or as 0, by the program."""
    hopeless_queries: tuple[str, ...]
    """Judged queries without a relevant document: no run can score on them."""
    sentence: str


def check_ids(rankings: Mapping[str, Mapping[str, Any]], qrels: Mapping[str, Mapping[str, int]]) -> Overlap:
    """Compares the ids of a run (as the readers give it) with those of its qrels. Never an error: a finding, said first."""
    queries, judged_queries = list(rankings), list(qrels)
    items = sorted({id for lanes in rankings.values() for lane in lanes.values() for id in lane.ids})
    judged = sorted({id for each in qrels.values() for id in each})
    shared_queries, shared = set(queries) & set(judged_queries), set(items) & set(judged)
    hints = (*_hints("queries", queries, judged_queries), *_hints("ids", items, judged))
    parts = (
        [_said("queries", len(shared_queries), queries, judged_queries)]
        if len(shared_queries) < len(queries) or not queries
        else []
    )
    if not shared or not parts:
        parts.append(_said("ids", len(shared), items, judged))
    return Overlap(
        len(shared_queries),
        len(queries),
        len(judged_queries),
        len(shared),
        len(items),
        len(judged),
        hints,
        tuple(query for query in queries if query not in qrels),
        tuple(query for query, each in qrels.items() if not any(grade > 0 for grade in each.values())),
        " ".join((*parts, *hints)),
    )


def _said(what: str, shared: int, mine: Collection[str], theirs: Collection[str]) -> str:
    count = f"{shared} of {len(mine)} {what} overlap"
    if shared:
        return f"{count}."
    return f"{count}; qrels look like {_some(theirs)}, the run's like {_some(mine)}."


def _some(ids: Collection[str]) -> str:
    return ", ".join(map(repr, list(ids)[:_SHOWN])) or "nothing"


def _hints(what: str, mine: Collection[str], theirs: Collection[str]) -> list[str]:
    ways: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("blanks around them", str.strip),
        ("Unicode composition", lambda id: unicodedata.normalize("NFC", id)),
        ("upper and lower case", str.casefold),
        ("leading zeros", lambda id: id.lstrip("0") or "0"),
        ("the folder before them", lambda id: PurePosixPath(id).name),
        ("a suffix such as .md", lambda id: re.sub(r"\.[A-Za-z]\w{0,4}$", "", id)),
    )
    exact = len(set(mine) & set(theirs))
    if exact == len(mine):
        return []
    found = []
    for way, write in ways:
        known = {write(id) for id in theirs}
        met = len([id for id in mine if write(id) in known])
        if met > exact:
            found.append(f"Without {way} {met} of {len(mine)} {what} would overlap.")
    return found
