"""An event loop on a thread of its own, where synchronous code has its requests made; one a process."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import wait
from functools import cache
from typing import Any, TypeVar

from agentgym_rl.environments.service.client.pool import ServerPool

Result = TypeVar("Result")

_CLOSING_SECONDS = 5.0
"""How long the end of the process waits for the connections to be closed; the operating system closes what is left."""

_pools: list[ServerPool] = []
_inherited: list[ServerPool] = []
"""Those of the process that this one was forked from."""


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What the coroutine returns or raises. Ctrl-C cancels it."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def pool_of(address: str) -> ServerPool:
    """The connections to a server, shared by all synchronous worlds of this process."""
    pool = ServerPool([address])
    _pools.append(pool)
    return pool


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="served environments", daemon=True).start()
    atexit.register(_stop, loop, os.getpid())
    return loop


def _stop(loop: asyncio.AbstractEventLoop, process: int) -> None:
    if os.getpid() == process:
        closings = [asyncio.run_coroutine_threadsafe(pool.close(), loop) for pool in _pools]
        wait(closings, _CLOSING_SECONDS)
        loop.call_soon_threadsafe(loop.stop)


def _forget() -> None:
    """A forked process has no such thread, and must not use its parent's connections. Nor may it let go of them: aiohttp would
    close them, and so take them out of the epoll instance, which is the parent's too and would no longer hear the answers.
    uvloop runs this even in the short time between the fork and the exec of a subprocess.
    """
    _inherited.extend(_pools)
    _loop.cache_clear()
    pool_of.cache_clear()
    _pools.clear()


os.register_at_fork(after_in_child=_forget)
