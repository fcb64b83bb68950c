"""A server of pages that a test writes, and sessions on them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from stub_sites.server import HttpServer, Request, Response

from agentgym_rl.environments.web.browser import BrowserSettings, Outcome, Session, View, run, session


class Pages:
    """What is served: HTML, a response, or what makes one, by path."""

    def __init__(self) -> None:
        self.answers: dict[str, str | Response | Callable[[Request], Response]] = {}
        self.asked: list[Request] = []
        self._server = HttpServer(self._answer)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop()

    def paths(self) -> list[str]:
        return [request.path for request in self.asked]

    def _answer(self, request: Request) -> Response:
        self.asked.append(request)
        answer = self.answers.get(request.path)
        if answer is None:
            return Response("<title>Not found</title>Nothing here", 404)
        if isinstance(answer, str):
            return Response(answer)
        return answer if isinstance(answer, Response) else answer(request)


@pytest.fixture(scope="module")
def _served() -> Iterator[Pages]:
    pages = Pages()
    pages.start()
    yield pages
    pages.stop()


@pytest.fixture
def pages(_served: Pages) -> Pages:
    _served.answers.clear()
    _served.asked.clear()
    return _served


Script = Callable[[Session, View], Any]


@pytest.fixture
def visit(pages: Pages) -> Callable[..., Any]:
    """``visit(html, "click [2]", ...)``: the first view and the outcomes; an action may be made from the view before it."""

    def visit(page: str, *actions: str | Callable[[View], str], **settings: Any) -> tuple[View, list[Outcome]]:
        pages.answers.setdefault("/", page)

        async def play() -> tuple[View, list[Outcome]]:
            async with session(BrowserSettings(**{"hosts": (pages.host,), **settings})) as opened:
                await opened.goto(pages.url())
                first = view = await opened.observe()
                outcomes = []
                for action in actions:
                    outcomes.append(await opened.act(action if isinstance(action, str) else action(view)))
                    view = outcomes[-1].view
                return first, outcomes

        return run(play())

    return visit


def named(role: str, name: str, verb: str = "click", *more: str) -> Callable[[View], str]:
    """The action on the element of that role and name."""

    def action(view: View) -> str:
        found = next(element for element in view.elements if (element.role, element.name) == (role, name))
        return " ".join([f"{verb} [{found.id}]", *(f"[{part}]" for part in more)])

    return action


@pytest.fixture(scope="session")
def on() -> Callable[..., Callable[[View], str]]:
    return named


@pytest.fixture(scope="session")
def lines() -> Callable[[View], list[str]]:
    """The lines of the elements, without the root's."""
    return lambda view: [line.strip().split("] ", 1)[1] for line in view.text.split("\n\n", 1)[1].split("\n")[1:]]
