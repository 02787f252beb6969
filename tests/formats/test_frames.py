from pathlib import Path

import pandas as pd
import pytest

from tests.helpers import refused
from workbench import Workbench, rrf
from workbench.formats import read_frame, read_lanes, read_scores, to_frame, to_scores, together, write_lanes
from workbench.records import Hit

ODD_IDS = ["001", "1e5", "NA", "null", "nan", "1.10", 'quo""te', "a,b", " lead", "1-2"]


@pytest.mark.parametrize("base", [0, 1])
def test_pyterriers_names_and_ranks_are_read(base: int) -> None:
    frame = pd.DataFrame(
        {
            "qid": ["1", "1"],
            "query": ["w", "w"],
            "docid": [7, 3],
            "docno": ["b", "a"],
            "score": [1.0, 2.0],
            "rank": [base + 1, base],
        }
    )
    found = read_frame(frame, lane="bm25")
    assert found["1"]["bm25"].hits == (Hit("a", 1, 2.0), Hit("b", 2, 1.0))
    assert found.queries == {"1": "w"}
    assert Workbench.from_lanes(found).retrieve("w").order == ("a", "b")


@pytest.mark.parametrize("names", [("query", "doc_id"), ("query_id", "doc_id"), ("q_id", "doc_id")])
def test_plain_names_keep_the_order_of_the_rows(names: tuple[str, str]) -> None:
    frame = pd.DataFrame({names[0]: ["q", "q"], names[1]: ["b", "a"], "score": [2.0, 2.0]})
    assert rrf(read_frame(frame)["q"]).ids == ("b", "a")


def test_E2_every_string_dtype_is_read() -> None:
    for dtype in ("object", "str", "string"):
        frame = pd.DataFrame(
            {
                "qid": pd.Series(["1"], dtype=dtype),
                "docno": pd.Series(["NA"], dtype=dtype),
                "score": pd.Series([1], dtype="Int64"),
                "rank": [0],
            }
        )
        assert read_frame(frame)["1"]["frame"].hits == (Hit("NA", 1, 1.0),)


def test_several_lanes_come_in_one_frame_and_go_out_again() -> None:
    frame = pd.DataFrame(
        {
            "qid": ["1"] * 3,
            "lane": ["x", "y", "x"],
            "docno": ["a", "a", "b"],
            "score": [2.0, 9.0, 1.0],
            "rank": [0, 0, 1],
        }
    )
    found = read_frame(frame)
    assert {name: lane.ids for name, lane in found["1"].items()} == {"x": ("a", "b"), "y": ("a",)}
    out = to_frame(found)
    assert out.to_dict("records") == frame.sort_values("lane", kind="stable")[
        ["qid", "lane", "docno", "score", "rank"]
    ].to_dict("records")
    assert list(to_frame(found, style="plain").columns) == ["query", "lane", "doc_id", "score"]
    assert read_frame(out) == found


def test_F14_distances_in_a_frame_are_read_when_said() -> None:
    frame = pd.DataFrame({"query": ["q", "q"], "doc_id": ["a", "b"], "score": [0.1, 0.2]})
    with refused("contradiction", "row 2 of the frame", "better='lower'"):
        read_frame(frame)
    found = read_frame(frame, better="lower")
    assert [hit.score for hit in found["q"]["frame"].hits] == [-0.1, -0.2]
    assert to_frame(found, style="plain")["score"].tolist() == [0.1, 0.2]


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"docno": [1, 2]}, "id_not_text", "row 1 of the frame has the docno 1"),
        ({"docno": ["a", None]}, "missing_id", "row 2 of the frame"),
        ({"docno": ["a", "a"]}, "repeated_id", "row 2 of the frame"),
        ({"rank": [0, 0]}, "contradiction", "row 2 of the frame"),
        ({"rank": [0.5, 1]}, "malformed_line", "0.5"),
        ({"rank": [-1, 0]}, "malformed_line", "-1"),
        ({"score": [2.0, float("inf")]}, "not_finite", "row 2 of the frame"),
        ({"score": [1.0, 2.0]}, "contradiction", "2.0 after 1.0"),
        ({"score": ["2", "1"]}, "wrong_type", "'2'"),
    ],
)
def test_bad_rows_are_refused_by_name(change: dict, code: str, said: str) -> None:
    with refused(code, said):
        read_frame(
            pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.0, 1.0], "rank": [0, 1], **change})
        )


def test_missing_columns_name_what_there_is() -> None:
    with refused("missing_column", "'id'"):
        read_frame(pd.DataFrame({"qid": ["q"], "id": ["a"], "score": [1.0]}))
    with refused("missing_column", "'docno'"):
        read_frame(pd.DataFrame({"qid": ["q"], "docno": ["a"]}))
    with refused("wrong_type", "list"):
        read_frame([])


def test_D1_ids_keep_their_text_in_csv(tmp_path: Path) -> None:
    rows = [(id, float(len(ODD_IDS) - place)) for place, id in enumerate(ODD_IDS)]
    frame = pd.DataFrame(
        {
            "query": [q for q in ODD_IDS for _ in rows],
            "doc_id": [id for _ in ODD_IDS for id, _ in rows],
            "score": [s for _ in ODD_IDS for _, s in rows],
        }
    )
    found = read_frame(frame)
    write_lanes(tmp_path / "lanes.csv", found)
    again = read_lanes(tmp_path / "lanes.csv")
    assert {q: again[q]["frame"].hits for q in again} == {q: found[q]["frame"].hits for q in found}
    assert list(again) == ODD_IDS


def table(tmp_path: Path, text: str, name: str = "lanes.csv") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8-sig")
    return tmp_path / name


def test_a_table_of_lanes_is_read_with_its_mark_and_its_holes(tmp_path: Path) -> None:
    found = read_lanes(table(tmp_path, "query_id,lane,doc_id,rank,score\r\nq,x,a,1,0.5\r\nq,y,b,1,\r\nq,x,b,2,\r\n"))
    assert found["q"]["x"].hits == (Hit("a", 1, 0.5), Hit("b", 2))
    assert found["q"]["y"].hits == (Hit("b", 1),)


def test_json_lines_are_read_alike(tmp_path: Path) -> None:
    found = read_lanes(
        table(tmp_path, '{"query_id": "q", "lane": "x", "doc_id": "001", "score": 1e-7}\n', "lanes.jsonl")
    )
    assert found["q"]["x"].hits == (Hit("001", 1, 1e-7),)
    with refused("id_not_text", "line 1 of", "has the id 1"):
        read_lanes(table(tmp_path, '{"query_id": "q", "doc_id": 1, "score": 2}\n', "lanes.jsonl"))


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("query_id,doc_id,score\nq,a,1,5\n", "malformed_line", "line 2 of"),
        ('query_id,doc_id,score\nq,a,"1,234.5"\n', "malformed_line", "thousands separator"),
        ("query_id,doc,score\nq,a,1\n", "unknown_parameter", "did you mean 'doc_id'"),
        ("query_id,doc_id\nq,a\n", "missing_column", "neither 'rank' nor 'score'"),
        ("query_id,score\nq,1\n", "missing_column", "'doc_id'"),
        ("query_id,doc_id,score\nq,a,2\nq,a,1\n", "repeated_id", "line 3 of"),
        ('query_id,doc_id,score\nq,"a,2\n', "malformed_line", "is no CSV"),
    ],
)
def test_bad_tables_are_refused_by_their_line(tmp_path: Path, text: str, code: str, said: str) -> None:
    with refused(code, said):
        read_lanes(table(tmp_path, text))


def test_ids_that_a_spreadsheet_rewrote_are_pointed_out(tmp_path: Path) -> None:
    assert "1.00E+05" in read_lanes(table(tmp_path, "query_id,doc_id,score\nq,1.00E+05,1\n")).notes[0]


def test_two_wordings_of_one_query_do_not_go_together() -> None:
    def frame(words: str, lane: str):  # type: ignore[no-untyped-def]
        return read_frame(pd.DataFrame({"qid": ["1"], "query": [words], "docno": ["a"], "score": [1.0]}), lane=lane)

    assert together(frame("w", "x"), frame("w", "y")).queries == {"1": "w"}
    with refused("contradiction", "'w'", "'v'"):
        together(frame("w", "x"), frame("v", "y"))


# ---------------------------------------------------------------- mappings of scores


def test_a_mapping_of_scores_is_read_as_trec_eval_reads_it() -> None:
    found = read_scores({"q": {"dA": 1.0, "dB": 1.0, "dC": 2.0}})
    assert found["q"]["run"].ids == ("dC", "dB", "dA")
    assert to_scores(found) == {"q": {"dC": 3.0, "dB": 2.0, "dA": 1.0}}
    assert to_scores(found, scores="own") == {"q": {"dC": 2.0, "dB": 1.0, "dA": 1.0}}


def test_numbers_as_ids_and_nan_are_refused_in_a_mapping() -> None:
    with refused("id_not_text", "document 7"):
        read_scores({"q": {7: 1.0}})  # type: ignore[dict-item]
    with refused("not_finite", "'a'"):
        read_scores({"q": {"a": float("nan")}})


def test_own_scores_that_other_programs_would_order_otherwise_are_refused() -> None:
    with refused("contradiction", "turn round in trec_eval"):
        to_scores({"q": [("a", 1.0), ("b", 1.0)]}, scores="own")
    with refused("contradiction", "float32"):
        to_scores({"q": [("a", 1 + 1e-9), ("b", 1.0)]}, scores="own")


def test_E1_hit_rate_recall_precision_and_reciprocal_rank_are_four_things() -> None:
    from ir_measures import RR, P, R, Success, calc_aggregate

    run = to_scores({"q": ["a", "x", "b"]})
    found = calc_aggregate([Success @ 3, R @ 3, P @ 3, RR], {"q": dict.fromkeys("abcd", 1)}, run)
    assert {str(measure): round(value, 3) for measure, value in found.items()} == {
        "Success@3": 1.0,
        "R@3": 0.5,
        "P@3": 0.667,
        "RR": 1.0,
    }


def test_ids_that_look_alike_and_are_two_are_said() -> None:
    assert "look alike and are two" in read_scores({"q": {"café": 2.0, "cafe\u0301": 1.0}}).notes[0]
    assert "'a' and 'a '" in read_scores({"q": {"a": 2.0, "a ": 1.0}}).notes[0]
