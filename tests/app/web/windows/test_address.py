"""The page's address names its session: a reload, back, forward and a bookmark bring it, and nobody else's."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.admin.accounts import Accounts, add
from chatmem.app.web.windows import address
from chatmem.app.web.windows.window import Desk
from chatmem.memory.errors import InputError
from tests.app.web.conftest import Served, gone, loaded, say, see
from tests.app.web.places import Place, make_place


def talk(desk: Desk, *lines: str) -> None:
    for line in lines:
        desk.submit(line, typed=True)
        desk.finish(60)
        assert not desk.busy and desk.chat.wait(60)


def texts(desk: Desk) -> list[str]:
    return [one.text for one in desk.said]


def at(window: Any, query: str) -> None:
    window.wait_for_function("(query) => location.search === query", arg=query)


def test_a_window_shows_the_session_that_its_address_names(place: Place) -> None:
    first = place.house.desk(None, "1")
    assert address.of(first) == ""
    talk(first, "fact: I have two cats.")
    named = address.of(first)
    again = place.house.desk(None, "2")
    address.place(again, named, 0)
    assert texts(again)[:2] == ["fact: I have two cats.", "Nice to meet you."]
    assert address.of(again) == named and again.chips
    address.place(again, "", 0)  # a window stays where it is
    assert address.of(again) == named
    address.go(again, "", 1)
    assert address.of(again) == "" and again.said == []


@pytest.mark.parametrize("wrong", ["999", "-1", "x", "1; DROP TABLE turns", "٣", "9" * 40, "<b>1</b>"])
def test_a_wrong_address_says_so_and_opens_a_new_talk(place: Place, wrong: str) -> None:
    desk = place.house.desk(None, "w")
    talk(desk, "hello")
    address.go(desk, wrong, 1)
    [told] = desk.said
    assert told.role == "note" and told.warns and wrong[:30] in told.text and "new talk" in told.text
    assert address.of(desk) == ""
    talk(desk, "hello again")
    assert texts(desk)[1:] == ["hello again", "Nice to meet you."]


def test_nobody_gets_anothers_session_by_its_number(tmp_path: Path) -> None:
    for name in ("ana", "ben"):
        add(tmp_path / "users.json", name, "a long password")
    place = make_place(tmp_path, accounts=Accounts(tmp_path / "users.json"))
    try:
        ana, ben = place.house.desk("ana", "w"), place.house.desk("ben", "w")
        talk(ana, "fact: Ana's code is 1234.")
        address.place(ben, address.of(ana), 0)
        [told] = texts(ben)
        assert "There is no session" in told and "1234" not in repr(ben.said) and address.of(ben) == ""
    finally:
        place.house.close()


def test_an_address_waits_for_the_reply_and_is_closed_in_incognito(place: Place) -> None:
    desk = place.house.desk(None, "w")
    talk(desk, "hello")
    named = address.of(desk)
    place.knobs.gated = True
    desk.submit("and now?")
    with pytest.raises(InputError, match="being written"):
        address.go(desk, "", 1)
    place.knobs.gated = False
    place.knobs.words.release(5)
    desk.finish(10)
    talk(desk, "/incognito on")
    assert address.of(desk) == ""
    with pytest.raises(InputError, match="Incognito is on"):
        address.go(desk, named, 2)


def test_a_session_that_another_window_goes_on_in_is_shown_whole_and_not_ended(place: Place) -> None:
    one, other = place.house.desk(None, "1"), place.house.desk(None, "2")
    talk(one, "fact: I have two cats.")
    session = one.chat.session
    assert session is not None
    address.place(other, str(session.id), 0)
    talk(one, "what pets do I have?")
    other.notice()
    assert texts(other)[2] == "what pets do I have?"
    assert [turn.text for turn in other.chat.state.recent][-2] == "what pets do I have?"  # and the model knows it
    place.house.leave(None, "1")
    while len(place.house.desks) > 1:
        time.sleep(0.01)
    assert place.store.sessions.get(session.id).ended_at is None
    place.house.leave(None, "2")
    while place.house.desks:
        time.sleep(0.01)
    assert place.store.sessions.get(session.id).ended_at


def test_what_a_window_said_itself_is_no_news_to_it(place: Place) -> None:
    desk = place.house.desk(None, "w")
    talk(desk, "hello", "/help", "fact: I sail.")
    shown = list(desk.said)
    desk.notice()
    assert desk.said == shown


def test_reload_back_and_forward_bring_the_session(page: Any, local: Served) -> None:
    assert "session" not in page.url
    say(page, "fact: I have two cats.")
    see(page, "#chat .cm-chip", "+ I have two cats.")
    page.wait_for_function("location.search !== ''")
    first = re.search(r"\?session=\d+$", page.url)
    assert first is not None
    page.click("#new")
    gone(page, "#chat", "two cats")
    at(page, "")
    say(page, "hello")
    see(page, "#sessions", "hello")
    page.wait_for_selector("#send:visible")
    page.wait_for_function("location.search !== ''")
    second = re.search(r"\?session=\d+$", page.url)
    assert second is not None and second[0] != first[0]
    page.go_back()
    see(page, "#chat", "fact: I have two cats.")
    see(page, "#chat .cm-chip", "+ I have two cats.")
    at(page, first[0])
    page.go_forward()
    gone(page, "#chat", "two cats")
    see(page, "#chat", "hello")
    at(page, second[0])
    page.reload()
    see(page, "#chat", "hello")
    at(page, second[0])
    page.goto(local.url + "/" + first[0])  # as from a bookmark
    see(page, "#chat", "fact: I have two cats.")
    loaded(page)
    page.goto(local.url + "/?session=987654")
    see(page, "#chat", "There is no session 987654 among yours")
    at(page, "")


def test_a_reload_while_a_reply_is_written_shows_it_to_its_end(page: Any, local: Served) -> None:
    local.tell(set={"gated": True})
    say(page, "hello")
    page.wait_for_selector("#stop:visible")
    local.tell(release=2)
    see(page, "#chat", "Nice")
    page.wait_for_function("location.search !== ''")
    page.reload()
    see(page, "#chat", "hello")
    local.tell(set={"gated": False}, release=5)
    see(page, "#chat", "Nice to meet you.")
