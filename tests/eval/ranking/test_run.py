"""The whole pipeline: killed at any row it ends with the same file; threads change nothing; an endpoint may fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.ranking.rows import as_json, read_rows, write_rows
from chatmem.eval.ranking.sources import load_rows
from chatmem.eval.ranking.vectors import KeptEmbedder
from tests.effort import times
from tests.eval.endpoint import Endpoint, serving
from tests.eval.ranking.test_rows import persona_files, persona_line
from tests.eval.talks import LOCOMO, LONG, write_json

ROOT = Path(__file__).resolve().parents[3]
STEPS = ("embed", "sessions", "answer")
BRIEF = {"chatmem.eval.ranking.prompt.TOLD": 3, "chatmem.models.chat.answer.MAX_TOKENS": 8}
"""A random model never ends a thought or an answer by itself: letters and tokens after which they end."""
DYING = """
import os, signal, sys
from importlib import import_module
from chatmem.app.cli import main
from chatmem.eval.runs.records import Records

for name, most in eval(sys.argv[1]).items():
    module, _, name = name.rpartition(".")
    setattr(import_module(module), name, most)
add = Records.add

def dying(record, row):
    add(record, row)
    if record.path.name == "sessions.jsonl" and record.path.read_bytes().count(b"\\n") == 3:
        os.kill(os.getpid(), signal.SIGKILL)

Records.add = dying
main(sys.argv[2:])
"""
"""A run that is killed when two rows of a step lie on the disk, behind its settings."""


@pytest.fixture
def brief(tiny_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in BRIEF.items():
        monkeypatch.setattr(name, most)


def words(data: Path, out: Path, *more: str) -> list[str]:
    models = ["--model", "embedded", "--answers", "embedded", "--threads", "1"]
    return ["rank", "run", "--data", str(data), "--out", str(out), "--json", *models, *more]


def ran(command: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(command) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["models"]
    return found


def both(folder: Path) -> Path:
    """Rows of two data sets in one file: six questions about three conversations."""
    rows = load_rows("locomo", write_json(folder / "locomo.json", LOCOMO))
    rows += load_rows("longmemeval", write_json(folder / "longmemeval.json", LONG))
    write_rows(folder / "both.jsonl", rows)
    return folder / "both.jsonl"


def test_a_run_killed_at_any_row_ends_as_one_that_was_not_and_threads_change_nothing(
    tmp_path: Path, brief: None, capsys: pytest.CaptureFixture[str]
) -> None:
    data, whole, killed, threads = both(tmp_path), tmp_path / "whole", tmp_path / "killed", tmp_path / "threads"
    table = ran(words(data, whole), capsys)
    assert {"by similarity", "by the learned lines", "as the model ranked", "answers"} <= table.keys()
    assert table["by similarity"]["sessions: NDCG@1"]["n"] == 4, "of those that can be answered"
    command = [sys.executable, "-c", DYING, repr(BRIEF), *words(data, killed)]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    assert (killed / "sessions.jsonl").read_bytes().count(b"\n") == 3, "killed in the middle"
    assert not (killed / "rows.jsonl").exists()
    ran(words(data, killed), capsys)
    assert (killed / "rows.jsonl").read_bytes() == (whole / "rows.jsonl").read_bytes()
    for number, step in list(enumerate(STEPS))[:: times(1, 2)]:  # as kills at other rows leave them
        (killed / "rows.jsonl").unlink()
        for later in STEPS[number + 1 :]:
            (killed / f"{later}.jsonl").unlink()
        lines = (whole / f"{step}.jsonl").read_bytes().splitlines(keepends=True)
        (killed / f"{step}.jsonl").write_bytes(b"".join(lines[: number + 2]) + lines[-1][:-9])
        ran(words(data, killed), capsys)
        assert (killed / "rows.jsonl").read_bytes() == (whole / "rows.jsonl").read_bytes()
    ran(words(data, threads, "--workers", "3"), capsys)
    assert (threads / "rows.jsonl").read_bytes() == (whole / "rows.jsonl").read_bytes()


def test_three_steps_are_one_run(tmp_path: Path, brief: None, capsys: pytest.CaptureFixture[str]) -> None:
    data, one = both(tmp_path), tmp_path / "one"
    ran(words(data, one), capsys)
    first, second, third = (tmp_path / f"{name}.jsonl" for name in STEPS)
    ran(["rank", "embed", "--data", str(data), "--out", str(first), "--json"], capsys)
    model = ["--model", "embedded", "--threads", "1"]
    ran(["rank", "sessions", "--data", str(first), "--out", str(second), "--json", *model], capsys)
    model = ["--answers", "embedded", "--threads", "1"]
    ran(["rank", "answer", "--data", str(second), "--out", str(third), "--json", *model], capsys)
    assert third.read_bytes() == (one / "rows.jsonl").read_bytes()
    rows = read_rows(third)
    for row in rows:
        assert row.found["response"].startswith("<think>") and "</ranking>" in row.found["response"]
        assert sorted(row.found["ranked_from"]) == list(range(len(row.haystack.sessions)))
    assert (
        main(["rank", "sessions", "--data", str(data), "--out", str(tmp_path / "x.jsonl"), "--model", "embedded"]) == 1
    )
    assert "run `chatmem rank embed` on it first" in capsys.readouterr().err


def test_an_endpoint_that_fails_midway_loses_no_finished_row(
    tmp_path: Path, tiny_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = both(tmp_path), tmp_path / "out"
    left = [9]

    def say(request: dict[str, Any]) -> str | int:
        left[0] -= 1
        ranks = "<ranking>" in request["messages"][0]["content"]
        said = "<think>as I see it</think><ranking>1,0,1,7</ranking>" if ranks else "a cello"
        return said if left[0] >= 0 else 400

    with serving(Endpoint(say)) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        command = ["rank", "run", "--data", str(data), "--out", str(out), "--json", "--model", "openai:m"]
        command += ["--answers", "openai:m", "--workers", "2"]
        assert main(command) == 1
        told = capsys.readouterr().err
        assert "of 6 rows are kept in" in told and "run the same command again" in told
        kept = (out / "answer.jsonl").read_bytes()
        assert kept.count(b"\n") >= 3, "settings and two rows at least"
        left[0] = 99
        table = ran(command, capsys)
    assert (out / "answer.jsonl").read_bytes().startswith(kept), "no finished row was asked again"
    assert 99 - left[0] < 6, "only what was missing"
    assert table["as the model ranked"]["replies in form"]["value"] == 1
    assert table["answers"]["answer, exact match"]["value"] == pytest.approx(1 / 4)
    assert all(row.found["generated_text"] == "a cello" for row in read_rows(out / "rows.jsonl"))


def test_options_are_asked_and_counted(
    tmp_path: Path, tiny_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = persona_files(tmp_path, [persona_line(), persona_line(question_id="p2", correct_answer="(a)")])
    seen: list[str] = []

    def say(request: dict[str, Any]) -> str:
        seen.append(request["messages"][-1]["content"])
        return "(b) A wheat loaf."

    with serving(Endpoint(say)) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        command = ["rank", "run", "--data", str(data), "--out", str(tmp_path / "out"), "--json", "--no-lines"]
        table = ran([*command, "--answers", "openai:m"], capsys)
    assert table["answers"]["accuracy over the options"] == {
        **table["answers"]["accuracy over the options"],
        "value": 0.5,
    }
    assert "(a) A rye loaf." in seen[0] and "I no longer eat rye." in seen[0]
    ran([*command[:5], str(tmp_path / "local"), *command[6:], "--answers", "embedded", "--threads", "1"], capsys)
    said = {row.found["generated_text"] for row in read_rows(tmp_path / "local" / "rows.jsonl")}
    assert said <= {"(a)", "(b)"}, "a model on this machine is held to the letters"


def test_kept_vectors_are_those_that_would_be_made(tmp_path: Path, embedder: Any) -> None:
    texts = ["I keep bees.", "It rains.", "I keep bees."]
    first = KeptEmbedder(embedder, tmp_path / "vectors.db")
    made = first.embed(texts)
    first.close()
    again = KeptEmbedder(embedder, tmp_path / "vectors.db")
    named = type("Named", (), {"name": embedder.name, "dimensions": embedder.dimensions})
    again.inner = named()
    assert (again.embed(texts) == made).all(), "nothing was asked of the encoder"
    assert (made[0] == made[2]).all()
    assert abs(made @ embedder.embed(texts).T - 1).diagonal().max() < 1e-3
    again.close()


def test_the_same_rows_with_other_settings_are_another_run(
    tmp_path: Path, tiny_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = both(tmp_path)
    command = ["rank", "embed", "--data", str(data), "--out", str(tmp_path / "e.jsonl"), "--no-lines"]
    assert main(command) == 0
    assert main([*command, "--prefilter", "10"]) == 1
    assert "context: 96000 there, 10 now" in capsys.readouterr().err
    assert main([*command, "--prefilter", "10", "--fresh"]) == 0
    told = [as_json(row)["prefiltered_session_idx"] for row in read_rows(tmp_path / "e.jsonl")]
    assert any(len(places) < 2 for places in told)


def test_a_step_writes_over_neither_its_data_nor_another_step(
    tmp_path: Path, tiny_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, rows, folder = both(tmp_path), tmp_path / "rows.jsonl", tmp_path / "r2"
    assert main(["rank", "embed", "--data", str(data), "--out", str(rows), "--no-lines"]) == 0
    before = rows.read_bytes()
    answer = ["rank", "answer", "--answers", "none", "--data"]
    for more in ([], ["--fresh"]):
        assert main([*answer, str(rows), "--out", str(rows), *more]) == 1
        assert "is what is to be read" in capsys.readouterr().err
    other = tmp_path / "other.jsonl"
    other.write_bytes(before)
    assert main([*answer, str(other), "--out", str(rows), "--fresh"]) == 1
    assert "the record of something else" in capsys.readouterr().err
    assert rows.read_bytes() == before
    folder.mkdir()
    (folder / "rows.jsonl").write_bytes(before)
    run = ["rank", "run", "--no-lines", "--answers", "none", "--out", str(folder), "--data"]
    for given in (data, folder / "rows.jsonl"):
        assert main([*run, str(given)]) == 1
        assert "name another --out" in capsys.readouterr().err
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("rows.jsonl", before)]
    (folder / "rows.jsonl").unlink()
    assert main([*run, str(data)]) == main([*run, str(data), "--fresh"]) == 0
