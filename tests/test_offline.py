"""With the network unreachable everything works: no key, no download, no look-up."""

import subprocess
import sys

CODE = """
import socket

def closed(*arguments, **options):
    raise OSError("the network is unreachable")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = closed

import workbench as wb

bench = wb.Workbench.sample()
trace = bench.ask("How many parking permits can one household have?")
assert {lane.status for lane in trace.lanes} == {"ran"}, [lane.reason for lane in trace.lanes]
assert trace.attempt.lane("dense").hits
assert trace._repr_html_() and repr(trace) and trace.answer
print("ran")
"""


def test_retrieval_answer_grounding_and_display_need_no_network() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "ran", done.stderr
