"""An HTTP server on a thread of this process, on a free port; stopped at once, also in the middle of requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Request:
    """What a browser asked."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    form: dict[str, str] = field(default_factory=dict)
    body: str = ""
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    """What it is answered."""

    body: str = ""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    kind: str = "text/html; charset=utf-8"


Handler = Callable[[Request], Response]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away in the middle of an answer is no news."""


class HttpServer:
    """``start`` listens, ``stop`` closes the port and every connection; ``start`` again uses the same port."""

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._connections: set[socket.socket] = set()
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", self.port), _handler_of(self._handle, self._connections))
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        server, self._server = self._server, None
        if server is None or self._thread is None:
            return
        server.shutdown()
        server.server_close()
        self._thread.join()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def _handler_of(handle: Handler, connections: set[socket.socket]) -> type[BaseHTTPRequestHandler]:
    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def setup(self) -> None:
            super().setup()
            connections.add(self.connection)

        def finish(self) -> None:
            connections.discard(self.connection)
            with suppress(OSError):
                super().finish()

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            answer = handle(self._request())
            content = answer.body.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(content)))
            for name, value in answer.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def _request(self) -> Request:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            encoded = "urlencoded" in self.headers.get("Content-Type", "")
            cookies = [pair.strip().partition("=") for pair in self.headers.get("Cookie", "").split(";") if pair.strip()]
            return Request(
                method=self.command,
                path=parts.path,
                query=dict(parse_qsl(parts.query, keep_blank_values=True)),
                form=dict(parse_qsl(body, keep_blank_values=True)) if encoded else {},
                body=body,
                cookies={name: value for name, _, value in cookies},
                headers={name.lower(): value for name, value in self.headers.items()},
            )

        def log_message(self, *_: object) -> None:
            """Tests read :attr:`Site.requests`."""

    return Answers
