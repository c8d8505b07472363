"""The common run of answers on the embedded model: every system, a kill in the middle, audits, splits, bad files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.answers.systems import SYSTEMS, SystemContext, fitted, last_words
from chatmem.eval.datasets.cases import Conversation, in_split, locomo_cases, long_cases, msc_cases
from chatmem.eval.datasets.locomo import load_locomo
from chatmem.eval.datasets.longmemeval import load_longmemeval
from chatmem.eval.datasets.msc import load_dmr
from chatmem.eval.datasets.sessions import Sitting, Utterance
from chatmem.eval.ingestion.ingest import ingest
from chatmem.eval.runs.models import load
from chatmem.memory.errors import InputError, ModelError
from chatmem.memory.store.store import Store
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.decoding.scripted import ScriptedLM
from tests.conftest import tiny_in_place
from tests.eval.talks import AUDIT, DMR, LOCOMO, LONG, read_lines, without_times, write_json, write_lines


@pytest.fixture(autouse=True)
def home(
    request: pytest.FixtureRequest, kept_cache: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    if "tiny_home" not in request.fixturenames:  # which has a cache of its own
        kept_cache(tmp_path / "home")  # else the copy for reading is made anew in each
    return tmp_path / "home"


def table(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*words, "--json", "--threads", "1"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.fixture
def quick_answers(tiny_adapters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model of two layers answers, which needs no sense; what stores and searches is the real one."""

    def loaded(spec: str, threads: int | None, *more: Any) -> Any:
        if spec != "embedded+answer":
            return load(spec, threads, *more)
        with tiny_in_place() as path:
            return LlamaLM(path, tiny_adapters / "answer" / "adapter.gguf", threads=threads)

    monkeypatch.setattr("chatmem.eval.answers.run.load", loaded)


@pytest.mark.usefixtures("quick_answers")
def test_every_system_answers_the_same_questions_with_the_same_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = write_json(tmp_path / "locomo.json", LOCOMO), tmp_path / "run.jsonl"
    audit = write_json(tmp_path / "audit.json", AUDIT)
    words = ["eval", "locomo", "--data", str(data), "--out", str(out), "--audit", str(audit), "--num", "0"]
    columns = table([*words, "--categories", "1"], capsys)["models"]
    systems = [one for one in SYSTEMS if one != "ranked-sessions"]  # that needs a model
    assert list(columns) == systems
    rows = read_lines(out)
    assert len(rows) == len(systems)
    by = {row["system"]: row for row in rows}
    assert by["none"]["context"] == []
    assert by["full"]["context_words"] > by["search"]["context_words"] > 0
    assert "20 June 2023" not in json.dumps(by["none"])
    assert [by[s]["gold_audited"] for s in systems] == ["Lisbon"] * len(systems)
    assert by["bm25"]["evidence_audited"] == ["D2:1"]
    facts = by["sql"]["rows"]  # of no period, number or order: the chat writes no SELECT
    assert all(row["sql"].startswith("SELECT") and row["refused"] is None for row in rows if row["system"] == "sql")
    assert {one for fact in facts for one in fact["evidence"]} <= {"D1:1", "D1:2", "D1:3", "D2:1", "D2:2"}
    assert facts, "the storage agent wrote none of five lines"
    assert all(row["model"] == "embedded+answer" and row["adapter"] == "answer" for row in rows)
    assert all(row["seed"] == 0 and row["version"] and row["prompt_tokens"] > 30 for row in rows)
    full = columns["full"]
    assert full["official score, 1 to 4"]["n"] == full["the same, audited gold, 1 to 4"]["n"] == 1
    assert full["says it doesn't know, 1 multi-hop"]["n"] == 1
    assert "recall@10, mean" not in full
    assert columns["chatmem"]["recall@10, mean"]["value"] == 1
    assert columns["bm25"]["recall@10, mean, audited evidence"]["n"] == 1


def test_a_killed_run_ends_with_the_rows_of_one_that_was_not(
    tmp_path: Path, tiny_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_lines(tmp_path / "dmr.jsonl", DMR)
    words = ["eval", "msc", "--data", str(data), "--num", "2", "--seed", "7", "--systems", "none,full,chatmem"]
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    table([*words, "--out", str(whole)], capsys)
    command = [sys.executable, "-m", "chatmem", *words, "--threads", "1", "--out", str(killed)]
    process = subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not killed.exists() or killed.read_bytes().count(b"\n") < 3:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = killed.read_bytes()
    rows_before = before.count(b"\n") - 1
    assert 2 <= rows_before < 6, "it was to be killed in the middle"
    killed.write_bytes(before + b'{"key": "torn')  # as a kill within a write leaves it
    table([*words, "--out", str(killed)], capsys)
    assert without_times(read_lines(killed)) == without_times(read_lines(whole))
    assert killed.read_bytes().startswith(before), "no row was made again"


def test_workers_give_the_rows_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_json(tmp_path / "longmemeval.json", LONG)
    words = ["eval", "longmemeval", "--data", str(data), "--num", "0", "--facts", "none", "--retrieval-only"]
    first = table([*words, "--out", str(tmp_path / "one.jsonl")], capsys)
    second = table([*words, "--out", str(tmp_path / "two.jsonl"), "--workers", "2"], capsys)
    one, two = (without_times(read_lines(tmp_path / name)) for name in ("one.jsonl", "two.jsonl"))
    assert sorted(two, key=lambda row: row["key"]) == sorted(one, key=lambda row: row["key"])
    assert first["models"]["sessions"]["sessions: NDCG@1"] == second["models"]["sessions"]["sessions: NDCG@1"]
    assert first["models"]["sessions"]["sessions: MRR"]["n"] == 1


def test_sessions_ranked_by_a_model_need_one_that_ranks_them(
    tmp_path: Path, tiny_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_json(tmp_path / "locomo.json", LOCOMO)
    words = ["eval", "locomo", "--data", str(data), "--systems", "sessions,ranked-sessions", "--facts", "none"]
    words += ["--retrieval-only", "--out", str(tmp_path / "run.jsonl")]
    assert main(words) == 2
    assert "needs --ranker SPEC" in capsys.readouterr().err
    columns = table([*words, "--ranker", "embedded"], capsys)["models"]
    assert {"sessions: MRR", "sessions: F1@10"} <= columns["ranked-sessions"].keys()


def test_the_same_command_finds_its_record_again_and_fresh_begins_anew(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_lines(tmp_path / "dmr.jsonl", DMR)
    words = ["eval", "msc", "--data", str(data), "--retrieval-only", "--facts", "none", "--systems", "bm25"]
    first = table(words, capsys)
    (record,) = (home / "data" / "evals").glob("msc-*.jsonl")
    assert first["record"] == str(record)
    stamp = record.stat().st_mtime_ns
    assert table(words, capsys) == first
    assert record.stat().st_mtime_ns == stamp
    record.write_bytes(record.read_bytes().rsplit(b"\n", 2)[0] + b"\n" + b'{"torn')
    torn = record.read_bytes()
    assert table([*words, "--show"], capsys)["questions"] == 2
    assert record.read_bytes() == torn, "a run may be at it"
    table([*words, "--fresh"], capsys)
    assert record.stat().st_mtime_ns != stamp
    out = ["--out", str(record)]
    assert main([*words, *out, "--words", "50"]) == 1
    assert "words: 200 there, 50 now" in capsys.readouterr().err


def test_retrieval_only_measures_what_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, out = write_json(tmp_path / "long.json", LONG), tmp_path / "run.jsonl"
    words = ["eval", "longmemeval", "--data", str(data), "--out", str(out), "--retrieval-only", "--facts", "none"]
    columns = table([*words, "--systems", "bm25,search"], capsys)["models"]
    assert columns["search"]["recall@1, mean"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 1}
    assert columns["bm25"]["sessions: NDCG@1"]["value"] == 1
    assert columns["bm25"]["context holds all words of the gold"]["n"] == 1, "abstention has no words to hold"
    first = read_lines(out)[0]
    assert first["ranked"][0] == "s_late:0" == first["evidence"][0]
    assert "answer" not in first
    same = ["eval", "compare", str(out), str(out), "--systems", "bm25,search", "--json"]
    assert main(same) == 0
    assert json.loads(capsys.readouterr().out)["models"]["B - A"]["MRR"]["value"] == 0
    assert main(["eval", "compare", str(out), str(out), "--systems", "sql"]) == 1
    assert "no rows of sql" in capsys.readouterr().err


def test_an_estimate_asks_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_lines(tmp_path / "dmr.jsonl", DMR)
    words = ["eval", "msc", "--data", str(data), "--num", "0", "--systems", "none,full,chatmem", "--estimate"]
    assert main([*words, "--out", str(tmp_path / "run.jsonl")]) == 0
    told = capsys.readouterr().err
    assert "9 rows" in told
    assert "9 answers by embedded+answer" in told
    assert "6 lines to store by embedded+storage" in told
    assert "3 SELECTs by embedded+retrieval" in told
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [(["--systems", "bm25,zep"], "no system zep"), (["--systems", "sql", "--facts", "none"], "sql needs facts"),
     (["--retrieval-only", "--systems", "none"], "systems that rank"), (["--models", " , "], "names no model"),
     (["--models", "embedded+nobody"], "no adapter 'nobody'"), (["--price", "cheap"], "READ,WRITE"),
     (["--rows", "x:y"], "form A:B"), (["--download"], "not both")],
)  # fmt: skip
def test_wrong_options_are_one_sentence(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_lines(tmp_path / "dmr.jsonl", DMR)
    assert main(["eval", "msc", "--data", str(data), *words]) in (1, 2)
    assert told in capsys.readouterr().err


def test_bad_rows_are_told_and_the_rest_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = {**LONG[0], "haystack_dates": ["2023/05/01 (Mon) 08:05"]}
    role = {**LONG[1], "haystack_sessions": [[{"role": "system", "content": "x"}]]}
    data = write_json(tmp_path / "long.json", [LONG[0], broken, role, {"question_id": "q9"}])
    words = ["eval", "longmemeval", "--data", str(data), "--retrieval-only", "--facts", "none", "--systems", "bm25"]
    assert main([*words, "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["questions"] == 1
    assert [line for line in told.err.splitlines() if "left out" in line] == [
        "left out: long.json, question 2: not in the data set's form (3 sessions, but 3 ids and 1 dates)",
        "left out: long.json, question 3: not in the data set's form (role 'system' is neither user nor assistant)",
        "left out: long.json, question 4: there is no 'haystack_session_ids'",
    ]
    qa = [*LOCOMO[0]["qa"], {"question": "Who?", "category": 4, "evidence": []}, {"question": "?", "category": 9}]
    data = write_json(tmp_path / "locomo.json", [{**LOCOMO[0], "qa": qa}])
    loaded = load_locomo(data)
    assert len(loaded.rows[0].questions) == 4, "one bad question costs no other"
    assert [problem.split(": ")[0] for problem in loaded.problems] == [
        f"locomo.json, conversation 1, question {number}" for number in (5, 6)
    ]


def test_longmemeval_in_order_of_time_with_ids_of_its_own(tmp_path: Path) -> None:
    rows = load_longmemeval(write_json(tmp_path / "long.json", LONG)).rows
    first, second = long_cases(rows)
    assert [session.at for session in first.talk.sessions] == [
        "2023-05-01T08:05:00Z", "2023-05-02T08:05:00Z", "2023-06-20T23:40:00Z",
    ]  # fmt: skip
    assert [turn.id for turn in first.talk.said] == ["s_early:0", "s_early:1", "s_early#2:0", "s_late:0", "s_late:1"]
    assert [turn.speaker for turn in first.talk.said][-2:] == ["User", "assistant"]
    assert (first.evidence, first.sessions, first.talk.now) == (("s_late:0",), ("s_late",), "2023-06-30T10:00:00Z")
    assert (first.abstain, second.abstain, second.gold) == (False, True, "0")


def test_splits_are_disjoint_whole_and_steady(tmp_path: Path) -> None:
    rows = load_dmr(write_lines(tmp_path / "dmr.jsonl", DMR)).rows
    cases = msc_cases([*rows, *rows])
    assert len({case.key for case in cases}) == 6, "official ids repeat"
    parts = [{case.key for case in in_split(cases, split, False)} for split in ("train", "validation", "test")]
    assert set().union(*parts) == {case.key for case in cases}
    assert sum(map(len, parts)) == 6
    talks = load_locomo(write_json(tmp_path / "locomo.json", LOCOMO)).rows
    found = {split: len(in_split(locomo_cases(talks), split, True)) for split in ("train", "validation", "test", "all")}
    assert found == {"train": 4, "validation": 0, "test": 0, "all": 4}


def test_what_does_not_fit_goes_oldest_first_or_weakest_first() -> None:
    lines = ("one two", "three", "four five six")

    def fits(some: Any) -> bool:
        return len(" ".join(some).split()) <= 4

    assert fitted(SystemContext(lines, in_time=True), fits) == (["three", "four five six"], 1)
    assert fitted(SystemContext(lines), fits) == (["one two", "three"], 1)
    assert fitted(SystemContext(lines), lambda some: not some) == ([], 3)
    assert last_words(["a b c", "d e", "f"], 3) == "d e / f"
    assert last_words(["a b c d e"], 2) == "a b c d e"


def test_an_audit_of_another_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_json(tmp_path / "locomo.json", LOCOMO)
    other = write_json(tmp_path / "audit.json", [{**AUDIT[0], "sample_id": "conv-99"}, {"sample_id": "conv-41"}])
    words = ["eval", "locomo", "--data", str(data), "--audit", str(other), "--retrieval-only", "--facts", "none"]
    assert main(words) == InputError.exit_code
    told = capsys.readouterr().err
    assert "entry 2" in told
    assert "names none of these questions" in told


def test_an_ingestion_that_broke_off_at_any_line_ends_with_the_same_memory(tmp_path: Path) -> None:
    (case, *_) = locomo_cases(load_locomo(write_json(tmp_path / "locomo.json", LOCOMO)).rows)
    talk = case.talk

    def memory(name: str, stops: list[int]) -> list[tuple[Any, ...]]:
        for number in [*stops, 99]:
            lm = ScriptedLM([partial(insert, number)], adapter="storage")
            with Store.open(tmp_path / name) as store, suppress(ModelError):
                ingest(store, store.users.get("a"), talk, "agent", lm)
        with Store.open(tmp_path / name) as store:
            user = store.users.get("a")
            assert not store.queue.pending(user.id)
            evidence = store.facts.evidence([one.id for one in store.facts.all(user.id)])
            return [(m.id, m.subject, m.fact, [t.text for t in evidence[m.id]]) for m in store.facts.all(user.id)]

    calls = [0]

    def insert(most: int, messages: Any, options: Any) -> str:
        speaker, _, text = messages[-1].content.rpartition("Store:\n")[2].partition(": ")
        calls[0] += 1
        if "weather" in text:
            return "-- nothing"
        if calls[0] > most:
            raise ModelError("gone")
        told = text.replace("'", "''")
        return f"INSERT INTO memory (subject, topic, fact) VALUES ('{speaker}', 'a', '{speaker}: {told}');"

    whole = memory("whole.db", [])
    assert len(whole) == 4
    assert whole[0][3] == ["I adopted a greyhound called Juno."]
    for stop in range(4):
        calls[0] = 0
        assert memory(f"stopped{stop}.db", [stop]) == whole
    with Store.open(tmp_path / "whole.db") as store:  # a kill between writing the facts of a line and ticking it off
        user = store.users.get("a")
        store.turns.set(store.turns.of(store.sessions.all(user.id)[-1].id)[0].id, storage="pending")
        assert len(store.queue.pending(user.id)) == 1
    assert memory("whole.db", []) == whole


def test_a_block_of_lines_that_a_kill_cut_short_ends_with_the_same_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case, *_) = locomo_cases(load_locomo(write_json(tmp_path / "locomo.json", LOCOMO)).rows)
    lm = load("embedded+storage", 1)
    lines = sum(len(one.turns) for one in case.talk.sessions)

    def memory(name: str, dies_at: int) -> list[tuple[Any, ...]]:
        seen: list[int] = []
        with Store.open(tmp_path / name) as store:
            write, user = store.facts.write, store.users.get("a")

            def failing(*given: Any, **more: Any) -> Any:
                seen.append(1)
                if len(seen) == dies_at:
                    raise ModelError("killed")
                return write(*given, **more)

            monkeypatch.setattr(store.facts, "write", failing)
            done: list[int] = []
            with suppress(ModelError):
                ingest(store, user, case.talk, "agent", lm, tell=done.append)
            assert store.queue.pending(user.id) or done[-1] == lines
            return [(m.subject, m.topic, m.fact) for m in store.facts.all(user.id)]

    whole = memory("whole.db", 0)
    assert len(whole) >= 3
    first = memory("cut.db", 3)
    assert 0 < len(first) < len(whole)
    assert memory("cut.db", 0) == whole
    lm.close()


def test_a_line_longer_than_the_window_is_read_from_its_beginning(tmp_path: Path) -> None:
    long = Utterance("Ana", "I keep bees. " + "word " * 5000, "", "D1:1")
    talk = Conversation("long", (Sitting((long,), "2023-05-08T10:00:00Z"),))
    lm = ScriptedLM(["-- nothing"], adapter="storage", context_tokens=4096)
    with Store.open(tmp_path / "long.db") as store:
        ingest(store, store.users.get("a"), talk, "agent", lm)
    ((messages, _),) = lm.calls
    assert "Ana: I keep bees. word" in messages[-1].content
    assert 2900 < len(messages[-1].content.split()) < 3100
