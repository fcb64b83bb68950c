"""One session on one server, as the client sees it."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from pydantic import BaseModel

from agentgym_rl.environments.service.client.backoff import waits
from agentgym_rl.environments.service.client.http import Unreachable
from agentgym_rl.environments.service.client.place import Place
from agentgym_rl.environments.service.protocol.batch import Closed
from agentgym_rl.environments.service.protocol.problem import Code, ProblemRaised
from agentgym_rl.environments.service.protocol.session import (
    ActionAnswer,
    ActionsAnswer,
    AskShortcut,
    ResetSession,
    StepSession,
    TransitionAnswer,
)

Message = TypeVar("Message", bound=BaseModel)


class RemoteSession:
    """Numbers its calls, so each can be sent again until it is answered: nothing happens twice."""

    def __init__(self, place: Place, id: str) -> None:
        self.place = place
        self.id = id
        self._number = 0

    async def reset(self, task: str, seed: int, admissible: bool) -> TransitionAnswer:
        """Raises ProblemRaised, Unreachable: the server has not answered several times in a row."""
        return await self._act("reset", ResetSession(number=self._number + 1, task=task, seed=seed, admissible=admissible))

    async def step(self, action: str, admissible: bool) -> TransitionAnswer:
        """Raises: as :meth:`reset`."""
        return await self._act("step", StepSession(number=self._number + 1, action=action, admissible=admissible))

    async def admissible_actions(self) -> list[str] | None:
        """Raises: as :meth:`reset`."""
        return (await self._ask(ActionsAnswer, "GET", "admissible_actions")).actions

    async def expert_action(self) -> str | None:
        """None too from a server that does not tell. Raises: as :meth:`reset`."""
        try:
            return (await self._ask(ActionAnswer, "GET", "expert_action")).action
        except ProblemRaised as raised:
            if raised.problem.code is Code.EXPERT_NOT_ALLOWED:
                return None
            raise

    async def shortcut_action(self, name: str, seed: int) -> str:
        """Raises: as :meth:`reset`."""
        answer = await self._ask(ActionAnswer, "POST", "shortcut_action", AskShortcut(name=name, seed=seed))
        return answer.action or ""

    async def close(self) -> None:
        """Raises ProblemRaised, Unreachable."""
        await self.place.http.ask(Closed, "DELETE", f"/v1/sessions/{self.id}")

    async def _act(self, kind: str, request: ResetSession | StepSession) -> TransitionAnswer:
        answer = await self._ask(TransitionAnswer, "POST", kind, request)
        self._number = request.number
        return answer

    async def _ask(self, kind: type[Message], method: str, call: str, body: BaseModel | None = None) -> Message:
        for wait in waits():
            try:
                answer = await self.place.ask(kind, method, f"/v1/sessions/{self.id}/{call}", body)
            except Unreachable:
                if not self.place.circuit.closed:
                    raise
            except ProblemRaised as raised:
                if raised.problem.code is not Code.BUSY:
                    raise
                wait = max(wait, raised.problem.retry_after or 0.0)
            else:
                return answer
            await asyncio.sleep(wait)
        raise AssertionError("the waits never end")
