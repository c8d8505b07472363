"""What was said is found by words: the session shows the line that holds them, and opens there."""

from __future__ import annotations

from typing import Any

import pytest

from chatmem.app.web.windows.listing import AROUND, around
from chatmem.memory.store.store import Store
from chatmem.memory.values import FORGOTTEN
from tests.app.web.conftest import Served, see
from tests.app.web.places import Place
from tests.extras import Later

paint = Later("chatmem.app.web.html.paint")

ROSES = ["Roses, too."] * 60


def talk(store: Store, name: str = "me") -> int:
    """A session of many lines, of which one is about a flower."""
    session = store.sessions.start(store.users.get(name).id, title="An evening")
    for number in range(40):
        line = "\n".join([*ROSES, "I like tulips,", "and a ranunculus for Ivy is my favourite.", *ROSES])
        flower = line if number == 20 else f"Line {number}."
        store.turns.add(session.id, "User", flower)
        store.turns.add(session.id, "assistant", "I see.")
    return session.id


def test_a_session_shows_the_line_that_was_searched_for(place: Place) -> None:
    key, desk = talk(place.store), place.house.desk(None, "w")
    [(found, turn)] = place.store.turns.holding([key], "ivy RANUNCULUS").items()
    assert found == key and "ranunculus" in turn.text
    told = paint.session_list(desk, "ranunculus ivy")
    assert "and a ranunculus for Ivy is my favourite." in told and "tulips" not in told
    assert "data-seek" not in paint.session_list(desk)
    assert "data-seek" not in paint.session_list(desk, "evening")  # the title alone holds it
    place.store.turns.set(turn.id, text=FORGOTTEN)
    assert place.store.turns.holding([key], "forgotten") == {}


@pytest.mark.parametrize("words", [["rose"], ["ROSE", "red"], ["nowhere"]])
def test_of_a_long_line_the_words_are_shown_with_some_of_it(words: list[str]) -> None:
    text = f"first\n{'so many words ' * 30}a red rose {'and more ' * 30}"
    told = around(text, words)
    assert len(told) <= AROUND and ("red rose" in told) == (words != ["nowhere"])


@pytest.mark.parametrize("before", ["长" * 200, "https://example.org/" + "a" * 150 + "/", "Straße, Größe, Fuß, " * 20])
def test_the_word_is_shown_wherever_spaces_are_and_letters_change_their_number(before: str) -> None:
    assert "ranunculus" in around(f"{before}ranunculus{'长' * 200}", ["Ranunculus"])


def test_a_found_session_opens_at_the_line(page: Any, local: Served) -> None:
    talk(local.store)
    page.reload()
    page.wait_for_selector("#status b")
    page.fill("#find input, #find textarea", "ranunculus")
    see(page, "#sessions .cm-found", "ranunculus")
    page.click("#sessions [data-act=resume]")
    page.wait_for_function("getSelection().toString() === 'and a ranunculus for Ivy is my favourite.'")
    page.wait_for_timeout(2_000)  # Gradio goes to the end of a talk that it has drawn
    inside = """() => {
        const at = getSelection().getRangeAt(0).getBoundingClientRect();
        const box = document.querySelector('#chat').getBoundingClientRect();
        return at.top >= box.top && at.bottom <= box.bottom }"""
    page.wait_for_function(inside)
