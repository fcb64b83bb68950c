"""Servers on a real socket, on a thread of this process."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest


@contextlib.contextmanager
def _serving(environments: tuple[str, ...], make: Callable[..., Any] | None, settings: dict[str, Any]) -> Iterator[str]:
    from agentgym_rl.environments.service.server.app import make_app
    from agentgym_rl.environments.service.server.run import address, listen, server_of
    from agentgym_rl.environments.service.server.settings import ServeSettings

    chosen = ServeSettings(environments=list(environments), port=0, **settings)
    started = threading.Event()
    with listen(chosen.host, 0) as listening:
        server = server_of(chosen, started.set, make or make_app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert started.wait(60)
            yield address(chosen, listening)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def serving() -> Callable[..., contextlib.AbstractContextManager[str]]:
    """``with serving("textcraft", lease=5.0) as address``; ``make``: the app to serve, by default our own protocol's."""

    def serve(*environments: str, make: Callable[..., Any] | None = None, **settings: Any) -> Any:
        return _serving(environments, make, settings)

    return serve
