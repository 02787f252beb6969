"""SYSTEMS.md says of every row which test shows it: each of them exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_test_that_the_page_names_exists() -> None:
    page = (ROOT / "SYSTEMS.md").read_text(encoding="utf-8")
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    named = set(re.findall(r"`(test_\w+)`", page))
    assert named
    assert named <= there, sorted(named - there)


def test_every_row_is_on_the_page() -> None:
    page = (ROOT / "SYSTEMS.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([CRA]\d+a?) \|", page, re.M)
    assert rows == [
        *(f"C{n}" for n in range(1, 16)),
        *(f"R{n}" for n in range(1, 7)),
        "R6a",
        *(f"R{n}" for n in range(7, 15)),
        *(f"A{n}" for n in range(1, 17)),
    ]


def test_every_row_names_a_test_of_its_own() -> None:
    page = (ROOT / "SYSTEMS.md").read_text(encoding="utf-8")
    for row, shown in re.findall(r"^\| ([CRA]\d+a?) \|.*\| ([^|]+) \|$", page, re.M):
        assert f"test_{row}_" in shown, row
