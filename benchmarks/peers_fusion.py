"""Fusion and MMR beside the libraries that people use: same input, same order, one thread, interleaved.

Run with one thread, so that the ratios say what the code does:

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
        env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE python benchmarks/peers_fusion.py
"""

import time
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from ranx import Run
from ranx import fuse as ranx_fuse

from workbench.kernels.diversity import mmr
from workbench.kernels.fusion import prepare, rrf

Row = tuple[str, Callable[[], object], str, Callable[[], object], float]


def rows() -> Iterator[Row]:
    """(name, ours, the peer's name, the peer's, peer time ÷ our time to reach), order checked before it is timed."""
    lanes = _lanes(5, 1000)
    yield _against_ranx(lanes)
    yield _refuse(lanes)
    yield _against_langchain(1000, 100, 256)


def ratio(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> tuple[float, float, float]:
    """Median of the paired ratios, and both medians in milliseconds of processor time (a busy machine waits, and that is nobody's doing).

    The two take turns at going first.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            start = time.process_time()
            (ours, peer)[which]()
            times[which].append(1000 * (time.process_time() - start))
    return median(b / a for a, b in zip(*times, strict=True)), median(times[0]), median(times[1])


def _lanes(count: int, size: int) -> dict[str, list[str]]:
    random = np.random.default_rng(7)
    universe = [f"passage-{number:05d}" for number in range(5 * size // 2)]
    return {
        f"lane {lane}": [universe[place] for place in random.permutation(len(universe))[:size]] for lane in range(count)
    }


def _against_ranx(lanes: dict[str, list[str]]) -> Row:
    runs = [
        Run({"q": {each: float(len(ids) - place) for place, each in enumerate(ids)}}, name=name)
        for name, ids in lanes.items()
    ]

    def peer() -> dict[str, float]:
        fused: dict[str, float] = ranx_fuse(runs=runs, norm=None, method="rrf", params={"k": 60}).run["q"]
        return fused

    ours, theirs = rrf(lanes), peer()  # the first call compiles; it is not timed
    # ranx leaves ties open, so its scores are put in our order of ties
    assert [*ours.ids] == sorted(theirs, key=lambda each: (-round(theirs[each], 12), each)), "ranx orders otherwise"
    assert np.allclose(ours.scores, [theirs[each] for each in ours.ids], rtol=1e-12, atol=0)
    return "rrf, 5 lanes × 1,000, with contributions", lambda: rrf(lanes), "ranx.fuse, Runs built", peer, 5


def _refuse(lanes: dict[str, list[str]]) -> Row:
    prepared = prepare(lanes)
    assert rrf(prepared, k=20) == rrf(lanes, k=20)
    return (
        "rrf, prepared lanes, another k",
        lambda: rrf(prepared, k=20),
        "our own first fuse",
        lambda: rrf(lanes, k=20),
        4,
    )


def _against_langchain(n: int, k: int, dimensions: int) -> Row:
    random = np.random.default_rng(7)
    centres = random.normal(size=(40, dimensions))
    vectors = centres[random.integers(0, 40, n)] + 0.5 * random.normal(size=(n, dimensions))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    query = vectors[0] + 0.3 * random.normal(size=dimensions).astype(np.float32)
    query /= np.linalg.norm(query)
    ids = [f"passage-{number:05d}" for number in range(n)]

    def ours() -> tuple[str, ...]:
        return mmr(ids, vectors @ query, lambda pick: vectors @ vectors[pick], lambda_mmr=0.5, top_k=k).ids

    def peer() -> list[int]:
        return maximal_marginal_relevance(query, vectors, lambda_mult=0.5, k=k)

    assert [*ours()] == [ids[place] for place in peer()], "langchain picks otherwise"
    return f"mmr, {k} of {n:,} from {dimensions}-d vectors", ours, "langchain_core, arrays", peer, 100


if __name__ == "__main__":
    for name, ours, peer_name, peer, goal in rows():
        reached, mine, theirs = ratio(ours, peer, 7 if goal >= 100 else 101)
        verdict = "reached" if reached >= goal else "MISSED"
        print(f"{name}: {mine:.3f} ms; {peer_name}: {theirs:.3f} ms; {reached:.1f}× (goal {goal:g}×, {verdict})")
