"""A synchronous world on one of a pool's worker processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, Protocol

from agentgym_rl.environments.aio.remote import CLOSE_SECONDS, RemoteEnvironment
from agentgym_rl.environments.aio.shared_worker import SharedWorker, WorkerGone
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.protocol import Environment

MAKE_SECONDS = 30.0
"""Deadline for a process to start and a world to be made."""
MOVES = 5
"""So many workers are tried for a reset."""


class ChoosesWorker(Protocol):
    """The pool, as far as a world of it is concerned."""

    async def attach(self, world: int) -> SharedWorker:
        """The worker that shall have the world from now on."""

    async def tidy(self) -> None:
        """Sees which workers are to be replaced."""


class PooledEnvironment(RemoteEnvironment):
    """Keeps its worker for an episode. At a reset it moves when that worker is gone or about to be replaced."""

    def __init__(
        self,
        pool: ChoosesWorker,
        number: int,
        world: Environment,
        make: Callable[[], Environment],
        reset_seconds: float,
        step_seconds: float,
    ) -> None:
        super().__init__(world, reset_seconds, step_seconds)
        try:
            self._make = pickle.dumps(make)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"{self._name}: workers need what can be pickled, not {make!r}: {error}") from error
        self._pool = pool
        self._number = number
        self._worker: SharedWorker | None = None

    async def _by(self, seconds: float | None, call: str, *arguments: Any) -> Any:  # noqa: ARG002 - the worker keeps the time
        return await super()._by(None, call, *arguments)

    async def _call(self, call: str, *arguments: Any) -> Any:
        if call == "reset":
            return await self._reset(arguments)
        if call == "close" and self._worker is None:
            return None
        return await self._ask(call, arguments, CLOSE_SECONDS if call == "close" else self._step_seconds)

    async def _reset(self, arguments: tuple[Any, ...]) -> Any:
        """A reset that waited in vain for its turn, because a neighbour's call ended the worker, is made elsewhere."""
        for _ in range(MOVES):
            await self._pool.tidy()
            if self._worker is not None and (self._worker.dead is not None or self._worker.retiring):
                self._leave()
            try:
                return await self._ask("reset", arguments, self._reset_seconds)
            except WorkerGone as gone:
                if gone.begun:
                    raise
        raise EnvironmentFault(f"{self._name}: {MOVES} workers in a row were gone before they came to this reset")

    async def _ask(self, call: str, arguments: tuple[Any, ...], seconds: float) -> Any:
        if self._worker is None:
            self._worker = await self._pool.attach(self._number)
            await self._worker.call(self._number, self._make, self._name, "make", (), MAKE_SECONDS)
        if call == "reset":
            self._worker.episodes += 1
        return await self._worker.call(self._number, self._make, self._name, call, arguments, seconds)

    def _leave(self) -> None:
        if self._worker is not None:
            self._worker.discard(self._number, self._make, self._name, CLOSE_SECONDS)
            self._worker = None

    async def _give_up(self, *, hung: bool) -> None:  # noqa: ARG002 - one that hangs has been killed by its worker
        self._leave()
