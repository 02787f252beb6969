"""The views' scripts as parts: each module packed by itself, so that a page loads only what it opens."""

import gzip
import re
from functools import cache

from workbench.views import modules

_DEFAULT = re.compile(r"^export default (.*);$", re.M)


def closure(name: str) -> list[str]:
    """``name`` and every module that it needs, what is needed first."""
    order: list[str] = []
    modules._visit(name, order)
    return order


@cache
def part(name: str) -> dict[str, object]:
    """A module as {needs, gz}: what it imports, and its text packed by gzip, the same bytes on every machine.

    The text is a module of its own: its default export takes the modules that it needs by handle
    (``$_common`` …) and returns what it exports, ``default`` among it.

    Raises:
        WorkbenchError: ``missing_file``.
    """
    source = modules._source(name)
    needs = [needed for _, needed in modules._IMPORT.findall(source)]
    body = _DEFAULT.sub(r"const $default = \1;", modules._EXPORT.sub("", modules._bound(source)))
    names = modules._NAME.findall(source)
    if _DEFAULT.search(source):
        names.append("default: $default")
    handles = ", ".join(modules._handle(needed) for needed in needs)
    text = f"export default ({{ {handles} }}) => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}};\n"
    return {"needs": needs, "gz": _packed(text)}


@cache
def plain(text: str) -> dict[str, object]:
    """A style sheet as a part that needs nothing."""
    return {"needs": [], "gz": _packed(text)}


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)
