"""Analyzers: terms, spans, scripts, identifiers."""

import json
import pickle
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench.kernels.analysis import Token, analyzer
from workbench.kernels.folding import fold, folded
from workbench.kernels.stopwords import SEED

NAMES = ("english", "plain", "code", "ascii")
CONFORMANCE = Path(__file__).parents[1] / "conformance"
# what scripts, folding and identifiers are made of
ALPHABET = "aBzé\u0301ßſĳﬁ½㎏㍿™İKσςΣ東京タｶﾞ한국ᄒ\u1161\u11abที่นำक\u093fдЖ7٣_-'’.,+#()\u00ad\u200d\ufe0f 😀\n"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=40) | st.text(max_size=30)


def test_A16_the_code_analyzer_gives_an_identifier_and_its_parts() -> None:
    cases = json.loads((CONFORMANCE / "bm25.json").read_text(encoding="utf-8"))["cases"]
    seed = next(case for case in cases if case["name"] == "Algenta seed")
    code = analyzer("code")
    assert [list(code.terms(text)) for text in seed["texts"].values()] == seed["documents"]
    assert list(code.terms(seed["query_text"])) == seed["query"]


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("getUserById", "getuserbyid get user by id"),
        ("get_user_by_id", "get_user_by_id get user by id"),
        ("parseHTTPResponse", "parsehttpresponse parse http response"),
        ("HTML5Parser", "html5parser html5 parser"),
        ("__init__", "__init__ init"),
        ("ERR_RATE", "err_rate err rate"),
        ("2FA 3D", "2fa 3d"),
        ("x = f('a')", "x f a"),
        ("___", ""),
    ],
)
def test_identifiers_keep_their_parts_even_where_a_part_is_a_stop_word(written: str, terms: str) -> None:
    assert analyzer("code").terms(written) == tuple(terms.split())


def test_prose_splits_identifiers_but_leaves_names_like_JavaScript_whole() -> None:
    assert analyzer("plain").terms("parse_query getUserById JavaScript iPhone") == (
        *("parse_query", "parse", "query"),
        *("getuserbyid", "get", "user", "by", "id"),
        *("javascript", "iphone"),
    )


@pytest.mark.parametrize("name", ["english", "plain", "code"])
def test_T1_text_in_any_script_is_found(name: str) -> None:
    terms = analyzer(name).terms
    assert terms("café") == terms("cafe\u0301") == terms("CAFÉ") != terms("cafe")
    assert terms("東京タワー") == ("東京", "京タ", "タワ", "ワー")
    assert set(terms("한국어 검색")) <= set(terms("한국어를 검색하다"))
    assert terms("Straße") == terms("STRASSE")
    assert terms("C++ and C#") == ("c++", "c#")
    assert terms("7") == ("7",)
    assert terms("3.5") == ("3.5",)
    assert terms("नमस्ते") == ("नमस्ते",)
    assert terms("東") == ("東",)
    assert terms("JR東日本 第3章") == ("jr", "東日", "日本", "第", "3", "章")
    assert terms("สวัสดี") == ("สวั", "วัส", "สดี")
    assert terms("Ｃ１２ ｶﾞｷﾞ ﬁnd 5㎏") == ("c12", "ガギ", "find", "5kg")


def test_a_trademark_sign_does_not_become_letters_of_the_word() -> None:
    assert analyzer("plain").terms("Lantern™") == ("lantern",)


def test_english_words_are_stemmed_and_numbers_and_identifiers_are_not() -> None:
    english = analyzer("english")
    assert english.terms("queries query Querying") == ("queri",) * 3
    assert english.terms("v1.2.3 B2.1 49,000.50 2031") == ("v1.2.3", "b2.1", "49000.50", "2031")
    assert english.terms("max_retries") == ("max_retries", "max", "retri")
    assert english.terms("the tenant's notice, tenants’ notices") == ("tenant", "notic", "tenant", "notic")


def test_stop_words_are_marked_and_stay_among_the_tokens() -> None:
    tokens = analyzer("english").tokens("The cat isn’t in U.S. law")
    assert [(t.term, t.stop) for t in tokens] == [
        *(("the", True), ("cat", False), ("isn't", True), ("in", True), ("us", False), ("law", False))
    ]
    assert analyzer("english").terms("it gave us a lift") == ("gave", "lift")


def test_an_elided_article_is_a_token_of_its_own() -> None:
    assert analyzer("plain").tokens("l'eau") == (Token("l", 0, 2, True), Token("eau", 2, 5, False))


def test_ascii_reads_as_rerankgate_does() -> None:
    ascii_ = analyzer("ascii")
    assert [t.term for t in ascii_.tokens("Don't re-rank Zürich's 3.5%")] == [
        *("don", "t", "re", "rank", "z", "rich", "s", "3", "5")
    ]
    assert ascii_.terms("The end of it, should you don t") == ("end",)
    assert all(token.stop for token in ascii_.tokens(" ".join(sorted(SEED))))
    assert [(t.term, t.start, t.end) for t in ascii_.tokens("İz\u212a")] == [("i", 0, 1), ("zk", 1, 3)]


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS)
@settings(deadline=None, max_examples=300)
def test_spans_slice_to_text_that_gives_the_term(name: str, text: str) -> None:
    here = analyzer(name)
    for term, start, end, _ in here.tokens(text):
        assert 0 <= start < end <= len(text)
        written = text[start:end]
        assert term in {t.term for t in here.tokens(written)} or term in fold(written) or term in fold(written).lower()


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS)
@settings(deadline=None, max_examples=200)
def test_terms_are_the_tokens_that_are_no_stop_words(name: str, text: str) -> None:
    here = analyzer(name)
    tokens = here.tokens(text)
    assert here.terms(text) == tuple(t.term for t in tokens if not t.stop)
    assert all(t.term for t in tokens)
    assert [t.start for t in tokens if name == "ascii"] == sorted(t.start for t in tokens if name == "ascii")


@given(text=TEXTS)
@settings(deadline=None, max_examples=300)
def test_composed_and_decomposed_text_give_the_same_terms(text: str) -> None:
    for name in ("english", "plain", "code"):
        terms = analyzer(name).terms
        assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@given(text=TEXTS)
@settings(deadline=None, max_examples=300)
def test_folding_by_pieces_is_folding_the_whole(text: str) -> None:
    pieces = folded(text)
    assert pieces.text == fold(text)
    assert len(pieces.starts) == len(pieces.ends) == len(pieces.text)


def test_an_analyzer_is_one_object_a_name_and_survives_a_process_pool() -> None:
    assert analyzer("english") is analyzer("english")
    assert pickle.loads(pickle.dumps(analyzer("code"))) is analyzer("code")
    assert "snowballstemmer" in analyzer("english").version
    assert len({analyzer(name).version for name in NAMES}) == len(NAMES)


def test_an_unknown_analyzer_is_refused_with_the_known_ones() -> None:
    with refused("unknown_analyzer", "'englsh'", "english, plain, code, ascii"):
        analyzer("englsh")
