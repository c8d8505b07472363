"""Answers by an endpoint: several requests at once in order, a limit a minute, and one that dies midway."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.cli import main
from chatmem.eval.answers.cost import Bill
from chatmem.eval.arguments import price
from chatmem.eval.runs.requests import Asking, Pace
from chatmem.memory.errors import EndpointError, InputError
from tests.eval.endpoint import Endpoint, serving
from tests.eval.talks import DMR, read_lines, without_times, write_lines

KEY = "sk-secretsecret123456"


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def words(tmp_path: Path, out: str, *more: str) -> list[str]:
    data = write_lines(tmp_path / "dmr.jsonl", DMR)
    systems = ["--systems", "none,bm25,full", "--facts", "none", "--models", "openai:m"]
    return ["eval", "msc", "--data", str(data), *systems, "--out", str(tmp_path / out), "--json", *more]


def echo(body: dict[str, Any]) -> str:
    return f"I keep {len(body['messages'][-1]['content'])} things."


def by_key(path: Path) -> list[dict[str, Any]]:
    return sorted(without_times(read_lines(path)), key=lambda row: str(row["key"]))


def dying_after(number: int) -> Endpoint:
    endpoint = Endpoint(lambda body: echo(body) if len(endpoint.seen) <= number else 401)
    return endpoint


def test_requests_at_once_give_the_record_of_requests_in_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint = Endpoint(echo)
    with serving(endpoint) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(words(tmp_path, "one.jsonl")) == 0
        assert endpoint.most == 1
        endpoint.together = 2
        assert main(words(tmp_path, "many.jsonl", "--parallel", "4")) == 0
    assert 2 <= endpoint.most <= 4
    one, many = read_lines(tmp_path / "one.jsonl"), read_lines(tmp_path / "many.jsonl")
    assert len(one) == 9
    assert without_times(one) == without_times(many)
    assert one[0]["prompt_tokens"] == 11, "as the endpoint counts"
    told = capsys.readouterr()
    assert "its price is unknown: give --price" in told.err
    assert "secret" not in told.err + told.out + (tmp_path / "one.jsonl").read_text()


def test_an_endpoint_that_dies_midway_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alive = Endpoint(echo)
    with serving(alive) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(words(tmp_path, "whole.jsonl")) == 0
    for parallel in ("1", "3"):
        out = f"died{parallel}.jsonl"
        with serving(dying_after(5)) as address:
            monkeypatch.setenv("OPENAI_BASE_URL", address)
            assert main(words(tmp_path, out, "--parallel", parallel)) == 1
        told = capsys.readouterr().err
        kept = len(read_lines(tmp_path / out))
        assert 3 <= kept <= 5
        assert f"{kept} of 9 rows are kept in {tmp_path / out}" in told
        assert "refuses the key" in told
        assert "run the same command again" in told
        again = Endpoint(echo)
        with serving(again) as address:
            monkeypatch.setenv("OPENAI_BASE_URL", address)
            assert main(words(tmp_path, out)) == 0
        assert len(again.seen) == 9 - kept
        assert by_key(tmp_path / out) == by_key(tmp_path / "whole.jsonl"), (
            "later rows may have come before the failed one"
        )
        capsys.readouterr()


def test_a_run_that_is_interrupted_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, left = tmp_path / "run.jsonl", threading.Semaphore(4)

    def say(body: dict[str, Any]) -> str | int:
        left.acquire(timeout=30)
        return echo(body)

    with serving(Endpoint(say)) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        command = [sys.executable, "-m", "chatmem", *words(tmp_path, "run.jsonl", "--parallel", "2")]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in the background
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while not out.exists() or out.read_bytes().count(b"\n") < 3:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        assert process.stderr
        process.send_signal(signal.SIGINT)
        told = process.stderr.readline()
        while "rows are kept" not in told and process.poll() is None:
            told += process.stderr.readline()
        left.release(9)  # what is under way is told nothing before the rows are
        told += process.communicate(timeout=30)[1]
    assert process.returncode == 130
    assert f"{len(read_lines(out))} of 9 rows are kept in {out}" in told
    assert "Traceback" not in told


def test_an_endpoint_can_write_the_facts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def agent(body: dict[str, Any]) -> str:
        text = body["messages"][-1]["content"]
        if "Line:" in text:
            line = text.rpartition("Line:")[2]
            pet = line.rpartition("I keep ")[2].split(" ")[0]
            note = {"do": "+", "topic": "pets", "fact": f"Speaker 1 keeps {pet}."}
            return json.dumps({"notes": [note] if "I keep" in line else []})
        if text.startswith("Subjects:"):
            return json.dumps({"sql": "SELECT * FROM memory ORDER BY about('keep') DESC LIMIT 8;"})
        return "They told me."

    endpoint = Endpoint(agent, together=2)
    more = ["--storage", "openai:s", "--retrieval", "openai:r", "--systems", "sql", "--facts", "agent", "--num", "1"]
    with serving(endpoint) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert main(words(tmp_path, "sql.jsonl", *more, "--price", "1,2", "--parallel", "2")) == 0
    assert endpoint.most == 2
    (row,) = read_lines(tmp_path / "sql.jsonl")
    assert (row["held"], row["refused"]) == (1.0, None)
    assert row["rows"][0]["evidence"] == row["ranked"] == ["S1:0"]
    assert row["context"] == [
        f"{row['rows'][0]['fact']} (told 3 April 2024)"
    ]  # as a model is told that reads instructions
    assert "at the price that was given" in capsys.readouterr().err
    assert {body["model"] for body in endpoint.seen} == {"s", "r", "m"}


def test_the_pace_spreads_requests_over_the_minute() -> None:
    now, slept = [100.0], []

    def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        now[0] += seconds

    pace = Pace(120, clock=lambda: now[0], sleep=sleep)
    for _ in range(3):
        pace.wait()
    now[0] += 10
    pace.wait()
    pace.wait()
    assert slept == [0.5, 0.5, 0.5], "a pause earns no burst"
    free = Pace(None, clock=lambda: now[0], sleep=sleep)
    free.wait()
    free.wait()
    assert len(slept) == 3


def test_what_is_under_way_is_taken_before_the_failure_is_told() -> None:
    taken: list[int] = []
    go = threading.Event()

    def fail() -> int:
        raise EndpointError("gone")

    def late() -> int:
        go.wait(5)
        return 2

    asking = Asking(3)
    asking.put(lambda: 1, taken.append)
    asking.put(fail, taken.append)
    asking.put(late, taken.append)
    threading.Timer(0.05, go.set).start()
    with pytest.raises(EndpointError), asking:
        asking.finish()
    assert taken == [1, 2]


def test_what_a_run_costs() -> None:
    bill = Bill("answers by openai:m", 1000, 2_000_000, 160_000)
    assert bill.price((0.5, 2.0)) == pytest.approx(1.32)
    assert "1,000 answers by openai:m: about 2,000,000 tokens" in bill.sentence((0.5, 2.0), local=False)
    assert "about 1.32 at the price" in bill.sentence((0.5, 2.0), local=False)
    assert "on this machine" in bill.sentence(None, local=True)
    assert price("0.15, 0.6") == (0.15, 0.6)
    for wrong in ("1", "a,b", "1,2,3", "-1,2"):
        with pytest.raises(InputError):
            price(wrong)
