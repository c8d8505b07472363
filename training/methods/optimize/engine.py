"""Our LM seam as an engine of DSPy (`complete(Request) -> Response`), with a record from which a killed run goes on.

A reply is kept under all that it depends on: asked again, the same question of the same run is answered from the
record. So a run that was killed is simply run again: what it had done takes no time, and it goes on from there.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import dspy
from dspy import lm15

from ....eval.runs.records import Records
from ....memory.errors import ModelError, PromptTooLong
from ....models.lm import LM, Message, Options

MOST_TOKENS = 384
"""Of what a model proposes: an instruction, advice, a summary of the examples."""
WARM = 0.95
"""Top p where there is a temperature."""


class Spent(ModelError):
    """The run's budget of calls is used up."""


class Engine:
    """One model's calls. `record` keeps them; `left` says how many more there may be, and is told of each."""

    def __init__(self, lm: LM, record: Records, left: Callable[[], int]) -> None:
        self.lm, self.name, self.calls = lm, lm.name, 0
        self._record, self._left = record, left
        self._kept = {row["key"]: row for row in record.rows}
        self._lock = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The model's reply. Raises errors of `dspy.lm15`, as engines do."""
        config = request.config
        more = dict(config.extensions or {})
        temperature = config.temperature or 0.0
        options = Options(
            max_tokens=config.max_tokens or MOST_TOKENS, temperature=temperature, top_p=WARM if temperature else 1.0,
            seed=int(more.get("draw", 0)) if temperature else 0, grammar=more.get("grammar"),
            json_schema=more.get("json_schema"), repeat_penalty=float(more.get("repeat_penalty", 1.0)),
        )  # fmt: skip
        try:
            text, finish = self.say(_messages(request), options)
        except PromptTooLong as error:
            raise lm15.ContextLengthError(str(error)) from error
        except ModelError as error:
            raise lm15.ConfigurationError(str(error)) from error
        said = lm15.Message.assistant([lm15.TextPart(text or " ")])
        usage = lm15.Usage(input_tokens=0, output_tokens=0)
        return lm15.Response(id=None, model=self.name, message=said, finish_reason=finish, usage=usage)

    def say(self, messages: list[Message], options: Options) -> tuple[str, str]:
        """(text, why it ended), from the record where the same was asked before. Raises ModelError."""
        key = self._key(messages, options)
        with self._lock:
            kept = self._kept.get(key)
            if self._left() <= 0:
                raise Spent("The budget of calls is used up.")
            if kept is None:
                kept = {"key": key, **self._asked(messages, options)}
                self._record.add(kept)
                self._kept[key] = kept
            self.calls += 1
            return kept["text"], kept["finish"]

    def stream(self, request: lm15.Request) -> Iterator[Any]:
        """All at once."""
        yield from lm15.response_to_events(self.complete(request))

    def close(self) -> None:
        """Closes the model."""
        self.lm.close()

    def _asked(self, messages: list[Message], options: Options) -> dict[str, str]:
        texts, finish = [], "stop"
        for chunk in self.lm.generate(messages, options):
            texts.append(chunk.text)
            finish = chunk.finish or finish
        return {"text": "".join(texts), "finish": "length" if finish == "length" else "stop"}

    def _key(self, messages: list[Message], options: Options) -> str:
        asked = [self.name, [[one.role, one.content] for one in messages]]
        how = [options.max_tokens, options.temperature, options.seed, options.grammar, options.repeat_penalty]
        return hashlib.sha256(json.dumps([*asked, *how], ensure_ascii=False).encode()).hexdigest()[:32]

    def as_lm(self) -> dspy.LM:
        """The engine as DSPy asks it; DSPy's own caches and second tries are off."""
        return dspy.LM(f"chatmem/{self.name}", engine=self, cache=False, num_retries=0, temperature=0.0)


def _messages(request: lm15.Request) -> list[Message]:
    system = request.system
    told = system if isinstance(system, str) or system is None else "".join(part.text for part in system)
    roles = {"assistant": "assistant", "developer": "system"}
    said = [Message(roles.get(one.role, "user"), one.text or "") for one in request.messages]  # type: ignore[arg-type]
    return ([Message("system", told)] if told else []) + said


def quiet() -> None:
    """DSPy without caches of its own on the disk, which would keep the person's words, and without its log."""
    import logging

    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    for name in ("dspy", "gepa", "optuna"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
