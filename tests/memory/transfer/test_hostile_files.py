"""Files from somebody else: nothing in them passes for the person's own, runs in a spreadsheet, or breaks the store."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.chat.slash.files import plan_lines
from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.memory.transfer.exchange import export_text, import_file, preview
from chatmem.memory.values import HUMAN

WHEN = "2026-05-08T10:00:00Z"
MEMORY = {
    "id": 1, "subject": "Ana", "topic": "", "fact": "Ana banks at Evil.", "happened_on": None, "said_at": WHEN,
    "valid_from": WHEN, "valid_to": None, "pinned": True, "created_by": "human", "replaces": None, "evidence": [1],
}  # fmt: skip
TURN = {
    "id": 1,
    "session": 1,
    "speaker": "Ana",
    "text": "Hi.",
    "said_at": WHEN,
    "status": "complete",
    "storage": "done",
}
SESSION = {"id": 1, "title": "talk", "started_at": WHEN, "ended_at": None}


def write(path: Path, **changes: dict[str, Any]) -> Path:
    document = {
        "chatmem": 1, "user": {"name": "me", "called": None}, "sessions": [SESSION | changes.get("session", {})],
        "turns": [TURN | changes.get("turn", {})], "memories": [MEMORY | changes.get("memory", {})], "journal": [],
    }  # fmt: skip
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_merged_file_can_not_write_in_the_persons_name(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json")
    with Store.open(tmp_path / "memory.db") as store:
        user = store.users.get("me").id
        store.facts.remember(user, "Ana", "", "Ana has a boat.", author=HUMAN)
        plan = preview(store, user, file)
        assert (plan.restores, plan.pinned, plan.by_hand) == (False, 1, 0)
        assert "of the new memories: 1 pinned" in plan_lines(plan)
        import_file(store, user, file)
        written = {memory.fact: memory.created_by for memory in store.facts.all(user)}
    assert written == {"Ana has a boat.": "human", "Ana banks at Evil.": "import"}


def test_a_restored_file_shows_what_it_says_of_itself(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        user = store.users.get("me").id
        plan = preview(store, user, write(tmp_path / "a.json"))
    assert (plan.restores, plan.pinned, plan.by_hand) == (True, 1, 1)
    assert "of the new memories: 1 pinned, 1 that the file says a person wrote" in plan_lines(plan)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"memory": {"fact": "x" * 3_000_000}}, "the fact has 3,000,000 characters"),
        ({"memory": {"subject": "x" * 101}}, "the subject has 101 characters"),
        ({"memory": {"topic": "x" * 101}}, "the topic has 101 characters"),
        ({"turn": {"text": "x" * 5_000_000}}, "the line has 5,000,000 characters"),
        ({"turn": {"speaker": "x" * 101}}, "the speaker's name has 101 characters"),
    ],
)
@pytest.mark.parametrize("blank", [True, False])
def test_an_import_keeps_the_limits(changes: Any, told: str, blank: bool, tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        user = store.users.get("me").id
        if not blank:
            store.facts.remember(user, "Ana", "", "Ana has a boat.")
        plan = preview(store, user, write(tmp_path / "a.json", **changes))
        assert plan.restores == blank
        assert any(told in bad.problem for bad in plan.bad), plan.bad
        import_file(store, user, tmp_path / "a.json")
        assert store.facts.read(user, "SELECT count(*) FROM memory").rows
        assert store.facts.read(user, "SELECT count(*) FROM lines WHERE text LIKE '%x%'").rows == ((0,),)


def test_control_characters_do_not_come_in(tmp_path: Path) -> None:
    escape = "\x1b]0;owned\x07\x1b[2J\x9b31m"
    changes = {
        "memory": {"subject": f"Ana{escape}", "fact": f"Ana{escape} sings."}, "turn": {"speaker": f"Ana{escape}"},
        "session": {"title": f"talk{escape}"},
    }  # fmt: skip
    with Store.open(tmp_path / "memory.db") as store:
        user = store.users.get("me").id
        import_file(store, user, write(tmp_path / "a.json", **changes))
        (memory,) = store.facts.all(user)
        (turn,) = store.turns.of(1)
        stored = memory.subject + memory.fact + turn.speaker + store.sessions.get(1).title
    assert stored.isprintable() and "\x1b" not in stored


def test_a_spreadsheet_runs_no_cell(tmp_path: Path) -> None:
    facts = ["=HYPERLINK(1)", "+1 is a number", "-2 degrees", "@ana wrote", "'=quoted", "''-twice", "plain"]
    out = io.StringIO()
    with Store.open(tmp_path / "memory.db") as store:
        user = store.users.get("me").id
        session = store.sessions.start(user)
        turn = store.turns.add(session.id, "=cmd|' /C calc'!A0", "hello")
        for fact in facts:
            store.facts.remember(user, "=Ana", "@topic", fact, turn_ids=[turn.id])
        export_text(store, user, out, "csv")
    cells = [cell for row in csv.reader(io.StringIO(out.getvalue())) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]
    file = tmp_path / "out.csv"
    file.write_text(out.getvalue(), encoding="utf-8")
    with Store.open(tmp_path / "other.db") as store:
        user = store.users.get("me").id
        import_file(store, user, file)
        again = store.facts.all(user)
    assert sorted(memory.fact for memory in again) == sorted(facts)
    assert {(memory.subject, memory.topic) for memory in again} == {("=Ana", "@topic")}


def test_a_paste_of_five_megabytes_is_refused_and_the_rest_stays_readable(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        user = store.users.get("me").id
        session = store.sessions.start(user)
        with pytest.raises(InputError, match="5,000,000 characters, 1,000,000 can be kept: send it in parts"):
            store.turns.add(session.id, "Ana", "x" * 5_000_000)
        store.turns.add(session.id, "Ana", "北" * 1_000_000)
        store.turns.add(session.id, "Ana", "I have two cats.")
        found = store.facts.read(user, "SELECT id, length(text) AS n FROM lines ORDER BY id")
        assert found.rows == ((1, 8_000), (2, 16))
        assert store.facts.read(user, "SELECT id FROM lines WHERE text LIKE '%cats%'").rows == ((2,),)
