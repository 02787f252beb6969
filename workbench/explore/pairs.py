"""The difference of two candidates' scores as an exact function of k, or of one lane's weight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from workbench.explore.polynomials import Poly, plus, times, trimmed
from workbench.explore.refuse import Refuse
from workbench.kernels.fusion import DIALECTS
from workbench.kernels.ties import as_printed

ONE, ZERO = Fraction(1), Fraction(0)
NOT_RATIONAL = {
    "opensearch": "opensearch takes whole numbers for k and rounds each term to ten decimals, so no root of a formula is its turning point"
}
"""Dialects whose score is no rational function of k, and why."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that a knob may take: from ``low`` (itself too, when ``closed``) to below ``high``, or without end."""

    low: Fraction
    closed: bool
    high: Fraction | None = None


class Scores:
    """Exact scores of a fusion's candidates. k, weights and scores count as the decimals that they print."""

    def __init__(self, refuse: Refuse) -> None:
        fusion = refuse.fusion
        self._refuse, self._fusion = refuse, fusion
        self._stretched = fusion.dialect == "qdrant"
        self._base = int(fusion.params.get("rank_base", 1))
        self.k = as_printed(fusion.params["k"]) if fusion.method == "rrf" else None
        self.weights = {lane: as_printed(weight) for lane, weight in refuse.weights.items()}
        # what a lane adds for each unit of weight, by the kernel itself: for scores, where the term is no formula of a rank
        self._units = None if fusion.method == "rrf" else refuse.at(weights=dict.fromkeys(self.weights, 1.0))
        self._row = {id: row for row, id in enumerate(fusion.ids)}

    def rank(self, id: str, lane: str) -> int | None:
        """The candidate's rank in a lane, None where it is absent."""
        rank = int(self._fusion.ranks[self._row[id], self._fusion.lanes.index(lane)])
        return None if rank < 0 else rank

    def ranks(self, id: str) -> dict[str, int]:
        """Lane → rank, of the lanes that returned the candidate."""
        return {lane: rank for lane in self._fusion.lanes if (rank := self.rank(id, lane)) is not None}

    def by_rank(self, ranks: Mapping[str, int]) -> Fraction:
        """The score of a candidate that stands at these ranks, at the present k and weights."""
        assert self.k is not None
        total = ZERO
        for lane, rank in ranks.items():
            top, bottom = self._of_weight(lane, rank)
            weight = self.weights[lane]
            total += _at(top, weight) / _at(bottom, weight)
        return total

    # ------------------------------------------------------------ as a function of k

    def k_domain(self) -> Domain:
        """Every k that the method allows."""
        if self._stretched:
            low = max([1 - 1 / weight for weight in self.weights.values() if weight], default=ZERO)
            return Domain(max(low, ZERO), closed=low < 0)
        return Domain(ZERO, closed=self._base > 0)

    def over_k(self, one: str, other: str) -> Poly:
        """A polynomial in k with the sign of score(one) − score(other) on the whole domain; [] where they always tie."""
        shifts: dict[Fraction, Fraction] = {}
        for id, side in ((one, ONE), (other, -ONE)):
            for lane, rank in self.ranks(id).items():
                weight, place = self.weights[lane], Fraction(rank - 1 + self._base)
                if not weight:
                    continue
                shift, size = (place / weight - 1, ONE) if self._stretched else (place, weight)
                shifts[shift] = shifts.get(shift, ZERO) + side * size
        # each term is size/(k + shift); every k + shift is above 0, so the common numerator has the sign
        return _numerator([([size], [shift, ONE]) for shift, size in shifts.items() if size])

    # ------------------------------------------------------------ as a function of one weight

    def weight_domain(self) -> Domain:
        """Every weight that the method allows a lane."""
        if self._stretched and self.k is not None and self.k < 1:
            return Domain(ZERO, closed=True, high=1 / (1 - self.k))
        return Domain(ZERO, closed=True)

    def over_weight(self, lanes: Sequence[str], one: str, other: str) -> Poly:
        """The same, in the one weight that ``lanes`` share, all other weights kept."""
        terms: dict[tuple[Fraction, ...], Poly] = {}
        for id, side in ((one, ONE), (other, -ONE)):
            for lane in self._refuse.fusion.lanes:
                term = self._term(id, lane)
                if term is None:
                    continue
                top, bottom = term
                if lane not in lanes:
                    top, bottom = [_at(top, self.weights[lane]) / _at(bottom, self.weights[lane])], [ONE]
                if len(bottom) == 1:
                    top, bottom = [c / bottom[0] for c in top], [ONE]
                key = tuple(bottom)
                terms[key] = plus(terms.get(key, []), [side * c for c in top])
        return _numerator([(top, list(bottom)) for bottom, top in terms.items() if trimmed(top)])

    def _term(self, id: str, lane: str) -> tuple[Poly, Poly] | None:
        """What the lane adds, as numerator and denominator in the lane's weight."""
        rank = self.rank(id, lane)
        if rank is None:
            return None
        if self._units is None:
            return self._of_weight(lane, rank)
        unit = float(self._units.contributions[self._units.row(id), self._fusion.lanes.index(lane)])
        return [ZERO, Fraction(unit)], [ONE]

    def _of_weight(self, lane: str, rank: int) -> tuple[Poly, Poly]:
        assert self.k is not None
        place = Fraction(rank - 1 + self._base)
        if self._stretched:
            return [ZERO, ONE], trimmed([place, self.k - 1])
        return [ZERO, ONE], [self.k + place]


def reads_weights(refuse: Refuse) -> str:
    """Empty where weights can be turned, else why not."""
    dialect = refuse.fusion.dialect
    if refuse.fusion.method == "rrf" and dialect and DIALECTS[dialect].weights == "none":
        return f"{dialect} reads no weights"
    return ""


def _numerator(terms: Sequence[tuple[Poly, Poly]]) -> Poly:
    """The numerator of the terms' sum over their common denominator."""
    total: Poly = []
    for place, (top, _) in enumerate(terms):
        product = top
        for other, (_, bottom) in enumerate(terms):
            if other != place:
                product = times(product, bottom)
        total = plus(total, product)
    return trimmed(total)


def _at(poly: Sequence[Fraction], at: Fraction) -> Fraction:
    total = ZERO
    for coefficient in reversed(poly):
        total = total * at + coefficient
    return total
