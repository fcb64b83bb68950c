"""The asynchronous calls in terms of one: do this elsewhere, by then."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from typing import Any, Protocol

from agentgym_rl.environments.aio.session import MISUSE
from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.protocol import ActionSchema, Transition
from agentgym_rl.environments.task_set import Task

CLOSE_SECONDS = 10.0
"""Deadline of closing a world."""

log = logging.getLogger(__name__)


class Prompted(Protocol):
    """What there is to know of a world before it is used."""

    @property
    def id(self) -> str: ...

    @property
    def instructions(self) -> str: ...

    @property
    def action_schema(self) -> ActionSchema: ...


class RemoteEnvironment(ABC):
    """A world that runs on another thread or in another process. After a fault every call but :meth:`close` is a fault."""

    def __init__(self, world: Prompted, reset_seconds: float, step_seconds: float) -> None:
        self._name = world.id
        self._instructions = world.instructions
        self._action_schema = world.action_schema
        self._reset_seconds = reset_seconds
        self._step_seconds = step_seconds
        self._broken: str | None = None
        self._closed = False

    @property
    def instructions(self) -> str:
        return self._instructions

    @property
    def action_schema(self) -> ActionSchema:
        return self._action_schema

    async def reset(self, task: Task, seed: int, *, admissible: bool = False) -> Transition:
        transition: Transition = await self._by(self._reset_seconds, "reset", task, seed, admissible)
        return transition

    async def step(self, action: str, *, admissible: bool = False) -> Transition:
        transition: Transition = await self._by(self._step_seconds, "step", action, admissible)
        return transition

    async def admissible_actions(self) -> list[str] | None:
        actions: list[str] | None = await self._by(self._step_seconds, "admissible_actions")
        return actions

    async def expert_action(self) -> str | None:
        action: str | None = await self._by(self._step_seconds, "expert_action")
        return action

    async def shortcut_action(self, name: str, seed: int) -> str:
        action: str = await self._by(self._step_seconds, "shortcut_action", name, seed)
        return action

    async def close(self) -> None:
        """Free everything. Idempotent, takes :data:`CLOSE_SECONDS` at most, raises nothing."""
        if self._closed:
            return
        self._closed = True
        if self._broken is None:
            try:
                await self._by(CLOSE_SECONDS, "close")
            except EnvironmentFault as fault:
                log.warning("%s", fault)
            else:
                await self._break(f"{self._name} is closed", hung=False)

    @abstractmethod
    async def _call(self, call: str, *arguments: Any) -> Any:
        """Calls the session's method ``call`` over there: returns what it returned, raises what it raised."""

    @abstractmethod
    async def _give_up(self, *, hung: bool) -> None:
        """Ends whoever works over there. No answer is awaited any longer; ``hung``: one is overdue."""

    async def _by(self, seconds: float | None, call: str, *arguments: Any) -> Any:
        if self._broken is not None:
            raise EnvironmentFault(f"{self._name}: this instance is done for; take a new one ({self._broken})")
        try:
            async with asyncio.timeout(seconds):
                return await self._call(call, *arguments)
        except MISUSE:
            raise
        except EnvironmentFault as fault:
            await self._break(str(fault), hung=False)
            raise
        except TimeoutError:
            cause = f"{self._name}: {call} took longer than {seconds:g} s"
            await self._break(cause, hung=True)
            raise DeadlinePassed(cause) from None
        except asyncio.CancelledError:
            await self._break(f"{self._name}: {call} was cancelled", hung=False)
            raise

    async def _break(self, cause: str, *, hung: bool) -> None:
        self._broken = cause
        await self._give_up(hung=hung)
