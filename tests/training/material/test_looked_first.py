"""What a training is to read is looked at before anything is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.app.cli import main


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("train storage --msc nowhere.jsonl", "nowhere.jsonl is not there: check the path after --msc"),
        ("train all --plan --msc nowhere.jsonl", "nowhere.jsonl is not there"),
        ("train answer --recall-run nowhere", "check the path after --recall-run"),
        ("train storage --resume --steps 1 --talks 2", "There is no checkpoint in {out}; start without --resume"),
    ],
)
def test_what_is_not_there_is_told_at_once(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*words.split(), "--out", "run"]) == 1
    assert told.format(out="run") in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
