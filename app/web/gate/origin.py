"""Where a request comes from, by the headers that a browser sends and that no script can change.

A page of another site, of another port or of a sibling name can make a browser send requests here. The browser says so:
`Host` is the name that it asked for, `Origin` whose script asks, `Sec-Fetch-Site` how the two are related (Fetch
standard and Fetch Metadata). A program that is no browser sends neither of the last two; it has nobody's cookies.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass

LOCAL = ("127.0.0.1", "localhost", "::1")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII)
_ORIGIN = re.compile(r"(https?)://(.+)", re.ASCII)
_USUAL_PORT = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0: any that is free."""

    host: str = "127.0.0.1"
    port: int = 7860
    names: tuple[str, ...] = ()
    """Host names under which the page is asked for, besides those of this machine."""


def is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Hosts:
    """The names under which a server answers: a page elsewhere must not reach it by a name of its own.

    A server that listens to others answers by any IP address as well, for only a name can be made to lead elsewhere.
    """

    def __init__(self, address: Address) -> None:
        self._addresses = not is_local(address.host)
        own = {socket.gethostname(), socket.gethostname() + ".local"} if self._addresses else set()
        self._names = {name.lower() for name in (*LOCAL, address.host, *address.names, *own)}

    def __contains__(self, host: str) -> bool:
        name = name_of(host)
        return name is not None and (name in self._names or (self._addresses and _is_address(name)))


def name_of(host: str) -> str | None:
    """The name in a `Host` header, without port and brackets; None where there is none."""
    found = _HOST.fullmatch(host.lower())
    return found[1].strip("[]").rstrip(".") if found else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def foreign(headers: Mapping[str, str], scheme: str) -> bool:
    """Whether a browser says that something else than this page sends the request. `scheme`: how it came in."""
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return True
    origin = headers.get("origin")
    return origin is not None and not _same(origin, headers.get("host", ""), scheme)


def _same(origin: str, host: str, scheme: str) -> bool:
    """Whether a script's origin is the server asked for. A proxy may have taken the TLS away, and never adds it."""
    found = _ORIGIN.fullmatch(origin.lower())
    if found is None or (scheme == "https" and found[1] != "https"):
        return False
    return _plain(found[2], found[1]) == _plain(host.lower(), found[1])


def _plain(host: str, scheme: str) -> str:
    return host.removesuffix(":" + _USUAL_PORT[scheme])


def follows_link(headers: Mapping[str, str], method: str) -> bool:
    """Whether somebody follows a link from elsewhere to here, in a window and in no frame."""
    return (
        method == "GET" and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )
