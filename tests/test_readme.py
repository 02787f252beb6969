"""Every Python block of the README runs as it stands, one after the other, in a folder with a reader's own files."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_every_python_block_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "documents.csv").write_text(
        "id,title,text\n001,Parking,Visitors may park for four hours.\n002,Deposit,The deposit is 500 euros.\n"
    )
    (tmp_path / "queries.txt").write_text("How long may visitors park?\nHow much is the deposit?\n")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", README, re.S)
    for place, block in enumerate(blocks, start=1):
        exec(compile(block, f"README block {place}", "exec"), names)
    said = capsys.readouterr().out
    assert "001#c0 is first" in said  # of the reader's own files
    assert "002#c0 is first" in said
    assert len(blocks) >= 8


def test_a_reader_explains_a_ranking_of_their_own_in_at_most_ten_lines() -> None:
    block = next(each for each in re.findall(r"```python\n(.*?)```", README, re.S) if "documents.csv" in each)
    assert len(block.strip().splitlines()) <= 10


def test_the_two_commands_stand_on_the_first_screen() -> None:
    first = "\n".join(README.splitlines()[:20])
    assert "python -m pip install -e . && jupyter lab notebooks/00_why_first.ipynb" in first
    assert 'python -m pip install -e ".[test]" && python -m pytest' in first
