"""What the terminal does to the window: sizes, an editor, themes; and values that try to draw by themselves."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.app.chat.parts import Reading
from chatmem.app.shown.status import Standing
from chatmem.app.tui.widgets.memory_pane import MemoryPane
from chatmem.app.tui.widgets.row_list import ListRow, RowList
from chatmem.app.tui.widgets.status_line import WindowState, pieces
from tests.app.tui.conftest import open_window, run


def test_a_resize_in_the_middle_of_a_reply_loses_nothing(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(120, 30)) as window:
            window.script.gate_at = 2
            window.app.prompt.put("hello there")
            await window.pilot.press("enter")
            await window.sees("Nice")
            await window.until(lambda: window.app.query_one(MemoryPane).region.width > 0)
            await window.pilot.resize_terminal(60, 20)
            await window.sees("Nice")
            await window.until(lambda: window.app.query_one(MemoryPane).region.width == 0)
            await window.pilot.resize_terminal(8, 4)
            window.script.gate.set()
            await window.still()
            await window.pilot.resize_terminal(120, 30)
            await window.sees("Nice to meet you.")

    run(story())


def test_the_memory_pane_is_put_away_and_brought_back(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(80, 24)) as window:
            pane = window.app.query_one(MemoryPane)
            await window.until(lambda: pane.region.width == 0)
            await window.pilot.press("ctrl+b")
            await window.until(lambda: pane.region.width > 0)
            await window.pilot.press("ctrl+b")
            await window.until(lambda: pane.region.width == 0)

    run(story())


@pytest.mark.parametrize(("code", "text"), [(0, "from the editor\nin two lines"), (1, "draft")])
def test_the_line_in_an_editor(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, text: str
) -> None:
    editor = tmp_path / "an editor.sh"
    script = 'test "$(cat "$1")" = draft || exit 9\nprintf "from the editor\\nin two lines\\n" > "$1"\n'
    editor.write_text(f"#!/bin/sh\n{script}exit {code}\n")
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", shlex.quote(str(editor)))

    async def story() -> None:
        async with open_window(path) as window:

            @contextlib.contextmanager
            def suspend() -> Iterator[None]:
                yield

            window.app.suspend = suspend  # type: ignore[method-assign]
            window.app.prompt.put("draft")
            await window.pilot.press("ctrl+g")
            await window.becomes(lambda: window.app.prompt.text, text)

    run(story())


def test_the_window_comes_back_from_an_editor_that_does_not_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor --wait")

    async def story() -> None:
        async with open_window(path) as window:
            resumed = []

            @contextlib.contextmanager
            def suspend() -> Iterator[None]:
                yield
                resumed.append(True)  # an exception would pass this by, as it does in Textual

            window.app.suspend = suspend  # type: ignore[method-assign]
            window.app.prompt.put("draft")
            await window.pilot.press("ctrl+g")
            await window.sees("no-such-editor --wait could not be started")
            await window.becomes(lambda: (resumed, window.app.prompt.text), ([True], "draft"))

    run(story())


def test_without_an_editor_it_says_how_to_name_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)

    async def story() -> None:
        async with open_window(path) as window:
            window.app.prompt.put("draft")
            await window.pilot.press("ctrl+g")
            await window.sees("Set EDITOR")
            assert window.app.prompt.text == "draft"

    run(story())


@pytest.mark.parametrize("theme", ["textual-light", "nord", "ansi-dark"])
def test_themes_and_compact_by_setting(path: Path, theme: str) -> None:
    async def story() -> None:
        async with open_window(path, theme=theme, compact=True) as window:
            assert window.app.theme == theme
            await window.say("fact: I sail.")
            await window.sees("+ I sail.")
            await window.loses("╭")

    run(story())


def test_text_from_outside_stays_text(path: Path) -> None:
    """Neither markup, nor control characters, nor very long words may draw the window."""

    async def story() -> None:
        nasty = "[@click=app.exit]x[/] \x1b[2J\x1b]0;t\x07 [bold]b[/bold] " + "w" * 300
        async with open_window(path) as window:
            window.script.words = (nasty,)
            await window.say(f"fact: {nasty}")
            await window.say(f"/memory {nasty[:20]}")
            await window.say("/why")
            await window.sees("[@click=app.exit]x[/]")
            assert "\x1b" not in window.text()
            await window.pilot.press("escape", "ctrl+o", "t")
            await window.still()
            await window.pilot.press("escape", "ctrl+r")
            await window.still()
            assert "\x1b" not in window.text()

    run(story())


def test_the_status_line_says_what_matters_most_when_narrow() -> None:
    state = WindowState(
        Standing(blocked="The disk is full.", speed=12.0), "me", (("answer", "embedded+answer"),), False
    )
    told = [text for text, *_ in pieces(state)]
    assert told == ["▲ memory blocked", "The disk is full.", "me", "embedded+answer", "12 tok/s", "F1 help"]
    assert sorted(pieces(state), key=lambda piece: piece[2])[0][0] == "▲ memory blocked"
    assert "2 to remember, part 3 of 12" in [
        text for text, *_ in pieces(WindowState(waiting=2, reading=str(Reading(2, 12))))
    ]


def test_the_pane_keeps_its_place_while_rows_come(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            rows = window.app.pane.query_one(RowList)
            rows.focus()
            rows.fill([ListRow(n, f"row {n}") for n in range(50_000)])
            rows.show(40_000)
            await window.sees("row 40000")
            rows.fill([ListRow(-1, "new"), *(ListRow(n, f"row {n}") for n in range(50_000))])
            await window.pilot.pause()
            await window.becomes(lambda: rows.key, 40_000)
            await window.pilot.press("home")
            await window.becomes(lambda: rows.key, -1)

    run(story())


def test_a_flashing_row_has_its_colour_beside_its_mark(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.app.pane.flash_seconds = 600.0
            await window.say("fact: I sail.")
            await window.sees("▏ + I sail.")
            strip = window.app.pane.query_one(RowList).render_line(0)
            assert [segment.style.color.name for segment in strip if "I sail." in segment.text] == ["green"]

    run(story())
