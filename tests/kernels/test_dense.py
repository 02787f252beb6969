"""Dense search: exact in any order of summation, so that no BLAS, thread or CPU changes a rank."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.kernels.dense import DIRECT, GRID, DenseIndex, unit

LAW = settings(deadline=None, max_examples=60)
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


@st.composite
def matrices(draw: st.DrawFn, rows: int = 12) -> np.ndarray:
    shape = draw(st.integers(1, rows)), draw(st.integers(1, 9))
    row = st.lists(NUMBERS, min_size=shape[1], max_size=shape[1]).filter(any)
    return np.array(draw(st.lists(row, min_size=shape[0], max_size=shape[0])))


def names(count: int) -> list[str]:
    return [f"v{place:05d}" for place in range(count)]


@LAW
@given(matrices(), st.randoms(use_true_random=False))
def test_a_cosine_has_the_same_bits_in_any_order_and_by_any_method(vectors: np.ndarray, random) -> None:
    units = unit(vectors)
    one, other = units[0], units[-1]
    exact = Fraction(0)
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        exact += Fraction(a) * Fraction(b)
    mixed = random.sample(range(len(one)), len(one))
    for dot in (
        one @ other,
        np.einsum("i,i", one, other),
        np.vecdot(one, other),
        math.fsum((one * other).tolist()),
        one[mixed] @ other[mixed],
    ):
        assert Fraction(float(dot)) == exact


@pytest.mark.parametrize("dimension", [2, 3, 256, 1536, 4096])
def test_high_dimensions_stay_below_2_and_exact_whatever_the_vectors_look_like(dimension: int) -> None:
    random = np.random.default_rng(dimension)
    vectors = np.concatenate([
        random.standard_normal((20, dimension)),
        np.ones((1, dimension)),
        np.eye(dimension)[:1],
        np.exp(20 * random.standard_normal((10, dimension))),  # a few components hold all the length
    ]).astype(np.float32)  # fmt: skip
    units = unit(vectors)
    assert np.abs(units).max() <= 1
    assert (units * GRID == np.rint(units * GRID)).all()
    lengths = np.einsum("ij,ij->i", units, units)
    assert np.abs(lengths - 1).max() <= 2 * math.sqrt(dimension) / 2**27 + dimension / 2**54
    order = random.permutation(dimension)
    plain = units @ units.T
    assert (units[:, order] @ units[:, order].T).tobytes() == plain.tobytes()
    assert np.einsum("id,jd->ij", units, units).tobytes() == plain.tobytes()
    assert plain[3, 5] == math.fsum((units[3] * units[5]).tolist())


def test_a_unit_vector_keeps_its_direction_at_any_scale() -> None:
    vector = np.array([[3.0, -4.0, 0.0]])
    expected = np.rint(np.array([[0.6, -0.8, 0.0]]) * GRID) / GRID
    for scale in (1.0, 2.0**-1000, 2.0**900, 1e-300, 5e-324):
        assert unit(vector * scale).tolist() == expected.tolist()
    assert not np.signbit(unit([[1.0, -1e-30]])).any()  # no −0.0
    assert unit(np.zeros((0, 4))).shape == (0, 4)


@LAW
@given(matrices(), st.integers(1, 15), st.sampled_from(["cosine", "dot"]), st.randoms(use_true_random=False))
def test_search_is_the_brute_force_and_the_order_of_the_vectors_changes_nothing(vectors, depth, metric, random) -> None:
    given_ids = random.sample(names(len(vectors)), len(vectors))
    built = DenseIndex.build(vectors, given_ids, metric=metric)
    query = vectors[random.randrange(len(vectors))]
    rows = unit(vectors) if metric == "cosine" else vectors
    target = unit([query])[0] if metric == "cosine" else query
    scored = []
    for id, row in zip(given_ids, rows.tolist(), strict=True):
        score = 0.0
        for a, b in zip(row, target.tolist(), strict=True):
            score = score + a * b
        scored.append((-score, id))
    scored.sort()
    found = built.search(query, depth)
    assert [*zip((-found.scores).tolist(), found.ids, strict=True)] == scored[:depth]
    for rank, (negative, id) in enumerate(scored, start=1):
        assert built.rank_of(id, query) == (rank, -negative)
    allowed = [random.random() < 0.5 for _ in given_ids]
    kept = {id for id, may in zip(given_ids, allowed, strict=True) if may}
    assert built.search(query, depth, allowed=allowed).ids == tuple(id for _, id in scored if id in kept)[:depth]
    order = random.sample(range(len(vectors)), len(vectors))
    other = DenseIndex.build(vectors[order], [given_ids[place] for place in order], metric=metric)
    assert other.search(query, depth) == found


@pytest.mark.parametrize("spread", [1.0, 1e-4, 0.0], ids=["apart", "within float32's error", "all but equal"])
def test_the_shortlist_of_a_large_index_loses_nothing(spread: float) -> None:
    random = np.random.default_rng(1)
    count = DIRECT + 1500
    ids = names(count)
    vectors = random.standard_normal(96) + spread * random.standard_normal((count, 96))
    vectors[::2] = vectors[1::2]  # ties
    built = DenseIndex.build(vectors, ids)
    exact = unit(vectors) @ unit(vectors[:1])[0]
    full = np.lexsort((np.arange(count), -exact))
    allowed = random.random(count) < 0.9
    for depth in (1, 100, 5000, count + 7):
        found = built.search(vectors[0], depth)
        assert found.ids == tuple(ids[row] for row in full[:depth].tolist())
        assert found.scores.tolist() == exact[full[:depth]].tolist()
        kept = full[allowed[full]][:depth]
        assert built.search(vectors[0], depth, allowed=allowed).ids == tuple(ids[row] for row in kept.tolist())


def test_float32s_error_stays_within_the_margin_that_the_shortlist_allows() -> None:
    from workbench.kernels.dense import _error_of_float32

    random = np.random.default_rng(2)
    for dimension in (2, 64, 1024):
        units = unit(np.abs(random.standard_normal((500, dimension))))  # one sign: errors do not cancel
        short = np.vecdot(units.astype(np.float32), units[0].astype(np.float32))
        assert np.abs(short.astype(np.float64) - units @ units[0]).max() <= _error_of_float32(dimension)


@pytest.mark.parametrize("metric", ["cosine", "dot"])
def test_similarity_has_the_bits_that_a_search_gives(metric: str) -> None:
    vectors = np.random.default_rng(4).standard_normal((30, 17))
    built = DenseIndex.build(vectors, names(30), metric=metric)
    chosen = [names(30)[place] for place in (5, 2, 29)]
    matrix = built.similarity(chosen)
    assert matrix.shape == (3, 3)
    assert (matrix == matrix.T).all()
    if metric == "dot":
        found = built.search(vectors[2], 30)
        score = dict(zip(found.ids, found.scores.tolist(), strict=True))
        assert matrix[1].tolist() == [score[each] for each in chosen]
    else:
        units = unit(vectors[[5, 2, 29]])
        assert matrix.tobytes() == (units @ units.T).tobytes()


def test_ties_go_to_the_ascending_id_and_a_depth_beyond_n_returns_all() -> None:
    built = DenseIndex.build([[1, 0], [2, 0], [0, 1]], ["b", "a", "c"])
    found = built.search([5, 0], 99)
    assert found.ids == ("a", "b", "c")
    assert found.scores.tolist() == [1.0, 1.0, 0.0]
    assert (len(built), built.dimension, built.ids) == (3, 2, ("b", "a", "c"))


def test_dot_allows_a_zero_vector_and_folds_in_the_order_of_the_dimensions() -> None:
    built = DenseIndex.build([[0.0, 0.0, 0.0], [1e16, 1.0, -1e16]], ["zero", "big"], metric="dot")
    assert built.search([1.0, 1.0, 1.0], 2).scores.tolist() == [0.0, 0.0]  # (1e16 + 1) − 1e16, left to right
    assert built.search([0.0, 1.0, 0.0], 1).ids == ("big",)
    assert built.search([0.0, 0.0, 0.0], 2).ids == ("big", "zero")
    with refused("not_finite", "overflows"):
        DenseIndex.build([[1e300]], ["a"], metric="dot").search([1e300], 1)


REFUSALS = {
    "no vectors": ("nothing_to_search", "no vector", np.zeros((0, 2)), [], {}),
    "more ids than vectors": ("shape_mismatch", "1 rows and ids 2", [[1, 0]], ["a", "b"], {}),
    "a repeated id": ("repeated_id", "'a'", [[1, 0], [0, 1]], ["a", "a"], {}),
    "an id that is a number": ("id_not_text", "1", [[1, 0]], [1], {}),
    "a zero vector under cosine": ("zero_vector", "'b'", [[1, 0], [0, 0]], ["a", "b"], {}),
    "NaN": ("not_finite", "the vector of 'a' holds nan", [[1, math.nan]], ["a"], {}),
    "infinity under dot": ("not_finite", "inf", [[1, math.inf]], ["a"], {"metric": "dot"}),
    "one dimension": ("shape_mismatch", "(2,)", [1, 0], ["a", "b"], {}),
    "no dimension": ("shape_mismatch", "(1, 0)", [[]], ["a"], {}),
    "ragged rows": ("shape_mismatch", "different lengths", [[1, 2], [3]], ["a", "b"], {}),
    "text": ("wrong_type", "'x'", [["x", "y"]], ["a"], {}),
    "an unknown metric": ("out_of_range", "'cosin' (did you mean 'cosine'?)", [[1, 0]], ["a"], {"metric": "cosin"}),
}


@pytest.mark.parametrize(("code", "said", "vectors", "ids", "options"), REFUSALS.values(), ids=REFUSALS)
def test_build_refuses(code: str, said: str, vectors: object, ids: list, options: dict) -> None:
    with refused(code, said):
        DenseIndex.build(vectors, ids, **options)


def test_A12_search_refuses_before_any_work() -> None:
    built = DenseIndex.build([[1, 0]], ["a"])
    with refused("zero_vector", "similarity to a zero vector"):
        built.search([0, 0], 1)
    with refused("shape_mismatch", "3 dimensions and the index 2"):
        built.search([1, 0, 0], 1)
    with refused("not_finite", "the query vector holds nan"):
        built.search([1, math.nan], 1)
    with refused("out_of_range", "depth is 0"):
        built.search([1, 0], 0)
    with refused("shape_mismatch", "1 vectors"):
        built.search([1, 0], 1, allowed=[True, False])
    with refused("unknown_id", "'b'"):
        built.rank_of("b", [1, 0])
    with refused("unknown_id", "'b'"):
        built.similarity(["a", "b"])
    with refused("zero_vector", "row 1"):
        unit([[1, 0], [0, 0]])
