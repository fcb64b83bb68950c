"""A model behind an OpenAI-compatible server (vLLM, llama.cpp, SGLang, OpenAI …): messages in, text out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agentgym_rl.agents.engines.protocol import Message, Sampling
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.rollout.actor import ContextFull
from agentgym_rl.environments.errors import EnvironmentFault

if TYPE_CHECKING:
    import aiohttp

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_BUSY = (408, 409, 425, 429)
"""Answers, besides 5xx, after which asking again may help."""


class OpenAIEngine:
    """Asks ``POST base_url/chat/completions``. The key is that of ``OPENAI_API_KEY``, where the server wants one.

    Busy servers and lost connections are asked again after each of ``delays`` seconds. Each request has a connection of
    its own: nothing to be closed is left behind, and beside the model's own time that costs nothing.

    Raises:
        ModelError: the address, the key, the model's name or a setting is wrong.
        EnvironmentFault: the server failed, or passed ``timeout`` seconds, after all delays.
        ContextFull: the conversation is longer than the model takes.
    """

    def __init__(
        self, model: str, base_url: str | None = None, *, timeout: float = 300.0, delays: Sequence[float] = (1, 3, 10, 30)
    ) -> None:
        self.model = model
        self.base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")
        self._timeout = timeout
        self._delays = tuple(delays)

    async def chat(self, messages: Sequence[Message], sampling: Sampling) -> str:
        """The model's answer to ``messages``; the empty string where it says nothing."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
        }
        if sampling.top_k:
            body["top_k"] = sampling.top_k  # no part of OpenAI's own API; servers of open models take it
        for delay in (*self._delays, None):
            try:
                return await self._ask(body)
            except _Again as problem:
                if delay is None:
                    raise EnvironmentFault(f"{self.base_url}: {problem}, {len(self._delays) + 1} times") from problem
            await asyncio.sleep(delay)
        raise AssertionError("the last turn of the loop returns or raises")

    async def _ask(self, body: dict[str, Any]) -> str:
        import aiohttp

        key = os.environ.get("OPENAI_API_KEY")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(self._timeout), headers=headers) as session,
                session.post(f"{self.base_url}/chat/completions", json=body) as answer,
            ):
                return await self._read(answer)
        except aiohttp.InvalidURL as error:
            raise ModelError(f"{self.base_url} is no address; give one like http://127.0.0.1:8000/v1") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _Again(str(error) or f"no answer in {self._timeout:g} s") from error

    async def _read(self, answer: aiohttp.ClientResponse) -> str:
        text = await answer.text(errors="replace")
        if answer.status in _BUSY or answer.status >= 500:
            raise _Again(f"status {answer.status} ({_said(text)})")
        if answer.status != 200:
            said = _said(text)
            if answer.status in (400, 413) and "context" in said.lower():
                raise ContextFull(said)
            raise ModelError(f"{self.base_url} refuses {self.model!r} with status {answer.status}: {said}")
        try:
            return str(json.loads(text)["choices"][0]["message"]["content"] or "")
        except (ValueError, LookupError, TypeError) as error:
            raise ModelError(f"{self.base_url} does not answer as an OpenAI-compatible server: {text[:80]!r}") from error


class _Again(Exception):
    """Asking once more may help."""


def _said(text: str) -> str:
    """The server's own words, in one line."""
    with contextlib.suppress(ValueError, LookupError, TypeError):
        text = json.loads(text)["error"]["message"]
    return " ".join(str(text).split())[:200] or "no message"
