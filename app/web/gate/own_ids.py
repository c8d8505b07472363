"""The ids of windows and events, each tied to who is signed in: whose id it isn't, for them it isn't there.

A window names itself (`session_hash`), and what happens in it has an id by which its answers are fetched. Gradio takes
any of them from anyone who is signed in. Here a window's name is put behind a word that only this server can make for
this person, so that two people's windows never have the same one; and an event is remembered with who began it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections import OrderedDict
from typing import Any
from urllib.parse import parse_qsl, urlencode

from .brake import Buckets

MOST_EVENTS = MOST_WINDOWS = 20_000
WINDOWS = (10, 1.0)
"""New windows of one person at once, and seconds until there is one more: Gradio makes each on the event loop, where
all others wait for it (some 0.1 s). A program that says its `session_hash` keeps to one."""
LARGEST = 16_000_000
"""Bytes of a request that is read as JSON."""
WITH_ID = re.compile(r"/gradio_api/(queue/join|cancel|reset|component_server|(run|api)/[^/]+/?|call/(v2/)?[^/]+/?)")
"""Requests whose JSON names a window or an event."""
BEGINS = re.compile(r"/gradio_api/(queue/join|call/(v2/)?[^/]+/?)")
_EVENT = re.compile(r"/gradio_api/(?:call/(?:v2/)?[^/]+|stream)/([^/]+)(?:/close)?")
_WINDOW = re.compile(r"(/gradio_api/heartbeat/)([^/]+)")


class NotTheirs(Exception):
    """The event that a request names is somebody else's, or nobody's."""


class TooManyWindows(Exception):
    """A person opens windows faster than they are made."""


class OwnIds:
    """Puts requests into their sender's own names."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)
        self._events: OrderedDict[str, str] = OrderedDict()
        self._windows: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._new = Buckets(*WINDOWS, time.monotonic)

    def begun(self, event: str, person: str) -> None:
        """An event was given an id."""
        self._events[event] = person
        while len(self._events) > MOST_EVENTS:
            self._events.popitem(last=False)

    def path(self, path: str, method: str, person: str) -> str:
        """A path in the sender's own names. Raises NotTheirs."""
        if window := _WINDOW.fullmatch(path):
            return window[1] + self._own(window[2], person)
        event = _EVENT.fullmatch(path)
        if event and (method == "GET" or "/stream/" in path):
            self._check(event[1], person)
        return path

    def query(self, query: bytes, person: str) -> bytes:
        found = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
        named = [(name, self._own(value, person) if name == "session_hash" else value) for name, value in found]
        return urlencode(named).encode() if named != found else query

    def body(self, body: bytes, person: str, *, opens: bool = False) -> bytes:
        """A JSON body in the sender's own names; what is no JSON object stays. Raises NotTheirs, TooManyWindows.

        `opens`: a window that is new is opened by it.
        """
        try:
            value: Any = json.loads(body)
        except ValueError:
            return body
        if not isinstance(value, dict):
            return body
        if value.get("event_id"):
            self._check(str(value["event_id"]), person)
        if opens:
            self._open(str(value.get("session_hash") or ""), person)
        if value.get("session_hash"):
            value["session_hash"] = self._own(str(value["session_hash"]), person)
        return json.dumps(value).encode()

    def _own(self, window: str, person: str) -> str:
        word = hmac.new(self._secret, person.encode(), hashlib.sha256).hexdigest()[:16]
        return f"{word}-{window}"

    def _open(self, window: str, person: str) -> None:
        key = (person, window)
        if window and key in self._windows:
            self._windows.move_to_end(key)
            return
        if self._new.waits(person):
            raise TooManyWindows
        self._new.change(person, -1)
        self._windows[key] = None
        while len(self._windows) > MOST_WINDOWS:
            self._windows.popitem(last=False)

    def _check(self, event: str, person: str) -> None:
        if self._events.get(event) != person:
            raise NotTheirs
