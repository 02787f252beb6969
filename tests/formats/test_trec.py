import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import refused
from workbench import Workbench, rrf, shipped
from workbench.formats import (
    check_ids,
    read_beir,
    read_msmarco_run,
    read_msmarco_texts,
    read_qrels,
    read_run,
    together,
    write_beir_qrels,
    write_qrels,
    write_run,
)
from workbench.records import Hit

RUN = "q1 Q0 b 1 2.5 bm25\nq1 Q0 a 2 2.5 bm25\nq1 Q0 c 3 1e-05 bm25\nq2 Q0 a 1 3.0 bm25\n"
ODD_IDS = ["001", "1e5", "NA", "null", "nan", "1.10", 'quo""te', "a,b;c", "café", "カタカナ", "#7", "-1"]


def file(tmp_path: Path, text: str | bytes, name: str = "run.trec") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def again(tmp_path: Path, raw: bytes, name: str = "run.trec") -> bytes:
    write_run(tmp_path / f"again-{name}", read_run(file(tmp_path, raw, name)))
    return (tmp_path / f"again-{name}").read_bytes()


def test_a_run_is_lanes_that_fusion_and_a_workbench_take_as_they_are(tmp_path: Path) -> None:
    run = read_run(file(tmp_path, RUN))
    assert list(run) == ["q1", "q2"]
    assert run["q1"]["bm25"].hits == (Hit("b", 1, 2.5), Hit("a", 2, 2.5), Hit("c", 3, 1e-05))
    assert rrf(run["q1"]).ids == ("b", "a", "c")
    bench = Workbench.from_lanes(run, queries={"q1": "first", "q2": "second"})
    assert bench.retrieve("second").order == ("a",)


def test_the_folder_of_a_run_changes_no_fingerprint_and_stands_in_no_trace(tmp_path: Path) -> None:
    prints = set()
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        trace = Workbench.from_lanes(read_run(file(tmp_path / folder, RUN))).retrieve("q1")
        assert str(tmp_path) not in json.dumps(trace.to_json())
        prints.add(trace.fingerprint())
    assert len(prints) == 1


def test_the_files_order_is_kept_and_its_tie_rule_is_said(tmp_path: Path) -> None:
    run = read_run(file(tmp_path, RUN))
    assert (
        run["q1"]["bm25"].about["ties"]
        == "2 rows with an equal score beside them stand in descending id, trec_eval's rule"
    )
    assert run.notes == (f"query 'q1', lane 'bm25': ties: {run['q1']['bm25'].about['ties']}",)
    turned = read_run(file(tmp_path, RUN.replace(" b 1 ", " A 1 ").replace("q1 Q0 c 3 1e-05", "q1 Q0 B 3 2.5")))
    assert "by neither ascending nor descending id" in turned.notes[0]


@pytest.mark.parametrize("name", ["lexical.trec", "dense.trec"])
def test_the_sample_runs_come_back_byte_for_byte(tmp_path: Path, name: str) -> None:
    raw = (shipped.folder("sample_data") / "runs" / name).read_bytes()
    assert again(tmp_path, raw) == raw


@pytest.mark.parametrize(
    "raw",
    [
        RUN.encode(),
        RUN.replace(" ", "\t").encode(),
        RUN.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + RUN.encode(),
        RUN.rstrip("\n").encode(),
        RUN.replace("\n", "\r\n").removesuffix("\r\n").encode(),
        b"q1 Q0 a 0 1.50 t\nq1 Q0 b 1 1.5E+0 t\nq1 Q0 c 2 +1 t\nq1 Q0 d 3 .5 t\n",
        b"q1  0  a   1  12.50 t\nq1  0  bb 10   3.25 t\n",
        b"q1 Q0 a 1 2 one\nq2 Q0 a 1 2 one\n",
        b"",
    ],
    ids=[
        "plain",
        "tabs",
        "crlf",
        "mark",
        "no last break",
        "crlf, no last break",
        "odd numbers",
        "aligned",
        "whole",
        "empty",
    ],
)
def test_a_well_formed_run_comes_back_byte_for_byte(tmp_path: Path, raw: bytes) -> None:
    assert again(tmp_path, raw) == raw


def test_a_packed_run_is_read_and_its_content_comes_back(tmp_path: Path) -> None:
    packed = again(tmp_path, gzip.compress(RUN.encode()), "run.trec.gz")
    assert gzip.decompress(packed) == RUN.encode()


@settings(deadline=None, max_examples=60)
@given(st.randoms(use_true_random=False))
def test_random_well_formed_runs_come_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, rng: random.Random
) -> None:
    separator, newline, base = rng.choice(" \t"), rng.choice(["\n", "\r\n"]), rng.choice([0, 1])
    lines = []
    for query in rng.sample(range(100), 3):
        numbers = [rng.choice([rng.uniform(-5, 40), 1.5, rng.uniform(0, 1e-8)]) for _ in range(rng.randint(1, 8))]
        printed = sorted(
            (rng.choice([repr, "{:.9f}".format, "{:.3E}".format])(n) for n in numbers), key=float, reverse=True
        )
        for rank, (id, score) in enumerate(zip(rng.sample(ODD_IDS, len(printed)), printed, strict=True), start=base):
            lines.append(separator.join((str(query), "Q0", id, str(rank), score, "tag")))
    raw = "".join(line + newline for line in lines).encode()
    assert again(tmp_path_factory.mktemp("runs"), raw) == raw


def test_a_changed_ranking_is_not_written_as_the_file_had_it(tmp_path: Path) -> None:
    run = read_run(file(tmp_path, "q1 Q0 a 1 1.50 t\nq1 Q0 b 2 1.00 t\n"))
    fused = rrf({"a": run["q1"]["t"], "b": ["b"]})
    write_run(tmp_path / "fused.trec", {"q1": fused}, tag="mine")
    assert (tmp_path / "fused.trec").read_text() == f"q1 Q0 b 1 {1 / 62 + 1 / 61!r} mine\nq1 Q0 a 2 {1 / 61!r} mine\n"


@pytest.mark.parametrize("first", [0, 1])
def test_ranks_begin_at_0_or_1(tmp_path: Path, first: int) -> None:
    lane = read_run(file(tmp_path, f"q Q0 a {first} 2 t\nq Q0 b {first + 1} 1 t\n"))["q"]["t"]
    assert [hit.rank for hit in lane.hits] == [1, 2]
    assert lane.about["rank_base"] == first


def test_gaps_in_the_rank_column_are_said(tmp_path: Path) -> None:
    run = read_run(file(tmp_path, "q Q0 a 1 2 t\nq Q0 b 5 1 t\n"))
    assert run.notes == ("query 'q', lane 't': the rank column jumps from 1 to 5",)


def test_D4_a_docno_with_commas_is_read(tmp_path: Path) -> None:
    assert read_run(file(tmp_path, "q Q0 a,b,c 1 2 t\n"))["q"]["t"].ids == ("a,b,c",)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q1 Q0 a 1 2.5", "holds 5 fields"),
        ("q1 Q0 a 1 2.5 t t", "holds 7 fields"),
        ("q1\t17\t1", "read_msmarco_run"),
        ("q1 0 a 2", "read_qrels"),
    ],
)
def test_D4_a_line_of_other_than_six_fields_is_refused_by_its_number(tmp_path: Path, line: str, said: str) -> None:
    with refused("malformed_line", "line 3 of", said):
        read_run(file(tmp_path, f"q1 Q0 x 1 3 t\n\n{line}\n"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q Q0 b one 2 t", "rank 'one'"),
        ("q Q0 b -1 2 t", "rank '-1'"),
        ("q Q0 b 1.5 2 t", "rank '1.5'"),
        ("q Q0 b 2 two t", "score 'two'"),
        ("q Q0 b 2 nan t", "score 'nan'"),
        ("q Q0 b 2 inf t", "score 'inf'"),
        ("q Q0 b 2 1,5 t", "decimal point"),
        ("q Q0 b 2 1_5 t", "score '1_5'"),
    ],
)
def test_an_unreadable_number_is_refused_by_its_line(tmp_path: Path, line: str, said: str) -> None:
    with refused("malformed_line", "line 2 of", said):
        read_run(file(tmp_path, f"q Q0 a 1 3 t\n{line}\n"))


def test_D3_the_same_docno_twice_for_a_query_is_refused_by_its_line(tmp_path: Path) -> None:
    with refused("repeated_id", "line 4 of", "'b'", "after line 1 of"):
        read_run(file(tmp_path, RUN.replace("q2 Q0 a 1 3.0", "q1 Q0 b 4 0.0")))


def test_scores_out_of_order_are_refused_by_the_line_and_read_on_request(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\nq Q0 c 3 2.0 t\n")
    with refused("contradiction", "line 2 of", "2.0 after 1.0", "better='lower'", "order='score'"):
        read_run(path)
    assert read_run(path, order="score")["q"]["t"].ids == ("c", "b", "a")  # trec_eval: ties by descending docno
    assert "trec_eval's rule" in read_run(path, order="score")["q"]["t"].about["order"]


def test_F14_distances_are_read_when_said_and_come_back_as_they_were(tmp_path: Path) -> None:
    raw = b"q Q0 a 1 0.25 t\nq Q0 b 2 0.5 t\n"
    run = read_run(file(tmp_path, raw), better="lower")
    assert [hit.score for hit in run["q"]["t"].hits] == [-0.25, -0.5]
    assert "negated" in run["q"]["t"].score_model
    notes = write_run(tmp_path / "again.trec", run)
    assert (tmp_path / "again.trec").read_bytes() == raw
    assert "upside down" in notes[0]


def test_a_rank_that_stands_twice_is_refused_by_its_line(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 a 1 2.0 t\nq Q0 b 1 1.0 t\n")
    with refused("contradiction", "line 2 of", "the rank of the one before it again", "order='score'"):
        read_run(path)
    with refused("contradiction", "line 2 of"):
        read_run(path, order="rank")
    assert read_run(path, order="score")["q"]["t"].ids == ("a", "b")


def test_ranks_against_the_files_order_are_refused_and_followed_on_request(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 b 2 1.0 t\nq Q0 a 1 2.0 t\n")
    with refused("contradiction", "line 2 of", "order='rank'"):
        read_run(path)
    assert read_run(path, order="rank")["q"]["t"].ids == ("a", "b")


def test_two_tags_in_one_file_ask_for_a_name(tmp_path: Path) -> None:
    path = file(tmp_path, "q1 Q0 a 1 2 one\nq2 Q0 a 1 2 two\n")
    with refused("contradiction", "'one', 'two'", "lane="):
        read_run(path)
    assert list(read_run(path, lane="both")["q2"]) == ["both"]


def test_lines_of_a_query_that_stand_apart_are_said(tmp_path: Path) -> None:
    run = read_run(file(tmp_path, "q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n"))
    assert run["q1"]["t"].ids == ("a", "b")
    assert "do not stand together" in run.notes[0]


def test_scores_a_millionth_apart_are_pointed_out(tmp_path: Path) -> None:
    run = read_run(file(tmp_path, "q Q0 a 1 2.000000 t\nq Q0 b 2 1.999999 t\nq Q0 c 3 1.0 t\n"))
    assert run.notes == (
        "1 scores lie 0.000001 below the one before: some programs part equal scores by such a step, so these may be ties",
    )


@pytest.mark.parametrize("raw", [b"q Q0 \xff 1 2 t\n"])
def test_what_is_not_utf8_is_refused_by_its_byte(tmp_path: Path, raw: bytes) -> None:
    with refused("not_utf8", "byte 5"):
        read_run(file(tmp_path, raw))


def test_a_file_that_is_not_there_or_not_packed_is_named(tmp_path: Path) -> None:
    with refused("missing_file", "nowhere"):
        read_run(tmp_path / "nowhere.trec")
    with refused("malformed_line", "cannot be unpacked"):
        read_run(file(tmp_path, RUN, "run.gz"))


def test_a_fused_tie_that_would_turn_round_in_trec_eval_is_said_and_can_be_frozen(tmp_path: Path) -> None:
    fused = rrf({"one": ["p"], "two": ["q"]})
    notes = write_run(tmp_path / "f.trec", {"q1": fused})
    assert "1 ties would turn round in trec_eval" in notes[0]
    assert write_run(tmp_path / "f.trec", {"q1": fused}, scores="rank") == ()
    assert (tmp_path / "f.trec").read_text() == "q1 Q0 p 1 2.0 rrf\nq1 Q0 q 2 1.0 rrf\n"


def test_scores_that_are_one_in_float32_are_said(tmp_path: Path) -> None:
    notes = write_run(tmp_path / "f.trec", {"q": [("a", 1 + 1e-9), ("b", 1.0)]})
    assert "equal in float32" in notes[0]
    assert write_run(tmp_path / "f.trec", {"q": [("a", 1 + 1e-6), ("b", 1.0)]}) == ()


def test_what_a_run_cannot_hold_is_refused(tmp_path: Path) -> None:
    with refused("missing_score", "'a'", "scores='rank'"):
        write_run(tmp_path / "x", {"q": ["a"]})
    with refused("malformed_line", "'a b'"):
        write_run(tmp_path / "x", {"q": [("a b", 1.0)]})
    with refused("unknown_id", "'one', 'two'"):
        write_run(tmp_path / "x", {"q": {"one": ["a"], "two": ["b"]}})


def test_runs_of_two_systems_become_the_lanes_of_one_workbench(tmp_path: Path) -> None:
    folder = shipped.folder("sample_data") / "runs"
    both = together(read_run(folder / "lexical.trec", lane="lexical"), read_run(folder / "dense.trec", lane="dense"))
    assert list(both["q001"]) == ["lexical", "dense"]
    with refused("repeated_id", "'lexical'"):
        together(both, read_run(folder / "lexical.trec", lane="lexical"))
    trace = Workbench.from_lanes(both).retrieve("q001")
    assert trace.fusion.ids == rrf(both["q001"]).ids


# ---------------------------------------------------------------- qrels


def test_D1_ids_keep_their_text_in_run_and_qrels(tmp_path: Path) -> None:
    write_run(tmp_path / "r", {id: [(each, 1.0) for each in sorted(ODD_IDS, reverse=True)] for id in ODD_IDS})
    assert set(read_run(tmp_path / "r").ids) == set(ODD_IDS)
    assert list(read_run(tmp_path / "r")) == ODD_IDS
    qrels = {query: {id: grade for grade, id in enumerate(ODD_IDS, start=-2)} for query in ODD_IDS}
    write_qrels(tmp_path / "q", qrels)
    assert read_qrels(tmp_path / "q") == qrels


def test_qrels_keep_negative_grades_and_take_any_iteration(tmp_path: Path) -> None:
    assert read_qrels(file(tmp_path, "q 0 a -2\r\nq Q0 b 3\r\n")) == {"q": {"a": -2, "b": 3}}


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("q 0 a 1\nq 0 a 2\n", "repeated_id", "line 2 of"),
        ("q 0 a 1\nq 0 b\n", "malformed_line", "line 2 of"),
        ("query-id\tcorpus-id\tscore\n", "malformed_line", "BEIR"),
        ("q 0 a 1.5\n", "malformed_line", "'1.5'"),
    ],
)
def test_bad_qrels_are_refused_by_their_line(tmp_path: Path, text: str, code: str, said: str) -> None:
    with refused(code, said):
        read_qrels(file(tmp_path, text))


def test_D2_a_run_and_qrels_that_share_no_id_are_found_out_first() -> None:
    run = {"1": {"a": read_ids([f"doc{n}.md" for n in range(50)])}}
    found = check_ids(run, {"1": {f"DOC{n}": 1 for n in range(50)}})
    assert found.sentence.startswith(
        "0 of 50 ids overlap; qrels look like 'DOC0', 'DOC1', 'DOC10', the run's like 'doc0.md'"
    )
    found = check_ids(run, {"1": {f"doc{n}": 1 for n in range(50)}})
    assert found.hints == ("Without a suffix such as .md 50 of 50 ids would overlap.",)


def test_D2_queries_that_no_judgement_knows_come_before_anything_else() -> None:
    found = check_ids({"q001": {"a": read_ids(["x"])}}, {"1": {"x": 1}})
    assert found.sentence.startswith("0 of 1 queries overlap; qrels look like '1', the run's like 'q001'.")
    assert (found.shared_queries, found.shared_ids, found.unjudged_queries) == (0, 1, ("q001",))


def test_D2_leading_zeros_blanks_and_unicode_forms_are_pointed_at() -> None:
    found = check_ids({"q": {"a": read_ids(["007", "x ", "cafe\u0301"])}}, {"q": {"7": 1, "x": 0, "café": 0}})
    assert len(found.hints) == 3
    assert check_ids({"q": {"a": read_ids(["7"])}}, {"q": {"7": 0}, "r": {"a": 0}}).hopeless_queries == ("q", "r")
    assert check_ids({"q": {"a": read_ids(["7"])}}, {"q": {"7": 1}}).sentence == "1 of 1 ids overlap."


def read_ids(ids: list[str]):  # type: ignore[no-untyped-def]
    from workbench.lanes.given import GivenLane

    return GivenLane("a", ids).search("q", 1000)


# ---------------------------------------------------------------- BEIR and MS MARCO


def test_beir_judgements_come_back(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "001", "title": "", "text": "t"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "1e5", "text": "q"}\n')
    write_beir_qrels(tmp_path / "qrels" / "test.tsv", {"1e5": {"001": 2}})
    documents, queries, qrels = read_beir(tmp_path)
    assert (documents[0].id, queries, qrels) == ("001", {"1e5": "q"}, {"1e5": {"001": 2}})
    with refused("malformed_line", "tab"):
        write_beir_qrels(tmp_path / "x", {"q": {"a\tb": 1}})


def test_a_run_of_three_columns_ranks_without_scores(tmp_path: Path) -> None:
    run = read_msmarco_run(file(tmp_path, "1048585\t7187158\t1\n1048585\t7617404\t2\n"))
    assert run["1048585"]["msmarco"].hits == (Hit("7187158", 1), Hit("7617404", 2))
    assert rrf(run["1048585"]).scores.tolist() == [1 / 61, 1 / 62]
    with refused("malformed_line", "line 1 of"):
        read_msmarco_run(file(tmp_path, "1048585 7187158 1\n"))


def test_quotes_and_hashes_are_text_in_a_collection(tmp_path: Path) -> None:
    path = file(tmp_path, 'm#1\tsaid "yes\tno"\nm#2\t\n')
    assert read_msmarco_texts(path) == {"m#1": 'said "yes\tno"', "m#2": ""}
    with refused("malformed_line", "line 2 of", "again"):
        read_msmarco_texts(file(tmp_path, "a\tx\na\ty\n"))
