"""The kernels beside their peers, in one run, on one thread: ratios of medians, with the goal of each.

Run from the project root:

    python benchmarks/kernels.py            all rows
    python benchmarks/kernels.py bm25       rows whose name holds the word

Ours and the peer take turns, and turns at going first, so that whatever slows the machine slows both. A
row takes at most about three seconds and at least 7 rounds; ``rounds`` says how many it got. The exit code is
the number of rows below their goal.
"""

import os
import sys
import time
from collections.abc import Callable
from statistics import median

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
ONE_THREAD = {f"{library}_{'' if 'MAX' in library else 'NUM_'}THREADS": "1" for library in LIBRARIES}
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NPY_DISABLE_CPU_FEATURES")
SECONDS, LEAST, MOST = 3.0, 7, 301


def main() -> int:
    import peers_fusion
    import peers_search

    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    print(f"{'row':58} {'ours':>9} {'peer':>9} {'ratio':>8} {'goal':>6}        rounds  peer")
    below = 0
    for module in (peers_search, peers_fusion):
        for name, ours, peer_name, peer, goal in module.rows():
            if wanted not in name:
                continue
            mine, theirs, rounds = measure(ours, peer)
            reached = theirs / mine
            below += reached < goal
            verdict = "PASS" if reached >= goal else "BELOW"
            print(
                f"{name:58} {mine:6.3f} ms {theirs:6.2f} ms {reached:7.1f}× {goal:5g}× {verdict:6} {rounds:6}  {peer_name}",
                flush=True,
            )
    return below


def measure(ours: Callable[[], object], peer: Callable[[], object]) -> tuple[float, float, int]:
    """Both medians in milliseconds, and the number of interleaved rounds."""
    ours(), peer()  # the first call may compile, or touch memory for the first time
    times: tuple[list[float], list[float]] = ([], [])
    end = time.perf_counter() + SECONDS
    while len(times[0]) < LEAST or (time.perf_counter() < end and len(times[0]) < MOST):
        for which in (0, 1) if len(times[0]) % 2 else (1, 0):
            start = time.perf_counter()
            (ours, peer)[which]()
            times[which].append(1000 * (time.perf_counter() - start))
    return median(times[0]), median(times[1]), len(times[0])


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()) or any(n in os.environ for n in UNSET):
        # the libraries read these when they are first imported, so start again with them in place
        environment = {name: value for name, value in os.environ.items() if name not in UNSET} | ONE_THREAD
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    sys.exit(main())
