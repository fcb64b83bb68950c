"""HTTP to one server: a request, an answer."""

from __future__ import annotations

import os
from typing import Any, TypeVar
from urllib.parse import quote

import aiohttp
from pydantic import BaseModel, ValidationError
from yarl import URL

from agentgym_rl.environments.service.protocol import TOKEN_VARIABLE
from agentgym_rl.environments.service.protocol.message import from_json, to_json
from agentgym_rl.environments.service.protocol.problem import Problem, ProblemRaised

Message = TypeVar("Message", bound=BaseModel)

CONNECT_SECONDS = 10.0
"""Deadline for a connection to be made."""


class Unreachable(Exception):
    """No answer, or one that is not of the protocol: the server is gone, or something else is there."""


class Http:
    """Keeps connections open and uses them again. Belongs to the event loop that first uses it.

    aiohttp, because it takes a quarter of the time a request of the other clients for asyncio (``benchmarks/service.py``).
    """

    def __init__(self, address: str) -> None:
        """``address``: ``http://HOST:PORT`` and maybe a path, without the name of a world."""
        self.address = address
        self._session: aiohttp.ClientSession | None = None

    async def ask(
        self, kind: type[Message], method: str, path: str, body: BaseModel | None = None, query: dict[str, str] | None = None
    ) -> Message:
        """One attempt. It has no deadline but the one of connecting.

        Raises:
            ProblemRaised: the server's answer is a problem.
            Unreachable: see there.
        """
        url = URL(self.address + path, encoded=True)
        data = None if body is None else to_json(body.model_dump())
        try:
            async with self._connections().request(method, url.with_query(query) if query else url, data=data) as response:
                status, text = response.status, await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unreachable(f"{self.address} does not answer: {str(error) or type(error).__name__}") from error
        return self._understand(kind, status, text)

    async def close(self) -> None:
        """Closes the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _connections(self) -> aiohttp.ClientSession:
        if self._session is None:
            token = os.environ.get(TOKEN_VARIABLE)
            headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
            self._session = aiohttp.ClientSession(
                headers=headers,
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                auto_decompress=False,
            )
        return self._session

    def _understand(self, kind: type[Message], status: int, text: bytes) -> Message:
        try:
            content: Any = from_json(text)
            if status < 300:
                return kind.model_validate(content)
            found = Problem.model_validate(content)
        except (ValueError, RecursionError, ValidationError):
            shown = text[:200].decode(errors="replace")
            raise Unreachable(
                f"{self.address} answers with status {status} and no message of the protocol: {shown}"
            ) from None
        raise ProblemRaised(found)


def segment(text: str) -> str:
    """An id as a part of a path."""
    return quote(text, safe=":")
