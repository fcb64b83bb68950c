"""A synchronous world in a worker process: deadlines are hard, and a crash takes nothing else with it."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from typing import Any

from agentgym_rl.environments.aio.ending import kill_group
from agentgym_rl.environments.aio.remote import RemoteEnvironment
from agentgym_rl.environments.aio.worker import HEADER, Answer, Order, frame
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.protocol import Environment

START = "from agentgym_rl.environments.aio.worker import main; main()"
"""Not ``-m``: then the messages' classes would be those of a second module named ``__main__``."""


class ProcessEnvironment(RemoteEnvironment):
    """The worker leads a process group of its own, which is killed as a whole: on a deadline, a fault, a cancelled call,
    after :meth:`close`, and by the worker itself when this process is gone (see :mod:`agentgym_rl.environments.aio.worker`).
    """

    def __init__(
        self, world: Environment, make: Callable[[], Environment], reset_seconds: float, step_seconds: float
    ) -> None:
        """``world`` is asked for its prompt only; the worker makes its own with ``make``, which must be picklable.

        Raises:
            TypeError: ``make`` can't be pickled.
        """
        super().__init__(world, reset_seconds, step_seconds)
        try:
            self._make = pickle.dumps(make)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"{self._name}: runner='process' needs what can be pickled, not {make!r}: {error}") from error
        self._process: Process | None = None

    async def _call(self, call: str, *arguments: Any) -> Any:
        if self._process is None:
            if call == "close":
                return None
            try:
                self._process = await start_worker()
            except OSError as error:
                raise EnvironmentFault(f"{self._name}: a worker process does not start: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process, Order(call, arguments, self._make))
            await self._process.stdin.drain()
            (size,) = HEADER.unpack(await self._process.stdout.readexactly(HEADER.size))
            body = await self._process.stdout.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            ending = how_it_ended(await self._process.wait())
            raise EnvironmentFault(f"{self._name}: the worker process {ending} during {call}") from error
        answer: Answer = pickle.loads(body)
        if answer.error is not None:
            raise answer.error
        return answer.result

    async def _give_up(self, *, hung: bool) -> None:  # noqa: ARG002 - killed alike whether it hangs or not
        if self._process is None:
            return
        await kill_group(self._process)


async def start_worker() -> Process:
    """A worker process, which waits for orders and looks for modules where this process does.

    Raises:
        OSError: it does not start, or is gone at once.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", START, str(os.getpid())),
        stdin=PIPE,
        stdout=PIPE,
        start_new_session=True,
    )
    try:
        send(process, tuple(sys.path))
    except ConnectionError as error:
        await kill_group(process)
        raise ChildProcessError("it was gone at once") from error
    return process


def send(process: Process, message: object) -> None:
    """Writes a message to a worker.

    Raises:
        ConnectionError: its pipe is closed. Only uvloop says so here; of asyncio's loop one learns it by reading.
    """
    assert process.stdin is not None
    try:
        process.stdin.write(frame(message))
    except RuntimeError as error:
        raise BrokenPipeError(str(error)) from error


def how_it_ended(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
