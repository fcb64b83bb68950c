"""Environments in a few worker processes of this machine."""

from __future__ import annotations

from functools import cached_property

from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.aio.worker_pool import WorkerPool
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.sources.local import LocalSource


class WorkersSource(LocalSource):
    """``environment.workers`` processes share the episodes."""

    def __init__(self, settings: WorldSettings, workers: int) -> None:
        super().__init__(settings)
        self._pool = WorkerPool(workers)

    @property
    def in_process(self) -> bool:
        """Never."""
        return False

    @cached_property
    def _described(self) -> Environment:
        """Asked for its prompt only."""
        return self._make()

    def environment(self) -> AsyncEnvironment:
        settings = self._settings
        return self._pool.environment(self._described, self._make, settings.reset_seconds, settings.step_seconds)

    async def close(self) -> None:
        await self._pool.close()
