"""How well grounding tells supported claims from the rest: by method, by score, by word and by flag, and what it costs.

Run from the project root: ``python benchmarks/grounding.py [FOLDER]``. Reads public data from ``../shared/data``, or
the folder given, and says so where it is absent; the sample answers ship with the project. Chance is 0.5 for the area
under the ROC curve and for balanced accuracy; marking every word of ``tokens.jsonl`` gives a token F1 of about 0.4.
"""

import gc
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workbench.kernels import sentences, texts
from workbench.kernels.grounding import ground
from workbench.records import Grounding

ROOT = Path(__file__).resolve().parents[1]
PASSAGE = 500
"""Characters that a passage may hold, as the pipeline's default."""
MARKED = ("absent", "conflict")


class Case(NamedTuple):
    """A claim with its evidence, whether people call it supported, and what kind it is."""

    claim: str
    evidence: list[tuple[str, str]]
    supported: bool
    kind: str


def main() -> int:
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    found: dict[str, list[Case]] = {}
    for name, path, packed in (
        ("WiCE claims", data / "wice" / "claims.jsonl", True),
        ("pairs", data / "grounding_pairs.jsonl", False),
    ):
        if path.is_file():
            found[name] = [
                Case(
                    row["claim"],
                    passages(row["evidence"]) if packed else named(row["evidence"]),
                    row["label"] == "supported",
                    row.get("kind", row["label"]),
                )
                for row in read(path)
            ]
        else:
            print(f"{name}: skipped, {path} is not there")
    found["sample answers"] = sample()
    for name, cases in found.items():
        report(name, cases)
    flags(found)
    tokens = data / "wice" / "tokens.jsonl"
    print(token_f1(read(tokens)) if tokens.is_file() else f"WiCE tokens: skipped, {tokens} is not there")
    print(verbatim([text for case in found.get("WiCE claims", found["sample answers"]) for _, text in case.evidence]))
    claims = data / "wice" / "claims.jsonl"
    rows = [row for row in read(claims) if 100 <= len(row["evidence"]) <= 140] if claims.is_file() else []
    speed([Case(row["claim"], passages(row["evidence"]), False, "") for row in rows])
    return 0


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sample() -> list[Case]:
    """The sentences of the sample answers, each against the document that it rests on."""
    folder = ROOT / "sample_data"
    cases = []
    for row in read(folder / "answers.jsonl"):
        for sentence in row["sentences"]:
            if sentence["source"]:
                text = (folder / "documents" / sentence["source"]).read_text(encoding="utf-8")
                lines = [text[start:end] for start, end in sentences.split(text)]
                cases.append(
                    Case(sentence["text"], passages(lines), sentence["supported"], sentence["fault"] or "supported")
                )
    return cases


def report(name: str, cases: list[Case]) -> None:
    labels = np.array([case.supported for case in cases])
    print(f"{name}: {len(cases)} claims, {int(labels.sum())} supported")
    for method in ("f1", "alignment"):
        found = [ground(case.claim, case.evidence, method=method) for case in cases]
        scores = np.array([-1.0 if g.score is None else g.score for g in found])
        passed = np.array([supported(g) for g in found])
        print(
            f"  {method:10} AUC {auc(scores, labels):.3f}   balanced accuracy of the verdict {balanced(passed, labels):.3f}"
            f" (best floor {best_floor(scores, labels)})"
        )
    for score in found[0].sentences[0].scores:
        values = [np.mean([s.scores[score] for s in g.sentences if score in s.scores] or [-1.0]) for g in found]
        print(f"      {score:15} AUC {auc(np.array(values), labels):.3f}")
    right: Counter[str] = Counter()
    for case, ok in zip(cases, passed, strict=True):
        right[case.kind] += bool(ok) == case.supported
    every = Counter(case.kind for case in cases)
    print("      right by kind: " + ", ".join(f"{kind} {right[kind]}/{n}" for kind, n in every.items()))


def supported(found: Grounding) -> bool:
    verdicts = [s.verdict for s in found.sentences]
    return bool(verdicts) and all(verdict.startswith("supported") for verdict in verdicts)


def flags(found: dict[str, list[Case]]) -> None:
    """Of the claims that raise a flag of a kind, the share that people do not call supported."""
    print("Flags: claims that raise one, and the share of those that is not supported (in brackets: of all claims)")
    fired: dict[str, dict[tuple[str, str], list[bool]]] = {}
    for name, cases in found.items():
        for case in cases:
            raised = {
                (f.kind, told(f.severity, f.at is None))
                for s in ground(case.claim, case.evidence).sentences
                for f in s.flags
            }
            for key in raised:
                fired.setdefault(name, {}).setdefault(key, []).append(not case.supported)
    kinds = sorted({key for rows in fired.values() for key in rows})
    heads = [f"{name} ({1 - np.mean([c.supported for c in cases]):.2f})" for name, cases in found.items()]
    print(f"  {'':26}" + "".join(f"{head:>24}" for head in [*heads, "together"]))
    for key in kinds:
        cells = [fired.get(name, {}).get(key, []) for name in found]
        cells.append([wrong for cell in cells for wrong in cell])
        shown = [f"{np.mean(cell):.2f} of {len(cell)}" if cell else "-" for cell in cells]
        print(f"  {' '.join(key):26}" + "".join(f"{cell:>24}" for cell in shown))


def told(severity: str, nowhere: bool) -> str:
    return severity if severity == "conflict" else "info, nowhere" if nowhere else "info, elsewhere"


def token_f1(rows: Sequence[dict[str, Any]]) -> str:
    """Words marked absent or in conflict against the words that people found not supported. Punctuation is no word."""
    true = false = missed = 0
    for row in rows:
        found = ground(row["claim"], passages(row["evidence"]))
        marks = [(t.start, t.end) for s in found.sentences for t in s.tokens if t.state in MARKED]
        at = 0
        for word, wrong in zip(row["claim_tokens"], row["non_supported_spans"], strict=True):
            start = row["claim"].index(word, at)
            at = start + len(word)
            if any(char.isalnum() for char in word):
                said = any(a < at and start < b for a, b in marks)
                true, false, missed = (
                    true + (said and wrong),
                    false + (said and not wrong),
                    missed + (wrong and not said),
                )
    precision, recall = true / (true + false), true / (true + missed)
    f1 = 2 * precision * recall / (precision + recall)
    return f"WiCE tokens: {len(rows)} claims, F1 {f1:.3f} (precision {precision:.3f}, recall {recall:.3f})"


def verbatim(every: list[str]) -> str:
    """Each sentence of a passage, against that passage: none may be flagged."""
    chosen = list(dict.fromkeys(every))[:1500]
    count = flagged = 0
    for text in chosen:
        for row in ground(text, [("p", text)]).sentences:
            count += row.verdict != "not_checkable"
            flagged += not row.verdict.startswith(("supported", "not_checkable")) or bool(row.flags)
    return f"Sentences copied word for word: {count}, flagged: {flagged}"


def speed(wice: list[Case]) -> None:
    """CPU per claim with evidence that is read once for it, and with evidence that was read before.

    ``wice``: claims with about 120 evidence sentences.
    """
    rng = np.random.default_rng(7)
    vocabulary = ["".join(chr(97 + (7 * i // 26**place) % 26) for place in range(5)) for i in range(3000)]
    picks = np.minimum(rng.zipf(1.3, size=(121, 20)) - 1, 2999)
    lines = [" ".join(vocabulary[i] for i in row).capitalize() + "." for row in picks]
    made = [Case(lines[0], passages(lines[1:]), True, "")] * 15
    real = wice[:60]
    gc.collect()
    gc.disable()  # as timeit does: the garbage of other claims is not this one's
    for name, cases in (("invented words", made), ("WiCE", real)):
        if not cases:
            continue
        for state in ("read once per claim", "read before"):
            times = []
            for case in cases:
                if state == "read once per claim":
                    texts.read.cache_clear()
                else:
                    ground(case.claim, case.evidence)
                began = time.process_time()
                ground(case.claim, case.evidence)
                times.append(1000 * (time.process_time() - began))
            print(f"{name}, about 120 evidence sentences, {state}: {np.median(times):.2f} ms of CPU per claim")
    gc.enable()
    began = time.process_time()
    total = 0
    for i in range(3_000_000):
        total += i
    print(
        f"(this processor, now: {1e9 * (time.process_time() - began) / 3e6:.0f} ns for one turn of an empty loop; 35-40 on an idle desktop)"
    )


def named(lines: list[str]) -> list[tuple[str, str]]:
    return [(f"p{i}", text) for i, text in enumerate(lines)]


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
