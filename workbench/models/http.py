"""The one way to a model server over HTTP: bounded in time, size and tries, and with the key kept to itself.

Nothing goes out unless the caller built one of these with an address.
"""

import json
import socket
import threading
import time
from typing import Any

import httpx

from workbench import checks
from workbench.errors import WorkbenchError

LARGEST = 16 * 2**20
"""Bytes that an answer may have."""
AGAIN = frozenset({429, 500, 502, 503, 504})
"""Answers after which the same request is made again."""
LONGEST_PAUSE = 30.0
"""Seconds between two tries, whatever the server asks for."""


class Server:
    """A JSON API at ``base_url``.

    A try may take ``timeout`` seconds from connecting to the last byte, also where the server sends a byte at a
    time. After 429, 500, 502, 503, 504 or a connection that fails, it is tried again up to ``retries`` times,
    after ``backoff``, then twice that, and so on, or what ``Retry-After`` asks for (30 s at most). Redirects are not followed, since they would
    carry the key elsewhere.

    The key is in no repr, error or pickle; a copy made by pickle refuses to call until it is built with the key.

    Raises:
        WorkbenchError: ``wrong_type``, ``out_of_range`` or ``contradiction``, when built.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
        backoff: float = 0.5,
    ) -> None:
        self.base_url = _address(base_url)
        self.timeout = checks.number("timeout", timeout, above=0)
        self.retries = checks.whole("retries", retries, low=0, high=10)
        self.backoff = checks.number("backoff", backoff, low=0, high=LONGEST_PAUSE)
        self._key = _Secret(api_key)

    def post(self, path: str, payload: dict[str, Any]) -> Any:
        """The JSON that the server answers.

        Raises:
            WorkbenchError: ``model_timed_out``; ``model_failed`` for a connection that fails, another status than
                200, an answer that is too long, broken off or no JSON, with the server's own words, the key blacked out.
        """
        self._key.check()
        try:
            body = json.dumps(payload, allow_nan=False).encode("ascii")
        except ValueError as cause:
            raise WorkbenchError(
                "not_finite", f"the request to {self.base_url} holds NaN or infinity: {cause}"
            ) from None
        for number in range(self.retries + 1):
            last = number == self.retries
            try:
                status, headers, answer = self._try(path, body)
            except _Unreached as cause:
                if last:
                    raise self._failed(f"cannot be reached, tried {number + 1} times: {cause}") from None
                time.sleep(self._pause(number, None))
                continue
            if status in AGAIN and not last:
                time.sleep(self._pause(number, headers.get("retry-after")))
                continue
            if status != 200:
                times = f", tried {number + 1} times" if status in AGAIN else ""
                raise self._failed(f"answered {status}{times}: {_shown(answer)}")
            try:
                return json.loads(answer, parse_constant=_no_constant)
            except (ValueError, RecursionError) as cause:
                raise self._failed(f"answered no JSON ({cause}): {_shown(answer)}") from None
        raise AssertionError("the last try returns or raises")

    def hide(self, text: str) -> str:
        """``text`` with the key blacked out."""
        return self._key.hide(text)

    def _try(self, path: str, body: bytes) -> tuple[int, httpx.Headers, bytes]:
        watch = _Watch(self.timeout)
        headers = {
            "content-type": "application/json",
            "accept": "application/json",
            # a small compressed answer could unpack to any size
            "accept-encoding": "identity",
            **self._key.headers(),
        }
        try:
            # a client a try: none is left open in a fork or a pickle, and none goes stale between two queries
            with (
                watch,
                httpx.Client(timeout=self.timeout, follow_redirects=False) as client,
                client.stream(
                    "POST", self.base_url + path, content=body, headers=headers, extensions={"trace": watch.connected}
                ) as response,
            ):
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise self._failed("answered compressed, unasked")
                answer = b""
                for part in response.iter_raw():
                    answer += part
                    if len(answer) > LARGEST:
                        raise self._failed(f"answered more than {LARGEST} bytes")
                    watch.check()
                watch.check()
                return response.status_code, response.headers, answer
        except (_Late, httpx.TimeoutException):
            raise self._late() from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as cause:
            if isinstance(cause, WorkbenchError):
                raise
            if watch.over:
                raise self._late() from None
            # httpx's own chain is cut off: its request object holds the headers, and with them the key
            if isinstance(cause, httpx.ConnectError):
                raise _Unreached(self._key.hide(str(cause))) from None
            raise self._failed(f"{type(cause).__name__}: {cause}") from None

    def _pause(self, number: int, asked: str | None) -> float:
        pause = self.backoff * 2.0**number
        if asked is not None and asked.strip().isdigit():
            pause = max(pause, float(asked))
        return min(pause, LONGEST_PAUSE)

    def _failed(self, what: str) -> WorkbenchError:
        return WorkbenchError("model_failed", self._key.hide(f"{self.base_url} {what}"), url=self.base_url)

    def _late(self) -> WorkbenchError:
        return WorkbenchError(
            "model_timed_out",
            f"{self.base_url} did not answer in {self.timeout:g} s: raise timeout, or send less",
            url=self.base_url,
        )

    def __repr__(self) -> str:
        return f"Server({self.base_url!r}, timeout={self.timeout:g}, retries={self.retries})"


class _Unreached(Exception):
    """No connection was made."""


class _Late(Exception):
    """The time is up."""


class _Secret:
    """A key that shows itself to nobody but the request."""

    __slots__ = ("_left_out", "_value")

    def __init__(self, value: str | None) -> None:
        if value is not None and (
            not isinstance(value, str) or not value or not value.isascii() or not value.isprintable()
        ):
            raise WorkbenchError("wrong_type", "api_key is no key: give printable ASCII text, or None")
        self._value = value
        self._left_out = False

    def headers(self) -> dict[str, str]:
        return {} if self._value is None else {"authorization": f"Bearer {self._value}"}

    def check(self) -> None:
        if self._left_out:
            raise WorkbenchError(
                "model_failed", "the key was left out when this was copied by pickle: build it with the key there"
            )

    def hide(self, text: str) -> str:
        return text if self._value is None else text.replace(self._value, "[key]")

    def __repr__(self) -> str:
        return "None" if self._value is None else "[key]"

    def __reduce__(self) -> tuple[Any, ...]:
        return _without_key, (self._value is not None or self._left_out,)


def _without_key(left_out: bool) -> _Secret:
    secret = _Secret(None)
    secret._left_out = left_out
    return secret


class _Watch:
    """Ends a try when its time is up, by shutting its socket: a read that waits then returns."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._shut)
        self._timer.daemon = True
        self._stream: Any = None

    @property
    def over(self) -> bool:
        return time.monotonic() >= self._until

    def check(self) -> None:
        if self.over:
            raise _Late

    def connected(self, event: str, info: dict[str, Any]) -> None:
        """httpx's trace hook: remembers the stream, the encrypted one where there is one."""
        if event in (
            "connection.connect_tcp.complete",
            "connection.start_tls.complete",
            "proxy_stream.start_tls.complete",
        ):
            self._stream = info["return_value"]

    def _shut(self) -> None:
        held = None if self._stream is None else self._stream.get_extra_info("socket")
        if held is not None:
            try:
                held.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # closed already

    def __enter__(self) -> "_Watch":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def _address(base_url: Any) -> str:
    given = checks.text("base_url", base_url)
    try:
        url = httpx.URL(given)
    except httpx.InvalidURL as cause:
        raise WorkbenchError(
            "wrong_type", f"base_url is no address: {cause}: give http(s)://host[:port][/path]"
        ) from None
    if url.userinfo or url.query or url.fragment:
        raise WorkbenchError("contradiction", "base_url holds a user, a query or a fragment: a key goes into api_key")
    if url.scheme not in ("http", "https") or not url.host:
        raise WorkbenchError("wrong_type", f"base_url is {given!r}: give http(s)://host[:port][/path]")
    return given.rstrip("/")


def _shown(answer: bytes) -> str:
    """The head of an answer, on one line, without what could drive a terminal."""
    text = answer[:300].decode("utf-8", "replace")
    return repr("".join(c if c.isprintable() else " " for c in text))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
