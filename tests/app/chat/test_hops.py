"""A question that is looked up in several steps: each is an event, the path is told by /why, and undo takes it back."""

from __future__ import annotations

import argparse
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.chat import panels
from chatmem.app.chat.models import AgentLoader
from chatmem.app.config.settings import Settings
from chatmem.app.line.command import add_options
from chatmem.app.shown import events as e
from chatmem.app.shown.render import lines
from chatmem.app.web.windows.transcript import after
from chatmem.memory.store.store import Store
from chatmem.models.chat.hops.loop import Hopper, Looked
from chatmem.models.decoding.scripted import ScriptedLine, ScriptedLM
from chatmem.models.files.profiles.profile import SHIPPED
from tests.app.conftest import Room

CAPABLE = replace(SHIPPED, capable=True, prompts="plain")


def call(tool: str, **arguments: object) -> str:
    return json.dumps({"tool": tool, **arguments})


def hop(room: Room, monkeypatch: pytest.MonkeyPatch, *replies: Any) -> ScriptedLM:
    """From here on the room's chat looks up in steps that a model with these replies takes."""
    lm = ScriptedLM(replies, profile=CAPABLE)
    agents = room.script.get
    monkeypatch.setattr(room.script, "get", lambda: replace(agents(), hops=Hopper(lm, room.store)))
    return lm


def test_steps_are_events_the_answer_is_theirs_and_why_tells_the_path(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.say("fact: Ana moved to Graz.", "fact: Ana keeps bees.")
    known = room.store.facts.all(room.chat.user.id)
    insight = call(
        "add_insight", text="Ana keeps bees in Graz.", evidence=[f"f{one.id}" for one in known], certainty=0.6
    )
    hop(room, monkeypatch, call("search", query="Ana bees"), insight, call("finish", answer="In Graz."))
    events = room.say("Where does Ana keep bees?")
    steps = [event.hop for event in events if isinstance(event, e.HopTaken)]
    assert [step.tool for step in steps] == ["search", "search", "add_insight", "finish"]
    assert [event.turn.text for event in events if isinstance(event, e.ReplyFinished)] == ["In Graz."]
    written = [entry for event in events if isinstance(event, e.MemoryWritten) for entry in event.entries]
    assert written[0].author.actor == "agent:hops"
    shown = "\n".join(text for event in events for text, _ in lines(event))
    assert "step 2, search “Ana bees”" in shown
    (told,) = (event for event in room.say("/why") if isinstance(event, e.Explained))
    assert "step 3, add_insight" in "\n".join(text for text, _ in lines(told))
    why = panels.last_why(room.chat.state)
    assert why is not None and len(why.steps) == 4
    assert any("[concluded, 60% sure]" in text for event in room.say("/memories") for text, _ in lines(event))
    transcript: list[Any] = []
    for event in events:
        transcript = after(transcript, event)
    assert any("step 2, search" in item.text for item in transcript)
    room.say("/undo")
    assert not room.store.facts.all(room.chat.user.id, derived=True)


def test_a_look_up_that_is_stopped_says_so_and_nothing_more_is_asked(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.say("fact: Ana keeps bees.")
    gate = threading.Event()
    lm = hop(room, monkeypatch, ScriptedLine(call("search", query="bees"), gate=gate))
    seen: list[e.Event] = []
    for event in room.chat.submit("Where does Ana keep bees?"):
        seen.append(event)
        if isinstance(event, e.HopTaken):
            assert lm.started.wait(10)
            room.chat.stop()
            gate.set()
    assert any(isinstance(event, e.ReplyStopped) for event in seen)
    assert len(lm.calls) == 1


def test_small_talk_and_a_chat_without_the_setting_take_no_steps(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().hops is False
    room.say("fact: Ana keeps bees.")
    assert not any(isinstance(event, e.HopTaken) for event in room.say("Where does Ana keep bees?"))
    lm = hop(room, monkeypatch, call("finish", answer="x"))
    assert not any(isinstance(event, e.HopTaken) for event in room.say("Ana keeps bees, you know"))
    assert not lm.calls


def test_condensed_notes_are_told_with_both_sizes() -> None:
    ((text, style),) = lines(e.NotesCondensed(21_044, 6_310))
    assert "21,044 to 6,310 tokens" in text and style == "dim"
    ((text, style),) = lines(e.NotesCondensed(21_044, 6_310, 2))
    assert "2 parts" in text and style == "warn"


@pytest.mark.parametrize(("words", "on"), [([], None), (["--think", "hops"], True), (["--think", "once"], False)])
def test_the_flag_is_the_setting(words: list[str], on: bool | None) -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    assert getattr(parser.parse_args(words), "hops", None) is on


def test_the_setting_loads_what_takes_the_steps(tiny_home: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        session = store.sessions.start(store.users.get("me").id)
        for text in ("my sister is called Ana", "Ana keeps bees", "we ate cake"):
            store.turns.add(session.id, "User", text)
        for on in (False, True):
            loader = AgentLoader(Settings(hops=on), lambda: store)
            agents = loader.get()
            assert (agents.hops is not None) is on
            if agents.hops is not None:
                user = store.users.get("me")
                end = [*agents.hops.run(user, "What is my sister called?", now="2026-05-08T12:00:00Z")][-1]
                assert isinstance(end, Looked) and len(end.recall.hops) == 2
            loader.close()
