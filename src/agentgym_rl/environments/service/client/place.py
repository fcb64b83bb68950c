"""One server of a pool: its connections, its circuit, how many sessions it has from here."""

from __future__ import annotations

import math
import time
from typing import TypeVar

from pydantic import BaseModel

from agentgym_rl.environments.service.client.circuit import Circuit
from agentgym_rl.environments.service.client.http import Http, Unreachable
from agentgym_rl.environments.service.protocol.problem import ProblemRaised

Message = TypeVar("Message", bound=BaseModel)

FRESH_SECONDS = 30.0
"""So long the sessions of others that a server has told of count: it is asked again then, else it would never be."""


class Place:
    """A server, and what is known of it."""

    def __init__(self, address: str) -> None:
        self.http = Http(address)
        self.circuit = Circuit(time.monotonic)
        self.sessions = 0
        """Sessions of this pool that are open there."""
        self._others = 0
        self._heard = -math.inf

    @property
    def load(self) -> int:
        """Sessions that are open there, those of others included as far as the server has told lately."""
        return self.sessions + (self._others if time.monotonic() - self._heard < FRESH_SECONDS else 0)

    def hear(self, open_sessions: int) -> None:
        """The server has told how many sessions it has."""
        self._others, self._heard = max(open_sessions - self.sessions, 0), time.monotonic()

    async def ask(
        self, kind: type[Message], method: str, path: str, body: BaseModel | None = None, query: dict[str, str] | None = None
    ) -> Message:
        """As :meth:`Http.ask`; the circuit hears of it. Whoever gives up waiting tells it himself."""
        try:
            answer = await self.http.ask(kind, method, path, body, query)
        except Unreachable:
            self.circuit.failed()
            raise
        except ProblemRaised:
            self.circuit.succeeded()
            raise
        self.circuit.succeeded()
        return answer
