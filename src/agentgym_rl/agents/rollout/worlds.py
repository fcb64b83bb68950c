"""The worlds of a run: where rollouts get environments and tasks from."""

from __future__ import annotations

from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.sources import source_of
from agentgym_rl.environments.task_set import Split, TaskSet


class World:
    """Makes the environments of one world, keeps healthy ones for the next episode, and closes them all at the end."""

    def __init__(self, settings: WorldSettings) -> None:
        """Raises: as :func:`~agentgym_rl.environments.sources.choose.source_of`."""
        self.settings = settings
        self._source = source_of(settings)
        self._idle: list[AsyncEnvironment] = []

    @property
    def in_process(self) -> bool:
        """Whether episodes here never wait for a thread, a process or a network."""
        return self._source.in_process

    def tasks(self, split: Split) -> TaskSet:
        """All tasks of a split, before any category filter."""
        return self._source.tasks(split)

    def make(self) -> Environment:
        """The world in its synchronous form, to be looked at."""
        return self._source.make()

    def acquire(self) -> AsyncEnvironment:
        """An environment for one episode: an idle one, else a new one."""
        return self._idle.pop() if self._idle else self._source.environment()

    async def release(self, environment: AsyncEnvironment, *, healthy: bool) -> None:
        """Give an environment back; after a fault it is closed instead of kept."""
        if healthy:
            self._idle.append(environment)
        else:
            await environment.close()

    async def close(self) -> None:
        """Close what is idle, and what it shared."""
        while self._idle:
            await self._idle.pop().close()
        await self._source.close()
