"""A synchronous world run inside the event loop, for worlds that answer in microseconds."""

from __future__ import annotations

from agentgym_rl.environments.aio.session import Session
from agentgym_rl.environments.protocol import ActionSchema, Transition
from agentgym_rl.environments.task_set import Task


class InlineEnvironment:
    """Calls the world directly and never yields to the loop: no deadline can be kept, so only for fast worlds."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def instructions(self) -> str:
        return self._session.environment.instructions

    @property
    def action_schema(self) -> ActionSchema:
        return self._session.environment.action_schema

    async def reset(self, task: Task, seed: int, *, admissible: bool = False) -> Transition:
        return self._session.reset(task, seed, admissible)

    async def step(self, action: str, *, admissible: bool = False) -> Transition:
        return self._session.step(action, admissible)

    async def admissible_actions(self) -> list[str] | None:
        return self._session.admissible_actions()

    async def expert_action(self) -> str | None:
        return self._session.expert_action()

    async def shortcut_action(self, name: str, seed: int) -> str:
        return self._session.shortcut_action(name, seed)

    async def close(self) -> None:
        self._session.close()
