"""Every error the workbench raises on purpose.

    ValueError
    └── WorkbenchError          .code .message .facts
        └── BackendUnavailable  .backend .missing .verb

Each error carries a stable ``code`` from ``CODES``; its message says what was given, what was
expected and what to do. Anything else that escapes is a bug in the workbench.
"""

from typing import Any

CODES: dict[str, str] = {
    # the call
    "empty_query": "a query has to hold some text",
    "out_of_range": "a number lies outside the range that the argument allows",
    "wrong_type": "an argument is of another kind than the call takes",
    "unknown_parameter": "an argument that nothing would read",
    "contradiction": "two arguments cannot both hold",
    "empty_id_list": "a filter by an empty list would drop everything or nothing",
    # lanes and fusion
    "no_lanes": "fusion without a lane",
    "absent_lane": "a lane that did not run was handed to fusion",
    "repeated_id": "one list holds an id twice",
    "missing_id": "an item came without an id",
    "id_not_text": "ids are text",
    "not_finite": "a number is NaN or infinite",
    "missing_score": "the method needs a score that is absent",
    "shape_mismatch": "sizes that have to agree do not",
    "zero_vector": "a zero vector has no direction",
    "unknown_fusion": "no fusion of that name",
    "unknown_dialect": "no fusion dialect of that name",
    "parameter_of_another_fusion": "an argument that this fusion never reads",
    # documents and indexes
    "nothing_to_search": "no document or candidate was given",
    "unknown_id": "no document, passage or candidate of that id",
    "unknown_analyzer": "no analyzer of that name",
    "unknown_variant": "no BM25 variant or engine of that name",
    "unknown_measure": "no measure of that name",
    "unknown_preset": "no gate preset of that name",
    "unknown_signal": "no signal of that name",
    "signal_off": "the signal is not among those that the workbench was built with",
    # files
    "missing_file": "a file or folder is not there",
    "not_utf8": "a file is not UTF-8 text",
    "malformed_line": "a line of a file cannot be read",
    "missing_column": "a table lacks a column",
    "missing_table": "a database lacks a table",
    "unknown_schema": "a record was written by another schema version",
    "not_recorded": "the question reaches beyond what the Trace recorded, and nothing behind it can be asked",
    # sizes, times and embedding spaces
    "too_large": "more than the size limit of a call",
    "unreadable_time": "a time cannot be read",
    "unnamed_space": "an embedding came without the model and version that made it",
    "space_mismatch": "vectors of different embedding spaces do not compare",
    # the store
    "not_a_store": "the file is no store of the workbench",
    "store_damaged": "the store is truncated or damaged",
    "store_locked": "another process keeps writing to the store",
    "store_full": "no room is left for the store",
    "store_read_only": "the store cannot be written to",
    "store_failed": "the file system failed under the store",
    # models, verbs and backends
    "lane_failed": "a retriever raised or broke the lane contract",
    "model_failed": "a reranker, judge, embedder or generator raised or broke its contract",
    "model_timed_out": "a model's server did not answer in time",
    "backend_unavailable": "a component that the backend needs is missing",
    "unknown_backend": "no backend of that name",
    "backend_cannot_serve_verb": "the backend cannot produce that lane",
}


class WorkbenchError(ValueError):
    """Bad input, refused before anything was computed.

    ``code`` is one of ``CODES``; ``facts`` holds the offending values by name.
    """

    def __init__(self, code: str, message: str, **facts: Any) -> None:
        if code not in CODES:
            raise KeyError(f"{code!r} is not in workbench.errors.CODES")
        super().__init__(message)
        self.code = code
        self.message = message
        self.facts = facts

    def __reduce__(self) -> tuple[Any, ...]:
        # the default would rebuild from the message alone and fail in a process pool
        return _rebuild, (type(self), self.code, self.message, self.facts)


class BackendUnavailable(WorkbenchError):
    """A backend cannot run because components are missing. Never reported as an empty result."""

    def __init__(self, backend: str, missing: tuple[str, ...], verb: str, message: str = "") -> None:
        self.backend = backend
        self.missing = tuple(missing)
        self.verb = verb
        super().__init__(
            "backend_unavailable",
            message
            or f"{verb}: backend {backend!r} needs {', '.join(missing)}; install or start it, or name another backend",
            backend=backend,
            missing=self.missing,
            verb=verb,
        )


def _rebuild(kind: type[WorkbenchError], code: str, message: str, facts: dict[str, Any]) -> WorkbenchError:
    if issubclass(kind, BackendUnavailable):
        return kind(facts["backend"], facts["missing"], facts["verb"], message)
    return kind(code, message, **facts)
