"""Ctrl-C while an event loop runs: its tasks are cancelled first, then whoever called is interrupted."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_interruptible(runner: asyncio.Runner, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """``runner.run(begin())``, where a signal cancels the coroutine and its handler is called when that has ended.

    Handlers that raise KeyboardInterrupt (Python's own, and those of training) would raise it inside whichever task they
    hit, leave the others half done, and asyncio would complain of an exception that nobody retrieved, or of a coroutine
    that was made and never awaited: so the coroutine is made inside, once a signal can no longer break in. A second signal
    is not held back: it may be that nothing comes to an end. Signals without a handler in Python are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        return runner.run(begin())
    loop = runner.get_loop()
    tasks: list[asyncio.Task[Any]] = []
    pending: list[int] = []
    handlers: dict[int, Any] = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}

    async def watched() -> T:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)
        if pending:
            raise asyncio.CancelledError
        return await begin()

    def handle(number: int, frame: FrameType | None) -> None:
        pending.append(number)
        if len(pending) > 1:
            handlers[number](number, frame)
        elif tasks:
            loop.call_soon_threadsafe(tasks[0].cancel)  # from a handler only this wakes a loop that waits

    try:
        for number in handlers:
            signal.signal(number, handle)
        result = runner.run(watched())
    except BaseException:
        if len(pending) == 1:
            handlers[pending[0]](pending[0], None)
        raise
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if pending:
        handlers[pending[0]](pending[0], None)
    return result
