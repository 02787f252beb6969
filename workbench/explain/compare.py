"""Why one candidate stands above another, lane by lane, and what would swap them: read off a run and its turning points."""

from dataclasses import dataclass, replace

from workbench.explain import words
from workbench.explain.shown import Shown, Table, either
from workbench.explain.why import Difference
from workbench.frozen import FromPlain
from workbench.records import Fusion, Run
from workbench.records.turning import Move, Tie, TurningPoints


@dataclass(frozen=True, slots=True)
class LaneDifference(FromPlain):
    """One lane's part in a comparison. Rank, score and term are None where the lane did not return the candidate."""

    lane: str
    first_rank: int | None
    second_rank: int | None
    first_score: float | None
    second_score: float | None
    first: float | None
    second: float | None
    difference: float
    """The first's term less the second's; an absent term adds nothing, so it takes nothing away."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Shown, FromPlain):
    """Two fused candidates: ``first`` is the one ahead after fusion. The differences add up to the scores' one, but for rounding."""

    first: str
    second: str
    sentence: str
    lanes: tuple[LaneDifference, ...]
    first_score: float
    second_score: float
    difference: float
    decided: str
    """``score``, ``rounding``, or the tie rule: ``id`` or ``first_seen``."""
    tie_rule: str
    deciding: str | None
    """The lane that makes most of the difference; None where a tie rule or rounding decides."""
    first_rank: int | None
    """In the order before the cut, after reranking and diversity; None behind the reranker's head."""
    second_rank: int | None
    features: tuple[Difference, ...]
    """The reranker's features, where both were reranked and it has any."""
    turning: TurningPoints

    @property
    def smallest_move(self) -> Move | None:
        """The rank move of the fewest steps that swaps the two."""
        return self.turning.smallest_move

    def tables(self) -> list[Table]:
        """Lane by lane, feature by feature, and what swaps them."""
        turns = [(t.knob if t.knob == "k" else f"weight of {t.knob}", t.at, t.exact, _beyond(t, self.second) or ("ties" if not t.swaps else "")) for t in (*self.turning.k, *self.turning.weights)]  # fmt: skip
        return [
            Table(
                "terms",
                ("lane", f"rank of {self.first}", f"rank of {self.second}", self.first, self.second, "difference"),
                [(row.lane, row.first_rank, row.second_rank, row.first, row.second, row.difference) for row in self.lanes],
            ),
            Table(
                "reranking", ("feature", self.first, self.second, "difference"), [(f.name, f.here, f.there, f.difference) for f in self.features]
            ),
            Table("they tie at", ("knob", "value", "exactly", f"{self.second} first"), turns),
            Table(
                "rank moves that swap them",
                ("lane", "candidate", "from", "to"),
                [(m.lane, m.id, m.from_rank, m.to_rank) for m in self.turning.moves],
            ),
        ]  # fmt: skip


def compare(run: Run, turning: TurningPoints) -> Comparison:
    """The comparison of the two candidates that ``turning`` is about."""
    fusion, first, second = run.fusion, turning.first, turning.second
    above, below = float(fusion.scores[fusion.row(first)]), float(fusion.scores[fusion.row(second)])
    lanes = tuple(
        LaneDifference(a.lane, a.rank, b.rank, a.score, b.score, a.contribution, b.contribution, _less(a.contribution, b.contribution))
        for a, b in zip(fusion.of(first), fusion.of(second), strict=True)
    )  # fmt: skip
    decided = _decided(fusion, turning, above, below)
    answer = Comparison(
        first=first,
        second=second,
        sentence="",
        lanes=lanes,
        first_score=above,
        second_score=below,
        difference=above - below,
        decided=decided,
        tie_rule=fusion.tie_rule,
        deciding=max(lanes, key=lambda row: row.difference).lane if decided == "score" else None,
        first_rank=_final(run, first),
        second_rank=_final(run, second),
        features=_features(run, first, second),
        turning=turning,
    )
    return replace(answer, sentence=_sentence(run, answer))


def _less(one: float | None, other: float | None) -> float:
    if one is None:
        return 0.0 if other is None else -other
    return one if other is None else one - other


def _decided(fusion: Fusion, turning: TurningPoints, above: float, below: float) -> str:
    rows = fusion.row(turning.first), fusion.row(turning.second)
    by_rule = {fusion.decided[row] for row in range(rows[0] + 1, rows[1] + 1)} & {"id", "first_seen"}
    rule = sorted(by_rule)[0] if by_rule else "id"
    if turning.exact_lead is None:
        return "score" if above != below else rule
    if turning.exact_lead == 0:
        return rule if above == below or fusion.params.get("ties") == "exact" else "rounding"
    return "score" if turning.exact_lead > 0 and (above > below or fusion.params.get("ties") == "exact") else "rounding"


def _final(run: Run, id: str) -> int | None:
    return run.order.index(id) + 1 if id in run.order else None


def _features(run: Run, first: str, second: str) -> tuple[Difference, ...]:
    ids = run.reranking.ids
    if first not in ids or second not in ids:
        return ()
    return tuple(
        Difference(a.name, a.contribution, b.contribution, _less(a.contribution, b.contribution))
        for a, b in zip(run.reranking.of(first), run.reranking.of(second), strict=True)
    )


# ---------------------------------------------------------------- words

_RULES = {
    "id": "they tie exactly, and the ascending id decides",
    "first_seen": "they tie exactly, and the one seen first comes first",
    "rounding": "rounding decides: exact scores would order them otherwise or not at all",
}


def _sentence(run: Run, answer: Comparison) -> str:
    first, second = words.name_of(run, answer.first), words.name_of(run, answer.second)
    scores = f"{words.number(answer.first_score)} against {words.number(answer.second_score)}"
    if answer.decided == "score":
        gap = f"{words.number(answer.difference)} ahead; {_made(run, answer)} makes most of the gap"
    else:
        gap = _RULES[answer.decided]
    said = [f"{first} is above {second} after fusion, {scores}: {gap}.", _after(run, answer, first, second)]
    return " ".join([*(part for part in said if part), swaps_in_words(answer.turning, answer.second)])


def _made(run: Run, answer: Comparison) -> str:
    row = next(row for row in answer.lanes if row.lane == answer.deciding)
    terms = [
        "not returned" if rank is None or term is None else words.term(run.fusion, row.lane, rank, term)
        for rank, term in ((row.first_rank, row.first), (row.second_rank, row.second))
    ]
    return f"{row.lane} ({terms[0]} against {terms[1]})"


def _after(run: Run, answer: Comparison, first: str, second: str) -> str:
    """What the stages after fusion made of the two."""
    a, b = answer.first_rank, answer.second_rank
    if a is None or b is None:
        gone = [name for name, rank in ((first, a), (second, b)) if rank is None]
        return f"{words.listed(gone)} {'stand' if len(gone) > 1 else 'stands'} behind the reranker's head."
    stage = "diversity" if run.diversification is not None else f"{run.reranking.name} reranking"
    if b < a:
        return f"After {stage} {second} is {words.ordinal(b)} and {first} {words.ordinal(a)}."
    if run.reranking.name == "identity" and run.diversification is None:
        return ""
    return f"After {stage} they are {words.ordinal(a)} and {words.ordinal(b)}."


def swaps_in_words(turning: TurningPoints, second: str) -> str:
    """What would put ``second`` ahead after fusion: ``a dense weight above 1.016``, a rank move, a lane left out; and whether a k does."""
    found = [f"k {said}" for tie in turning.k if (said := _beyond(tie, second))]
    ks = bool(found)
    for knob in dict.fromkeys(tie.knob for tie in turning.weights):
        found += [
            f"a {knob} weight {said}" for tie in turning.weights if tie.knob == knob and (said := _beyond(tie, second))
        ]
    move = turning.smallest_move
    if move is not None:
        way = "up" if move.to_rank < move.from_rank else "down"
        found.append(f"{move.id} {move.steps} {'place' if move.steps == 1 else 'places'} {way} in {move.lane}")
    found += [f"leaving {removal.lane} out" for removal in turning.removals if removal.swaps]
    no_k = "" if ks or turning.k_note else "no k does"
    if not found:
        return f"No single change puts {second} ahead there{': ' + turning.k_note if turning.k_note else ''}."
    told = f"What would put {second} ahead there: {either(found)}"
    return f"{told}; {no_k}." if no_k else f"{told}."


def _beyond(tie: Tie, second: str) -> str:
    """On which side of a tie the second one is ahead; empty where on neither, or on both."""
    if not tie.swaps:
        return ""
    return f"above {words.number(tie.at)}" if tie.first_above == second else f"below {words.number(tie.at)}"
