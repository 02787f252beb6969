"""The command line, run as a person runs it."""

import json
import subprocess
import sys
from pathlib import Path

from workbench import Trace

QUESTION = "How many parking permits can one household have?"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from workbench.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=None)


def test_ask_prints_lanes_fusion_the_sentence_the_gate_and_the_answer() -> None:
    done = run("ask", QUESTION)
    assert done.returncode == 0, done.stderr
    for words in ("is first", "lexical", "dense", "Fused by rrf", "Gate", "Answer", "fingerprint"):
        assert words in done.stdout


def test_ask_json_prints_a_trace_that_reads_back() -> None:
    done = run("ask", QUESTION, "--json", "-k", "3")
    trace = Trace.from_json(json.loads(done.stdout))
    assert trace.query == QUESTION
    assert len(trace.evidence) == 3


def test_ask_reads_a_folder_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "[bold]note.md").write_text(
        "# [red]Boilers[/red]\n\nThe boiler is serviced each March.\n", encoding="utf-8"
    )
    done = run("ask", "when is the boiler serviced", "--data", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "[bold]note.md" in done.stdout


def test_a_named_error_is_a_sentence_and_exit_code_2(tmp_path: Path) -> None:
    done = run("ask", "anything", "--data", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert done.stderr.startswith("missing_file")
    assert "Traceback" not in done.stderr
    assert run("ask", "  ").returncode == 2
