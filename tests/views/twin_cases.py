"""Calls of the browser's twin, each beside what the Python kernel says of the same input."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from workbench.config import GatePolicy
from workbench.errors import WorkbenchError
from workbench.kernels.diversity import mmr
from workbench.kernels.fusion import DIALECTS, PreparedLanes, dbsf, linear, prepare, relative_score, rrf
from workbench.kernels.sufficiency import WEIGHTED, gate
from workbench.records import Fusion

CONFORMANCE = Path(__file__).parents[1] / "conformance"

# where UTF-16 units and code points disagree (U+E000 to U+FFFF beside U+10000 and up), and where they do not
LETTERS = ("a", "b", "B", "1", "10", "é", "ﬀ", "！", "\ue000", "\uffff", "😀", "😁", "𝔸", "\U00010000", "\U0010ffff")


@dataclass(frozen=True)
class Case:
    """``call`` is what goes to node, ``told`` what the Python kernel answers."""

    kernel: str
    call: dict[str, Any]
    told: dict[str, Any]


def difference(case: Case, answer: dict[str, Any]) -> str | None:
    """What the twin says otherwise, in words; None where it agrees to the last bit."""
    if answer.keys() != case.told.keys():
        return f"{case.kernel}: {answer} where Python says {case.told}"
    for name, told in case.told.items():
        given = answer[name]
        if name == "bits":
            given = np.frombuffer(base64.b64decode(given))
            if given.shape == told.shape and (_bits(given) == _bits(told)).all():
                continue
        elif given == told:
            continue
        return f"{case.kernel}: {name} is {given} where Python says {told}, of {case.call}"
    return None


def _bits(doubles: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(doubles), np.nan, doubles).view(np.int64)


def _absent(number: float | None) -> float:
    return np.nan if number is None else number


# fusion


def fusion_case(
    kernel: str,
    lanes: dict[str, Any],
    options: dict[str, Any],
    *,
    wide: bool = False,
    read: PreparedLanes | None = None,
    beside: Sequence[str] = (),
) -> Case:
    """The call by rank columns, as a view makes it: int16, or int32 when ``wide``. Refusals are told by their code.

    ``beside`` are ids that no lane returned, as when a view drops a lane.
    """
    read = prepare(lanes) if read is None else read
    ids = sorted({*read.ids, *beside})
    held = dict(zip(read.ids, range(len(read.ids)), strict=True))
    ranks = [[column[held[id]] if id in held else -1 for id in ids] for column in read.ranks.T.tolist()]
    call: dict[str, Any] = {"ids": ids, "lanes": read.names, "ranks": ranks, "wide": wide, **options}
    if "rank_base" in call:
        call["rankBase"] = call.pop("rank_base")
    if isinstance(call.get("weights"), dict):
        call["weights"] = [call["weights"].get(name, 1.0) for name in lanes]
    if kernel != "rrf":
        columns = [[None if np.isnan(score) else score for score in column] for column in read.raw.T.tolist()]
        call["raw"] = [[column[held[id]] if id in held else None for id in ids] for column in columns]
    try:
        told = _told(_python(kernel, lanes, read, options), ids)
    except WorkbenchError as error:
        told = {"code": error.code}
    return Case(kernel, call, told)


def _python(kernel: str, lanes: dict[str, Any], read: PreparedLanes, options: dict[str, Any]) -> Fusion:
    if kernel == "linear":
        return linear(*lanes.values(), **options)
    return {"rrf": rrf, "relative_score": relative_score, "dbsf": dbsf}[kernel](read, **options)


def _told(fusion: Fusion, ids: Sequence[str]) -> dict[str, Any]:
    row = {id: place for place, id in enumerate(ids)}
    return {
        "order": [row[id] for id in fusion.ids],
        "ids": list(fusion.ids),
        "decided": list(fusion.decided),
        "bits": np.concatenate([fusion.scores, fusion.contributions.ravel(), [_absent(fusion.possible)]]),
    }


def rrf_cases(count: int, seed: int = 1) -> Iterator[Case]:
    rng = Random(seed)
    for place in range(count):
        if place % 4 == 0:
            lanes = _lanes(rng)
            read = prepare(lanes)
        beside = _ids(rng, 5) if rng.random() < 0.1 else ()
        options = _rrf_options(rng, len(lanes))
        yield fusion_case("rrf", lanes, options, wide=rng.random() < 0.5, read=read, beside=beside)


def _ids(rng: Random, most: int) -> list[str]:
    return sorted({"".join(rng.choices(LETTERS, k=rng.randint(1, 3))) for _ in range(rng.randint(1, most))})


def _lanes(rng: Random) -> dict[str, list[str]]:
    pool = _ids(rng, 300 if rng.random() < 0.005 else 20)
    kind = rng.random()
    if kind < 0.2:
        # four neighbours hold the same four ranks, each in other lanes: exact ties that the fold may split
        fours = [pool[start : start + 4] for start in range(0, len(pool), 4)]
        lanes = [[id for four in fours for id in four[turn:] + four[:turn]] for turn in range(4)]
    elif kind < 0.4:
        # ranks shared by two lanes stand beside the same ranks in a third: 0.1 + 0.2 beside 0.3
        lanes = [pool[::2], pool[::2], pool[1::2]]
    else:
        lanes = _any_lanes(rng, pool)
    return {f"lane {place}": lane for place, lane in enumerate(lanes)}


def _any_lanes(rng: Random, pool: list[str]) -> list[list[str]]:
    return [rng.sample(pool, rng.choice((0, len(pool), rng.randint(0, len(pool))))) for _ in range(rng.randint(1, 6))]


def _weights(rng: Random, lanes: int) -> list[float] | None:
    kind = rng.randrange(6)
    if kind == 0:
        return None
    if kind == 1:
        return [rng.choice((0.1, 0.5, 2.0, 1e-12, 1e12))] * lanes
    if kind == 2:
        return [rng.uniform(0.01, 3) for _ in range(lanes)]
    if kind == 3 and lanes == 3:
        return rng.choice(([0.1, 0.2, 0.3], [0.3, 0.4, 0.7], [1.1, 2.2, 3.3]))
    some = [rng.choice((0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.3, 2.0, 3.0, 1e-5)) for _ in range(lanes)]
    return some if any(some) else None


def _k(rng: Random) -> float:
    grid = (0, 0.1, 0.3, 1, 2, 10, 59.9, 60, 61, 1000, 1e8)
    return rng.choice((rng.choice(grid), rng.randint(1, 1000), rng.uniform(0, 1000)))


def _rrf_options(rng: Random, lanes: int) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.8:
        options["k"] = _k(rng)
    if (weights := _weights(rng, lanes)) is not None:
        options["weights"] = weights
    if rng.random() < 0.4:
        options["ties"] = rng.choice(("fold", "exact"))
        if rng.random() < 0.5:
            options["rank_base"] = rng.choice((0, 1))
        base = options.get("rank_base", 1)
    else:
        spoken = DIALECTS[rng.choice(list(DIALECTS))]
        options["dialect"], base = spoken.name, spoken.rank_base
        if spoken.weights == "none":
            options.pop("weights", None)
        if spoken.whole_k and "k" in options:
            options["k"] = rng.randint(1, 1000)
        if spoken.name == "qdrant" and "k" in options:
            options["k"] += 1
    if base == 0 and options.get("k") == 0:
        options["k"] = 0.5
    return options


def refused_cases() -> Iterator[Case]:
    """What a slider or a box can ask for that no kernel answers."""
    lanes: dict[str, Any] = {"a": ["x", "y"], "b": ["y", "z"]}
    asked: tuple[dict[str, Any], ...] = (
        {"k": -1},
        {"k": -1e-9},
        {"k": "60"},
        {"k": 0, "rank_base": 0},
        {"k": 0, "dialect": "llamaindex"},
        {"k": 60.5, "dialect": "opensearch"},
        {"k": 0, "dialect": "opensearch"},
        {"k": 10_001, "dialect": "opensearch"},
        {"k": 0, "dialect": "qdrant"},
        {"k": 0.5, "weights": [2.0, 3.0], "dialect": "qdrant"},
        {"k": 1e39, "dialect": "milvus"},
        {"k": 1e-39, "dialect": "weaviate"},
        {"weights": [1e39, 1.0], "dialect": "elasticsearch"},
        {"weights": [1e308, 1e308]},
        {"weights": [1e308, 7e307], "k": 0, "dialect": "haystack"},
        {"weights": [1e300, 1.0], "k": 1e-10, "rank_base": 0},
        {"weights": [1e30, 1.0], "k": 1e-20, "dialect": "weaviate"},
        {"weights": [0.0, 0.0]},
        {"weights": [1.0, -0.5]},
        {"weights": [1.0]},
        {"weights": [1.0, 2.0], "dialect": "paper"},
        {"dialect": "lucene"},
        {"dialect": "constructor"},
        {"dialect": "qdrant", "ties": "exact"},
        {"dialect": "qdrant", "rank_base": 1},
        {"ties": "random"},
    )
    for options in asked:
        yield fusion_case("rrf", lanes, options)
    scored: dict[str, Any] = {"a": [("x", 2.0), ("y", 1.0)], "b": [("y", 3.0), ("z", None)]}
    wide: dict[str, Any] = {"a": [("x", 1e308), ("y", -1e308)], "b": []}
    near: dict[str, Any] = {"a": [("x", 1e-200), ("y", 0.0)], "b": []}
    for kernel in ("relative_score", "dbsf"):
        yield fusion_case(kernel, scored, {})
        yield fusion_case(kernel, wide, {})
    yield fusion_case("dbsf", near, {})
    yield fusion_case("relative_score", {"a": [("x", 2.0)]}, {"dialect": "weaviate"})
    yield fusion_case("linear", {"dense": [("x", 2.0)], "sparse": [("y", 2.0)]}, {})
    yield fusion_case("linear", {"dense": [("x", 2.0)], "sparse": [("x", 2.0)]}, {"alpha": 1.5})
    for options in ({"lambda_mmr": 1.01}, {"lambda_mmr": -0.01}, {"top_k": 0}, {"top_k": 1.5}):
        yield mmr_case(["x", "y"], [1.0, 0.5], [[1.0, 0.0], [0.0, 1.0]], options)
    yield mmr_case([], [], [], {})
    yield mmr_case(["x"], [1.0, 2.0], [[1.0]], {})


def score_cases(count: int, seed: int = 2) -> Iterator[Case]:
    rng = Random(seed)
    for _ in range(count):
        kernel = rng.choice(("relative_score", "dbsf", "linear"))
        lanes = _lanes(rng)
        if kernel == "linear":
            pool = next(iter(lanes.values()))
            lanes = {"dense": pool, "sparse": rng.sample(pool, len(pool))}
        scored = {name: _scored(rng, lane) for name, lane in lanes.items()}
        options: dict[str, Any] = {}
        if kernel == "linear":
            options["alpha"] = rng.choice((0, 0.3, 0.5, 0.7, 1, rng.random()))
        if kernel == "relative_score":
            if (weights := _weights(rng, len(lanes))) is not None:
                options["weights"] = weights
            if rng.random() < 0.3:
                options["dialect"] = "opensearch"
        yield fusion_case(kernel, scored, options)


def _scored(rng: Random, lane: list[str]) -> list[tuple[str, float]]:
    draw: Callable[[], float] = rng.choice(
        (
            lambda: rng.gauss(0, 1),
            lambda: rng.uniform(0, 30),
            lambda: rng.randint(1, 4) / 10,
            lambda: rng.randint(1, 4) * 1.0,
            lambda: rng.choice((-0.0, 0.0, -1.5, 2.0)),
            lambda: 1e9 + rng.randint(0, 5) / 10,
            lambda: 0.25,
            lambda: rng.uniform(0, 1e-200),
        )
    )
    scores = [draw() for _ in lane]
    if rng.random() < 0.8:
        scores.sort(reverse=True)
    return list(zip(lane, scores, strict=True))


# diversity


def mmr_case(ids: list[str], relevance: list[float], similarity: list[list[float]], options: dict[str, Any]) -> Case:
    names = {"lambda_mmr": "lambda", "top_k": "topK"}
    call = {
        "ids": ids,
        "relevance": relevance,
        "similarity": [each for row in similarity for each in row],
        **{names[name]: value for name, value in options.items() if value is not None},
    }
    try:
        made = mmr(ids, relevance, similarity, **options)
    except WorkbenchError as error:
        return Case("mmr", call, {"code": error.code})
    told = {
        "picks": [ids.index(step.id) for step in made.steps],
        "ids": [step.id for step in made.steps],
        "against": [step.against for step in made.steps],
        "decided": [step.decided for step in made.steps],
        "changed": made.changed,
        "bits": np.array([x for s in made.steps for x in (s.relevance, _absent(s.redundancy), s.score)], dtype=float),
    }
    return Case("mmr", call, told)


def mmr_cases(count: int, seed: int = 3) -> Iterator[Case]:
    rng = Random(seed)
    for _ in range(count):
        ids = _ids(rng, 14)
        rng.shuffle(ids)
        relevant, alike = _draw(rng), _draw(rng)
        matrix = [[alike() for _ in ids] for _ in ids]
        if rng.random() < 0.3:
            matrix = [[matrix[max(i, j)][min(i, j)] for j in range(len(ids))] for i in range(len(ids))]
        options: dict[str, Any] = {"lambda_mmr": rng.choice((0, 0.3, 0.5, 0.7, 1, rng.random()))}
        if rng.random() < 0.5:
            options["top_k"] = rng.randint(1, 16)
        yield mmr_case(ids, [relevant() for _ in ids], matrix, options)


def _draw(rng: Random) -> Callable[[], float]:
    draw: Callable[[], float] = rng.choice(
        (
            lambda: rng.uniform(-1, 1),
            lambda: rng.choice((0.1, 0.2, 0.3, 0.9)),
            lambda: rng.choice((-1, -0.0, 0.0, 1)),
            lambda: 1 / (60 + rng.randint(1, 5)),
        )
    )
    return draw


# gate

WORDS = ("notice", "tenant", "deposit", "ninety", "days", "parking", "the", "of")


def gate_cases(count: int, seed: int = 4) -> Iterator[Case]:
    rng = Random(seed)
    for _ in range(count):
        shares = (0.0, 0.25, 0.5, 1.0, round(rng.random(), 2))
        policy = GatePolicy(
            threshold=rng.choice(shares),
            min_top_score=rng.choice(shares),
            min_coverage=rng.choice(shares),
            weight_top_score=rng.choice((0.35, 0.5, rng.random())),
            weight_coverage=rng.choice((0.0, 0.3, rng.random())),
            weight_margin=rng.choice((0.0, 0.2, rng.random())),
            weight_support=rng.choice((0.15, 1.0)),
        )
        scores = [rng.choice((0.25, 0.5, 1.0, rng.random())) for _ in range(rng.randint(0, 4))]
        evidence = [(f"p{i}", " ".join(rng.choices(WORDS, k=4)), score) for i, score in enumerate(scores)]
        yield gate_case(" ".join(rng.choices(WORDS, k=rng.randint(1, 4))), evidence, policy)


def gate_case(query: str, evidence: list[tuple[str, str, float]], policy: GatePolicy) -> Case:
    made = gate(query, evidence, policy)
    weighted = [made.feature(name) for name in WEIGHTED]
    call = {
        "values": [each.value for each in weighted],
        "weights": [each.weight for each in weighted],
        "threshold": policy.threshold,
        "minTopScore": policy.min_top_score,
        "minCoverage": policy.min_coverage,
        "evidence": len(evidence),
    }
    numbers = [made.score, *(each.contribution for each in weighted)]
    numbers += [number for c in made.conditions for number in (c.observed, c.limit, c.margin)]
    told = {
        "passed": made.passed,
        "causes": list(made.causes),
        "conditions": [[c.id, c.passed, c.binding] for c in made.conditions],
        "bits": np.array(numbers, dtype=float),
    }
    return Case("gate", call, told)


# conformance


def conformance_cases() -> Iterator[tuple[str, Case]]:
    for each in json.loads((CONFORMANCE / "rrf.json").read_text(encoding="utf-8"))["cases"]:
        lanes = {name: [id for id, _ in hits] for name, hits in each["lanes"]}
        case = fusion_case("rrf", lanes, each["params"])
        yield each["name"], Case("rrf", case.call, case.told | _expected_fusion(each["expect"], case.told["bits"][-1]))
    for each in json.loads((CONFORMANCE / "mmr.json").read_text(encoding="utf-8"))["cases"]:
        case = mmr_case(each["ids"], each["relevance"], each["similarity"], each["params"])
        yield each["name"], Case("mmr", case.call, case.told | _expected_steps(each["expect"]))


def _expected_fusion(expect: dict[str, Any], possible: float) -> dict[str, Any]:
    """The file's own doubles in place of Python's. It gives no possible score, so that one stays Python's."""
    contributions = [_absent(number) for row in expect["contributions"] for number in row]
    return {"ids": expect["ids"], "bits": np.array([*expect["scores"], *contributions, possible], dtype=float)}


def _expected_steps(expect: list[dict[str, Any]]) -> dict[str, Any]:
    numbers = [number for step in expect for number in (step["relevance"], _absent(step["redundancy"]), step["score"])]
    return {
        "ids": [step["id"] for step in expect],
        "against": [step["against"] for step in expect],
        "bits": np.array(numbers, dtype=float),
    }
