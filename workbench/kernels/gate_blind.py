"""The gate's answer where it cannot look: some evidence came without its text."""

from dataclasses import replace

from workbench.config import GatePolicy
from workbench.kernels import sufficiency
from workbench.kernels.analysis import Analyzer
from workbench.records import Condition, GateDecision


def cannot_look(query: str, known: int, of: int, policy: GatePolicy, *, analyzer: str | Analyzer) -> GateDecision:
    """A decision that does not pass and says why: the text of ``of - known`` passages of evidence is not known.

    Nothing is measured, since a word that looks missing may stand in a text that nobody gave. Every feature
    is 0 by convention and its note says so; no change of a number would turn the verdict.
    """
    which = (
        "no passage came with its text"
        if not known
        else f"{of - known} of the {of} passages came without {'its' if of - known == 1 else 'their'} text"
    )
    reason = f"The gate cannot look for the query's words: {which}. Give texts."
    empty = sufficiency.gate(query, (), policy, analyzer=analyzer)
    note = "not measured: the text is not known"
    return replace(
        empty,
        features=tuple(replace(feature, note=note) for feature in empty.features),
        conditions=(Condition("texts", float(known), float(of), float(known - of), False, True, reason),),
        causes=("texts",),
        reasons=(reason,),
        covered=(),
        missing=(),
        explanation=reason,
    )
