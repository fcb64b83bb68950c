"""Environments by number, over the sessions of the server."""

from __future__ import annotations

import dataclasses
from weakref import WeakKeyDictionary

from agentgym_rl.environments.service.agentgym.published import Published, Seen
from agentgym_rl.environments.service.protocol.message import from_json
from agentgym_rl.environments.service.protocol.problem import Code, problem
from agentgym_rl.environments.service.protocol.session import CreateSession, ResetSession, StepSession, TransitionAnswer
from agentgym_rl.environments.service.server.routes import Service, act
from agentgym_rl.environments.service.server.session import Session

SEED = 0
"""The format has no seed: an item is the same episode every time."""


class Places:
    """Numbers environments 0, 1, 2 …; what each has last answered is kept as long as its session.

    All methods raise ProblemRaised.
    """

    def __init__(self, service: Service, published: Published) -> None:
        self._service = service
        self._published = published
        self._next = 0
        self._seen: WeakKeyDictionary[Session, Seen] = WeakKeyDictionary()

    async def create(self) -> int:
        """Opens a session; its number."""
        number = self._next
        self._next += 1
        await self._service.sessions.create(CreateSession(environment=self._published.id, session=_session(number)))
        return number

    async def reset(self, number: int, item: int) -> Seen:
        """Begins an episode at an item."""
        session = self._find(number)
        request = ResetSession(number=session.number + 1, task=str(item), seed=SEED, admissible=True)
        return await self._do(session, request)

    async def step(self, number: int, action: str) -> Seen:
        """Takes one action of a client."""
        session = self._find(number)
        seen = self._of(session)
        if seen.done and not self._published.goes_on:
            raise problem(Code.EPISODE_OVER, f"the episode of environment {number} is over: reset it")
        chosen = self._published.reads(action)
        if seen.done or chosen is None:
            return dataclasses.replace(seen, reward=seen.reward if seen.done else 0.0)
        return await self._do(session, StepSession(number=session.number + 1, action=chosen, admissible=True))

    def seen(self, number: int) -> Seen:
        """What an environment last answered."""
        return self._of(self._find(number))

    async def close(self, number: int) -> bool:
        """Frees an environment; False when there is none."""
        return await self._service.sessions.close(_session(number))

    async def _do(self, session: Session, request: ResetSession | StepSession) -> Seen:
        answer = TransitionAnswer.model_validate(from_json(await act(self._service, session.id, request)))
        seen = Seen(
            self._published.shows(answer.observation.text, answer.admissible),
            answer.reward,
            answer.info["score"],
            answer.terminated or answer.truncated,
        )
        self._seen[session] = seen
        return seen

    def _find(self, number: int) -> Session:
        return self._service.sessions.find(_session(number))

    def _of(self, session: Session) -> Seen:
        if session not in self._seen:
            raise problem(Code.EPISODE_OVER, f"environment {int(session.id, 16)} has no episode: reset it")
        return self._seen[session]


def _session(number: int) -> str:
    return f"{number:032x}"
