"""The editor on an endpoint whose models know tools: the model itself calls the six tools, in turns, until done."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...memory.errors import EndpointError
from ...memory.tidy.proposals import Proposal
from ...memory.tidy.run import Call
from ...memory.tidy.schemas import openai_tools
from ...memory.tidy.toolbox import MemoryTools
from ..backends.endpoint.lm import OpenAILM
from .agent import Budget, Lines, Step, find_proposals
from .prompts import Decision

TURNS = 15
"""Most replies of the model to one list of rows."""
SHOWN = 12
"""Places to look at that are shown at a time."""
MAX_TOKENS = 2048
GUIDE = """\
You keep a person's memory tidy with tools. You are shown rows that may say the same, may have been overtaken, or may
be no lasting fact. Merge rows that say the same (merge_memory, strategy summarize). Where a newer row replaces an older
one, merge them with strategy newest. Delete what is no lasting fact (small talk, moods, greetings). Split rows that
hold several facts, put vague ones into better words from what was said. Leave everything else alone; when unsure, leave
it. When nothing is left to do, answer without a call."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that the model asked for; `arguments` are JSON as it wrote them."""

    id: str
    name: str
    arguments: str


def ask(
    lm: OpenAILM, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None = None
) -> tuple[str, list[Wanted]]:  # fmt: skip
    """One reply of the model, with the tools at hand (the six of the editor). Raises EndpointError."""
    request = {
        "model": lm.name, "messages": list(messages), "tools": list(tools or openai_tools()), "max_tokens": MAX_TOKENS,
        "temperature": 0.0,
    }  # fmt: skip
    reply = lm.ask(request)
    try:
        message = reply.choices[0].message
        calls = [Wanted(one.id, one.function.name, one.function.arguments or "{}") for one in message.tool_calls or ()]
        text = message.content or ""
    except (AttributeError, TypeError, KeyError, IndexError):
        raise EndpointError(f"{lm.name} gave an empty reply, or none that can be read; try again.") from None
    if not all(isinstance(part, str) for one in calls for part in (one.id, one.name, one.arguments, text)):
        raise EndpointError(f"{lm.name} gave a reply of the wrong form; try again, or use another model.")
    return text, calls


class NativeEditor:
    """Tidies through `tools` as the model calls them; each call is committed before the next."""

    def __init__(self, lm: OpenAILM, tools: MemoryTools) -> None:
        self.lm, self.tools = lm, tools
        tools.author = replace(tools.author, model=lm.name)

    def tidy(self, budget: Budget = Budget()) -> Iterator[Step]:  # noqa: B008 - frozen
        """A step for each call. Raises EndpointError and StoreError; what was done is kept."""
        began, ops, done = time.monotonic(), 0, 0
        proposals, lines = find_proposals(self.tools)
        for start in range(0, len(proposals), SHOWN):
            some = [one for one in proposals[start : start + SHOWN] if self._there(one)]
            messages = first_messages(some, lines)
            for _ in range(TURNS if some else 0):
                late = budget.seconds is not None and time.monotonic() - began > budget.seconds
                if budget.stop() or late or (budget.ops is not None and ops >= budget.ops):
                    return
                calls = self._turn(messages, None if budget.ops is None else budget.ops - ops)
                for call in calls:
                    ops += bool(call.wrote)
                    yield Step(done, len(proposals), (), Decision(call.name), call)
                if not calls:
                    break
            done += len(some)

    def _turn(self, messages: list[dict[str, Any]], left: int | None) -> list[Call]:
        """One reply and what its calls did; the conversation grows by both."""
        text, wanted = ask(self.lm, messages)
        if not wanted:
            return []
        told = [
            {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
            for one in wanted
        ]
        messages.append({"role": "assistant", "content": text, "tool_calls": told})
        done = []
        for place, one in enumerate(wanted):
            over = left is not None and place >= left
            result: Mapping[str, Any] = {"error": "no more changes in this run."}
            if not over:
                done.append(self.tools.call(one.name, _arguments(one.arguments)))
                result = done[-1].result
            answer = json.dumps(result, ensure_ascii=False)
            messages.append({"role": "tool", "tool_call_id": one.id, "content": answer})
        return done

    def _there(self, proposal: Proposal) -> bool:
        """Whether the rows are still current: an earlier call may have closed them."""
        found = self.tools.store.facts.by_id([row.id for row in proposal.rows])
        return len(found) == len(proposal.rows) and all(row.valid_to is None for row in found.values())


def first_messages(proposals: Sequence[Proposal], lines: Lines) -> list[dict[str, Any]]:
    """The prompt: what to do, and the rows to look at with what was said."""
    parts = []
    for number, proposal in enumerate(proposals, 1):
        rows = [
            f"  #{row.id} [{row.subject}: {row.topic}] {row.fact} (told {row.said_at[:10]})" for row in proposal.rows
        ]
        said = [f'  said: "{line}"' for row in proposal.rows for line in lines.get(row.id, ())[-1:]]
        parts += [f"{number}.", *rows, *said]
    return [{"role": "system", "content": GUIDE}, {"role": "user", "content": "\n".join(parts)}]


def _arguments(text: str) -> dict[str, Any]:
    """The arguments as data; what is no JSON object fails the check of the tool, and so comes back as an error."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {"not JSON": text[:60]}
    return found if isinstance(found, dict) else {"not an object": text[:60]}
