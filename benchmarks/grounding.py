"""How well grounding tells supported claims from the rest, by method and score, and what it costs.

Run from the project root: ``python benchmarks/grounding.py``. Reads public data from ``../shared/data``
and says so where it is absent. Chance is 0.5 for the area under the ROC curve and for balanced accuracy.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from workbench.kernels import texts
from workbench.kernels.grounding import ground

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PASSAGE = 500
"""Characters that a passage may hold, as the pipeline's default."""


def main() -> int:
    for name, path in (("WiCE claims", DATA / "wice" / "claims.jsonl"), ("pairs", DATA / "grounding_pairs.jsonl")):
        if not path.is_file():
            print(f"{name}: skipped, {path} is not there")
            continue
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(f"{name}: {len(rows)} claims, {dict(Counter(row['label'] for row in rows))}")
        report(rows, packed=name == "WiCE claims")
    speed()
    return 0


def report(rows: list[dict[str, Any]], *, packed: bool) -> None:
    labels = np.array([row["label"] == "supported" for row in rows])
    evidence = [passages(row["evidence"]) if packed else named(row["evidence"]) for row in rows]
    for method in ("f1", "alignment"):
        texts.read.cache_clear()
        began = time.process_time()
        found = [ground(row["claim"], each, method=method) for row, each in zip(rows, evidence, strict=True)]
        each_ms = 1000 * (time.process_time() - began) / len(rows)
        scores = np.array([-1.0 if g.score is None else g.score for g in found])
        verdicts = [tuple(s.verdict for s in g.sentences) for g in found]
        passed = np.array([bool(v) and all(x.startswith("supported") for x in v) for v in verdicts])
        print(
            f"  {method:10} AUC {auc(scores, labels):.3f}   balanced accuracy of the verdict {balanced(passed, labels):.3f}"
            f" (best floor {best_floor(scores, labels)})   {each_ms:.2f} ms of CPU per claim, evidence read anew"
        )
        if method == "alignment":
            for name in found[0].sentences[0].scores:
                values = [np.mean([s.scores[name] for s in g.sentences if name in s.scores] or [-1.0]) for g in found]
                print(f"      {name:15} AUC {auc(np.array(values), labels):.3f}")
            if "kind" in rows[0]:
                by_kind(rows, passed, labels, verdicts)


def by_kind(
    rows: list[dict[str, Any]], passed: np.ndarray, labels: np.ndarray, verdicts: list[tuple[str, ...]]
) -> None:
    right: Counter[str] = Counter()
    every = Counter(row["kind"] for row in rows)
    for row, ok, label in zip(rows, passed, labels, strict=True):
        right[row["kind"]] += ok == label
    print("      right by kind: " + ", ".join(f"{kind} {right[kind]}/{n}" for kind, n in every.items()))
    print(
        "      verdicts by label: "
        + str(
            dict(
                sorted(Counter((row["label"], *sorted(set(v))) for row, v in zip(rows, verdicts, strict=True)).items())
            )
        )
    )


def speed() -> None:
    """One claim of 20 words against 120 evidence sentences of 20, cold and with the evidence read before."""
    rng = np.random.default_rng(7)
    vocabulary = ["".join(chr(97 + (7 * i // 26**place) % 26) for place in range(5)) for i in range(3000)]
    picks = np.minimum(rng.zipf(1.3, size=(121, 20)) - 1, 2999)
    lines = [" ".join(vocabulary[i] for i in row).capitalize() + "." for row in picks]
    evidence = passages(lines[1:])
    for name in ("cold", "warm"):
        times = []
        for _ in range(15):
            if name == "cold":
                texts.read.cache_clear()
            began = time.process_time()
            ground(lines[0], evidence)
            times.append(1000 * (time.process_time() - began))
        print(f"120 evidence sentences in {len(evidence)} passages, {name}: {np.median(times):.2f} ms of CPU per claim")


def named(texts: list[str]) -> list[tuple[str, str]]:
    return [(f"p{i}", text) for i, text in enumerate(texts)]


def passages(lines: list[str]) -> list[tuple[str, str]]:
    """Sentences packed into passages of at most ``PASSAGE`` characters (a longer sentence stands alone)."""
    packed: list[str] = []
    for line in lines:
        if packed and len(packed[-1]) + 1 + len(line) <= PASSAGE:
            packed[-1] += " " + line
        else:
            packed.append(line)
    return named(packed)


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """The chance that a supported claim scores above another; ties count half."""
    good, rest = scores[labels], scores[~labels]
    above = (good[:, None] > rest[None, :]).sum() + 0.5 * (good[:, None] == rest[None, :]).sum()
    return float(above / (len(good) * len(rest)))


def balanced(passed: np.ndarray, labels: np.ndarray) -> float:
    return float((passed[labels].mean() + (~passed[~labels]).mean()) / 2)


def best_floor(scores: np.ndarray, labels: np.ndarray) -> str:
    """The floor with the best balanced accuracy on these very claims, the score alone deciding."""
    reached = [(balanced(scores >= floor, labels), -floor) for floor in np.unique(scores)]
    accuracy, floor = max(reached)
    return f"{-floor:.2f}: {accuracy:.3f}"


if __name__ == "__main__":
    sys.exit(main())
