"""The worlds of a run: where rollouts get environments and tasks from."""

from __future__ import annotations

from functools import partial

from agentgym_rl.environments.aio.from_sync import from_sync
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.registry import make, tasks
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import Split, TaskSet


class World:
    """Makes the environments of one world, keeps healthy ones for the next episode, and closes them all at the end."""

    def __init__(self, settings: WorldSettings) -> None:
        self.settings = settings
        self._idle: list[AsyncEnvironment] = []

    @property
    def in_process(self) -> bool:
        """Whether episodes here never wait for a thread, a process or a network."""
        return self.settings.runner == "inline"

    def tasks(self, split: Split) -> TaskSet:
        """All tasks of a split, before any category filter."""
        return tasks(self.settings.id, split, **self.settings.options)

    def acquire(self) -> AsyncEnvironment:
        """An environment for one episode: an idle one, else a new one."""
        if self._idle:
            return self._idle.pop()
        settings = self.settings
        return from_sync(
            partial(make, settings.id, **settings.options),
            runner=settings.runner,
            reset_seconds=settings.reset_seconds,
            step_seconds=settings.step_seconds,
        )

    async def release(self, environment: AsyncEnvironment, *, healthy: bool) -> None:
        """Give an environment back; after a fault it is closed instead of kept."""
        if healthy:
            self._idle.append(environment)
        else:
            await environment.close()

    async def close(self) -> None:
        """Close what is idle."""
        while self._idle:
            await self._idle.pop().close()
