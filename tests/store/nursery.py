"""Kills processes while they write: ``python -m tests.store.nursery FOLDER KILLS SEED`` prints what it saw as JSON.

One process forks a child a round, which changes one store again and again and saves another; it is killed by
SIGKILL at a random moment, and then both files are held against what the child had said it had finished.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from tests.store.corpus import bench, document, toy
from workbench import Document, Workbench

DOCUMENTS = 12
Versions = dict[str, int]


def child(folder: Path, out: int, seed: int) -> NoReturn:
    """Changes the store until it is killed; says ``try`` before and ``done`` after each change."""

    def say(*what: Any) -> None:
        os.write(out, (json.dumps(what) + "\n").encode())

    try:
        dice = random.Random(seed)
        # every other child goes without the slow signals, so that kills spread over short changes too
        ours = bench(store=folder / "store.db", signals=None if seed % 2 else ["text", "embedding"])
        say("begun")
        for step in range(1000):
            here = {d.id: d.metadata["version"] for d in ours.documents}
            kind = dice.choice(["add", "add many", "delete", "save", "save"])
            if kind == "save":
                say("try", "save", here)
                ours.save(folder / "saved.db")
                say("done", "save", here)
                continue
            if kind == "delete" and len(here) > 2:
                gone = dice.choice(sorted(here))
                after = {id: version for id, version in here.items() if id != gone}
                say("try", "change", after)
                ours.delete(gone)
            else:
                numbers = dice.sample(range(DOCUMENTS), 5 if kind == "add many" else 1)
                new = [document(n, seed * 1000 + step, dice.randint(1, 4)) for n in numbers]
                after = here | {d.id: d.metadata["version"] for d in new}
                say("try", "change", after)
                ours.add(new)
            say("done", "change", after)
    finally:
        os._exit(1)  # nothing but a kill ends it


def versions(ours: Workbench) -> Versions:
    return {d.id: d.metadata["version"] for d in ours.documents}


def whole(document: Document, ours: Workbench) -> None:
    """No passage of another version stands beside this document."""
    said = f"version {document.metadata['version']} "
    for passage in ours.passages:
        if passage.document_id == document.id:
            assert said in passage.text, (document.id, passage)


def looked_at(path: Path, allowed: list[Versions]) -> Versions:
    """Opens a store after a kill: it has to hold one of ``allowed``, whole and in step."""
    ours = Workbench.load(path, embedder=toy())
    found = versions(ours)
    assert found in allowed, f"{path.name} holds {found}, and it should hold one of {allowed}"
    for each in ours.documents:
        whole(each, ours)
    again = bench(store=path)
    report = again.reconcile()
    assert report.in_step, f"{path.name}: {report}"
    assert versions(again) == found
    assert again.retrieve("night desk of the house").fusion.ids
    return found


def main(folder: Path, kills: int, seed: int) -> None:
    dice = random.Random(seed)
    store, saved = folder / "store.db", folder / "saved.db"
    known = versions(bench([document(n) for n in range(4)], store=store))
    known_saved: Versions | None = None
    seen = {"kills": 0, "within a change": 0, "within a save": 0, "between": 0, "changes": 0, "saves": 0}
    for number in range(kills):
        if number % 5 == 0 and saved.exists():
            saved.unlink()  # so that making a new file is killed too
            known_saved = None
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            child(folder, writer, number + 1)
        os.close(writer)
        lines = b""
        while b"\n" not in lines:
            lines += os.read(reader, 4096)
        time.sleep(dice.uniform(0, 0.12))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while part := os.read(reader, 65_536):
            lines += part
        os.close(reader)
        said = [json.loads(line) for line in lines.splitlines() if line.endswith(b"]")]
        done = {"change": known, "save": known_saved}
        trying: list[Any] | None = None
        for step, *rest in said:
            if step == "done":
                done[rest[0]] = rest[1]
                seen[f"{rest[0]}s"] += 1
            trying = rest if step == "try" else None
        seen["kills"] += 1
        seen["between" if trying is None else f"within a {trying[0]}"] += 1
        allowed: dict[str, list[Any]] = {kind: [state] for kind, state in done.items()}
        if trying is not None:
            allowed[trying[0]].append(trying[1])
        known = looked_at(store, allowed["change"])
        if saved.exists() or None not in allowed["save"]:
            known_saved = looked_at(saved, [state for state in allowed["save"] if state is not None])
    saved.unlink(missing_ok=True)
    bench([document(0)]).save(saved)  # takes away what killed processes left behind
    left = sorted(p.name for p in folder.iterdir() if p.name.endswith(".new"))
    sys.stdout.write(json.dumps({**seen, "left behind": left}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
