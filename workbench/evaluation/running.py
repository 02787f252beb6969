"""Many queries through one configuration, or many recorded rankings through one fusion."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from workbench import checks
from workbench.corpus.queries import LabelledQuery, labelled
from workbench.errors import WorkbenchError
from workbench.evaluation.results import Evaluation, Tally
from workbench.evaluation.rows import FUSED, UNITS, Plan, QueryRow, measures_of, of_failure, of_trace
from workbench.evaluation.standard import MEASURES, parsed
from workbench.evaluation.workers import in_order
from workbench.frozen import FrozenMap, to_plain
from workbench.kernels.measures import Aggregate, Outcome, aggregate

PIECE = 8
"""Queries that a worker takes at once."""
RANKINGS = 256
"""Recorded rankings that a worker takes at once: fusing one takes well below a millisecond."""


def evaluate(
    configuration: Any,
    queries: Iterable[LabelledQuery | Mapping[str, Any]],
    *,
    measures: Sequence[str] = MEASURES,
    unit: str | None = None,
    name: str = "",
    processes: int | None = None,
    client: Any = None,
    progress: bool = True,
    stop: Callable[[], bool] | None = None,
    rows: str | Path = "keep",
) -> Evaluation:
    """Runs every query and measures every stage. A query that fails is a row that says why, not the end of the run.

    Args:
        configuration: a Workbench (its ``ask`` is run), or a callable: a query's words → Trace.
        queries: labelled queries, or mappings with ``query``, ``relevant`` and ``answerable``. An iterator is
            read as it goes.
        measures: names of ir-measures.
        unit: ``document`` or ``passage``, whichever the judgements name. Left out, a Workbench's own ids tell;
            for a callable it is ``document``.
        name: what the evaluation is called in tables.
        processes, client: a pool of so many processes, or a Dask client. The configuration is pickled then.
            The result is the same to the last bit.
        progress: a tqdm bar.
        stop: asked between queries; once it says True, what was done so far is the result, and
            ``stopped`` says so. Interrupting the kernel does the same.
        rows: ``keep``, ``drop``, or a file to which rows go as they come (JSON Lines); then memory stays
            bounded whatever the number of queries.

    Raises:
        WorkbenchError: ``wrong_type``, ``unknown_measure``, ``nothing_to_search`` without a query,
            ``repeated_id`` for two queries of one id, ``contradiction`` for judgements that name documents and
            passages, and what the runner refuses.
    """
    ask, about = _asked(configuration)
    asked = _numbered(queries)
    if unit is None:
        asked, unit = _unit_of(configuration, asked)
    checks.one_of("unit", unit, UNITS, "out_of_range")
    plan = Plan(parsed(measures), unit)
    of = len(queries) if isinstance(queries, Sized) else None
    made = in_order(
        _run, ask, plan, asked, size=PIECE if processes or client else 1, processes=processes, client=client
    )
    found = _collected(made, [str(m) for m in plan.measures], of, progress, stop, rows)
    result = found.tally.evaluation(
        name=name or about.get("name", ""),
        unit=unit,
        rows=tuple(found.kept),
        r12=_r12(found.kept, configuration),
        settings=FrozenMap(about.get("settings", {})),
        stopped=found.stopped,
    )
    return result.opened_by(ask)


def evaluate_rankings(
    rankings: Iterable[tuple[str, Mapping[str, Any]]] | Mapping[str, Mapping[str, Any]],
    judged: Mapping[str, Mapping[str, int]] | Callable[[str], Mapping[str, int]],
    *,
    fusion: Callable[[Mapping[str, Any]], Any] | None = None,
    measures: Sequence[str] = MEASURES,
    name: str = "",
    processes: int | None = None,
    client: Any = None,
    progress: bool = True,
    stop: Callable[[], bool] | None = None,
    rows: str | Path = "keep",
) -> Evaluation:
    """Measures rankings that were made elsewhere, lane by lane and fused.

    Args:
        rankings: query id → lane name → ids, (id, score) pairs or a ``Lane``; or pairs of the two, read as they
            come, so that run files may be larger than memory (``formats.stream_runs``).
        judged: query id → id → grade, or a callable that knows the judgements of a query id.
        fusion: lanes → ``Fusion``, such as ``functools.partial(wb.rrf, k=20)``; None measures the lanes alone.

    The other arguments, the stages' means and the errors are as of ``evaluate``. There is no Trace behind a row;
    ``Workbench.from_lanes(rankings).ask(…)`` makes one.
    """
    plan = _Fusing(parsed(measures), fusion)
    source = rankings.items() if isinstance(rankings, Mapping) else rankings
    of = len(rankings) if isinstance(rankings, Sized) else None
    look = judged.get if isinstance(judged, Mapping) else judged
    work = ((id, lanes, dict(look(id) or {})) for id, lanes in _distinct(source))
    size = RANKINGS if processes or client else 1
    made = in_order(_fuse, None, plan, work, size=size, processes=processes, client=client)
    found = _collected(made, [str(m) for m in plan.measures], of, progress, stop, rows)
    return found.tally.evaluation(name=name, unit="document", rows=tuple(found.kept), stopped=found.stopped)


# ---------------------------------------------------------------- the work


@dataclass(frozen=True, slots=True)
class _Fusing:
    measures: tuple[Any, ...]
    fusion: Callable[[Mapping[str, Any]], Any] | None


def _run(ask: Callable[[str], Any], plan: Plan, piece: tuple[tuple[str, Any], ...]) -> list[QueryRow]:
    return [_row(ask, plan, id, item) for id, item in piece]


def _row(ask: Callable[[str], Any], plan: Plan, id: str, item: Any) -> QueryRow:
    query = None
    try:
        query = labelled(item)
        return of_trace(id, query, ask(query.query), plan)
    except Exception as cause:  # noqa: BLE001 - whatever one query raises is its row
        return of_failure(id, _words(item), cause, query)


def _fuse(_: None, plan: _Fusing, piece: tuple[tuple[str, Mapping[str, Any], dict[str, int]], ...]) -> list[QueryRow]:
    return [_fused(plan, id, lanes, relevant) for id, lanes, relevant in piece]


def _fused(plan: _Fusing, id: str, lanes: Mapping[str, Any], relevant: dict[str, int]) -> QueryRow:
    try:
        rankings = {name: tuple(_ids(lane)) for name, lane in lanes.items()}
        for name, ids in rankings.items():
            checks.no_repeats(ids, f"lane {name!r}")
        if plan.fusion is not None:
            if FUSED in rankings:
                raise WorkbenchError("contradiction", f"a lane is named {FUSED!r}, as a stage is: give it another name")
            rankings[FUSED] = tuple(plan.fusion(lanes).ids)
        values = measures_of(rankings, relevant, plan.measures)
        return QueryRow(id, id, FrozenMap(relevant), rankings=FrozenMap(rankings), measures=values)
    except Exception as cause:  # noqa: BLE001 - whatever one query raises is its row
        return of_failure(id, id, cause)


def _ids(lane: Any) -> Iterator[str]:
    if hasattr(lane, "hits"):
        if lane.status != "ran":
            raise WorkbenchError("absent_lane", f"lane {lane.name!r} is {lane.status!r} ({lane.reason}): leave it out")
        yield from lane.ids
        return
    for item in checks.listed("a lane", lane, "ids or (id, score) pairs"):
        yield item if isinstance(item, str) else item[0]


# ---------------------------------------------------------------- what comes back


class _Collected:
    """Rows as they came: counted, and kept, dropped or written."""

    def __init__(self, measures: Sequence[str]) -> None:
        self.tally = Tally(measures)
        self.kept: list[QueryRow] = []
        self.stopped = ""


def _collected(
    made: Iterator[QueryRow],
    measures: Sequence[str],
    of: int | None,
    progress: bool,
    stop: Callable[[], bool] | None,
    rows: str | Path,
) -> _Collected:
    found = _Collected(measures)
    total = "" if of is None else f" of {of}"
    with ExitStack() as open_:
        bar = open_.enter_context(_bar(of, progress))
        file: BinaryIO | None = None
        if rows not in ("keep", "drop"):
            file = open_.enter_context(Path(rows).open("wb"))
        try:
            for row in made:
                line = found.tally.take(row)
                if file is not None:
                    file.write(line)
                elif rows == "keep":
                    found.kept.append(row)
                bar.update(1)
                if stop is not None and stop():
                    found.stopped = f"asked to, after {found.tally.n}{total} queries"
                    break
        except KeyboardInterrupt:
            found.stopped = f"interrupted, after {found.tally.n}{total} queries"
        finally:
            made.close()  # type: ignore[attr-defined]
    if found.tally.n == 0 and not found.stopped:
        raise WorkbenchError("nothing_to_search", "no query came: give at least one to evaluate")
    return found


@contextmanager
def _bar(of: int | None, progress: bool) -> Iterator[Any]:
    from tqdm.auto import tqdm

    with tqdm(total=of, desc="evaluate", unit="query", disable=not progress) as bar:
        yield bar


def _r12(rows: Sequence[QueryRow], configuration: Any) -> Aggregate | None:
    """R12's report over the rows whose gate was asked."""
    told = [row for row in rows if row.failure is None and row.verdict not in (None, "retrieved")]
    if not told:
        return None
    outcomes = [
        Outcome(row.query, tuple(id for id, g in row.relevant.items() if g > 0), bool(row.answerable), row.retrieved, str(row.verdict))
        for row in told
    ]  # fmt: skip
    documents = {p.id: p.document_id for p in getattr(configuration, "passages", ())}
    return aggregate(outcomes, documents=documents)


# ---------------------------------------------------------------- what is asked


def _asked(configuration: Any) -> tuple[Callable[[str], Any], dict[str, Any]]:
    ask = getattr(configuration, "ask", None)
    if ask is not None:
        settings = {"config": to_plain(configuration.config)} if hasattr(configuration, "config") else {}
        return ask, {"settings": settings}
    if callable(configuration):
        return configuration, {}
    raise WorkbenchError(
        "wrong_type",
        f"configuration is {type(configuration).__name__}: give a Workbench, or a callable of a query's words that returns a Trace",
    )


def _numbered(queries: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """(id, query) as they come. One without an id goes by its words."""
    if isinstance(queries, str | bytes | set | frozenset | Mapping) or not isinstance(queries, Iterable):
        raise WorkbenchError("wrong_type", f"queries is {type(queries).__name__}: give a list of labelled queries")
    return _distinct((_id_of(item, place), item) for place, item in enumerate(queries, start=1))


def _distinct(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for id, item in pairs:
        checks.item_id(id, "a query")
        if id in seen:
            raise WorkbenchError("repeated_id", f"query {id!r} is there twice: give each an id of its own", id=id)
        seen.add(id)
        yield id, item


def _id_of(item: Any, place: int) -> str:
    id = item.id if isinstance(item, LabelledQuery) else item.get("id") if isinstance(item, Mapping) else None
    return id if isinstance(id, str) and id else _words(item) or f"query {place}"


def _words(item: Any) -> str:
    words = item.query if isinstance(item, LabelledQuery) else item.get("query") if isinstance(item, Mapping) else None
    return words if isinstance(words, str) else f"{item!r:.80}"


def _unit_of(configuration: Any, asked: Iterable[tuple[str, Any]]) -> tuple[Iterator[tuple[str, Any]], str]:
    """Whether the judgements name passages or documents, by the ids that the Workbench has."""
    if not hasattr(configuration, "passages"):
        return iter(asked), "document"
    held = list(asked)
    documents = {d.id for d in configuration.documents}
    passages = {p.id for p in configuration.passages} - documents
    named = {id for _, item in held for id in _relevant(item)}
    of_passages, of_documents = sorted(named & passages), sorted(named & documents)
    if of_passages and of_documents:
        raise WorkbenchError(
            "contradiction",
            f"the judgements name passages ({of_passages[0]!r}) and documents ({of_documents[0]!r}): say unit='passage' or unit='document'",
        )
    return iter(held), "passage" if of_passages else "document"


def _relevant(item: Any) -> Iterable[str]:
    given = (
        item.relevant
        if isinstance(item, LabelledQuery)
        else item.get("relevant")
        if isinstance(item, Mapping)
        else None
    )
    return [id for id in given if isinstance(id, str)] if isinstance(given, Mapping | list | tuple) else []
