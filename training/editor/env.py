"""Whole episodes for TRL: an environment per rollout, whose methods are the six tools of `memory/tidy/tools.yaml`.

`episode_grpo.py` hands them to a `GRPOTrainer(environment_factory=environment(task), ...)` with a base whose chat
template knows tools: the model reads a list of rows, calls tools, at most 30, and ends by answering without a call.
Every environment works on a copy of its own of one identical memory. The reward compares the two snapshots over the
memory's questions, as `reward.py` says.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...memory.store.store import Store
from ...memory.tidy.run import RunLimits
from ...memory.tidy.schemas import Schema, ToolSpec, tool_specs
from ...memory.tidy.toolbox import MemoryTools
from ...models.editor.agent import find_proposals
from ...models.editor.native import SHOWN, first_messages
from .reward import EditorTask, Snapshot, snapshot

OPERATIONS = 30
FAILED = 0.1
"""What a rollout loses when all of its calls are refused."""
Fields = dict[str, Any]
_TYPES: dict[str, Any] = {
    "string": str, "integer": int, "number": float, "array": list[int], "object": dict[str, str],
}  # fmt: skip


def episodes(task: EditorTask) -> list[Fields]:
    """One row for each memory: the prompt, and which memory it is."""
    made = []
    for number in task.numbers():
        store, user, _ = task.base(number)
        tools = MemoryTools(store, user)
        proposals, lines = find_proposals(tools)
        tools.close()
        if proposals:
            prompt = first_messages(proposals[:SHOWN], lines)
            if asked := task.shown(number):
                prompt[-1]["content"] += f"\nThe memory is to answer: {asked}"
            made.append({"prompt": prompt, "memory": number})
    return made


class EditorEnvironment:
    """One rollout's memory. Its public methods beside `reset` and `get_reward` are made from the tools' page."""

    def __init__(self, task: EditorTask) -> None:
        self._task = task
        self._folder: TemporaryDirectory[str] | None = None
        self._store: Store | None = None
        self._tools: MemoryTools | None = None
        self._memory = -1
        self._old: Snapshot | None = None
        task.at_end.append(self._end)

    def reset(self, memory: int, **_: Any) -> None:
        """A fresh copy of the memory with that number."""
        self._end()
        base, user, _ids = self._task.base(memory)
        self._folder = TemporaryDirectory(prefix="chatmem-episode-")
        path = Path(self._folder.name) / "episode.db"
        base.copy_to(path)
        self._store, self._memory = Store.open(path, embedder=self._task.embedder), memory
        self._tools = MemoryTools(self._store, user, limits=RunLimits(share=1.0))
        self._old = snapshot(base, user, self._asks(), self._task.evaluate, self._task.tells(memory))

    def get_reward(self) -> float:
        """What the calls were worth; the rollout is kept in `trajectories.jsonl` with every term."""
        tools, store = self._tools, self._store
        if tools is None or store is None or self._old is None:
            return 0.0
        tells = self._task.tells(self._memory)
        terms = self._task.worth(self._old, snapshot(store, tools.user, self._asks(), self._task.evaluate, tells))
        failed = sum(call.failed for call in tools.calls) / max(1, len(tools.calls))
        terms |= {"reward": terms["reward"] - FAILED * failed, "failed": failed, "calls": float(len(tools.calls))}
        terms |= {f"calls of {name}": float(count) for name, count in Counter(one.name for one in tools.calls).items()}
        self._task.played.append(terms)
        calls = [{"name": one.name, "arguments": one.arguments, "result": one.result} for one in tools.calls]
        told = {"memory": self._memory, "calls": calls, "terms": terms}
        with self._task.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(told, ensure_ascii=False) + "\n")
        return terms["reward"]

    def _asks(self) -> list[Any]:
        return self._task.asked_in(self._memory)

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        assert self._tools is not None
        if len(self._tools.calls) >= OPERATIONS:
            return json.dumps({"error": f"{OPERATIONS} operations are done: stop."})
        if self._store is not None and self._task.enough(self._store, self._tools.user, self._memory):
            return json.dumps({"error": "The memory answers what it is asked: stop."})
        result = self._tools.call(name, {key: value for key, value in arguments.items() if value is not None}).result
        return json.dumps(result, ensure_ascii=False)

    def _end(self) -> None:
        if self._tools is not None and self._store is not None and self._folder is not None:
            self._tools.close()
            self._store.close()
            self._folder.cleanup()
        self._tools = self._store = self._folder = None


def _method(spec: ToolSpec) -> Callable[..., str]:
    """A typed method with a docstring in Google's form, as TRL reads tools from."""

    def call(self: EditorEnvironment, **arguments: Any) -> str:
        return self._call(spec.name, arguments)

    hints = {name: _hint(one, name in spec.required) for name, one in spec.parameters.items()}
    order = sorted(hints, key=lambda name: name not in spec.required)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    empty = inspect.Parameter.empty
    told = [
        inspect.Parameter(name, kind, annotation=hints[name], default=empty if name in spec.required else None)
        for name in order
    ]
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", kind), *told], return_annotation=str
    )
    call.__annotations__ = {**{name: hints[name] for name in order}, "return": str}
    lines = "\n".join(f"    {name}: {_meaning(spec.parameters[name])}" for name in order)
    call.__doc__ = f"{spec.description}\n\nArgs:\n{lines}\n\nReturns:\n    The result as JSON."
    call.__name__ = spec.name
    return call


def _hint(schema: Schema, required: bool) -> Any:
    kind = _TYPES[schema["type"]]
    return kind if required else kind | None


def _meaning(schema: Schema) -> str:
    choices = f" One of: {', '.join(schema['enum'])}." if "enum" in schema else ""
    return f"{schema['description']}.{choices}".replace("\n", " ")


def environment(task: EditorTask) -> Callable[[], EditorEnvironment]:
    """TRL's `environment_factory`."""
    for name, spec in tool_specs().items():
        if not hasattr(EditorEnvironment, name):
            setattr(EditorEnvironment, name, _method(spec))
    return partial(EditorEnvironment, task)
