"""Fetching a data set from a server on this machine: whole, broken off and gone on, gone, refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from chatmem.app.cli import main
from chatmem.eval.answers import options
from chatmem.eval.datasets.download import fetch
from chatmem.memory.errors import InputError
from tests.eval.talks import DMR, write_lines


class Files(BaseHTTPRequestHandler):
    """Serves `data`; with `cut`, closes after so many bytes; `ranges` are those that were asked for."""

    protocol_version = "HTTP/1.1"
    data: ClassVar[bytes] = b""
    cut: ClassVar[int | None] = None
    ranges: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        wanted = self.headers.get("range")
        self.ranges.append(wanted)
        if self.path.endswith("gone"):
            self.send_error(404)
            return
        begin = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if begin >= len(self.data) and wanted:
            self.send_error(416)
            return
        body = self.data[begin:]
        self.send_response(206 if wanted else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.cut is None else body[: self.cut])
        self.close_connection = True

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    Files.data, Files.cut, Files.ranges = b"0123456789" * 1000, None, []
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_file_comes_whole_and_only_once(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = fetch(f"{address}/data.json", tmp_path / "new" / "folder")
    assert path.read_bytes() == Files.data
    assert fetch(f"{address}/data.json", path.parent) == path
    assert Files.ranges == [None]
    assert "0.0 MB" in capsys.readouterr().err


def test_a_download_goes_on_where_it_broke_off(address: str, tmp_path: Path) -> None:
    Files.cut = 4321
    with pytest.raises(InputError, match="what came is kept"):
        fetch(f"{address}/data.json", tmp_path)
    assert not (tmp_path / "data.json").exists(), "half a file is no file"
    assert (tmp_path / "data.json.part").stat().st_size == 4321
    Files.cut = None
    assert fetch(f"{address}/data.json", tmp_path).read_bytes() == Files.data
    assert Files.ranges == [None, "bytes=4321-"]


def test_a_part_that_is_longer_than_the_file_is_fetched_anew(address: str, tmp_path: Path) -> None:
    (tmp_path / "data.json.part").write_bytes(b"x" * 20_000)
    assert fetch(f"{address}/data.json", tmp_path).read_bytes() == Files.data


def test_no_server_and_no_such_file_are_one_sentence(address: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"answered 404; .*--data"):
        fetch(f"{address}/gone", tmp_path)
    with pytest.raises(InputError, match=r"can't be reached .*check the network"):
        fetch("http://127.0.0.1:9/data.json", tmp_path)


def test_the_command_fetches_and_measures(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    Files.data = write_lines(tmp_path / "dmr.jsonl", DMR).read_bytes()
    files: dict[str, str] = options.DATA["msc"].files  # type: ignore[assignment]
    monkeypatch.setitem(files, "self-instruct", f"{address}/own.jsonl")
    words = ["eval", "msc", "--download", "--retrieval-only", "--facts", "none", "--systems", "bm25"]
    assert main([*words, "--json"]) == 0
    assert '"questions": 3' in capsys.readouterr().out
    assert (tmp_path / "home" / "cache" / "datasets" / "own.jsonl").is_file()
    assert main(words[:2]) == 2
    assert "--download" in capsys.readouterr().err
