"""Training rows: what the agents are taught is what guard and prompt builders accept."""

from __future__ import annotations

import argparse
import random
from collections.abc import Generator
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.memory.errors import InputError
from chatmem.memory.guard import guard
from chatmem.memory.store.store import Store
from chatmem.models.prompts.messages import NOTHING, insert_sql, quote
from chatmem.training.answer.rows import ask, key_words, own_words
from chatmem.training.answer.talks import name_rows, reply_rows
from chatmem.training.answer.talks import template_rows as answer_rows
from chatmem.training.material.files import look_first, mark
from chatmem.training.material.templates.generate import generate
from chatmem.training.policy.rows import kept_as_made
from chatmem.training.storage.template_rows import template_rows as storage_rows


def test_every_storage_target_passes_the_guard() -> None:
    targets = [row["completion"] for row in storage_rows(3, 40)]
    kinds = {target.split()[0] for target in targets if target != NOTHING}
    assert kinds >= {"INSERT", "UPDATE"}
    for target in targets:
        verdict = guard.check_write(target, subjects=None, said_at="2024-06-12T12:00:00Z")
        assert verdict.allowed, (target, verdict.reason)


def test_an_update_names_a_row_that_the_prompt_shows() -> None:
    changes = [row for row in storage_rows(5, 60) if row["completion"].startswith(("UPDATE", "DELETE"))]
    assert changes
    for row in changes:
        number = row["completion"].split("WHERE id = ")[1].split(";")[0]
        assert f"\n{number} | " in row["messages"][1][1]


def test_the_answer_is_in_the_memory_shown_or_honestly_unknown() -> None:
    rows = [row for row in answer_rows(3, 25) if "Memory:" in row["messages"][-1][1]]
    asked = [row for row in rows if row["completion"].startswith(("Your ", "Yes, your ", "I do! Your "))]
    assert len(asked) > 20
    held = [key_words(r["completion"]) - {"your"} <= key_words(r["messages"][-1][1]) | {"yes", "do"} for r in asked]
    assert sum(held) / len(held) > 0.6


def test_an_answer_is_followed_by_what_was_said() -> None:
    lines = [
        "you: Do you cook paella?",
        "me: Do I cook paella? No paella today. I'll stay in and cook some paella, i think.",
    ]
    assert own_words("Paella!", lines) == "Paella! I'll stay in and cook some paella, I think."
    assert own_words("Risotto!", lines) == "Risotto!"
    long = "Paella, it is what I cook on most days here at home!"
    assert own_words(long, [*lines, f"me: {long} And so on."]) == long


def test_names_are_asked_over_what_is_recalled_and_statements_are_answered(tmp_path: Path) -> None:
    with Store.open(tmp_path / "rows.db") as store:
        names = list(name_rows(store, 7, 12))
    assert len(names) >= 6
    for row in names:
        shown, name = row["messages"][-1][1], row["completion"].rstrip(".").split()[-1]
        assert shown.count(name) and "Memory:" in shown
    replies = list(reply_rows(7, generate(7, 8)))
    assert len(replies) > 20
    assert sum(row["messages"][-1][1].endswith("?") for row in replies) < len(replies) / 2


def test_questions_are_made_only_from_facts_that_fit_a_rule() -> None:
    rng = random.Random(1)
    assert "favorite color" in (ask("My favorite color is green.", rng) or "")
    assert "work" in (ask("I work as a nurse in Boston.", rng) or "")
    assert ask("Ok.", rng) is None


def test_sql_literals_keep_quotes_apart() -> None:
    sql = insert_sql([("O'Neil", "pets", "O'Neil's cat's name is 'Tom'.", "last Friday")])
    verdict = guard.check_write(sql, subjects=["O'Neil"], said_at="2024-06-12T12:00:00Z")
    assert verdict.allowed
    assert quote("a'b") == "'a''b'"


def test_what_is_made_is_kept_and_goes_on_after_the_last_whole_line(tmp_path: Path) -> None:
    path, begun = tmp_path / "made.jsonl", list[int]()

    def make(begin: int) -> Generator[int | None, None, None]:
        begun.append(begin)
        yield from (place if place % 2 else None for place in range(begin, 4))

    path.write_text('null\n1\n{"cut', encoding="utf-8")
    heard: list[int] = []
    assert kept_as_made(path, 4, make, lambda done: heard.append(len(done))) == [None, 1, None, 3]
    assert path.read_text(encoding="utf-8") == "null\n1\nnull\n3\n"
    assert (begun, heard) == ([2], [3, 4])
    assert kept_as_made(path, 4, make, lambda done: heard.append(len(done))) == [None, 1, None, 3]
    assert begun == [2]


def test_a_run_that_is_there_is_never_begun_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who forgot --resume lost the checkpoint, which may be hours."""
    state = tmp_path / "run" / "checkpoint" / "state.pt"
    state.parent.mkdir(parents=True)
    state.write_bytes(b"hours")
    assert main(["train", "storage", "--out", str(tmp_path / "run")]) == 1
    assert "go on with it with --resume" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["checkpoint"] and state.read_bytes() == b"hours"


def test_given_rows_are_not_written_over_by_those_that_a_run_keeps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "train.jsonl"
    rows.write_text('{"messages": [["user", "a"]], "completion": "b"}\n' * 20, encoding="utf-8")
    before = rows.read_bytes()
    assert main(["train", "storage", "--rows", str(rows), "--out", str(tmp_path)]) == 1
    assert "name another --out" in capsys.readouterr().err
    assert rows.read_bytes() == before and list(tmp_path.iterdir()) == [rows]


def test_what_a_run_keeps_is_not_written_over_what_is_somebody_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, out = tmp_path / "rows3.jsonl", tmp_path / "d"
    rows.write_text('{"messages": [["user", "a"]], "completion": "b"}\n' * 20, encoding="utf-8")
    out.mkdir()
    (tmp_path / "memories.jsonl").write_text("of the rows")
    for name in ("train.jsonl", "valid.jsonl", "memories.jsonl"):
        (out / name).write_text("mine")
        assert main(["train", "storage", "--rows", str(rows), "--out", str(out)]) == 1
        assert "name another --out" in capsys.readouterr().err
        assert main(["train", "storage", "--locomo", str(out / name), "--out", str(out)]) == 1
        assert "would be written over" in capsys.readouterr().err
        assert [(path.name, path.read_text()) for path in out.iterdir()] == [(name, "mine")]
        (out / name).unlink()


def test_the_folder_of_a_run_is_free_only_for_what_made_it(tmp_path: Path) -> None:
    def asked(out: Path, **more: object) -> argparse.Namespace:
        return argparse.Namespace(agent="storage", out=out, rows=None, resume=False, **more)

    def refused(out: Path, **more: object) -> bool:
        try:
            look_first(asked(out, **more))
        except InputError:
            return True
        return False

    trl = tmp_path / "grpo" / "trl" / "checkpoint-50" / "trainer_state.json"
    ours = tmp_path / "ours" / "checkpoint" / "state.pt"
    for path in (trl, ours):
        path.parent.mkdir(parents=True)
        path.touch()
    for folder in (tmp_path / "grpo", tmp_path / "ours"):
        assert refused(folder) and refused(folder, from_journal=True)
    mark(tmp_path / "ours", asked(tmp_path, from_journal=True))
    assert refused(tmp_path / "ours") and not refused(tmp_path / "ours", from_journal=True)
    begun = tmp_path / "begun"
    begun.mkdir()
    (begun / "train.jsonl").touch()
    assert refused(begun)
    mark(begun, asked(begun))
    assert not refused(begun), "it was killed before its first checkpoint"


def test_refused_rows_leave_what_was_there_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text("bad\n")
    (tmp_path / "empty").mkdir()
    assert main(["train", "storage", "--rows", "rows.jsonl"]) == 1
    assert main(["train", "storage", "--rows", "rows.jsonl", "--out", "empty"]) == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["empty", "rows.jsonl"]


def test_held_back_rows_do_not_go_with_the_journal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "storage", "--from-journal", "--valid-rows", "x"]) == 2
    assert "doesn't go with --from-journal" in capsys.readouterr().err


@pytest.mark.parametrize(("data", "told"), [(b"\xff\xfe\x00bad\n", "no text in UTF-8"), (b"", "no training rows")])
def test_rows_that_can_not_be_read_leave_no_run(
    tmp_path: Path, data: bytes, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rows.jsonl").write_bytes(data)
    assert main(["train", "storage", "--rows", str(tmp_path / "rows.jsonl"), "--out", str(tmp_path / "run")]) == 1
    assert told in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
