"""The talk: sending, streaming, stopping, commands, leaving."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from chatmem.app.tui.base.panel import Confirm
from chatmem.app.tui.widgets.chips import ChipLine
from chatmem.app.tui.widgets.conversation import Exchange
from chatmem.app.tui.widgets.row_list import RowList
from chatmem.memory.forget.proof import Beside
from chatmem.memory.store.store import Store
from tests.app.tui.conftest import Gated, Window, open_window, run


def facts(window: Window) -> list[str]:
    assert window.app.user is not None
    return [memory.fact for memory in window.store.facts.all(window.app.user.id)]


def contents(path: Path) -> list[bytes]:
    """The bytes of the database and of its write-ahead log."""
    return [file.read_bytes() for file in (path, path.with_name(path.name + "-wal")) if file.exists()]


def test_a_reply_streams_in_while_the_model_is_at_work(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.script.gate_at = 2
            window.app.prompt.put("hello there")
            await window.pilot.press("enter")
            await window.sees("hello there")
            await window.sees("Nice")
            assert "meet you" not in window.text()
            await window.pilot.press("o", "k")
            await window.becomes(lambda: window.app.prompt.text, "ok")
            window.script.gate.set()
            await window.sees("Nice to meet you.")

    run(story())


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_a_key_stops_the_reply_and_keeps_what_was_shown(path: Path, key: str) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.script.gate_at = 2
            window.app.prompt.put("hello there")
            await window.pilot.press("enter")
            await window.sees("Nice")
            await window.pilot.press(key)
            await window.sees("(stopped; what you see is kept)")
            window.script.gate.set()
            await window.still()
            session = window.app.controller.session  # type: ignore[union-attr]
            turns = window.store.turns.of(session.id)  # type: ignore[union-attr]
            assert [(turn.text.strip(), turn.status) for turn in turns][1] == ("Nice", "stopped")
            window.script.gate_at = None
            await window.say("and now?")
            await window.sees("Nice to meet you.")

    run(story())


def test_the_first_run_explains_itself_in_three_lines(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.sees("Just talk.", "with Undo and Edit", "F1 lists keys")
            await window.say("hello")
        async with open_window(path) as window:
            assert "Just talk." not in window.text()

    run(story())


def test_a_write_shows_as_a_chip_and_as_a_flashing_row(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.app.pane.flash_seconds = 600.0
            await window.say("fact: I have two cats.")
            await window.sees("+ I have two cats.  #1  Undo  Edit")
            await window.sees("▏ + I have two cats.")
            window.app.pane.flash_seconds = 0.1
            await window.say("fact: I have a dog.")
            await window.sees("▏   I have a dog.")  # its flash is over

    run(story())


def test_undo_on_a_chip_takes_the_write_back(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I have two cats.")
            window.app.pane.flash_seconds = 600.0
            window.app.query_one(ChipLine).focus()
            await window.pilot.press("u")
            await window.still()
            await window.sees("+ I have two cats.  #1 (undone)")
            await window.sees("▏ - I have two cats.")
            await window.becomes(lambda: facts(window), [])
            await window.becomes(lambda: len(window.app.query(ChipLine)), 1)

    run(story())


def test_edit_on_a_chip_puts_the_memory_right_in_place(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I have two cats.")
            window.app.pane.flash_seconds = 600.0
            window.app.query_one(ChipLine).focus()
            await window.pilot.press("e")
            await window.until(lambda: window.app.query_one(ChipLine).query(Input))
            field = window.app.query_one(ChipLine).query_one(Input)
            assert field.value == "I have two cats."
            field.value = "I have three cats."
            await window.pilot.press("enter")
            await window.still()
            await window.sees("~ I have two cats. -> I have three cats.")
            await window.sees("▏ ~ I have three cats.")
            await window.becomes(lambda: facts(window), ["I have three cats."])
            first = window.app.query(ChipLine).first()
            await window.sees("+ I have two cats.  #1 (now: I have three cats.  #2)")
            assert not first.chip.can_undo and first.chip.row == 2  # what it edits is the row as it is now

    run(story())


def test_clicking_undo_works_as_well(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            label = window.app.query_one(ChipLine).query_one(".label")
            await window.until(lambda: "Undo" in window.text().splitlines()[label.region.y])
            at = window.text().splitlines()[label.region.y].index("Undo") - label.region.x
            await window.pilot.click(label, offset=(at, 0))
            await window.still()
            await window.becomes(lambda: facts(window), [])

    run(story())


def test_a_refused_write_and_a_broken_promise_are_told_under_the_reply(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.script.words = ("I'll remember that.",)
            await window.say("sql: DROP TABLE memories;")
            await window.sees("! not written, refused")
            await window.say("nothing to see")
            await window.sees("but no fact was made of your line")

    run(story())


def test_a_failing_endpoint_is_told_and_blocks_nothing(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.script.fail_answer_after = 1
            window.script.storage_fails = "The endpoint answers 503; try again later."
            await window.say("fact: I sail.")
            await window.sees("The endpoint is gone; try again. (Your line is kept.)")
            await window.sees("▲ memory blocked · The endpoint answers 503")
            window.script.fail_answer_after = window.script.storage_fails = None
            await window.say("fact: I row.")
            await window.sees("● memory on")

    run(story())


def test_models_that_do_not_load_are_told_and_can_be_switched(path: Path) -> None:
    async def story() -> None:
        script = Gated(lambda: store)
        store = Store.open(path)
        script.loading_fails = "There is no such model; run chatmem doctor."
        async with open_window(path, script=script, store=store) as window:
            await window.sees("There is no such model")
            await window.say("/model all other")
            await window.say("hello")
            await window.sees("Nice to meet you.")

    run(story())


def test_commands_are_the_controllers_own(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("/remember I like tea.")
            await window.sees("+ I like tea.")
            await window.say("/memory tea")
            await window.sees("Memories about 'tea'")
            await window.say("/nonsense")
            await window.sees("There is no command /nonsense")
            await window.say("/stats")
            await window.sees("waiting to be stored")

    run(story())


def test_a_line_said_anew_takes_the_place_of_the_old_one(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I have two cats.")
            window.script.words = ("Three, ", "then.")
            await window.say("/edit fact: I have three cats.")
            await window.sees("Three, then.")
            await window.becomes(
                lambda: [each.line for each in window.app.query(Exchange)], ["fact: I have three cats."]
            )
            await window.becomes(lambda: facts(window), ["I have three cats."])
            window.script.words = ("Three! ",)
            await window.say("/regenerate")
            await window.sees("Three!")
            await window.becomes(lambda: len(window.app.query(Exchange)), 1)

    run(story())


def test_reset_asks_first_and_no_is_where_the_cursor_is(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.say("reset")
            await window.until(lambda: isinstance(window.app.screen, Confirm))
            await window.pilot.press("enter")
            await window.still()
            await window.becomes(lambda: facts(window), ["I sail."])
            await window.say("reset")
            await window.until(lambda: isinstance(window.app.screen, Confirm))
            await window.pilot.press("f12")
            await window.still()
            await window.sees("Everything is forgotten")
            await window.becomes(lambda: facts(window), [])
            await window.loses("I sail.")

    run(story())


def test_bye_waits_until_all_is_remembered(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            window.app.prompt.put("bye")
            await window.pilot.press("enter")
            await window.until(lambda: window.app.return_code == 0)

    run(story())


def test_leaving_twice_leaves_at_once_and_loses_nothing(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            held = window.script.run
            window.script.run = lambda turns, user: (window.script.gate.wait(10), held(turns, user))[1]  # type: ignore[method-assign]
            window.app.prompt.put("fact: I sail.")
            await window.pilot.press("enter")
            await window.sees("Nice to meet you.")
            await window.pilot.press("ctrl+q")
            await window.sees("Ctrl+Q leaves at once")
            await window.pilot.press("ctrl+q")
            await window.until(lambda: window.app.return_code == 0)
            user = window.store.users.get("me")
            assert [turn.text for turn in window.store.queue.pending(user.id)] == ["fact: I sail."]

    run(story())


def test_a_paste_of_two_hundred_lines_is_one_line_of_talk(path: Path) -> None:
    async def story() -> None:
        pasted = "\n".join(f"line number {n}" for n in range(200))
        async with open_window(path) as window:
            window.app.post_message(events.Paste(pasted))
            await window.becomes(lambda: window.app.prompt.text, pasted)
            await window.until(lambda: 1 < window.app.prompt.size.height <= 8)
            await window.pilot.press("enter")
            await window.still()
            await window.sees("… and 186 more lines, all kept")
            session = window.app.controller.session  # type: ignore[union-attr]
            assert window.store.turns.of(session.id)[0].text == pasted  # type: ignore[union-attr]

    run(story())


def test_earlier_lines_come_back_and_are_kept_in_a_file(path: Path, tmp_path: Path) -> None:
    async def story() -> None:
        kept = tmp_path / "history" / "me"
        async with open_window(path, history=kept) as window:
            await window.say("first")
            await window.say("second")
            window.app.prompt.put("draft")
            await window.pilot.press("up", "up")
            await window.becomes(lambda: window.app.prompt.text, "first")
            await window.pilot.press("down", "down")
            await window.becomes(lambda: window.app.prompt.text, "draft")
        assert kept.stat().st_mode & 0o077 == 0
        async with open_window(path, history=kept) as window:
            await window.pilot.press("up")
            await window.becomes(lambda: window.app.prompt.text, "second")
            window.store.forget.beside = Beside(lambda user: kept)
            await window.say("/reset --yes")
        assert not kept.exists()

    run(story())


def test_newlines_by_ctrl_j_and_shift_enter(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.pilot.press("a", "ctrl+j", "b", "shift+enter", "c")
            await window.becomes(lambda: window.app.prompt.text, "a\nb\nc")

    run(story())


def test_incognito_shows_and_writes_nothing(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.pilot.press("f9")
            await window.still()
            await window.sees("incognito, memory off")
            before = contents(path)
            await window.loses("I sail.")
            await window.becomes(lambda: window.app.pane.query_one(RowList).keys, [])
            await window.say("fact: I spy.")
            await window.say("/regenerate")
            await window.pilot.press("ctrl+r")
            assert window.app.screen is window.app.screen_stack[0]
            assert contents(path) == before
            await window.pilot.press("f9")
            await window.still()
            await window.sees("I sail.")
            assert "I spy." not in window.text()

    run(story())


def test_another_user_sees_only_their_own(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.say("/user ana")
            await window.loses("I sail.")
            await window.say("fact: I row.")
            await window.say("/user me")
            await window.sees("I sail.")
            await window.loses("I row.")

    run(story())


def test_a_told_name_is_shown(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("my name is Ana")
            await window.sees("+ you go by Ana")
            await window.sees("me (Ana)")

    run(story())


def test_a_line_that_waits_for_its_turn_outlives_what_clears_the_talk_before_it(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.script.gate_at = 1
            for line in ("hello", "/incognito on", "I spy."):
                window.app.prompt.put(line)
                await window.pilot.press("enter")
            await window.sees("waits for the reply before it")
            window.script.gate_at = None
            window.script.gate.set()
            await window.still()
            await window.sees("incognito, memory off")
            await window.becomes(
                lambda: [(each.line, each.reply) for each in window.app.query(Exchange)],
                [("I spy.", "Nice to meet you.")],
            )

    run(story())
