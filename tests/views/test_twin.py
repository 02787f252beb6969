"""The browser's twin of the kernels gives the same bits as Python: run under node, compared case by case."""

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.views import twin_cases
from tests.views.twin_cases import Case, difference
from workbench import views
from workbench.kernels.fusion import DIALECTS
from workbench.kernels.grounding import METHODS, ground
from workbench.kernels.lanes_in import prepare

KERNELS = Path(views.__file__).parent / "kernels.js"
HARNESS = Path(__file__).parent / "twin_harness.mjs"
MAKERS: dict[str, Callable[..., Iterator[Case]]] = {
    "rrf": twin_cases.rrf_cases,
    "score": twin_cases.score_cases,
    "mmr": twin_cases.mmr_cases,
    "gate": twin_cases.gate_cases,
}


def node_path() -> str:
    found = shutil.which("node")
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("node is not installed, so the browser's twin is not compared")
    assert found is not None, "node has to be installed where CI is true"
    return found


def node(calls: Iterable[tuple[str, dict[str, Any]]], kernels: Path = KERNELS) -> Any:
    """One answer a call, from one run of node."""
    command = [node_path(), str(HARNESS), str(kernels)]
    ran = subprocess.run(command, input=json.dumps(list(calls)), capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def differences(cases: list[Case], kernels: Path = KERNELS) -> list[str]:
    answers = node(((case.kernel, case.call) for case in cases), kernels)
    return [told for case, answer in zip(cases, answers, strict=True) if (told := difference(case, answer))]


def test_every_conformance_case_has_the_bits_of_its_file() -> None:
    named = list(twin_cases.conformance_cases())
    assert len(named) >= 30
    assert differences([case for _, case in named]) == []


@pytest.mark.parametrize(("kind", "count"), [("rrf", 12_000), ("score", 3_000), ("mmr", 4_000), ("gate", 1_000)])
def test_random_cases_agree_to_the_last_bit(kind: str, count: int) -> None:
    node_path()  # before all the cases are made
    cases = list(MAKERS[kind](count))
    assert len(cases) == count
    assert differences(cases)[:3] == []
    answered = [case.told for case in cases if "code" not in case.told]
    assert len(answered) > 0.85 * count
    decided = Counter(word for told in answered for word in told.get("decided", ()))
    wanted = {
        "rrf": ("score", "id", "first_seen", "rounding"),
        "score": ("score", "id", "rounding"),
        "mmr": ("pick", "id"),
    }
    for word in wanted.get(kind, ()):
        assert decided[word] > 50, decided


def test_what_python_refuses_the_twin_refuses_by_the_same_code() -> None:
    cases = list(twin_cases.refused_cases())
    assert [case.call for case in cases if "code" not in case.told] == []
    assert differences(cases) == []


def test_ids_compare_by_code_point() -> None:
    rng = Random(5)
    letters = (*twin_cases.LETTERS, "\x00", "z", "\ud7ff")
    ids = sorted({"".join(rng.choices(letters, k=rng.randint(0, 4))) for _ in range(3000)})
    shuffled = rng.sample(ids, len(ids))
    assert sorted(ids, key=lambda id: id.encode("utf-16-be")) != ids
    assert node([("sorted", {"ids": shuffled})]) == [ids]


def test_equal_values_stay_in_row_order() -> None:
    rng = Random(6)
    values = [rng.choice((0.1, 0.2, -0.0, 0.0, 0.3)) for _ in range(2000)]
    assert node([("ordered", {"values": values})]) == [sorted(range(2000), key=lambda row: (-values[row], row))]


def test_the_dialects_are_those_of_python() -> None:
    names = ("name", "k", "rank_base", "weights", "ties", "whole_k", "arithmetic")
    assert node([("dialects", {})]) == [[{name: getattr(each, name) for name in names} for each in DIALECTS.values()]]


@pytest.mark.parametrize("method", METHODS)
def test_a_dragged_floor_gives_the_verdicts_of_a_new_grounding(method: str) -> None:
    evidence = (
        ("lease", "Either party may terminate by giving ninety days written notice. The deposit is 500 euros."),
        ("house", "Dogs are not allowed in the garden. Parking is free for tenants and their guests at all times."),
    )
    answer = (
        "Either party may terminate by giving ninety days written notice. Notice by either party is ninety days. "
        "The deposit is 900 euros. Parking is free for guests of tenants. Rents rise in May for new tenants. The of."
    )
    read = ground(answer, evidence, method=method, floor=0.5)
    low, high = (ground(answer, evidence, method=method, floor=floor).sentences for floor in (0, 1))
    sentences = [
        {"score": now.score, "reached": below.verdict, "missed": above.verdict}
        for now, below, above in zip(read.sentences, low, high, strict=True)
    ]
    scores = [s.score for s in read.sentences if s.score is not None]
    floors = sorted({*(step / 20 for step in range(21)), *scores})
    told = node([("verdicts", {"sentences": sentences, "floor": floor}) for floor in floors])
    python = [[s.verdict for s in ground(answer, evidence, method=method, floor=f).sentences] for f in floors]
    assert told == python
    assert len({verdict for verdicts in python for verdict in verdicts}) >= (2 if method == "f1" else 4)


PLANTED = {
    "lanes folded from the right": (
        "rrf",
        "hits.forEach((rows, lane) => rows.forEach((row, hit) => act(row, lane, terms[lane][hit])))",
        "[...hits].reverse().forEach((rows, i) => rows.forEach((row, hit) => act(row, lanes - 1 - i, terms[lanes - 1 - i][hit])))",
    ),
    "a reciprocal in place of a division": (
        "rrf",
        "(w, k, place) => w / (k + place))",
        "(w, k, place) => w * (1 / (k + place)))",
    ),
    "no float32": ("rrf", "const f32 = Math.fround;", "const f32 = Number;"),
    "ties to the descending id": ("rrf", "tie[a] - tie[b] : a - b)", "tie[a] - tie[b] : b - a)"),
    "weights as they are held, not as printed": (
        "rrf",
        "shared ? shares(given.map(asPrinted)) : given.map(asPrinted)",
        "shared ? shares(given.map(asHeld)) : given.map(asHeld)",
    ),
    "ties told by the doubles alone": ("rrf", "above === 0 && same ? tie", "same ? tie"),
    "exact ties left as folded": ("rrf", "compareRows(b, a) || a - b", "scores[b] - scores[a] || a - b"),
    "rows that no lane returned": ("rrf", ".filter((row) => seen[row] >= 0)", ""),
    "first seen read from the last lane": (
        "rrf",
        "for (const rows of hits)",
        "for (const rows of [...hits].reverse())",
    ),
    "a sum from the right": ("score", "of numbers) total += number;", "of [...numbers].reverse()) total += number;"),
    "the deviation of a whole population": ("score", "/ (scores.length - 1));", "/ scores.length);"),
    "scores as they are held": ("score", "...spans[lane]].map(asPrinted);", "...spans[lane]].map(asHeld);"),
    "the matrix read the other way": ("mmr", "similarity[byId[i] * n + pick]", "similarity[pick * n + byId[i]]"),
    "blame on the later pick": ("mmr", "if (newest > redundancy[i])", "if (newest >= redundancy[i])"),
    "ids by UTF-16 unit": (
        "mmr",
        "const difference = a.codePointAt(i) - b.codePointAt(i);",
        "const difference = a.charCodeAt(i) - b.charCodeAt(i);",
    ),
    "1 - λ distributed": ("mmr", "redundancy[i] * (1 - lambda)", "(redundancy[i] - redundancy[i] * lambda)"),
    "a floor that has to be passed, not reached": ("gate", "passed: observed >= limit", "passed: observed > limit"),
    "the gate folded from the right": ("gate", "contributions.reduce(", "contributions.reduceRight("),
}


@cache
def sample(kind: str) -> list[Case]:
    return list(islice(MAKERS[kind](600, seed=9), 600))


@pytest.mark.parametrize("name", PLANTED)
def test_the_comparison_sees_a_planted_difference(name: str, tmp_path: Path) -> None:
    node_path()
    kind, right, wrong = PLANTED[name]
    source = KERNELS.read_text(encoding="utf-8")
    assert source.count(right) == 1
    planted = tmp_path / "kernels.js"
    planted.write_text(source.replace(right, wrong), encoding="utf-8")
    assert differences(sample(kind), planted) != []


def test_a_drag_over_five_lanes_of_a_thousand_fits_a_frame() -> None:
    rng = Random(7)
    pool = [f"doc-{number:05}" for number in range(2_500)]
    read = prepare({f"lane {lane}": rng.sample(pool, 1000) for lane in range(5)})
    call = {"ids": read.ids, "lanes": read.names, "ranks": read.ranks.T.tolist()}
    (best,) = node([("milliseconds", call)])
    assert best < 16, f"{best:.1f} ms"


def test_the_script_stays_below_25_kB() -> None:
    assert KERNELS.stat().st_size < 25_000
    source = KERNELS.read_text(encoding="utf-8")
    assert "import " not in source
    assert "http" not in source
