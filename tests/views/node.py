"""Runs the views' scripts under node, as the modules that they are."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from workbench import views

VIEWS = Path(views.__file__).parent


def run(tmp: Path, script: str, given: Any = None) -> Any:
    """What ``script`` (an ES module beside copies of the views' scripts) prints as JSON; ``given`` is its ``given``."""
    found = shutil.which("node")
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("node is not installed, so the views' scripts are not run")
    assert found is not None, "node has to be installed where CI is true"
    for path in VIEWS.glob("*.js"):
        shutil.copy(path, tmp)
    (tmp / "package.json").write_text('{"type": "module"}')
    opening = 'import { readFileSync } from "node:fs";\nconst given = JSON.parse(readFileSync(0, "utf-8"));\n'
    (tmp / "test.js").write_text(opening + script, encoding="utf-8")
    ran = subprocess.run(
        [found, "test.js"], input=json.dumps(given), cwd=tmp, capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
