"""One lane's term, printed as the fraction that it is: rounded terms often miss the rounded total."""

from collections.abc import Iterable

from workbench.errors import WorkbenchError
from workbench.records import Fusion


def term_text(fusion: Fusion, lane: str, rank: int) -> str:
    """What that lane adds at that rank: ``1/(60+3)``, ``0.7/(60+3)``; qdrant's ``1/(3/0.7+2-1)``.

    The number beside k is the rank as the method counts it, so with rank base 0 it is one less than
    ``rank``. A share of the weights prints as one: ``61·(2/3)/(61+0)``.

    Raises:
        WorkbenchError: ``unknown_id`` for a lane that was not fused, ``out_of_range`` for a rank below 1,
            ``parameter_of_another_fusion`` for a fusion that is not by rank.
    """
    if fusion.method != "rrf":
        raise WorkbenchError(
            "parameter_of_another_fusion",
            f"fusion is {fusion.method!r}: only rrf makes its terms of ranks; read the contributions instead",
        )
    weights = fusion.params["weights"]
    if lane not in weights:
        raise WorkbenchError("unknown_id", f"lane is {lane!r}: the fused lanes are {', '.join(weights)}", lane=lane)
    if rank < 1:
        raise WorkbenchError("out_of_range", f"rank is {rank!r}: ranks count from 1", rank=rank)
    weight, k, place = plain(weights[lane]), plain(fusion.params["k"]), rank - 1 + fusion.params["rank_base"]
    if fusion.dialect == "qdrant":
        if weight == "0":
            return "0"
        return f"1/({place}+{k}-1)" if weight == "1" else f"1/({place}/{weight}+{k}-1)"
    if fusion.dialect == "haystack":
        return f"{k}·({weight}/{plain(_folded(weights.values()))})/({k}+{place})"
    return f"{weight}/({k}+{place})"


def plain(number: float) -> str:
    """A number as a reader writes it: whole ones without a point."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _folded(values: Iterable[float]) -> float:
    total = 0.0
    for value in values:
        total = total + value
    return total
