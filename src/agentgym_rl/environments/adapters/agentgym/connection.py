"""Requests to a published AgentGym server."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any

import aiohttp

from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.service.client.backoff import waits
from agentgym_rl.environments.service.client.loop import run
from agentgym_rl.environments.service.protocol import TOKEN_VARIABLE

BUSY = 503
"""A server that answers so has not acted: the request may be sent again."""
_SHOWN = 200
"""Characters of an answer that a message quotes."""


class Connection:
    """One server. Each request has a connection of its own: these servers close an unused one after seconds, and a step that
    met that moment could not be told from one that was carried out.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    def post(self, path: str, body: Mapping[str, Any] | None, seconds: float) -> Any:
        """The content of the answer.

        Raises:
            DeadlinePassed: there was none in time.
            EnvironmentFault: no connection, another status than 200, no JSON, or an object with ``error``.
        """
        return run(self._by(seconds, "POST", path, body, None))

    def get(self, path: str, query: Mapping[str, str], seconds: float) -> Any:
        """As :meth:`post`."""
        return run(self._by(seconds, "GET", path, None, query))

    async def _by(
        self, seconds: float, method: str, path: str, body: Mapping[str, Any] | None, query: Mapping[str, str] | None
    ) -> Any:
        try:
            async with asyncio.timeout(seconds):
                for wait in waits():
                    status, content = await self._once(method, path, body, query)
                    if status != BUSY:
                        return self._understood(path, status, content)
                    await asyncio.sleep(wait)
        except TimeoutError:
            raise DeadlinePassed(f"{self.address}{path} took longer than {seconds:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            raise EnvironmentFault(f"{self.address} does not answer: {str(error) or type(error).__name__}") from error
        raise AssertionError("the waits never end")

    async def _once(
        self, method: str, path: str, body: Mapping[str, Any] | None, query: Mapping[str, str] | None
    ) -> tuple[int, bytes]:
        token = os.environ.get(TOKEN_VARIABLE)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        timeout = aiohttp.ClientTimeout(total=None)  # the caller's counts all attempts
        async with (
            aiohttp.ClientSession(headers=headers, timeout=timeout) as session,
            session.request(method, self.address + path, json=body, params=query) as response,
        ):
            return response.status, await response.read()

    def _understood(self, path: str, status: int, content: bytes) -> Any:
        shown = content[:_SHOWN].decode(errors="replace")
        if status != 200:
            raise EnvironmentFault(f"{self.address}{path} answers with status {status}: {shown}")
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            raise EnvironmentFault(f"{self.address}{path} answers with no JSON: {shown}") from None
        if isinstance(found, dict) and "error" in found:
            raise EnvironmentFault(f"{self.address}{path} answers with an error: {str(found['error'])[:_SHOWN]}")
        return found
