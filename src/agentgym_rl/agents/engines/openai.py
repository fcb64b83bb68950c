"""Any OpenAI-compatible server as a :class:`~agentgym_rl.agents.engines.protocol.ChatEngine`."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import time
from asyncio import sleep
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp

from agentgym_rl.agents.engines.protocol import Message, Sampling
from agentgym_rl.agents.rollout.actor import ContextFull
from agentgym_rl.environments.errors import EnvironmentFault

OPENAI = "https://api.openai.com/v1"
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LARGEST_ANSWER = 16 * 2**20
"""Bytes: a message of 100,000 tokens with its reasoning is far below; a server that sends more is broken."""
LONGEST_WAIT = 60.0
"""Seconds: a server that asks for more is as good as gone."""


class ChatServerFault(EnvironmentFault):
    """The server is gone, overloaded or broken, retries included. A fault: the episode counts for nobody."""


class ChatServerRefused(RuntimeError):
    """The server does not take what is asked (key, model, parameters), or is not there. Trying again would not help, so
    the run stops.
    """


class OpenAIEngine:
    """Asks ``BASE_URL/chat/completions`` for each message.

    ``base_url`` defaults to ``$OPENAI_BASE_URL``, else OpenAI's own address; ``api_key_variable`` names the environment
    variable that holds the key (empty or unset: none is sent). Connection errors, time-outs, broken or oversized answers
    and the statuses of an overloaded server are retried ``retries`` times, after ``Retry-After`` or with doubling waits
    from ``backoff`` seconds, then they are a :class:`ChatServerFault`. Other statuses are :class:`ChatServerRefused`, and
    so is a refused connection where nothing has answered yet: there is no server. A conversation that is too long is
    :class:`~agentgym_rl.agents.rollout.actor.ContextFull`. ``timeout`` is seconds a request.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        api_key_variable: str = "OPENAI_API_KEY",
        timeout: float = 120.0,
        retries: int = 5,
        backoff: float = 0.5,
    ) -> None:
        if not model.strip():
            raise ValueError("openai: lacks the name of a model: openai:MODEL, as the server calls it")
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"the address of a chat server begins with http:// or https://, not {base_url!r}")
        self._address = base_url.rstrip("/") + "/chat/completions"
        self._model = model
        self._key = os.environ.get(api_key_variable, "")
        self._key_variable = api_key_variable
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._retries = retries
        self._backoff = backoff
        self._session: aiohttp.ClientSession | None = None
        self._calls = 0
        self._reached = False

    async def chat(self, messages: Sequence[Message], sampling: Sampling) -> str:
        """The text of the answer. ``top_k`` is sent only where it is on: not every server knows it."""
        body: dict[str, Any] = {
            "model": self._model,
            "messages": list(messages),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
        }
        if sampling.top_k:
            body["top_k"] = sampling.top_k
        cause = ""
        async with self._connections() as session:
            for attempt in range(self._retries + 1):
                try:
                    return await self._ask(session, body)
                except _Retry as problem:
                    cause, pause = str(problem), problem.wait
                except aiohttp.ClientConnectorError as error:
                    if error.errno == errno.ECONNREFUSED and not self._reached:
                        raise ChatServerRefused(
                            f"nothing listens at {self._address}: start the server, or give its address (--base-url)"
                        ) from error
                    cause, pause = str(error), None
                except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError) as error:
                    cause, pause = str(error) or "no answer in time", None
                if attempt < self._retries:
                    await sleep(self._backoff * 2**attempt if pause is None else pause)
        raise ChatServerFault(f"{self._address} failed {self._retries + 1} times, at last with: {cause}")

    async def _ask(self, session: aiohttp.ClientSession, body: dict[str, Any]) -> str:
        async with session.post(self._address, json=body) as response:
            self._reached = True
            text = await _text(response)
            if response.status in RETRIED:
                raise _Retry(f"status {response.status}, {_brief(text)}", _seconds(response.headers.get("Retry-After")))
            if response.status in (400, 413, 422) and _CONTEXT.search(text):
                raise ContextFull(f"the server's context is full: {_brief(text)}")
            if response.status != 200:
                hint = f"; the key is taken from {self._key_variable}" if response.status in (401, 403) else ""
                raise ChatServerRefused(f"{self._address} answered with status {response.status}: {_brief(text)}{hint}")
        try:
            content = json.loads(text)["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            raise _Retry(f"no chat completion: {_brief(text)}", None) from None
        return content if isinstance(content, str) else ""

    @asynccontextmanager
    async def _connections(self) -> AsyncIterator[aiohttp.ClientSession]:
        """The connections that all calls under way share; the last one closes them, so that nobody else has to."""
        if self._session is None:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._session = aiohttp.ClientSession(timeout=self._timeout, headers=headers)
        session = self._session
        self._calls += 1
        try:
            yield session
        finally:
            self._calls -= 1
            if self._calls == 0:
                self._session = None
                await session.close()


async def _text(response: aiohttp.ClientResponse) -> str:
    """The body, read no further than an answer may be long: a server must not fill the memory."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_ANSWER:
            raise _Retry(f"an answer of more than {LARGEST_ANSWER:,} bytes", None)
    return body.decode("utf-8", errors="replace")


class _Retry(Exception):
    """The request may succeed later, after ``wait`` seconds where the server named a time."""

    def __init__(self, cause: str, wait: float | None) -> None:
        super().__init__(cause)
        self.wait = wait


def _seconds(retry_after: str | None) -> float | None:
    """The wait that a ``Retry-After`` header asks for, in seconds or as a date; bounded."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        except ValueError:
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT) if math.isfinite(seconds) else None


def _brief(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 300 else f"{text[:300]}…"


_CONTEXT = re.compile("context.?(length|window|size)|maximum context", re.IGNORECASE)
