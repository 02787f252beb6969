"""Why did this candidate rank first, and why isn't that one here?

Everything public is named here and loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workbench.errors import BackendUnavailable, WorkbenchError
from workbench.version import __version__

if TYPE_CHECKING:
    from workbench.config import Config as Config
    from workbench.config import GatePolicy as GatePolicy
    from workbench.kernels.analysis import analyzer as analyzer
    from workbench.kernels.bm25 import BM25Index as BM25Index
    from workbench.kernels.dense import DenseIndex as DenseIndex
    from workbench.kernels.diversity import mmr as mmr
    from workbench.kernels.fusion import dbsf as dbsf
    from workbench.kernels.fusion import linear as linear
    from workbench.kernels.fusion import relative_score as relative_score
    from workbench.kernels.fusion import rrf as rrf
    from workbench.kernels.grounding import ground as ground
    from workbench.kernels.sufficiency import gate as gate
    from workbench.pipeline import Workbench as Workbench
    from workbench.records import Document as Document
    from workbench.records import Filter as Filter
    from workbench.records import Hit as Hit
    from workbench.records import Lane as Lane
    from workbench.records import Passage as Passage
    from workbench.trace import Trace as Trace

_HOMES = {
    "BM25Index": "workbench.kernels.bm25",
    "Config": "workbench.config",
    "DenseIndex": "workbench.kernels.dense",
    "Document": "workbench.records",
    "Filter": "workbench.records",
    "GatePolicy": "workbench.config",
    "Hit": "workbench.records",
    "Lane": "workbench.records",
    "Passage": "workbench.records",
    "Trace": "workbench.trace",
    "Workbench": "workbench.pipeline",
    "analyzer": "workbench.kernels.analysis",
    "dbsf": "workbench.kernels.fusion",
    "gate": "workbench.kernels.sufficiency",
    "ground": "workbench.kernels.grounding",
    "linear": "workbench.kernels.fusion",
    "mmr": "workbench.kernels.diversity",
    "relative_score": "workbench.kernels.fusion",
    "rrf": "workbench.kernels.fusion",
}

__all__ = ["BackendUnavailable", "WorkbenchError", "__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}: it offers {', '.join(__all__)}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
