"""The OpenAI-compatible engine against a server in this process: its words, its failures, its limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from agentgym_rl.agents.engines.openai import OpenAIEngine
from agentgym_rl.agents.engines.protocol import Message, Sampling
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.rollout.actor import ContextFull
from agentgym_rl.environments.errors import EnvironmentFault

HELLO: list[Message] = [{"role": "user", "content": "half \ud83d"}]
DEFAULT = Sampling()
Answer = tuple[int, Any]


def ask(
    *answers: Answer, sampling: Sampling = DEFAULT, delays: tuple[float, ...] = (0, 0)
) -> tuple[str, list[tuple[web.Request, Any]]]:
    """What the engine makes of a server that gives ``answers`` one after the other, and the requests it got."""
    left, requests = list(answers), cast("list[tuple[web.Request, Any]]", [])

    async def respond(request: web.Request) -> web.Response:
        requests.append((request, await request.json()))
        status, content = left.pop(0)
        return (
            web.Response(status=status, text=content)
            if isinstance(content, str)
            else web.json_response(content, status=status)
        )

    async def run() -> str:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", respond)
        async with TestServer(app) as server:
            return await OpenAIEngine("m", str(server.make_url("/v1/")), delays=delays).chat(HELLO, sampling)

    return asyncio.run(run()), requests


def said(text: str | None) -> Answer:
    return 200, {"choices": [{"message": {"content": text}}]}


def failed(status: int, message: str = "no") -> Answer:
    return status, {"error": {"message": message}}


def test_a_request_says_how_to_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    text, ((request, body),) = ask(said("Action: open"), sampling=Sampling(0.5, 7, 0.9, 33))
    assert text == "Action: open"
    assert request.headers["Authorization"] == "Bearer secret"
    assert body == {
        "model": "m",
        "messages": HELLO,
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 33,
        "top_k": 7,
    }


def test_without_a_key_none_is_sent_and_no_words_are_the_empty_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    text, ((request, body),) = ask(said(None))
    assert text == ""
    assert "Authorization" not in request.headers
    assert "top_k" not in body


def test_a_busy_server_is_asked_again() -> None:
    text, requests = ask(failed(429), failed(503), said("ok"))
    assert (text, len(requests)) == ("ok", 3)
    with pytest.raises(EnvironmentFault, match=r"status 500 \(broken\), 3 times"):
        ask(*[failed(500, "broken")] * 3)


@pytest.mark.parametrize(
    ("answer", "error", "match"),
    [
        (failed(401, "bad key"), ModelError, "refuses 'm' with status 401: bad key"),
        (failed(404, "no such model"), ModelError, "no such model"),
        (failed(400, "maximum context length is 8192 tokens"), ContextFull, "8192"),
        ((200, "<html>"), ModelError, "does not answer as an OpenAI-compatible server: '<html>'"),
        ((200, {"choices": []}), ModelError, "does not answer"),
        ((418, "I'm a teapot"), ModelError, "teapot"),
    ],
)
def test_what_asking_again_would_not_mend_is_raised_at_once(answer: Answer, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        ask(answer)


def run_engine(make: Callable[[], OpenAIEngine]) -> None:
    asyncio.run(make().chat(HELLO, Sampling()))


def test_nobody_there_and_no_address() -> None:
    async def left() -> str:
        async with TestServer(web.Application()) as server:
            return str(server.make_url("/v1"))

    address = asyncio.run(left())
    with pytest.raises(EnvironmentFault, match=rf"{address}: .*2 times"):
        run_engine(lambda: OpenAIEngine("m", address, delays=(0,)))
    with pytest.raises(ModelError, match="nowhere is no address"):
        run_engine(lambda: OpenAIEngine("m", "nowhere"))


def test_silence_is_a_fault() -> None:
    async def run() -> None:
        forever = asyncio.Event()

        async def respond(_: web.Request) -> web.Response:
            await forever.wait()
            return web.Response()

        app = web.Application()
        app.router.add_post("/v1/chat/completions", respond)
        async with TestServer(app) as server:
            try:
                await OpenAIEngine("m", str(server.make_url("/v1")), timeout=0.05, delays=()).chat(HELLO, Sampling())
            finally:
                forever.set()

    with pytest.raises(EnvironmentFault, match=r"1 times"):
        asyncio.run(run())


def test_the_address_comes_from_the_environment_if_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://here/v1/")
    assert OpenAIEngine("m").base_url == "http://here/v1"
    assert OpenAIEngine("m", "http://there").base_url == "http://there"
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert OpenAIEngine("m").base_url == "https://api.openai.com/v1"
