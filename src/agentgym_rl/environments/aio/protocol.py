"""The asynchronous form of a world, which rollouts drive."""

from __future__ import annotations

from typing import Protocol

from agentgym_rl.environments.protocol import ActionSchema, Transition
from agentgym_rl.environments.task_set import Task


class AsyncEnvironment(Protocol):
    """One instance runs one episode at a time.

    Every call to a world on a thread, in a process or behind a network has a deadline, and passing it is an
    EnvironmentFault: the process is killed, the thread abandoned. A world that runs inline has none: its calls block the
    event loop until they return, so nothing could notice. It is for worlds that compute for microseconds and wait for nobody.

    After an :class:`~agentgym_rl.environments.errors.EnvironmentFault` the instance is done for: close it, take a new one.
    """

    @property
    def instructions(self) -> str: ...

    @property
    def action_schema(self) -> ActionSchema: ...

    async def reset(self, task: Task, seed: int, *, admissible: bool = False) -> Transition:
        """Begin an episode. ``admissible`` asks for the admissible actions of the state reached."""

    async def step(self, action: str, *, admissible: bool = False) -> Transition: ...

    async def admissible_actions(self) -> list[str] | None:
        """The admissible actions of the present state; None where they can't be listed."""

    async def expert_action(self) -> str | None:
        """The oracle's next action; None where there is none."""

    async def shortcut_action(self, name: str, seed: int) -> str:
        """The next action of the named shortcut; ``seed`` makes its random generator."""

    async def close(self) -> None:
        """Free everything. Idempotent, bounded in time."""
