"""Days are those of the person's own clock: "yesterday", said at half past eleven at night, is the day before."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatmem.app.config.zone import Here, day, minute
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, Recall, RecallItem
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.decoding.scripted import ScriptedLM

NIGHT = datetime(2026, 5, 9, 3, 30, tzinfo=UTC)  # 23:30 of 8 May in New York, 12:30 of 9 May in Tokyo
PLACES = [("America/New_York", "2026-05-07", "8 May 2026"), ("Asia/Tokyo", "2026-05-08", "9 May 2026")]


@pytest.fixture(params=PLACES, ids=lambda place: place[0])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """A place where it is that time now: what yesterday is there, and today in words."""
    monkeypatch.setenv("TZ", request.param[0])
    time.tzset()
    yield request.param[1:]
    monkeypatch.undo()
    time.tzset()


def test_yesterday_at_half_past_eleven(tmp_path: Path, place: tuple[str, str]) -> None:
    yesterday, today = place
    with Store.open(tmp_path / "a.db", clock=lambda: NIGHT, zone=Here()) as store:
        user = store.users.get("ana")
        turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "I saw a heron yesterday.")
        store.facts.remember(user.id, "Ana", "birds", "Ana saw a heron.", happened_on="yesterday")
        sql = "INSERT INTO memory (subject, fact, happened_on) VALUES ('Ana', 'Ana saw a crane.', 'yesterday')"
        store.facts.write(user.id, sql, author=Author("agent:storage"), turn_ids=[turn.id], said_at=turn.said_at)
        assert [memory.happened_on for memory in store.facts.all(user.id)] == [yesterday, yesterday]
        (found,) = store.search(user.id, "Was it a heron yesterday?", use_turns=False).items[:1]
        assert found.memory and found.memory.happened_on == yesterday and "date" in found.why
        recall = Recall("When did I see a heron?", (RecallItem(1.0, None, (turn,)),))
        prompt = AnswerAgent(ScriptedLM(["Hm."]), zone=Here()).prompt(user, recall, [], recall.query, store.now())
    text = "\n".join(message.content for message in prompt)
    assert today in text and f"({today}) " in text


def test_times_are_shown_as_on_the_clock_here(place: tuple[str, str]) -> None:
    yesterday, _ = place
    shown = minute("2026-05-09T03:30:00Z")
    assert shown in ("2026-05-08 23:30", "2026-05-09 12:30")
    assert yesterday < day("2026-05-09T03:30:00Z") == shown[:10]


def test_summer_time_is_that_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Vienna")
    time.tzset()
    hours = [datetime(2026, month, 1, 12, tzinfo=UTC).astimezone(Here()).hour for month in (1, 7)]
    monkeypatch.undo()
    time.tzset()
    assert hours == [13, 14]


def test_the_command_line_takes_the_zone_of_the_machine(tmp_path: Path) -> None:
    """There are 26 hours between the two places, so that their dates are never the same."""
    days = []
    for zone in ("XXX+12", "YYY-14"):
        home = tmp_path / zone
        environment = os.environ | {"CHATMEM_HOME": str(home), "TZ": zone}
        command = [sys.executable, "-m", "chatmem", "memory", "add", "Ana saw a heron.", "--date", "yesterday"]
        subprocess.run(command, check=True, env=environment, capture_output=True, cwd=Path(__file__).parents[3])
        with Store.open(home / "data" / "chatmem.db") as store:
            days.append(store.facts.all(store.users.get("me").id)[0].happened_on)
    assert str(days[0]) < str(days[1])
