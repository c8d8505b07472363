"""The editor that fits a model: with the model's own tool calls, or in our text protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ...memory.tidy.toolbox import MemoryTools
from ..lm import LM
from ..prompts.tuned import NONE, Prompts
from .agent import Budget, EditorAgent, LMDecider, Step


class Editor(Protocol):
    """An editor at work: steps, each committed before it is told."""

    def tidy(self, budget: Budget = ...) -> Iterator[Step]: ...


def make_editor(lm: LM, tools: MemoryTools, prompts: Prompts = NONE) -> Editor:
    """The editor for a model: native tool calls where its back end has them, else the text protocol, for which
    `prompts` may hold a tuned one."""
    from ..backends.endpoint.lm import OpenAILM

    if isinstance(lm, OpenAILM):
        from .native import NativeEditor

        return NativeEditor(lm, tools)
    prompt = prompts.of("editor", lm)
    return EditorAgent(LMDecider(lm) if prompt is None else LMDecider(lm, prompt), tools)
