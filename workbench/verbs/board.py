"""A ranking as a Trace, so that the board shows it and answers questions about it."""

from workbench.after_lanes import AfterLanes
from workbench.config import Config
from workbench.errors import WorkbenchError
from workbench.frozen import FrozenMap
from workbench.kernels import analysis
from workbench.models.rerankers import IdentityReranker
from workbench.records import Passage
from workbench.trace import Trace
from workbench.verbs.ranking import Ranking
from workbench.version import __version__


def as_trace(ranking: Ranking) -> Trace:
    """The Trace of a search (its lane alone, fused by rank) or of an rrf fusion, by the stages that every run takes.

    The gate is that of any run, on the texts that the lanes brought: without a query or texts it finds nothing.

    Raises:
        WorkbenchError: ``unknown_fusion`` for a linear fusion, a reranking by given similarities or a recall.
            The board could not make their order again from the lanes, so they show themselves as tables.
    """
    linear = ranking.params.get("fusion") == "linear"
    if linear or not ranking.lanes or ranking.diversification is not None:
        kind = "linear fusion" if linear else ranking.verb
        raise WorkbenchError(
            "unknown_fusion",
            f"a {kind} is no order that the board can make again from its lanes: show the ranking itself",
            verb=ranking.verb,
        )
    k = ranking.params.get("k")
    kept = max(1, len(ranking.hits))
    candidates = {id for lane in ranking.lanes for id in lane.ids}
    config = Config(
        depth=max(1, *(lane.depth or len(lane.hits) for lane in ranking.lanes)),
        k=None if k is None else float(k),
        rerank_head=max(kept, len(candidates)),
        top_k=kept,
    )
    stages = AfterLanes(
        config,
        analysis.analyzer(config.analyzer),
        IdentityReranker(),
        lambda id: ranking.payload.get(id) or Passage(id, id, "", 0),
        lambda _: None,
    )
    attempt = stages.run(ranking.query, ranking.query, ranking.lanes)
    passages = stages.payloads((attempt,))
    return Trace(
        query=ranking.query,
        config=config,
        attempts=(attempt,),
        best=0,
        verdict="retrieved",
        answer=None,
        grounding=None,
        judged=None,
        judge="",
        generator="",
        override=False,
        degraded=(),
        passages=passages,
        chunk_count=len(passages),
        versions=FrozenMap({"workbench": __version__, "analyzer": analysis.analyzer(config.analyzer).version}),
    )
