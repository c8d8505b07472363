"""A chat with a capable model: a scripted one that keeps the prompts which it was given."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from chatmem.app.chat import models as loading
from chatmem.app.chat.models import AgentLoader, changes_of, options_of, profile_for
from chatmem.app.chat.roles import Agents
from chatmem.app.config.settings import Settings
from chatmem.app.shown import events as e
from chatmem.memory.errors import SettingsError
from chatmem.memory.store.store import Store
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.decoding.scripted import ScriptedLine, ScriptedLM
from chatmem.models.files.profiles.make import Told, make
from chatmem.models.files.profiles.profile import SHIPPED
from tests.app.conftest import Room, open_room

CAPABLE = make(Told("qwen2.5-7b", parameters=7, trained_window=32768))
PROGRAM = "\n".join(f"def step_{n}(x):  # {'=' * 20}\n    return x * {n} + {n % 7}" for n in range(100))
REPLY = " ".join(f"word{n}" for n in range(900))


def capable(path: Path, lm: ScriptedLM, **settings: object) -> Room:
    """A room whose replies are made by the real answer agent."""
    room = open_room(path, **settings)
    answer = AnswerAgent(lm, profile=profile_for(lm, room.chat.settings))
    agents = Agents(room.script, room.script, answer, profile=answer.profile)
    room.script.get = lambda: agents  # type: ignore[method-assign]
    room.script.cancel = lm.cancel  # type: ignore[method-assign]
    return room


def model(*replies: str | ScriptedLine) -> ScriptedLM:
    return ScriptedLM(replies, profile=CAPABLE, context_tokens=CAPABLE.window)


def test_forty_turns_with_a_program_and_a_long_reply_lose_nothing(tmp_path: Path) -> None:
    lm = model("Looks fine.", REPLY, "Go on.")
    room = capable(tmp_path / "chat.db", lm)
    room.say(PROGRAM, "please write a long essay", *(f"we go on with part {n}" for n in range(18)))
    prompt = [message.content for message in lm.calls[-1][0]]
    assert len(lm.calls) == 20
    assert prompt[1] == PROGRAM, "two hundred lines, every one as it was"
    assert prompt[4] == REPLY
    assert prompt[5::2] == [f"we go on with part {n}" for n in range(18)]
    assert not any("reads only" in event.text for event in room.background if isinstance(event, e.Notice))
    room.chat.close()


def test_a_session_that_goes_on_later_is_whole_again(tmp_path: Path) -> None:
    lm = model("Yes.")
    room = capable(tmp_path / "chat.db", lm)
    room.say(*(f"we talk of thing {n}" for n in range(12)), "/new", "/resume 1", "and another thing")
    assert [m.content for m in lm.calls[-1][0] if m.role == "user"] == [
        *(f"we talk of thing {n}" for n in range(12)), "and another thing",
    ]  # fmt: skip
    room.chat.close()


def test_a_long_answer_is_stopped_and_what_came_stays_in_the_talk(tmp_path: Path) -> None:
    gate = threading.Event()
    lm = model(ScriptedLine(REPLY, gate=gate, gate_at=600), "Right.")
    room = capable(tmp_path / "chat.db", lm)
    events, came = [], ""
    for event in room.chat.submit("please tell me a long story"):
        events.append(event)
        if isinstance(event, e.ReplyChunk):
            came += event.text
            room.chat.stop()
    gate.set()
    stopped = next(event for event in events if isinstance(event, e.ReplyStopped))
    assert stopped.turn is not None
    assert stopped.turn.text == came
    room.say("let us go on")
    assert came in [message.content for message in lm.calls[-1][0]]
    room.chat.close()


def test_thoughts_are_hidden_and_told_on_demand(tmp_path: Path) -> None:
    profile = make(Told("qwen3-8b", parameters=8))
    lm = ScriptedLM(["<think>They greet me.</think>Hello you!"], profile=profile, context_tokens=8192)
    room = capable(tmp_path / "chat.db", lm)
    events = room.say("good morning dear friend")
    assert next(event for event in events if isinstance(event, e.ReplyFinished)).turn.text == "Hello you!"
    assert any(isinstance(event, e.ReplyThought) for event in events)
    assert not any(isinstance(event, e.Notice) for event in events)
    assert [event.text for event in room.say("/thinking") if isinstance(event, e.Notice)] == ["They greet me."]
    shown = room.say("/thinking on", "and good evening dear friend")
    assert "(thinks) They greet me." in [event.text for event in shown if isinstance(event, e.Notice)]
    room.chat.close()


def test_settings_change_the_profile() -> None:
    lm = model("x")
    assert profile_for(lm, Settings()) == CAPABLE
    set_to = Settings(reply_tokens=300, recall_words=50, recent_turns=4, temperature=0.5, top_p=0.9, line_chars=900)
    profile = profile_for(lm, set_to)
    assert (profile.reply_tokens, profile.memory_words, profile.talk_turns, profile.line_chars) == (300, 50, 4, 900)
    assert (profile.temperature, profile.top_p) == (0.5, 0.9)
    assert profile_for(ScriptedLM(["x"]), Settings()) == SHIPPED
    assert changes_of(Settings(window=8192, profile="capable=true")) == {"window": 8192, "capable": True}
    with pytest.raises(SettingsError, match="wimdow"):
        changes_of(Settings(profile="wimdow=8192"))


def test_each_role_has_its_own_key_and_threads_are_for_models_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "sk-of-mine-12345")
    settings = Settings(answer_key_env="MY_TOKEN", endpoint_headers="X-Title: chatmem; X-Key: $MY_TOKEN", threads=3)
    told = options_of("openai:m@http://127.0.0.1:1/v1", settings, "answer")
    assert (told["key_env"], told["headers"]) == ("MY_TOKEN", {"X-Title": "chatmem", "X-Key": "sk-of-mine-12345"})
    assert options_of("openai:m", settings, "storage")["key_env"] == ""
    assert options_of("gguf:a.gguf", settings, "storage") == {"changes": {}, "threads": 3}


@pytest.mark.parametrize(
    ("size", "own", "writes"), [(1.5, "", "trained"), (1.5, "gguf:mine.gguf", "own"), (7.0, "", "own")]
)
def test_a_small_model_leaves_the_select_to_the_trained_one_unless_it_is_named_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: float, own: str, writes: str
) -> None:
    select = "SELECT * FROM memory WHERE topic = 'films' LIMIT 5;"
    models = {
        "own": ScriptedLM([select], profile=make(Told("qwen", parameters=size, trained_window=32768))),
        "trained": ScriptedLM([select], adapter="retrieval"),
    }
    monkeypatch.setattr(loading, "_load", lambda spec, *_: models["trained" if "embedded" in spec else "own"])
    with Store.open(tmp_path / "a.db") as store:
        user = store.users.get("me")
        store.facts.remember(user.id, "User", "films", "User saw Arrival.")
        loader = AgentLoader(Settings(model="gguf:a.gguf", retrieval_model=own), lambda: store)
        loader.get().retrieval.recall(user, "How many films did I see?", now=store.now(), asker="User")
        loader.close()
    assert {name for name, lm in models.items() if lm.calls} == {writes}
