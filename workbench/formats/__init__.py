"""Rankings of other programs, read and written; each reader gives what ``Workbench.from_lanes`` and ``rrf`` take.

Every public name, loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.formats.azure import read_azure as read_azure
    from workbench.formats.beir import read_beir as read_beir
    from workbench.formats.beir import write_beir_qrels as write_beir_qrels
    from workbench.formats.elasticsearch import read_elasticsearch as read_elasticsearch
    from workbench.formats.engine import EngineAnswer as EngineAnswer
    from workbench.formats.engine import Reproduction as Reproduction
    from workbench.formats.engine import reproduce as reproduce
    from workbench.formats.frames import read_frame as read_frame
    from workbench.formats.frames import to_frame as to_frame
    from workbench.formats.frameworks import haystack_lane as haystack_lane
    from workbench.formats.frameworks import langchain_ensemble as langchain_ensemble
    from workbench.formats.frameworks import langchain_lane as langchain_lane
    from workbench.formats.frameworks import llamaindex_lane as llamaindex_lane
    from workbench.formats.msmarco import read_msmarco_run as read_msmarco_run
    from workbench.formats.msmarco import read_msmarco_texts as read_msmarco_texts
    from workbench.formats.overlap import Overlap as Overlap
    from workbench.formats.overlap import check_ids as check_ids
    from workbench.formats.qdrant import read_qdrant as read_qdrant
    from workbench.formats.rankings import Rankings as Rankings
    from workbench.formats.rankings import together as together
    from workbench.formats.scores import read_scores as read_scores
    from workbench.formats.scores import to_scores as to_scores
    from workbench.formats.tables import read_lanes as read_lanes
    from workbench.formats.tables import write_lanes as write_lanes
    from workbench.formats.trec import read_qrels as read_qrels
    from workbench.formats.trec import read_run as read_run
    from workbench.formats.trec import write_qrels as write_qrels
    from workbench.formats.trec import write_run as write_run
    from workbench.formats.weaviate import read_weaviate as read_weaviate

_HOMES = {
    "EngineAnswer": "engine",
    "Overlap": "overlap",
    "Rankings": "rankings",
    "Reproduction": "engine",
    "check_ids": "overlap",
    "haystack_lane": "frameworks",
    "langchain_ensemble": "frameworks",
    "langchain_lane": "frameworks",
    "llamaindex_lane": "frameworks",
    "read_azure": "azure",
    "read_beir": "beir",
    "read_elasticsearch": "elasticsearch",
    "read_frame": "frames",
    "read_lanes": "tables",
    "read_msmarco_run": "msmarco",
    "read_msmarco_texts": "msmarco",
    "read_qdrant": "qdrant",
    "read_qrels": "trec",
    "read_run": "trec",
    "read_scores": "scores",
    "read_weaviate": "weaviate",
    "reproduce": "engine",
    "to_frame": "frames",
    "to_scores": "scores",
    "together": "rankings",
    "write_beir_qrels": "beir",
    "write_lanes": "tables",
    "write_qrels": "trec",
    "write_run": "trec",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'workbench.formats' has no attribute {name!r}: it offers {', '.join(__all__)}")
    value = getattr(import_module(f"workbench.formats.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
