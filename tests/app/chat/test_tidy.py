"""`chatmem tidy`: a diff, a copy for a dry run, undone as a whole, and whole operations after a kill.

The model is scripted here; what the real one decides is measured by `chatmem eval editor`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.app.chat.tidying import TidyPlan, change_of, editing
from chatmem.app.config.settings import Settings
from chatmem.app.shown.events import Event, Failed, Notice, SessionEnded, Tidied
from chatmem.eval.agents.editor import RuleDecider
from chatmem.memory.store.store import Store
from chatmem.models import registry
from chatmem.models.editor import choose
from tests.app.chat.slow_tidy import Merges
from tests.app.conftest import open_room
from tests.app.test_cli import Shell
from tests.memory.lives import fresh
from tests.memory.tidy.test_consolidation import told
from tests.memory.tidy.test_tools import FACTS, WordsEmbedder, dump, person, replayed

ROOT = Path(__file__).resolve().parents[3]


class NoModel:
    """Stands in for the model's handle, which the scripted decider never asks."""

    name, adapter = "scripted", None

    def close(self) -> None: ...


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(registry, "load_reader", lambda spec, **options: NoModel())
    monkeypatch.setattr(choose, "LMDecider", lambda lm: Merges())
    made = Shell(tmp_path)
    for subject, topic, fact, _ in FACTS:
        assert made("memory", "add", fact, "--subject", subject, "--topic", topic).returncode == 0
    yield made


def facts(shell: Shell) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(shell("memory", "list", "--json").stdout)
    return found


def test_ctrl_c_before_anything_was_done_doesn_t_say_that_nothing_was_to_do(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(done: int, of: int, changes: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("chatmem.app.commands.tidy._progress", pressed)
    monkeypatch.setattr("chatmem.app.chat.tidying.change_of", lambda step: None)
    stopped = shell("tidy")
    assert (stopped.returncode, stopped.stderr.splitlines()[-1]) == (130, "Stopped; nothing was changed.")


def test_vectors_are_made_first_where_they_can_be_seen_and_within_the_minutes(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "many.csv"
    table.write_text("subject,fact\n" + "".join(f"Tom,Tom rents boat {n} to somebody.\n" for n in range(80)))
    assert shell("memory", "import", str(table), "--yes").returncode == 0
    late = shell("tidy", "--dry-run", "--minutes", "0.00001")
    assert late.returncode == 1 and "before all vectors were made; 80 are left" in late.stderr
    done = shell("tidy", "--dry-run", "--minutes", "5")
    assert done.returncode == 0 and "making the vectors" in done.stderr
    assert "making the vectors" not in shell("tidy", "--dry-run").stderr


def test_a_dry_run_shows_what_a_run_does_and_undo_takes_it_all_back(shell: Shell) -> None:
    before = facts(shell)
    dry = shell("tidy", "--dry-run")
    assert dry.returncode == 0
    assert "nothing was changed" in dry.stderr
    assert facts(shell) == before
    done = shell("tidy")
    assert done.stdout.count("~ ") == dry.stdout.count("~ ") > 0
    assert "  - #1 " in done.stdout
    after = facts(shell)
    assert len(after) < len(before)
    undone = shell("tidy", "--undo")
    assert "as it was before" in undone.stderr
    assert facts(shell) == before
    assert shell("tidy", "--undo").returncode == 1


def test_json_names_the_run_and_each_change(shell: Shell) -> None:
    told = json.loads(shell("tidy", "--json", "--ops", "1").stdout)
    assert told["run"].startswith("run:")
    assert len(told["changes"]) == 1
    assert told["after"] < told["before"]
    assert told["changes"][0]["batch"] == f"{told['run']}.1"


def test_what_can_not_be_done_is_told(shell: Shell) -> None:
    assert "Nothing is remembered about Zoe" in shell("tidy", "--subject", "Zoe").stderr
    assert "whole number of 0 or more" in shell("tidy", "--ops", "-1").stderr
    ben = json.loads(shell("tidy", "--json", "--subject", "Ben").stdout)
    assert all("Ben" in row for change in ben["changes"] for row in change["old"])


@pytest.mark.parametrize("steps", [1, 3])
def test_a_kill_leaves_whole_operations_only(tmp_path: Path, steps: int) -> None:
    path = tmp_path / "a.db"
    with Store.open(path, embedder=WordsEmbedder()) as store:
        user = person(store)
        for number in range(30):
            store.facts.remember(user.id, "Ana", "list", f"Ana has seen film {number // 2} {'again' * (number % 2)}.")
        before = dump(store, user)
    command = [sys.executable, "-m", "tests.app.chat.slow_tidy", str(path), user.name]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for _ in range(steps):
            assert running.stdout.readline()
        running.send_signal(signal.SIGKILL)
    with Store.open(path, embedder=WordsEmbedder()) as store:
        assert store.check() == []
        rows = {key: row["fact"] for key, row in replayed(store, user).items()}
        assert rows == {memory.id: memory.fact for memory in store.facts.all(user.id)}
        merges = [entry for entry in store.journal.entries(user.id) if entry.batch.startswith("run:")]
        for batch in {entry.batch for entry in merges}:
            kinds = [entry.kind for entry in merges if entry.batch == batch]
            assert kinds == ["update", "delete"]  # both halves, or neither
        if merges:
            store.journal.undo_run(store.journal.runs(user.id)[0])
        assert dump(store, user) == before


def test_the_chat_tidies_on_request_and_at_bye_if_the_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "load_reader", lambda spec, **options: NoModel())
    monkeypatch.setattr(choose, "LMDecider", lambda lm: Merges())
    for setting in (0, 5):
        room = open_room(tmp_path / f"{setting}.db", tidy_at_bye=setting)
        room.store.embedder = WordsEmbedder()
        room.say("fact: Ana has two cats.", "fact: Ana has 2 cats.", "fact: Ana owns two cats.")
        if not setting:
            events = room.say("/tidy 1")
            assert [event.reason for event in events if isinstance(event, Tidied)] == ["said twice"]
            assert events[-1] == Notice("1 change; /tidy undo takes it back.")
            undone = room.say("/tidy undo", "/tidy often")
            assert isinstance(undone[-1], Failed)
            assert len(room.store.facts.all(room.chat.user.id)) == 3
        told = list(room.chat.bye())
        assert any(isinstance(event, Tidied) for event in told) == bool(setting)
        assert isinstance(told[-1], SessionEnded)
        room.chat.close()


def test_tidying_at_bye_ends_with_its_step_when_the_user_is_in_a_hurry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "load_reader", lambda spec, **options: NoModel())
    monkeypatch.setattr(choose, "LMDecider", lambda lm: Merges())
    for most in (0, 1, 2):
        room = open_room(tmp_path / f"{most}.db", tidy_at_bye=5)
        room.store.embedder = WordsEmbedder()
        pairs = [("a boat", "her boat"), ("two cats", "2 cats"), ("a red car", "the red car")]
        room.say(*(f"fact: Ana owns {thing}." for pair in pairs for thing in pair))
        told: list[Event] = []
        if not most:
            room.chat.hurry()
        for event in room.chat.bye():
            told.append(event)
            if sum(isinstance(one, Tidied) for one in told) == most:
                room.chat.hurry()
        assert sum(isinstance(event, Tidied) for event in told) == most
        assert isinstance(told[-1], SessionEnded)
        assert all(session.ended_at for session in room.store.sessions.all(room.chat.user.id))
        room.chat.close()


def test_joining_comes_after_tidying_in_the_same_run_and_within_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "load_reader", lambda spec, **options: NoModel())
    monkeypatch.setattr(choose, "LMDecider", lambda lm: RuleDecider())
    with fresh(embedder=WordsEmbedder()) as store:
        user = told(store)
        for ops, joined in ((0, 0), (1, 1)):
            with editing(store, user, Settings(), TidyPlan(ops=ops, consolidate=True), lambda: False) as (run, steps):
                changes = [change for change in map(change_of, steps) if change]
            assert [change.reason for change in changes] == ["tell of one matter"] * joined
        assert store.journal.runs(user.id) == [run]
