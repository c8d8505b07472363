"""For whom a key is: what belongs to a sentence goes to the prompt, whatever has the focus or opened meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import events
from textual.app import App
from textual.widgets import Input, TextArea

from .base.keys import YES
from .base.panel import Question
from .widgets.prompt import Prompt

if TYPE_CHECKING:
    from textual.binding import ActiveBinding

ANSWERS = ("enter", "tab", "shift+tab", "left", "right", "backspace", YES)
"""Keys that do something in a question, beside letters; Esc leaves it at any time."""


class Held(NamedTuple):
    """A letter that does something where the focus is, and that may be the first one of a sentence."""

    event: events.Key
    does: ActiveBinding


class TypedAhead:
    """Gets every key first.

    A letter that does something (`f` in the memory) waits a moment: when another one follows at once, somebody is
    typing, and both go to the prompt.
    """

    burst_seconds: ClassVar[float] = 0.15
    """Who presses keys to do something pauses this long after each."""

    def __init__(self, app: App[int], prompt: Prompt) -> None:
        self._app, self._prompt = app, prompt
        self._held: Held | None = None

    async def takes(self, event: events.Event) -> bool:
        """Whether the key is dealt with here, and nobody else is to get it."""
        stack = self._app.screen_stack
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded or not stack:
            return False
        if isinstance(stack[-1], Question):
            return self._is_not_for(stack[-1], event)
        return len(stack) == 1 and await self._in_the_window(event)

    def _is_not_for(self, question: Question[object], event: events.Key | events.Paste) -> bool:
        """What is typed on while a question opens is no answer: it goes on into the prompt, which the question shows.
        Nor is the Enter that ends it."""
        text, key = _text(event), event.key if isinstance(event, events.Key) else ""
        if not text and key not in ANSWERS:
            return False
        typed_on = bool(text) and not question.wants(text)
        ends = key == "enter" and question.ends_line()
        if not question.still_typing(event.time, for_prompt=typed_on or ends):
            question.ends_line()  # whatever was begun: this is an answer
            return False
        if text:
            self._prompt.take(event)
            question.typed_on(text)
        return True

    async def _in_the_window(self, event: events.Key | events.Paste) -> bool:
        held, self._held = self._held, None
        text = _text(event)
        if held is not None:
            soon = event.time - held.event.time < self.burst_seconds
            typed = text or (isinstance(event, events.Key) and event.key == "enter")
            if soon and typed and not _moves_on(held, text):
                self._type(held.event, event)
                return True
            await self._act(held)
        if not text or isinstance(self._app.focused, TextArea | Input):
            return False
        does = self._app.screen.active_bindings.get(event.key) if isinstance(event, events.Key) else None
        if does is None or not isinstance(event, events.Key):
            self._type(event)
        elif text.isalpha():
            self._hold(Held(event, does))
        else:
            await self._act(Held(event, does))
        return True

    def _hold(self, held: Held) -> None:
        self._held = held

        async def over() -> None:
            if self._held is held:
                self._held = None
                await self._act(held)

        # later: keys that came before the time was over may still wait to be handed on
        self._app.set_timer(self.burst_seconds, lambda: self._app.call_later(over))

    async def _act(self, held: Held) -> None:
        """The letter was meant to do something; unless what lies over the window now hides what."""
        if len(self._app.screen_stack) > 1:
            self._prompt.take(held.event)
        elif held.does.node.is_attached:
            await self._app.run_action(held.does.binding.action, held.does.node)

    def _type(self, *typed: events.Key | events.Paste) -> None:
        self._app.screen.set_focus(self._prompt)  # at once: the keys behind these are for the prompt, too
        for event in typed:
            self._prompt.take(event)


def _text(event: events.Key | events.Paste) -> str:
    """What the key or the paste would write."""
    if isinstance(event, events.Paste):
        return event.text
    return event.character or "" if event.is_printable else ""


def _moves_on(held: Held, text: str) -> bool:
    """Whether a key that moves in a list is kept down."""
    return text == held.event.character and held.does.binding.action.startswith("move")
