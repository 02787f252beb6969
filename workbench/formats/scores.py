"""Runs as mappings, {query id: {doc id: score}}: what ranx, pytrec_eval and ir_measures take and give."""

from collections.abc import Mapping
from typing import Any

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.formats.rankings import Rankings, Row, ranked
from workbench.formats.writing import exported, warnings_of


def read_scores(run: Mapping[str, Mapping[str, float]], *, lane: str = "run", better: str = "higher") -> Rankings:
    """A mapping's rankings. It has no order of its own: by score, ties by descending id, as trec_eval reads it.

    Raises:
        WorkbenchError: ``wrong_type``, ``id_not_text`` for numbers as ids, ``not_finite`` for NaN.
    """
    if not isinstance(run, Mapping):
        raise WorkbenchError("wrong_type", f"run is {type(run).__name__}: give {{query id: {{doc id: score}}}}")
    rows = []
    for query, scores in run.items():
        checks.item_id(query, "a query of the run")
        if not isinstance(scores, Mapping):
            raise WorkbenchError("wrong_type", f"query {query!r} is {type(scores).__name__}: give {{doc id: score}}")
        for id, score in scores.items():
            where = f"query {query!r}, document {id!r}"
            rows.append(
                Row(query, lane, checks.item_id(id, where), None, checks.number(f"the score of {where}", score), where)
            )
    return ranked(rows, order="score", better=better, backend="scores")


def to_scores(
    rankings: Mapping[str, Any], *, lane: str | None = None, scores: str = "rank"
) -> dict[str, dict[str, float]]:
    """Rankings as a mapping of scores; what they may be is ``write_run``'s to say.

    Args:
        scores: ``rank`` writes n, n − 1, … 1: programs that read the mapping compare in float32 or break ties
            in their own ways, and then keep the order. ``own`` is refused where one of them would not.

    Raises:
        WorkbenchError: ``contradiction`` for own scores that trec_eval or pytrec_eval would order otherwise;
            ``missing_score``.
    """
    found: dict[str, dict[str, float]] = {}
    for query, given in rankings.items():
        item = exported(query, given, lane, scores)
        said = warnings_of(query, item)
        if said:
            raise WorkbenchError("contradiction", said[0])
        found[query] = {id: score for id, score, _ in item.rows}
    return found
