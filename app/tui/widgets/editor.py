"""The line in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from textual.app import App


def edited(app: App[int], text: str, *, sealed: bool = False) -> str:
    """`text` as it comes back from $VISUAL or $EDITOR; as it was when there is none, or it failed.

    `sealed`: the memory is encrypted, so no file may hold the line.
    """
    if sealed:
        app.notify("The memory is encrypted, and an editor would keep the line in plain files.", severity="warning")
        return text
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        app.notify("Set EDITOR to the editor you like, such as EDITOR=nano.", severity="warning")
        return text
    with tempfile.TemporaryDirectory(prefix="chatmem-") as folder:  # for nobody else's eyes, and gone afterwards
        file = Path(folder) / "line.md"
        file.write_text(text, encoding="utf-8")
        try:
            with app.suspend():
                problem = _run(command, file)
        except SuspendNotSupported:
            problem = "There is no terminal here in which an editor could run."
        if problem:
            app.notify(f"{problem} The line is as it was.", severity="warning", markup=False)
            return text
        return file.read_text(encoding="utf-8", errors="replace").rstrip("\n")


def _run(command: str, file: Path) -> str:
    """What went wrong, if something did. Nothing is raised: the window would not come back."""
    try:
        done = subprocess.run([*shlex.split(command), str(file)], check=False)
    except (OSError, ValueError) as error:
        return f"{command} could not be started ({error})."
    return f"{command} ended with an error." if done.returncode else ""
