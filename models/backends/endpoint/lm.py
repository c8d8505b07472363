"""OpenAI-compatible endpoints as LMs: OPENAI_API_KEY, OPENAI_BASE_URL, streaming, retries, and no key in any text.

A thread reads the network and hands chunks over a queue (`reply`), so that closing the iterator, `cancel` or the
deadline stop at once, even while the server is silent. What a server may send is bounded (`limits`).
"""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from ....memory.errors import EndpointError, ModelError, PromptTooLong, ReplyBroken
from ...files.profiles.make import make
from ...files.profiles.profile import Profile
from ...lm import Chunk, Message, Options
from .address import address
from .errors import Failure, Names, explain, too_late
from .reply import TRIPS, Reply, in_time
from .told import listed, told

DEADLINE = 120.0
"""Seconds for one reply."""
_BYTES_PER_TOKEN = 3
_STOPS_SENT = 4
_SCHEMA_FORMS: tuple[Callable[[Any], dict[str, Any]] | None, ...] = (
    lambda schema: {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}},
    lambda schema: {"type": "json_object", "schema": schema},
    None,
)
"""OpenAI's form of a schema, that of llama-cpp-python's server, and none: they are tried in this order."""


LOOK_SECONDS = 4.0
"""For a server to say what models it has; one that takes longer is not asked again."""


LOADING_SECONDS = 1.0
"""Between two tries at a server that is still loading its model."""
NAMES = 8
"""Of the server's models, so many are named where the wanted one isn't among them."""


class OpenAILM:
    """A model behind an endpoint. Retries before the first word: connection failures, 408, 409, 429 and 5xx.

    `base_url`, `key_env`, `headers`: see `address`. `timeout`: seconds of silence that count as a failure. `deadline`:
    seconds for one reply, with all attempts and waits; the chat's setting `endpoint_seconds`. `context_tokens` and
    `changes`: what the caller says of the model's profile. Grammars are the local back ends' affair: endpoints get
    `json_schema`. The repeat penalty isn't sent.
    Raises EndpointError when no key is set and the address is OpenAI's, SettingsError for an address that is none.
    """

    adapter: str | None = None

    def __init__(
        self,
        name: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        key_env: str = "",
        headers: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        deadline: float = DEADLINE,
        retries: int = 4,
        backoff: float = 0.5,
        context_tokens: int | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self._changes = name, {**(changes or {}), **({"window": context_tokens} if context_tokens else {})}
        self._address = address(url=base_url, api_key=api_key, key_env=key_env, headers=headers)
        self._key, self._reading, self._read_all = self._address.key, 0, False
        self._timeout, self._retries, self._backoff = min(timeout, deadline), retries, backoff
        self.deadline = deadline
        self._replies: set[Reply] = set()
        self._odd: dict[str, str | None] = {}
        self._schema_form = 0

    @cached_property
    def profile(self) -> Profile:
        """Made from what the server says of its models, which is asked for at the first need."""
        return make(told(self.name, self.look), self._changes)

    @property
    def context_tokens(self) -> int:
        return self.profile.window

    def look(self, path: str) -> Any:
        """The JSON that the server has at a path ("models"; "/props" from its root), None where there is none. OpenAI
        itself lists names alone, and isn't asked."""
        import httpx2

        if not self._address.urls:
            return None

        from .limits import end_at

        place = httpx2.URL(self._url.rstrip("/") + "/")
        place = place.copy_with(path=path) if path.startswith("/") else place.join(path)
        end_at(time.monotonic() + LOOK_SECONDS)
        try:
            found = self._inner.get(place, headers={"authorization": f"Bearer {self._key}", **self._address.headers})
            return found.json() if found.status_code == 200 else None
        except (httpx2.HTTPError, httpx2.InvalidURL, *TRIPS):
            return None

    def __repr__(self) -> str:
        return f"OpenAILM({self.name!r})"

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        """Stream the reply. Raises EndpointError with a sentence; the key is in none."""
        reply = Reply(self, self._request(messages, options), options)
        self._replies.add(reply)
        try:
            yield from reply.chunks()
        finally:
            reply.stop.set()
            self._replies.discard(reply)

    def ask(self, request: Mapping[str, Any]) -> Any:
        """The whole answer to a request, read at once. Raises EndpointError."""
        return in_time(lambda stop, end: self.open(request, stop, end), self)

    def too_late(self) -> EndpointError:
        """The error of a reply that met its deadline. The connection is let go, so that its thread ends, unless
        another reply is being read over it."""
        if len(self._replies) <= 1:
            self._hang_up()
        return EndpointError(too_late(self._where))

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
        self._hang_up()

    def _hang_up(self) -> None:
        self.__dict__.pop("client", None)
        inner = self.__dict__.pop("_inner", None)
        if inner is not None:
            with suppress(OSError, RuntimeError):  # of a socket that another thread is reading
                inner.close()

    @property
    def _where(self) -> str:
        return self._address.shown(self._reading)

    @property
    def _url(self) -> str:
        return self._address.urls[self._reading] if self._address.urls else ""

    @property
    def host(self) -> str:
        """Where the model runs: host and port, without a password."""
        return self._where.partition("://")[2].partition("/")[0].rpartition("@")[2]

    @cached_property
    def client(self) -> Any:
        """The `openai` client; its own retries are off since ours can be cancelled."""
        import openai

        inner = self._inner
        return openai.OpenAI(
            api_key=self._key, base_url=self._url or None, timeout=inner.timeout, max_retries=0, http_client=inner,
            default_headers=dict(self._address.headers),
        )  # fmt: skip

    @cached_property
    def _inner(self) -> Any:
        from .limits import bounded_client

        inner = bounded_client(self._timeout)
        weakref.finalize(self, inner.close)  # a handle that is dropped takes its connections along
        return inner

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

    def open(self, request: Mapping[str, Any], stop: threading.Event, end: float) -> Any:
        """The stream of an accepted request, or None when stopped. Raises EndpointError after the last attempt, or
        where the next one could not begin before `end`."""
        from .limits import end_at

        end_at(end)
        attempt = 0
        while not stop.is_set():
            form = self._schema_form
            failure = self._try(request, form)
            if not isinstance(failure, Failure):
                return failure
            learned = self._change_form(request, failure, form) or self._drop_parameter(request, failure)
            if learned or self._other_reading(failure):
                continue
            if failure.loading and time.monotonic() + LOADING_SECONDS < end:
                stop.wait(LOADING_SECONDS)
                continue
            wait = failure.wait if failure.wait is not None else self._backoff * 2**attempt
            attempt += 1
            if attempt > self._retries or not failure.passing or wait > min(self._timeout, end - time.monotonic()):
                raise self.given_up(failure)
            stop.wait(wait)
        return None

    def _try(self, request: Mapping[str, Any], form: int) -> Any:
        import httpx2
        import openai

        sent = {new or key: request[key] for key in request if (new := self._odd.get(key, key)) is not None}
        if "response_format" in sent:
            schema, make = sent.pop("response_format"), _SCHEMA_FORMS[form]
            sent |= {"response_format": make(schema)} if make else {}
        try:
            return self.send(sent)
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, *TRIPS) as error:
            # Raised again outside of this block, so that no traceback leads to the original, which may hold the key.
            return self._explained(error)

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

    def _explained(self, error: Exception, begun: bool = False) -> Failure:
        names = Names(self._address.key_name, self._address.url_name)
        return explain(error, self.name, self._where, self._key, begun, names)

    def _other_reading(self, failure: Failure) -> bool:
        """Learn from a 404 or 405 that the address means another one: with /v1, or without."""
        if failure.status not in (404, 405) or "model" in failure.detail.lower() or len(self._address.urls) < 2:
            return False
        self._reading, again = (0, False) if self._read_all else (1, True)
        self._read_all = True
        self.__dict__.pop("client", None)
        return again

    def send(self, sent: Mapping[str, Any]) -> Any:
        """One request as it goes out. Raises what the client raises."""
        return self.client.chat.completions.create(**sent)

    def given_up(self, failure: Failure) -> ModelError:
        """The error to raise when no attempt is left."""
        if failure.too_long:
            return PromptTooLong(failure.sentence)
        names = listed(self.look) if failure.status == 404 else ()
        if names and self.name not in names:
            more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
            return EndpointError(
                f"{self._where} knows no model {self.name!r}; it has {', '.join(names[:NAMES])}{more}."
            )
        return EndpointError(failure.sentence)

    def explain(self, error: Exception) -> EndpointError:
        """The error to raise for a stream that broke off."""
        return ReplyBroken(self._explained(error, begun=True).sentence)
