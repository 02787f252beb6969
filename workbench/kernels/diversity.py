"""Maximal marginal relevance: each pick is the best of what is left, less what is already said.

    score(candidate) = λ · relevance − (1 − λ) · redundancy,   redundancy = largest similarity to a pick

Source: Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and
Producing Summaries", SIGIR 1998. Relevance and similarity are the caller's; where their scales differ (an
RRF score of 0.016 beside a cosine of 0.8), redundancy outweighs relevance at almost every λ.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.kernels.lanes_in import named, text_ids
from workbench.records import Diversification, Step

Column = Callable[[int], Any]


def mmr(
    ids: Sequence[str],
    relevance: Any,
    similarity: Any,
    *,
    lambda_mmr: float = 0.7,
    top_k: int | None = None,
) -> Diversification:
    """Picks up to ``top_k`` of n candidates, in pick order. Ties go to the ascending id.

    Only ``[candidate][selected]`` is read, so an asymmetric similarity is used as given. The first
    pick's redundancy is absent (None) and its score λ · relevance. ``against`` names the pick that makes
    the redundancy, the earlier one where two are equal.

    Args:
        ids: n ids.
        relevance: n scores, higher is better.
        similarity: n × n (array or nested lists), the same n · n numbers row-major, or a function that
            takes a position j and returns n similarities to candidate j. A function is asked for the
            picks alone, so vectors never need the whole matrix.
        lambda_mmr: 1 relevance only … 0 diversity only.
        top_k: how many to pick; all of them when left out or when more than n.

    Returns:
        A ``Diversification``. Its ``similarity`` holds the whole matrix, or one column for each pick
        where a function was given. ``changed`` is False where the picks stand in relevance order.

    Raises:
        WorkbenchError: ``nothing_to_search``, ``repeated_id``, ``missing_id``, ``id_not_text``,
            ``missing_score``, ``not_finite``, ``shape_mismatch``, ``wrong_type``, ``out_of_range``.
    """
    pool = _pool(ids)
    trade = checks.number("lambda_mmr", lambda_mmr, low=0, high=1)
    wanted = len(pool) if top_k is None else min(checks.whole("top_k", top_k), len(pool))
    relevant = _relevance(pool, relevance)
    matrix = None if callable(similarity) else _matrix(similarity, len(pool))
    column: Column = similarity if matrix is None else matrix.T.__getitem__

    by_id = np.array(sorted(range(len(pool)), key=pool.__getitem__), dtype=np.intp)
    picks, scores, redundancies, blamed, tied, columns = _pick(
        column, by_id, relevant, trade, wanted, checked=matrix is not None
    )
    steps = tuple(
        Step(
            id=pool[pick],
            relevance=float(relevant[pick]),
            redundancy=None if place == 0 else redundancies[place],
            against=None if place == 0 else pool[picks[blamed[place]]],
            score=scores[place],
            decided="id" if tied[place] else "pick",
        )
        for place, pick in enumerate(picks)
    )
    by_relevance = by_id[np.argsort(-relevant[by_id], kind="stable")][:wanted]
    if matrix is None:
        matrix = np.stack(columns, axis=1)  # an eighth of the time of transposing what np.array makes
        matrix.flags.writeable = False
        held = tuple(picks)
    else:
        held = tuple(range(len(pool)))
    return Diversification(
        lambda_mmr=trade,
        steps=steps,
        pool=pool,
        relevance=relevant,
        columns=held,
        similarity=matrix,
        changed=picks != by_relevance.tolist(),
    )


def _pick(
    column: Column, by_id: np.ndarray, relevance: np.ndarray, trade: float, wanted: int, *, checked: bool
) -> tuple[list[int], list[float], list[float], list[int], list[bool], list[np.ndarray]]:
    """Position, score, redundancy, place of the pick that makes it, and whether it tied, for each pick.

    Works in ascending id order, so that the first of equal scores is the one of the smallest id. A
    candidate's redundancy only ever rises, by the newest pick: O(n) a pick.
    """
    n = len(by_id)
    gain = trade * relevance[by_id]
    redundancy, blame = np.full(n, -np.inf), np.zeros(n, dtype=np.intp)
    score, higher = gain.copy(), np.empty(n, dtype=bool)
    in_order = bool((by_id[1:] > by_id[:-1]).all())
    picks, scores, redundancies, blamed, tied, columns = [], [], [], [], [], []
    for place in range(wanted):
        best = int(score.argmax())
        pick, top = by_id.item(best), score.item(best)
        picks.append(pick)
        scores.append(top)
        redundancies.append(redundancy.item(best))
        blamed.append(blame.item(best))
        tied.append(bool(np.count_nonzero(score == top) > 1))
        gain[best] = -np.inf  # out of the race
        read = column(pick) if checked else _column(column(pick), n, pick)
        if not checked:
            columns.append(read)
        newest = read if in_order else read.take(by_id)
        np.greater(newest, redundancy, out=higher)
        np.putmask(redundancy, higher, newest)
        np.putmask(blame, higher, place)
        np.multiply(redundancy, 1 - trade, out=score)
        np.subtract(gain, score, out=score)
    return picks, scores, redundancies, blamed, tied, columns


def _pool(ids: Sequence[str]) -> tuple[str, ...]:
    if isinstance(ids, str) or not hasattr(ids, "__len__"):
        raise WorkbenchError("wrong_type", f"ids is {ids!r:.80}: give a list of ids")
    if len(ids) == 0:
        raise WorkbenchError(
            "nothing_to_search", f"ids is {ids!r}: reranking nothing is a mistake in the call; give candidates"
        )
    pool = tuple(text_ids(ids))
    checks.no_repeats(pool, "the candidates")
    return pool


def _relevance(pool: tuple[str, ...], given: Any) -> np.ndarray:
    values = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(values, list | tuple):
        raise WorkbenchError("wrong_type", f"relevance is {given!r:.80}: give one number a candidate")
    if len(values) != len(pool):
        raise WorkbenchError(
            "shape_mismatch",
            f"relevance has {len(values)} values for {len(pool)} candidates: give one for each",
            values=len(values),
            candidates=len(pool),
        )
    if set(map(type, values)) == {float}:
        read = np.array(values)
        if np.isfinite(read).all():
            return read
    if None in values:
        absent = [each for each, value in zip(pool, values, strict=True) if value is None]
        raise WorkbenchError(
            "missing_score", f"{named(absent)} without a relevance score: score it, or leave it out", ids=tuple(absent)
        )
    return np.array([checks.number(f"relevance of {each!r}", v) for each, v in zip(pool, values, strict=True)])


def _matrix(given: Any, n: int) -> np.ndarray:
    array = _numbers(given, "similarity")
    if array.ndim == 1 and array.size == n * n:
        array = array.reshape(n, n)
    if array.shape != (n, n):
        held = f"{array.size} values" if array.ndim == 1 else " × ".join(map(str, array.shape))
        raise WorkbenchError(
            "shape_mismatch",
            f"similarity has {held} for {n} candidates: give {n} × {n}, or {n * n} numbers row-major",
            shape=array.shape,
            candidates=n,
        )
    matrix: np.ndarray = np.array(array, dtype=np.float64, order="C")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise WorkbenchError(
            "not_finite", f"similarity[{row}][{column}] is {float(matrix[row, column])!r}: give finite numbers"
        )
    matrix.flags.writeable = False
    return matrix


def _column(given: Any, n: int, pick: int) -> np.ndarray:
    array = _numbers(given, f"similarity({pick})")
    if array.shape != (n,):
        raise WorkbenchError(
            "shape_mismatch",
            f"similarity({pick}) has shape {array.shape} for {n} candidates: return one number for each",
            shape=array.shape,
            candidates=n,
        )
    column: np.ndarray = np.array(array, dtype=np.float64)  # a copy: the function may hand out one buffer again
    if np.count_nonzero(np.isfinite(column)) < n:  # half the time of all()
        row = int(np.argmin(np.isfinite(column)))
        raise WorkbenchError(
            "not_finite", f"similarity({pick})[{row}] is {float(column[row])!r}: return finite numbers"
        )
    return column


def _numbers(given: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(given)
    except ValueError as ragged:
        raise WorkbenchError("shape_mismatch", f"{name} has rows of different lengths: {ragged}") from ragged
    if array.dtype.kind not in "fiu" and array.size:
        raise WorkbenchError("wrong_type", f"{name} holds {array.dtype} {given!r:.60}: give numbers")
    return array
