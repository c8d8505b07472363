"""A line that wishes something forgotten, in a window: shown as typed, with what came of it, and kept nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from chatmem.app.shown import choices
from chatmem.app.web.handlers.clicks import act
from chatmem.app.web.windows.transcript import ERASED
from chatmem.app.web.windows.window import Desk
from tests.app.chat.test_forgetting_words import Reader
from tests.app.web.conftest import Served, before, done, gone, say, see
from tests.app.web.places import Place
from tests.extras import Later

paint = Later("chatmem.app.web.html.paint")
api = Later("chatmem.app.web.handlers.api")

CATS, WISH = "fact: I have two cats.", "Please forget my two cats."


@pytest.fixture
def desk(place: Place) -> Desk:
    made = place.house.desk(None, "w")
    types(made, CATS)
    return made


def types(desk: Desk, line: str) -> None:
    desk.submit(line, typed=True)
    desk.finish(60)
    assert desk.chat.wait(60)


def last(desk: Desk, count: int) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in desk.said[-count:]]


AGAIN = "Nothing was erased; ask again if you still want it gone."


def test_a_wish_is_shown_as_typed_and_kept_nowhere(desk: Desk, place: Place) -> None:
    types(desk, WISH)
    assert desk.asked is not None and last(desk, 1) == [("wish", WISH)]
    [session] = place.store.sessions.all(desk.user.id)
    assert WISH not in [one.text for one in place.store.turns.of(session.id)]
    shown = paint.chat(desk)[-1]
    assert shown["role"] == "user" and not paint.is_line(shown) and WISH in shown["content"].value
    types(desk, "no")
    assert last(desk, 2) == [("wish", WISH), ("note", "Nothing was erased; all stays as it was.")]


@pytest.mark.parametrize("line", ["hm, maybe", "yes but keep the dog", "what would go?", "no wait"])
def test_half_an_answer_is_kept_nowhere_and_the_question_stays_open(desk: Desk, place: Place, line: str) -> None:
    types(desk, WISH)
    asked, turns = desk.asked, place.store.stats(desk.user.id)
    types(desk, line)
    assert desk.asked is asked is not None and place.store.stats(desk.user.id) == turns
    assert "the question stands: “yes” erases it" in desk.said[-1].text
    types(desk, "yes")
    assert desk.asked is None and not place.store.facts.all(desk.user.id)


@pytest.mark.parametrize("line", ["fact: I sail.", "/memory cats", WISH])
def test_a_question_that_the_next_line_passes_over_is_told_to_be_over(desk: Desk, line: str) -> None:
    types(desk, WISH)
    types(desk, line)
    texts = [one.text for one in desk.said]
    assert texts[texts.index(WISH) : texts.index(WISH) + 3] == [WISH, AGAIN, line]
    assert (desk.asked is not None) == (line == WISH)


def test_a_question_of_a_button_is_told_to_be_over_as_well_but_no_click_on_no_is(desk: Desk, place: Place) -> None:
    [row] = place.store.facts.all(desk.user.id)
    act(desk, {"act": "forget", "id": row.id})
    shown = list(desk.said)
    desk.answer(False)
    assert desk.said == shown
    act(desk, {"act": "forget", "id": row.id})
    types(desk, "hello")
    assert ("note", AGAIN) in last(desk, 3)
    session = place.store.sessions.all(desk.user.id)[0]
    desk.ask_to_delete(session)
    types(desk, "hello")
    assert "delete-session" not in " ".join(one.text for one in desk.said)


@pytest.mark.parametrize("line", [WISH, "/forget cats"])
def test_what_was_erased_is_told_under_its_wish_without_its_words(desk: Desk, line: str) -> None:
    types(desk, line)
    desk.answer(True)
    desk.finish(60)
    [wish, report] = last(desk, 2)
    assert wish == ("wish", ERASED) and report[1].startswith("- Forgotten: 1 row")
    assert "cats" not in " ".join(one.text for one in desk.said)
    assert api._reply(desk) == report[1]


def test_a_button_wished_nothing_in_words(desk: Desk, place: Place) -> None:
    [row] = place.store.facts.all(desk.user.id)
    types(desk, WISH)
    act(desk, {"act": "forget", "id": row.id})
    desk.answer(True)
    desk.finish(60)
    assert "wish" not in [one.role for one in desk.said] and "cats" not in " ".join(one.text for one in desk.said)


def test_a_line_that_is_kept_and_one_that_is_given_back_are_no_wishes(desk: Desk) -> None:
    types(desk, WISH)
    types(desk, "hello")
    assert [one.text for one in desk.said if one.role == "wish"] == [WISH]
    desk.chat.state.closed = {"forget": "Nothing can be forgotten here."}
    types(desk, "forget my two cats")
    assert desk.unkept and [one.text for one in desk.said if one.role == "wish"] == [WISH]


def test_the_button_says_how_much_goes_where_some_of_it_may_stay(desk: Desk, place: Place) -> None:
    sql = "INSERT INTO memory (subject, fact) VALUES ('User', 'User sails.'), ('User', 'User rows.');"
    types(desk, f"sql: {sql}")
    rows = {one.fact: one.id for one in place.store.facts.all(desk.user.id)}
    act(desk, {"act": "forget", "id": rows["User sails."]})
    told = dict(zip(paint.PANES, paint.whole(desk), strict=True))
    assert told["yes"]["value"] == "Yes, all of it (2 facts, 1 line)" and told["keep_others"]["visible"]
    desk.ask_to_delete(place.store.sessions.all(desk.user.id)[0])
    assert choices.agreeing(desk.asked) == choices.agreeing(None) == "Yes"


def test_a_told_name_is_no_row_that_is_counted(desk: Desk) -> None:
    types(desk, "My name is Ruth Hallam. fact: I sail.")
    turn = desk.chips[max(desk.chips)]
    shown = len(turn.chips)
    assert turn.undo > shown and turn.undo_told == f"Undo all {shown}, and the name"


def test_all_is_said_of_a_list_only_where_there_is_no_other_page(desk: Desk, place: Place) -> None:
    assert "> all 1</label>" in paint.memory(desk)
    for number in range(30):
        place.store.facts.remember(desk.user.id, "User", "", f"User has boat {number}.")
    assert "> the 25 on this page</label>" in paint.memory(desk)


def test_a_wish_on_the_page(page: Any, local: Served) -> None:
    say(page, CATS)
    see(page, "#chat .cm-chip", "two cats")
    say(page, WISH)
    see(page, "#chat .cm-wish", WISH)
    page.wait_for_selector("#no:visible")
    see(page, "#yes", "Yes, all of it (1 fact, 1 line)")
    say(page, "hello")
    before(page, WISH, AGAIN)
    before(page, AGAIN, "hello")
    say(page, WISH)
    done(page)
    page.click("#yes")
    see(page, "#chat .cm-wish", ERASED)
    before(page, ERASED, "Forgotten: 1 row")
    gone(page, "#chat", "two cats")


@pytest.mark.parametrize("by_click", [True, False])
def test_a_line_that_was_no_wish_is_talk_after_a_no(
    desk: Desk, place: Place, monkeypatch: pytest.MonkeyPatch, by_click: bool
) -> None:
    monkeypatch.setattr("chatmem.models.chat.forgetting.wished.wishes", Reader)
    types(desk, "fact: My neighbour Rolf drinks.")
    line = "Whoever drinks, up the ladder and away with it"
    types(desk, line)
    assert desk.asked is not None and "comes nearest" in desk.asked.question
    desk.answer(False) if by_click else types(desk, "no")
    assert desk.chat.wait(60)
    [session] = place.store.sessions.all(desk.user.id)
    assert [one.text for one in place.store.turns.of(session.id)].count(line) == 1
    assert last(desk, 2) == [("note", "Nothing was erased; your line is kept as you told it."), ("user", line)]
