"""Real roots of polynomials with rational coefficients, found without missing one (Sturm's theorem, 1829).

A polynomial is a list of Fractions, lowest power first. Nothing here rounds, but for the last step, which
gives the double nearest to a root.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm

Poly = list[Fraction]
Whole = list[int]


@dataclass(frozen=True, slots=True)
class Root:
    """A root between ``low`` and ``high`` (alone there, and no wider than the nearest double), or exactly ``exact``."""

    low: Fraction
    high: Fraction
    exact: Fraction | None

    @property
    def nearest(self) -> float:
        """The double nearest to the root."""
        return float(self.low if self.exact is None else self.exact)


def trimmed(poly: Sequence[Fraction]) -> Poly:
    """``poly`` without leading zeros; the zero polynomial is []."""
    kept = list(poly)
    while kept and kept[-1] == 0:
        kept.pop()
    return kept


def plus(one: Sequence[Fraction], other: Sequence[Fraction]) -> Poly:
    """The sum."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    return [value + shorter[i] if i < len(shorter) else value for i, value in enumerate(longer)]


def times(one: Sequence[Fraction], other: Sequence[Fraction]) -> Poly:
    """The product."""
    product = [Fraction(0)] * max(0, len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            product[i + j] += a * b
    return product


def sign(poly: Sequence[Fraction | int], at: Fraction) -> int:
    """-1, 0 or 1."""
    above, below = at.numerator, at.denominator
    total: Fraction | int = 0
    power = 1
    for coefficient in reversed(poly):  # times the denominator at each step: whole numbers stay whole
        total = total * above + coefficient * power
        power *= below
    return (total > 0) - (total < 0)


def roots(poly: Sequence[Fraction], low: Fraction, high: Fraction | None, *, closed: bool) -> list[Root]:
    """Every distinct real root in (low, high), ascending; with ``closed`` also ``low`` itself. ``high`` None is no end.

    The zero polynomial has every number as a root; it is the caller's to tell, and gives none here.
    """
    whole = trimmed(poly)
    if len(whole) < 2:
        return []
    found = []
    if sign(whole, low) == 0:
        if closed:
            found.append(Root(low, low, low))
        while sign(whole, low) == 0:
            whole = _divided(whole, [-low, Fraction(1)])[0]
    if len(whole) == 2:
        at = -whole[0] / whole[1]
        return found + ([Root(at, at, at)] if at > low and (high is None or at < high) else [])
    chain = [_whole(part) for part in _sturm(_squarefree(whole))]
    if len(chain) < 2:
        return found
    # Cauchy's bound: no root lies beyond
    bound = 1 + max(Fraction(abs(c), abs(chain[0][-1])) for c in chain[0])
    end = max(bound, low + 1) if high is None else high
    return found + [root for root in _isolated(chain, low, end) if high is None or not _is_at(root, chain[0], high)]


def _is_at(root: Root, poly: Whole, at: Fraction) -> bool:
    return root.low <= at <= root.high and sign(poly, at) == 0


def _isolated(chain: list[Whole], low: Fraction, high: Fraction) -> list[Root]:
    changes_low, changes_high = _changes(chain, low), _changes(chain, high)
    open_parts = [(low, high, changes_low, changes_high)]
    found = []
    while open_parts:
        a, b, at_a, at_b = open_parts.pop()
        if at_a == at_b:
            continue
        if at_a - at_b == 1:
            found.append(_narrowed(chain[0], a, b))
            continue
        middle = (a + b) / 2
        at_middle = _changes(chain, middle)
        open_parts += [(middle, b, at_middle, at_b), (a, middle, at_a, at_middle)]  # the lower part is looked at first
    return found


def _narrowed(poly: Whole, a: Fraction, b: Fraction) -> Root:
    """The one root in (a, b], narrowed down to a double or found exactly."""
    if sign(poly, b) == 0:
        return Root(b, b, b)
    while sign(poly, a) == 0:  # the root of the part before: step over it, past which the sign is that of -b
        middle = (a + b) / 2
        here = sign(poly, middle)
        if here == 0:
            return Root(middle, middle, middle)
        a, b = (a, middle) if here == sign(poly, b) else (middle, b)
    before = sign(poly, a)
    while float(a) != float(b) or (b - a) * 2**80 > abs(a) + abs(b):
        middle = (a + b) / 2
        here = sign(poly, middle)
        if here == 0:
            return Root(middle, middle, middle)
        a, b = (middle, b) if here == before else (a, middle)
        if (b - a) * 2**120 < abs(a) + abs(b):
            break  # it lies between two doubles as far as anyone can tell
    simple = _simplest(a, b)
    return Root(a, b, simple if sign(poly, simple) == 0 else None)


def _simplest(a: Fraction, b: Fraction) -> Fraction:
    """The fraction of the smallest denominator in [a, b], 0 <= a <= b (walking down the Stern-Brocot tree)."""
    floor = a.numerator // a.denominator
    if floor == a:
        return Fraction(floor)
    if floor + 1 <= b:
        return Fraction(floor + 1)
    return floor + 1 / _simplest(1 / (b - floor), 1 / (a - floor))


def _sturm(poly: Poly) -> list[Poly]:
    chain = [poly, _derived(poly)]
    while len(chain[-1]) > 1:
        rest = _divided(chain[-2], chain[-1])[1]
        if not rest:
            break
        # a positive factor changes no sign, and keeps the numbers short
        scale = abs(rest[-1])
        chain.append([-c / scale for c in rest])
    return [part for part in chain if part]


def _whole(poly: Poly) -> Whole:
    """The polynomial times a positive number that makes its coefficients whole."""
    scale = lcm(*(c.denominator for c in poly))
    return [int(c * scale) for c in poly]


def _changes(chain: list[Whole], at: Fraction) -> int:
    """Sign changes along the chain, zeros passed over."""
    signs = [s for part in chain if (s := sign(part, at))]
    return sum(1 for one, other in pairwise(signs) if one != other)


def _squarefree(poly: Poly) -> Poly:
    """The polynomial with every root once."""
    a, b = poly, _derived(poly)
    while b:
        rest = _divided(a, b)[1]
        a, b = b, [c / abs(rest[-1]) for c in rest] if rest else []
    return _divided(poly, a)[0]


def _derived(poly: Poly) -> Poly:
    return trimmed([power * c for power, c in enumerate(poly)][1:])


def _divided(poly: Sequence[Fraction], by: Sequence[Fraction]) -> tuple[Poly, Poly]:
    """Quotient and remainder."""
    rest, quotient = list(poly), [Fraction(0)] * max(0, len(poly) - len(by) + 1)
    for place in range(len(quotient) - 1, -1, -1):
        factor = rest[place + len(by) - 1] / by[-1]
        quotient[place] = factor
        for i, c in enumerate(by):
            rest[place + i] -= factor * c
    return trimmed(quotient), trimmed(rest)
