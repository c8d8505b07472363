"""OpenAI-compatible endpoints as LMs: OPENAI_API_KEY, OPENAI_BASE_URL, streaming, retries, and no key in any text.

A worker thread reads the network and hands chunks over a queue, so that closing the iterator or `cancel` stops at
once, even while the server is silent.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from queue import Empty, Queue
from typing import Any

from ..memory.errors import EndpointError, SettingsError
from .endpoint_errors import Failure, explain
from .lm import Chunk, FinishReason, Message, Options
from .streaming import TextStream

DEFAULT_CONTEXT = 32_768
_BYTES_PER_TOKEN = 3
_STOPS_SENT = 4
_SCHEMA_FORMS: tuple[Callable[[Any], dict[str, Any]] | None, ...] = (
    lambda schema: {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}},
    lambda schema: {"type": "json_object", "schema": schema},
    None,
)
"""OpenAI's form of a schema, that of llama-cpp-python's server, and none: they are tried in this order."""


class OpenAILM:
    """A model behind an endpoint. Retries before the first word: connection failures, 408, 409, 429 and 5xx.

    `timeout`: seconds of silence that count as a failure. `context_tokens`: what the caller may fill; endpoints don't
    tell theirs. Grammars are the local back ends' affair: endpoints get `json_schema`. The repeat penalty isn't sent.
    Raises EndpointError when no key is set and the address is OpenAI's, SettingsError for an address that is none.
    """

    adapter: str | None = None

    def __init__(
        self,
        name: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        backoff: float = 0.5,
        context_tokens: int = DEFAULT_CONTEXT,
    ) -> None:
        self.name, self.context_tokens = name, context_tokens
        self._url = _checked_url(base_url or os.environ.get("OPENAI_BASE_URL") or "")
        self._key = _checked_key(api_key or os.environ.get("OPENAI_API_KEY") or "", bool(self._url))
        self._timeout, self._retries, self._backoff = timeout, retries, backoff
        self._replies: set[_Reply] = set()
        self._odd: dict[str, str | None] = {}
        self._schema_form = 0

    def __repr__(self) -> str:
        return f"OpenAILM({self.name!r})"

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        """Stream the reply. Raises EndpointError with a sentence; the key is in none."""
        reply = _Reply(self, self._request(messages, options), options)
        self._replies.add(reply)
        try:
            yield from reply.chunks()
        finally:
            reply.stop.set()
            self._replies.discard(reply)

    def count_tokens(self, text: str) -> int:
        """An estimate that errs on the high side: a token for each three bytes."""
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)

    def cancel(self) -> None:
        """Stop all replies of this handle at once, from any thread."""
        for reply in tuple(self._replies):
            reply.stop.set()

    def close(self) -> None:
        """Stop everything and close the connections."""
        self.cancel()
        if "client" in self.__dict__:
            self.client.close()

    @cached_property
    def client(self) -> Any:
        """The `openai` client; its own retries are off since ours can be cancelled."""
        import httpx2
        import openai

        limits = httpx2.Timeout(self._timeout, connect=min(self._timeout, 10.0))
        return openai.OpenAI(api_key=self._key, base_url=self._url or None, timeout=limits, max_retries=0)

    def _request(self, messages: Sequence[Message], options: Options) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": options.max_tokens,
            "temperature": options.temperature,
            "seed": options.seed,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if options.top_p < 1.0:
            request["top_p"] = options.top_p
        if options.stop:
            request["stop"] = list(options.stop[:_STOPS_SENT])
        if options.json_schema:
            request["response_format"] = json.loads(options.json_schema)
        return request

    def open(self, request: Mapping[str, Any], stop: threading.Event) -> Any:
        """The stream of an accepted request, or None when stopped. Raises EndpointError after the last attempt."""
        attempt = 0
        while not stop.is_set():
            form = self._schema_form
            failure = self._try(request, form)
            if not isinstance(failure, Failure):
                return failure
            if self._change_form(request, failure, form) or self._drop_parameter(request, failure):
                continue
            wait = failure.wait if failure.wait is not None else self._backoff * 2**attempt
            attempt += 1
            if attempt > self._retries or not failure.passing or wait > self._timeout:
                raise EndpointError(failure.sentence)
            stop.wait(wait)
        return None

    def _try(self, request: Mapping[str, Any], form: int) -> Any:
        import openai

        sent = {new or key: request[key] for key in request if (new := self._odd.get(key, key)) is not None}
        if "response_format" in sent:
            schema, make = sent.pop("response_format"), _SCHEMA_FORMS[form]
            sent |= {"response_format": make(schema)} if make else {}
        try:
            return self.client.chat.completions.create(**sent)
        except openai.OpenAIError as error:
            # Raised again outside of this block, so that no traceback leads to the original, which may hold the key.
            return explain(error, self.name, str(self.client.base_url), self._key)

    def _change_form(self, request: Mapping[str, Any], failure: Failure, form: int) -> bool:
        """Learn from an error that names the schema: llama.cpp's own server wants another form of it and answers 500.
        Another request may have learned it meanwhile."""
        if "response_format" not in request or "response_format" not in failure.detail or failure.status is None:
            return False
        if self._schema_form == form and form + 1 < len(_SCHEMA_FORMS):
            self._schema_form = form + 1
        return self._schema_form != form

    def _drop_parameter(self, request: Mapping[str, Any], failure: Failure) -> bool:
        """Learn from a 400 that names a parameter: newer models want another name for it, or none at all."""
        if failure.status not in (400, 422):
            return False
        if "max_completion_tokens" in failure.detail and "max_tokens" not in self._odd:
            self._odd["max_tokens"] = "max_completion_tokens"
            return True
        for key in ("temperature", "seed", "top_p", "stream_options", "stop"):
            if key in request and key not in self._odd and key in failure.detail:
                self._odd[key] = None
                return True
        return False

    def explain(self, error: Exception) -> EndpointError:
        """The error to raise for a stream that broke off."""
        return EndpointError(explain(error, self.name, str(self.client.base_url), self._key, begun=True).sentence)


class _Reply:
    """One streamed reply: the worker thread puts chunks, None at the end, or an exception."""

    def __init__(self, lm: OpenAILM, request: Mapping[str, Any], options: Options) -> None:
        self.stop = threading.Event()
        self._lm, self._request = lm, request
        self._queue: Queue[Any] = Queue()
        self._text = TextStream(options.stop)
        self._usage: Any = None
        self._finish: FinishReason = "stop"
        self._pieces = 0

    def chunks(self) -> Iterator[Chunk]:
        reader = threading.Thread(target=self._read, name="chatmem-endpoint", daemon=True)
        reader.start()
        while True:
            item = self._next()
            if not self.stop.is_set() and (item is None or isinstance(item, EndpointError)):
                reader.join(1)  # that was its last word: it is gone before the caller goes on
            if isinstance(item, EndpointError):
                raise item
            if item is None or self.stop.is_set() or self._text.stopped:
                yield self._end()
                return
            ready = self._take(item)
            if ready:
                yield Chunk(ready)

    def _next(self) -> Any:
        while not self.stop.is_set():
            try:
                return self._queue.get(timeout=0.02)
            except Empty:
                continue
        return None

    def _take(self, event: Any) -> str:
        self._usage = event.usage or self._usage
        if not event.choices:
            return ""
        choice = event.choices[0]
        if choice.finish_reason:
            self._finish = "length" if choice.finish_reason == "length" else "stop"
        text = (choice.delta.content if choice.delta else None) or ""
        self._pieces += bool(text)
        return self._text.feed_text(text)

    def _end(self) -> Chunk:
        usage, cached = self._usage, 0
        if usage is not None and usage.prompt_tokens_details:
            cached = usage.prompt_tokens_details.cached_tokens or 0
        finish: FinishReason = "cancelled" if self.stop.is_set() else self._finish
        return Chunk(
            self._text.flush(),
            "stop" if self._text.stopped else finish,
            usage.prompt_tokens if usage else 0,
            cached,
            usage.completion_tokens if usage else self._pieces,
        )

    def _read(self) -> None:
        import httpx2
        import openai

        try:
            stream = self._lm.open(self._request, self.stop)
            if stream is not None:
                with stream:
                    for event in stream:
                        if self.stop.is_set():
                            break
                        self._queue.put(event)
            self._queue.put(None)
        except EndpointError as error:
            self._queue.put(error)
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, ValueError) as error:
            self._queue.put(self._lm.explain(error))


def _checked_url(url: str) -> str:
    url = url.strip()
    if url and not url.startswith(("http://", "https://")):
        raise SettingsError("OPENAI_BASE_URL is no web address; write it as http://HOST:PORT/v1.")
    return url


def _checked_key(key: str, has_url: bool) -> str:
    key = key.strip()
    if not key and not has_url:
        raise EndpointError("No key is set; set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.")
    if not key.isascii() or not key.isprintable():
        raise EndpointError("OPENAI_API_KEY holds characters that no key has; copy the key again.")
    return key or "none"
