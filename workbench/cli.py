"""The command line: ask a question of a folder, or open the notebooks."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from workbench import shipped
from workbench.errors import WorkbenchError
from workbench.explain import words
from workbench.pipeline import Workbench
from workbench.trace import Trace
from workbench.version import __version__
from workbench.views import served, state
from workbench.views.escaping import visible

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Why did this candidate rank first, and why isn't that one here?"
)


@app.callback(invoke_without_command=True)
def _about(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command()
def ask(
    query: Annotated[str, typer.Argument(help="The question.")],
    data: Annotated[
        Path | None, typer.Option(help="Folder of Markdown and text files; the sample documents when left out.")
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="How many candidates come through the cut.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole Trace as JSON.")] = False,
) -> None:
    """Print lanes, the fused ranking, why the first is first, the gate and the answer."""
    bench = Workbench.sample() if data is None else Workbench.from_folder(data, generator="extractive")
    trace = bench.ask(query, k)
    if as_json:
        print(json.dumps(trace.to_json(), ensure_ascii=False, allow_nan=False))
        return
    _print(trace, Console())


@app.command()
def lab(
    to: Annotated[Path, typer.Option(help="Where an installed package puts its copy of the notebooks.")] = Path(
        "workbench-notebooks"
    ),
) -> None:
    """Open the first notebook in JupyterLab."""
    notebooks = shipped.folder("notebooks")
    if "_shipped" in notebooks.parts:  # an installed package: work on a copy, and never over one that is there
        if not to.exists():
            shutil.copytree(notebooks, to)
        notebooks = to
    raise typer.Exit(subprocess.call([sys.executable, "-m", "jupyterlab", str(notebooks / "00_why_first.ipynb")]))


@app.command(name="app")
def show_app(
    data: Annotated[
        Path | None, typer.Option(help="Folder of Markdown and text files; the sample documents when left out.")
    ] = None,
    query: Annotated[str | None, typer.Option(help="What is asked first.")] = None,
    port: Annotated[int | None, typer.Option(help="Port on this machine; a free one when left out.")] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser tab.")] = True,
    dark: Annotated[bool, typer.Option("--dark", help="Dark colours.")] = False,
) -> None:
    """Put the workbench in a browser tab by itself (needs the extra "app")."""
    raise typer.Exit(served.serve(data, query, port=port, browser=browser, dark=dark))


def _print(trace: Trace, console: Console) -> None:
    drawn = state.board(trace, rows=8)
    console.print(
        Panel(_plain(drawn["sentence"]), title=_plain(drawn["query"]), subtitle=drawn["verdict"].replace("_", " "))
    )
    console.print(_lanes(drawn))
    console.print(_fused(drawn))
    console.print(_final(drawn))
    gate = drawn["gate"]
    if gate is not None:
        console.print(
            f"[bold]Gate[/] {'[green]pass[/]' if gate['passed'] else '[red]no[/]'}  {_plain(gate['explanation'])}"
        )
    answer = drawn["answer"]
    if answer is not None:
        console.print(f"[bold]Answer[/] {_plain(answer['text'])}")
        for sentence in answer["sentences"]:
            said = _plain(answer["text"][sentence["start"] : sentence["end"]])
            score = "" if sentence["score"] is None else f" {words.number(sentence['score'])}"
            console.print(
                f"  {sentence['verdict'].replace('_', ' ')}{score}: {said}  [dim]{_plain(sentence['source'] or '')}[/]"
            )
    for reason in drawn["degraded"]:
        console.print(f"[red]Less than declared[/] {_plain(reason)}")
    console.print(f"[dim]fingerprint {trace.fingerprint()[:16]}[/]")


def _lanes(drawn: dict[str, object]) -> Table:
    table = Table("", "lane", "state", "best candidate", "score", title="Lanes", title_justify="left")
    lanes = drawn["lanes"]
    assert isinstance(lanes, list)
    for lane in lanes:
        first = lane["rows"][0] if lane["rows"] else None
        said = (
            lane["reason"]
            if lane["status"] != "ran"
            else f"{lane['hits']} hits"
            if lane["hits"]
            else "ran, matched nothing"
        )
        score = "" if first is None or first["score"] is None else words.number(first["score"])
        table.add_row(
            lane["letter"], _plain(lane["name"]), _plain(said), "" if first is None else _plain(first["id"]), score
        )
    return table


def _fused(drawn: dict[str, object]) -> Table:
    fusion = drawn["fusion"]
    assert isinstance(fusion, dict)
    table = Table(
        "",
        "candidate",
        "score",
        "of the most",
        "contributions",
        title=f"Fused by {fusion['method']}, {fusion['candidates']} candidates",
        title_justify="left",
    )
    for hit in fusion["rows"]:
        parts = " + ".join(
            f"{s['lane']} {words.number(s['contribution'])} (rank {s['rank']})"
            for s in hit["segments"]
            if s["contribution"] is not None
        )
        share = "" if hit["share"] is None else words.share(hit["share"])
        table.add_row(str(hit["rank"]), _plain(hit["id"]), words.number(hit["score"], 6), share, _plain(parts))
    return table


def _final(drawn: dict[str, object]) -> Table:
    final = drawn["final"]
    assert isinstance(final, dict)
    table = Table(
        "",
        "candidate",
        "score",
        "features",
        "moved",
        title=f"After {final['name']} reranking, {final['kept']} kept",
        title_justify="left",
    )
    for hit in final["rows"]:
        parts = " + ".join(
            f"{f['name']} {words.number(f['contribution'])}" for f in hit["features"] if f["contribution"] is not None
        )
        moved = "" if not hit["moved"] else f"{'up' if hit['moved'] > 0 else 'down'} {abs(hit['moved'])}"
        style = "" if hit["kept"] else "dim"
        table.add_row(
            str(hit["rank"]), _plain(hit["id"]), words.number(hit["score"], 6), _plain(parts), moved, style=style
        )
    return table


def _plain(text: str) -> str:
    """Text of documents and queries as it is: no markup, no control characters."""
    return escape(visible(text))


def main() -> None:
    """Runs the command line; a named error is printed as a sentence and exits with 2."""
    try:
        app()
    except WorkbenchError as error:
        Console(stderr=True).print(f"[red]{error.code}[/] {_plain(error.message)}")
        sys.exit(2)
