"""The structure of the house: imports run down, the public face is what it says, importing is light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import workbench

PACKAGE = Path(workbench.__file__).parent

FLOORS = (
    ("version", "errors", "escaping"),
    ("frozen", "checks"),
    ("config",),
    ("records",),
    ("kernels", "explain"),
    ("corpus", "models", "shipped"),
    ("after_lanes",),
    ("explore",),
    ("lanes", "trace"),
    ("stages", "reconciling"),
    ("keeping",),
    ("evaluation",),  # below the pipeline: it asks whatever makes Traces, and a Workbench offers it
    ("pipeline", "testing", "verbs"),
    ("memory",),
    ("views", "formats"),
    ("cli",),
)
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
# the arrows up: a Trace and a Workbench load their display when a notebook asks for it
ARROWS_UP = {("trace", "views"), ("pipeline", "views")}


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("workbench"):
            found |= {node.module} if "." in node.module else {f"workbench.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("workbench.")}
    return found


FILES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py" and "_shipped" not in p.parts)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_run_down_only(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for module in _imports(path):
        other = _room(module)
        if other == room or (room, other) in ARROWS_UP:
            continue
        assert LEVEL[other] < LEVEL[room], f"{room} imports {module}, which stands on its own floor or above"


@pytest.mark.parametrize("path", [p for p in FILES if p.parts[-2] == "explain"], ids=lambda p: p.name)
def test_explanations_have_no_kernel_in_reach(path: Path) -> None:
    assert {_room(module) for module in _imports(path)} <= {"explain", "records", "errors", "frozen", "escaping"}


@pytest.mark.parametrize("path", [p for p in FILES if "kernels" in p.parts], ids=lambda p: p.name)
def test_kernels_know_no_file_clock_network_or_widget(path: Path) -> None:
    allowed = {"numpy", "scipy", "sentencex", "snowballstemmer", "workbench"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
    outside = {
        "os",
        "io",
        "pathlib",
        "time",
        "datetime",
        "random",
        "secrets",
        "socket",
        "urllib",
        "http",
        "threading",
        "tempfile",
    }
    assert not names & outside
    assert {name for name in names if name not in sys.stdlib_module_names} <= allowed


def test_the_public_face_is_what_all_says() -> None:
    assert len(workbench.__all__) < 25
    for name in workbench.__all__:
        assert getattr(workbench, name) is not None
    with pytest.raises(AttributeError, match="Workbench"):
        _ = workbench.wrokbench


def test_importing_the_package_is_light() -> None:
    code = (
        "import sys, workbench\n"
        "heavy = {'plotly', 'pandas', 'ipywidgets', 'anywidget', 'wordllama', 'scipy', 'IPython', 'jupyterlab'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_files_stay_readable_in_one_sitting() -> None:
    long = {
        str(p.relative_to(PACKAGE)): n for p in FILES if (n := len(p.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert not long
