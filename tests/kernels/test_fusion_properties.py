"""What holds for every input: fusion against fractions, MMR against a plain double loop."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.kernels.diversity import mmr
from workbench.kernels.fusion import DIALECTS, dbsf, relative_score, rrf
from workbench.records import Fusion, Step

many = settings(deadline=None, max_examples=100)
IDS = [f"{letter}{number}" for letter in "abé東" for number in range(5)]
weight = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0])
lane = st.permutations(IDS).flatmap(lambda ids: st.integers(0, len(ids)).map(lambda size: ids[:size]))
lanes = st.dictionaries(st.sampled_from(["lexical", "dense", "graph", "wiki"]), lane, min_size=1)


@st.composite
def weighted(draw: st.DrawFn) -> tuple[dict[str, list[str]], dict[str, float], float]:
    given = draw(lanes)
    weights = {name: draw(weight) for name in given}
    if not any(weights.values()):
        weights = dict.fromkeys(given, 1.0)
    return given, weights, draw(st.sampled_from([0, 0.5, 1, 2, 60, 1000]))


def exact(given: dict[str, list[str]], weights: dict[str, float], k: float) -> dict[str, Fraction]:
    totals: dict[str, Fraction] = {}
    for name, ids in given.items():
        for rank, id in enumerate(ids, start=1):
            term = Fraction(str(weights[name])) / (Fraction(str(k)) + rank)
            totals[id] = totals.get(id, Fraction(0)) + term
    return totals


def assert_folds(fusion: Fusion) -> None:
    dtype = np.dtype(fusion.arithmetic).type
    for row in range(len(fusion.ids)):
        total = dtype(0)
        for rank, term in zip(fusion.ranks[row], fusion.contributions[row], strict=True):
            assert np.isnan(term) == (rank < 0)
            total = total if rank < 0 else total + dtype(term)
        assert float(total) == fusion.scores[row]
    assert fusion.residual == 0.0


@many
@given(weighted())
def test_the_order_is_that_of_the_exact_fractions_and_each_place_says_what_decided_it(given: tuple) -> None:
    totals = exact(*given)
    found = rrf(given[0], weights=given[1], k=given[2])
    assert_folds(found)
    assert set(found.ids) == set(totals)
    for row, (above, below) in enumerate(pairwise(found.ids), start=1):
        assert (-found.scores[row - 1], above) < (-found.scores[row], below)
        gap = totals[above] - totals[below]
        assert gap >= Fraction(-1, 10**12)
        same = found.scores[row - 1] == found.scores[row]
        expected = ("id" if same else "rounding") if gap == 0 else ("score" if gap > 0 and not same else "rounding")
        assert found.decided[row] == expected


@many
@given(weighted())
def test_ties_exact_is_the_order_of_the_fractions_then_the_id(given: tuple) -> None:
    totals = exact(*given)
    found = rrf(given[0], weights=given[1], k=given[2], ties="exact")
    assert list(found.ids) == sorted(totals, key=lambda id: (-totals[id], id))
    for row, (above, below) in enumerate(pairwise(found.ids), start=1):
        assert found.decided[row] == ("id" if totals[above] == totals[below] else "score")


@many
@given(lanes, st.randoms(use_true_random=False))
def test_another_order_of_the_lanes_changes_the_fold_alone(given: dict, shuffle: object) -> None:
    names = list(given)
    shuffle.shuffle(names)
    one, other = rrf(given, ties="exact"), rrf({name: given[name] for name in names}, ties="exact")
    assert one.ids == other.ids
    assert np.allclose(one.scores, other.scores, rtol=1e-15, atol=0)
    for id in one.ids:
        assert {each.lane: each for each in one.of(id)} == {each.lane: each for each in other.of(id)}


@many
@given(lanes, st.sampled_from(sorted(DIALECTS)))
def test_every_dialect_folds_its_terms_and_orders_by_its_rule(given: dict, name: str) -> None:
    found = rrf(given, dialect=name)
    assert_folds(found)
    seen = {id: place for place, id in reversed([*enumerate(id for ids in given.values() for id in ids)])}
    place = (lambda id: id) if DIALECTS[name].ties == "id" else seen.__getitem__
    keys = [(-score, place(id)) for id, score in zip(found.ids, found.scores.tolist(), strict=True)]
    assert keys == sorted(keys)


scored = st.dictionaries(
    st.sampled_from(["lexical", "dense", "graph"]),
    st.dictionaries(st.sampled_from(IDS), st.floats(-1e6, 1e6).map(lambda x: round(x, 3))).map(
        lambda d: list(d.items())
    ),
    min_size=1,
)


@many
@given(scored)
def test_score_fusions_fold_their_terms_and_stay_within_their_bounds(given: dict) -> None:
    for found in (relative_score(given), relative_score(given, dialect="opensearch"), dbsf(given)):
        assert_folds(found)
        present = found.contributions[~np.isnan(found.contributions)]
        assert ((present >= 0) & (present <= 1)).all()
        keys = [(-score, id) for id, score in zip(found.ids, found.scores.tolist(), strict=True)]
        assert keys == sorted(keys)


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[str], list[float], list[list[float]], float]:
    ids = draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=9, unique=True))
    value = st.one_of(st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0]), st.floats(-2, 2))
    row = st.lists(value, min_size=len(ids), max_size=len(ids))
    trade = draw(st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]))
    return ids, draw(row), [draw(row) for _ in ids], trade


def naive(ids: list[str], relevance: list[float], similarity: list[list[float]], trade: float) -> tuple[Step, ...]:
    """MMR as it is written down: every candidate against every pick, each time anew."""
    left, picks, steps = sorted(range(len(ids)), key=ids.__getitem__), [], []
    while left:
        rated = []
        for candidate in left:
            redundancy, against = None, None
            for pick in picks:
                if redundancy is None or similarity[candidate][pick] > redundancy:
                    redundancy, against = similarity[candidate][pick], ids[pick]
            score = trade * relevance[candidate]
            if redundancy is not None:
                score = score - (1 - trade) * redundancy
            rated.append((score, candidate, redundancy, against))
        best = max(rated, key=lambda each: each[0])  # the first of equals: ids ascend
        tied = sum(each[0] == best[0] for each in rated) > 1
        score, candidate, redundancy, against = best
        steps.append(Step(ids[candidate], relevance[candidate], redundancy, against, score, "id" if tied else "pick"))
        picks.append(candidate)
        left.remove(candidate)
    return tuple(steps)


@many
@given(pools())
def test_mmr_equals_the_plain_double_loop_bit_for_bit(pool: tuple) -> None:
    ids, relevance, similarity, trade = pool
    assert mmr(ids, relevance, similarity, lambda_mmr=trade).steps == naive(*pool)


@many
@given(pools(), st.randoms(use_true_random=False))
def test_another_order_of_the_candidates_changes_no_pick(pool: tuple, shuffle: object) -> None:
    ids, relevance, similarity, trade = pool
    places = list(range(len(ids)))
    shuffle.shuffle(places)
    moved = [[similarity[row][column] for column in places] for row in places]
    other = mmr([ids[place] for place in places], [relevance[place] for place in places], moved, lambda_mmr=trade)
    assert other.steps == mmr(ids, relevance, similarity, lambda_mmr=trade).steps
