"""The controller: what a front end is told, and what is in the database when it is told."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest

from chatmem.app.config.settings import Settings
from chatmem.app.controller import Controller
from chatmem.app.shown import events as e
from chatmem.app.shown.render import lines
from chatmem.memory.values import ASSISTANT
from tests.app.conftest import Room, open_room
from tests.app.script import AGENT, Script

Kind = TypeVar("Kind", bound=e.Event)


def only(events: list[e.Event], kind: type[Kind]) -> Kind:
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, events
    return found[0]


def kinds(events: list[e.Event]) -> list[str]:
    return [e.name_of(event) for event in events]


def test_a_turn_tells_its_story_in_order(room: Room) -> None:
    events = room.say("fact: I have two cats.")
    told = [kind for kind in kinds(events) if kind != "reply_chunk"]
    assert told == [
        "session_started", "turn_saved", "recalled", "reply_started", "reply_finished", "memory_written",
    ]  # fmt: skip
    assert "".join(event.text for event in events if isinstance(event, e.ReplyChunk)) == "Nice to meet you."


def test_what_was_said_is_in_the_database(room: Room) -> None:
    events = room.say("hello", "and you?")
    session = only(events, e.SessionStarted).session
    turns = room.store.turns.of(session.id)
    assert [(turn.speaker, turn.text, turn.status) for turn in turns] == [
        ("User", "hello", "complete"), (ASSISTANT, "Nice to meet you.", "complete"),
        ("User", "and you?", "complete"), (ASSISTANT, "Nice to meet you.", "complete"),
    ]  # fmt: skip
    assert session.title == "hello"
    assert not room.store.queue.pending(room.chat.user.id)


def test_every_chip_is_a_committed_journal_row(room: Room) -> None:
    events = room.say("fact: I live in Graz.", "hm", "fact: My boat is called Nele.")
    for event in events:
        if isinstance(event, e.MemoryWritten):
            for entry in event.entries:
                assert room.store.journal.get(entry.id) == entry
    written = [entry for event in events if isinstance(event, e.MemoryWritten) for entry in event.entries]
    assert written == room.store.journal.entries(room.chat.user.id)
    assert len(written) == 2


def test_a_refused_write_is_told_and_changes_nothing(room: Room) -> None:
    events = room.say("sql: DROP TABLE memories;")
    assert only(events, e.MemoryRefused).reason
    assert room.store.facts.all(room.chat.user.id) == []


def test_what_a_check_threw_away_is_told_where_nothing_else_came_of_the_line(room: Room) -> None:
    events = room.say("thrown: Ana has a cousin Jack.")
    told = only(events, e.MemoryRefused)
    assert told.reason == "It names somebody of whom nobody spoke."
    assert next(iter(lines(told)))[0].startswith("  nothing was noted")
    (entry,) = room.store.journal.entries(room.chat.user.id, kind="refused")
    assert entry.author.actor == "check:invented_names"
    assert only(room.say("/why"), e.Explained).thrown == (entry,)
    assert [row[2] for row in only(room.say("/journal --refused"), e.Listed).rows] == ["check:invented_names"]
    room.say("fact: I like tea.")
    assert only(room.say("/why"), e.Explained).thrown == ()


def test_a_reply_that_promises_to_remember_is_checked(room: Room) -> None:
    room.script.words = ("Great, ", "I'll remember ", "that.")
    assert only(room.say("nothing to see"), e.ClaimUnkept).claim == "I'll remember"
    assert "claim_unkept" not in kinds(room.say("fact: I like tea."))


def test_why_shows_the_lines_that_the_prompt_does_not_repeat(room: Room) -> None:
    room.say("fact: I sail.")
    room.say("what do I do?")
    text, recall, recent = room.script.asked[-1]
    assert text == "what do I do?"
    assert [turn.text for turn in recent] == ["fact: I sail.", "Nice to meet you."]
    assert [item.turns for item in recall.items] == [()]
    explained = only(room.say("/why"), e.Explained).recall
    assert explained.sql == "SELECT * FROM memory;"
    assert [turn.text for item in explained.items for turn in item.turns] == ["fact: I sail.", "Nice to meet you."]


@pytest.mark.parametrize("line", ["my name is Ana", "I'm called Ana.", "Please call me Ana"])
def test_a_told_name_becomes_the_subject(room: Room, line: str) -> None:
    events = room.say("fact: User likes tea.", line)
    assert only(events, e.UserChanged).user.called == "Ana"
    memories = room.store.facts.all(room.chat.user.id)
    assert {memory.subject for memory in memories} == {"Ana"}
    assert "The user's name is Ana." in [memory.fact for memory in memories]
    assert room.store.turns.of(room.chat.session.id)[-2].speaker == "Ana"  # type: ignore[union-attr]


@pytest.mark.parametrize("yes", ["yes", "Yes, please!", "sure", "ok", "yeah that's my name", "Yes, Ana's fine."])
def test_a_name_that_is_not_told_plainly_is_asked_for(room: Room, yes: str) -> None:
    told = room.say("fact: User likes tea.", "Hi! I'm Ana.")
    asked = only(told, e.NameAsked)
    assert (asked.name, room.chat.user.called) == ("Ana", None) and "Ana?" in asked.text
    answered = room.say(yes)
    assert only(answered, e.UserChanged).user.called == "Ana"
    assert "reply_started" not in kinds(answered)  # the answer to a question of the program's is no talk
    memories = room.store.facts.all(room.chat.user.id)
    assert {memory.subject for memory in memories} == {"Ana"}
    named = next(memory for memory in memories if memory.fact == "The user's name is Ana.")
    assert [turn.text for turn in room.store.facts.evidence([named.id])[named.id]] == ["Hi! I'm Ana."]
    room.say("/undo")
    assert room.chat.user.called is None
    assert {memory.subject for memory in room.store.facts.all(room.chat.user.id)} == {"User"}


def test_a_question_for_the_name_may_be_denied_or_passed_over(room: Room) -> None:
    assert "reply_started" not in kinds(room.say("I'm Batman", "no")[-1:])
    assert room.chat.user.called is None and not room.store.facts.all(room.chat.user.id)
    room.say("I'm Batman", "what do I do?")
    assert "user_changed" not in kinds(room.say("yes"))  # it answers the chatbot, not the question before
    assert room.chat.user.called is None
    assert "name_asked" not in kinds(room.say("I'm Croatian", "Hola, soy Ana", "call me a taxi"))
    room.say("my name is Ana")
    assert "name_asked" not in kinds(room.say("I'm Groot"))


def test_an_erased_line_tells_no_name(room: Room) -> None:
    room.say("I'm Ana")
    for turn in room.store.turns.of(room.chat.session.id):  # type: ignore[union-attr]
        room.store.forget.turn(turn.id)
    assert "user_changed" not in kinds(room.say("yes"))
    assert room.chat.user.called is None


def test_a_told_name_is_one_fact_that_can_be_asked_for_corrected_and_undone(room: Room) -> None:
    name = "The user's name is Ana."
    # A model that stores the name as well, in its own line or in a later one, adds nothing.
    told = room.say("my name is Ana", f"fact: {name}")
    assert [entry.after["fact"] for event in told if isinstance(event, e.MemoryWritten)
            for entry in event.entries if entry.after] == [name]  # fmt: skip
    (memory,) = room.store.facts.all(room.chat.user.id)
    assert [turn.text for turn in room.store.facts.evidence([memory.id])[memory.id]] == ["my name is Ana"]
    assert room.store.search(room.chat.user.id, "What is my name?").memories == [memory]
    room.say("my name is Anna")
    assert [m.fact for m in room.store.facts.all(room.chat.user.id)] == ["The user's name is Anna."]
    room.say("/undo")
    assert room.store.facts.all(room.chat.user.id)[0].fact == name
    room.say("/undo")
    assert (room.chat.user.called, room.store.facts.all(room.chat.user.id)) == (None, [])


def test_a_known_name_is_changed_only_by_plain_words(room: Room) -> None:
    room.say("my name is Ana")
    assert "user_changed" not in kinds(room.say("I'm Groot"))
    changed = only(room.say("My name is Anna"), e.UserChanged)
    assert (changed.before, changed.user.called) == ("Ana", "Anna")
    room.say("/undo")
    assert room.chat.user.called == "Ana"


def test_a_failing_reply_leaves_the_line_and_what_came(room: Room) -> None:
    room.script.fail_answer_after = 2
    room.script.delay = 0.1
    events = room.say("fact: I have a dog.")
    assert "endpoint" in only(events, e.Failed).text
    turns = room.store.turns.of(room.chat.session.id)  # type: ignore[union-attr]
    assert [(turn.text, turn.status) for turn in turns[1:]] == [("Nice to ", "failed")]
    assert only(events, e.MemoryWritten).entries


def test_a_model_that_does_not_load_keeps_the_line_for_later(tmp_path: Path) -> None:
    room = open_room(tmp_path / "chat.db")
    room.script.loading_fails = "There is no such model; run chatmem doctor."
    events = room.say("fact: I play the oboe.")
    assert "no such model" in only(events, e.Failed).text
    assert [turn.text for turn in room.store.queue.pending(room.chat.user.id)] == ["fact: I play the oboe."]
    room.chat.close()
    again = open_room(tmp_path / "chat.db")
    list(again.chat.start())
    assert again.chat.wait(10)
    assert [memory.fact for memory in again.store.facts.all(again.chat.user.id)] == ["I play the oboe."]
    assert not again.store.queue.pending(again.chat.user.id)
    again.chat.close()


def test_a_failing_storage_model_is_told_and_tried_again_at_the_next_start(room: Room) -> None:
    room.script.storage_fails = "The endpoint is gone."
    delayed = only(room.say("fact: I sail."), e.MemoryDelayed)
    assert room.store.turns.get(delayed.turn_id).storage == "pending"
    room.script.storage_fails = None
    list(room.chat.start())
    assert room.chat.wait(10)
    assert [memory.fact for memory in room.store.facts.all(room.chat.user.id)] == ["I sail."]
    assert [turn.text for turn in room.script.stored[-1]] == ["fact: I sail.", "Nice to meet you."]


def test_an_unforeseen_failure_of_storage_does_not_end_the_chat(room: Room) -> None:
    room.script.run = lambda turns, user: 1 / 0  # type: ignore[assignment, return-value, method-assign]
    assert "ZeroDivisionError" in only(room.say("hello"), e.MemoryDelayed).reason
    assert "reply_finished" in kinds(room.say("still there?"))


def test_undo_and_redo_by_command(room: Room) -> None:
    room.say("fact: I like rain.")
    before = room.store.facts.all(room.chat.user.id)
    room.say("/undo")
    assert room.store.facts.all(room.chat.user.id) == []
    room.say("/redo")
    assert room.store.facts.all(room.chat.user.id) == before


def test_a_line_said_anew_takes_its_writes_back(room: Room) -> None:
    room.say("fact: I have two cats.")
    room.say("/edit fact: I have three cats.")
    assert [memory.fact for memory in room.store.facts.all(room.chat.user.id)] == ["I have three cats."]
    turns = room.store.turns.of(room.chat.session.id)  # type: ignore[union-attr]
    assert [turn.text for turn in turns] == ["fact: I have three cats.", "Nice to meet you."]


def test_another_reply_takes_the_place_of_the_first(room: Room) -> None:
    room.say("hello")
    room.script.words = ("Good ", "day.")
    room.say("/regenerate")
    turns = room.store.turns.of(room.chat.session.id)  # type: ignore[union-attr]
    assert [turn.text for turn in turns] == ["hello", "Good day."]


def test_reset_asks_and_then_forgets_all(room: Room) -> None:
    room.say("my name is Ana", "fact: I have a secret garden.")
    asked = only(room.say("reset"), e.Asked)
    assert room.store.facts.all(room.chat.user.id)
    done = only(room.say(asked.command), e.Forgotten)
    assert done.everything
    assert done.report.bytes_checked
    assert room.store.stats(room.chat.user.id)["turns"] == 0
    assert room.chat.user.called is None
    assert b"secret garden" not in room.path.read_bytes()
    assert "reply_finished" in kinds(room.say("hello again"))


def test_bye_and_reset_only_as_the_whole_line(room: Room) -> None:
    for line in ("bye bye", "say bye", "reset the clock", "goodbye"):
        assert "reply_finished" in kinds(room.say(line))
    for line in ("bye", " Bye ", "/bye", "/quit"):
        assert kinds(room.say(line)) == ["left"]


def test_bye_waits_and_ends_the_session(room: Room) -> None:
    room.say("hello")
    session = room.chat.session
    assert session is not None
    assert only(list(room.chat.bye()), e.SessionEnded).session_id == session.id
    assert room.store.sessions.get(session.id).ended_at
    assert only(list(room.chat.start(resume=session.id)), e.SessionStarted).resumed
    room.say("back again")
    assert [turn.text for turn in room.script.asked[-1][2]] == ["hello", "Nice to meet you."]


def test_users_do_not_meet(room: Room) -> None:
    room.say("fact: I am the first.")
    first = room.chat.session
    room.say("/user other", "hello")
    assert room.script.asked[-1][1].items == ()
    assert "Nothing" in only(room.say("/memory"), e.MemoriesListed).empty
    assert first is not None
    for line in (f"/resume {first.id}", "/forget 1", "/correct 1 hacked", "/pin 1", "/history 1", "/undo 1"):
        assert "failed" in kinds(room.say(line)), line
    room.say("/user me")
    assert [m.fact for m in only(room.say("/memory"), e.MemoriesListed).memories] == ["I am the first."]


def test_a_long_line_is_kept_whole_and_read_in_part(room: Room) -> None:
    line = "a" * 1_000_000
    events = room.say(line)
    before, cut, after = (event for event in events if isinstance(event, e.Notice))
    assert "1,000,000" in cut.text
    assert "992,000 characters" in before.text, "what is not read for facts"
    assert "29 parts brought none" in after.text
    assert only(events, e.TurnSaved).turn.text == line
    assert len(room.script.asked[-1][0]) <= room.chat.settings.line_chars
    assert len(room.script.stored[-1][0].text) <= room.chat.settings.line_chars


def test_odd_characters_are_no_trouble(room: Room) -> None:
    events = room.say("nul \x00 and half a pair \ud800 and ‮ and 🦊")
    assert only(events, e.TurnSaved).turn.text.endswith("🦊")


WRONG = """/nope|/undo|/undo x|/forget|/sql|/sql DROP TABLE users|/correct 5|/edit|/pin 99|/resume|/resume x
/model wrong role|/model broken|/incognito maybe|/remember|/user a\u202eb""".replace("\n", "|").split("|")


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_is_one_sentence(room: Room, line: str) -> None:
    text = only(room.say(line), e.Failed).text
    assert "\n" not in text
    assert "Traceback" not in text


SHOWN = {
    "/help": "listed", "/memory": "memories_listed", "/why": "explained", "/history 1": "listed", "/sessions": "listed",
    "/stats": "listed", "/model": "listed", "/user": "listed", "/context": "listed", "/unpin 2": "memory_written",
    "/sql SELECT fact FROM memory": "listed", "/new": "notice",
}  # fmt: skip


def test_commands_that_show_something(room: Room) -> None:
    for line in ("fact: I like rain.", "/remember --about Ben Ben likes snow.", "/pin 2"):
        room.say(line)  # each waits until the line before is remembered
    assert {line: kinds(room.say(line))[-1] for line in SHOWN} == SHOWN


def test_incognito_from_the_start_does_not_even_open_the_database(tmp_path: Path) -> None:
    def no_store() -> object:
        raise AssertionError("the database was opened")

    script = Script(no_store)  # type: ignore[arg-type]
    chat = Controller(no_store, script, Settings(), incognito=True)  # type: ignore[arg-type]
    lines = (
        "my name is Ana",
        "fact: I hide.",
        "/regenerate",
        "/edit fact: I hide well.",
        "/memory",
        "/undo",
        "reset",
        "/help",
    )
    events = [event for line in lines for event in chat.submit(line)]
    assert list(chat.start()) == []
    assert [event for event in chat.bye() if isinstance(event, e.SessionEnded)]
    assert chat.close()
    assert script.stored == []
    assert kinds(events).count("reply_finished") == 4
    assert kinds(events).count("failed") == 3
    assert all(recall.items == () for _, recall, _ in script.asked)


def test_events_are_json(room: Room) -> None:
    import json

    events = room.say("fact: I like rain.", "/why", "/memory", "/stats", "sql: DROP TABLE x", "reset")
    for event in events:
        assert json.loads(json.dumps(e.as_dict(event)))["event"] == e.name_of(event)


def test_a_line_that_another_process_wrote_from_and_died_is_not_written_from_again(tmp_path: Path) -> None:
    room = open_room(tmp_path / "chat.db")
    user, store = room.chat.user, room.store
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "fact: I have a dog.", storage="pending")
    sql = "INSERT INTO memory (subject, topic, fact) VALUES ('User', 'pets', 'The user has a dog.')"
    store.facts.write(user.id, sql, author=AGENT, turn_ids=[turn.id])  # and killed before it could say that it was done
    list(room.chat.start())
    assert room.chat.wait(10)
    assert [memory.fact for memory in store.facts.all(user.id)] == ["The user has a dog."]
    assert store.turns.get(turn.id).storage == "done"
    room.chat.close()


def test_two_chats_on_one_database_share_the_lines_that_wait(tmp_path: Path) -> None:
    first = open_room(tmp_path / "chat.db")
    first.script.storage_fails = "The storage model is gone."
    first.say("fact: I have a dog.")
    other = open_room(tmp_path / "chat.db")
    first.script.storage_fails = None
    for chat in (first.chat, other.chat):
        chat.retry_pending()
    assert first.chat.wait(10) and other.chat.wait(10)
    told = [event for event in first.background + other.background if isinstance(event, e.MemoryWritten)]
    assert len(told) == len(first.store.facts.all(first.chat.user.id)) == 1
    first.chat.close()
    other.chat.close()


def test_a_command_that_is_closed_here_says_why_under_any_name(room: Room) -> None:
    chat = Controller(lambda: room.store, room.script, Settings(), shares_store=True, closed={"user": "Sign in anew."})
    for line in ("/user bob", "/USER bob"):
        assert only(list(chat.submit(line)), e.Failed).text == "Sign in anew."
    assert chat.name == "me"
    assert "/user [NAME]" not in [row[0] for row in only(list(chat.submit("/help")), e.Listed).rows]
    assert list(chat.submit("hello"))
    chat.close()
    assert room.store.users.all() is not None  # the store is still open


def test_sql_in_the_chat_ranks_by_what_rows_are_about(room: Room) -> None:
    room.say("fact: I have two cats.", "fact: I live in Graz.")
    listed = only(room.say("/sql SELECT fact FROM memory ORDER BY about('my cats') DESC LIMIT 1"), e.Listed)
    assert listed.rows == (("I have two cats.",),)
