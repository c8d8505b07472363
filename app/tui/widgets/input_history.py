"""The lines typed before, for the arrow keys: one file a user, the same that `chatmem chat` keeps."""

from __future__ import annotations

from pathlib import Path


def load() -> None:
    """Imports what reads and writes the file: a tenth of a second that the first line need not wait for."""
    import prompt_toolkit.history  # noqa: F401


class Typed:
    """Lines of a file and of this run, newest last; `file` None keeps them in this process only."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lines: list[str] | None = None
        self._at = 0
        self._draft = ""

    def _all(self) -> list[str]:
        if self._lines is None:
            self._lines = self._load()
            self._at = len(self._lines)
        return self._lines

    def _load(self) -> list[str]:
        if self._file is None or not self._file.is_file():
            return []
        from prompt_toolkit.history import FileHistory

        try:
            return list(FileHistory(str(self._file)).load_history_strings())[::-1]
        except OSError:
            return []

    def add(self, line: str) -> None:
        """Keeps a line that was sent."""
        lines = self._all()
        if not lines or lines[-1] != line:
            lines.append(line)
            self._keep(line)
        self._at = len(lines)

    def _keep(self, line: str) -> None:
        if self._file is None:
            return
        from prompt_toolkit.history import FileHistory

        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file.touch(mode=0o600)
            FileHistory(str(self._file)).store_string(line)
        except OSError:
            self._file = None  # a full or read-only disk: this run's lines are at hand all the same

    def step(self, by: int, now: str) -> str | None:
        """The line before or after the one in sight; None at either end. What was typed meanwhile comes back last."""
        lines = self._all()
        if self._at == len(lines):
            self._draft = now
        at = self._at + by
        if not 0 <= at <= len(lines):
            return None
        self._at = at
        return self._draft if at == len(lines) else lines[at]

    def read_again(self) -> None:
        """What was forgotten has left the file; where there is none, nothing of this run is kept either."""
        self._lines, self._at, self._draft = None, 0, ""
