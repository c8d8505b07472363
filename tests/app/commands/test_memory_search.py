"""What search shows of a long line: the passage that speaks of what was asked, who said it, when, and its number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chatmem.app.assistants.tools import call, tools
from chatmem.app.shown.events import Notice
from chatmem.memory.errors import ModelError
from chatmem.memory.store.store import Store
from chatmem.models.api import Memory
from tests.app.conftest import open_room
from tests.app.shell import Shell

LONG = " ".join(f"The {n}th garden row has carrots, beans, peas and some old potatoes in it." for n in range(40))
LONG += (
    "\n\nThe spare key of the boat house hangs behind the blue clock in the hall, under the coat of my uncle.\n\n"
    + LONG
)


def test_a_long_line_is_shown_by_its_passage(shell: Shell) -> None:
    shell.db.parent.mkdir(parents=True)
    with Store.open(shell.db) as store:
        user = store.users.get("me")
        turn = store.turns.add(store.sessions.start(user.id).id, "Ana", LONG, said_at="2026-05-08T12:00:00Z")
        (found,) = call(tools()["search"], Memory.over(store, user), {"query": "spare key of the boat house"})["items"]
    shown = found["lines"][0]
    assert (shown["turn"], shown["speaker"], shown["said_at"]) == (turn.id, "Ana", "2026-05-08T12:00:00Z")
    assert "spare key of the boat house" in shown["text"] and len(shown["text"]) < len(LONG) / 4
    assert shown["text"].startswith("… ") and shown["text"].endswith(" …")
    row = shell("memory", "search", "spare key of the boat house").stdout.splitlines()[1].split("\t")
    assert row[:3] == [f"line {turn.id}", f"Ana: {' '.join(shown['text'].split())}", "2026-05-08"]


class Failing:
    name, dimensions = "openai:m@host/8/x", 8

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        raise ModelError("The endpoint is down; try again.")

    embed_questions = embed


def test_a_chat_says_once_that_search_went_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = open_room(tmp_path / "chat.db")
    monkeypatch.setattr(room.script, "recall", lambda user, query, **more: room.store.search(user.id, query))
    room.store.embedder = Failing()
    told = [one for line in ("I have two cats", "What are my cats called?") for one in room.say(line)]
    notices = [one.text for one in told if isinstance(one, Notice) and "by words alone" in one.text]
    room.chat.close()
    assert notices == ["Search went by words alone: The endpoint is down; try again."]
