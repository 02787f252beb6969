"""The views' name for ``workbench.escaping``."""

from workbench.escaping import escaped, visible

__all__ = ["escaped", "visible"]
