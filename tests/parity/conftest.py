"""Each module here runs its package itself, and is left out where that is not installed; test_installed.py says so."""

import os
from importlib.util import find_spec

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # before its import: tests send nothing anywhere

PACKAGES = {
    "test_langchain.py": ("langchain_core", "langchain_classic"),
    "test_llamaindex.py": ("llama_index.core",),
    "test_haystack.py": ("haystack",),
    "test_ranx.py": ("ranx",),
    "test_rerankgate.py": ("rerankgate",),
    "test_citenexus.py": ("citenexus",),
}


def missing(names: tuple[str, ...]) -> list[str]:
    """The packages of ``names`` that are not installed."""
    return [name for name in names if find_spec(name.partition(".")[0]) is None]


collect_ignore = [module for module, names in PACKAGES.items() if missing(names)]
