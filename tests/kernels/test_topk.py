"""The best k, against a full sort."""

import numpy as np
import pytest

from workbench.kernels import topk


@pytest.mark.parametrize("k", [1, 10, 100, 20_000, 60_000])
@pytest.mark.parametrize("n", [1, 50, 4000, 50_000])
@pytest.mark.parametrize("kinds", [3, 10**9], ids=["ties", "distinct"])
def test_best_is_the_head_of_a_full_sort(n: int, k: int, kinds: int) -> None:
    random = np.random.default_rng(n + k)
    scores = random.integers(0, kinds, n) / kinds - 0.2
    full = np.lexsort((np.arange(n), -scores))
    assert topk.best(scores, k).tolist() == full[:k].tolist()
    above = full[scores[full] > 0]
    assert topk.best(scores, k, above=0.0).tolist() == above[:k].tolist()
    rows = random.permutation(np.repeat(np.flatnonzero(scores > 0.1), 2))
    among = full[scores[full] > 0.1]
    assert topk.best_among(scores, rows, k, repeats=2).tolist() == among[:k].tolist()
    if k <= n:
        assert topk.at_least_kth(scores, k) == scores[full[k - 1]]


def test_scores_above_the_bound_that_stand_where_the_sample_does_not_look_are_found() -> None:
    scores = np.zeros(100_000)
    scores[1::14] = 1.0  # the sample looks at every 182nd row, from the first
    scores[[99_999, 50_001]] = 2.0
    assert topk.best(scores, 3).tolist() == [50_001, 99_999, 1]
    assert topk.best(scores, 3, above=0.0).tolist() == [50_001, 99_999, 1]
