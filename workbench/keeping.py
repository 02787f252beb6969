"""A workbench's documents and lanes over time: taken in, changed, saved, opened again, brought back in step.

With a store, a change is worked out first, then written in one transaction, then shown: whatever fails before the
transaction ends leaves both the file and the workbench as they were.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.config import Config
from workbench.corpus import library
from workbench.corpus.library import Library, Progress
from workbench.corpus.outline import outline
from workbench.corpus.store import Moved, Store
from workbench.corpus.store_rows import Change
from workbench.errors import WorkbenchError
from workbench.frozen import to_plain
from workbench.kernels import sentences
from workbench.kernels.analysis import Analyzer
from workbench.lanes.ann import Hnsw
from workbench.lanes.shelf import SIGNALS, Shelf
from workbench.models.embedders import Embedder, settled_identity
from workbench.reconciling import Reconciliation, differences
from workbench.records import Document

TRIES = 10
"""How often a change is worked out anew because another process wrote meanwhile."""
UNCOUNTED = 20
"""In a large store the counts are renewed only when more than a twentieth of the passages are not in them."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How lanes are made of documents."""

    signals: tuple[str, ...]
    embedder: Embedder | None
    analyzer: Analyzer
    config: Config
    given: Mapping[str, Any]
    dense: Hnsw | None = None
    progress: Progress | None = None

    @property
    def cut(self) -> str:
        """What passages hang on besides their document."""
        config = self.config
        return f"size={config.chunk_size},overlap={config.chunk_overlap},splitter={sentences.version('sentencex')}"

    def wants(self, *lanes: str) -> bool:
        """Whether a signal of one of these lanes is declared."""
        return any(SIGNALS[signal] in lanes for signal in self.signals)

    def library(self, documents: Iterable[Document], known: Library | None = None) -> Library:
        config = self.config
        size, overlap = config.chunk_size, config.chunk_overlap
        return library.build(documents, self.analyzer, size=size, overlap=overlap, known=known, progress=self.progress)

    def shelf(self, of: Library, *, before: Shelf | None = None, store: Store | None = None) -> Shelf:
        return Shelf(
            of,
            self.signals,
            self.embedder,
            self.analyzer,
            self.config,
            self.given,
            dense=self.dense,
            before=before,
            store=store,
            progress=self.progress,
        )

    def settings(self) -> dict[str, Any]:
        return {"cut": self.cut, "config": to_plain(self.config), "signals": list(self.signals)}


@dataclass(slots=True)
class Keeping:
    """The library and shelf that a workbench shows now, and the store that they are kept in, if any."""

    recipe: Recipe
    store: Store | None
    library: Library = field(init=False)
    shelf: Shelf = field(init=False)
    _generation: int = field(init=False, default=0)
    _notes: tuple[str, ...] = field(init=False, default=())
    _recorded: bool = field(init=False, default=False)
    """Whether the passages were given with rankings made elsewhere, not cut from documents."""

    def start(self, documents: Iterable[Document] | Library) -> None:
        """Takes the first documents in, on top of what the store has; a library is shown as it is."""
        if isinstance(documents, Library):
            self._recorded = True
            if self.store is not None:
                self._refuse_recorded()
            self.library = documents
            self.shelf = self.recipe.shelf(self.library).build()
            return
        new = list(documents)
        if self.store is None or not (self.store.exists or self.store.live):
            if self.store is not None:
                self.store.settings()  # says that there is no such file
            self.library = self.recipe.library(new)
            self.shelf = self.recipe.shelf(self.library).build()
        elif not self.store.exists:
            self._first(self.store, new)
        else:
            self._open(self.store)
            if self.store.live:
                self._renew(self.store)
            if new:
                self.change(new, ())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not as the store had it, and why."""
        return (*self._notes, *self.shelf.notes)

    def change(self, new: Sequence[Document], gone: Collection[str]) -> None:
        """Puts documents in and takes others out; all of it or nothing.

        Raises:
            WorkbenchError: ``unknown_id``, ``nothing_to_search``, ``store_locked`` and the store's other errors.
        """
        self._refuse_recorded()
        store = self.store if self.store is not None and self.store.live else None
        for _ in range(TRIES):
            if store is not None:
                self._catch_up(store)
            here = {d.id: d for d in self.library.documents}
            for id in gone:
                if id not in here:
                    raise WorkbenchError("unknown_id", f"no document {id!r} is here: there are {len(here)}", id=id)
            out = {*gone, *(d.id for d in new if isinstance(d, Document))}
            built = self.recipe.library([*(d for d in self.library.documents if d.id not in out), *new], self.library)
            shelf = self.recipe.shelf(built, before=self.shelf, store=self.store)
            changed = [d for d in built.documents if here.get(d.id) != d]
            if store is not None and (changed or gone):
                try:
                    self._generation = store.write(
                        self._change(store, built, shelf, changed, tuple(gone)), after=self._generation, progress=self.recipe.progress
                    )  # fmt: skip
                except Moved:
                    continue
            self.library, self.shelf = built, shelf
            return
        raise WorkbenchError(
            "store_locked",
            f"{store.path if store else ''!s}: other processes changed the store {TRIES} times while this change was worked out: try again when they are done",
        )

    def save(self, path: str | Path) -> Path:
        """Writes everything to a store at ``path``, in place of what it held; the file."""
        self._refuse_recorded()
        store = Store(path)
        store.write(self._whole(self.library, self.shelf), progress=self.recipe.progress)
        return store.path

    def reconcile(self) -> Reconciliation:
        """Works everything out anew from the documents, puts right what differs and reports it."""
        self._refuse_recorded()
        store = self.store if self.store is not None and self.store.live else None
        for _ in range(TRIES):
            if store is not None:
                store.check()
                self._open(store)
            fresh = self.recipe.library(self.library.documents)
            found = list(
                differences(
                    self.library,
                    fresh,
                    self.shelf,
                    store,
                    self.recipe.wants,
                    self.recipe.analyzer.version,
                    self.recipe.embedder,
                )
            )
            if found:
                shelf = self.recipe.shelf(fresh, before=self.shelf)
                if store is not None:
                    try:
                        whole = self._whole(fresh, shelf)
                        self._generation = store.write(whole, after=self._generation, progress=self.recipe.progress)
                    except Moved:
                        continue
                self.library, self.shelf = fresh, shelf
            return Reconciliation(len(fresh.documents), len(fresh.passages), tuple(found))
        raise WorkbenchError(
            "store_locked", f"other processes changed the store {TRIES} times meanwhile: try again when they are done"
        )

    # ------------------------------------------------------------ inside

    def _refuse_recorded(self) -> None:
        if self._recorded:
            raise WorkbenchError(
                "contradiction",
                "this workbench explains rankings made elsewhere, and its passages were given with them: only one made of documents can be added to, deleted from, saved or reconciled; save its traces, or build one from documents",
            )

    def _first(self, store: Store, documents: list[Document]) -> None:
        self.library = self.recipe.library(documents)
        self.shelf = self.recipe.shelf(self.library).build()
        try:
            self._generation = store.write(
                self._whole(self.library, self.shelf), after=0, progress=self.recipe.progress
            )
        except Moved:  # another process made the same store meanwhile
            self._open(store)
            self.change(documents, ())

    def _open(self, store: Store) -> None:
        stored = store.read()
        if not stored.documents:
            raise WorkbenchError(
                "nothing_to_search", f"the store {str(store.path)!r} holds no document yet: give some", path=str(store.path)
            )  # fmt: skip
        self._generation = int(stored.settings["generation"])
        cut = stored.settings.get("cut")
        if cut == self.recipe.cut:
            self.library = Library(
                stored.documents, stored.passages, self.recipe.analyzer, store, generation=self._generation
            )
            self._notes = ()
        else:
            self.library = self.recipe.library(stored.documents)
            self._notes = (f"passages: the store's were cut with {cut}; they were cut anew with {self.recipe.cut}",)
        self.shelf = self.recipe.shelf(self.library, store=store)

    def _renew(self, store: Store) -> None:
        """Writes what opening had to work out anew, so that the next opening need not."""
        stale = self.recipe.wants("dense") and (store.without_vector() or self._other_model(store))
        if not self._notes and not (stale and self.shelf.dense is not None):
            return
        with suppress(Moved):  # what another process wrote meanwhile is taken up before the next change
            whole = self._whole(self.library, self.shelf)
            self._generation = store.write(whole, after=self._generation, progress=self.recipe.progress)

    def _other_model(self, store: Store) -> bool:
        embedder, passages = self.recipe.embedder, self.library.passages
        if embedder is None or not passages:
            return False
        try:
            return settled_identity(embedder, passages[0].text) != store.embedder()
        except Exception:  # noqa: BLE001 - an embedder that fails makes the lane unavailable, with its own words
            return False

    def _catch_up(self, store: Store) -> None:
        """Shows what another process wrote since."""
        if store.settings()["generation"] == self._generation:
            return
        before = self.shelf
        self._open(store)
        self.shelf = self.recipe.shelf(self.library, before=before, store=store)

    def _change(
        self, store: Store, built: Library, shelf: Shelf, changed: Sequence[Document], gone: tuple[str, ...]
    ) -> Change:
        ids = {d.id for d in changed}
        passages = [p for p in built.passages if p.document_id in ids]
        settings = store.settings()
        units = None
        if passages and self.recipe.wants("dense") and shelf.dense is not None:
            units = shelf.dense.units(passages)
        other_model = units is not None and settings.get("embedder") not in (None, _identity(shelf, self.recipe))
        if settings.get("cut") != self.recipe.cut or other_model:
            return self._whole(built, shelf)  # one store never holds passages or vectors of two makes
        distilled = None
        if self.recipe.wants("graph", "wiki"):
            drift = None if "drift" not in settings else settings["drift"] + len(changed) + len(gone)
            if drift is None or library.due(drift, len(built.documents), len(built.passages)):
                distilled = built.distilled
        uncounted = settings.get("uncounted", 0) + len(passages)
        renew = len(built.passages) <= library.AT_ONCE or uncounted > len(built.passages) // UNCOUNTED
        return Change(
            settings=self.recipe.settings(),
            gone=gone,
            documents=changed,
            passages=passages,
            nodes=[node for document in changed for node in outline(document)],
            every=built.passages,
            units=units,
            embedder=_identity(shelf, self.recipe) if units is not None else None,
            distilled=distilled,
            postings=self._postings(shelf) if renew else None,
        )

    def _whole(self, built: Library, shelf: Shelf) -> Change:
        recipe = self.recipe
        dense = shelf.dense if recipe.wants("dense") else None
        return Change(
            settings=recipe.settings(),
            documents=built.documents,
            passages=built.passages,
            nodes=built.nodes,
            every=built.passages,
            units=None if dense is None else dense.units(built.passages),
            embedder=_identity(shelf, recipe) if dense is not None else None,
            distilled=built.distilled if recipe.wants("graph", "wiki") else None,
            postings=self._postings(shelf),
            whole=True,
        )

    def _postings(self, shelf: Shelf) -> Any:
        index = shelf.lexical.index if self.recipe.wants("lexical") and shelf.lexical is not None else None
        return None if index is None else (self.recipe.analyzer.version, index.ascending, index.postings)


def _identity(shelf: Shelf, recipe: Recipe) -> str | None:
    return None if shelf.dense is None or recipe.embedder is None else recipe.embedder.identity
