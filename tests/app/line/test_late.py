"""What comes of a line after the next one was typed is shown under the line that it is of."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Thread

import pytest

from chatmem.app.line import thinking
from chatmem.app.line.input import PipeLines
from chatmem.app.line.line_chat import Chat, TextView
from chatmem.app.shown import events as e
from chatmem.memory.store.store import Store
from chatmem.memory.values import ForgetPlan, ForgetReport, Turn
from tests.app.conftest import Room


def test_late_chips_say_which_line_they_are_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(tmp_path / "m.db") as store:
        _shown_late(store, capsys)


def _shown_late(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    user = store.users.get("ana")
    session = store.sessions.start(user.id)

    def says(text: str) -> Turn:
        return store.turns.add(session.id, "Ana", text)

    first, second = (
        says("I quit the bakery! I'm at a bookshop called Voltaire now, on Thursdays"),
        says("and Leo called"),
    )
    entries = (store.facts.remember(user.id, "Ana", "job", "Ana works at a bookshop."),)
    view = TextView("never", quiet=False, terminal=False)
    shown = []
    for event in (
        e.TurnSaved(first), e.MemoryWritten(first.id, entries), e.TurnSaved(second), e.MemoryWritten(first.id, entries),
        e.MemoryRefused(first.id, "why", "sql"), e.MemoryWritten(second.id, entries), e.MemoryWritten(None, entries),
    ):  # fmt: skip
        view.show(event)
        shown.append([line.strip() for line in capsys.readouterr().out.splitlines()])
    chip = "+ Ana works at a bookshop.  #1"
    assert shown[1] == [chip], "at once it needs no telling"
    assert shown[3][0].startswith("of “I quit the bakery! I'm at a bookshop") and shown[3][1:] == [chip]
    assert shown[4] and not shown[4][0].startswith("of “"), "once for a line"
    assert shown[5] == ["of “and Leo called”:", chip] and shown[6] == [chip]


def test_what_comes_late_waits_while_a_question_stands(room: Room) -> None:
    """What it asks may be another question, and whoever types "y" then erases."""
    list(room.chat.submit("fact: Ana has a cat."))
    assert room.chat.wait(10)
    shown: list[e.Event] = []

    class Asks(PipeLines):
        asks = True

        def confirm(self, asked: e.Asked) -> bool | None:
            worker = Thread(target=chat._in_background, args=(e.Notice("late"),))
            worker.start()
            worker.join(5)
            assert "late" not in [one.text for one in shown if isinstance(one, e.Notice)]
            return False

    view = TextView("never", quiet=True, terminal=False)
    view.show = shown.append  # type: ignore[method-assign]
    chat = Chat(room.chat, view, Asks(None), yes=False, wait=False)
    assert not chat._do("/forget 1")
    assert [one.text for one in shown if isinstance(one, e.Notice)] == [
        "late",
        "Nothing was erased; all stays as it was.",
    ]


def test_what_takes_long_shows_that_it_is_at_work_until_there_is_something_to_show(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    list(room.chat.submit("fact: Ana has a cat."))
    assert room.chat.wait(10)
    monkeypatch.setattr(thinking, "AFTER_SECONDS", 0.0)
    forget = room.store.forget.carry_out

    def slowly(plan: ForgetPlan) -> ForgetReport:
        time.sleep(0.3)
        return forget(plan)

    monkeypatch.setattr(room.store.forget, "carry_out", slowly)
    view = TextView("never", quiet=False, terminal=True)
    chat = Chat(room.chat, view, PipeLines(None), yes=True, wait=False)
    assert not chat._do("/forget 1")
    drawn = capsys.readouterr().out
    sign = max(drawn.rfind(frame) for frame in thinking.FRAMES)
    assert 0 < sign < drawn.rfind(thinking.ERASE) < drawn.index("Forgotten: 1 row")


def test_what_the_memory_asks_waits_for_the_answer_to_the_question_that_stands(room: Room) -> None:
    """Else a "yes" might be meant for either; what is gone by then isn't asked any more."""
    for fact in ("Ana has a cat.", "Ana has a van."):
        list(room.chat.submit(f"fact: {fact}"))
    assert room.chat.wait(10)
    shown: list[e.Event] = []
    over = e.ChangeAsked("Is that over?", memory_id=2, fact="", turn_id=2)

    class Asks(PipeLines):
        asks, says = True, False

        def confirm(self, asked: e.Asked) -> bool | None:
            worker = Thread(target=room.chat.state.worker._emit, args=(over,))
            worker.start()
            worker.join(5)
            shown.append(asked)
            return self.says

    view = TextView("never", quiet=True, terminal=False)
    view.show = shown.append  # type: ignore[method-assign]
    source = Asks(None)
    chat = Chat(room.chat, view, source, yes=False, wait=False)
    assert not chat._do("/forget 1")
    assert [type(one) for one in shown[-3:]] == [e.Asked, e.Notice, e.ChangeAsked]
    assert room.chat.state.questions.open is over, "the next yes is for it"
    shown.clear()
    source.says = True
    assert not chat._do("/forget everything")
    assert any(isinstance(one, e.Forgotten) for one in shown) and over not in shown
