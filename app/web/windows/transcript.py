"""What the chat pane shows, folded from the controller's events: lines, replies and notes between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ....memory.store.store import Store
from ....memory.values import ASSISTANT, FORGOTTEN, Turn
from ...config.safe_text import one_line, shown
from ...controller import is_command
from ...shown import choices
from ...shown import events as e
from ...shown.render import chip, lines

Role = Literal["user", "command", "wish", "assistant", "note"]
"""A `command` was typed as a line was, and is no talk: it is kept nowhere. Nor is a `wish`: a line that wants something
forgotten, or answers a question; any line is one as long as it isn't kept yet."""
OWN: tuple[Role, ...] = ("user", "command", "wish")
"""What the person typed."""
ERASED = "(a wish to forget)"
"""In place of the line that had something erased, which says what that was."""
SOMEBODY_ELSE = "(somebody else? Undo it: this page belongs to one person's memory)"
"""Other front ends can switch to another user here."""
NO_REPLY = "(no reply is kept)"
"""Between two lines, which would else be shown as one."""
MOST = 200
"""Turns of an earlier session that are shown."""
SESSIONS_BEFORE, LINES_BEFORE = 10, 50
"""How far the lines reach back that a new window offers to say again."""


@dataclass(frozen=True, slots=True)
class TalkItem:
    """A line, command, reply or note. `turn_id`: the user's line that it belongs to (None: to none that is kept)."""

    role: Role
    text: str
    turn_id: int | None = None
    warns: bool = False
    writing: bool = False
    passing: bool = False
    """It is told only until there is more to tell, as how many lines are still waited for."""


def of_turns(turns: Sequence[Turn]) -> list[TalkItem]:
    """What was said in a session, as it was when it ended; a reply belongs to the line before it."""
    said: list[TalkItem] = []
    line: int | None = None
    before = ""
    for turn in turns[-MOST:]:
        if turn.speaker == ASSISTANT:
            said.append(TalkItem("assistant", turn.text, line))
            if turn.status != "complete":
                said.append(TalkItem("note", f"({turn.status}; what you see is kept)", line))
        else:
            if said and said[-1].role == "user" and turn.speaker == before:
                said.append(TalkItem("note", NO_REPLY, line))
            line, before = turn.id, turn.speaker
            said.append(TalkItem("user", turn.text, line))
    return said


def as_typed(line: str, asked: e.Asked | None) -> list[TalkItem]:
    """A line as it was typed, before it is known what it is, and what became of a question (`asked`) by it."""
    own = TalkItem("command" if is_command(line) else "wish", line.strip())
    return [own] if asked is None else [TalkItem("note", choices.dropped(asked)), own]


def without_wish(said: Sequence[TalkItem]) -> list[TalkItem]:
    """Without the line that was typed last, where that is one that is kept nowhere."""
    last = max((at for at, one in enumerate(said) if one.role in OWN), default=-1)
    return [one for at, one in enumerate(said) if at != last or one.role != "wish"]


def without_question(said: Sequence[TalkItem], asked: e.Event) -> list[TalkItem]:
    """Without a question of the program's own that is not asked any more."""
    told = {one.text for one in _notes(asked, None)}
    return [one for one in said if one.role != "note" or one.text not in told]


def up_to_last_line(said: Sequence[TalkItem]) -> list[TalkItem]:
    """Without the last line and all that came after it, as when it is said anew."""
    places = [at for at, one in enumerate(said) if one.role == "user"]
    return list(said[: places[-1]]) if places else []


def after(said: Sequence[TalkItem], event: e.Event) -> list[TalkItem]:
    """The transcript after an event of the chat."""
    now = [one for one in said if not one.passing]
    line = next((one.turn_id for one in reversed(now) if one.role in OWN), None)
    if isinstance(event, (e.TurnSaved, e.Failed)):  # it is kept; or it isn't, and stands in the box again
        now = without_wish(now)
    if isinstance(event, e.TurnSaved):
        kept = [one for one in now if event.turn.id == 0 or one.turn_id != event.turn.id]
        return [*kept, TalkItem("user", event.turn.text, event.turn.id or None)]
    if isinstance(event, e.ReplyStarted):
        return [*now, TalkItem("assistant", "", line, writing=True)]
    if isinstance(event, e.ReplyThought):
        return now
    if isinstance(event, e.ReplyChunk):
        return _grown(now, event.text, line)
    if isinstance(event, (e.ReplyFinished, e.ReplyStopped, e.Failed, e.Notice)):
        now = _settled(now)
    return [*now, *_notes(event, line)]


def meanwhile(said: Sequence[TalkItem], event: e.Event) -> list[TalkItem]:
    """The transcript after an event that has nothing to do with the reply being written, which stays in one piece."""
    return [*after([one for one in said if not one.writing], event), *(one for one in said if one.writing)]


def _grown(said: list[TalkItem], text: str, line: int | None) -> list[TalkItem]:
    if not said or not said[-1].writing:
        said.append(TalkItem("assistant", "", line, writing=True))
    said[-1] = replace(said[-1], text=said[-1].text + text)
    return said


def _settled(said: list[TalkItem]) -> list[TalkItem]:
    """No reply is being written any more; one of which nothing came is gone."""
    return [replace(one, writing=False) for one in said if one.text or not one.writing]


def _notes(event: e.Event, line: int | None) -> Iterable[TalkItem]:
    if isinstance(event, e.Listed):
        yield TalkItem("note", table(event), line)
    elif isinstance(event, e.MemoryWritten):
        if event.turn_id is None:  # those of a turn are chips under it
            yield TalkItem("note", "\n".join(chip(entry) for entry in event.entries), line)
    elif isinstance(event, e.UserChanged) and event.told and event.before:
        yield TalkItem("note", f"~ you go by {event.user.called} now, no longer {event.before}\n{SOMEBODY_ELSE}", line)
    elif not isinstance(event, (e.Asked, e.SessionStarted, e.Quoted)):
        told = list(lines(event))
        if told:
            warns = any(style in ("warn", "bad") for _, style in told)
            text = "\n".join(shown(text).strip() for text, _ in told)
            yield TalkItem("note", text, line, warns, passing=isinstance(event, e.Waiting))


def table(event: e.Listed) -> str:
    """A list as lines of text."""
    if not event.rows:
        return event.empty or f"{event.title}: nothing."
    rows = ["  ".join(one_line("" if cell is None else str(cell), 400) for cell in row) for row in event.rows]
    return "\n".join([event.title, *rows, *([event.note] if event.note else [])])


def lines_before(store: Store, user_id: int) -> list[str]:
    """The user's last lines, oldest first."""
    said = list[str]()
    for session in store.sessions.all(user_id, limit=SESSIONS_BEFORE):
        turns = store.turns.of(session.id, limit=2 * LINES_BEFORE)
        said = [turn.text for turn in turns if turn.speaker != ASSISTANT and turn.text != FORGOTTEN] + said
        if len(said) >= LINES_BEFORE:
            break
    return said[-LINES_BEFORE:]
