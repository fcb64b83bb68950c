"""Runs the server until it is told to stop."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from typing import TypeVar

import uvicorn
from fastapi import FastAPI

from agentgym_rl.environments.service.server.listening import ListenSettings

STOPPING = (signal.SIGINT, signal.SIGTERM)
KEEP_ALIVE_SECONDS = 75
"""An unused connection is closed after so long."""


Chosen = TypeVar("Chosen", bound=ListenSettings)


def serve(settings: Chosen, ready: Callable[[str], None], make: Callable[[Chosen], FastAPI]) -> None:
    """Serves until SIGINT or SIGTERM: then it takes no more connections, finishes the calls under way, ends every session
    and leaves no process behind. A second signal ends it at once.

    Args:
        settings: see there.
        ready: called with the server's address when it answers.
        make: makes the application: what is spoken.

    Raises:
        OSError: the address is taken, or not of this machine.
        Others: as ``make``.
    """
    for number in STOPPING:
        signal.signal(number, lambda *_: None)  # uvicorn sends them on once it has stopped: that is the end here
    with listen(settings.host, settings.port) as listening:
        server_of(settings, lambda: ready(address(settings, listening)), make).run(sockets=[listening])


def server_of(settings: Chosen, ready: Callable[[], None], make: Callable[[Chosen], FastAPI]) -> uvicorn.Server:
    """A server that is not running yet; ``ready`` is called when it answers. Raises: as :func:`serve`."""
    config = uvicorn.Config(
        make(settings),
        log_config=None,
        access_log=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds)),
        ssl_certfile=settings.ssl_certfile,
        ssl_keyfile=settings.ssl_keyfile,
    )
    return _Server(config, ready)


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address."""
    family, _, _, _, at = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(at)
    except OSError:
        found.close()
        raise
    return found


def address(settings: ListenSettings, listening: socket.socket) -> str:
    """The server's address as clients write it."""
    scheme = "http" if settings.ssl_certfile is None else "https"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{scheme}://{host}:{listening.getsockname()[1]}"


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
