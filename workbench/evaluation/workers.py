"""Where the work is done: in this process, in a pool of processes, or on a Dask client that was passed in.

Results come back in the order of the work, whoever did it and when, so nothing hangs on the runner. Only a few
pieces are under way at once: what is to be done may be longer than memory.
"""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from threading import Lock
from typing import Any

from workbench import checks
from workbench.errors import BackendUnavailable, WorkbenchError

AHEAD = 3
"""Pieces under way for each worker: one that is done, one that waits, one in the works."""

Do = Callable[[Any, Any, tuple[Any, ...]], list[Any]]
"""(shared, plan, piece) → one result for each item of the piece."""


def in_order(
    do: Do, shared: Any, plan: Any, items: Iterable[Any], *, size: int, processes: int | None = None, client: Any = None
) -> Iterator[Any]:
    """``do(shared, plan, piece)`` for the items, ``size`` to a piece; the results one by one, in the items' order.

    Args:
        shared: sent once to each worker.
        processes: how many worker processes; None and 1 work in this one.
        client: a ``distributed.Client``.

    Raises:
        WorkbenchError: ``contradiction`` for both; ``wrong_type`` for what is no client, or for what cannot be
            sent to another process.
    """
    if client is not None and processes is not None:
        raise WorkbenchError(
            "contradiction", f"processes is {processes!r} and a client was given: the client has workers of its own; drop one"
        )  # fmt: skip
    source = iter(items)
    pieces = iter(lambda: tuple(islice(source, size)), ())
    if client is not None:
        with _on_client(client, do, shared, plan) as (submit, width):
            yield from _window(submit, pieces, width)
    elif processes is not None and checks.whole("processes", processes) > 1:
        with _on_pool(processes, do, shared, plan) as (submit, width):
            yield from _window(submit, pieces, width)
    else:
        for piece in pieces:
            yield from do(shared, plan, piece)


Submit = Callable[[tuple[Any, ...]], Any]


def _window(submit: Submit, pieces: Iterable[tuple[Any, ...]], width: int) -> Iterator[Any]:
    under_way: deque[Any] = deque()
    try:
        for piece in pieces:
            under_way.append(submit(piece))
            if len(under_way) >= width:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    finally:
        for each in under_way:
            each.cancel()


@contextmanager
def _on_pool(processes: int, do: Do, shared: Any, plan: Any) -> Iterator[tuple[Submit, int]]:
    # spawned, not forked: threads of numpy or of a notebook's kernel do not survive a fork
    pool = ProcessPoolExecutor(
        processes, get_context("spawn"), initializer=_begin, initargs=(do, _sendable(shared), plan)
    )
    try:
        yield (lambda piece: pool.submit(_work, piece)), processes * AHEAD
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _on_client(client: Any, do: Do, shared: Any, plan: Any) -> Iterator[tuple[Submit, int]]:
    try:
        from distributed import Client as Known
    except ImportError as cause:
        raise BackendUnavailable("dask", ("distributed",), "evaluate") from cause
    if not isinstance(client, Known):
        raise WorkbenchError("wrong_type", f"client is {client!r:.80}: give a distributed.Client")
    # pickled here: Dask would send what it cannot read as it is, and every worker reads the same bytes
    dask: Any = client  # distributed is not typed
    held = dask.scatter(_sendable(shared), broadcast=True)
    width = max(1, len(dask.nthreads())) * AHEAD
    yield (lambda piece: dask.submit(_on_worker, do, held, plan, piece, pure=False)), width


def _sendable(shared: Any) -> bytes:
    try:
        return pickle.dumps(shared)
    except Exception as cause:
        raise WorkbenchError(
            "wrong_type",
            f"{type(shared).__name__} cannot be sent to another process ({type(cause).__name__}: {cause}): give functions of a module rather than lambdas, or leave processes and client out",
        ) from cause


_shared: tuple[Do, Any, Any] | None = None
"""What a pool's worker was given when it began."""


def _begin(do: Do, shared: bytes, plan: Any) -> None:
    global _shared
    _shared = (do, pickle.loads(shared), plan)


def _work(piece: tuple[Any, ...]) -> list[Any]:
    assert _shared is not None
    do, shared, plan = _shared
    return do(shared, plan, piece)


_read: dict[bytes, Any] = {}
"""On a Dask worker: the last thing that was sent, read."""


_alone = Lock()
"""A worker's threads take turns: a stemmer or a model of the configuration may hold state while it works."""


def _on_worker(do: Do, sent: bytes, plan: Any, piece: tuple[Any, ...]) -> list[Any]:
    with _alone:
        if sent not in _read:
            _read.clear()
            _read[sent] = pickle.loads(sent)
        return do(_read[sent], plan, piece)
