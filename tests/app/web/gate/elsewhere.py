"""Other sites, as an attacker has them: pages under any name and port, a proxy with TLS, and what their scripts try."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


def certificate(folder: Path) -> Path:
    """A key and a certificate for nobody: the browser of the tests is told to take any."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here, which makes the certificate")
    path, parts = folder / "tls.pem", [folder / "key.pem", folder / "cert.pem"]
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=tests"
    subprocess.run([*command.split(), "-keyout", parts[0], "-out", parts[1]], check=True, capture_output=True)
    path.write_text("".join(part.read_text() for part in parts))
    return path


class _Blank(BaseHTTPRequestHandler):
    """The attacker's server: the same bare page under any name and path."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>elsewhere</title><p>nothing to see"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Threads(ThreadingHTTPServer):
    daemon_threads = True


@contextlib.contextmanager
def site(tls: Path | None = None) -> Iterator[int]:
    """A site that answers to any name at the port; with a certificate over TLS."""
    server = _Threads(("127.0.0.1", 0), _Blank)
    if tls:
        server.socket = _tls(tls).wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@contextlib.contextmanager
def tls_proxy(port: int, certificate: Path) -> Iterator[int]:
    """A proxy that only takes TLS away: it tells the server behind it nothing of that."""

    async def serve(near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        far, to_far = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pump(near, to_far), _pump(far, to_near))

    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # a browser that hangs up is no news
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    begun = asyncio.start_server(serve, "127.0.0.1", 0, ssl=_tls(certificate))
    server = asyncio.run_coroutine_threadsafe(begun, loop).result(30)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError), contextlib.closing(target):
        while data := await source.read(65_536):
            target.write(data)
            await target.drain()


async def _end(server: asyncio.Server) -> None:
    server.close()
    still = asyncio.all_tasks() - {asyncio.current_task()}
    for task in still:
        task.cancel()
    await asyncio.gather(*still, return_exceptions=True)
    # What is in its first or last handshake is no task, and would be found open when the loop is gone.
    for transport in list(asyncio.get_running_loop()._transports.values()):  # type: ignore[attr-defined]
        transport.abort()
    await asyncio.sleep(0)


ATTACK = """async (target) => {
  const got = [], json = {'content-type': 'application/json'}, plain = {'content-type': 'text/plain'};
  const soon = (work) => Promise.race([work, new Promise((ok) => setTimeout(ok, 4000, 'no answer'))]);
  const tries = async (how) => { try { got.push(String(await soon(how()))); } catch (error) { got.push('' + error); } };
  const call = async (name, data, headers, mode) => {
    const answer = await fetch(`${target}/gradio_api/call/${name}`, {
      method: 'POST', credentials: 'include', headers, mode, body: JSON.stringify({data}) });
    if (mode === 'no-cors') return 'sent';
    const told = await answer.text(), id = JSON.parse(told).event_id;
    return told + await (await fetch(`${target}/gradio_api/call/${name}/${id}`, {credentials: 'include'})).text();
  };
  const mcp = (headers, mode, name, args) => fetch(`${target}/mcp`, {
    method: 'POST', credentials: 'include', mode,
    headers: {...headers, ...(mode ? {} : {accept: 'application/json, text/event-stream'})},
    body: JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name, arguments: args}}),
  }).then((answer) => answer.text());
  await tries(() => call('memories', ['', 100], json, 'cors'));
  await tries(() => call('remember', ['Planted by a script.', '', ''], json, 'cors'));
  await tries(() => call('remember', ['Planted as plain text.', '', ''], plain, 'no-cors'));
  await tries(() => mcp(json, undefined, 'search', {query: 'harbour code'}));
  await tries(() => mcp(json, undefined, 'remember', {fact: 'Planted by MCP.'}));
  await tries(() => mcp(plain, 'no-cors', 'remember', {fact: 'Planted by MCP as plain text.'}));
  for (const path of ['config', 'gradio_api/token', 'gradio_api/info', 'gradio_api/user'])
    await tries(() => fetch(`${target}/${path}`, {credentials: 'include'}).then((answer) => answer.text()));
  await tries(() => new Promise((ok) => {
    const source = new EventSource(`${target}/gradio_api/heartbeat/stolen`, {withCredentials: true});
    source.onmessage = (event) => ok('EventSource heard ' + event.data);
    source.onerror = () => ok('EventSource refused');
  }));
  await tries(() => new Promise((ok) => {
    const socket = new WebSocket(target.replace('http', 'ws') + '/mcp');
    socket.onopen = () => ok('WebSocket open');
    socket.onerror = () => ok('WebSocket refused');
  }));
  await tries(() => new Promise((ok) => {
    const script = document.createElement('script');
    script.src = `${target}/gradio_api/info`;
    script.onload = () => ok('script loaded'); script.onerror = () => ok('script refused');
    document.head.append(script);
  }));
  return got.join('\\n');
}"""
"""Everything that a script of another site can send: with and without asking first, streams, sockets, scripts."""

FORM = """([target, kind]) => {
  const form = document.createElement('form'), field = document.createElement('input');
  form.method = 'POST'; form.enctype = kind; form.action = `${target}/gradio_api/call/remember`;
  field.name = '{"data":["Planted by a form.","",""],"x":"'; field.value = '"}';
  form.append(field); document.body.append(form); form.submit();
}"""
FRAME = """async (target) => {
  const frame = document.createElement('iframe');
  frame.src = target + '/'; document.body.append(frame);
  await new Promise((ok) => { frame.onload = ok; setTimeout(ok, 4000); });
}"""
