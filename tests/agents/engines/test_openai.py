"""The OpenAI engine against a real server on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web

from agentgym_rl.agents.engines import openai
from agentgym_rl.agents.engines.openai import ChatServerFault, ChatServerRefused, OpenAIEngine, _seconds
from agentgym_rl.agents.engines.protocol import Message, Sampling
from agentgym_rl.agents.rollout.actor import ContextFull
from agentgym_rl.environments.errors import EnvironmentFault

MESSAGES: list[Message] = [{"role": "user", "content": "half \ud83d, whole 😀"}]


def answer(content: str | None = "Action: look") -> web.Response:
    return web.json_response({"choices": [{"message": {"role": "assistant", "content": content}}]})


class Server:
    """Answers with each of ``responses`` in turn, the last one again and again."""

    def __init__(self, *responses: Callable[[], web.StreamResponse]) -> None:
        self.responses = responses
        self.bodies: list[Any] = []
        self.headers: list[Any] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(request.headers)
        self.bodies.append(json.loads(await request.read()))
        make = self.responses[min(len(self.bodies), len(self.responses)) - 1]
        return make()

    def talk(self, use: Callable[[str], Any]) -> Any:
        async def run() -> Any:
            application = web.Application()
            application.router.add_post("/v1/chat/completions", self.handle)
            runner = web.AppRunner(application)
            await runner.setup()
            try:
                site = web.TCPSite(runner, "127.0.0.1", 0)
                await site.start()
                port = runner.addresses[0][1]
                return await use(f"http://127.0.0.1:{port}/v1/")
            finally:
                await runner.cleanup()

        return asyncio.run(run())

    def chat(self, sampling: Sampling | None = None, **settings: Any) -> str:
        async def use(address: str) -> str:
            engine = OpenAIEngine("small", address, **{"backoff": 0.0, **settings})
            return await engine.chat(MESSAGES, sampling or Sampling())

        text: str = self.talk(use)
        return text


def test_it_sends_the_conversation_and_returns_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_KEY", "secret")
    server = Server(answer)
    assert server.chat(Sampling(0.5, 0, 0.9, 12), api_key_variable="OUR_KEY") == "Action: look"
    assert server.bodies == [{"model": "small", "messages": MESSAGES, "temperature": 0.5, "top_p": 0.9, "max_tokens": 12}]
    assert server.headers[0]["Authorization"] == "Bearer secret"
    server.chat(Sampling(top_k=5), api_key_variable="NO_KEY_AT_ALL")
    assert server.bodies[1]["top_k"] == 5
    assert "Authorization" not in server.headers[1]


def test_an_answer_without_end_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "LARGEST_ANSWER", 10_000)
    sent = []

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        with suppress(ConnectionError):
            while len(sent) < 2_000:  # 128 MB would be all of it
                await response.write(b" " * 65_536)
                sent.append(1)
        return response

    server = Server(answer)
    server.handle = endless  # type: ignore[method-assign]
    with pytest.raises(ChatServerFault, match="failed 2 times, at last with: an answer of more than 10,000 bytes"):
        server.chat(retries=1)
    assert len(sent) < 2_000


def test_no_text_is_an_empty_message() -> None:
    assert Server(lambda: answer(None)).chat() == ""


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_overloaded_server_is_asked_again(status: int) -> None:
    server = Server(lambda: web.Response(status=status), lambda: web.Response(status=status), answer)
    assert server.chat() == "Action: look"
    assert len(server.bodies) == 3


def test_a_broken_answer_is_asked_for_again() -> None:
    server = Server(lambda: web.Response(text="<html>"), lambda: web.json_response({"choices": []}), answer)
    assert server.chat() == "Action: look"


def test_a_server_that_stays_down_is_a_fault() -> None:
    server = Server(lambda: web.Response(status=503, text="out of memory"))
    with pytest.raises(ChatServerFault, match=r"/v1/chat/completions failed 3 times.* 503, out of memory") as raised:
        server.chat(retries=2)
    assert isinstance(raised.value, EnvironmentFault)
    assert len(server.bodies) == 3


def test_a_server_that_is_not_there_is_not_asked_again() -> None:
    async def use(address: str) -> str:
        return address

    address = Server(answer).talk(use)
    with pytest.raises(ChatServerRefused, match=f"nothing listens at {address}.*: start the server, or give its address"):
        asyncio.run(OpenAIEngine("small", address, backoff=600.0).chat(MESSAGES, Sampling()))


def test_a_server_that_goes_away_is_a_fault() -> None:
    engines = []

    async def use(address: str) -> str:
        engines.append(OpenAIEngine("small", address, retries=1, backoff=0.0))
        return await engines[0].chat(MESSAGES, Sampling())

    Server(answer).talk(use)
    with pytest.raises(ChatServerFault, match="failed 2 times"):
        asyncio.run(engines[0].chat(MESSAGES, Sampling()))


def test_a_model_without_a_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="lacks the name of a model"):
        OpenAIEngine(" ", "http://127.0.0.1:1")


def test_a_server_that_says_nothing_is_a_fault() -> None:
    async def run() -> None:
        release = asyncio.Event()

        async def hang(_: web.Request) -> web.Response:
            await release.wait()
            return answer()

        application = web.Application()
        application.router.add_post("/chat/completions", hang)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            engine = OpenAIEngine("small", f"http://127.0.0.1:{runner.addresses[0][1]}", timeout=0.05, retries=0)
            with pytest.raises(ChatServerFault, match="failed 1 times, at last with: "):
                await engine.chat(MESSAGES, Sampling())
        finally:
            release.set()
            await runner.cleanup()

    asyncio.run(run())


@pytest.mark.parametrize(("status", "told"), [(401, "the key is taken from OPENAI_API_KEY"), (404, "no such model")])
def test_a_refusal_is_not_asked_again(status: int, told: str) -> None:
    server = Server(lambda: web.Response(status=status, text="no such model"))
    with pytest.raises(ChatServerRefused, match=told) as raised:
        server.chat()
    assert not isinstance(raised.value, EnvironmentFault)
    assert len(server.bodies) == 1


def test_a_full_context_ends_the_episode() -> None:
    with pytest.raises(ContextFull, match="maximum context length"):
        Server(lambda: web.Response(status=400, text="This model's maximum context length is 10 tokens")).chat()


def test_retry_after_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("agentgym_rl.agents.engines.openai.sleep", sleep)
    told = Server(lambda: web.Response(status=429, headers={"Retry-After": "7"}), lambda: web.Response(status=429), answer)
    told.chat(backoff=0.5)
    assert waits == [7.0, 1.0]
    assert _seconds("9999") == 60.0
    assert _seconds("-1") == 0.0
    assert _seconds("nan") is None
    assert _seconds("soon") is None
    later = (datetime.now(UTC) + timedelta(seconds=30)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert 20 < (_seconds(later) or 0) <= 30


def test_calls_share_connections_and_the_last_one_closes_them() -> None:
    async def use(address: str) -> None:
        engine = OpenAIEngine("small", address)
        texts = await asyncio.gather(*(engine.chat(MESSAGES, Sampling()) for _ in range(8)))
        assert texts == ["Action: look"] * 8
        assert engine._session is None
        assert await engine.chat(MESSAGES, Sampling()) == "Action: look"

    Server(answer).talk(use)


def test_an_address_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    with pytest.raises(ValueError, match="begins with http:// or https://, not 'localhost:8000'"):
        OpenAIEngine("small")
