"""The interface of everything that environments may come from."""

from __future__ import annotations

from typing import Protocol

from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import Split, TaskSet


class Source(Protocol):
    """Makes the environments of one world, as the settings of the world say."""

    @property
    def in_process(self) -> bool:
        """Whether a call never waits for a thread, a process or a network."""

    def tasks(self, split: Split) -> TaskSet:
        """All tasks of a split."""

    def make(self) -> Environment:
        """The world in its synchronous form, to be looked at."""

    def environment(self) -> AsyncEnvironment:
        """One for episodes."""

    async def close(self) -> None:
        """Frees what the environments shared. They are closed before."""
