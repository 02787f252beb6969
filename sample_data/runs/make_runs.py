"""How the files beside this one were made: whole documents ranked by BM25 and by WordLlama's cosine.

The TREC runs hold every query of ``queries.jsonl``. The Elasticsearch response holds one query, in the
shape of a hybrid search with the rrf retriever and ``explain: true``: float32 scores, an initial rank of 0
where a document is not in a list, and the rank (not the score) as the value of each part.
"""

import json
from pathlib import Path

import numpy as np

from workbench import BM25Index, DenseIndex, analyzer
from workbench.corpus.queries import read_queries
from workbench.corpus.reading import read_folder
from workbench.models.embedders import WordLlamaEmbedder

HERE = Path(__file__).parent
DEPTH = 20
K = 60
QUESTION = "q001"


def main() -> None:
    documents = read_folder(HERE.parent / "documents")
    ids = [d.id for d in documents]
    reader, embedder = analyzer("english"), WordLlamaEmbedder()
    sparse = BM25Index.build([reader.terms(d.text) for d in documents], ids)
    dense = DenseIndex.build(embedder.embed([d.text for d in documents]), ids)
    queries = read_queries(HERE.parent / "queries.jsonl")
    vectors = embedder.embed([q.query for q in queries])
    lexical, cosine = [], []
    for query, vector in zip(queries, vectors, strict=True):
        terms = reader.terms(query.query)
        found = sparse.search(terms, DEPTH)
        lexical += _trec(query.id, found.ids, found.scores.tolist(), "bm25-lucene")
        near = dense.search(vector, DEPTH)
        cosine += _trec(query.id, near.ids, near.scores.tolist(), "wordllama-cosine")
        if query.id == QUESTION:
            response = _response(query.query, terms, sparse, found, near, {d.id: d.title for d in documents})
    for name, lines in (("lexical.trec", lexical), ("dense.trec", cosine)):
        (HERE / name).write_text("".join(lines), encoding="utf-8")
    (HERE / "elasticsearch.json").write_text(
        json.dumps(response, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def _trec(qid: str, ids: tuple[str, ...], scores: list[float], tag: str) -> list[str]:
    rows = zip(ids, scores, strict=True)
    return [f"{qid} Q0 {id} {rank} {score!r} {tag}\n" for rank, (id, score) in enumerate(rows, start=1)]


def _response(query, terms, sparse, found, near, titles) -> dict:  # type: ignore[no-untyped-def, type-arg]
    ranks = {id: [0, 0] for id in (*found.ids, *near.ids)}
    for lane, ids in enumerate((found.ids, near.ids)):
        for rank, id in enumerate(ids, start=1):
            ranks[id][lane] = rank
    fused = {id: _fold(both) for id, both in ranks.items()}
    order = sorted(fused, key=lambda id: (-fused[id], id))[:10]
    lane_scores = [dict(zip(lane.ids, lane.scores.tolist(), strict=True)) for lane in (found, near)]
    hits = []
    for id in order:
        lexical = _bm25(sparse, id, terms) if ranks[id][0] else None
        cosine = (
            {"value": _single(lane_scores[1][id]), "description": "within top k documents", "details": []}
            if ranks[id][1]
            else None
        )
        details = [
            _part(i, rank, inner) for i, (rank, inner) in enumerate(zip(ranks[id], (lexical, cosine), strict=True))
        ]
        said = f"rrf score: [{fused[id]}] computed for initial ranks {ranks[id]} with rankConstant: [{K}] as sum of [1 / (rank + rankConstant)] for each query"
        explanation = {"value": fused[id], "description": said, "details": details}
        hits.append(
            {
                "_index": "brackwater",
                "_id": id,
                "_score": fused[id],
                "_source": {"title": titles[id]},
                "_explanation": explanation,
            }
        )
    return {
        "took": 9,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": len(fused), "relation": "eq"}, "max_score": hits[0]["_score"], "hits": hits},
    }


def _part(place: int, rank: int, inner: dict | None) -> dict:  # type: ignore[type-arg]
    if inner is None:
        return {
            "value": 0,
            "description": f"rrf score: [0], result not found in query at index [{place}]",
            "details": [],
        }
    term = _single(np.float32(1) / np.float32(K + rank))
    said = f"rrf score: [{term}], for rank [{rank}] in query at index [{place}] computed as [1 / ({rank} + {K})], for matching query with score"
    return {"value": rank, "description": said, "details": [inner]}


def _bm25(sparse, id, terms) -> dict:  # type: ignore[no-untyped-def, type-arg]
    parts = [
        {
            "value": _single(t.contribution),
            "description": f"weight(text:{t.term}) [PerFieldSimilarity], result of:",
            "details": [],
        }
        for t in sparse.explain(id, terms)
        if t.contribution is not None
    ]
    return {"value": _single(sum(p["value"] for p in parts)), "description": "sum of:", "details": parts}


def _fold(ranks: list[int]) -> float:
    total = np.float32(0)
    for rank in ranks:
        if rank:
            total += np.float32(1) / np.float32(K + rank)
    return _single(total)


def _single(value: float) -> float:
    """A float32 as it prints: the shortest decimal that gives it back."""
    return float(str(np.float32(value)))


if __name__ == "__main__":
    main()
