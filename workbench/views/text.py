"""A Trace as a readable text table, the same on every run: for terminals, logs and nbval."""

from collections.abc import Sequence

from workbench.explain import words
from workbench.trace import Trace
from workbench.views import state
from workbench.views.escaping import visible


def table(trace: Trace, *, rows: int = 5) -> str:
    """Query, sentence, lanes, fused and final rows, gate and answer, as lines of text."""
    drawn = state.board(trace, rows=rows)
    lines = [f"{drawn['query']}  [{drawn['verdict'].replace('_', ' ')}]", drawn["sentence"], ""]
    lines += [_lane_line(lane) for lane in drawn["lanes"]]
    lines += [
        "",
        *_columns(
            [("fused", "score", "contributions", "candidate"), *(_fused_row(hit) for hit in drawn["fusion"]["rows"])]
        ),
    ]
    lines += [
        "",
        *_columns([("final", "score", "features", "candidate"), *(_final_row(hit) for hit in drawn["final"]["rows"])]),
    ]
    if drawn["gate"] is not None:
        lines += ["", f"gate: {'pass' if drawn['gate']['passed'] else 'no'}; {drawn['gate']['explanation']}"]
    if drawn["answer"] is not None:
        lines += [f"answer: {drawn['answer']['text']}"]
    return visible("\n".join(lines))


def _lane_line(lane: dict[str, object]) -> str:
    said = f"{lane['hits']} hits" if lane["status"] == "ran" else f"{lane['status']}: {lane['reason']}"
    return f"{lane['letter']} {lane['name']}: {said}" + (f", {lane['score_model']}" if lane["status"] == "ran" else "")


def _fused_row(hit: dict[str, object]) -> tuple[str, ...]:
    segments = hit["segments"]
    assert isinstance(segments, list)
    parts = [
        f"{s['letter']}{s['rank']} {words.number(s['contribution'])}" for s in segments if s["contribution"] is not None
    ]
    return str(hit["rank"]), words.number(float(str(hit["score"])), 6), " + ".join(parts), str(hit["id"])


def _final_row(hit: dict[str, object]) -> tuple[str, ...]:
    features = hit["features"]
    assert isinstance(features, list)
    parts = [f"{f['name']} {words.number(f['contribution'])}" for f in features if f["contribution"] is not None]
    return (
        str(hit["rank"]),
        words.number(float(str(hit["score"])), 6),
        " + ".join(parts),
        str(hit["id"]) + _remarks(hit),
    )


def _remarks(hit: dict[str, object]) -> str:
    twins = hit["same_text"]
    assert isinstance(twins, list)
    return ("" if hit["kept"] else "  (below the cut)") + (f"  (same text as {twins[0]})" if twins else "")


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
