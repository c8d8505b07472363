"""Records of runs: nothing but a record is written to, and a run that was refused leaves none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.runs.records import HEAD, Records, begin_anew, kept, must_be_new
from chatmem.memory.errors import InputError
from tests.eval.datasets.test_loaders import MSC
from tests.eval.talks import DMR, LOCOMO, write_json, write_lines

OTHERS = [
    '{"conversations": [1, 2]}',
    '{"key": "a"}\n{"key": "b"',
    "my notes",
    "my notes\n",
    "{\n",
    "[]\n",
    '{"set": 1}',
]


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_record_is_left_byte_by_byte(tmp_path: Path, text: str) -> None:
    """The last line of a file without a line's end was cut off, which is all of it where there is one line."""
    path = tmp_path / "mine"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is no record of a run"):
        Records(path, {})
    with pytest.raises(InputError, match="is no record of a run"):
        begin_anew(path)
    assert path.read_text(encoding="utf-8") == text


def test_a_record_begins_as_records_are_known_by(tmp_path: Path) -> None:
    with Records(tmp_path / "run", {"eval": "x"}) as records:
        records.add({"key": "a"})
    assert (tmp_path / "run").read_bytes().startswith(HEAD)


@pytest.mark.parametrize("left", [b"", HEAD[:4], HEAD + b'{"seed": 1}}\n', HEAD + b'{"seed": 1}}\n{"key'])
def test_a_record_without_a_row_is_in_nobodys_way(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(left)
    with Records(path, {"seed": 2}) as records:
        assert records.rows == []
        records.add({"key": "a"})
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"settings": {"seed": 2}}, {"key": "a"}]
    with Records(path, {"seed": 2}):
        pass
    assert path.exists()
    begin_anew(path)
    with Records(path, {"seed": 3}):
        pass
    assert not path.exists(), "no row, no record"
    begin_anew(path)


def test_nothing_is_lost_of_what_the_same_command_writes_beside_it(tmp_path: Path) -> None:
    """Whoever ended without a row took the file away, or emptied it, under the run that had just begun it."""
    path = tmp_path / "run.jsonl"
    first, beside, other = (Records(path, {"seed": seed}) for seed in (1, 1, 2))
    assert not path.exists(), "it is made with its first row"
    beside.close()
    first.add({"key": "a"})
    before = path.read_bytes()
    with pytest.raises(InputError, match="other settings"):
        other.add({"key": "b"})
    with pytest.raises(InputError, match="other settings"):
        Records(path, {"seed": 2})
    assert path.read_bytes() == before
    with Records(path, {"seed": 1}) as again:
        again.add({"key": "c"})
    first.add({"key": "d"})
    first.close()
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows == [{"settings": {"seed": 1}}, {"key": "a"}, {"key": "c"}, {"key": "d"}]


def test_only_a_record_of_its_kind_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "run.record"
    with Records(path, {"step": "embed"}) as records:
        records.add({"key": "a"})
    with pytest.raises(InputError, match="something else"):
        begin_anew(path, step="answer")
    with path.open("ab") as file:
        file.write(b"no json\n")
    begin_anew(path, step="embed")
    assert not path.exists(), "a broken one, too"


def test_folders_and_files_that_are_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        Records(tmp_path, {})
    with pytest.raises(InputError, match="is a folder"):
        must_be_new(tmp_path)
    (tmp_path / "x").touch()
    with pytest.raises(InputError, match="exists already"):
        must_be_new(tmp_path / "x")
    must_be_new(tmp_path / "y")
    must_be_new(None)
    must_be_new(Path("/dev/stdout"))
    must_be_new(Path("/dev/null"))
    assert kept(0, 9, "rows", tmp_path) == ""
    assert "3 of 9 rows are kept" in kept(3, 9, "rows", tmp_path)


def test_no_data_is_written_over_by_what_is_made_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    locomo, dmr = write_json(tmp_path / "locomo.json", LOCOMO), write_lines(tmp_path / "dmr.jsonl", DMR)
    before = {path: path.read_bytes() for path in (locomo, dmr)}
    alone = ["--retrieval-only", "--facts", "none", "--systems", "bm25"]
    for words in (
        ["eval", "msc", "--data", str(dmr), *alone, "--out", str(locomo)],
        ["eval", "msc", "--data", str(dmr), *alone, "--out", str(dmr), "--fresh"],
        ["rank", "embed", "--data", str(locomo), "--out", str(locomo)],
        ["rank", "embed", "--data", str(locomo), "--out", str(dmr), "--fresh"],
        ["eval", "editor", "--num", "1", "--model", "rule", "--compare", "none", "--out", str(dmr)],
        ["data", "spoiled", "--count", "1", "--out", str(dmr)],
        ["data", "asked", "--count", "1", "--out", str(dmr)],
    ):
        assert main(words) == 1, words
        assert "name another --out" in capsys.readouterr().err.splitlines()[-1]
        assert {path: path.read_bytes() for path in before} == before, words
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["dmr.jsonl", "locomo.json"]


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "changes", "--model", "bogus"), ("eval", "storage", "--data", "{data}", "--model", "bogus"),
        ("rank", "embed", "--dataset", "locomo", "--data", "{locomo}", "--encoder", "bogus"),
        ("eval", "msc", "--data", "{data}", "--models", "bogus", "--systems", "none"),
    ],
)  # fmt: skip
def test_a_mistyped_model_leaves_no_record_that_is_in_the_way(
    tmp_path: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_lines(tmp_path / "data.jsonl", [MSC] if "storage" in words else DMR)
    named = {"{data}": str(data), "{locomo}": str(write_json(tmp_path / "locomo.json", LOCOMO))}
    assert main([*(named.get(word, word) for word in words), "--out", str(tmp_path / "run.jsonl")]) == 2
    told = capsys.readouterr().err
    assert "names no" in told and "are kept" not in told
    assert not (tmp_path / "run.jsonl").exists() and not (tmp_path / "run.jsonl.record").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "msc", "--data", "x", "--download"), ("eval", "msc"),
        ("eval", "msc", "--data", "{data}", "--systems", ","),
        ("eval", "msc", "--data", "x", "--price", "nan,1"), ("eval", "editor", "--talks", "conv-1"),
        ("eval", "editor", "--consolidate"), ("eval", "editor", "--judge", "x"),
        ("eval", "editor", "--data", "x", "--locomo", "y"), ("eval", "quotes", "--out", "x"),
        ("eval", "asked", "--data", ""), ("rank", "run", "--data", "x.json", "--out", "y"),
        ("rank", "run", "--data", "locomo.json", "--out", ""),
    ],
)  # fmt: skip
def test_wrong_usage_of_an_evaluation_ends_with_2(
    tmp_path: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(write_lines(tmp_path / "data.jsonl", DMR))
    assert main([data if word == "{data}" else word for word in words]) == 2, words
    assert "Traceback" not in capsys.readouterr().err
