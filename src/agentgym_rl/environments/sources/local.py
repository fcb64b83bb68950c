"""Environments of this machine, each on its own: in the event loop, on a thread, in a process."""

from __future__ import annotations

from functools import cached_property, partial

from agentgym_rl.environments.aio.from_sync import Runner, from_sync
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.registry import environment_class, make, tasks
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import Split, TaskSet


class LocalSource:
    """``environment.runner`` says where they run; worlds that wait are never in the event loop, which they would stop."""

    def __init__(self, settings: WorldSettings) -> None:
        self._settings = settings
        self._make = partial(make, settings.id, **settings.options)

    @cached_property
    def _runner(self) -> Runner:
        asked = self._settings.runner
        return "thread" if asked == "inline" and environment_class(self._settings.id).waits else asked

    @property
    def in_process(self) -> bool:
        """Whether episodes run in the event loop."""
        return self._runner == "inline"

    def tasks(self, split: Split) -> TaskSet:
        return tasks(self._settings.id, split, **self._settings.options)

    def make(self) -> Environment:
        return self._make()

    def environment(self) -> AsyncEnvironment:
        settings = self._settings
        return from_sync(
            self._make,
            runner=self._runner,
            reset_seconds=settings.reset_seconds,
            step_seconds=settings.step_seconds,
        )

    async def close(self) -> None:
        """They share nothing."""
