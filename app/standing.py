"""How the chat stands, for a status line: folded from the controller's events, the same in every front end."""

from __future__ import annotations

from dataclasses import dataclass, replace

from . import events as e


@dataclass(frozen=True, slots=True)
class Standing:
    """`blocked` is the one thing that keeps memory from working now ("": nothing); `speed` is in tokens a second."""

    replying: bool = False
    incognito: bool = False
    speed: float = 0.0
    prompt_tokens: int = 0
    blocked: str = ""

    @property
    def memory(self) -> str:
        """`on`, `off` (incognito) or `blocked`."""
        return "off" if self.incognito else "blocked" if self.blocked else "on"


def after(standing: Standing, event: e.Event) -> Standing:
    """How the chat stands after an event."""
    if isinstance(event, e.ReplyStarted):
        return replace(standing, replying=True)
    if isinstance(event, e.ReplyFinished):
        spent = event.completion_tokens / event.seconds if event.seconds else 0.0
        return replace(standing, replying=False, speed=spent, prompt_tokens=event.prompt_tokens)
    if isinstance(event, e.ReplyStopped):
        return replace(standing, replying=False)
    if isinstance(event, e.Failed):
        return replace(standing, replying=False)
    if isinstance(event, e.IncognitoChanged):
        return replace(standing, incognito=event.on, blocked="")
    if isinstance(event, e.MemoryDelayed):
        return replace(standing, blocked=event.reason)
    if isinstance(event, (e.MemoryWritten, e.UserChanged, e.SessionStarted)):
        return replace(standing, blocked="")
    return standing
