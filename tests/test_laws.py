"""The three laws of DESIGN, over everything that ranks."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np
import pytest

from workbench import Config, Trace, Workbench
from workbench.corpus.queries import read_queries
from workbench.explain import words
from workbench.explain.terms import plain
from workbench.shipped import folder
from workbench.testing import check_lane

QUERIES = [q.query for q in read_queries(folder("sample_data") / "queries.jsonl")][::12]
CONFIGS = {
    "as it comes": Config(),
    "diverse": Config(lambda_mmr=0.6),
    "weighted": Config(weights={"dense": 1.7, "wiki": 0.3}, k=17),  # type: ignore[arg-type]
    "qdrant": Config(dialect="qdrant"),
    "weaviate": Config(dialect="weaviate"),
    "exact ties": Config(ties="exact"),
    "relative score": Config(fusion="relative_score"),
    "dbsf": Config(fusion="dbsf"),
}


@pytest.fixture(scope="module")
def benches() -> dict[str, Workbench]:
    identity = {"identity": Workbench.sample(reranker=None)}
    return {name: Workbench.sample(config=config) for name, config in CONFIGS.items()} | identity


@pytest.fixture(scope="module")
def traces(benches: dict[str, Workbench]) -> list[Trace]:
    return [bench.ask(query) for bench in benches.values() for query in QUERIES]


def fold(values: list[float], dtype: type[np.floating] = np.float64) -> float:
    total = dtype(values[0])
    for value in values[1:]:
        total = dtype(total + dtype(value))
    return float(total)


def test_law_1_every_fused_score_is_the_left_fold_of_its_terms(traces: list[Trace]) -> None:
    for trace in traces:
        for attempt in trace.attempts:
            fusion = attempt.fusion
            dtype = np.float32 if fusion.arithmetic == "float32" else np.float64
            for row in range(len(fusion.ids)):
                terms = [t for t in fusion.contributions[row].tolist() if t == t]
                assert fold(terms, dtype) == fusion.scores[row]
            assert fusion.residual == 0.0


def test_law_1_every_reranked_score_is_the_left_fold_of_its_features(traces: list[Trace]) -> None:
    for trace in traces:
        for id, score in zip(trace.reranking.ids, trace.reranking.scores, strict=True):
            terms = [f.contribution for f in trace.reranking.of(id) if f.contribution is not None]
            assert not terms or fold(terms) == score


def test_law_1_every_gate_score_is_the_left_fold_of_its_features(traces: list[Trace]) -> None:
    for trace in traces:
        assert trace.gate is not None
        assert fold([f.contribution for f in trace.gate.features if f.contribution is not None]) == trace.gate.score


def test_law_1_rows_stand_in_the_order_that_the_rule_gives(traces: list[Trace]) -> None:
    for trace in traces:
        fusion = trace.fusion
        scores = fusion.scores.tolist()
        for row in range(len(scores) - 1):
            if fusion.params.get("ties") != "exact":
                assert scores[row] >= scores[row + 1]
            if fusion.decided[row + 1] == "id":
                assert fusion.ids[row] < fusion.ids[row + 1]
        assert set(fusion.decided) <= {"score", "id", "first_seen", "rounding"}
        reranked = list(zip((-s for s in trace.reranking.scores), trace.reranking.ids, strict=True))
        assert trace.reranking.name == "identity" or reranked == sorted(reranked)


def test_law_1_each_pick_is_the_best_of_what_was_left(benches: dict[str, Workbench]) -> None:
    for query in QUERIES:
        picked = benches["diverse"].ask(query).diversification
        if picked is None:
            continue
        place = {id: row for row, id in enumerate(picked.pool)}
        taken: list[str] = []
        for step in picked.steps:
            left = [id for id in picked.pool if id not in taken]
            scores = {id: _mmr_score(picked, place, id, taken) for id in left}
            best = max(scores.values())
            assert step.score == best
            assert step.id == min(id for id in left if scores[id] == best)
            taken.append(step.id)


def _mmr_score(picked: Any, place: dict[str, int], id: str, taken: list[str]) -> float:
    relevance = picked.lambda_mmr * picked.relevance[place[id]]
    if not taken:
        return float(relevance)
    redundancy = max(picked.similarity[place[id]][picked.columns.index(place[other])] for other in taken)
    return float(relevance - (1 - picked.lambda_mmr) * redundancy)


def test_law_2_a_trace_read_back_is_the_trace_that_was_written(traces: list[Trace]) -> None:
    for trace in traces:
        assert Trace.from_json(json.dumps(trace.to_json())) == trace


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, np.ndarray):
        yield from (float(x) for x in value.ravel() if x == x)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from numbers_in(asdict(value))
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from numbers_in(item)


def test_law_3_every_number_in_a_sentence_is_in_the_trace_or_the_answer(traces: list[Trace]) -> None:
    for trace in traces:
        held = set(numbers_in(trace.fusion)) | set(numbers_in(trace.reranking)) | set(numbers_in(trace.diversification))
        if trace.diversification:
            held.add(1 - trace.diversification.lambda_mmr)
        # a term prints its weight in full, and its rank as the method counts it
        held_text = {plain(w) for w in trace.fusion.params.get("weights", {}).values()}
        held_text |= {
            str(rank - 1 + trace.fusion.params.get("rank_base", 1)) for rank in trace.fusion.ranks.ravel().tolist()
        }
        for id in trace.order[:3]:
            answer = trace.why(id)
            allowed = {words.number(abs(n)) for n in held | set(numbers_in(answer))}
            allowed |= {words.share(n) for n in numbers_in(answer)} | held_text
            sentence = answer.sentence
            titles = {p.title for p in trace.passages.values()}
            headings = {p.headings[-1] for p in trace.passages.values() if p.headings}
            shown = set(trace.passages) | {words.clip(name, 60) for name in titles | headings}
            for name in sorted(shown, key=len, reverse=True):
                sentence = sentence.replace(name, "")
            for ordinal in re.findall(r"\b\d+(?:st|nd|rd|th)\b", sentence):
                assert float(ordinal[:-2]) <= len(trace.fusion.ids)
            for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-\d+)?%?(?!\w)", sentence):
                assert number in allowed, (number, answer.sentence)


def test_the_lane_laws_hold_on_every_lane(benches: dict[str, Workbench]) -> None:
    bench = benches["as it comes"]
    retrievers = [lane for lane in bench.retrievers if lane.name]
    assert [lane.name for lane in retrievers] == ["lexical", "dense", "structure", "graph", "wiki"]
    for retriever in retrievers:
        check_lane(retriever, QUERIES[:6], bench.passages)
    rank_bm25 = Workbench.sample(signals=["text"], config=Config(lexical_engine="rank-bm25", bm25_variant="okapi"))
    check_lane(rank_bm25.retrievers[0], QUERIES[:3], rank_bm25.passages)
    given = Workbench.sample(
        signals=["text"], lanes={"mine": lambda query, depth: [p.id for p in bench.passages[:depth]]}
    )
    check_lane(given.retrievers[-1], QUERIES[:3], given.passages)
