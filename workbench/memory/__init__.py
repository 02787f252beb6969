"""Governed memory: ``remember``, ``recall`` and ``compact``, with every term of a recall on the table.

memory = Memory("notes.db")
memory.remember("The tenant pays by the third.", "lease", valid_from="2031-01-01", provenance="lease.pdf")
memory.recall("when is the rent due", "lease", as_of="2031-06-01")
"""

from workbench.memory.episodes import Compaction, Episode, Receipt, Removed, Space
from workbench.memory.governed import Memory
from workbench.memory.recall import TERMS, Term
from workbench.memory.timeline import Span, Timeline

__all__ = [
    "TERMS",
    "Compaction",
    "Episode",
    "Memory",
    "Receipt",
    "Removed",
    "Space",
    "Span",
    "Term",
    "Timeline",
]
