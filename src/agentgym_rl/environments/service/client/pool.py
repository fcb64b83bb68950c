"""Several servers with the same worlds."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_rl.environments.service.client.backoff import waits
from agentgym_rl.environments.service.client.http import Unreachable
from agentgym_rl.environments.service.client.place import Place
from agentgym_rl.environments.service.client.session import RemoteSession
from agentgym_rl.environments.service.protocol.problem import Code, ProblemRaised
from agentgym_rl.environments.service.protocol.session import CreateSession, SessionState

log = logging.getLogger(__name__)

GOODBYE_SECONDS = 2.0
"""So long a session that is given up is told so; its lease ends it otherwise."""


class ServerPool:
    """Opens sessions where the fewest are, on servers whose circuit is closed. Belongs to one event loop."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.places = [Place(address) for address in addresses]
        self._goodbyes: set[asyncio.Task[None]] = set()

    async def open(self, environment: str, options: Mapping[str, Any], attempt_seconds: float) -> RemoteSession:
        """A new session. Tries one server after the other until one has a place: for ever, so set a deadline.

        Args:
            environment: what the servers call the world.
            options: arguments of its constructor.
            attempt_seconds: deadline of asking one server.

        Raises:
            ProblemRaised: a server refuses, and not because it is busy.
        """
        for wait in waits():
            for place in self._in_order():
                session = await self._try(place, environment, options, attempt_seconds)
                if session is not None:
                    return session
            await asyncio.sleep(wait)
        raise AssertionError("the waits never end")

    def problems(self) -> str:
        """What is wrong with the servers, for a message."""
        dead = [place.http.address for place in self.places if not place.circuit.closed]
        return f"no answer from {', '.join(dead)}" if dead else "all servers are busy"

    async def release(self, session: RemoteSession) -> None:
        """Ends a session. Raises nothing."""
        session.place.sessions -= 1
        with contextlib.suppress(Unreachable, ProblemRaised):
            await session.close()

    def abandon(self, session: RemoteSession) -> None:
        """Ends a session without waiting for it."""
        task = asyncio.get_running_loop().create_task(self._goodbye(session))
        self._goodbyes.add(task)
        task.add_done_callback(self._goodbyes.discard)

    async def close(self) -> None:
        """Closes the connections, after the last goodbyes."""
        if self._goodbyes:
            await asyncio.wait(self._goodbyes)
        for place in self.places:
            await place.http.close()

    def _in_order(self) -> list[Place]:
        """The servers, those with fewer sessions first; equals in random order."""
        return sorted(random.sample(self.places, len(self.places)), key=lambda place: place.load)

    async def _try(
        self, place: Place, environment: str, options: Mapping[str, Any], attempt_seconds: float
    ) -> RemoteSession | None:
        if not place.circuit.allows():
            return None
        request = CreateSession(environment=environment, options=dict(options), session=secrets.token_hex(16))
        place.sessions += 1
        try:
            async with asyncio.timeout(attempt_seconds):
                state = await place.ask(SessionState, "POST", "/v1/sessions", request)
        except BaseException as error:
            place.sessions -= 1
            if isinstance(error, TimeoutError):
                place.circuit.failed()
            elif not isinstance(error, Unreachable) and not _is_busy(error):
                raise
            log.info("no session: %s", str(error) or f"{place.http.address} took longer than {attempt_seconds:g} s")
            return None
        place.hear(state.open_sessions)
        return RemoteSession(place, state.session)

    async def _goodbye(self, session: RemoteSession) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await self.release(session)


def _is_busy(error: BaseException) -> bool:
    return isinstance(error, ProblemRaised) and error.problem.code is Code.BUSY
