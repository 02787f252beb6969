"""Cranfield 1400: BM25, dense and their RRF at depth 100, nDCG@10 by ir-measures; and how long indexing takes.

    python benchmarks/cranfield.py [FOLDER]

FOLDER holds the collection in BEIR layout (corpus.jsonl, queries.jsonl, qrels/test.tsv); left out, the
folder shared/data/cranfield beside the checkout. One passage a document, as the judgements are.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import ir_measures
from ir_measures import AP, RR, R, nDCG

from workbench import Config, Document, Workbench
from workbench.corpus.reading import read_beir

DEPTH = 100
MEASURES = [nDCG @ 10, AP, RR, R @ 100]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "shared" / "data" / "cranfield"
    if not folder.is_dir():
        print(f"skipped: {folder} is not there; name the collection's folder")
        return
    documents, queries, qrels = read_beir(folder)
    print(f"{len(documents)} documents, {len(queries)} queries\n")
    print(f"{'analyzer':10}{'ranking':14}" + "".join(f"{m!s:>10}" for m in MEASURES) + f"{'indexing':>14}")
    for analyzer in ("plain", "english"):
        started = perf_counter()
        bench = _bench(documents, analyzer)
        seconds = perf_counter() - started
        runs: dict[str, list[ir_measures.ScoredDoc]] = {"bm25": [], "dense": [], "rrf k=60": []}
        for qid, query in queries.items():
            trace = bench.retrieve(query)
            for name, ids in (("bm25", trace.attempt.lane("lexical").ids), ("dense", trace.attempt.lane("dense").ids)):
                runs[name] += _rows(qid, ids)
            runs["rrf k=60"] += _rows(qid, trace.fusion.ids[:DEPTH])
        judged = [ir_measures.Qrel(q, d, r) for q, docs in qrels.items() for d, r in docs.items()]
        for name, run in runs.items():
            found = ir_measures.calc_aggregate(MEASURES, judged, run)
            print(f"{analyzer:10}{name:14}" + "".join(f"{found[m]:10.3f}" for m in MEASURES) + f"{seconds:12.1f} s")


def _bench(documents: tuple[Document, ...], analyzer: str) -> Workbench:
    # one passage a document: the judgements are of whole abstracts
    longest = max(len(d.text) for d in documents)
    config = Config(analyzer=analyzer, depth=DEPTH, chunk_size=longest + 1, chunk_overlap=0)
    return Workbench(documents, signals=["text", "embedding"], reranker=None, config=config)


def _rows(qid: str, ids: tuple[str, ...]) -> Iterator[ir_measures.ScoredDoc]:
    # rank-derived scores, so that no tie rule of a measure reorders the ranking
    for place, id in enumerate(ids):
        yield ir_measures.ScoredDoc(qid, id.rsplit("#c", 1)[0], float(len(ids) - place))


if __name__ == "__main__":
    main()
