"""A real HTTP server whose answers a test writes, one for each request that comes."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Hands the n-th request to the n-th answer, and the last one again afterwards."""

    server: "Served"

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append((self.path, dict(self.headers), self.body))
        answers = self.server.answers
        try:
            answers[min(number, len(answers) - 1)](self, self.body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def give(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content_type": "application/json", "content_length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Served(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.lock = threading.Lock()
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def served(*answers: Answer) -> Iterator[Served]:
    server = Served(answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# ---------------------------------------------------------------- answers


def says(data: Any, status: int = 200, **headers: str) -> Answer:
    """Answers JSON."""
    return lambda handler, body: handler.give(status, json.dumps(data).encode(), **headers)


def raw(body: bytes, status: int = 200, **headers: str) -> Answer:
    """Answers these bytes."""
    return lambda handler, _: handler.give(status, body, **headers)


def results(*pairs: tuple[Any, Any]) -> Answer:
    """Answers rerank results."""
    return says({"results": [{"index": index, "relevance_score": score} for index, score in pairs]})


def by_length(handler: Handler, body: dict[str, Any]) -> None:
    """Scores every document by its length, the last one first: a model that works."""
    scored = [{"index": n, "relevance_score": len(text) / 1000} for n, text in enumerate(body["documents"])]
    handler.give(200, json.dumps({"id": "x", "results": scored[::-1], "meta": {}}).encode())


def chat(text: Any) -> Answer:
    """Answers one chat message."""
    return says({"choices": [{"message": {"role": "assistant", "content": text}}]})


def half(handler: Handler, _: dict[str, Any]) -> None:
    """Promises more bytes than it sends, and hangs up."""
    handler.send_response(200)
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"results": [')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def drips(handler: Handler, _: dict[str, Any]) -> None:
    """Sends a byte of the body every 50 ms, so that no single read takes long."""
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def drips_headers(handler: Handler, _: dict[str, Any]) -> None:
    """Never gets to the end of its headers."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(1000):
        handler.wfile.write(f"x-{number}: y\r\n".encode())
        handler.wfile.flush()
        time.sleep(0.05)


def silent(handler: Handler, _: dict[str, Any]) -> None:
    """Says nothing for longer than anybody waits here."""
    time.sleep(3)


def endless(handler: Handler, _: dict[str, Any]) -> None:
    """Sends as much as is taken."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(4000):
        handler.wfile.write(b" " * 65_536)
