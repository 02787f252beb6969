"""What BM25 multiplies: the formulas of its variants, in words, in numbers and with their sources.

A term weighs idf · tf part in a document. N documents, n of them hold the term, tf times in this one;
norm = k1 · (1 − b + b · length ÷ mean length). Logarithms are natural.

=========  ===========================  ==========================================  =========================
variant    idf                          tf part                                     source
=========  ===========================  ==========================================  =========================
lucene     ln(1 + (N−n+½)/(n+½))        tf / (tf + norm)                            Apache Lucene 8 and later
robertson  max(0, ln((N−n+½)/(n+½)))    tf / (tf + norm)                            Robertson and others, 1994
atire      ln(N/n)                      tf·(k1+1) / (tf + norm)                     Trotman and others, 2012
okapi      ln((N−n+½)/(n+½)), or ε·     tf·(k1+1) / (tf + norm)                     rank-bm25 0.2.2 BM25Okapi
           mean idf where negative
l          ln((N+1)/(n+½))              tf·(k1+1)·(c+δ) / (k1+c+δ),                 rank-bm25 0.2.2 BM25L
                                        c = tf·k1/norm
plus       ln((N+1)/n)                  δ + tf·(k1+1) / (tf + norm), also at tf 0   rank-bm25 0.2.2 BM25Plus
=========  ===========================  ==========================================  =========================

lucene, robertson and atire as Kamphuis and others, "Which BM25 Do You Mean?", ECIR 2020, tell them apart.
Lucene itself rounds lengths to one byte and computes in float32; this does neither.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context

import numpy as np

from workbench import checks
from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True)
class Variant:
    """One formula. ``odds(N, n)`` is the fraction whose logarithm is the idf, before what ``negative`` says."""

    formula: str
    source: str
    odds: Callable[[int, int], tuple[int, int]]
    negative: str = "keep"
    """A negative idf is kept (``keep``), replaced by 0 (``zero``) or by ε · the mean idf (``epsilon``)."""
    k1_plus_1: bool = True
    """Does the formula hold the factor (k1 + 1)?"""
    delta: float | None = None
    epsilon: float | None = None


VARIANTS = {
    "lucene": Variant(
        "ln(1 + (N − n + 0.5)/(n + 0.5)) · tf/(tf + norm)",
        "Apache Lucene BM25Similarity, 8 and later (no k1 + 1)",
        lambda N, n: (2 * N + 2, 2 * n + 1),
        k1_plus_1=False,
    ),
    "robertson": Variant(
        "max(0, ln((N − n + 0.5)/(n + 0.5))) · tf/(tf + norm)",
        "Robertson and others, TREC-3, 1994, as Kamphuis and others, ECIR 2020, give it",
        lambda N, n: (2 * N - 2 * n + 1, 2 * n + 1),
        negative="zero",
        k1_plus_1=False,
    ),
    "atire": Variant(
        "ln(N/n) · tf·(k1 + 1)/(tf + norm)",
        "Trotman, Jia and Crane, Towards an Efficient and Effective Search Engine, 2012",
        lambda N, n: (N, n),
    ),
    "okapi": Variant(
        "ln((N − n + 0.5)/(n + 0.5)), epsilon · mean idf where that is negative, · tf·(k1 + 1)/(tf + norm)",
        "rank-bm25 0.2.2 BM25Okapi",
        lambda N, n: (2 * N - 2 * n + 1, 2 * n + 1),
        negative="epsilon",
        epsilon=0.25,
    ),
    "l": Variant(
        "ln((N + 1)/(n + 0.5)) · tf·(k1 + 1)·(c + delta)/(k1 + c + delta), c = tf·k1/norm: tf stands once more "
        "than in the paper (Lv and Zhai, 2011)",
        "rank-bm25 0.2.2 BM25L, as released on PyPI",
        lambda N, n: (2 * N + 2, 2 * n + 1),
        delta=0.5,
    ),
    "plus": Variant(
        "ln((N + 1)/n) · (delta + tf·(k1 + 1)/(tf + norm)), also for a document without the term (tf 0)",
        "rank-bm25 0.2.2 BM25Plus",
        lambda N, n: (N + 1, n),
        delta=1.0,
    ),
}

LARGEST = 1e9
"""Of k1, delta and epsilon, so that no score overflows."""

# The C library's logarithm differs in the last bit between machines; decimal's does not.
_EXACT = Context(prec=25)


@dataclass(frozen=True, slots=True)
class Scoring:
    """A variant with its numbers, checked."""

    variant: str
    k1: float
    b: float
    k1_plus_1: bool
    delta: float | None
    epsilon: float | None

    @classmethod
    def of(
        cls,
        variant: str,
        *,
        k1: float,
        b: float,
        k1_plus_1: bool | None,
        delta: float | None,
        epsilon: float | None,
    ) -> "Scoring":
        """The numbers given, the variant's own where None.

        Raises:
            WorkbenchError: ``unknown_variant``, ``out_of_range``, ``not_finite``, ``wrong_type``, or
                ``unknown_parameter`` for a number that the variant never reads.
        """
        known = VARIANTS[checks.one_of("variant", variant, VARIANTS, "unknown_variant")]
        numbers = {}
        for name, given, own in (("delta", delta, known.delta), ("epsilon", epsilon, known.epsilon)):
            if own is None and given is not None:
                readers = [each for each, other in VARIANTS.items() if getattr(other, name) is not None]
                raise WorkbenchError(
                    "unknown_parameter",
                    f"{name} is {given!r}, and variant {variant!r} never reads it: leave it out, or take {' or '.join(readers)}",
                    name=name,
                    variant=variant,
                )
            numbers[name] = own if given is None else checks.number(name, given, low=0, high=LARGEST)
        if k1_plus_1 is not None and not isinstance(k1_plus_1, bool):
            raise WorkbenchError("wrong_type", f"k1_plus_1 is {k1_plus_1!r}: give True or False", name="k1_plus_1")
        if k1_plus_1 is not None and known.k1_plus_1:
            raise WorkbenchError(
                "unknown_parameter",
                f"k1_plus_1 is {k1_plus_1!r}, and the formula of {variant!r} always holds (k1 + 1): leave it out",
                name="k1_plus_1",
                variant=variant,
            )
        return cls(
            variant=variant,
            k1=checks.number("k1", k1, low=0, high=LARGEST),
            b=checks.number("b", b, low=0, high=1),
            k1_plus_1=known.k1_plus_1 if k1_plus_1 is None else k1_plus_1,
            **numbers,
        )

    def idfs(self, df: np.ndarray, documents: int) -> np.ndarray:
        """The idf of every term of the vocabulary, from its document frequency (each at least 1)."""
        if not len(df):
            return np.zeros(0)
        distinct, which = np.unique(df, return_inverse=True)
        idf = np.array([self.plain_idf(n, documents) for n in distinct.tolist()])[which]
        rule = VARIANTS[self.variant].negative
        if rule == "zero":
            idf[idf < 0] = 0.0
        elif rule == "epsilon" and self.epsilon is not None:
            # fsum: the mean is the same whatever order the terms come in
            idf[idf < 0] = self.epsilon * (math.fsum(idf.tolist()) / len(idf))
        checked: np.ndarray = idf + 0.0  # ε · mean may be −0.0
        return checked

    def plain_idf(self, n: int, documents: int) -> float:
        """The logarithm itself, whatever becomes of a negative one."""
        return float(_EXACT.ln(_EXACT.divide(*VARIANTS[self.variant].odds(documents, n))))

    def tf_part(self, tf: np.ndarray, length: np.ndarray, mean_length: float) -> np.ndarray:
        """What the idf multiplies, per posting: ``tf`` ≥ 1 occurrences in a document of ``length`` tokens."""
        pivot = 1 - self.b + self.b * length / mean_length
        part: np.ndarray = (tf * (self.k1 + 1) if self.k1_plus_1 else tf) / (tf + self.k1 * pivot)
        if self.delta is None:
            return part
        if self.variant == "plus":
            return self.delta + part
        shifted = tf / pivot + self.delta
        part = tf * (self.k1 + 1) * shifted / (self.k1 + shifted)
        return part

    def absent(self, idf: float) -> float | None:
        """What a term adds to a document that lacks it: idf · delta in ``plus``; None elsewhere, where it adds nothing."""
        return idf * self.delta if self.variant == "plus" and self.delta is not None else None

    def text(self, analyzer: str) -> str:
        """The score model's name: two scores compare only where it is the same."""
        numbers = [f"k1={_plain(self.k1)}", f"b={_plain(self.b)}"]
        if self.k1_plus_1 != VARIANTS[self.variant].k1_plus_1:
            numbers.append("k1_plus_1=true")
        numbers += [
            f"{name}={_plain(value)}"
            for name, value in (("delta", self.delta), ("epsilon", self.epsilon))
            if value is not None
        ]
        return f"bm25-{self.variant}({','.join(numbers)},analyzer={analyzer})"

    def idf_notes(self, df: int, documents: int, idf: float) -> tuple[str, ...]:
        """What is odd about a term's idf, in words."""
        rule = VARIANTS[self.variant].negative
        plain = self.plain_idf(df, documents)
        if plain < 0 and rule == "zero":
            return (f"in more than half of the documents: its idf would be {plain:.4g}, and {self.variant} takes 0",)
        if plain < 0 and rule == "epsilon":
            note = f"in more than half of the documents: its idf would be {plain:.4g}, and {self.variant} puts epsilon · mean idf = {idf:.4g} in its place"
            return (note, "the mean idf is below 0, so this term lowers the score") if idf < 0 else (note,)
        if plain == 0:
            share = "every one" if df == documents else "exactly half"
            return (f"in {share} of the documents: idf is 0",)
        return ()


def _plain(value: float) -> str:
    return repr(value).removesuffix(".0")
