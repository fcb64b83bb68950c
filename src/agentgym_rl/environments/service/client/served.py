"""The asynchronous form of a world on a pool of servers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agentgym_rl.environments.aio.remote import RemoteEnvironment
from agentgym_rl.environments.aio.session import MISUSE
from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.service.client.errors import exception_of
from agentgym_rl.environments.service.client.http import Unreachable
from agentgym_rl.environments.service.client.pool import ServerPool
from agentgym_rl.environments.service.client.prompt import Prompt
from agentgym_rl.environments.service.client.session import RemoteSession
from agentgym_rl.environments.service.protocol.problem import Code, ProblemRaised
from agentgym_rl.environments.task_set import Task

ATTEMPTS = 3
"""A reset's deadline is enough to try so many servers that don't answer."""


class ServedEnvironment(RemoteEnvironment):
    """Has a session from the first reset on. A reset whose session or server is gone begins on another one; a step whose
    server is gone is a fault, because the episode is gone with it.
    """

    def __init__(
        self,
        pool: ServerPool,
        environment: str,
        options: Mapping[str, Any],
        prompt: Prompt,
        reset_seconds: float,
        step_seconds: float,
    ) -> None:
        """``environment`` is what the servers call the world."""
        super().__init__(prompt, reset_seconds, step_seconds)
        self._pool = pool
        self._environment = environment
        self._options = options
        self._session: RemoteSession | None = None

    async def _call(self, call: str, *arguments: Any) -> Any:
        try:
            return await self._ask(call, arguments)
        except asyncio.CancelledError:
            if self._session is not None:
                self._session.place.circuit.failed()
            raise
        except Unreachable as gone:
            raise EnvironmentFault(str(gone)) from gone
        except ProblemRaised as raised:
            address = self._session.place.http.address if self._session is not None else self._environment
            error = exception_of(raised, address)
            fault = error if isinstance(error, (EnvironmentFault, *MISUSE)) else EnvironmentFault(str(error))
            raise fault from raised

    async def _ask(self, call: str, arguments: tuple[Any, ...]) -> Any:
        session = self._session
        match call:
            case "reset":
                return await self._reset(*arguments)
            case "close":
                if session is not None:
                    self._session = None
                    await self._pool.release(session)
                return None
            case _ if session is None:
                raise EnvironmentFault(f"{self._name}: no episode was begun")
            case "step":
                return (await session.step(*arguments)).transition()
            case _:
                return await getattr(session, call)(*arguments)

    async def _reset(self, task: Task, seed: int, admissible: bool) -> Transition:
        if self._session is not None:
            try:
                return (await self._session.reset(task.id, seed, admissible)).transition()
            except Unreachable:
                self._leave()
            except ProblemRaised as raised:
                if raised.problem.code is not Code.UNKNOWN_SESSION:
                    raise
                self._leave()
        self._session = await self._pool.open(self._environment, self._options, self._reset_seconds / ATTEMPTS)
        return (await self._session.reset(task.id, seed, admissible)).transition()

    def _leave(self) -> None:
        if self._session is not None:
            self._pool.abandon(self._session)
            self._session = None

    async def _give_up(self, *, hung: bool) -> None:  # noqa: ARG002 - left alike whether it hangs or not
        self._leave()

    async def _by(self, seconds: float | None, call: str, *arguments: Any) -> Any:
        try:
            return await super()._by(seconds, call, *arguments)
        except DeadlinePassed as late:
            if self._session is None and call == "reset":
                raise DeadlinePassed(f"{late}: {self._pool.problems()}") from None
            raise
