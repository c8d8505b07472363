"""Where an endpoint is and what opens it: its address as people write it, its key, and the headers that it wants."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ....memory.errors import EndpointError, SettingsError
from .errors import NO_KEY, scrub

KEY_NAME, URL_NAME = "OPENAI_API_KEY", "OPENAI_BASE_URL"
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,40}")
_VERSIONED = re.compile(r"/v\d+[a-z0-9]*(?:/|$)")
_CALLS = ("/chat/completions", "/completions", "/models", "/embeddings", "/responses")


@dataclass(frozen=True, slots=True)
class Address:
    """`urls`: where requests go, the likeliest first (empty: OpenAI's own); `key_name` and `url_name`: what to mend
    when something is wrong with them. The key is in no text made of it."""

    urls: tuple[str, ...]
    key: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_name: str = KEY_NAME
    url_name: str = URL_NAME

    def shown(self, place: int = 0) -> str:
        """The address without key and password, for people."""
        return scrub((self.urls[place] if self.urls else "https://api.openai.com/v1").rstrip("/"), self.key)


def address(
    *, url: str | None = None, api_key: str | None = None, key_env: str = "", headers: Mapping[str, str] | None = None
) -> Address:  # fmt: skip
    """The address of a model: `url` or OPENAI_BASE_URL; its key: `api_key`, the variable `key_env`, or OPENAI_API_KEY.

    OPENAI_API_KEY goes to OPENAI_BASE_URL (or OpenAI) alone, never to a `url` elsewhere. Raises SettingsError for an
    address that is none and a variable that isn't set, EndpointError when no key is set where one is needed.
    """
    common = os.environ.get(URL_NAME, "").strip()
    wanted = (url or "").strip() or common
    urls = readings(wanted, "The address" if url and url.strip() else URL_NAME)
    key = (api_key or "").strip() or _named(key_env)
    if not key and (not url or _host(wanted) == _host(common or "https://api.openai.com/v1")):
        key = os.environ.get(KEY_NAME, "").strip()
    name = key_env or (KEY_NAME if not url else "the key's variable (the setting answer_key_env and its like)")
    if not key and not wanted:
        raise EndpointError(f"No key is set; set {KEY_NAME}, or {URL_NAME} for a server that needs none.")
    if not key.isascii() or not key.isprintable():
        raise EndpointError(f"{key_env or KEY_NAME} holds characters that no key has; copy the key again.")
    return Address(urls, key or NO_KEY, dict(headers or {}), name, URL_NAME if not url else "the address")


def readings(url: str, name: str = "The address") -> tuple[str, ...]:
    """What an address may mean: with /v1 where that was left out, without the call that was pasted along."""
    url = url.strip().rstrip("/")
    if not url:
        return ()
    if not url.startswith(("http://", "https://")) or not _host(url):
        raise SettingsError(f"{name} is no web address; write it as http://HOST:PORT/v1.")
    for call in _CALLS:
        url = url.removesuffix(call)
    path = urlsplit(url).path
    if _VERSIONED.search(path):
        return (url,)
    return (f"{url}/v1", url) if not path.strip("/") else (url, f"{url}/v1")


def read_headers(text: str) -> dict[str, str]:
    """`Name: value; Other: $VARIABLE` as headers; a value that begins with $ is read from the environment.

    Raises SettingsError.
    """
    headers = {}
    for part in filter(None, (each.strip() for each in text.split(";"))):
        name, colon, value = (each.strip() for each in part.partition(":"))
        if not colon or not value or not re.fullmatch(r"[A-Za-z0-9-]+", name):
            raise SettingsError(f"endpoint_headers is wrong at {name[:40]!r}; write `Name: value; Name: $VARIABLE`.")
        headers[name] = _named(value[1:], "endpoint_headers") if value.startswith("$") else value
        if not headers[name].isascii() or not headers[name].isprintable():
            raise SettingsError(f"The header {name} holds characters that no header has; write it again.")
    return headers


def _named(variable: str, setting: str = "The setting of the key's variable") -> str:
    if not variable:
        return ""
    found = os.environ.get(variable, "").strip()
    if not found:
        if not _VARIABLE.fullmatch(variable):  # it may be the key itself, which no text shows
            raise SettingsError(f"{setting} names a variable that isn't set; it takes a name such as MY_KEY, no key.")
        raise SettingsError(f"{setting} names {variable}, which isn't set; set it in the environment.")
    return found


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or ''}:{parts.port or ''}" if parts.hostname else ""
    except ValueError:
        return ""
