"""What the window is given, so that it can be drawn before anything slow is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.lock import Lock
from ...config.settings import Settings

if TYPE_CHECKING:
    from ...controller import Controller


def nothing() -> None:
    """Where the window is one of many in a process, that process keeps its own house."""


def no_file(user: str) -> Path | None:
    """Lines are not kept."""
    return None


@dataclass(frozen=True, slots=True)
class Setup:
    """`make` gives the controller; it is called in a thread, after the first paint. `history`: where lines are kept.

    `lock`: of an encrypted memory. `settle` is called whenever much has been loaded that stays.
    """

    make: Callable[[], Controller]
    settings: Settings = field(default_factory=Settings)
    database: str = ""
    resume: int | None = None
    incognito: bool = False
    history: Callable[[str], Path | None] = no_file
    settle: Callable[[], None] = nothing
    lock: Lock | None = None


FIRST_RUN = (
    "Just talk. What is worth remembering is written as SQL, and shows up in the memory pane marked + ~ -.",
    "Under each reply stands what was written, with Undo and Edit; /why shows what a reply was built on.",
    "F1 lists keys and commands, Ctrl+P has everything by name, bye leaves. It all stays in {database}.",
)
WELCOME = "Welcome back, {name}. Talk on, or Ctrl+R goes on in an earlier session."
