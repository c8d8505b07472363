"""Lines that wait and the windows of one person: one takes them up, at once, whole, and in the manner agreed to."""

from __future__ import annotations

import pytest

from chatmem.app.shown import events as e
from chatmem.app.web.windows import address
from chatmem.app.web.windows.window import Desk
from tests.app.web.places import Place
from tests.app.web.windows.test_beside import closed, left_waiting, let_go, until

PROMISE = ("I'll ", "remember ", "that ", "you like tea.")
QUOTING = "She wrote to me:\n> I have two cats.\n> Best, Eve"


def answering(place: Place, desk: Desk, line: str) -> list[e.Event]:
    """The window is in the middle of a reply that promises something; what its worker tells from here on."""
    told: list[e.Event] = []
    desk.chat.subscribe(told.append)
    place.knobs.gated, place.knobs.says = True, PROMISE
    desk.submit(line)
    place.knobs.words.release(2)
    until(lambda: desk.said and desk.said[-1].writing and desk.said[-1].text)
    return told


def answered(place: Place, desk: Desk) -> list[str]:
    """What is shown when the reply is over and its line remembered."""
    let_go(place)
    desk.finish(20)
    assert desk.chat.wait(20)
    return [one.text for one in desk.said]


def said(desk: Desk, *lines: str) -> None:
    for line in lines:
        desk.submit(line)
        desk.finish(20)


def test_the_line_that_a_window_is_answering_is_not_taken_up_when_another_closes(place: Place) -> None:
    first = place.house.desk(None, "1")
    said(first, "hello")
    assert first.chat.wait(20)  # else its worker waits for the reply, and the window is not closed before
    desk = place.house.desk(None, "2")
    told = answering(place, desk, "I like tea.")
    closed(place, "1")
    desk.begin()
    assert not desk.chat.worker.waiting
    assert answered(place, desk)[:2] == ["I like tea.", "".join(PROMISE)]
    assert [type(event) for event in told] == [e.ClaimUnkept]


def test_a_line_said_in_a_new_window_before_it_takes_up_others_is_not_one_of_them(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, told = Desk.begin, []

    def late(desk: Desk) -> None:
        told.append(answering(place, desk, "I like tea."))
        begin(desk)

    monkeypatch.setattr(Desk, "begin", late)
    desk = place.house.desk(None, "1")
    assert answered(place, desk)[:2] == ["I like tea.", "".join(PROMISE)]
    assert [type(event) for event in told[0]] == [e.ClaimUnkept]


def test_a_reply_stays_in_one_piece_while_lines_from_before_are_taken_up(place: Place) -> None:
    desk = place.house.desk(None, "2")
    user = left_waiting(place, "fact: I have two cats.").user
    answering(place, desk, "I like tea.")
    closed(place, "1")
    until(lambda: desk.chat.worker.waiting)
    line, note, reply, *_ = answered(place, desk)
    assert (line, reply) == ("I like tea.", "".join(PROMISE)) and note.startswith("Lines from before")
    assert place.store.facts.count(user.id) == 1


def test_a_window_that_is_idle_takes_them_up_before_one_that_is_answering(place: Place) -> None:
    busy, idle = place.house.desk(None, "2"), place.house.desk(None, "3")
    left_waiting(place, "fact: I have two cats.")
    answering(place, busy, "I like tea.")
    closed(place, "1")
    until(lambda: idle.chat.worker.waiting)
    assert "Lines from before" in idle.said[-1].text and len(answered(place, busy)) == 3


def test_own_words_agreed_to_before_incognito_are_taken_as_such_by_the_next_window(place: Place) -> None:
    desk = place.house.desk(None, "1")
    said(desk, QUOTING)
    assert desk.chat.wait(20)
    line = place.store.turns.of(1)[0]
    assert line.storage == "quoted"
    desk.chat.worker.pause()
    said(desk, f"/mine {line.id}", "/incognito on", "fact: I have a secret.")
    assert place.house.desk(None, "2").chat.wait(20)
    assert place.store.turns.get(line.id).storage == "kept"
    desk.chat.worker.resume()
    said(desk, "/incognito off")
    assert desk.chat.wait(20) and not place.store.queue.pending(desk.user.id)
    assert place.store.turns.get(line.id).storage == "kept" and not place.store.facts.count(desk.user.id)


def test_a_promise_made_before_incognito_is_held_against_what_the_next_window_wrote(place: Place) -> None:
    desk = place.house.desk(None, "1")
    desk.chat.worker.pause()
    place.knobs.says = PROMISE
    said(desk, "I like tea.", "/incognito on")
    other = place.house.desk(None, "2")
    assert other.chat.wait(20)
    until(lambda: "no fact was made" in other.said[-1].text)


def test_a_line_that_waits_to_be_read_as_it_is_is_read_once_as_ones_own_words(place: Place) -> None:
    desk = place.house.desk(None, "1")
    desk.chat.worker.pause()
    said(desk, QUOTING, "/mine")
    assert [job.own for job in desk.chat.worker.jobs] == [True]
    desk.chat.worker.resume()
    assert desk.chat.wait(20) and place.store.turns.of(1)[0].storage == "kept"


@pytest.mark.parametrize("how", ["closed", "opened"])
def test_a_line_that_waits_is_taken_up_though_windows_show_its_session(place: Place, how: str) -> None:
    others = [place.house.desk(None, window) for window in ("2", "3")]
    first = left_waiting(place, "fact: I have two cats.")
    for other in others:
        address.place(other, address.of(first), 0)
    if how == "closed":
        closed(place, "1")
    else:
        place.house.desk(None, "4")
    until(lambda: not place.store.queue.pending(first.user.id))
    assert [row.fact for row in place.store.facts.all(first.user.id)] == ["I have two cats."]
    assert len(place.store.journal.entries(first.user.id)) == 1


def test_a_line_that_is_said_anew_is_taken_back_from_the_window_that_took_it_up(place: Place) -> None:
    first = left_waiting(place, "fact: I have two cats.")
    place.knobs.storing = 0.5
    other = place.house.desk(None, "2")
    other.chat.worker.pause()
    assert other.chat.worker.waiting == 1
    said(first, "/edit fact: I have three cats.")
    other.chat.worker.resume()
    assert first.chat.wait(20) and other.chat.wait(20)
    assert [row.fact for row in place.store.facts.all(first.user.id)] == ["I have three cats."]
