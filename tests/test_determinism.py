"""The same corpus, query and config give the same fingerprint, whatever the threads, the BLAS, the hash seed or the processor."""

import os
import subprocess
import sys

import numpy as np
import pytest

CODE = """
from workbench import Config, Workbench
from workbench.corpus.queries import read_queries
from workbench.shipped import folder

bench = Workbench.sample(config=Config(lambda_mmr=0.7))
queries = [q.query for q in read_queries(folder("sample_data") / "queries.jsonl")][::9][:10]
assert len(queries) == 10
for query in queries:
    print(bench.ask(query).fingerprint())
"""


def fingerprints(**environment: str) -> list[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENBLAS", "OMP", "NPY", "PYTHONHASHSEED"))
    }
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def plain() -> list[str]:
    return fingerprints(OMP_NUM_THREADS="1", PYTHONHASHSEED="0")


def test_threads_and_hash_seed_change_no_fingerprint(plain: list[str]) -> None:
    assert len(set(plain)) == 10
    assert fingerprints(OMP_NUM_THREADS="2", PYTHONHASHSEED="4242") == plain


def test_another_blas_kernel_changes_no_fingerprint(plain: list[str]) -> None:
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]  # type: ignore[index, call-overload]
    newest = (
        "SkylakeX"
        if "AVX512_SKX" in found or "X86_V4" in found
        else "Haswell"
        if "AVX2" in found or "X86_V3" in found
        else None
    )
    if newest is None:
        pytest.skip("this processor has one OpenBLAS kernel only")
    assert fingerprints(OPENBLAS_CORETYPE=newest) == fingerprints(OPENBLAS_CORETYPE="Sandybridge") == plain


def test_numpy_without_avx512_changes_no_fingerprint(plain: list[str]) -> None:
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]  # type: ignore[index, call-overload]
    off = [name for name in ("X86_V4", "AVX512_ICL") if name in found]
    if not off:
        pytest.skip("this processor has no AVX-512 to turn off")
    assert fingerprints(NPY_DISABLE_CPU_FEATURES=" ".join(off)) == plain
