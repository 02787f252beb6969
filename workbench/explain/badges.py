"""What a reader of the board should be warned of, or assured of: the checks that a run, or an imported order, answers by itself.

Those that need another run of the kernels, or the lanes themselves, are in ``explore.checks``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.errors import WorkbenchError
from workbench.explain import words
from workbench.explain.shown import Shown, Table
from workbench.frozen import FromPlain, FrozenMap
from workbench.records import Fusion, Lane, Run


@dataclass(frozen=True, slots=True, repr=False)
class Badge(Shown, FromPlain):
    """One check that fired.

    ``code``: ``adds_up``, ``repeated_id``, ``mixed_scores``, ``no_effect``, ``beyond_depth`` or ``breaks_rule``.
    ``state``: ``ok``, ``note``, ``warning``, or ``unknown`` for what the run cannot tell.
    """

    code: str
    state: str
    sentence: str
    ids: tuple[str, ...] = ()
    lanes: tuple[str, ...] = ()
    facts: FrozenMap = field(default_factory=FrozenMap)
    """The numbers of the sentence, by name."""

    def tables(self) -> list[Table]:
        """The facts."""
        return [Table(self.code.replace("_", " "), ("what", "value"), list(self.facts.items()))]


def read_off(run: Run) -> tuple[Badge, ...]:
    """The badges that a run's own record answers."""
    return (adds_up(run.fusion), *repeated_ids(run.fusion), *mixed_scores(run), *without_effect(run))


def adds_up(fusion: Fusion) -> Badge:
    """Whether every fused score is the left fold of its recorded terms, to the last bit."""
    kind = np.float32 if fusion.arithmetic == "float32" else np.float64
    wrong = [id for row, id in enumerate(fusion.ids) if _folded(fusion.contributions[row], kind) != fusion.scores[row]]
    facts = FrozenMap({"candidates": len(fusion.ids), "wrong": len(wrong), "residual": fusion.residual})
    if not wrong:
        return Badge(
            "adds_up", "ok", f"The contributions equal the score of all {len(fusion.ids)} candidates.", facts=facts
        )
    said = f"The contributions of {wrong[0]} do not add up to its score ({len(wrong)} of {len(fusion.ids)} candidates)."
    return Badge("adds_up", "warning", said, ids=tuple(wrong), facts=facts)


def _folded(terms: np.ndarray, kind: type[np.floating]) -> float:
    total = kind(0)
    for term in terms.tolist():
        if term == term:
            total = kind(total + kind(term))
    return float(total)


def repeated_ids(fusion: Fusion) -> tuple[Badge, ...]:
    """The ids that a lane held more than once."""
    return tuple(
        Badge(
            "repeated_id",
            "warning",
            f"{lane} holds {words.listed([str(id) for id in ids])} more than once; the best place counts.",
            ids=tuple(ids),
            lanes=(lane,),
        )
        for lane, ids in fusion.repeats.items()
    )


def mixed_scores(run: Run) -> tuple[Badge, ...]:
    """Lanes of different score models, fused by their scores."""
    models = {lane.name: lane.score_model for lane in run.lanes if lane.status == "ran" and lane.hits}
    if run.fusion.method == "rrf" or len(set(models.values())) < 2:
        return ()
    said = words.listed([f"{lane} ({model or 'score model not named'})" for lane, model in models.items()])
    return (
        Badge(
            "mixed_scores",
            "warning",
            f"{run.fusion.method} adds scores of different models: {said}; each is brought to 0..1 by its own spread, which is no common scale.",
            lanes=tuple(models),
            facts=FrozenMap({"low": 0, "high": 1, **models}),
        ),
    )


def without_effect(run: Run) -> tuple[Badge, ...]:
    """Weights and a λ that the record itself shows to change nothing."""
    found = []
    returned = {lane.name for lane in run.lanes if lane.status == "ran" and lane.hits}
    for lane, weight in run.config.weights.items():
        if weight != 1 and not any(name == lane or name.startswith(f"{lane} (") for name in returned):
            said = f"The weight {words.number(weight)} of {lane} changes nothing: the lane returned nothing."
            found.append(Badge("no_effect", "note", said, lanes=(lane,), facts=FrozenMap({"weight": weight})))
    picked = run.diversification
    if picked is not None and not picked.changed:
        said = f"λ {words.number(picked.lambda_mmr)} changes nothing: the picks stand in the order of relevance."
        found.append(Badge("no_effect", "note", said, facts=FrozenMap({"lambda_mmr": picked.lambda_mmr})))
    if len(returned) == 1 and run.fusion.method == "rrf":
        lane = next(iter(returned))
        said = f"{lane} alone returned anything, so the fused order is its own: k and the weights change nothing in it."
        found.append(Badge("no_effect", "note", said, lanes=(lane,)))
    return tuple(found)


# ---------------------------------------------------------------- imported orders


def breaks_rule(lanes: Mapping[str, Sequence[str]] | Sequence[Lane], order: Sequence[str]) -> tuple[Badge, ...]:
    """Whether an imported order can be a fusion of these lanes at all.

    Every fusion by rank, whatever its k and weights, puts one candidate above another when each lane that
    returned the other ranks it better. A better one that is missing, or that stands below, breaks the rule.

    Args:
        lanes: lane → ids, best first, or ``Lane`` records.
        order: the imported order, best first; a head of it will do.

    Returns:
        No badge, or one for each kind of break with its most glaring pair, and one for ids that no lane holds.

    Raises:
        WorkbenchError: ``repeated_id`` for an id that stands twice in the order.
    """
    ranks = {
        name: {id: rank for rank, id in enumerate(ids, start=1)}
        for name, ids in (
            lanes.items()
            if isinstance(lanes, Mapping)
            else [(lane.name, lane.ids) for lane in lanes if lane.status == "ran"]
        )
    }
    place = {id: rank for rank, id in enumerate(order, start=1)}
    if len(place) < len(order):
        twice = next(id for rank, id in enumerate(order, start=1) if place[id] != rank)
        raise WorkbenchError("repeated_id", f"the order holds {twice!r} twice: give each candidate once", id=twice)
    found = {id: {name: held[id] for name, held in ranks.items() if id in held} for id in [*place, *_all(ranks)]}
    nowhere = tuple(id for id in place if not found[id])
    badges = []
    if nowhere:
        said = f"{words.listed(list(nowhere[:3]))} {'stand' if len(nowhere) > 1 else 'stands'} in the order, and no lane returned {'them' if len(nowhere) > 1 else 'it'}."
        badges.append(Badge("breaks_rule", "warning", said, ids=nowhere))
    for missing in (True, False):
        pair = _worst(found, place, missing)
        if pair is not None:
            badges.append(_broken(*pair, found, missing))
    return tuple(badges)


def _all(ranks: Mapping[str, Mapping[str, int]]) -> list[str]:
    return list(dict.fromkeys(id for held in ranks.values() for id in held))


def _worst(
    found: Mapping[str, Mapping[str, int]], place: Mapping[str, int], missing: bool
) -> tuple[str, str, str] | None:
    """(better, worse, lane) of the largest rank difference among the pairs that break the rule."""
    worst: tuple[int, str, str, str] | None = None
    for worse in place:
        theirs = found[worse]
        for better, ours in found.items():
            if (better in place) == missing or (not missing and place[better] < place[worse]):
                continue
            if not theirs or better == worse or not all(lane in ours and ours[lane] < r for lane, r in theirs.items()):
                continue
            lane = max(theirs, key=lambda name: theirs[name] - ours[name])
            row = (ours[lane] - theirs[lane], better, worse, lane)
            worst = row if worst is None else min(worst, row)
    return None if worst is None else worst[1:]


def _broken(better: str, worse: str, lane: str, found: Mapping[str, Mapping[str, int]], missing: bool) -> Badge:
    above, below = found[better][lane], found[worse][lane]
    what = "is missing" if missing else "stands below"
    ending = (
        f"while {worse}, {words.ordinal(below)} there, is in" if missing else f"{worse}, {words.ordinal(below)} there"
    )
    return Badge(
        "breaks_rule",
        "warning",
        f"The order is no fusion by rank of these lanes: {better}, {words.ordinal(above)} in {lane}, {what} {ending}, and every lane that returned {worse} ranks {better} better.",
        ids=(better, worse),
        lanes=(lane,),
        facts=FrozenMap({"better": above, "worse": below}),
    )
