"""Predict-first: what a reader may see before ordering the candidates, and what the order says of the guess afterwards."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.explain import words
from workbench.explain.why import why
from workbench.frozen import FromPlain
from workbench.records import Contribution
from workbench.trace import Trace
from workbench.views.states import shared

N = TypeVar("N", int, float)

ORDERS = ("fusion", "final")
TEXT = 140
"""Characters of a candidate's text that are shown."""


@dataclass(frozen=True, slots=True)
class Overlooked(FromPlain):
    """Two candidates guessed the wrong way round, and what the guess did not see.

    ``kind``: ``absence`` (a lane did not return the one guessed higher), ``scores`` (it has the higher score of a
    lane, but only places count), ``places`` (the other stands higher in the lanes), ``tie``, ``feature`` (of the
    reranker) or ``redundancy`` (it says what an earlier pick says).
    """

    higher: str
    """Guessed higher."""
    lower: str
    """Guessed lower, and ahead of it in truth."""
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Prediction(FromPlain):
    """A guess against the order that was."""

    of: str
    guess: tuple[str, ...]
    truth: tuple[str, ...]
    right: tuple[str, ...]
    """The candidates in their right place."""
    pairs: int
    pairs_right: int
    """How many of all pairs stand the right way round."""
    overlooked: tuple[Overlooked, ...]

    @property
    def sentence(self) -> str:
        """The result in words."""
        return (
            f"{len(self.right)} of {len(self.truth)} in the right place; "
            f"{self.pairs_right} of {self.pairs} pairs the right way round."
        )


def truth(trace: Trace, of: str, count: int) -> tuple[str, ...]:
    """The first ``count`` candidates in the order that is to be guessed.

    Raises:
        WorkbenchError: ``out_of_range``, ``wrong_type``; ``nothing_to_search`` with fewer than two candidates.
    """
    checks.one_of("of", of, ORDERS, "out_of_range")
    order = trace.fusion.ids if of == "fusion" else trace.order
    first = order[: checks.whole("count", count, low=2, high=12)]
    if len(first) < 2:
        raise WorkbenchError(
            "nothing_to_search", f"{trace.query!r} has {len(first)} candidates: two are needed to be put in order"
        )
    return first


def dealt(ids: Sequence[str]) -> tuple[str, ...]:
    """``ids`` in an order that gives nothing away and is the same every time."""
    shuffled = tuple(sorted(ids, key=lambda id: hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()))
    return shuffled if shuffled != tuple(ids) else shuffled[::-1]


def predict(trace: Trace, of: str, count: int) -> dict[str, Any]:
    """What is shown before the reveal: texts, and the places that the guess can be made from. No score."""
    ids = dealt(truth(trace, of, count))
    fusion = trace.fusion
    by_fusion = {id: [part.rank for part in fusion.of(id)] for id in ids}
    return {
        "query": trace.query,
        "of": of,
        "question": _question(trace, of),
        "lanes": [lane for lane in shared.lanes(trace) if lane["column"] is not None],
        "ids": list(ids),
        "titles": [shared.title(trace, id) for id in ids],
        "texts": [words.clip(_body(trace, id), TEXT) for id in ids],
        "ranks": [by_fusion[id] if of == "fusion" else [fusion.row(id) + 1] for id in ids],
        "revealed": None,
    }


def revealed(trace: Trace, result: Prediction, ids: Sequence[str]) -> dict[str, Any]:
    """What the reveal adds; candidates by their place in ``ids``."""
    place = {id: i for i, id in enumerate(ids)}
    fusion = trace.fusion
    answers = {id: why(trace, id) for id in result.truth}
    scores = [answers[id].fused_score if result.of == "fusion" else _final_score(trace, id) for id in result.truth]
    terms = [
        [(part.lane, part.contribution) for part in fusion.of(id) if part.contribution is not None]
        if result.of == "fusion"
        else [(f.name, f.contribution) for f in answers[id].features if f.contribution is not None]
        for id in result.truth
    ]
    return {
        "guess": [place[id] for id in result.guess],
        "truth": [place[id] for id in result.truth],
        "scores": scores,
        "shares": [answers[id].share if result.of == "fusion" else None for id in result.truth],
        "terms": terms,
        "sentence": result.sentence,
        "overlooked": [[each.kind, each.sentence] for each in result.overlooked],
    }


def judged(trace: Trace, of: str, count: int, guess: Sequence[str]) -> Prediction:
    """The guess held against the order.

    Raises:
        WorkbenchError: ``contradiction`` for a guess that is not these candidates, each once.
    """
    actual = truth(trace, of, count)
    if sorted(guess) != sorted(actual):
        raise WorkbenchError(
            "contradiction", f"the guess is {list(guess)!r}: put {', '.join(sorted(actual))} in order, each once"
        )
    at = {id: place for place, id in enumerate(actual)}
    pairs = [(a, b) for i, a in enumerate(guess) for b in guess[i + 1 :]]
    wrong = [(a, b) for a, b in pairwise(guess) if at[a] > at[b]]
    see = _overlooked_in_fusion if of == "fusion" or _is_fused(trace) else _overlooked_after
    return Prediction(
        of=of,
        guess=tuple(guess),
        truth=actual,
        right=tuple(id for id, there in zip(guess, actual, strict=True) if id == there),
        pairs=len(pairs),
        pairs_right=sum(1 for a, b in pairs if at[a] < at[b]),
        overlooked=tuple(see(trace, a, b) for a, b in wrong),
    )


def _question(trace: Trace, of: str) -> str:
    fusion = trace.fusion
    if of == "final":
        stage = "diversity" if trace.diversification is not None else f"{trace.reranking.name} reranking"
        return f"In which order does {stage} leave them? Their fused places are given."
    if fusion.method == "rrf":
        k, base = words.number(fusion.params["k"]), fusion.params["rank_base"]
        counted = "" if base else ", ranks counted from 0"
        return f"In which order does the fusion put them? Each lane adds weight/({k} + rank){counted}; a lane that did not return one adds nothing."
    return f"In which order does the fusion ({fusion.method}) put them? It adds up the lanes' scaled scores."


def _body(trace: Trace, id: str) -> str:
    lines = trace.passages[id].text.split("\n")
    body = [line for line in lines if line.strip() and not line.startswith("#")]
    return " ".join(body or lines)


def _is_fused(trace: Trace) -> bool:
    return trace.diversification is None and trace.reranking.name == "identity"


def _final_score(trace: Trace, id: str) -> float:
    if trace.diversification is not None:
        return next(step.score for step in trace.diversification.steps if step.id == id)
    return trace.reranking.scores[trace.reranking.ids.index(id)]


# ---------------------------------------------------------------- what was overlooked


def _overlooked_in_fusion(trace: Trace, higher: str, lower: str) -> Overlooked:
    fusion = trace.fusion
    pairs = list(zip(fusion.of(higher), fusion.of(lower), strict=True))
    name, other = _quoted(trace, higher), _quoted(trace, lower)
    mine, its = (float(fusion.scores[fusion.row(id)]) for id in (higher, lower))
    together = f"Together {words.number(its)} for {other} against {words.number(mine)}."
    if mine == its:
        said = (
            f"{other} and {name} have the same score, {words.number(mine)}: the tie rule decides ({fusion.tie_rule})."
        )
        return Overlooked(higher, lower, "tie", said)
    gone = [(x, y) for x, y in pairs if x.contribution is None and y.contribution is not None]
    if gone:
        gained = words.listed([f"{_term(trace, y)} from {y.lane}" for _, y in gone])
        said = f"{name} is not returned by {words.listed([x.lane for x, _ in gone])}, where {other} has {gained}; absent adds nothing. {together}"
        return Overlooked(higher, lower, "absence", said)
    led = [(x, y) for x, y in pairs if _leads(x, y)]
    if led and fusion.method == "rrf":
        x, y = max(led, key=lambda pair: _held(pair[0].score) - _held(pair[1].score))
        return Overlooked(higher, lower, "scores", f"{_by_place(x, y, name)} {together}")
    x, y = max(pairs, key=lambda pair: _added(pair[1]) - _added(pair[0]))
    said = f"{y.lane} makes most of it: {_term(trace, y)} for {other} against {_term(trace, x)} for {name}. {together}"
    return Overlooked(higher, lower, "places", said)


def _quoted(trace: Trace, id: str) -> str:
    return f"“{words.clip(shared.title(trace, id), 60)}”"


def _term(trace: Trace, part: Contribution) -> str:
    if part.rank is None or part.contribution is None:
        return "nothing"
    return words.term(trace.fusion, part.lane, part.rank, part.contribution)


def _added(part: Contribution) -> float:
    """What a lane added to a score: an absent term adds nothing."""
    return 0.0 if part.contribution is None else part.contribution


def _held(value: N | None) -> N:
    """A number that both candidates of a lane have."""
    assert value is not None
    return value


def _leads(x: Contribution, y: Contribution) -> bool:
    return x.score is not None and y.score is not None and x.score > y.score


def _by_place(x: Contribution, y: Contribution, name: str) -> str:
    """The one with the higher score of a lane stands better there, and what that is worth."""
    scores = f"{words.number(_held(x.score))} against {words.number(_held(y.score))}"
    worth = words.number(_held(x.contribution) - _held(y.contribution))
    places = f"{words.ordinal(_held(x.rank))} instead of {words.ordinal(_held(y.rank))}"
    return f"{name} has the higher score in {x.lane} ({scores}), but only places count: {places} is worth {worth}."


def _overlooked_after(trace: Trace, higher: str, lower: str) -> Overlooked:
    name, other = _quoted(trace, higher), _quoted(trace, lower)
    if trace.diversification is not None:
        steps = {step.id: step for step in trace.diversification.steps}
        step = steps[higher]
        if step.redundancy is not None and step.against is not None and step.relevance > steps[lower].relevance:
            like = f"{words.number(step.redundancy)} like {_quoted(trace, step.against)}, which was picked before"
            return Overlooked(higher, lower, "redundancy", f"{name} is more relevant than {other}, but {like}.")
    ours, theirs = trace.reranking.of(higher), trace.reranking.of(lower)
    gaps = [(y.contribution - x.contribution, x, y) for x, y in zip(ours, theirs, strict=True) if x.contribution is not None and y.contribution is not None]  # fmt: skip
    if not gaps or max(gap for gap, _, _ in gaps) <= 0:
        mine, its = _final_score(trace, higher), _final_score(trace, lower)
        if mine == its:
            return Overlooked(
                higher,
                lower,
                "tie",
                f"{other} and {name} have the same score, {words.number(mine)}; the ascending id decides.",
            )
        return Overlooked(
            higher,
            lower,
            "feature",
            f"{trace.reranking.name} gives {other} {words.number(its)} and {name} {words.number(mine)}.",
        )
    _, x, y = max(gaps, key=lambda each: each[0])
    return Overlooked(higher, lower, "feature", f"{x.name} is {words.number(y.value)} for {other} and {words.number(x.value)} for {name}: it adds {words.number(_held(y.contribution))} against {words.number(_held(x.contribution))}.")  # fmt: skip
