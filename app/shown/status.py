"""How the chat stands, for a status line: folded from the controller's events, the same in every front end."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..config.safe_text import one_line
from . import events as e


@dataclass(frozen=True, slots=True)
class Standing:
    """`blocked` is the one thing that keeps memory from working now ("": nothing); `speed` is in tokens a second."""

    incognito: bool = False
    speed: float = 0.0
    prompt_tokens: int = 0
    blocked: str = ""

    @property
    def rate(self) -> str:
        """The speed for people: 42, or 1.7 on a slow machine."""
        return f"{self.speed:.1f}" if self.speed < 10 else f"{self.speed:.0f}"

    @property
    def memory(self) -> str:
        """`on`, `off` (incognito) or `blocked`."""
        return "off" if self.incognito else "blocked" if self.blocked else "on"


def after(standing: Standing, event: e.Event) -> Standing:
    """How the chat stands after an event."""
    if isinstance(event, e.ReplyFinished):
        spent = event.completion_tokens / event.writing if event.writing else 0.0
        return replace(standing, speed=spent, prompt_tokens=event.prompt_tokens)
    if isinstance(event, e.IncognitoChanged):
        return replace(standing, incognito=event.on, blocked="")
    if isinstance(event, e.MemoryDelayed):
        return replace(standing, blocked=event.reason)
    if isinstance(event, (e.MemoryWritten, e.UserChanged, e.SessionStarted)):
        return replace(standing, blocked="")
    return standing


def models_in_short(models: tuple[tuple[str, str], ...]) -> str:
    """`embedded+answer,storage,retrieval` rather than the same model three times."""
    bases: dict[str, list[str]] = {}
    for _, spec in models:
        base, _, adapter = spec.partition("+")
        bases.setdefault(base, []).append(adapter)
    told = []
    for base, adapters in bases.items():
        named = [adapter for adapter in dict.fromkeys(adapters) if adapter]
        told.append(f"{base}+{','.join(named)}" if named else base)
    return one_line(" / ".join(told), 60)
