"""Where the chat's lines come from: a person at a terminal, or a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from . import events as e
from .context import say

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import History

PROMPT = "> "


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

    def confirm(self, question: str) -> bool: ...

    def quiet(self) -> AbstractContextManager[None]:
        """While inside, keys that are typed ahead are neither echoed into a reply nor changed."""
        ...

    def above(self, show: Callable[[], None]) -> None:
        """Runs `show` so that what it prints stands above a line that is being typed."""
        ...

    def seen(self, event: e.Event) -> None:
        """Tells the source what happened."""
        ...


class PipeLines:
    """Lines of a pipe or a file. What is not UTF-8 is replaced, and said so, rather than lost."""

    asks = False

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._stream, self._number = stream, 0

    def read(self) -> str | None:
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

    def confirm(self, question: str) -> bool:
        return False

    def quiet(self) -> AbstractContextManager[None]:
        return nullcontext()

    def above(self, show: Callable[[], None]) -> None:
        show()

    def seen(self, event: e.Event) -> None:
        return


class TerminalLines:
    """A prompt with history, multi-line input and paste: Enter sends, Ctrl+J or Alt+Enter makes a new line.
    Ctrl+C empties a line that was begun; at an empty one it leaves.

    `history` names the file that keeps the lines, None for none: it is asked anew for each line.
    """

    asks = True

    def __init__(self, history: Callable[[], Path | None]) -> None:
        self._history = history
        self._file: Path | None = None
        self._session: PromptSession[str] | None = None
        self._before: list[Any] | None = None

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Without this, Enter typed during a reply would arrive as Ctrl+J, and so not send the line."""
        import termios  # not on every system, and only needed at a terminal

        self._before = termios.tcgetattr(sys.stdin)
        try:
            self._hush()
            yield
        finally:
            self._loud()

    def _hush(self) -> None:
        import termios

        attributes = termios.tcgetattr(sys.stdin)
        attributes[0] &= ~termios.ICRNL
        attributes[3] &= ~(termios.ECHO | termios.ICANON)  # Ctrl+C still is a signal
        termios.tcsetattr(sys.stdin, termios.TCSANOW, attributes)

    def _loud(self) -> None:
        import termios

        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def read(self) -> str | None:
        from prompt_toolkit.patch_stdout import patch_stdout

        session = self._prompt(self._history())
        try:
            with patch_stdout(raw=True):
                return session.prompt(PROMPT, multiline=True, prompt_continuation="  ", enable_open_in_editor=True)
        except EOFError:
            return None

    def confirm(self, question: str) -> bool:
        self._loud()
        try:
            print(f"{question} [y/N] ", end="", flush=True)
            return sys.stdin.readline().strip().lower() in ("y", "yes")
        finally:
            self._hush()

    def above(self, show: Callable[[], None]) -> None:
        show()  # `patch_stdout` puts it above the prompt

    def seen(self, event: e.Event) -> None:
        """Forgetting everything takes the typed lines along."""
        if isinstance(event, e.Forgotten) and event.everything and self._file is not None:
            self._file.unlink(missing_ok=True)
            self._session = None

    def _prompt(self, file: Path | None) -> PromptSession[str]:
        if self._session is None or file != self._file:
            self._file = file
            self._session = make_prompt(file)
        return self._session


def make_prompt(file: Path | None) -> PromptSession[str]:
    """The prompt over one history file."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory

    history: History = InMemoryHistory()
    if file is not None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            history = _kept_in(file)
        except OSError as error:
            say(f"The lines you type can't be kept in {file} ({error.strerror}).")
    return PromptSession(history=history, key_bindings=_keys())


def _kept_in(file: Path) -> History:
    """A history that goes on in memory when its file can't be written any more, as on a full disk."""
    from prompt_toolkit.history import FileHistory

    class Kept(FileHistory):
        told = False

        def store_string(self, string: str) -> None:
            try:
                super().store_string(string)
            except OSError as error:
                if not self.told:
                    say(f"The lines you type can't be kept in {file} ({error.strerror}).")
                self.told = True

    return Kept(str(file))


def _keys() -> Any:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: Any) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("c-c")
    def _(event: Any) -> None:
        if event.current_buffer.text:  # a line given up, not the chat
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt)

    @keys.add("c-j")
    @keys.add("escape", "enter")
    def _(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    return keys
