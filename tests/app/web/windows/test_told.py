"""What a window tells of what it has: new dates, near finds, what may stay, and the session it comes back to."""

from __future__ import annotations

from datetime import date, timedelta
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest

from chatmem.app.chat.yes_no import UNASKED
from chatmem.app.shown import choices
from chatmem.app.shown import events as e
from chatmem.app.shown.chips import TurnChips
from chatmem.app.shown.render import quoted_line
from chatmem.app.web.handlers.clicks import act, journal
from chatmem.app.web.html import fragments
from chatmem.app.web.html.literal import unticked
from chatmem.app.web.windows import address
from chatmem.app.web.windows.listing import PAGE, View, by_words, listed
from chatmem.app.web.windows.window import Desk
from chatmem.memory.values import Memory
from tests.app.web.places import Place
from tests.extras import Later

paint = Later("chatmem.app.web.html.paint")

NOW = "2026-05-08T13:56:00Z"


@pytest.fixture
def desk(place: Place) -> Desk:
    return place.house.desk(None, "w")


def say(desk: Desk, line: str) -> None:
    desk.submit(line)
    desk.finish(60)
    assert desk.chat.wait(60)


def fact(key: int, words: str, subject: str = "Ana") -> Memory:
    return Memory(key, 1, subject, "", words, None, NOW, NOW)


def test_a_chip_tells_the_new_date_though_only_that_was_changed(desk: Desk, place: Place) -> None:
    say(desk, "fact: I am moving.")
    [row] = place.store.facts.all(desk.user.id)
    act(desk, {"act": "edit", "id": row.id, "happened_on": "2027-12-05"})
    [turn] = desk.chips.values()
    [row] = place.store.facts.all(desk.user.id)
    assert turn.chips[0].later == f"now: I am moving. (2027-12-05)  #{row.id}"
    assert "now: I am moving. (2027-12-05)" in journal(desk)
    act(desk, {"act": "edit", "id": row.id, "happened_on": ""})
    [turn] = desk.chips.values()
    assert "(" not in turn.chips[0].later


def test_a_quotation_begins_with_no_stray_mark() -> None:
    told = fragments.chips(TurnChips(1, (), 0, quoted_line(["she said so"])))
    assert ">quoted, so no fact is made of it: she said so<" in told


def test_marks_of_code_are_not_shown_where_nothing_reads_them() -> None:
    assert unticked("write `last Friday`, or `2026`.") == "write “last Friday”, or “2026”."
    assert unticked("a ` alone") == "a ` alone"


def test_what_may_stay_is_a_button_and_no_option_to_type(desk: Desk, place: Place) -> None:
    say(desk, "fact: I have two cats.")
    [row] = place.store.facts.all(desk.user.id)
    act(desk, {"act": "forget", "id": row.id})
    assert desk.asked is not None and "--keep-lines" in desk.asked.question
    assert "--keep" not in choices.question(desk.asked) and row.fact in choices.question(desk.asked)
    assert choices.offers(desk.asked) == {"--keep-lines"}
    told = dict(zip(paint.PANES, paint.whole(desk), strict=True))
    assert (told["keep_lines"]["visible"], told["keep_others"]["visible"]) == (True, False)
    desk.answer(True, "--keep-lines")
    desk.finish(60)
    assert place.store.facts.all(desk.user.id, current=False) == []
    assert desk.said[0].text == "fact: I have two cats."
    desk.ask_to_delete(place.store.sessions.all(desk.user.id)[0])
    assert choices.offers(desk.asked) == choices.offers(None) == frozenset()


def test_no_click_and_no_yes_agrees_where_the_whole_memory_goes_by_a_word(desk: Desk, place: Place) -> None:
    say(desk, "fact: I have two cats.")
    say(desk, "forget everything")
    told = dict(zip(paint.PANES, paint.whole(desk), strict=True))
    assert "Type “everything” to do it" in told["question"] and not told["yes"]["visible"]
    say(desk, "yes")
    assert "Nothing is done yet" in desk.said[-1].text and desk.asked is not None
    say(desk, "no")
    assert desk.asked is None and len(place.store.facts.all(desk.user.id)) == 1
    say(desk, "forget everything")
    say(desk, "everything")
    assert place.store.facts.all(desk.user.id, current=False) == []
    say(desk, "/reset")  # the command itself is no word by habit
    assert dict(zip(paint.PANES, paint.whole(desk), strict=True))["yes"]["visible"]


def test_a_window_comes_back_from_incognito_to_where_it_was(desk: Desk, place: Place) -> None:
    say(desk, "fact: I have two cats.")
    before = address.of(desk)
    say(desk, "/incognito on")
    say(desk, "nobody hears this")
    say(desk, "/incognito off")
    assert address.of(desk) == before != ""
    texts = [one.text for one in desk.said]
    assert "fact: I have two cats." in texts and "nobody hears this" not in texts
    say(desk, "/incognito off")  # it is off already: nothing moves
    assert address.of(desk) == before and len(place.store.sessions.all(desk.user.id)) == 1


def test_a_new_talk_stays_new_and_a_deleted_session_is_not_come_back_to(desk: Desk, place: Place) -> None:
    say(desk, "hello")
    key, user = int(address.of(desk)), desk.user.id
    desk.new_session()
    for line in ("/incognito on", "/incognito off"):
        say(desk, line)
    assert address.of(desk) == ""
    desk.resume(key)
    say(desk, "/incognito on")
    place.store.forget.session(key, user_id=user)
    say(desk, "/incognito off")
    assert address.of(desk) == "" and not desk.chat.incognito


def test_what_holds_the_words_comes_before_what_is_near_in_meaning() -> None:
    found = [fact(1, "Ana has a canoe."), fact(2, "Lena is her sister."), fact(3, "It barks.", "Lena"),
             fact(4, "Lena's boats are blue.")]  # fmt: skip
    for words, wanted in (("Lena", [2, 3, 4]), ("len", [2, 3, 4]), ("lena boat", [4]), ("the boat", [4]),
                          ("lena zebra", [2, 3, 4]), ("submarine", [])):  # fmt: skip
        held, near = by_words(found, words)
        assert ([one.id for one in held], len(near)) == (wanted, 4 - len(wanted)), words


def test_a_word_stands_before_what_is_near_on_each_page_that_has_it(
    desk: Desk, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [fact(key, "Ana rows.") for key in range(1, PAGE + 3)] + [fact(99, "Lena is her sister.")]

    def search(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(memories=found)

    monkeypatch.setattr(place.store, "search", search)
    first = listed(place.store, desk.user, View(words="lena"))
    assert (first.rows[0].id, first.near) == (99, 1)
    assert listed(place.store, desk.user, View(words="lena", page=1)).near == 0
    told = paint.memory(desk, "lena")
    assert told.index("Lena is") < told.index("near in meaning:") < told.index("Ana rows.")
    found[:] = [fact(99, "Lena is her sister.")]
    assert "near in meaning" not in paint.memory(desk, "lena")
    assert listed(place.store, desk.user, View()).near is None


ROWS = "sql: INSERT INTO memory (subject, fact) VALUES ('User', 'User sails.'), ('User', 'User rows.');"
OVER = 'On 3 March 2026 I noted: "User skis". Is that over? Say yes or no, or just go on: then both stay.'


@pytest.mark.parametrize("act_of", ["undo-turn", "undo"])
def test_what_came_of_a_line_that_is_taken_back_is_asked_no_more(desk: Desk, place: Place, act_of: str) -> None:
    say(desk, ROWS)
    [turn] = desk.chips.values()
    asked = e.ChangeAsked(OVER, memory_id=1, turn_id=turn.turn_id)
    desk.chat.state._heard(lambda event: None)(asked)
    desk._in_background(asked)
    assert OVER in [one.text for one in desk.said]
    if act_of == "undo":
        act(desk, {"act": "undo", "id": turn.chips[0].entry_id})
        assert desk.chat.state.questions.open is asked and OVER in [one.text for one in desk.said]  # one of them stands
        act(desk, {"act": "undo", "id": turn.chips[1].entry_id})
    else:
        act(desk, {"act": "undo-turn", "id": turn.turn_id})
    assert desk.chat.state.questions.open is None and OVER not in [one.text for one in desk.said]
    say(desk, "yes")
    assert [one.text for one in desk.said if one.role == "user"] == [ROWS, "yes"]  # it answers nothing


def test_undo_as_a_command_says_that_it_is_asked_no_more(desk: Desk) -> None:
    say(desk, ROWS)
    [turn] = desk.chips.values()
    desk.chat.state.questions.open = e.ChangeAsked(OVER, memory_id=1, turn_id=turn.turn_id)
    say(desk, "/undo --turn")
    assert desk.chat.state.questions.open is None and UNASKED in "\n".join(one.text for one in desk.said)


def why_of(desk: Desk) -> str:
    return unescape(fragments.why(desk.why(), opened=desk.chat.last_exchange()[0] is not None))


def test_a_page_that_opens_a_session_says_since_when_nothing_was_looked_up(desk: Desk, place: Place) -> None:
    say(desk, "hello")
    again = place.house.desk(None, "v")
    assert fragments.NOT_YET in why_of(again)
    again.resume(desk.chat.session.id)
    assert fragments.NOT_SINCE in why_of(again)
    say(again, "hello")
    assert "Looked up for" in why_of(again)


def test_a_day_that_is_typed_for_what_is_to_come_is_the_next_one_and_is_told(desk: Desk, place: Place) -> None:
    today = date.fromisoformat(place.store.now()[:10])
    days = {0: today + timedelta(10), 1: None, 2: today - timedelta(30)}
    facts = ("User meets Ana.", "User has a dentist appointment.", "User went to Graz.")
    for number, fact in enumerate(facts):
        place.store.facts.remember(desk.user.id, "User", "", fact, happened_on=str(days[number] or ""))
    typed = f"{today + timedelta(3):%A}"
    rows = {one.fact: one.id for one in place.store.facts.all(desk.user.id)}
    shown = [act(desk, {"act": "edit", "id": rows[fact], "happened_on": typed}) for fact in facts]
    now = {one.fact: one.happened_on for one in place.store.facts.all(desk.user.id)}
    ahead, behind = str(today + timedelta(3)), str(today - timedelta(4))
    assert [now[fact] for fact in facts] == [ahead, ahead, behind]
    assert shown[0].told.startswith(f"“{typed}” is taken as {typed}, ")
    assert act(desk, {"act": "edit", "id": max(rows.values()) + 1, "happened_on": "2027-05-08"}).told == ""
    row = next(one for one in place.store.facts.all(desk.user.id) if one.fact == facts[0])
    assert act(desk, {"act": "edit", "id": row.id, "topic": "friends"}).told == "", "no day was typed"
