"""`chatmem tui`: the window around the same controller that `chatmem chat` has."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...memory.errors import SettingsError
from ..config.logs import log_to
from ..config.settings import nearest
from ..context import Context, say
from .app import ChatApp
from .base.setup import Setup

if TYPE_CHECKING:
    from ..controller import Controller

LEAVE_SECONDS = 3.0
"""How long a model that is at work may hold up the end; its line is kept for the next start."""


@dataclass(frozen=True, slots=True)
class TuiOptions:
    """What the command line asked of the window."""

    resume: int | None = None
    incognito: bool = False


def run_tui(context: Context, options: TuiOptions) -> int:
    """Runs the window until the user leaves; the exit code."""
    if not options.incognito:
        context.secret()  # asked for here, where a terminal still is one
    app = ChatApp(make_setup(context, options))
    check_theme(app, context.settings.theme)
    log_to(context.paths)
    code = app.run()
    ended = app.bridge.close(LEAVE_SECONDS)  # a tidying that was cut short still ends its session
    if app.controller is not None and not (app.controller.close(LEAVE_SECONDS) and ended):
        say("A model is still at work; its line is kept and will be remembered at the next start.")
    if app.crash is not None:
        raise app.crash
    return app.return_code or code or 0


def check_theme(app: ChatApp, theme: str) -> None:
    """Raises SettingsError for a theme that does not exist."""
    if theme not in app.available_themes:
        known = list(app.available_themes)
        raise SettingsError(f"theme is {theme!r}{nearest(theme, known)}; there are {', '.join(sorted(known))}.")


def make_setup(context: Context, options: TuiOptions) -> Setup:
    settings = context.settings

    def open_controller() -> Controller:
        from ..chat.models import AgentLoader
        from ..controller import Controller

        loader = AgentLoader(settings, lambda: controller.store)
        controller = Controller(
            lambda: context.open_store(search=True), loader, settings, incognito=options.incognito
        )  # fmt: skip
        return controller

    return Setup(
        open_controller, settings, context.database, options.resume, options.incognito,
        context.typed_file,
        _settle, context.lock(),
    )  # fmt: skip


def _settle() -> None:
    """What is loaded stays: a full collection went through it again and again, 60 to 120 ms each time."""
    gc.freeze()
    gc.set_threshold(700, 10, 100)  # ten times rarer; what is young is collected as often as ever
