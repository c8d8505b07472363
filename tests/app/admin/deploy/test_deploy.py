"""`chatmem deploy runpod` against its documented API: what is asked, waited for, told, and never told."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.admin.deploy import plan
from chatmem.app.admin.deploy.api import RunPod
from chatmem.app.admin.deploy.command import rent
from chatmem.app.admin.deploy.up import Patience
from chatmem.app.cli import main
from chatmem.memory.errors import EndpointError, InputError, NotFound, SettingsError

from .runpod import KEY, LIMITED, MISSING, RunPodServer, pod, reachable

Server = Callable[..., RunPodServer]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Starts the fake with answers, and points the program at it."""
    running: list[RunPodServer] = []

    def start(**answers: list[Any]) -> RunPodServer:
        named = {f"{name.split('__')[0]} /{'/'.join(name.split('__')[1:])}": told for name, told in answers.items()}
        server = RunPodServer(named).__enter__()
        running.append(server)
        monkeypatch.setenv("RUNPOD_API_URL", server.url)
        monkeypatch.setenv("RUNPOD_API_KEY", KEY)
        return server

    yield start
    for one in running:
        one.__exit__(None, None, None)


def api(server: RunPodServer, waited: list[float] | None = None) -> RunPod:
    return RunPod(KEY, server.url, (waited if waited is not None else []).append)


def quick(limit: float = 300.0) -> Patience:
    """A clock that each look moves by the time between two."""
    now = [0.0]

    def pause(seconds: float) -> None:
        now[0] += seconds

    return Patience(10.0, limit, pause, lambda: now[0])


SERVE = ("hf:Qwen/Qwen3-1.7B", "rtx3090", 50, 100)


def test_it_rents_waits_and_tells_how_to_use_and_to_end_it(served: Server, capsys: pytest.CaptureFixture[str]) -> None:
    ports = ["8000/http"]
    server = served(
        POST__pods=[(201, pod(ports=ports), {})],
        GET__pods__pod_abc123=[(200, pod(status="STARTING", ports=ports), {}), (200, reachable(ports=ports), {})],
    )
    wanted = plan.serving(*SERVE)
    assert rent(api(server), wanted, quick()) == 0
    told = capsys.readouterr().out
    assert "https://pod_abc123-8000.proxy.runpod.net/v1" in told and "$0.46 an hour" in told
    assert "ssh root@203.0.113.7 -p 10022" in told and "terminate pod_abc123" in told and wanted.token in told
    (asked,) = server.heard("POST /pods")
    assert (
        asked["gpu"] == {"id": "NVIDIA GeForce RTX 3090", "count": 1} and asked["env"]["VLLM_API_KEY"] == wanted.token
    )
    assert asked["mounts"] == {"persistent": {"size": 100, "path": "/workspace"}}
    assert wanted.token not in asked["args"]
    assert {key for _, _, key in server.asked} == {f"Bearer {KEY}"}


def test_a_pod_that_does_not_come_is_told_with_how_to_end_it(
    served: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server = served(POST__pods=[(201, pod(), {})], GET__pods__pod_abc123=[(200, pod(status="STARTING"), {})])
    assert rent(api(server), plan.serving(*SERVE), quick(30.0)) == 1
    said = capsys.readouterr().err
    assert "still STARTING after 30 seconds" in said and "chatmem deploy runpod terminate pod_abc123" in said


def test_a_yes_ends_a_pod_that_failed(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server = served(POST__pods=[(201, pod(status="ERROR"), {})], DELETE__pods__pod_abc123=[(204, None, {})])
    monkeypatch.setattr("chatmem.app.admin.deploy.command.confirm", lambda question, yes: None)
    assert rent(api(server), plan.serving(*SERVE), quick()) == 1
    assert server.heard("DELETE /pods/pod_abc123") == [None]


def test_ctrl_c_while_it_waits_speaks_of_the_bill(served: Server, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    server = served(POST__pods=[(201, pod(), {})])
    patience = Patience(10.0, 300.0, interrupted, lambda: 0.0)
    assert rent(api(server), plan.serving(*SERVE), patience) == 130
    assert "goes on billing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "body", "error", "words"),
    [
        (401, {"title": "Unauthorized", "status": 401, "detail": "missing bearer token"}, SettingsError,
         "RUNPOD_API_KEY"),
        (402, {"title": "Payment Required", "status": 402, "detail": "balance too low"}, EndpointError, "money"),
        (403, {"title": "Forbidden", "status": 403, "detail": "access denied"}, SettingsError, "may not"),
        (404, MISSING, NotFound, "list"),
        (422, {"title": "Unprocessable Entity", "status": 422, "detail": "Request validation failed.",
               "errors": ["$: additional properties 'bogus' not allowed"]}, EndpointError, "bogus"),
        (400, f"<html>{KEY}</html>", EndpointError, "HTTP 400"),
        (400, {"title": "Bad Request", "status": 400, "detail": f"the key {KEY} is bad"}, EndpointError, "***"),
    ],
)  # fmt: skip
def test_problems_are_one_sentence_without_the_key(
    served: Server, status: int, body: Any, error: type[Exception], words: str
) -> None:
    server = served(GET__pods__pod_1=[(status, body, {})])
    with pytest.raises(error) as told:
        api(server).pod("pod_1")
    assert words in str(told.value) and KEY not in str(told.value)


def test_a_rate_limit_is_waited_for_as_it_asks_and_told_in_the_end(served: Server) -> None:
    waited: list[float] = []
    limited = (429, LIMITED, {"retry-after": "12"})
    server = served(GET__pods=[limited, limited, (200, {"pods": [pod()]}, {})])
    assert [one.id for one in api(server, waited).pods()] == ["pod_abc123"] and waited == [12.0, 12.0]
    with pytest.raises(EndpointError, match="too many requests"):
        api(served(GET__pods=[limited])).pods()


def test_a_lost_answer_is_looked_for_and_nothing_is_rented_twice(served: Server) -> None:
    wanted = plan.serving(*SERVE)
    server = served(
        POST__pods=[None], GET__pods=[(200, {"pods": [pod(), pod("pod_new") | {"name": wanted.body["name"]}]}, {})]
    )
    assert api(server).rent(wanted.body).id == "pod_new" and len(server.heard("POST /pods")) == 1


def test_an_error_of_the_server_is_tried_again_unless_it_rents(served: Server) -> None:
    broken = (503, {"title": "Service Unavailable", "status": 503, "detail": "try later"}, {})
    server = served(GET__pods=[broken, (200, {"pods": []}, {})], POST__pods=[broken])
    assert api(server).pods() == []
    with pytest.raises(EndpointError, match="503"):
        api(server).rent(plan.serving(*SERVE).body)
    assert len(server.heard("POST /pods")) == 1


def test_list_tells_age_and_cost_and_no_environment(served: Server, capsys: pytest.CaptureFixture[str]) -> None:
    served(GET__pods=[(200, {"pods": [reachable()]}, {})])
    assert main(["deploy", "runpod", "list", "--json"]) == 0
    (row,) = json.loads(text := capsys.readouterr().out)
    begun = datetime(2026, 3, 13, 20, 1, tzinfo=UTC)
    assert row["dollars_so_far"] == pytest.approx(0.46 * (datetime.now(UTC) - begun).total_seconds() / 3600, abs=0.02)
    assert "hunter2" not in text


def test_logs_are_read_line_by_line(served: Server, capsys: pytest.CaptureFixture[str]) -> None:
    events = (
        'id: 1\ndata: {"source": "container", "line": "loading", "ts": "1"}\n\n: ping\n\ndata: {"line": "ready"}\n\n'
    )
    served(GET__pods__pod_1__logs=[(200, events, {"content-type": "text/event-stream"})])
    assert main(["deploy", "runpod", "logs", "pod_1"]) == 0
    assert capsys.readouterr().out == "loading\nready\n"


def test_terminate_asks_first(served: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server = served(GET__pods__pod_abc123=[(200, reachable(), {})], DELETE__pods__pod_abc123=[(204, None, {})])
    assert main(["deploy", "runpod", "terminate", "pod_abc123"]) == 1 and "--yes" in capsys.readouterr().err
    assert server.heard("DELETE /pods/pod_abc123") == []
    assert main(["deploy", "runpod", "terminate", "pod_abc123", "--yes"]) == 0
    assert server.heard("DELETE /pods/pod_abc123") == [None]
    assert main(["deploy", "runpod", "terminate", "../account", "--yes"]) == 1


def test_training_pushes_the_wheel_and_starts_over_ssh(
    served: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    for name in ("ssh", "scp"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        told = "cat >> " + shlex.quote(str(log)) if name == "ssh" else ":"
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {shlex.quote(str(log))}\n{told}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    wheel = tmp_path / "chatmem-1-py3-none-any.whl"
    wheel.touch()
    server = served(POST__pods=[(201, reachable(), {})])
    wanted = plan.training("storage --steps 6", wheel, (), "a100", 50, 0)
    assert rent(api(server), wanted, quick()) == 0
    (asked,) = server.heard("POST /pods")
    assert asked["startSsh"] and asked["ports"] == ["22/tcp"] and "mounts" not in asked
    assert asked["gpu"]["id"] == "NVIDIA A100 80GB PCIe"
    done = log.read_text()
    assert f"scp -o StrictHostKeyChecking=accept-new -o BatchMode=yes -o ConnectTimeout=20 -P 10022 {wheel}" in done
    assert "root@203.0.113.7 bash -s" in done and "chatmem train storage --steps 6" in done and "nohup" in done
    assert "log: /workspace/chatmem.log" in capsys.readouterr().out


def test_a_local_adapter_is_pushed_and_must_be_one(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    spec = f"hf:Qwen/Qwen3-1.7B+{tmp_path / 'mine'}"
    with pytest.raises(InputError, match=r"adapter_config\.json"):
        plan.serving(spec, "a6000", 50, 0)
    (tmp_path / "mine" / "adapter_config.json").touch()
    made = plan.serving(spec, "a6000", 50, 0)
    assert made.push == (tmp_path / "mine",) and "chatmem=/workspace/mine" in made.start and made.needs == 22
    assert made.token not in json.dumps(made.shown()) and made.token in made.start


@pytest.mark.parametrize(
    "words",
    [
        [], ["--serve", "embedded"], ["--serve", "hf:a", "--train", "storage"], ["--serve", "hf:a/b+"],
        ["--serve", "hf:a", "--push", "rows.jsonl"], ["--serve", "hf:a", "--wheel", "x.whl"], ["--train", "storage 'x"],
    ],
)  # fmt: skip
def test_a_wrong_wish_rents_nothing(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", "runpod", "up", *words]) == 2
    assert capsys.readouterr().err.startswith("chatmem: ")


@pytest.mark.parametrize("words", ["storag --steps 6", "storage --step 6", "storage --steps -1", "recall --folds 0"])
def test_a_training_that_would_fail_at_once_is_told_before_it_is_paid_for(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deploy", "runpod", "up", "--dry-run", "--train", words]) == 2
    assert "error: " in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("words", ["--user ana storage --from-journal", "--config c.toml storage"])
def test_a_training_is_read_as_chatmem_train_reads_it(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", "runpod", "up", "--dry-run", "--train", words]) == 0
    assert f"chatmem train {words}" in json.loads(capsys.readouterr().out)["start"]


def test_a_dry_run_needs_no_key_and_shows_no_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", "runpod", "up", "--serve", "hf:Qwen/Qwen3-1.7B", "--dry-run"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["create"]["env"] == {"VLLM_API_KEY": "***"}
