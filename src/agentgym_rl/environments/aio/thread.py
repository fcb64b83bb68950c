"""A synchronous world on a thread of its own, for worlds that wait: a JVM, a socket, a browser."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from agentgym_rl.environments.aio.remote import RemoteEnvironment
from agentgym_rl.environments.aio.session import Session
from agentgym_rl.environments.errors import TooManyAbandonedThreads
from agentgym_rl.environments.protocol import Environment

ABANDONED_LIMIT = 8
"""So many threads may hang at one time; the next one stops the run."""

_abandoned: set[threading.Thread] = set()


class ThreadEnvironment(RemoteEnvironment):
    """A thread can't be killed: one that overruns its deadline is abandoned, and ends itself when its call returns.

    Raises:
        TooManyAbandonedThreads: more than :data:`ABANDONED_LIMIT` abandoned threads of this process still hang.
    """

    def __init__(self, world: Environment, reset_seconds: float, step_seconds: float) -> None:
        super().__init__(world, reset_seconds, step_seconds)
        self._session = Session(world)
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=_work, args=(self._jobs,), name=f"environment {self._name}", daemon=True)

    async def _call(self, call: str, *arguments: Any) -> Any:
        if self._thread.ident is None:
            self._thread.start()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()

        def job() -> None:
            result, error = None, None
            try:
                result = getattr(self._session, call)(*arguments)
            except BaseException as raised:
                error = raised
            with suppress(RuntimeError):  # the loop is closed: nobody waits any longer
                loop.call_soon_threadsafe(_settle, answer, result, error)

        self._jobs.put(job)
        return await answer

    async def _give_up(self, *, hung: bool) -> None:
        self._jobs.put(self._session.close)
        self._jobs.put(None)
        if hung:
            _abandon(self._thread)


def _work(jobs: SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := jobs.get()) is not None:
        job()


def _settle(answer: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)


def _abandon(thread: threading.Thread) -> None:
    _abandoned.difference_update([other for other in _abandoned if not other.is_alive()])
    _abandoned.add(thread)
    if len(_abandoned) > ABANDONED_LIMIT:
        names = ", ".join(sorted({other.name for other in _abandoned}))
        raise TooManyAbandonedThreads(
            f"{len(_abandoned)} threads hang past their deadlines ({names}); "
            "with environment.runner=process a world that hangs is killed"
        )
