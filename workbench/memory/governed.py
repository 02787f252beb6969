"""Memory: episodes that are never changed, recalled as of any moment, and let go by their retention."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workbench import checks
from workbench.errors import WorkbenchError
from workbench.memory import file, times
from workbench.memory import recall as ranking
from workbench.memory.episodes import Compaction, Episode, Receipt, Removed, Retention, episode, named, vector
from workbench.memory.file import MemoryFile
from workbench.memory.timeline import Timeline, timeline
from workbench.records import Filter
from workbench.verbs import BACKENDS, Backend, Ranking
from workbench.verbs.arguments import filter_of
from workbench.verbs.backends import serving

_COMPARED = ("metadata", "provenance", "valid_from", "valid_until", "salience", "authority")


class Memory:
    """A governed memory over one SQLite file, or over this process alone.

    Times are datetimes or ISO 8601 text; without an offset they are UTC. ``now`` may be passed to every
    verb, and given it, every answer is the same on every run; left out, it is the clock's.

    Args:
        path: a file or a folder (``workbench.db`` in it), a Workbench's store or one of its own; None keeps
            all of it in this process.
        wait: seconds to wait for another writer.

    Raises:
        WorkbenchError: ``not_a_store``, ``store_locked`` and the other errors of the store, by any verb.
    """

    def __init__(self, path: str | Path | None = None, *, wait: float = 10.0) -> None:
        self._file = MemoryFile(path, checks.number("wait", wait, low=0))
        self._index = replace(BACKENDS["index"], needs=lambda _: {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of a memory that lives in this process alone; a file stays as it is."""
        self._file.close()

    @property
    def collections(self) -> tuple[str, ...]:
        """The names of the collections that hold something, ascending."""
        with self._file.reading() as connection:
            return () if connection is None else file.collections(connection)

    def episode(self, id: str, collection: str) -> Episode:
        """The episode of that id.

        Raises:
            WorkbenchError: ``unknown_id``.
        """
        with self._file.reading() as connection:
            found = None if connection is None else file.find(connection, named(collection), checks.text("id", id))
        if found is None:
            raise WorkbenchError("unknown_id", f"no episode {id!r} in {collection!r}", id=id)
        return found

    def remember(
        self,
        content: str,
        collection: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | str | None = None,
        valid_from: Any = None,
        valid_until: Any = None,
        authority: float | None = None,
        salience: float | None = None,
        retention: Retention = "keep",
        embedding: Any = None,
        model: tuple[str, str] | None = None,
        now: Any = None,
        backend: str | Backend = "index",
    ) -> Receipt:
        """Stores an episode. The same content in a collection is the same episode, and keeps what it was stored with.

        Args:
            provenance: where it comes from; text is read as its source.
            valid_from, valid_until: half-open window; from now on, without an end, where left out.
            authority, salience: 0 to 1; absent where left out.
            retention: ``keep``, ``expire`` (once valid_until has passed), or days after it was remembered.
            embedding, model: d numbers and the (name, version) that made them. An episode may have one
                vector in each space.

        Returns:
            A receipt: ``created`` or ``existing``, the id, and what differs from the episode that exists.

        Raises:
            WorkbenchError: ``wrong_type``, ``out_of_range``, ``contradiction``, ``unreadable_time``,
                ``unnamed_space``, ``not_finite``, ``zero_vector``, ``backend_cannot_serve_verb``.
        """
        self._serves("remember", backend)
        at = times.moment_now(now)
        new = episode(
            content,
            collection,
            metadata=metadata,
            provenance=provenance,
            valid_from=valid_from,
            valid_until=valid_until,
            authority=authority,
            salience=salience,
            retention=retention,
            now=at,
        )
        made = vector(embedding, model)
        with self._file.writing() as connection:
            there = file.find(connection, new.collection, new.id)
            if there is None:
                file.put(connection, new)
            kept = there or new
            before = None if made is None else file.put_vector(connection, kept, *made)
        given = {
            "metadata": metadata,
            "provenance": provenance,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "salience": salience,
            "authority": authority,
        }
        differs = [name for name in _COMPARED if given[name] is not None and getattr(kept, name) != getattr(new, name)]
        if retention != "keep" and kept.retention != new.retention:
            differs.append("retention")
        if made is not None and before is not None and before != made[1].tobytes():
            differs.append("embedding")
        return Receipt(
            status="created" if there is None else "existing",
            id=kept.id,
            collection=kept.collection,
            remembered=times.shown(kept.remembered),
            state=kept.state(at),
            differs=tuple(differs),
            space="" if made is None else str(made[0]),
            vector="" if made is None else "stored" if before is None else "existing",
        )

    def recall(
        self,
        query: str,
        collection: str,
        *,
        as_of: Any = None,
        top_k: int = 5,
        weights: Mapping[str, float] | None = None,
        half_life_days: float = 30.0,
        embedding: Any = None,
        model: tuple[str, str] | None = None,
        analyzer: str = "english",
        filter: Filter | None = None,
        now: Any = None,
        backend: str | Backend = "index",
    ) -> Ranking:
        """What was valid ``as_of`` that moment and answers the query, best first, ties to the ascending id.

        Args:
            as_of: now, where left out.
            weights: of the terms in ``TERMS``; one that is not named keeps the table's.
            half_life_days: the age at which recency is 0.5; above 0.
            embedding, model: the query's vector and the (name, version) that made it: similarity is then the
                cosine in that space alone. Left out: BM25 of the query's words, as a share of the best.
            filter: ids and metadata, and a window on the score.

        Returns:
            A Ranking whose contributions are the terms: they fold to the score, and absent ones are None.

        Raises:
            WorkbenchError: ``empty_query``, ``nothing_to_search`` for a collection that never held anything,
                ``unreadable_time``, ``unknown_parameter`` for a weight of no term, ``unnamed_space``,
                ``space_mismatch``, ``out_of_range``, ``backend_cannot_serve_verb``.
        """
        self._serves("recall", backend)
        asked, where = checks.query_text(query), named(collection)
        at = times.moment_now(now) if as_of is None else times.moment("as_of", as_of)
        wanted = checks.whole("top_k", top_k, high=self._index.limits.hits)
        used = ranking.weights_of(weights)
        half = checks.number("half_life_days", half_life_days, above=0)
        made, chosen = vector(embedding, model), filter_of(filter)
        with self._file.reading() as connection:
            held = () if connection is None else file.episodes(connection, where)
            gone = () if connection is None else file.removed(connection, where)
            spaces = {} if connection is None else file.spaces(connection, where)
            vectors = {} if connection is None or made is None else file.vectors(connection, where, made[0])
        if not held and not gone:
            raise WorkbenchError(
                "nothing_to_search",
                f"collection {where!r} never held anything, which is not the same as nothing found: remember something, or name one of {', '.join(map(repr, self.collections)) or 'none yet'}",
                collection=where,
            )
        if made is not None and made[0] not in spaces:
            there = ", ".join(f"{space}: {count}" for space, count in spaces.items()) or "no vectors at all"
            raise WorkbenchError(
                "space_mismatch",
                f"no episode of {where!r} has a vector of {made[0]}, and spaces never mix: there are {there}",
                space=str(made[0]),
            )
        valid = tuple(each for each in held if each.state(at) == "valid")
        admitted = tuple(chosen is None or chosen.admits((each.id,), each.metadata) for each in valid)
        similar = (
            ranking.by_words(asked, valid, admitted, analyzer)
            if made is None
            else ranking.by_vector(made[1], made[0], vectors, valid, admitted)
        )
        return ranking.rank(
            asked,
            valid,
            admitted,
            similar,
            weights=used,
            at=at,
            half_life_days=half,
            top_k=wanted,
            filter=chosen,
            notes=_notes(held, gone, at),
        )

    def compact(self, collection: str, *, now: Any = None, backend: str | Backend = "index") -> Compaction:
        """Lets go of what its retention no longer keeps, in one transaction, and reports each.

        Raises:
            WorkbenchError: ``unreadable_time``, ``backend_cannot_serve_verb``.
        """
        self._serves("compact", backend)
        where, at = named(collection), times.moment_now(now)
        if where not in self.collections:
            return Compaction(where, times.shown(at), 0, 0, ())
        with self._file.writing() as connection:
            held = file.episodes(connection, where)
            due = [(each, reason) for each in held if (reason := each.due(at))]
            for each, reason in due:
                file.remove(connection, each, reason, at)
        left = [each for each in held if not each.due(at)]
        return Compaction(
            collection=where,
            at=times.shown(at),
            kept=len(left),
            expired=sum(1 for each in left if each.state(at) == "expired"),
            removed=tuple(Removed(each.id, reason) for each, reason in due),
        )

    def timeline(self, collection: str, *, as_of: Any = None, now: Any = None) -> Timeline:
        """What was valid when, with the state of each episode ``as_of`` a moment (now, where left out)."""
        where = named(collection)
        at = times.moment_now(now) if as_of is None else times.moment("as_of", as_of)
        with self._file.reading() as connection:
            held = () if connection is None else file.episodes(connection, where)
            gone = () if connection is None else file.removed(connection, where)
        return timeline(where, at, held, gone)

    def _serves(self, verb: str, backend: str | Backend) -> None:
        serving(verb, self._index if backend == "index" else backend)


def _notes(
    held: tuple[Episode, ...], gone: tuple[tuple[str, int, int, int | None, str], ...], at: int
) -> tuple[str, ...]:
    invalid = sum(1 for each in held if each.state(at) != "valid")
    lost = sum(1 for _, _, start, end, _ in gone if start <= at and (end is None or at < end))
    notes = []
    if invalid:
        notes.append(f"not valid at {times.shown(at)}: {invalid} of {len(held)} episodes")
    if lost:
        notes.append(f"valid at {times.shown(at)}, but let go by compaction: {lost}")
    return tuple(notes)
