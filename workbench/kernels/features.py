"""The feature reranker: three readable features, a weighted sum (R4, after rerankgate 0.2.0)."""

from collections.abc import Sequence
from itertools import pairwise

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.kernels import analysis
from workbench.kernels.analysis import Analyzer, Token
from workbench.records import Feature, Reranking

WEIGHTS = (0.5, 0.3, 0.2)
PHRASES = ("tokens", "substring")


def rerank(
    query: str,
    ids: Sequence[str],
    texts: Sequence[str],
    fused_scores: Sequence[float],
    *,
    analyzer: str | Analyzer = "english",
    weights: Sequence[float] = WEIGHTS,
    phrase: str = "tokens",
    head: int | None = None,
) -> Reranking:
    """Reorders n candidates by weights · (fused, coverage, phrase); descending score, ties to the ascending id.

    * ``fused``: fused score ÷ best fused score. Where the best one is 0 or less a share of it says
      nothing: ``fused`` is then 0 for every candidate, and its note says so.
    * ``coverage``: share of the query's distinct content terms that the text holds; 0 for a query
      without content terms.
    * ``phrase``: 1 when two content terms that follow each other in the query stand side by side in the
      text, else 0. ``tokens`` compares neighbouring tokens ("machine-learning" answers "machine
      learning"); ``substring`` looks for the two words with a space between them anywhere in the
      lower-cased text, inside longer words too (rerankgate 0.2.0).

    Each score is the left fold of its three contributions, in that order. ``head`` is recorded: how many
    candidates would have been taken at most (n unless given; never fewer).

    Raises:
        WorkbenchError: ``shape_mismatch``, ``not_finite`` (NaN never ranks), ``repeated_id``,
            ``out_of_range``, ``unknown_analyzer``.
    """
    checks.text("query", query)
    names = tuple(checks.item_id(each, f"candidate {i}") for i, each in enumerate(ids, start=1))
    checks.no_repeats(names, "the candidates")
    for name, given in (("texts", texts), ("fused_scores", fused_scores)):
        if len(given) != len(names):
            raise WorkbenchError(
                "shape_mismatch", f"{name} holds {len(given)} and ids {len(names)}: give one of each per candidate"
            )
    fused = [checks.number(f"fused score of {id!r}", s) for id, s in zip(names, fused_scores, strict=True)]
    if len(weights) != 3:
        raise WorkbenchError("shape_mismatch", f"weights is {weights!r}: give three numbers: fused, coverage, phrase")
    by = tuple(checks.number("weights", weight, low=0) for weight in weights)
    checks.one_of("phrase", phrase, PHRASES, "out_of_range")
    most = len(names) if head is None else checks.whole("head", head, low=max(1, len(names)))
    reader = analysis.analyzer(analyzer) if isinstance(analyzer, str) else analyzer

    asked = [token for token in reader.tokens(query) if not token.stop]
    terms = frozenset(token.term for token in asked)
    best = max(fused, default=0.0)
    note = "" if best > 0 else f"the best fused score is {best:g}, so no share of it can be formed"
    rows = []
    for id, text, score in zip(names, texts, fused, strict=True):
        tokens = reader.tokens(checks.text(f"text of {id!r}", text))
        held = terms & {token.term for token in tokens}
        together = _neighbours(asked, tokens) if phrase == "tokens" else _substring(query, asked, text.lower())
        values = (
            score / best if best > 0 else 0.0,
            len(held) / len(terms) if terms else 0.0,
            1.0 if together else 0.0,
        )
        features = tuple(
            Feature(name, value, weight, weight * value, note=note if name == "fused" else "")
            for name, value, weight in zip(("fused", "coverage", "phrase"), values, by, strict=True)
        )
        rows.append((by[0] * values[0] + by[1] * values[1] + by[2] * values[2], id, features))
    rows.sort(key=lambda row: (-row[0], row[1]))
    return Reranking(
        name="feature",
        score_model=f"feature(fused={by[0]:g},coverage={by[1]:g},phrase={by[2]:g},analyzer={reader.name},adjacent={phrase})",
        head=most,
        ids=tuple(row[1] for row in rows),
        scores=tuple(row[0] for row in rows),
        features=tuple(row[2] for row in rows),
        decided=_decided([row[0] for row in rows]),
    )


def _neighbours(asked: Sequence[Token], tokens: Sequence[Token]) -> bool:
    wanted = {(a.term, b.term) for a, b in pairwise(asked)}
    return any((a.term, b.term) in wanted for a, b in pairwise(tokens))


def _substring(query: str, asked: Sequence[Token], lowered: str) -> bool:
    words = [query[token.start : token.end].lower() for token in asked]
    return any(f"{a} {b}" in lowered for a, b in pairwise(words))


def _decided(scores: Sequence[float]) -> tuple[str, ...]:
    """What parted each row from the one above it (the first row: from the one below)."""
    below = ["score" if a != b else "id" for a, b in pairwise(scores)]
    return tuple((below[:1] or ["score"]) + below) if scores else ()
