"""Environments on servers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.service.client.describe import describe, prompt_of, tasks
from agentgym_rl.environments.service.client.http import segment
from agentgym_rl.environments.service.client.pool import ServerPool
from agentgym_rl.environments.service.client.prompt import Prompt
from agentgym_rl.environments.service.client.served import ServedEnvironment
from agentgym_rl.environments.service.client.world import make_at
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import Split, TaskSet


class ServersSource:
    """All servers have the same world. Description and tasks are those of the first one that answers."""

    in_process = False

    def __init__(self, settings: WorldSettings, servers: Sequence[str], environment: str) -> None:
        """``environment`` is what the servers call the world."""
        self._settings = settings
        self._servers = servers
        self._environment = environment
        self._pool = ServerPool(servers)

    @cached_property
    def _answering(self) -> tuple[str, Prompt]:
        """A server that works, and what it says of the world."""
        causes = []
        for server in self._servers:
            try:
                return server, prompt_of(describe(server, self._environment, self._settings.options))
            except EnvironmentFault as fault:
                causes.append(str(fault))
        raise EnvironmentFault("; ".join(causes))

    def tasks(self, split: Split) -> TaskSet:
        return tasks(self._answering[0], self._environment, self._settings.options, split)

    def make(self) -> Environment:
        return make_at(f"{self._answering[0]}/{segment(self._environment)}", self._settings.options)

    def environment(self) -> AsyncEnvironment:
        settings = self._settings
        return ServedEnvironment(
            self._pool,
            self._environment,
            settings.options,
            self._answering[1],
            settings.reset_seconds,
            settings.step_seconds,
        )

    async def close(self) -> None:
        await self._pool.close()
