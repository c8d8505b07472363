"""How the page behaves under hands: what is clicked twice, where the focus goes, and what stands in the way of what."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.web.conftest import LINE, Served, counts, done, gone, incognito, loaded, say, see

DESKTOP, PHONE = (1280, 800), (390, 844)
REACHED = (
    "at => { const { left, top, width, height } = at.getBoundingClientRect();"
    " return at.contains(document.elementFromPoint(left + width / 2, top + height / 2)) }"
)
"""Whether a click on the middle of an element reaches it: it is in sight, and nothing lies over it."""


def sized(page: Any, size: tuple[int, int]) -> None:
    """The page, opened anew in a window of that size."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.reload()
    page.wait_for_selector(f"{LINE}:visible")
    page.wait_for_selector("#status b")
    if size[0] < 768:
        page.wait_for_selector(".sidebar.open", state="detached")
        page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")


def becomes(page: Any, found: Any, true: str) -> None:
    """Waits until something is true of an element."""
    page.wait_for_function(true, arg=found.element_handle())


def focused(page: Any, place: str, number: int = 0) -> None:
    """Waits until that one of a place has the focus, also where it was drawn anew meanwhile."""
    page.wait_for_function(
        "([place, number]) => document.activeElement === document.querySelectorAll(place)[number]", arg=[place, number]
    )


@pytest.mark.parametrize(("way", "gated"), [("click", True), ("click", False), ("enter", True)])
def test_who_sends_twice_by_mistake_sends_once_and_stops_nothing(
    page: Any, local: Served, way: str, gated: bool
) -> None:  # fmt: skip
    for number, gap in enumerate((0, 120, 250), 1):
        local.tell(set={"gated": gated})
        before = len(local.tell()["begun"])
        page.fill(LINE, f"hello {number}")
        box = page.locator("#send").bounding_box()
        for wait in (gap, 900):
            if way == "click":
                page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            else:
                page.keyboard.press("Enter")
            page.wait_for_timeout(wait)
        assert len(local.tell()["begun"]) == before + 1, gap
        local.tell(set={"gated": False}, release=9)
        counts(page, "#chat [data-testid=bot]", number)
        done(page)
        assert page.inner_text("#chat").count("Nice to meet you.") == number
        assert page.locator("#chat [data-testid=user]").count() == number, gap
        assert page.get_by_test_id("toast-body").count() == 0
        assert "stopped" not in page.inner_text("#chat"), gap


def test_who_sent_by_enter_may_stop_at_once(page: Any, local: Served) -> None:
    local.tell(set={"gated": True})
    say(page, "hello")
    page.click("#stop")
    done(page)
    see(page, "#chat", "stopped")
    local.tell(set={"gated": False})


def test_another_line_may_follow_at_once(page: Any, local: Served) -> None:
    for line in ("/memory", "/stats"):
        say(page, line)
    counts(page, "#chat .cm-command", 2)


def test_what_is_typed_before_the_server_took_the_line_stays(page: Any, local: Served) -> None:
    asked = "**/queue/join*"
    held = list[Any]()
    page.route(asked, lambda route: held.append(route))
    say(page, "/memory")
    page.wait_for_function("document.querySelector('#line textarea').value == ''")
    page.fill(LINE, "/stats")
    page.route(asked, lambda route: route.continue_())
    for route in held:
        route.continue_()
    see(page, "#chat", "/memory")
    done(page)
    page.wait_for_timeout(300)
    assert page.input_value(LINE) == "/stats"


def test_an_enter_in_an_empty_box_wipes_nothing_that_is_typed_behind_it(page: Any, local: Served) -> None:
    asked = "**/queue/join*"
    held = list[Any]()
    page.route(asked, lambda route: held.append(route))
    page.press(LINE, "Enter")
    page.wait_for_timeout(300)
    page.fill(LINE, "/stats")
    page.route(asked, lambda route: route.continue_())
    for route in held:
        route.continue_()
    page.wait_for_timeout(1_500)
    assert held and page.input_value(LINE) == "/stats"


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_history_is_in_sight_and_escape_shuts_it(page: Any, local: Served, size: tuple[int, int]) -> None:
    user = local.store.users.get("me").id
    for number in range(12):
        local.store.facts.remember(user, "Ana", "", f"Fact {number}.")
    sized(page, size)
    see(page, "#memory", "Fact 11.")
    for place in (11, 3):  # the second takes the place of the first
        button = page.locator("#memory [data-act=history]").nth(place)
        button.click()
        shown = page.locator(f"#detail section[data-of='{button.get_attribute('data-id')}']")
        shown.wait_for()
        becomes(page, shown.locator("[data-act=close]"), REACHED)
        assert shown.locator("h4").evaluate("at => at.getBoundingClientRect().top") >= 0
    page.keyboard.press("Escape")
    counts(page, "#detail section", 0)
    focused(page, "#memory [data-act=history]", 3)
    becomes(page, button, REACHED)


def test_escape_gives_the_focus_back_to_what_opened_a_form_or_a_question(page: Any, local: Served) -> None:
    for line in ("fact: I have two cats.", "fact: I sail."):
        say(page, line)
    see(page, "#memory", "I sail.")
    done(page)
    for act, opened in (("edit", ".cm-form"), ("forget", "#ask")):
        button = page.locator(f"#memory [data-act={act}]").nth(1)
        button.click()
        page.wait_for_selector(f"{opened} :focus")
        page.keyboard.press("Escape")
        page.wait_for_selector(opened, state="hidden")
        focused(page, f"#memory [data-act={act}]", 1)
        page.wait_for_timeout(1_200)  # also after the server has drawn the list anew
        focused(page, f"#memory [data-act={act}]", 1)


def test_what_was_said_may_stay_by_one_click(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    page.click("#memory [data-act=forget]")
    see(page, "#question", "Erase this for good?")
    assert "--keep" not in page.inner_text("#question")
    assert page.locator("#keep-others").count() == 0
    page.click("#keep-lines")
    gone(page, "#memory", "two cats")
    see(page, "#chat", "What was said stays, as you chose")
    user = local.store.users.get("me").id
    [session] = local.store.sessions.all(user)
    assert local.store.facts.all(user, current=False) == []
    assert local.store.turns.of(session.id)[0].text == "fact: I have two cats."


def test_a_window_that_gets_narrow_folds_the_sidebar_and_its_question_fits(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#memory", "two cats")
    page.wait_for_selector(".sidebar.open")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.wait_for_selector(".sidebar.open", state="detached")
    page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")
    page.click("#memory [data-act=forget]")
    see(page, "#yes", "Yes, all of it (1 fact, 1 line)")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    wide = "[...document.querySelectorAll('#ask button')].filter(each => each.scrollWidth > each.clientWidth).length"
    assert page.evaluate(wide) == 0
    page.click("#no")
    page.wait_for_selector("#ask", state="hidden")
    page.click(".sidebar .toggle-button")
    page.wait_for_selector(".sidebar.open")  # it stays open where it is opened


def test_out_of_incognito_the_session_of_before_goes_on(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#memory", "two cats")
    done(page)
    incognito(page, "incognito")
    gone(page, "#chat", "two cats")
    page.get_by_role("tab", name="Chat").click()
    say(page, "nobody hears this")
    see(page, "#chat", "Nice to meet you.")
    done(page)
    incognito(page, "memory on")
    page.get_by_role("tab", name="Chat").click()
    see(page, "#chat", "fact: I have two cats.")
    gone(page, "#chat", "nobody hears this")
    see(page, "#sessions .cm-current", "two cats")


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_message_stands_in_nobodys_way(page: Any, local: Served, size: tuple[int, int]) -> None:
    sized(page, size)
    local.tell(set={"gated": True})
    say(page, "hello")
    page.wait_for_selector("#stop:visible")
    page.fill(LINE, "and another")
    page.press(LINE, "Enter")
    see(page, "[data-testid=toast-text]", "A reply is being written")
    tabs = [tab for tab in page.get_by_role("tab").all() if tab.is_visible()]
    assert len(tabs) > 2
    for tab in tabs:
        becomes(page, tab, REACHED)
    for place in ("#stop", "#line", "#words"):
        becomes(page, page.locator(place), REACHED)
    page.wait_for_selector("[data-testid=toast-text]", state="detached", timeout=9_000)
    local.tell(set={"gated": False}, release=9)
    done(page)


def test_what_is_wrong_with_a_file_is_told_of_its_own_name(page: Any, local: Served) -> None:
    page.get_by_role("tab", name="Files").click()
    page.set_input_files("#file input[type=file]", files=[
        {"name": "bad2.csv", "mimeType": "text/csv", "buffer": b"who,what\nAna,Ana sails.\n"}])  # fmt: skip
    see(page, "[data-testid=toast-text]", "bad2.csv has no columns named subject and fact")
    assert "/" not in page.inner_text("[data-testid=toast-text]")


@pytest.mark.parametrize("width", [390, 700])
def test_the_sidebars_arrow_can_be_clicked_and_goes_away_with_the_top_of_a_phone(
    page: Any, local: Served, width: int
) -> None:
    user = local.store.users.get("me").id
    for number in range(25):
        local.store.facts.remember(user, "Ana", "", f"Fact {number}.")
    sized(page, (width, 600))
    see(page, "#memory", "Fact 3.")
    arrow = page.locator(".sidebar .toggle-button")
    becomes(page, arrow, REACHED)
    arrow.click()
    page.wait_for_selector(".sidebar.open")
    page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")
    becomes(page, arrow, REACHED)
    box = arrow.bounding_box()
    assert box["x"] + box["width"] <= width - 10  # clear of the window's edge
    arrow.click()
    page.wait_for_selector(".sidebar.open", state="detached")
    page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")
    page.evaluate("window.scrollTo(0, 500)")
    assert arrow.evaluate("at => at.getBoundingClientRect().bottom") <= 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_date_that_can_be_read_in_two_ways_is_asked_about(page: Any, local: Served) -> None:
    say(page, "fact: I am moving to Ghent.")
    page.click("#memory [data-act=edit]")
    page.fill(".cm-form [name=happened_on]", "12/05/2027")
    page.press(".cm-form [name=happened_on]", "Enter")
    see(page, ".cm-form [role=alert]", "write it as 2027-05-12 or “12 May 2027”")
    assert page.input_value(".cm-form [name=happened_on]") == "12/05/2027"
    focused(page, ".cm-form [name=happened_on]")
    page.fill(".cm-form [name=happened_on]", "12 May 2027")
    page.press(".cm-form [name=happened_on]", "Enter")
    see(page, "#memory", "2027-05-12")
    page.wait_for_selector(".cm-form", state="detached")
    see(page, "#chat .cm-chip", "now: I am moving to Ghent. (2027-05-12)")
    page.reload()
    loaded(page)
    see(page, "#chat .cm-chip", "now: I am moving to Ghent. (2027-05-12)")


def test_commands_in_hints_are_shown_as_code(page: Any, local: Served) -> None:
    page.get_by_role("tab", name="Evaluation").click()
    see(page, "#report-text code", "chatmem eval storage --json")
    assert "`" not in page.inner_text("body")
    page.get_by_role("tab", name="Chat").click()
    say(page, "fact: I have two cats.")
    page.click("#memory [data-act=edit]")
    page.fill(".cm-form [name=happened_on]", "the other dayish")
    page.press(".cm-form [name=happened_on]", "Enter")
    see(page, ".cm-form [role=alert]", "2026 or “last Friday”.")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_long_paste_stays_in_sight_with_its_button(page: Any, local: Served, size: tuple[int, int]) -> None:
    sized(page, size)
    page.fill(LINE, "\n".join(f"{number}. an order of roses" for number in range(200)))
    page.wait_for_function("document.querySelector('#line textarea').offsetHeight > 150")
    if size == PHONE:  # there the page is scrolled to it
        page.locator("#send").scroll_into_view_if_needed()
    for place in (LINE, "#send"):
        box = page.locator(place).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1], place
    assert page.locator("#chat").bounding_box()["height"] > 100
    page.fill(LINE, "")
    page.wait_for_function("document.querySelector('#line textarea').offsetHeight < 80")


def test_each_field_has_a_name_of_its_own(page: Any, local: Served) -> None:
    named = page.locator("textarea:visible, input[type=text]:visible").evaluate_all(
        "all => all.map(one => one.ariaLabel || one.labels[0]?.innerText.trim())"
    )
    assert sorted(named) == ["Message", "Search all that was said", "Search the memory"]


def test_what_was_typed_does_not_come_back_once_it_is_erased(page: Any, local: Served) -> None:
    say(page, "fact: My locker is 447113.")
    see(page, "#memory", "447113")
    say(page, "please forget that my locker is 447113")
    see(page, "#question", "Erase this for good?")
    page.click("#no")
    page.wait_for_selector("#question", state="hidden")
    page.press(LINE, "ArrowUp")
    page.wait_for_function("document.querySelector('#line textarea').value.includes('447113')")
    page.fill(LINE, "")
    say(page, "please forget that my locker is 447113")
    see(page, "#question", "Erase this for good?")
    page.fill(LINE, "yes")
    page.press(LINE, "Enter")
    see(page, "#chat", "Forgotten:")
    for _ in range(4):
        page.press(LINE, "ArrowUp")
        assert "447113" not in page.input_value(LINE)
