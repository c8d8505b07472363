"""Windows of one person beside each other: each shows what the others are at, and a new talk waits for none."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from chatmem.app.shown import events as e
from chatmem.app.web.windows import address
from chatmem.app.web.windows.transcript import after, of_turns
from chatmem.app.web.windows.window import Desk
from chatmem.memory.errors import InputError
from chatmem.memory.values import ASSISTANT, Turn
from tests.app.web.conftest import LINE, Served, done, gone, say, see
from tests.app.web.places import Place
from tests.extras import Later

paint = Later("chatmem.app.web.html.paint")


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def painted(desk: Desk) -> str:
    return " ".join(str(one["content"]) for one in paint.chat(desk))


def replying(place: Place, words: int = 2) -> Desk:
    """A window in which a second line is being replied to, of which so many words have come."""
    desk = place.house.desk(None, "1")
    desk.submit("hello")
    desk.finish(20)
    place.knobs.gated = True
    desk.submit("and now?")
    place.knobs.words.release(words)
    until(lambda: desk.said[-1].writing and desk.said[-1].text)
    return desk


def let_go(place: Place) -> None:
    place.knobs.gated = False
    place.knobs.words.release(20)


def test_a_reply_begun_before_a_reload_is_seen_waited_for_and_stopped(place: Place) -> None:
    first = replying(place)
    other = place.house.desk(None, "2")
    address.place(other, address.of(first), 0)
    place.house.leave(None, "1")
    assert "Nice" in painted(other) and "stopped" not in painted(other)
    busy = paint.bar(other)
    assert not busy[paint.PANES.index("send") - 4]["visible"] and busy[paint.PANES.index("stop") - 4]["visible"]
    seen = paint.stamp(other, "", "")
    typed = [partial(other.submit, line) for line in ("what else?", "/regen", "/edit and then?")]
    for line in (*typed, other.retry):
        with pytest.raises(InputError, match="being written"):
            line()
    other.submit("/help")  # a command is no talk
    other.finish(20)
    assert other.at_work.stop()
    until(lambda: other.at_work is other)
    let_go(place)
    other.notice()
    assert paint.stamp(other, "", "") != seen
    assert [one.role for one in other.said if one.role in ("user", "assistant")] == ["user", "assistant"] * 2


def test_another_talk_of_the_same_person_is_not_held_up(place: Place) -> None:
    first, other = replying(place), place.house.desk(None, "2")
    other.submit("hello there")
    assert other.at_work is other
    let_go(place)
    other.finish(20)
    first.finish(20)


def test_lines_that_another_window_left_are_still_being_remembered(place: Place) -> None:
    place.knobs.storing = 60.0
    desk = place.house.desk(None, "1")
    desk.submit("fact: I have two cats.")
    desk.finish(20)
    other = place.house.desk(None, "2")
    place.house.leave(None, "1")
    assert "remembering 1 line" in paint.status(other)
    seen = paint.stamp(other, "", "")
    place.knobs.storing = 0.0
    until(lambda: "remembering" not in paint.status(other))
    assert paint.stamp(other, "", "") != seen


def test_what_waits_for_the_end_of_incognito_is_remembered_when_the_window_is_closed(place: Place) -> None:
    desk = place.house.desk(None, "1")
    desk.chat.worker.pause()  # so that both wait
    for line in ("fact: I have two cats.", "fact: I have a dog.", "/incognito on"):
        desk.submit(line)
        desk.finish(20)
    assert "2." in desk.said[-1].text
    desk.chat.worker.resume()
    place.house.leave(None, "1")
    other = place.house.desk(None, "2")
    until(lambda: place.store.facts.count(other.user.id) == 2)


def left_waiting(place: Place, line: str) -> Desk:
    """A window of which a line could not be remembered."""
    desk = place.house.desk(None, "1")
    place.knobs.storage_fails = "the model is gone"
    desk.submit(line)
    desk.finish(20)
    assert desk.chat.wait(20)
    place.knobs.storage_fails = None
    assert place.store.facts.count(desk.user.id) == 0
    return desk


def closed(place: Place, window: str) -> None:
    place.house.leave(None, window)
    until(lambda: all(key != window for _, key in place.house.desks))


@pytest.mark.parametrize("how", ["opened", "out of incognito"])
def test_what_a_closed_window_left_is_remembered_by_the_next_that_may_while_another_is_incognito(
    place: Place, how: str
) -> None:
    hidden, user = place.house.desk(None, "2"), left_waiting(place, "fact: I have two cats.").user
    hidden.submit("/incognito on")
    hidden.finish(20)
    closed(place, "1")
    hidden.submit("fact: I have a secret.")
    hidden.finish(20)
    assert hidden.chat.wait(20) and place.store.queue.pending(user.id)  # not by a window that is incognito
    if how == "opened":
        place.house.desk(None, "3")
    else:
        hidden.submit("/incognito off")
        hidden.finish(20)
    until(lambda: [row.fact for row in place.store.facts.all(user.id)] == ["I have two cats."])
    until(lambda: not place.store.queue.pending(user.id))


def test_what_a_closed_window_left_is_tried_by_one_that_is_open_and_said_once(place: Place) -> None:
    other, user = place.house.desk(None, "2"), left_waiting(place, "fact: I have two cats.").user
    assert place.store.queue.pending(user.id)
    closed(place, "1")
    until(lambda: place.store.facts.count(user.id) == 1)
    assert other.chat.wait(20) and len(place.store.journal.entries(user.id)) == 1


def test_what_was_put_aside_by_a_window_in_incognito_is_remembered_once_by_the_next(place: Place) -> None:
    hidden = place.house.desk(None, "1")
    hidden.chat.worker.pause()
    for line in ("fact: I have two cats.", "/incognito on", "fact: I have a secret."):
        hidden.submit(line)
        hidden.finish(20)
    user = place.house.desk(None, "2").user
    until(lambda: place.store.facts.count(user.id) == 1)
    hidden.chat.worker.resume()
    hidden.submit("/incognito off")
    hidden.finish(20)
    assert hidden.chat.wait(20) and [row.fact for row in place.store.facts.all(user.id)] == ["I have two cats."]
    assert len(place.store.journal.entries(user.id)) == 1


def test_a_line_that_is_being_answered_is_left_to_its_window(place: Place) -> None:
    desk = replying(place)
    other = place.house.desk(None, "2")
    assert place.store.queue.pending(desk.user.id) and not other.chat.worker.waiting
    let_go(place)
    desk.finish(20)
    assert desk.chat.wait(20) and not place.store.queue.pending(desk.user.id)


def test_a_new_talk_does_not_wait_for_a_reply(place: Place) -> None:
    desk = replying(place)
    session = desk.chat.session
    assert session is not None
    desk.new_session()
    assert desk.chat.session is None and desk.said == [] and not desk.busy
    let_go(place)
    kept = place.store.turns.of(session.id)[-1]
    assert kept.status == "stopped" and kept.text.startswith("Nice")


def test_two_lines_without_a_reply_between_stay_two() -> None:
    talk = [("Ana", "One."), ("Ana", "Two."), (ASSISTANT, "Yes.")]
    turns = [Turn(at, 1, at, *one, "2026-05-08T09:00:00Z") for at, one in enumerate(talk, 1)]
    assert [one.role for one in of_turns(turns)] == ["user", "note", "user", "assistant"]


def test_how_many_lines_are_waited_for_is_one_line_that_changes_and_goes() -> None:
    said = after([], e.Waiting(12))
    for left in (3, 2, 1):
        said = after(said, e.Waiting(left))
    assert [one.text for one in said] == ["Remembering 1 more line ..."]
    assert [one.text for one in after(said, e.SessionEnded(1))] == ["Bye."]


@pytest.mark.parametrize("what", ["/help", "/history"])
def test_what_is_no_reply_has_no_button_to_give_it_again(page: Any, local: Served, what: str) -> None:
    say(page, "hello")
    see(page, "#chat", "Nice to meet you.")
    page.wait_for_selector("#chat button[aria-label=Retry]:visible")
    say(page, what)
    done(page)
    page.wait_for_selector("#chat button[aria-label=Retry]", state="hidden")
    page.goto(local.url + "/?session=987654")
    see(page, "#chat", "There is no session 987654")
    page.wait_for_selector("#chat button[aria-label=Retry]", state="hidden")


def test_a_new_session_opens_while_a_reply_is_written(page: Any, local: Served) -> None:
    local.tell(set={"gated": True})
    say(page, "hello")
    local.tell(release=2)
    see(page, "#chat", "Nice")
    page.click("#new")
    gone(page, "#chat", "Nice")
    done(page)
    local.tell(set={"gated": False}, release=5)
    assert page.input_value(LINE) == ""


def test_what_another_window_says_while_this_one_does_is_shown_here(place: Place) -> None:
    first = place.house.desk(None, "1")
    first.submit("hello")
    first.finish(20)
    other = place.house.desk(None, "2")
    address.place(other, address.of(first), 0)
    other.submit("fact: I have two cats.")
    other.finish(20)
    first.submit("fact: I have a boat.")
    first.finish(20)
    assert first.chat.wait(20) and other.chat.wait(20)
    for desk in (first, other):
        desk.notice()
        said = [one.text for one in desk.said if one.role == "user"]
        assert said == ["hello", "fact: I have two cats.", "fact: I have a boat."]
