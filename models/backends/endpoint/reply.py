"""One reply over the network: a thread reads, the caller waits no longer than the deadline, and nothing is believed.

Whatever ends the thread, the caller hears of it: a chunk of the wrong form is an error with a sentence, as is a reply
that is longer than was asked for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from queue import Empty, Full, Queue
from typing import Any, Protocol

from ....memory.errors import EndpointError, ModelError
from ...decoding.text_stream import TextStream
from ...lm import Chunk, FinishReason, Options

TRIPS = (ValueError, TypeError, AttributeError, LookupError, RecursionError, OverflowError, OSError, RuntimeError)
"""What a library raises when a server feeds it what it didn't expect."""
_LOOK = 0.02
"""Seconds between two looks at `stop` and the deadline."""
_WAITING = 256
"""Events that are read ahead of the caller."""
_CHARS_PER_TOKEN = 64
_CHARS_MORE = 2_000


class Endpoint(Protocol):
    """What a reply needs of the model that it comes from: `lm.OpenAILM`."""

    name: str
    deadline: float

    def open(self, request: Mapping[str, Any], stop: threading.Event, end: float) -> Any: ...

    def explain(self, error: Exception) -> EndpointError: ...

    def too_late(self) -> EndpointError: ...


class Reply:
    """One streamed reply: the thread puts events, None at the end, or an exception."""

    def __init__(self, lm: Endpoint, request: Mapping[str, Any], options: Options) -> None:
        self.stop = threading.Event()
        self._lm, self._request = lm, request
        self._queue: Queue[Any] = Queue(_WAITING)
        self._text = TextStream(options.stop)
        self._room = _CHARS_MORE + _CHARS_PER_TOKEN * options.max_tokens
        self._counts = (0, 0, 0)
        self._finish: FinishReason = "stop"
        self._ended = False
        self._pieces = 0
        self._late = 0.0

    def chunks(self) -> Iterator[Chunk]:
        self._late = time.monotonic() + self._lm.deadline
        reader = threading.Thread(target=self._read, name="chatmem-endpoint", daemon=True)
        reader.start()
        while True:
            item = self._next()
            if not self.stop.is_set() and (item is None or isinstance(item, ModelError)):
                reader.join(1)  # that was its last word: it is gone before the caller goes on
            if isinstance(item, ModelError):
                raise item
            if item is None or self.stop.is_set() or self._text.stopped:
                yield self._end()
                return
            thought, ready = thought_of(item), self._take(item)
            if ready or thought:
                yield Chunk(ready, thought=thought)

    def _next(self) -> Any:
        while not self.stop.is_set():
            try:
                return self._queue.get(timeout=_LOOK)
            except Empty:
                if time.monotonic() > self._late:
                    self.stop.set()
                    raise self._lm.too_late() from None
        return None

    def _take(self, event: Any) -> str:
        """The text of an event that can be shown. Raises EndpointError."""
        try:
            self._counts = _counts(getattr(event, "usage", None)) or self._counts
            text = self._delta(event.choices[0]) if event.choices else ""
        except TRIPS as error:
            raise self._lm.explain(error) from None
        self._pieces += bool(text)
        self._room -= len(text)
        if self._room < 0:
            raise self._lm.explain(ValueError("it is longer than was asked for"))
        return self._text.feed_text(text)

    def _delta(self, choice: Any) -> str:
        finish = choice.finish_reason
        if finish:
            self._finish = "length" if finish == "length" else "stop"
            self._ended = True
        text = (choice.delta.content if choice.delta else None) or ""
        if not isinstance(text, str):
            raise ValueError("its text is no text")
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _end(self) -> Chunk:
        stopped = self._text.stopped or self.stop.is_set()
        if not stopped and not self._ended:
            raise self._lm.explain(ValueError("it has no end" if self._pieces else "it is empty"))
        prompt, cached, completion = self._counts
        finish: FinishReason = "cancelled" if self.stop.is_set() else self._finish
        text = self._text.flush()
        return Chunk(text, "stop" if self._text.stopped else finish, prompt, cached, completion or self._pieces)

    def _read(self) -> None:
        import httpx2
        import openai

        last: ModelError | None = EndpointError(f"{self._lm.name} gave a reply that can't be read; try again.")
        try:
            stream = self._lm.open(self._request, self.stop, self._late)
            if stream is not None:
                with stream:
                    for event in stream:
                        if not self._put(event):
                            break
            last = None
        except ModelError as error:
            last = error
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, *TRIPS) as error:
            last = self._lm.explain(error)
        finally:
            self._put(last)

    def _put(self, item: Any) -> bool:
        """False when nobody listens any more."""
        while not self.stop.is_set():
            try:
                self._queue.put(item, timeout=_LOOK)
                return True
            except Full:
                if time.monotonic() > self._late:
                    return False
        return False


def thought_of(event: Any) -> str:
    """What the model thinks, where a server tells it apart: `reasoning_content` (DeepSeek, vLLM, llama-server) or
    `reasoning` (Ollama, OpenRouter) of the delta."""
    choices = getattr(event, "choices", None)
    delta = getattr(choices[0], "delta", None) if isinstance(choices, list) and choices else None
    told = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    return told.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(told, str) else ""


def _counts(usage: Any) -> tuple[int, int, int] | None:
    """Tokens of the prompt, of these from the cache, and of the reply."""
    if usage is None:
        return None
    details = getattr(usage, "prompt_tokens_details", None)
    told = (usage.prompt_tokens, getattr(details, "cached_tokens", 0) or 0, usage.completion_tokens)
    if not all(type(count) is int and 0 <= count < 10**9 for count in told):
        return None
    return told


def in_time(act: Callable[[threading.Event, float], Any], lm: Endpoint) -> Any:
    """What `act` gives back or raises, in a thread of its own, so that the deadline holds. Raises EndpointError."""
    stop, done = threading.Event(), Queue[Any](1)
    end = time.monotonic() + lm.deadline

    def run() -> None:
        last: Any = EndpointError(f"{lm.name} gave a reply that can't be read; try again.")
        try:
            last = act(stop, end)
        except ModelError as error:
            last = error
        finally:
            done.put(last)

    threading.Thread(target=run, name="chatmem-endpoint", daemon=True).start()
    try:
        found = done.get(timeout=max(end - time.monotonic(), 0.01) + _LOOK)
    except Empty:
        stop.set()
        raise lm.too_late() from None
    if isinstance(found, ModelError):
        raise found
    return found
