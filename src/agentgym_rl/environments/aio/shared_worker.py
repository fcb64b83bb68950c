"""One worker process with many worlds: orders in, answers out, in the same order."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
from asyncio.subprocess import Process
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.aio.ending import to_the_end
from agentgym_rl.environments.aio.process import how_it_ended, send, start_worker
from agentgym_rl.environments.aio.worker import HEADER, Answer, Order
from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault


class WorkerGone(EnvironmentFault):
    """The worker process ended before it answered."""

    def __init__(self, message: str, *, begun: bool) -> None:
        super().__init__(message)
        self.begun = begun
        """Whether the call may have begun. Otherwise it can be made elsewhere."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An order that was sent and not answered yet."""

    answer: asyncio.Future[Any]
    name: str
    call: str
    seconds: float


class SharedWorker:
    """A deadline counts from when the worker comes to the order, not from when it was sent: worlds that wait for a slow
    neighbour are not at fault. A world that overruns its own is killed with the process and so with its neighbours.
    """

    def __init__(self) -> None:
        self.worlds: set[int] = set()
        """The worlds that live here."""
        self.episodes = 0
        self.memory = 0
        """Bytes in memory at the last reset."""
        self.retiring = False
        """It takes no further episode."""
        self.dead: str | None = None
        """Why it is gone."""
        self._process: Process | None = None
        self._starting: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: deque[_Waiting] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """None before :meth:`start`."""
        return self._process.pid if self._process is not None else None

    @property
    def idle(self) -> bool:
        """Whether it has neither worlds nor anything to do."""
        return not self.worlds and not self._waiting

    async def start(self) -> None:
        """Starts the process. Whoever calls while it starts waits with the first."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        await asyncio.shield(self._starting)

    async def call(self, world: int, make: bytes, name: str, call: str, arguments: tuple[Any, ...], seconds: float) -> Any:
        """Has a method of the world's session called: returns what it returned, raises what it raised.

        Raises:
            DeadlinePassed: the call took longer than ``seconds``.
            WorkerGone: the worker is gone.
        """
        if self.dead is not None:
            raise WorkerGone(f"{name}: the worker process is gone: {self.dead}", begun=False)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._send(Order(call, arguments, make, world), _Waiting(answer, name, call, seconds))
        return await answer

    def discard(self, world: int, make: bytes, name: str, seconds: float) -> None:
        """Has the world closed, and waits for nothing."""
        self.worlds.discard(world)
        if self.dead is None:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._send(Order("close", (), make, world), _Waiting(answer, name, "close", seconds))

    async def kill(self, cause: str) -> None:
        """Ends the process and all that it has started, at once; open calls are faults with this cause. Idempotent."""
        self._kill(cause)
        what = f"worker process {self.pid}, which was killed,"
        if self._starting is not None:
            await to_the_end(self._starting, what)
        if self._reading is not None:
            await to_the_end(self._reading, what)

    async def _start(self) -> None:
        try:
            self._process = await start_worker()
        except OSError as error:
            self._die(f"it does not start: {error}")
            raise EnvironmentFault(f"a worker process does not start: {error}") from error
        self._reading = asyncio.create_task(self._read(self._process))
        if self.dead is not None:
            self._kill(self.dead)

    def _send(self, order: Order, waiting: _Waiting) -> None:
        assert self._process is not None
        try:
            send(self._process, order)
        except ConnectionError:
            self._kill("it closed its pipe")
            message = f"{waiting.name}: the worker process is gone: {self.dead}"
            waiting.answer.set_exception(WorkerGone(message, begun=False))
            return
        self._waiting.append(waiting)
        if len(self._waiting) == 1:
            self._arm()

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                (size,) = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
                self._settle(pickle.loads(await process.stdout.readexactly(size)))
        ending = how_it_ended(await process.wait())
        self._die(f"it {ending}")

    def _settle(self, answer: Answer) -> None:
        if self.dead is not None:
            return  # said before the kill reached it, after everyone who waited was told
        waiting = self._waiting.popleft()
        if answer.memory:
            self.memory = answer.memory
        if self._waiting:
            self._arm()
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if waiting.answer.done():
            return
        if answer.error is not None:
            waiting.answer.set_exception(answer.error)
        else:
            waiting.answer.set_result(answer.result)

    def _arm(self) -> None:
        """The clock of the order that the worker is busy with now."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._waiting[0].seconds, self._overrun)

    def _overrun(self) -> None:
        late = self._waiting.popleft()
        cause = f"{late.name}: {late.call} took longer than {late.seconds:g} s"
        if not late.answer.done():
            late.answer.set_exception(DeadlinePassed(cause))
        self._kill(f"it was killed, because {cause}", late=True)

    def _kill(self, cause: str, *, late: bool = False) -> None:
        self._die(cause, late=late)
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _die(self, cause: str, *, late: bool = False) -> None:
        """``late``: the call that the worker was busy with has been answered for."""
        self.dead = self.dead or cause
        self.worlds.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for place, waiting in enumerate(self._waiting):
            if not waiting.answer.done():
                message = f"{waiting.name}: the worker process is gone during {waiting.call}: {self.dead}"
                waiting.answer.set_exception(WorkerGone(message, begun=place == 0 and not late))
        self._waiting.clear()
