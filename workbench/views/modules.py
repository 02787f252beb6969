"""The views' scripts and styles, read from the files beside this one and joined into the text that a widget carries."""

import re
from pathlib import Path

from workbench.errors import WorkbenchError

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./(\w+\.js)";[ \t]*$', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.M)
_NAME = re.compile(r"^export (?:(?:async )?function|const|class) (\w+)", re.M)
_COMMENT = re.compile(r"^[ \t]*(?:/\*.*?\*/|//[^\n]*)[ \t]*\n", re.M | re.S)


def compose(*names: str) -> str:
    """One ES module out of ``names`` and what they import; the last one keeps its ``export default``.

    Each module stands in a scope of its own, so that no two names can clash. It reads as a module only what the
    views use: ``import { a, b as c } from "./x.js";``, ``export`` before function, const or class, and one line
    of ``export default``. Whole-line comments and indentation are left out, so no string may span lines.

    Raises:
        WorkbenchError: ``missing_file``.
    """
    order: list[str] = []
    for name in names:
        _visit(name, order)
    order.remove(names[-1])
    scopes = [_scoped(name) for name in order]
    return "\n".join([*scopes, _bound(_source(names[-1]))])


def styles(*names: str) -> str:
    """The style sheets joined, ``theme.css`` first."""
    return "\n".join(_tidy(_read(name)) for name in ("theme.css", *names))


def _visit(name: str, order: list[str]) -> None:
    if name in order:
        return
    for _, needed in _IMPORT.findall(_source(name)):
        _visit(needed, order)
    order.append(name)


def _scoped(name: str) -> str:
    source = _source(name)
    inner = re.sub(r"^export default .*$", "", _EXPORT.sub("", _bound(source)), flags=re.M)
    return f"const {_handle(name)} = (() => {{\n{inner}\nreturn {{ {', '.join(_NAME.findall(source))} }};\n}})();"


def _bound(source: str) -> str:
    return _IMPORT.sub(lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = {_handle(found[2])};", source)


def _handle(name: str) -> str:
    return f"$_{name.removesuffix('.js')}"


def _source(name: str) -> str:
    return _tidy(_read(name))


def _tidy(source: str) -> str:
    bare = _COMMENT.sub("", source.replace("\r\n", "\n"))
    return "\n".join(line for raw in bare.split("\n") if (line := raw.strip()))


def _read(name: str) -> str:
    path = _HERE / name
    if not path.is_file():
        raise WorkbenchError("missing_file", f"no view file {name!r} beside {_HERE.name}/modules.py", name=name)
    return path.read_text(encoding="utf-8")
