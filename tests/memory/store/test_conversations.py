"""When what is said in a session was said, and what a new name changes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store

NOW = datetime(2026, 11, 26, 10, 0, tzinfo=UTC)


def test_lines_that_come_at_once_are_said_one_after_the_other(tmp_path: Path) -> None:
    with Store.open(tmp_path / "m.db", clock=lambda: NOW) as store:
        user = store.users.get("ana")
        one, other = (store.sessions.start(user.id).id for _ in range(2))
        said = [store.turns.add(one, "Ana", f"line {number}").said_at for number in range(3)]
        assert said == ["2026-11-26T10:00:00Z", "2026-11-26T10:00:01Z", "2026-11-26T10:00:02Z"]
        assert store.turns.add(other, "Ana", "elsewhere").said_at == "2026-11-26T10:00:00Z"
        assert store.turns.add(one, "Ana", "told", said_at="2026-11-20").said_at == "2026-11-20T00:00:00Z"
        assert store.turns.add(one, "Ana", "after it").said_at == "2026-11-26T10:00:00Z"
        store.turns.add(one, "Ana", "from a clock that ran ahead", said_at="2030-01-01")
        assert store.turns.add(one, "Ana", "now").said_at == "2026-11-26T10:00:00Z"


@pytest.mark.parametrize("name", ["Sam Jr.", "Ana 🌸", "प्रिया", "José", "the user"])
def test_facts_tell_the_new_name_whatever_the_old_one_ended_in(tmp_path: Path, name: str) -> None:
    with Store.open(tmp_path / "m.db") as store:
        user = store.users.get("ana").id
        store.users.call(user, name)
        told = [f"{name} has a cat.", f"Mia is married to {name}", f"{name}'s van is {name}son blue."]
        for fact in told:
            store.facts.remember(user, name, "talk", fact)
        store.users.call(user, "Bea")
        rows = store.facts.all(user)
        assert [one.fact for one in rows] == [
            "Bea has a cat.",
            "Mia is married to Bea",
            f"Bea's van is {name}son blue.",
        ]
        assert {one.subject for one in rows} == {"Bea"}
