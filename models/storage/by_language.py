"""Which model stores which line, where the chat's own is small: English lines are read by the embedded model, which was
trained to write memories, and others by the model that speaks their language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...memory.language.detect import language_of
from ...memory.values import ASSISTANT, Turn, User, WriteResult
from ..files.profiles.profile import profile_of
from ..lm import LM
from ..prompts.tuned import Prompt
from .agent import StorageAgent
from .parts import Reader

if TYPE_CHECKING:
    from ...memory.store.store import Store

BEFORE = 4
"""Turns before a line among which its speaker's last one is, whose language a line of one word has, too."""


def left_to_trained(lm: LM, prompt: Prompt | None = None) -> bool:
    """Whether English lines are better read by the embedded model: one of less than three billion parameters keeps
    fewer facts by instructions (docs/log/storage.md), unless its prompt was tuned."""
    profile = profile_of(lm)
    return profile.capable and profile.small and prompt is None


class ByLanguage:
    """Two storage agents over one store: `english` for lines in English, `other` for all others."""

    def __init__(self, english: StorageAgent, other: StorageAgent) -> None:
        self.english, self.other = english, other

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        """As `StorageAgent.run`. Raises ModelError."""
        done = WriteResult(())
        for turn in turns:
            agent = self.english if self._is_english(turn) else self.other
            done = done.plus(agent.run([turn], user))
        return done

    def _is_english(self, turn: Turn) -> bool:
        given = self.other.language
        own = [one for one in self.other.store.turns.before(turn, BEFORE) if one.speaker not in (ASSISTANT, "")]
        talk = language_of(own[-1].text, given) if own else None
        return language_of(turn.text, given, before=talk).code == "en"


def storage_agent(
    lm: LM, store: Store, *, trained: Callable[[], LM] | None = None, language: str | None = None,
    prompt: Prompt | None = None,
) -> Reader:  # fmt: skip
    """The reader of lines for a model; `trained`: gives the embedded one with its adapter for storage, asked only where
    English lines are left to it (None: all lines are read by `lm`)."""
    own = StorageAgent(lm, store, language=language, prompt=prompt)
    if trained is None or not left_to_trained(lm, prompt):
        return own
    return ByLanguage(StorageAgent(trained(), store, language=language), own)
