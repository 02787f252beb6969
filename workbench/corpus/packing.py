"""Text, arrays and records as an SQLite file holds them, and back to the same bits."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from workbench.frozen import to_plain
from workbench.kernels.bm25_postings import Postings
from workbench.kernels.dense import GRID
from workbench.records import Document

DIGEST = 16
"""Bytes of a digest."""


def text_in(text: str) -> str | bytes:
    """Text for a column; what UTF-8 cannot hold (a lone surrogate) goes in as bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def text_out(value: str | bytes) -> str:
    """The text that ``text_in`` put in."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def json_in(value: Any) -> str:
    """Plain data as JSON, in ASCII, so that any text goes through."""
    return json.dumps(to_plain(value), separators=(",", ":"), allow_nan=False)


def json_out(value: str) -> Any:
    """The data that ``json_in`` put in."""
    return json.loads(value)


def jsons_out(values: Sequence[str]) -> list[Any]:
    """As ``json_out`` each, in one go."""
    found: list[Any] = json.loads(f"[{','.join(values)}]")
    return found


def digest(text: str) -> bytes:
    """16 bytes that stand for a text: BLAKE2b."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST).digest()


def document_digest(document: Document) -> bytes:
    """What stands for all of a document: another text, title or metadata gives another one."""
    id, title, text = document.id, document.title, document.text
    return digest(f"{len(id)} {len(title)} {len(text)} {id}{title}{text}{json_in(document.metadata)}")


def unit_in(unit: np.ndarray) -> bytes:
    """A unit vector on the grid as int32 multiples of 2⁻²⁶; zeros for a passage without a vector."""
    return np.rint(unit * GRID).astype("<i4").tobytes()


def units_out(blobs: Sequence[bytes]) -> np.ndarray:
    """n × d float64: the units that ``unit_in`` put in.

    Raises:
        ValueError: for blobs of different or odd lengths.
    """
    if not blobs:
        return np.zeros((0, 1))
    if len(set(map(len, blobs))) != 1:
        raise ValueError("vectors of different lengths")
    return np.frombuffer(b"".join(blobs), dtype="<i4").reshape(len(blobs), -1) / GRID


def postings_in(postings: Postings) -> tuple[Any, ...]:
    """Postings as column values: terms, starts, document, tf, bytes a tf, length."""
    width = postings.tf.dtype.itemsize
    return (
        json.dumps(list(postings.term), separators=(",", ":")),
        postings.starts.astype("<i8").tobytes(),
        postings.document.astype("<i4").tobytes(),
        postings.tf.astype(f"<u{width}").tobytes(),
        width,
        postings.length.astype("<i8").tobytes(),
    )


def postings_out(terms: str, starts: bytes, document: bytes, tf: bytes, width: int, length: bytes) -> Postings:
    """The postings that ``postings_in`` put in.

    Raises:
        ValueError: for columns that do not fit together.
    """
    names: list[str] = json.loads(terms)
    made = Postings(
        {term: code for code, term in enumerate(names)},
        np.frombuffer(starts, dtype="<i8").astype(np.int64),
        np.frombuffer(document, dtype="<i4").astype(np.int32),
        np.frombuffer(tf, dtype=f"<u{width}").astype(f"u{width}"),
        np.frombuffer(length, dtype="<i8").astype(np.int64),
    )
    fits = (
        len(made.term) == len(names)
        and len(made.starts) == len(names) + 1
        and len(made.document) == len(made.tf) == made.starts[-1]
        and (np.diff(made.starts) > 0).all()
        and (not len(made.document) or (made.document.min() >= 0 and made.document.max() < len(made.length)))
    )
    if not fits:
        raise ValueError("postings that do not fit together")
    return made


def ids_in(ids: Iterable[str]) -> str:
    """Ids in one column."""
    return json.dumps(list(ids), separators=(",", ":"))
