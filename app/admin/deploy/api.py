"""RunPod's REST API (v2, docs.runpod.io/api-reference-v2): rent a pod, look at it, read its log, end it.

The key comes from the environment alone, and no error or log tells it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ....memory.errors import EndpointError, NotFound, SettingsError
from ....models.backends.endpoint.errors import retry_after, scrub

URL = "https://api.runpod.io/v2"
KEY, OTHER_URL = "RUNPOD_API_KEY", "RUNPOD_API_URL"
SECONDS = 30.0
"""For one request."""
TRIES = 4
LONGEST_WAIT = 60.0
"""Seconds that a server's wish to wait is followed for."""
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pod:
    """A rented machine. `cost` in dollars an hour; `ssh`: the command that opens a shell on it, when it can."""

    id: str
    name: str
    status: str
    cost: float
    gpu: str = ""
    created: datetime | None = None
    started: datetime | None = None
    ssh: str = ""
    ssh_at: tuple[str, int, str] | None = None
    ports: tuple[str, ...] = ()
    mapped: tuple[int, ...] = ()

    def web(self, port: int) -> str:
        """Where RunPod's proxy shows an http port of the pod."""
        return f"https://{self.id}-{port}.proxy.runpod.net"

    def spent(self, now: datetime) -> float | None:
        """Dollars since it started, at its present price; None before."""
        begun = self.started or self.created
        return self.cost * (now - begun).total_seconds() / 3600 if begun is not None else None


@dataclass
class RunPod:
    """The API with a key. `pause` sleeps between attempts; a request that changes nothing is tried again when it broke,
    one that rents is not: it may have been heard."""

    key: str = field(repr=False)
    url: str = URL
    pause: Callable[[float], None] = time.sleep

    @classmethod
    def from_environment(cls) -> RunPod:
        """Raises SettingsError without the key."""
        key = os.environ.get(KEY, "").strip()
        if not key:
            raise SettingsError(f"{KEY} is not set; make a key in RunPod's console and set it in the environment.")
        return cls(key, os.environ.get(OTHER_URL, URL).rstrip("/"))

    def rent(self, body: Body) -> Pod:
        """A new pod. Raises EndpointError; where the answer was lost, the pod is looked for by its name first."""
        try:
            return _pod(self._json("POST", "/pods", body))
        except _Lost:
            found = [pod for pod in self.pods() if pod.name == body["name"]]
            if found:
                return found[0]
            raise

    def pod(self, pod_id: str) -> Pod:
        """Raises NotFound, EndpointError."""
        return _pod(self._json("GET", f"/pods/{_id(pod_id)}"))

    def pods(self) -> list[Pod]:
        """All pods of the account. Raises EndpointError."""
        return [_pod(one) for one in self._json("GET", "/pods").get("pods", ())]

    def end(self, pod_id: str) -> None:
        """Ends a pod and its bill; its disks are gone. Raises NotFound, EndpointError."""
        self._send("DELETE", f"/pods/{_id(pod_id)}", None)

    def log(self, pod_id: str, tail: int, follow: bool) -> Iterator[str]:
        """Lines of the container's log, the last `tail` first. Not `follow`: ends when nothing comes for a while.
        Raises NotFound, EndpointError."""
        import httpx2

        address = f"{self.url}/pods/{_id(pod_id)}/logs"
        wait = httpx2.Timeout(SECONDS, read=None if follow else 3.0)
        asked = {"tail": str(tail), "source": "container"}
        try:
            with httpx2.stream("GET", address, headers=self._headers(), params=asked, timeout=wait) as reply:
                if reply.status_code >= 400:
                    reply.read()
                    raise self._failure(reply)
                yield from _lines(reply.iter_lines())
        except httpx2.ReadTimeout:
            return
        except httpx2.HTTPError as error:
            raise EndpointError(f"The log broke off ({type(error).__name__}); try again.") from error

    def _json(self, method: str, path: str, body: Body | None = None) -> Any:
        reply = self._send(method, path, body)
        try:
            return reply.json()
        except ValueError as error:
            raise EndpointError(f"{self.url} answered with something that is no JSON; try again later.") from error

    def _send(self, method: str, path: str, body: Body | None) -> Any:
        import httpx2

        for attempt in range(1, TRIES + 1):
            try:
                reply = httpx2.request(method, self.url + path, headers=self._headers(), json=body, timeout=SECONDS)
            except httpx2.HTTPError as error:
                if method == "POST":
                    told = "`chatmem deploy runpod list` tells whether a pod was rented"
                    raise _Lost(f"RunPod did not answer ({type(error).__name__}); {told}.") from error
                if attempt == TRIES:
                    raise EndpointError(f"{self.url} can't be reached ({type(error).__name__}); try again.") from error
                self.pause(2.0**attempt)
                continue
            again = reply.status_code == 429 or (reply.status_code >= 500 and method != "POST")
            if again and attempt < TRIES:
                self.pause(min(retry_after(reply.headers) or 2.0**attempt, LONGEST_WAIT))
                continue
            if reply.status_code >= 400:
                raise self._failure(reply)
            return reply
        raise AssertionError("the loop ends by itself")

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}", "Accept": "application/json"}

    def _failure(self, reply: Any) -> Exception:
        """A problem (RFC 9457: title, status, detail, errors) as one sentence, without the key."""
        try:
            told = reply.json()
        except ValueError:
            told = {}
        told = told if isinstance(told, dict) else {}
        words = [str(told.get("detail") or told.get("title") or "no reason given"), *map(str, told.get("errors") or ())]
        why = scrub("; ".join(words), self.key)[:300]
        status = reply.status_code
        if status == 401:
            return SettingsError(f"RunPod doesn't take the key in {KEY} ({why}); make a new one in its console.")
        if status == 402:
            return EndpointError(f"RunPod wants money first ({why}); top the account up.")
        if status == 403:
            return SettingsError(f"The key in {KEY} may not do that ({why}); give it the right in RunPod's console.")
        if status == 404:
            return NotFound(f"RunPod knows no such pod ({why}); `chatmem deploy runpod list` shows those there are.")
        if status == 429:
            return EndpointError(f"RunPod has had too many requests ({why}); wait a minute and try again.")
        return EndpointError(f"RunPod refused (HTTP {status}: {why}).")


class _Lost(EndpointError):
    """A request whose answer never came: it may have been heard."""


def _id(pod_id: str) -> str:
    """Raises NotFound for what can be no id, so that no other address is asked."""
    if not pod_id.replace("-", "").replace("_", "").isalnum():
        raise NotFound(f"{pod_id!r} is no id of a pod; `chatmem deploy runpod list` shows them.")
    return pod_id


def _pod(told: Any) -> Pod:
    """Raises EndpointError for an answer that isn't a pod."""
    try:
        ssh = (told.get("ssh") or {}).get("direct") or {}
        proxy = (told.get("ssh") or {}).get("proxy") or {}
        runtime = told.get("runtime") or {}
        mapped = tuple(int(one["private"]) for one in runtime.get("ports") or () if one.get("private"))
        at = (str(ssh["host"]), int(ssh["port"]), str(ssh["username"])) if ssh else None
        return Pod(
            str(told["id"]), str(told.get("name") or ""), str(told["status"]), float(told.get("cost") or 0.0),
            str((told.get("gpu") or {}).get("id") or ""), _moment(told.get("createdAt")),
            _moment(told.get("startedAt")), str((ssh or proxy).get("command") or ""), at,
            tuple(map(str, told.get("ports") or ())), mapped,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EndpointError("RunPod's answer is no pod as its API describes one; update chatmem.") from error


def _moment(text: Any) -> datetime | None:
    if not text:
        return None
    found = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _lines(events: Iterator[str]) -> Iterator[str]:
    """The lines in a stream of server-sent events: data: {"source": ..., "line": ..., "ts": ...}."""
    for event in events:
        if event.startswith("data:"):
            try:
                yield str(json.loads(event[5:])["line"])
            except (ValueError, KeyError, TypeError):
                continue
