"""How firmly the winner stands, as a record and in words. The numbers come from ``explore.stability``."""

from dataclasses import dataclass, replace

from workbench.explain import words
from workbench.explain.shown import Shown, Table, either
from workbench.frozen import FromPlain
from workbench.records import Run
from workbench.records.turning import Interval, Removal, WinnerMap


@dataclass(frozen=True, slots=True, repr=False)
class Stability(Shown, FromPlain):
    """Where the fused winner stays first, and who is first elsewhere."""

    winner: str
    sentence: str
    intervals: tuple[Interval, ...]
    """For k, where it is read, and for each lane's weight."""
    notes: tuple[str, ...]
    """What could not be turned, and why."""
    left_out: tuple[Removal, ...]
    """For each lane, who is first without it."""
    map: WinnerMap | None
    """None where k or the weights are not read."""

    def tables(self) -> list[Table]:
        """Intervals and left-out lanes."""
        return [
            Table(
                "stays first",
                ("knob", "now", "from", "below it", "up to", "above it", "kernel agrees"),
                [(i.knob, i.now, i.low, i.below, i.high, i.above, i.confirmed) for i in self.intervals],
            ),
            Table("one lane left out", ("without", "first"), [(r.lane, r.first) for r in self.left_out]),
        ]


def with_sentence(run: Run, answer: Stability) -> Stability:
    """The record with its sentence."""
    name = words.name_of(run, answer.winner)
    kept = [said for each in answer.intervals if (said := _range(each))]
    firm = [
        each.knob if each.knob == "k" else f"the {each.knob} weight" for each in answer.intervals if not _range(each)
    ]
    parts = []
    if kept:
        parts.append(f"{name} stays first in the fused order for {words.listed(kept)}")
    if firm:
        parts.append(f"no value of {either(firm)} alone takes {'its' if kept else name + ' its'} first place")
    if not parts:
        parts.append(f"{name} is first in the fused order; {words.listed(list(answer.notes))}")
    lost = [f"without {r.lane} {_who(run, r.first)}" for r in answer.left_out if r.swaps]
    without = f" {words.listed(lost)[0].upper()}{words.listed(lost)[1:]}." if lost else ""
    if answer.left_out and not lost:
        without = " It stays first whichever lane is left out."
    later = ""
    if run.order and run.order[0] != answer.winner:
        later = f" What follows fusion puts {words.name_of(run, run.order[0])} first."
    return replace(answer, sentence=f"{'; '.join(parts)}.{without}{later}")


def _range(each: Interval) -> str:
    knob = "k" if each.knob == "k" else f"a {each.knob} weight"
    low, high = words.number(each.low), None if each.high is None else words.number(each.high)
    if each.below is not None and each.above is not None:
        return f"{knob} from {low} to {high}"
    if each.below is not None:
        return f"{knob} from {low} on"
    return f"{knob} up to {high}" if each.above is not None else ""


def _who(run: Run, first: str | None) -> str:
    return "nothing is left" if first is None else f"{words.name_of(run, first)} is first"
