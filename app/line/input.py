"""Where the chat's lines come from: a person at a terminal, or a pipe."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from ..config.safe_text import typed
from ..context import say
from ..shown import choices
from ..shown import events as e
from ..shown.hints import lines
from . import ctrl_c, history_search, keyboard

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import History

PROMPT = "> "
UNTAKEN = "Your last line was not taken, and isn't remembered."
MOST_COUNTED = 1 << 20
"""Bytes of a pipe in which lines are counted that nobody takes any more."""


def at_terminal() -> bool:
    """Someone types and reads here, at a terminal that can do more than `dumb`."""
    streams = (sys.stdin, sys.stdout)
    return all(s is not None and s.isatty() for s in streams) and os.environ.get("TERM", "dumb") != "dumb"


class Lines(Protocol):
    """A source of lines."""

    asks: bool
    """Someone is there to answer questions."""

    def read(self) -> str | None:
        """The next line, None at the end. Raises KeyboardInterrupt."""
        ...

    def confirm(self, asked: e.Asked) -> bool | None:
        """Whether the answer is yes; None where nobody answered."""
        ...

    def quiet(self) -> AbstractContextManager[None]:
        """While inside, keys that are typed ahead are neither echoed into a reply nor changed."""
        ...

    def above(self, show: Callable[[], None]) -> None:
        """Runs `show` so that what it prints stands above a line that is being typed."""
        ...

    def seen(self, event: e.Event) -> None:
        """Tells the source what happened."""
        ...

    def leaves(self) -> bool:
        """Whether a Ctrl+C that had nothing to stop leaves; safe in a signal handler."""
        ...

    def untaken(self) -> str:
        """What to say of lines that were handed in, and that a chat that is left at once never took; else empty."""
        ...


class PipeLines:
    """Lines of a pipe or a file. What is not UTF-8 is replaced, and said so, rather than lost."""

    asks = False

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._stream, self._number = stream, 0
        self._held: list[str | None] = []
        self._given: str | None = None
        """The line that was read last, of which nothing came yet."""

    def read(self) -> str | None:
        self._given = self._held.pop() if self._held else self._next()
        return self._given

    def _next(self) -> str | None:
        raw = self._stream.readline() if self._stream is not None else b""
        if not raw:
            return None
        self._number += 1
        if self._number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            say(f"Line {self._number} is not valid UTF-8; what could not be read is replaced by \ufffd.")
            return raw.decode("utf-8", "replace")

    def confirm(self, asked: e.Asked) -> bool | None:
        """A line that follows and only says yes or no answers the question; any other is read as the next line."""
        line = self.read()
        while line is not None and (more := choices.waits(asked, line, asked.question)):
            say(more)
            line = self.read()
        agreed = choices.agreed(asked, line) if line is not None else None
        if agreed is None:
            self._held.append(line)
        self._given = None
        return agreed

    def quiet(self) -> AbstractContextManager[None]:
        return nullcontext()

    def above(self, show: Callable[[], None]) -> None:
        show()

    def seen(self, event: e.Event) -> None:
        self._given = None

    def leaves(self) -> bool:
        return True

    def untaken(self) -> str:
        """Only what lies there already is counted: whoever writes into the pipe may never end."""
        held = [line.encode() for line in (*self._held, self._given) if line is not None]
        rest = _lying_there(self._stream) if self._stream is not None else b""
        count = sum(bool(line.strip()) for line in [*held, *rest.split(b"\n")])
        if not count:
            return ""
        some = "More than " if len(rest) == MOST_COUNTED else ""
        return f"{some}{lines(count)} of the input {'was' if count == 1 else 'were'} not taken, and kept nowhere."


def _lying_there(stream: IO[bytes]) -> bytes:
    """What can be read of a pipe or a file without waiting for it."""
    with suppress(OSError, ValueError):  # no pipe of the system
        os.set_blocking(stream.fileno(), False)
        try:
            return stream.read(MOST_COUNTED) or b""
        finally:
            os.set_blocking(stream.fileno(), True)
    return b""


class TerminalLines:
    """A prompt with history, multi-line input and paste: Enter sends, Ctrl+J or Alt+Enter makes a new line.
    Ctrl+R searches what was typed before; Ctrl+C empties a line that was begun, and leaves when pressed twice at an
    empty one.

    `history` names the file that keeps the lines, None for none: it is asked anew for each line.
    """

    asks = True

    def __init__(self, history: Callable[[], Path | None]) -> None:
        self._history = history
        self._file: Path | None = None
        self._session: PromptSession[str] | None = None
        self._before: list[Any] | None = None
        self._presses = ctrl_c.Presses()
        self._held: str | None = None
        """A line that was typed at a question and answered nothing."""
        self._given = ""
        """The line that was read last, of which nothing came yet."""

    def untaken(self) -> str:
        return UNTAKEN if self._given.strip() else ""

    def leaves(self) -> bool:
        if self._presses.leaves():
            return True
        ctrl_c.tell_how()
        return False

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Without this, Enter typed during a reply would arrive as Ctrl+J, and so not send the line."""
        termios = _termios()
        self._before = termios.tcgetattr(sys.stdin) if termios else None
        try:
            self._hush()
            yield
        finally:
            self._loud()

    def _hush(self) -> None:
        if (termios := _termios()) is None:
            return
        attributes = termios.tcgetattr(sys.stdin)
        attributes[0] &= ~termios.ICRNL
        attributes[3] &= ~(termios.ECHO | termios.ICANON)  # Ctrl+C still is a signal
        termios.tcsetattr(sys.stdin, termios.TCSANOW, attributes)

    def _loud(self) -> None:
        if (termios := _termios()) is not None and self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def read(self) -> str | None:
        self._given = ""
        line = self._next()
        self._given = line or ""
        return line

    def _next(self) -> str | None:
        from prompt_toolkit.patch_stdout import patch_stdout

        if self._held is not None:
            held, self._held = self._held, None
            print(f"{PROMPT}{held}", flush=True)
            return held
        session = self._prompt(self._history())
        try:
            with patch_stdout(raw=True):
                return session.prompt(self._message, multiline=True, prompt_continuation="  ")
        except EOFError:
            return None

    def _message(self) -> str:
        return f"{ctrl_c.HOW}\n{PROMPT}" if self._presses.fresh else PROMPT

    def confirm(self, asked: e.Asked) -> bool | None:
        """Whether the answer is yes; a line that says neither is no answer, and is read as the next line."""
        self._loud()
        try:
            with ctrl_c.raised():
                columns, rows = shutil.get_terminal_size()
                end = choices.prompt(asked)
                text = choices.on_screen(asked, columns - len(end), rows - 1)
                line = self._answer(text + end)
                while (every := text != asked.question and line.casefold() == choices.ALL) or (
                    more := choices.waits(asked, line, text)
                ):
                    line = self._answer(choices.whole(asked) + end if every else f"{more} ")
                agreed = choices.agreed(asked, line) if line else False
                self._held = line if agreed is None else None
                return agreed
        except KeyboardInterrupt:  # a question given up is a no
            print()
            return False
        finally:
            self._hush()

    def _answer(self, question: str) -> str:
        print(question, end="", flush=True)
        line = sys.stdin.readline()
        if not line:  # Ctrl+D ends no line on the screen
            print()
        return typed(line).strip()  # an arrow key that is pressed here is a sequence

    def above(self, show: Callable[[], None]) -> None:
        show()  # `patch_stdout` puts it above the prompt

    def seen(self, event: e.Event) -> None:
        """What was forgotten has left the file of the typed lines; the prompt reads it anew."""
        self._given = ""
        if isinstance(event, (e.Forgotten, e.Untyped)):
            self._session = None

    def _prompt(self, file: Path | None) -> PromptSession[str]:
        if self._session is None or file != self._file:
            self._file = file
            self._session = make_prompt(file, self._presses)
        return self._session


def _termios() -> Any:
    """The module that sets a terminal's modes; None on Windows, whose consoles have none."""
    try:
        return importlib.import_module("termios")
    except ImportError:
        return None


def make_prompt(file: Path | None, presses: ctrl_c.Presses) -> PromptSession[str]:
    """The prompt over one history file; `presses` are counted wherever Ctrl+C is pressed."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory

    history: History = InMemoryHistory()
    if file is not None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.touch(mode=0o600)
            history = _kept_in(file)
        except OSError as error:
            say(f"The lines you type can't be kept in {file} ({error.strerror}).")
    return PromptSession(history=history, key_bindings=_keys(presses), input=keyboard.make_input())


def _kept_in(file: Path) -> History:
    """A history that goes on in memory when its file can't be written any more, as on a full disk."""
    from prompt_toolkit.history import FileHistory

    class Kept(FileHistory):
        told = False

        def store_string(self, string: str) -> None:
            try:
                super().store_string(typed(string))  # as its line is kept, so that both are found together
            except OSError as error:
                if not self.told:
                    say(f"The lines you type can't be kept in {file} ({error.strerror}).")
                self.told = True

    return Kept(str(file))


def _keys(presses: ctrl_c.Presses) -> Any:
    from prompt_toolkit.filters import is_searching
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()
    ctrl_c.add_key(keys, presses)
    history_search.add_keys(keys)
    keyboard.add_editor_key(keys)

    @keys.add("enter", filter=~is_searching)
    def _(event: Any) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("c-j", filter=~is_searching)
    @keys.add("escape", "enter", filter=~is_searching)
    def _(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    return keys
