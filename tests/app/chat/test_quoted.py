"""What the chat asks, and what a yes does: of somebody else's words, and whether a memory is over."""

from __future__ import annotations

import pytest

from chatmem.app.chat.worker import asked
from chatmem.app.shown import events as e
from chatmem.app.shown.chips import chips_of_session
from chatmem.app.shown.render import lines
from chatmem.memory.language.own_name import agrees_first
from chatmem.memory.values import Doubt, WriteResult
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.storage.agent import StorageAgent
from tests.app.conftest import Room
from tests.app.test_controller import kinds, only
from tests.models.storage.test_own_evidence import stores_all


def real_agent(room: Room, *replies: str) -> ScriptedLM:
    """Puts the real storage agent over a scripted model."""
    lm = ScriptedLM(list(replies) or [stores_all])
    room.script.run = StorageAgent(lm, room.store).run  # type: ignore[method-assign]
    return lm


def insert(fact: str, topic: str = "talk") -> str:
    return f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('User', '{topic}', '{fact}', NULL);"


def facts(room: Room) -> list[str]:
    return [row.fact for row in room.store.facts.all(room.chat.user.id)]


def test_quoted_words_are_told_and_one_command_takes_them_for_ones_own(room: Room) -> None:
    lm = real_agent(room, insert("User lives in Rome."))
    told = only(room.say("Mia: I live in Rome now"), e.Quoted)
    assert told.words == ("Mia: I live in Rome now",) and facts(room) == [] and lm.calls == []
    shown = " ".join(text for text, _ in lines(told))
    assert "quoted, so no fact is made of it: Mia: I live in Rome now (/mine 1 if they are your own)" in shown
    session = room.chat.session
    assert session is not None
    chips = chips_of_session(room.store, room.chat.user.id, session.id)
    assert "Mia: I live in Rome now" in chips[told.turn_id].quoted
    after = room.say(told.command)
    assert only(after, e.MemoryWritten).turn_id == told.turn_id and facts(room) == ["User lives in Rome."]
    assert chips_of_session(room.store, room.chat.user.id, session.id)[told.turn_id].quoted == ""


def test_of_an_honest_line_nothing_is_told(room: Room) -> None:
    real_agent(room, insert("User got the job."))
    assert "quoted" not in kinds(room.say("Update: I got the job!"))
    assert "failed" in kinds(room.say("/mine"))
    assert facts(room) == ["User got the job."]


@pytest.mark.parametrize(("answer", "kept"), [("yes", ["User is allergic to nuts."]), ("no", []), ("what else?", [])])
def test_a_fact_of_health_from_such_a_line_is_asked_about(room: Room, answer: str, kept: list[str]) -> None:
    real_agent(room, insert("User is allergic to nuts.", "health"), "-- nothing")
    asked = only(room.say("> I sail.\nI'm allergic to nuts."), e.FactAsked)
    assert "User is allergic to nuts." in asked.text and facts(room) == []
    room.say(answer)
    assert facts(room) == kept


def test_quoted_words_rename_nobody(room: Room) -> None:
    room.say("my name is Ana")
    for line in ("He said: my name is Max", "<p>call me Max</p>", "```\nmy name is Max\n```"):
        assert "user_changed" not in kinds(room.say(line))
    assert room.chat.user.called == "Ana"


def test_a_rename_is_asked_back_unless_it_is_plainly_said(room: Room) -> None:
    assert "user_changed" in kinds(room.say("Hi, Ana here"))
    assert only(room.say("Hello, Max here!"), e.NameAsked).name == "Max"
    assert room.chat.user.called == "Ana"
    assert "user_changed" in kinds(room.say("yes")) and room.chat.user.called == "Max"
    assert "user_changed" in kinds(room.say("my name is Ana")) and room.chat.user.called == "Ana"
    mixed = room.say("> see you on Monday, Tom\nmy name is Zoe")
    assert only(mixed, e.NameAsked).name == "Zoe" and room.chat.user.called == "Ana"


def test_a_secret_is_told_and_not_written(room: Room) -> None:
    lm = real_agent(room)
    told = room.say("My password is hunter2")
    assert facts(room) == [] and lm.calls == []
    assert "is not written down as a fact" in only(told, e.Notice).text


def test_a_long_paste_below_a_request_is_read_by_no_part(room: Room) -> None:
    lm = real_agent(room)
    text = "Summarise this text:\n\n" + "\n".join(f"I have {n} houses in town {n}, and I sold them." for n in range(60))
    assert only(room.say(text), e.Quoted).words
    assert facts(room) == [] and lm.calls == []


LIVES, NOW = "User lives in Bristol.", "User lives in Porto."


@pytest.mark.parametrize(
    ("answer", "left", "more"),
    [
        ("Yes, that's right, Bristol is over.", [NOW], False),
        ("yes, it is Porto now", [NOW], False),
        ("yes, he said so, and Porto it is now, since the rent in Bristol went up", [NOW], True),
        ("Yes. I found a flat near the river.", [NOW, "User found a flat near the river."], True),
        ("Yes, but I still have the flat there.", [LIVES, NOW], True),
        ("My sister Ida is here.", [LIVES, NOW], True),
    ],
)
def test_a_yes_that_goes_on(room: Room, answer: str, left: list[str], more: bool) -> None:
    more_told = insert("User found a flat near the river.") if "river" in answer else "-- nothing"
    lm = real_agent(room, insert(LIVES), insert(NOW), *[more_told] * 6)
    room.say("I live in Bristol")
    turn = only(room.say("I also live in Porto"), e.TurnSaved).turn
    assert facts(room) == [LIVES, NOW]
    (bristol, _) = room.store.facts.all(room.chat.user.id)
    (room.chat.state.questions.open,) = asked([Doubt(bristol, NOW)], turn.id, None)
    assert f'I noted: "{LIVES[:-1]}". Is it' in room.chat.state.questions.open.text  # it is not what the person typed
    before = len(lm.calls)
    said = only(room.say(answer), e.TurnSaved).turn
    assert room.store.turns.get(said.id).text == answer  # whatever it answers, it is kept as a line
    assert sorted(facts(room)) == sorted(left)
    assert (len(lm.calls) > before) is more  # read for facts, or no more than an answer


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("Yes, that's right, the 12th is off.", "the 12th is off."),
        ("Yes. He left in May", "He left in May"),
        ("yes but not yet", None),
        ("yes, both are true", None),
        ("yes I like tea", None),
        ("no, two", None),
        ("ok, so what now?", None),
    ],
)
def test_what_follows_a_yes(line: str, rest: str | None) -> None:
    assert agrees_first(line) == rest


def test_a_yes_to_a_name_may_go_on(room: Room) -> None:
    room.say("Hi! I'm Ana.")
    answered = room.say("Yes, Ana is fine. My sister has a dog.")
    assert only(answered, e.UserChanged).user.called == "Ana"
    assert room.script.stored[-1][0].text == "My sister has a dog."
    assert only(answered, e.TurnSaved).turn.text == "Yes, Ana is fine. My sister has a dog."


def over(fact: str, memory_id: int, turn_id: int) -> e.ChangeAsked:
    return e.ChangeAsked(f'I noted: "{fact}". Is that over?', memory_id=memory_id, turn_id=turn_id)


@pytest.fixture
def two(room: Room) -> tuple[Room, e.ChangeAsked, e.ChangeAsked]:
    """Two rows, and what is asked of each; the second comes up while the first question stands."""
    room.say("fact: Ana has a cat.", "fact: Ana has a van.")
    cat, van = room.store.facts.all(room.chat.user.id)
    lines = [one.id for one in room.chat.state.recent if one.speaker != "assistant"]
    first, second = over(cat.fact, cat.id, lines[0]), over(van.fact, van.id, lines[1])
    for one in (first, second):
        room.chat.state.worker._emit(one)
    return room, first, second


def questions(events: list[e.Event]) -> list[e.Event]:
    return [one for one in events if isinstance(one, e.ChangeAsked)]


def test_a_yes_answers_what_was_asked_first_and_the_next_is_asked_then(
    two: tuple[Room, e.ChangeAsked, e.ChangeAsked],
) -> None:
    room, first, second = two
    assert questions(room.background) == [first]
    assert questions(room.say("yes")) == [second] and facts(room) == ["Ana has a van."]
    assert questions(room.say("no")) == [] and facts(room) == ["Ana has a van."]


def test_what_is_passed_over_is_answered_by_no_later_yes(two: tuple[Room, e.ChangeAsked, e.ChangeAsked]) -> None:
    room, _, second = two
    assert questions(room.say("it rains")) == [second]
    room.say("it still rains", "yes")
    assert facts(room) == ["Ana has a cat.", "Ana has a van."]


def test_what_is_gone_by_then_is_not_asked(two: tuple[Room, e.ChangeAsked, e.ChangeAsked]) -> None:
    room, _, second = two
    room.store.facts.retire(second.memory_id, turn_ids=[], batch="b", user_id=room.chat.user.id)
    assert questions(room.say("yes")) == [] and facts(room) == []
    room.say("yes")
    assert room.chat.state.questions.open is None


def test_a_line_that_is_read_anew_asks_anew(two: tuple[Room, e.ChangeAsked, e.ChangeAsked]) -> None:
    room, first, second = two
    again = over("Ana has a cat.", second.memory_id, first.turn_id)
    room.chat.state.worker._emit(again)
    assert room.chat.state.questions.open is again


@pytest.mark.parametrize("line", ["please forget that Ana has a van", "/forget 2"])
def test_where_an_erase_is_asked_nothing_else_is_asked_until_it_is_answered(
    two: tuple[Room, e.ChangeAsked, e.ChangeAsked], line: str
) -> None:
    """Else a yes would erase, though another question was read last."""
    room, first, second = two
    room.chat.state.questions.take()
    asked = room.say(line)
    assert any(isinstance(one, e.Asked) for one in asked) and questions(asked) == []
    room.chat.state.worker._emit(second)
    assert questions(room.background) == [first] and questions(room.say("hm, maybe")) == []
    room.chat.declined()
    assert questions(room.background) == [first, second]


def test_whoever_went_on_from_a_question_is_asked_again_only_by_a_line_about_it(room: Room) -> None:
    room.say("fact: Ana has a van.")
    (van,) = room.store.facts.all(room.chat.user.id)
    room.script.run = lambda turns, user: WriteResult((), doubts=(Doubt(van, ""),))  # type: ignore[method-assign]
    asked_at = [
        line for line in ("so dead today", "it rains", "the van, hm", "good night") if questions(room.say(line))
    ]
    assert asked_at == ["so dead today", "the van, hm"]
