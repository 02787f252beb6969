"""R5: a cross-encoder in this process, with a tiny real model that the test builds."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import refused
from tests.pipeline.corpus import DOCUMENTS
from workbench import BackendUnavailable, Workbench
from workbench.models.cross_encoder import CrossEncoderReranker, sigmoid
from workbench.models.rerankers import Candidate

installed = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra [cross-encoder]"
)
CANDIDATES = [
    Candidate("a", "the lease ends", 0.3),
    Candidate("b", "one cat", 0.2),
    Candidate("c", "notice by mail", 0.1),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A two-layer BERT with one label and random weights, saved as any model is."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-encoder")
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *["the", "lease", "ends", "one", "cat", "notice", "by", "mail", "written", "of", "end"],
    ]
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(vocab=str(vocabulary)).save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, num_labels=1
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


@installed
def test_R5_scores_are_the_sigmoid_of_the_models_logits(model: str) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    scored = CrossEncoderReranker(model).rerank("written notice", CANDIDATES)
    tokenizer = AutoTokenizer.from_pretrained(model)
    encoded = tokenizer([["written notice", c.text] for c in CANDIDATES], padding=True, return_tensors="pt")
    with torch.no_grad():
        logits = AutoModelForSequenceClassification.from_pretrained(model)(**encoded).logits.squeeze(1).tolist()
    assert [id for id, _ in scored] == ["a", "b", "c"]
    assert len(set(logits)) == 3
    assert [score for _, score in scored] == pytest.approx([sigmoid(logit) for logit in logits], rel=1e-5)


@installed
def test_R5_in_a_workbench_it_orders_the_head_and_names_its_score_model(model: str) -> None:
    ours = CrossEncoderReranker(model)
    trace = Workbench(DOCUMENTS, reranker=ours).retrieve("written notice of the end", 3)
    scores = dict(
        ours.rerank("written notice of the end", [Candidate(id, p.text, 0) for id, p in trace.passages.items()])
    )
    assert list(trace.reranking.scores) == sorted(trace.reranking.scores, reverse=True)
    assert trace.reranking.scores == pytest.approx([scores[id] for id in trace.reranking.ids], rel=1e-5)
    assert trace.reranking.name == "cross-encoder"
    assert trace.reranking.score_model.startswith("sigmoid(logit,tiny-encoder")


@installed
def test_R5_a_loaded_model_serves_too_and_no_candidates_ask_nothing(model: str) -> None:
    from sentence_transformers import CrossEncoder

    assert CrossEncoderReranker(CrossEncoder(model)).rerank("q", CANDIDATES) == CrossEncoderReranker(model).rerank(
        "q", CANDIDATES
    )
    assert CrossEncoderReranker(model).rerank("q", []) == []


@installed
def test_R5_a_model_that_is_not_there_is_a_named_error_and_nothing_is_fetched(tmp_path: Path) -> None:
    with refused("model_failed", "nowhere", "give the folder of a model"):
        CrossEncoderReranker(str(tmp_path / "nowhere"))


@installed
def test_R5_a_model_with_several_labels_is_refused(model: str, tmp_path: Path) -> None:
    from transformers import AutoConfig, AutoTokenizer, BertForSequenceClassification

    config = AutoConfig.from_pretrained(model)
    config.num_labels = 3
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(model).save_pretrained(tmp_path)
    with refused("model_failed", "3 labels"):
        CrossEncoderReranker(str(tmp_path))


def test_R5_the_error_names_the_package_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as where it was never installed
    with pytest.raises(BackendUnavailable) as caught:
        CrossEncoderReranker("any")
    assert (caught.value.missing, caught.value.verb) == (("sentence-transformers",), "rerank")
    assert "sentence-transformers" in caught.value.message


@pytest.mark.parametrize(("logit", "value"), [(0.0, 0.5), (1000.0, 1.0), (-1000.0, 0.0), (-1.0, 0.2689414213699951)])
def test_R5_the_sigmoid_overflows_at_neither_end(logit: float, value: float) -> None:
    assert sigmoid(logit) == value


def test_R5_anything_without_predict_is_refused() -> None:
    other: Any = object()
    with refused("model_failed", "'object'"):
        CrossEncoderReranker(other)
