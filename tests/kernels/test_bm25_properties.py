"""Laws that hold for every corpus and query, and the same answers as the library and as plain Python."""

import math
import os
import pickle
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import rank_bm25
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.kernels.bm25 import BM25Index
from workbench.kernels.bm25_weights import VARIANTS

WORDS = st.sampled_from("abcdefgh")
CORPORA = st.lists(st.lists(WORDS, max_size=12), min_size=1, max_size=24)
QUERIES = st.lists(st.sampled_from("abcdefghz"), max_size=6)
LAW = settings(deadline=None, max_examples=60)


@st.composite
def indexes(draw: st.DrawFn) -> BM25Index:
    documents = draw(CORPORA)
    names = draw(st.permutations([f"d{place}" for place in range(len(documents))]))
    return BM25Index.build(
        documents,
        names,
        k1=draw(st.sampled_from([0.0, 0.9, 1.2, 2.0])),
        b=draw(st.sampled_from([0.0, 0.4, 0.75, 1.0])),
        variant=draw(st.sampled_from([*VARIANTS])),
    )


def fold(terms: list[float]) -> float:
    total = 0.0
    for term in terms:
        total = total + term
    return total


@LAW
@given(indexes(), QUERIES, st.integers(1, 30))
def test_law_1_contributions_fold_to_the_score_bit_for_bit_and_explain_shows_the_same_entries(
    built: BM25Index, query: list[str], depth: int
) -> None:
    found = built.search(query, depth)
    for id, score, row, matched in zip(
        found.ids, found.scores.tolist(), found.contributions.tolist(), found.matched.tolist(), strict=True
    ):
        assert fold([value for value in row if not math.isnan(value)]) == score
        explained = built.explain(id, query)
        assert [math.nan if each.contribution is None else each.contribution for each in explained] == pytest.approx(
            row, rel=0, abs=0, nan_ok=True
        )
        assert [each.tf > 0 for each in explained] == matched
        for each in explained:
            assert each.contribution is None or each.contribution == each.idf * each.weight


@LAW
@given(indexes(), QUERIES, st.integers(1, 30), st.randoms(use_true_random=False))
def test_search_is_the_brute_force_over_what_explain_says(built, query, depth, random) -> None:
    allowed = [random.random() < 0.7 for _ in built.ids]
    rows = []
    for id, admitted in zip(built.ids, allowed, strict=True):
        terms = built.explain(id, query)
        if any(each.tf for each in terms):
            rows.append((-fold([each.contribution for each in terms if each.contribution is not None]), id, admitted))
    rows.sort()
    found = built.search(query, depth)
    assert [*zip((-found.scores).tolist(), found.ids, strict=True)] == [row[:2] for row in rows[:depth]]
    assert built.search(query, depth, allowed=allowed).ids == tuple(row[1] for row in rows if row[2])[:depth]
    for rank, (negative, id, _) in enumerate(rows, start=1):
        assert built.rank_of(id, query) == (rank, -negative)
    ranked = {row[1] for row in rows}
    assert all(built.rank_of(id, query) is None for id in built.ids if id not in ranked)


@LAW
@given(CORPORA, QUERIES, st.sampled_from([*VARIANTS]), st.randoms(use_true_random=False))
def test_the_order_of_the_documents_changes_nothing(documents, query, variant, random) -> None:
    names = [f"d{place}" for place in range(len(documents))]
    order = random.sample(range(len(documents)), len(documents))
    one = BM25Index.build(documents, names, variant=variant)
    other = BM25Index.build([documents[i] for i in order], [names[i] for i in order], variant=variant)
    assert one.search(query, 30) == other.search(query, 30)
    assert one.scores(query)[order].tobytes() == other.scores(query).tobytes()


@LAW
@given(CORPORA.filter(any), QUERIES, st.sampled_from(["okapi", "l", "plus"]))
def test_scores_are_those_of_the_rank_bm25_library(documents, query, variant) -> None:
    library = {"okapi": rank_bm25.BM25Okapi, "l": rank_bm25.BM25L, "plus": rank_bm25.BM25Plus}[variant]
    ours = BM25Index.build(documents, [f"d{i}" for i in range(len(documents))], k1=1.5, variant=variant).scores(query)
    # the library sums okapi's mean idf in an order of its own: near 0 only an absolute error says anything
    assert ours.tolist() == pytest.approx(library(documents).get_scores(query).tolist(), rel=1e-9, abs=1e-13)


@LAW
@given(CORPORA, QUERIES.filter(bool), st.sampled_from(["lucene", "robertson", "atire"]))
def test_scores_are_those_of_the_formula_in_plain_python(documents, query, variant) -> None:
    names = [f"d{i}" for i in range(len(documents))]
    scores = BM25Index.build(documents, names, k1=0.9, b=0.4, variant=variant).scores(query).tolist()
    n, counts = len(documents), [Counter(tokens) for tokens in documents]
    mean = Fraction(sum(map(len, documents)), n)
    for tokens, count, score in zip(documents, counts, scores, strict=True):
        expected = []
        for term in query:
            df = sum(term in other for other in counts)
            if not count[term]:
                continue
            idf = {
                "lucene": math.log1p((n - df + 0.5) / (df + 0.5)),
                "robertson": max(0.0, math.log((n - df + 0.5) / (df + 0.5))),
                "atire": math.log(n / df),
            }[variant]
            factor = 1.9 if variant == "atire" else 1
            norm = 0.9 * (1 - 0.4 + 0.4 * float(len(tokens) / mean))
            expected.append(idf * count[term] * factor / (count[term] + norm))
        assert score == pytest.approx(math.fsum(expected), rel=1e-12, abs=1e-15)


def _zipf(documents: int) -> list[list[str]]:
    codes = np.minimum(np.random.default_rng(3).zipf(1.3, size=(documents, 8)), 3000)
    return [[f"w{code}" for code in row] for row in codes.tolist()]


def _build(tokens: list[list[str]], variant: str) -> BM25Index:
    return BM25Index.build(tokens, [f"d{place:05d}" for place in range(len(tokens))], variant=variant)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_large_tie_rich_corpus_is_cut_exactly(variant: str) -> None:
    tokens = _zipf(30_000)
    built = _build(tokens, variant)
    for query in (["w1", "w2", "w3"], ["w40", "w50", "w60"], ["w1", "w700", "w40"], ["w5", "w5", "w9"]):
        scores = built.scores(query)
        rows = np.flatnonzero([not set(query).isdisjoint(document) for document in tokens])
        best = rows[np.lexsort((rows, -scores[rows]))]
        for depth in (1, 10, 100, 3000, 30_000):
            found = built.search(query, depth)
            assert found.ids == tuple(built.ids[row] for row in best[:depth].tolist())
            assert found.scores.tolist() == scores[best[:depth]].tolist()


def test_an_index_survives_pickling() -> None:
    built = _build(_zipf(500), "lucene")
    assert pickle.loads(pickle.dumps(built)).search(["w1", "w3"], 50) == built.search(["w1", "w3"], 50)


FINGERPRINT = """
import hashlib, numpy as np
from workbench.kernels.bm25 import BM25Index
from workbench.kernels.dense import DenseIndex
random = np.random.default_rng(5)
tokens = [[f"w{c}" for c in row] for row in np.minimum(random.zipf(1.3, size=(20_000, 8)), 3000).tolist()]
ids = [f"d{i}" for i in range(20_000)]
digest = hashlib.sha256()
def take(found):
    digest.update(repr(found.ids).encode() + found.scores.tobytes())
for variant in ("lucene", "okapi", "plus"):
    built = BM25Index.build(tokens, ids, variant=variant)
    for query in (["w1", "w2"], ["w40", "w50"]):
        found = built.search(query, 100)
        take(found)
        digest.update(found.contributions.tobytes())
vectors = random.standard_normal((6000, 48))
for metric in ("cosine", "dot"):
    built = DenseIndex.build(vectors, ids[:6000], metric=metric)
    take(built.search(vectors[7], 50))
    digest.update(built.similarity(ids[:20]).tobytes())
print(digest.hexdigest())
"""


def test_the_bits_do_not_depend_on_the_cpu_the_blas_kernel_or_the_hash_seed() -> None:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__  # type: ignore[attr-defined]

    optional = " ".join(each for each in __cpu_dispatch__ if __cpu_features__.get(each))
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("NPY_", "OPENBLAS_"))}
    settings = (
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "1", "NPY_DISABLE_CPU_FEATURES": optional, "OPENBLAS_CORETYPE": "Nehalem"},
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT], env=plain | each, capture_output=True, text=True, check=True
        ).stdout
        for each in settings
    }
    assert len(seen) == 1
