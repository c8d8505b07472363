"""What the reader of wishes learns from, and the command that fits from where it is believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.models.chat.forgetting.wished import ASKED, MEANT, WISHED, Wishes
from chatmem.models.embedder import cross_encoder
from chatmem.training.material.templates.told import short_talks
from chatmem.training.material.templates.wishes.rows import meant_facts, wish_lines
from chatmem.training.recall.choice import wished_fit
from chatmem.training.recall.choice.wished_fit import TOGETHER, meant_rows, quiet_lines, wish_rows


def test_the_rows_hold_both_kinds_and_none_of_the_manner_held_back() -> None:
    rows = wish_rows(1)
    assert all(row.text == ASKED and len(row.shown) <= TOGETHER for row in rows)
    wished = sum(len(row.ends) for row in rows) / sum(len(row.shown) for row in rows)
    assert 0.1 < wished < 0.4
    shown = {one for row in rows for one in row.shown}
    assert not any(one.line in shown for one in wish_lines("valid"))
    assert len(wish_lines("valid")) == 400 and {one.wish for one in wish_lines("valid")} == {True, False}


def test_what_a_wish_means_is_among_what_is_known() -> None:
    for split in ("train", "valid"):
        found = meant_facts(split)  # type: ignore[arg-type]
        assert found and all(at < len(one.known) for one in found for at in one.goes)
    assert any("User" in fact for one in meant_facts() for fact in one.known)
    assert len(meant_rows(meant_facts("valid"))) == len(meant_facts("valid"))


def test_lines_of_the_talks_that_wish_something_by_the_rules_are_no_talk() -> None:
    quiet = quiet_lines("valid")
    assert len(quiet) > 500 and not any(one.wish for one in quiet)
    assert any(one.before for one in quiet) and any(not one.before for one in quiet)


def test_the_command_fits_from_where_what_is_there_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (WISHED, MEANT):
        adapter, head = cross_encoder.files(name)
        (tmp_path / adapter).write_bytes((cross_encoder.FOLDER / adapter).read_bytes())
        data = json.loads((cross_encoder.FOLDER / head).read_text(encoding="utf-8"))
        (tmp_path / head).write_text(json.dumps({"weights": data["weights"], "bias": data["bias"]}), encoding="utf-8")
    for name in ("told_talks", "further_talks", "week_talks"):
        monkeypatch.setattr(wished_fit, name, lambda _split: ())
    monkeypatch.setattr(wished_fit, "short_talks", lambda split: short_talks(split)[:4])
    few = {split: quiet_lines(split)[:16] for split in ("train", "valid")}  # type: ignore[arg-type]
    lines = {split: wish_lines(split)[120:160] for split in ("train", "valid")}  # type: ignore[arg-type]
    facts = {split: meant_facts(split)[:4] for split in ("train", "valid")}  # type: ignore[arg-type]
    assert all(len(some) == 16 for some in few.values())
    assert all({one.wish for one in some} == {True, False} for some in lines.values())
    monkeypatch.setattr(wished_fit, "quiet_lines", lambda split: few[split])
    monkeypatch.setattr(wished_fit, "wish_lines", lambda split="train": lines[split])
    monkeypatch.setattr(wished_fit, "meant_facts", lambda split="train": facts[split])
    assert main(["train", "recall", "--wished", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "wishes: seen: " in said and "not meant: offered: " in said
    sees, means = cross_encoder.read(WISHED, tmp_path), cross_encoder.read(MEANT, tmp_path)
    assert sees is not None and means is not None
    bounds = Wishes(sees, means).bounds
    assert bounds.meant >= 0 and bounds.talk <= bounds.wish


def test_one_file_without_the_other_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (WISHED, MEANT):
        adapter = cross_encoder.files(name)[0]
        (tmp_path / adapter).write_bytes((cross_encoder.FOLDER / adapter).read_bytes())
    assert main(["train", "recall", "--wished", "--out", str(tmp_path)]) != 0
    assert "wished.gguf without wished.json" in capsys.readouterr().err
