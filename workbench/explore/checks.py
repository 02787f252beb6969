"""The badges that need another run of the kernels, or the lanes themselves; and all of them together."""

from collections.abc import Sequence

from workbench.config import Config
from workbench.explain import words
from workbench.explain.badges import Badge, read_off
from workbench.explore.source import source_of
from workbench.explore.what_if import what_if
from workbench.frozen import FrozenMap
from workbench.records import Attempt, Run

TURNED = ("k", "ties", "dialect", "rerank_weights", "phrase")
"""Settings whose default is tried in their place."""
SHOWN = 3
"""Candidates past a lane's depth that get a badge, the best first."""


def badges(run: Run) -> tuple[Badge, ...]:
    """Every badge of a run: what its record says, what its settings change, and what lies just past its depth."""
    return (*read_off(run), *settings_without_effect(run), *beyond_depth(run))


def settings_without_effect(run: Run) -> tuple[Badge, ...]:
    """Settings that were changed from their default and change nothing here, and lanes that do not matter to the evidence."""
    found = []
    default = Config()
    for name in TURNED:
        value, usual = getattr(run.config, name), getattr(default, name)
        if value == usual or (name in ("rerank_weights", "phrase") and run.reranking.name != "feature"):
            continue
        if _same(run, what_if(run, **{name: usual})):
            said = f"{name} {_in_words(value)} changes nothing here: the order is the same without it."
            found.append(Badge("no_effect", "note", said, facts=FrozenMap({name: value})))
    for lane, weight in run.config.weights.items():
        others = {other: w for other, w in run.config.weights.items() if other != lane}
        if weight != 1 and _returned(run, lane) and _same(run, what_if(run, weights=others)):
            said = f"The weight {words.number(weight)} of {lane} changes nothing here: with weight 1 the order is the same."
            found.append(
                Badge("no_effect", "note", said, lanes=(lane,), facts=FrozenMap({"weight": weight, "usual": 1}))
            )
    return (*found, *_idle_lanes(run))


def _idle_lanes(run: Run) -> list[Badge]:
    names = [lane.name for lane in run.lanes if lane.status == "ran" and lane.hits]
    if len(names) < 2:
        return []
    found = []
    for name in names:
        without = what_if(run, without=[name]).attempt
        if without.evidence == run.attempt.evidence:
            said = (
                f"{name} changes nothing in the evidence: without it the same passages come through in the same order."
            )
            found.append(Badge("no_effect", "note", said, lanes=(name,)))
    return found


def _returned(run: Run, lane: str) -> bool:
    return any(each.name == lane and each.status == "ran" and each.hits for each in run.lanes)


def _same(run: Run, other: Run) -> bool:
    return other.fusion.ids == run.fusion.ids and other.order == run.order


def _in_words(value: object) -> str:
    if isinstance(value, tuple):
        return words.listed([_in_words(each) for each in value])
    return words.number(float(value)) if isinstance(value, int | float) else str(value)


# ---------------------------------------------------------------- past the depth


def beyond_depth(run: Run) -> tuple[Badge, ...]:
    """Candidates that stand just outside a lane's depth and would matter inside it.

    Lanes are asked once more, a tenth deeper (one rank at least). A candidate gets a badge when two lanes or
    more cut it off there, or when it would come through the cut. A run with no Workbench behind it says that
    it cannot know; so does one whose lanes cannot be asked again.
    """
    attempt, depth = run.attempt, run.config.depth
    full = [lane.name for lane in attempt.lanes if lane.status == "ran" and len(lane.hits) == depth]
    if not full:
        return ()
    source = source_of(run)
    facts = FrozenMap({"depth": depth})
    if source is None:
        said = f"{words.listed(full)} returned all of depth {depth}: what stands just behind is not in this Trace."
        return (Badge("beyond_depth", "unknown", said, lanes=tuple(full), facts=facts),)
    deeper = source.again(run, depth=depth + max(1, depth // 10))
    cut_off = _cut_off(deeper, depth)
    found = []
    for id in deeper.fusion.ids:
        lanes = cut_off.get(id, {})
        comes_in = id in deeper.evidence and id not in attempt.evidence
        if lanes and (len(lanes) > 1 or comes_in):
            found.append(_beyond(run, id, lanes, deeper, depth, comes_in))
    return tuple(found[:SHOWN])


def _cut_off(deeper: Attempt, depth: int) -> dict[str, dict[str, int]]:
    """Id → lane → rank, of the hits behind the depth."""
    found: dict[str, dict[str, int]] = {}
    for lane in deeper.lanes:
        for hit in lane.hits[depth:]:
            found.setdefault(hit.id, {})[lane.name] = hit.rank
    return found


def _beyond(run: Run, id: str, lanes: dict[str, int], deeper: Attempt, depth: int, comes_in: bool) -> Badge:
    fused, now = deeper.fusion.row(id) + 1, run.fusion.row(id) + 1 if id in run.fusion.ids else None
    stands = _ranks_in_words(lanes)
    was = "nothing returned it" if now is None else f"it is fused {words.ordinal(now)}"
    then = f"a little deeper it would be fused {words.ordinal(fused)}{' and come through the cut' if comes_in else ''}"
    return Badge(
        "beyond_depth",
        "warning" if comes_in else "note",
        f"{id} is {stands}, depth {depth}: {was}, and {then}.",
        ids=(id,),
        lanes=tuple(lanes),
        facts=FrozenMap(
            {"depth": depth, "fused": now, "fused deeper": fused, "deeper": deeper.lanes[0].depth, **lanes}
        ),
    )


def _ranks_in_words(lanes: dict[str, int]) -> str:
    ranks: Sequence[int] = sorted(set(lanes.values()))
    return words.listed(
        [f"{words.ordinal(r)} in {words.listed([n for n, rank in lanes.items() if rank == r])}" for r in ranks]
    )
