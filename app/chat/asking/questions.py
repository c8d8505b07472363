"""The one question that is open, and those that wait for its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ...shown.events import ChangeAsked, FactAsked, NameAsked

Asked = NameAsked | ChangeAsked | FactAsked


class Questions:
    """What the chat asks: one question at a time, so that a yes is the answer to what was read. What comes up while one
    is open waits until that is answered or passed over. For several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Asked] = []
        self.open: Asked | None = None
        """The one that the next line answers or passes over."""

    def ask(self, question: Asked, *, later: bool = False) -> bool:
        """Whether it is asked now; else it waits, as it does where it's to be asked `later`. A line that was read anew
        asks anew."""
        with self._lock:
            if later or (self.open is not None and self.open.turn_id != question.turn_id):
                self._waiting.append(question)
                return False
            self.open = question
            return True

    def take(self) -> Asked | None:
        """The open one, which a line answers or passes over."""
        with self._lock:
            asked, self.open = self.open, None
            return asked

    def next(self, stands: Callable[[Asked], bool]) -> Asked | None:
        """The next that waits and still `stands`, asked now; None: there is none, or one is open."""
        with self._lock:
            while self._waiting and self.open is None:
                first = self._waiting.pop(0)
                self.open = first if stands(first) else None
                if self.open is not None:
                    return first
        return None

    def clear(self) -> None:
        with self._lock:
            self.open, self._waiting = None, []
