"""A few worker processes that share many worlds."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from agentgym_rl.environments.aio.ending import to_the_end
from agentgym_rl.environments.aio.pooled import PooledEnvironment
from agentgym_rl.environments.aio.shared_worker import SharedWorker
from agentgym_rl.environments.protocol import Environment


@dataclass(frozen=True, slots=True)
class Recycling:
    """When a worker is replaced. It takes no further episode then, and ends with the last of those it has."""

    episodes: int | None = None
    """After so many episodes."""
    memory: int | None = None
    """When it holds more bytes, seen at the beginning of an episode."""

    def due(self, worker: SharedWorker) -> bool:
        return (self.episodes is not None and worker.episodes >= self.episodes) or (
            self.memory is not None and worker.memory > self.memory
        )


class WorkerPool:
    """Spreads worlds over ``count`` processes. A world stays on its process for an episode; each process does one thing
    at a time, so worlds need not be thread-safe. A process that dies or hangs costs the episodes on it a fault and is
    replaced.
    """

    def __init__(self, count: int, recycling: Recycling = Recycling()) -> None:
        if count < 1:
            raise ValueError(f"a pool has 1 worker at least, not {count}")
        self._count = count
        self._recycling = recycling
        self._workers: list[SharedWorker] = []
        self._numbers = itertools.count()
        self.replaced = 0
        """Workers that died, hung or were recycled."""

    @property
    def pids(self) -> list[int]:
        """The processes that are alive, those included that are about to end."""
        return [worker.pid for worker in self._workers if worker.pid is not None and worker.dead is None]

    def environment(
        self, world: Environment, make: Callable[[], Environment], reset_seconds: float, step_seconds: float
    ) -> PooledEnvironment:
        """A world that the pool runs. ``world`` is asked for its prompt only; ``make`` must be picklable.

        Raises:
            TypeError: ``make`` can't be pickled.
        """
        return PooledEnvironment(self, next(self._numbers), world, make, reset_seconds, step_seconds)

    async def start(self) -> None:
        """Starts all processes, so that the first episodes don't wait for them. Otherwise they start when needed."""
        while len(self._workers) < self._count:
            self._workers.append(SharedWorker())
        await asyncio.gather(*(worker.start() for worker in self._workers))

    async def attach(self, world: int) -> SharedWorker:
        """The worker for the world's next episode: the one with the fewest worlds.

        Raises:
            EnvironmentFault: a process does not start.
        """
        await self.tidy()
        usable = [worker for worker in self._workers if not worker.retiring and worker.dead is None]
        if len(usable) < self._count and all(worker.worlds for worker in usable):
            worker = SharedWorker()
            self._workers.append(worker)
        else:
            worker = min(usable, key=lambda one: len(one.worlds))
        worker.worlds.add(world)
        await worker.start()
        return worker

    async def tidy(self) -> None:
        """Forgets workers that died and ends those that have nothing more to do."""
        for worker in list(self._workers):
            worker.retiring = worker.retiring or self._recycling.due(worker)
            if worker.dead is None and worker.retiring and worker.idle:
                await worker.kill("it was recycled")
            if worker.dead is not None and worker in self._workers:
                self._workers.remove(worker)
                self.replaced += 1

    async def close(self) -> None:
        """Ends all processes. Idempotent."""
        workers, self._workers = self._workers, []
        await to_the_end(asyncio.gather(*(worker.kill("the pool was closed") for worker in workers)), "a pool of workers")
