"""The page on a phone: what lies over what, what is in sight, and how long the memory is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.web.conftest import Served, done, gone, say, see
from tests.app.web.test_manners import PHONE, becomes, sized

END = "at => at.scrollHeight - at.scrollTop - at.clientHeight < 5"
STILL = "document.getAnimations().every(each => each.playState !== 'running')"
TALK = "#chat .bubble-wrap"


@pytest.fixture
def phone(page: Any) -> Any:
    sized(page, PHONE)
    return page


def opens_the_side(page: Any) -> None:
    page.click(".sidebar .toggle-button")
    page.wait_for_selector(".sidebar.open")
    page.wait_for_function(STILL)


def is_shut(page: Any) -> None:
    """Waits until the talk is in sight; what opens the sidebar again has the focus."""
    page.wait_for_selector(".sidebar.open", state="detached", timeout=5_000)
    page.wait_for_function("document.activeElement?.matches('.sidebar .toggle-button')")


def reads_further_up(page: Any) -> Any:
    """Scrolls the talk up, again where Gradio follows its end late; the round button that leads back down."""
    button = page.locator("#chat .scroll-down-button-container")
    for _ in range(60):
        page.evaluate(f"document.querySelector('{TALK}').scrollTop = 0")
        page.wait_for_timeout(500)
        if button.is_visible():
            return button
    raise AssertionError("nothing leads back to the talk's end")


def test_the_side_goes_away_when_a_session_is_chosen_in_it(phone: Any) -> None:
    say(phone, "fact: I have two cats.")
    see(phone, "#memory", "two cats")
    done(phone)
    opens_the_side(phone)
    phone.click("#new")
    is_shut(phone)
    gone(phone, "#chat", "two cats")
    opens_the_side(phone)
    phone.click("#sessions [data-act=resume]")
    is_shut(phone)
    see(phone, "#chat", "two cats")


def test_the_side_stays_beside_the_talk_where_there_is_room(page: Any) -> None:
    say(page, "hello")
    done(page)
    page.click("#new")
    gone(page, "#chat", "hello")
    assert page.locator(".sidebar.open").count() == 1


def test_the_question_before_an_erase_is_whole_beside_a_scroll_bar(phone: Any) -> None:
    say(phone, "fact: I have two cats.")
    see(phone, "#memory", "two cats")
    done(phone)
    room = PHONE[0] - 15  # a headless browser draws no bar
    phone.evaluate("room => Object.defineProperty(document.documentElement, 'clientWidth', { get: () => room })", room)
    for act, opened in (("forget", "#ask"), ("edit", ".cm-form")):
        phone.click(f"#memory [data-act={act}]")
        phone.wait_for_selector(f"{opened}:visible")
        box = phone.locator(opened).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= room
        phone.keyboard.press("Escape")
        phone.wait_for_selector(opened, state="hidden")


def test_nothing_of_the_talk_lies_over_the_question_before_an_erase(phone: Any) -> None:
    for number in range(6):
        say(phone, f"fact: number {number}")
        see(phone, "#memory", f"number {number}")
    done(phone)
    say(phone, "forget number 5")
    phone.wait_for_selector("#no:visible")
    done(phone)
    round_button = reads_further_up(phone)
    layer = "at => Number(getComputedStyle(at).zIndex)"
    assert round_button.evaluate(layer) < phone.locator("#ask").evaluate(layer)


def test_who_says_something_further_up_sees_it_and_who_reads_there_is_left_alone(phone: Any, local: Served) -> None:
    for number in range(6):
        say(phone, f"fact: number {number}")
        see(phone, "#memory", f"number {number}")
    done(phone)
    reads_further_up(phone)
    local.tell(set={"says": ["Is that over? ", "Say yes or no."]})
    say(phone, "hello")
    see(phone, "#chat", "Say yes or no.")
    done(phone)
    becomes(phone, phone.locator(TALK), END)
    local.tell(set={"gated": True})
    say(phone, "and now?")
    phone.wait_for_selector("#stop:visible")
    becomes(phone, phone.locator(TALK), END)
    reads_further_up(phone)
    phone.wait_for_timeout(1_000)
    reads_further_up(phone)
    local.tell(set={"gated": False}, release=9)
    done(phone)
    phone.wait_for_timeout(600)
    assert phone.locator(TALK).evaluate("at => at.scrollTop") < 50


@pytest.mark.parametrize("width", [320, 390])
def test_the_buttons_of_a_memory_stand_in_one_row(page: Any, local: Served, width: int) -> None:
    user = local.store.users.get("me").id
    first = local.store.facts.remember(user, "Ana", "", "Ana sails.")
    local.store.facts.pin(first.memory_id, True)
    local.store.facts.remember(user, "Ana", "", "Ana rows.")
    sized(page, (width, 844))
    see(page, "#memory", "Ana rows.")
    for row in page.locator("#memory .cm-acts").all():
        boxes = [button.bounding_box() for button in row.locator("button").all()]
        assert len(boxes) == 5 and len({box["y"] for box in boxes}) == 1
        assert all(24 <= box["height"] <= 32 for box in boxes)
        assert row.evaluate("at => [...at.children].every(each => each.scrollWidth <= each.clientWidth)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#memory tr").first.bounding_box()["height"] < 90
