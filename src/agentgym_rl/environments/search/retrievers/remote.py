"""A retriever behind HTTP that speaks Search-R1's retrieval API."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.search.retrieval import Hit
from agentgym_rl.environments.search.retrievers.remote_answer import read_answer
from agentgym_rl.environments.service.client.backoff import waits
from agentgym_rl.environments.service.client.loop import run
from agentgym_rl.environments.service.protocol import TOKEN_VARIABLE

PATH = "/retrieve"
ATTEMPTS = 3
"""To reach a server that does not answer; one that is busy is asked until the deadline."""
LARGEST_ANSWER = 256 << 20
_BUSY = (429, 503)


class RemoteRetriever:
    """A :class:`~agentgym_rl.environments.search.retrieval.Retriever`. The token is taken from ``AGENTGYM_RL_TOKEN``."""

    def __init__(self, address: str, seconds: float) -> None:
        """``address``: ``http://HOST:PORT``; ``seconds``: deadline of a call, with all its attempts."""
        address = address.rstrip("/")
        self._address = address if address.endswith(PATH) else address + PATH
        self._seconds = seconds

    @property
    def identity(self) -> str:
        return f"remote {self._address}"

    def retrieve(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if not queries:
            return []
        return run(self._within_deadline(list(queries), k))

    def close(self) -> None:
        """Nothing is kept open between calls."""

    async def _within_deadline(self, queries: list[str], k: int) -> list[list[Hit]]:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._ask(queries, k)
        except TimeoutError:
            raise DeadlinePassed(f"{self._address}: no answer to {len(queries)} queries in {self._seconds:g} s") from None

    async def _ask(self, queries: list[str], k: int) -> list[list[Hit]]:
        import aiohttp

        token = os.environ.get(TOKEN_VARIABLE)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        failures = 0
        async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=None)) as session:
            for wait in waits():
                try:
                    status, text = await self._post(session, {"queries": queries, "topk": k, "return_scores": True})
                except (aiohttp.ClientError, OSError) as error:
                    failures += 1
                    if failures == ATTEMPTS:
                        why = str(error) or type(error).__name__
                        raise EnvironmentFault(
                            f"{self._address} does not answer: {why}; is the retrieval server up?"
                        ) from error
                else:
                    if status not in _BUSY:
                        return read_answer(self._address, status, text, len(queries), k)
                await asyncio.sleep(wait)
        raise AssertionError("waits() has no end")

    async def _post(self, session: Any, body: dict[str, Any]) -> tuple[int, bytes]:
        async with session.post(self._address, json=body) as response:
            parts: list[bytes] = []
            size = 0
            async for part in response.content.iter_chunked(1 << 16):
                parts.append(part)
                size += len(part)
                if size > LARGEST_ANSWER:
                    raise EnvironmentFault(f"{self._address}: an answer of more than {LARGEST_ANSWER >> 20} MiB")
            return response.status, b"".join(parts)
