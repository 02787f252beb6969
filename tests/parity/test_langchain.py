"""LangChain's EnsembleRetriever itself, asked; its order is ours. It shows no scores, so its own sums are read off its formula's inputs."""

from typing import Any

import pytest
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from tests.parity.cases import cases, named
from workbench import Config, Workbench, rrf
from workbench.formats import langchain_ensemble

pytestmark = pytest.mark.filterwarnings("ignore")


class Fixed(BaseRetriever):
    """Returns what it was given."""

    found: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self.found


def ensemble(lanes: Any, **settings: Any) -> EnsembleRetriever:
    return EnsembleRetriever(
        retrievers=[Fixed(found=[Document(page_content=id) for id, _ in lane]) for lane in lanes], **settings
    )


def test_200_random_ensembles_have_our_order() -> None:
    for rng, lanes in cases():
        weights = [rng.choice([0.5, 1.0, 0.3, 2.0]) for _ in lanes]
        c = rng.choice([60, 1, 10])
        theirs = [d.page_content for d in ensemble(lanes, weights=weights, c=c).invoke("q")]
        ours = rrf(named(lanes), dialect="langchain", k=c, weights=weights)
        assert theirs == list(ours.ids)


def test_default_weights_are_the_dialects() -> None:
    for _, lanes in cases():
        assert [d.page_content for d in ensemble(lanes).invoke("q")] == list(rrf(named(lanes), dialect="langchain").ids)


def test_the_scores_that_order_it_are_ours_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    # the ensemble hands its sums to sorted() alone: there they are seen
    import langchain_classic.retrievers.ensemble as module

    seen: list[float] = []

    def watched(items: Any, *, key: Any, reverse: bool) -> list[Any]:
        ranked = sorted(items, key=key, reverse=reverse)
        seen.extend(key(item) for item in ranked)
        return ranked

    monkeypatch.setattr(module, "sorted", watched, raising=False)
    for rng, lanes in cases():
        weights = [rng.choice([0.5, 1.0, 0.3, 2.0]) for _ in lanes]
        seen.clear()
        ensemble(lanes, weights=weights).invoke("q")
        assert seen == rrf(named(lanes), dialect="langchain", weights=weights).scores.tolist()


def test_an_ensemble_is_asked_and_explained_through_its_lanes() -> None:
    for _, lanes in list(cases(least=1))[:20]:
        given = ensemble(lanes, weights=[1 / len(lanes)] * len(lanes))
        ours, settings = langchain_ensemble(given)
        trace = Workbench.from_lanes(ours, config=Config(**settings)).retrieve("q")
        assert list(trace.fusion.ids) == [d.page_content for d in given.invoke("q")]
        assert len(ours) == len(lanes)


def test_F10_two_documents_with_one_text_are_one_to_an_ensemble_without_a_key() -> None:
    one, two = Document(page_content="same", metadata={"k": "1"}), Document(page_content="same", metadata={"k": "2"})
    both = [Fixed(found=[one]), Fixed(found=[two])]
    assert len(EnsembleRetriever(retrievers=both).invoke("q")) == 1
    lanes, settings = langchain_ensemble(EnsembleRetriever(retrievers=both, id_key="k"))
    trace = Workbench.from_lanes(lanes, config=Config(**settings)).retrieve("q")
    assert trace.fusion.ids == ("1", "2")
    assert trace.same_text("1") == ("2",)
