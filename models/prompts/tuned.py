"""Prompts that were tuned to a model: for an agent an instruction and demonstrations, several agents in one JSON file.

They are for models without an adapter: an adapter is asked with the prompt that it was trained on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, NotFound
from ...memory.transfer.target import landing
from ..lm import LM, Message
from .messages import ANSWER

FORMAT = 1
AGENTS = ("storage", "retrieval", "answer", "editor")
EXAMPLES = "Examples from other talks; nothing in them is known of anybody here:"


@dataclass(frozen=True, slots=True)
class Demo:
    """What the agent was shown once, and a good reply to it."""

    shown: str
    reply: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an agent is told before the matter itself."""

    instruction: str
    demos: tuple[Demo, ...] = ()

    def before(self, asked: Sequence[Message]) -> list[Message]:
        """A prompt whose first message is an instruction, with this one in its place and the demonstrations after."""
        shown = [
            each for demo in self.demos for each in (Message("user", demo.shown), Message("assistant", demo.reply))
        ]
        return [Message("system", self.instruction), *shown, *asked[1:]]

    def in_answer(self, asked: Sequence[Message]) -> list[Message]:
        """An answer prompt: who talks with whom stays. The demonstrations stand in the first message, marked as such,
        since what stands among the lines of the talk would be taken for things that were said here."""
        who, found, rest = asked[0].content.partition(ANSWER)
        if not found:  # nothing of the memory is asked for
            return list(asked)
        examples = [f"{demo.shown}\nReply: {demo.reply}" for demo in self.demos]
        told = "\n\n".join([f"{who}{self.instruction}{rest}", *([EXAMPLES, *examples] if examples else [])])
        return [Message("system", told), *asked[1:]]

    def put(self, agent: str, asked: Sequence[Message]) -> list[Message]:
        """The prompt of an agent as it was written by hand, with this in the hand-written one's place."""
        return self.in_answer(asked) if agent == "answer" else self.before(asked)


@dataclass(frozen=True, slots=True)
class Tuned:
    """A prompt with the model that it was tuned to, how, on which rows, and what it was worth."""

    prompt: Prompt
    model: str
    made: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The tuned prompts of a file, by agent; none where nothing was tuned."""

    by_agent: Mapping[str, Tuned] = field(default_factory=dict)

    def of(self, agent: str, lm: LM | None) -> Prompt | None:
        """What the agent is to tell this model; None: what is written by hand, or what its adapter was trained on."""
        found = self.by_agent.get(agent)
        return found.prompt if found is not None and lm is not None and lm.adapter is None else None

    def misfits(self, agent: str, lm: LM) -> Iterator[str]:
        """Warnings, in sentences: the model is another than that which the prompt was tuned to."""
        found = self.by_agent.get(agent)
        if found is None:
            return
        if lm.adapter is not None:
            yield f"The {agent} agent works with an adapter, which keeps the prompt it was trained on."
        elif lm.name != found.model:
            yield (
                f"The {agent} agent's prompt was tuned to {found.model}, and the model is {lm.name}: it may do worse "
                f"than the hand-written one; tune it with `chatmem optimize {agent}`."
            )


NONE = Prompts()


def read_prompts(place: str | Path) -> Prompts:
    """The prompts of a file; of an empty name none. Raises NotFound, InputError with what is wrong in it."""
    if not str(place):
        return NONE
    path = Path(place).expanduser()
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFound(f"There are no prompts at {path}; `chatmem optimize` makes some, --default goes back.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name a file of tuned prompts.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is no file of tuned prompts ({error}); make it again.") from error
    if not isinstance(table, dict) or table.get("chatmem_prompts") != FORMAT:
        raise InputError(f"{path} is no file of prompts that this chatmem reads; make it with `chatmem optimize`.")
    try:
        return Prompts({agent: _tuned(agent, told) for agent, told in table["agents"].items()})
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{path} is damaged ({error}); make it again with `chatmem optimize`.") from error


def _tuned(agent: str, told: Mapping[str, Any]) -> Tuned:
    if agent not in AGENTS:
        raise ValueError(f"no agent is called {agent!r}")
    instruction, model = told["instruction"], told["model"]
    demos = tuple(Demo(_text(one["shown"]), _text(one["reply"])) for one in told.get("demonstrations", ()))
    return Tuned(Prompt(_text(instruction), demos), _text(model), dict(told.get("made", {})))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{value!r} is no text")
    return value


def as_table(prompts: Prompts) -> dict[str, Any]:
    """The prompts as they stand in a file."""
    agents = {
        agent: {
            "instruction": one.prompt.instruction,
            "demonstrations": [{"shown": demo.shown, "reply": demo.reply} for demo in one.prompt.demos],
            "model": one.model,
            "made": dict(one.made),
        }
        for agent, one in prompts.by_agent.items()
    }
    return {"chatmem_prompts": FORMAT, "agents": agents}


def write_prompts(path: Path, prompts: Prompts) -> None:
    """Whole or not at all, readable by the person alone: demonstrations may be lines of theirs. Raises InputError."""
    path = landing(path)
    beside = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(json.dumps(as_table(prompts), ensure_ascii=False, indent=2) + "\n")
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InputError(f"{path} can't be written ({error.strerror}); name another file.") from error


def with_agent(prompts: Prompts, agent: str, tuned: Tuned) -> Prompts:
    """The same with another prompt for one agent."""
    return Prompts({**prompts.by_agent, agent: tuned})
