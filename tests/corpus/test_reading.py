"""Documents from folders, JSON Lines, CSV, frames and BEIR collections: the text that is there, or a refusal that says where."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from tests.helpers import refused
from workbench.corpus.reading import read_beir, read_csv, read_folder, read_frame, read_jsonl
from workbench.records import Document

# what a reader that guesses types would change
AWKWARD = ("001", "1e5", "NA", "null", "nan", "1.10", 'quo"te', "a,b", " x ", "TRUE")


def test_a_folder_is_read_in_order_of_path_with_titles_and_front_matter(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "b" / "two.markdown").write_text("no heading", encoding="utf-8")
    (tmp_path / "Z.txt").write_text("plain", encoding="utf-8")
    (tmp_path / "a.md").write_text("\ufeff---\nauthor: 'Ann'\nyear: 2031\n---\n# The *first*\n", encoding="utf-8")
    (tmp_path / "c.md").write_text("---\ntags: [a, b]\n---\ntext", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    for passed_over in (".hidden.md", ".git/x.md", "image.png"):
        (tmp_path / passed_over).write_text("no", encoding="utf-8")
    documents = read_folder(tmp_path)
    assert [(d.id, d.title) for d in documents] == [
        *(("Z.txt", "Z"), ("a.md", "The first"), ("b/two.markdown", "two"), ("c.md", "c"), ("empty.txt", "empty"))
    ]
    assert documents[1] == Document("a.md", "# The *first*\n", "The first", {"author": "Ann", "year": "2031"})
    assert documents[3].text.startswith("---\ntags: [a, b]")
    assert documents[3].metadata == {}


def test_B4_a_folder_without_text_is_nothing_to_search(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89")
    with refused("nothing_to_search", str(tmp_path), ".md"):
        read_folder(tmp_path)
    with refused("missing_file", "nowhere"):
        read_folder(tmp_path / "nowhere")
    with refused("missing_file", "is a file"):
        read_folder(tmp_path / "picture.png")


def test_a_file_that_is_not_utf8_is_named_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("caf\xe9 au lait".encode("latin-1"))
    with refused("not_utf8", "latin.txt", "byte 3", "0xe9") as caught:
        read_folder(tmp_path)
    assert caught.value.facts["byte"] == 3


def test_jsonl_takes_both_spellings_of_id_and_keeps_what_else_is_there(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text(
        '\ufeff{"_id": "001", "title": "T", "text": "a\u2028b", "metadata": {"year": 2031}, "lang": "en"}\r\n\n'
        '{"id": "1", "text": ""}\n',
        encoding="utf-8",
    )
    assert read_jsonl(file) == (
        Document("001", "a\u2028b", "T", {"year": 2031, "lang": "en"}),
        Document("1", ""),
    )


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("{'id': 1}", "malformed_line", "line 2"),
        ("[1]", "malformed_line", "list"),
        ('{"id": "b"}', "malformed_line", "no text"),
        ('{"id": "b", "text": null}', "malformed_line", "text None"),
        ('{"id": "b", "text": "t", "metadata": 3}', "malformed_line", "metadata 3"),
        ('{"id": "b", "text": "t", "score": NaN}', "malformed_line", "NaN"),
        ('{"id": "b", "_id": "c", "text": "t"}', "malformed_line", "two ids"),
        ('{"id": "b", "text": "t", "y": 1, "metadata": {"y": 2}}', "malformed_line", "y twice"),
        ('{"text": "t"}', "missing_id", "line 2"),
        ('{"id": 7, "text": "t"}', "id_not_text", "'7'"),
        ('{"id": "a", "text": "t"}', "repeated_id", "line 1"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, line: str, code: str, said: str) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text('{"id": "a", "text": "t"}\n' + line, encoding="utf-8")
    with refused(code, "line 2", said):
        read_jsonl(file)


def test_an_empty_jsonl_is_nothing_to_search(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text("\n", encoding="utf-8")
    with refused("nothing_to_search", "d.jsonl"):
        read_jsonl(tmp_path / "d.jsonl")


def test_D1_ids_and_cells_of_a_csv_come_back_as_the_text_they_are(tmp_path: Path) -> None:
    file = tmp_path / "d.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "text", "note"])
        writer.writerows([awkward, f"{awkward}\nsecond line", awkward] for awkward in AWKWARD)
    documents = read_csv(file)
    assert tuple(d.id for d in documents) == AWKWARD
    assert all(d.text == f"{d.id}\nsecond line" and d.metadata == {"note": d.id} for d in documents)


def test_a_csv_with_its_own_names_and_a_field_longer_than_the_csv_module_reads(tmp_path: Path) -> None:
    long = "word " * 40_000
    limit = csv.field_size_limit()
    (tmp_path / "d.csv").write_text(f'\ufeffkey,head,body\n1,H,"{long}"\n', encoding="utf-8")
    (document,) = read_csv(tmp_path / "d.csv", id_column="key", text_column="body", title_column="head")
    assert document == Document("1", long, "H")
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        ("key,text\n1,t\n", "missing_column", "'key', 'text'"),
        ("", "missing_column", "none"),
        ("id,text\n", "nothing_to_search", "no row"),
        ("id,text\na,t\nb,t,u\n", "malformed_line", "line 3"),
        ('id,text\na,"t\nt"\nb,"t\n', "malformed_line", "line 4"),
        ("id,text,text\na,t,u\n", "malformed_line", "'text' twice"),
        ('id,text\na,"t\nt"\na,t\n', "repeated_id", "line 2"),
        ("id,text\n,t\n", "missing_id", "line 2"),
    ],
)
def test_a_bad_csv_is_refused_and_the_place_named(tmp_path: Path, content: str, code: str, said: str) -> None:
    (tmp_path / "d.csv").write_text(content, encoding="utf-8")
    with refused(code, said):
        read_csv(tmp_path / "d.csv")


@pytest.mark.parametrize("dtype", [object, "string", "str", "category"])
def test_E2_a_frame_of_any_string_dtype_is_read(dtype: object) -> None:
    frame = pd.DataFrame({"id": list(AWKWARD), "text": list(AWKWARD), "note": ["x", None, *AWKWARD[2:]]}).astype(dtype)
    documents = read_frame(frame)
    assert tuple(d.id for d in documents) == tuple(d.text for d in documents) == AWKWARD
    assert documents[0].metadata == {"note": "x"}
    assert documents[1].metadata == {}


def test_missing_cells_are_absent_and_numbers_and_dates_are_plain() -> None:
    frame = pd.DataFrame(
        {
            "key": ["a", "b"],
            "body": ["t", None],
            "head": [None, "H"],
            "n": [1, 2],
            "x": [1.5, float("nan")],
            "day": [pd.Timestamp("2031-02-03"), pd.NaT],
        }
    )
    assert read_frame(frame, id_column="key", text_column="body", title_column="head") == (
        Document("a", "t", "", {"n": 1, "x": 1.5, "day": "2031-02-03T00:00:00"}),
        Document("b", "", "H", {"n": 2}),
    )


def test_a_frame_that_cannot_be_read_says_what_to_do() -> None:
    with refused("id_not_text", "row 1", ".astype(str)"):
        read_frame(pd.DataFrame({"id": [1, 2], "text": ["a", "b"]}))
    with refused("missing_id", "row 2"):
        read_frame(pd.DataFrame({"id": ["a", None], "text": ["a", "b"]}))
    with refused("repeated_id", "row 1", "row 2", "'a'"):
        read_frame(pd.DataFrame({"id": ["a", "a"], "text": ["a", "b"]}))
    with refused("missing_column", "'text'", "'body'"):
        read_frame(pd.DataFrame({"id": ["a"], "body": ["a"]}))
    with refused("wrong_type", "text of 'a'"):
        read_frame(pd.DataFrame({"id": ["a"], "text": [3]}))
    with refused("wrong_type", "list"):
        read_frame([{"id": "a"}])
    with refused("nothing_to_search"):
        read_frame(pd.DataFrame({"id": [], "text": []}))


def _beir(root: Path, qrels: str = "query-id\tcorpus-id\tscore\n01\tNA\t2\n01\t1e5\t0\n") -> Path:
    (root / "qrels").mkdir()
    rows = [{"_id": "NA", "title": "T", "text": "t"}, {"_id": "1e5", "text": "u"}]
    (root / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (root / "queries.jsonl").write_text('{"_id": "01", "text": "q"}\n', encoding="utf-8")
    (root / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return root


def test_beir_keeps_ids_as_text_with_and_without_a_header(tmp_path: Path) -> None:
    documents, queries, qrels = read_beir(_beir(tmp_path))
    assert [d.id for d in documents] == ["NA", "1e5"]
    assert queries == {"01": "q"}
    assert qrels == {"01": {"NA": 2, "1e5": 0}}
    (tmp_path / "qrels" / "dev.tsv").write_text("01\tNA\t1\r\n", encoding="utf-8")
    assert read_beir(tmp_path, split="dev")[2] == {"01": {"NA": 1}}


@pytest.mark.parametrize("missing", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_beir_with_a_missing_file_names_it(tmp_path: Path, missing: str) -> None:
    (_beir(tmp_path) / missing).unlink()
    with refused("missing_file", missing):
        read_beir(tmp_path)
    with refused("missing_file", "elsewhere"):
        read_beir(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    ("qrels", "code", "said"),
    [
        ("query-id\tcorpus-id\tscore\n01 NA 1\n", "malformed_line", "line 2"),
        ("01\tNA\t1\n01\t1e5\thigh\n", "malformed_line", "'high'"),
        ("01\tNA\t1\n01\tNA\t0\n", "repeated_id", "line 2"),
    ],
)
def test_D3_a_bad_line_of_the_qrels_is_named(tmp_path: Path, qrels: str, code: str, said: str) -> None:
    with refused(code, said):
        read_beir(_beir(tmp_path, qrels))
