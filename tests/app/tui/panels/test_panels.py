"""The panels: why, timeline, context, sessions, SQL console, models, help, palette."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.widgets import DataTable, Input

from chatmem.app.config.zone import Here, day
from chatmem.app.tui.base.panel import Confirm, Field, Reword
from chatmem.app.tui.panels.console import SqlArea, SqlPanel
from chatmem.app.tui.panels.models import ModelsPanel
from chatmem.app.tui.panels.sessions import SessionsPanel
from chatmem.app.tui.panels.why import ContextPage, HelpPage, TimelinePage, WhyPage
from chatmem.app.tui.widgets.row_list import RowList
from chatmem.app.tui.widgets.sql_colours import completion, spans
from chatmem.memory.store.store import Store
from tests.app.tui.conftest import Window, open_window, run


async def opened(window: Window, kind: type[object]) -> None:
    await window.until(lambda: isinstance(window.app.screen, kind))
    await window.still()


def test_why_shows_the_select_the_rows_and_the_lines_with_their_dates(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.say("what do I do?")
            await window.say("/why")
            await opened(window, WhyPage)
            today = day(window.store.now())
            await window.sees(
                "Looked up for: what do I do?", "SELECT * FROM memory;", "#1  I sail.  [User: talk]",
                f"{today} User: fact: I sail.", "not in the prompt",  # the scripted prompt holds no memory
            )  # fmt: skip
            await window.pilot.press("escape")
            await window.say("fact: I row.")
            await window.pilot.press("ctrl+y")
            await opened(window, WhyPage)

    run(story())


def test_why_without_a_reply_says_so(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("/why")
            await window.sees("Nothing was looked up yet")

    run(story())


def test_the_timeline_of_a_fact(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I have two cats.")
            await window.say("/correct 1 I have three cats.")
            await window.pilot.press("ctrl+o")
            await window.until(lambda: window.app.pane.query_one(RowList).has_focus)
            await window.pilot.press("t")
            await opened(window, TimelinePage)
            await window.sees(
                "+ I have two cats.",
                "~ I have two cats. -> I have three cats.",
                "by agent:storage (scripted)",
                "by human",
            )

    run(story())


def test_dates_and_times_are_those_of_the_clock_here(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half past three at night in UTC is still the day before in a place four hours behind."""

    async def story() -> None:
        store = Store.open(path, clock=lambda: datetime(2026, 5, 9, 3, 30, tzinfo=UTC), zone=Here())
        async with open_window(path, store=store) as window:
            await window.say("fact: I sail.")
            await window.say("what do I do?")
            for line, page, told in (
                ("/why", WhyPage, "2026-05-08 User: fact: I sail."),
                ("/history 1", TimelinePage, "2026-05-08 23:30  + I sail."),
                ("/history 1", TimelinePage, "2026-05-08 User: fact: I sail."),
                ("/sessions", SessionsPanel, "2026-05-08 · 4 lines"),
                ("/sessions sail", SessionsPanel, "2026-05-08 User: fact: I sail."),
            ):
                await window.say(line)
                await opened(window, page)
                await window.sees(told)
                await window.loses("2026-05-09")
                await window.pilot.press("escape")

    monkeypatch.setenv("TZ", "XXX+4")
    time.tzset()
    try:
        run(story())
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_context_viewer_shows_each_part_with_its_share(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("hello you")
            await window.say("/context")
            await opened(window, ContextPage)
            await window.sees("5 tokens in 2 parts", "60%, 3 tokens", "You are scripted.")

    run(story())


def test_the_context_viewer_says_why_there_is_no_prompt_as_the_line_chat_does(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("/context")
            await opened(window, ContextPage)
            await window.sees("No prompt was made yet in this session")
            await window.pilot.press("escape")
            await window.say("my name is Owen")
            await window.say("who am I?")
            await window.say("/context")
            await opened(window, ContextPage)
            await window.sees("read off the memory without a model")

    run(story())


def test_sessions_are_searched_resumed_renamed_and_deleted(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: My boat is called Nele.")
            await window.say("/new")
            await window.say("the weather is fine")
            await window.pilot.press("ctrl+r")
            await opened(window, SessionsPanel)
            rows = window.app.screen.query_one(RowList)
            await window.until(lambda: len(rows.keys) == 2)
            await window.pilot.press(*"nele")
            await window.until(lambda: len(rows.keys) == 1)
            await window.sees("User: fact: My boat is called Nele.")

            await window.pilot.press("f2")
            await opened(window, Reword)
            window.app.screen.query_one(Field).text = "The boat"
            await window.pilot.press("enter")
            await window.sees("The boat")
            await window.pilot.press("enter")
            await window.still()
            await window.sees("Going on in session 1")
            await window.sees("+ My boat is called Nele.  #1  Undo  Edit")
            await window.say("and back")
            assert [turn.text for turn in window.store.turns.of(1)][2] == "and back"

            await window.pilot.press("ctrl+r")
            await opened(window, SessionsPanel)
            await window.until(lambda: len(window.app.screen.query_one(RowList).keys) == 2)
            await window.pilot.press("delete")
            await opened(window, Confirm)
            await window.pilot.press("f12")
            await window.until(lambda: len(window.store.sessions.all(1)) == 1)

    run(story())


def test_the_console_reads_and_writes_only_when_told_to(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.pilot.press("f4")
            await opened(window, SqlPanel)
            await window.sees("READ-ONLY")
            await window.pilot.press("enter")
            await window.still()
            await window.sees("1 row")
            table = window.app.screen.query_one(DataTable)
            assert [str(cell) for cell in table.get_row_at(0)][3] == "I sail."

            area = window.app.screen.query_one(SqlArea)
            area.text = "DELETE FROM memory WHERE id = 1;"
            await window.pilot.press("f5")
            await window.sees("refused")
            assert window.store.facts.all(1)
            await window.pilot.press("ctrl+w")
            await window.sees("WRITES, UNDOABLE")
            await window.pilot.press("f5")
            await window.until(lambda: not window.store.facts.all(1))
            await window.pilot.press("escape")
            await window.pilot.press("f8")
            await window.until(lambda: bool(window.store.facts.all(1)))

    run(story())


def test_the_console_completes_columns(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("/sql")
            await opened(window, SqlPanel)
            area = window.app.screen.query_one(SqlArea)
            area.text = ""
            await window.pilot.press(*"SELECT happ")
            await window.becomes(lambda: area.suggestion, "ened_on")
            await window.pilot.press("tab")
            await window.becomes(lambda: area.text, "SELECT happened_on")
            assert [kind for *_, kind in spans(area.text)] == ["keyword", "column"]

    run(story())


def test_completion_leaves_texts_alone() -> None:
    assert completion("SELECT * FROM mem") == "ory"
    assert completion("WHERE topic = 'sub") == ""
    assert completion("WHERE SUB") == "ject"
    assert completion("") == ""


def test_another_model_for_a_role(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            switched: list[tuple[str, str]] = []
            window.script.switch = lambda role, spec: switched.append((role, spec))  # type: ignore[method-assign]
            await window.pilot.press("f3")
            await opened(window, ModelsPanel)
            await window.sees("answer     scripted")
            await window.sees("embedded+storage")
            await window.pilot.press("ctrl+o", "ctrl+o")
            window.app.screen.query_one(Input).value = "openai:gpt-x"
            await window.pilot.press("enter")
            await window.still()
            assert switched == [("storage", "openai:gpt-x")]

    run(story())


def test_memories_are_edited_pinned_filtered_and_forgotten_in_the_pane(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.say("fact: I row.")
            await window.pilot.press("ctrl+o")
            await window.until(lambda: window.app.pane.query_one(RowList).has_focus)
            await window.pilot.press("p")
            await window.still()
            await window.becomes(lambda: [memory.pinned for memory in window.store.facts.all(1)], [False, True])
            await window.pilot.press("e")
            await opened(window, Reword)
            window.app.screen.query_one(Field).text = "I row a lot."
            await window.pilot.press("enter")
            await window.still()
            await window.becomes(
                lambda: [memory.fact for memory in window.store.facts.all(1)], ["I sail.", "I row a lot."]
            )
            await window.pilot.press("slash", *"sail", "enter")
            await window.becomes(lambda: len(window.app.pane.query_one(RowList).keys), 1)
            await window.pilot.press("f")
            await opened(window, Confirm)
            await window.pilot.press("f12")
            await window.still()
            await window.becomes(lambda: [memory.fact for memory in window.store.facts.all(1)], ["I row a lot."])

    run(story())


def test_help_and_palette_name_everything(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(120, 70), keymap="why=f7") as window:
            await window.pilot.press("f1")
            await opened(window, HelpPage)
            await window.sees("F7", "/remember [--about NAME] FACT")
            await window.pilot.press("escape")
            await window.pilot.press("ctrl+p")
            await window.pilot.press(*"sql")
            await window.sees("SQL console")
            await window.pilot.press("enter")
            await opened(window, SqlPanel)

    run(story())


def test_keys_are_bound_anew_by_the_settings(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, keymap="sql=f7") as window:
            await window.pilot.press("f4")
            assert not isinstance(window.app.screen, SqlPanel)
            await window.pilot.press("f7")
            await opened(window, SqlPanel)

    run(story())


def test_a_session_given_at_the_start_is_taken_up(path: Path) -> None:
    async def story() -> None:
        with Store.open(path) as store:
            user = store.users.get("me")
            session = store.sessions.start(user.id, title="older")
            turn = store.turns.add(session.id, "User", "I have a boat.")
            store.turns.add(session.id, "assistant", "**How** nice!")
            store.facts.remember(user.id, "User", "boat", "User has a boat.", turn_ids=[turn.id])
        async with open_window(path, resume=1) as window:
            await window.sees("How nice!")
            await window.sees("+ User has a boat.")

    run(story())


def test_who_types_in_the_memory_pane_or_on_a_chip_means_the_prompt(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            for focus in ("ctrl+o", "shift+tab"):
                await window.pilot.press(focus)
                await window.until(lambda: not window.app.prompt.has_focus)
                await window.pilot.press("M", "y", "space", "p", "e", "t")
                await window.becomes(lambda: window.app.prompt.text, "My pet")
                window.app.prompt.put("")
            await window.pilot.press("ctrl+o", "p")  # but a key that does something there does it
            await window.still()
            await window.sees("▏ ~ I sail.")
            await window.pilot.press("ctrl+n")
            await window.until(lambda: window.app.prompt.has_focus)
            assert window.app.prompt.text == ""

    run(story())


def test_the_console_tells_what_came_of_a_write(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.say("/sql")
            panel = window.app.screen
            assert isinstance(panel, SqlPanel)
            panel.query_one(SqlArea).text = "UPDATE memory SET fact = 'I row.' WHERE id = 1"
            await window.pilot.press("f5")
            await window.sees("(Ctrl+W allows writes)")
            await window.pilot.press("ctrl+w", "f5")
            await window.sees("1 row written; the chips in the talk undo it.")
            panel.query_one(SqlArea).text = "UPDATE memory SET fact = 'x'"
            await window.pilot.press("f5")
            await window.sees("refused:")
            await window.pilot.press("escape")
            await window.sees("~ I sail. -> I row.  #2  Undo  Edit")

    run(story())
