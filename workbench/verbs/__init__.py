"""The retrieval verbs. Each takes its ``backend`` by keyword, refuses bad input before any work, and gives a ``Ranking``.

found = sparse_search("red tape", documents)
near = vector_search(vector, vectors)
both = hybrid_search({"sparse": found, "dense": near})
provenance(both).why(both.ids[0])
"""

from workbench.verbs.attribution import Provenance, provenance
from workbench.verbs.backends import BACKENDS, VERBS, Backend, BackendStatus, backend_status
from workbench.verbs.combine import hybrid_search, rerank
from workbench.verbs.ranking import Compared, MixedScoreModels, Ranking
from workbench.verbs.requests import Fuse, Limits, Rerank, Search, Vectors
from workbench.verbs.search import filtered_search, sparse_search, vector_search

__all__ = [
    "BACKENDS",
    "VERBS",
    "Backend",
    "BackendStatus",
    "Compared",
    "Fuse",
    "Limits",
    "MixedScoreModels",
    "Provenance",
    "Ranking",
    "Rerank",
    "Search",
    "Vectors",
    "backend_status",
    "filtered_search",
    "hybrid_search",
    "provenance",
    "rerank",
    "sparse_search",
    "vector_search",
]
