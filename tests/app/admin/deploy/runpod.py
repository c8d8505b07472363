"""RunPod's API (v2) on loopback: answers, problems and limits as its documentation gives them."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

KEY = "rpa_A_KEY_THAT_NOBODY_MAY_SEE"
LIMITED = {"title": "Too Many Requests", "status": 429, "detail": "rate limit exceeded for the minute window"}
MISSING = {"title": "Not Found", "status": 404, "detail": "resource not found"}


def pod(pod_id: str = "pod_abc123", status: str = "PROVISIONING", **more: Any) -> dict[str, Any]:
    """A `Pod` with all that the schema requires."""
    return {
        "id": pod_id, "name": "my-training-pod", "status": status, "actions": ["stop", "terminate"], "mounts": {},
        "image": "runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404", "args": "", "disk": 50, "ports": ["22/tcp"],
        "env": {"SECRET": "hunter2"}, "registry": None, "cloud": "SECURE", "dataCenterId": "US-TX-3",
        "gpu": {"id": "NVIDIA GeForce RTX 3090", "count": 1, "vcpuCount": 8, "memory": 32}, "cudaVersion": "12.8",
        "ssh": {"proxy": None, "direct": None}, "template": None, "cost": 0.46, "locked": False,
        "globalNetworking": {"enabled": False}, "runtime": None,
        "createdAt": "2026-03-13T20:00:00Z", "startedAt": None, **more,
    }  # fmt: skip


def reachable(pod_id: str = "pod_abc123", **more: Any) -> dict[str, Any]:
    """The same, running, with SSH."""
    direct = {"host": "203.0.113.7", "port": 10022, "username": "root", "command": "ssh root@203.0.113.7 -p 10022"}
    return pod(pod_id, "RUNNING", ssh={"proxy": None, "direct": direct}, startedAt="2026-03-13T20:01:00Z", **more)


class RunPodServer:
    """`answers`: (status, body, headers) for "POST /pods" and so on, one after the other; the last one repeats. A body
    of text is sent as it is; None closes the connection without a word. `asked` keeps (what, body, key)."""

    def __init__(self, answers: dict[str, list[tuple[int, Any, dict[str, str]] | None]]) -> None:
        self.answers, self.asked = answers, list[tuple[str, Any, str]]()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                what = f"{self.command} {self.path.removeprefix('/v2').partition('?')[0]}"
                outer.asked.append((what, body, self.headers.get("authorization", "")))
                left = outer.answers.get(what, [(404, MISSING, {})])
                reply = left.pop(0) if len(left) > 1 else left[0]
                if reply is None:
                    self.close_connection = True
                    return
                status, told, headers = reply
                made = told.encode() if isinstance(told, str) else b"" if told is None else json.dumps(told).encode()
                self.send_response(status)
                for name, value in {"content-length": str(len(made)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(made)

            do_GET = do_POST = do_DELETE = _answer

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v2"

    def __enter__(self) -> RunPodServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def heard(self, what: str) -> list[Any]:
        return [body for asked, body, _ in self.asked if asked == what]
