"""The event loop that owns this process's browser, on a thread of its own; synchronous and asynchronous code call into it."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

Result = TypeVar("Result")

_CLOSING_SECONDS = 10.0
"""How long the end of the process waits for the browser to be closed; the driver kills it when our end of its pipe goes."""

_closers: list[Callable[[], Awaitable[None]]] = []


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What the coroutine returns or raises, from synchronous code. Ctrl-C cancels it."""
    future = _submit(coroutine)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def on_browser_loop(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The same, awaited from any event loop. Cancelling the await cancels the coroutine."""
    return await asyncio.wrap_future(_submit(coroutine))


def at_end(close: Callable[[], Awaitable[None]]) -> None:
    """Has ``close`` called, on the loop, when the process ends."""
    _closers.append(close)


def owned(name: str, make: Callable[[], Any]) -> Any:
    """What there is one of on this loop; made at first use."""
    loop = asyncio.get_running_loop()
    things = _owned.setdefault(id(loop), {})
    if name not in things:
        things[name] = make()
    return things[name]


_owned: dict[int, dict[str, Any]] = {}
_starting = threading.Lock()


def _submit(coroutine: Coroutine[Any, Any, Result]) -> Future[Result]:
    return asyncio.run_coroutine_threadsafe(coroutine, _loop())


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="browser", daemon=True).start()
    atexit.register(_stop, loop, os.getpid())
    return loop


def _stop(loop: asyncio.AbstractEventLoop, process: int) -> None:
    if os.getpid() != process:
        return
    closing = asyncio.run_coroutine_threadsafe(_close(), loop)
    with suppress(FutureTimeout):
        closing.result(_CLOSING_SECONDS)
    loop.call_soon_threadsafe(loop.stop)


async def _close() -> None:
    for close in _closers:
        with suppress(Exception):
            await close()


def _forget() -> None:
    """A forked process has no such thread, and its parent's browser is not its own."""
    global _starting
    _starting = threading.Lock()
    _started.cache_clear()
    _closers.clear()
    _owned.clear()


os.register_at_fork(after_in_child=_forget)
