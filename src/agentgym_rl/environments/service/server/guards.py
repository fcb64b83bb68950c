"""What stands before the routes: the clock, the token, the size of bodies, the number of calls under way. Plain ASGI."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agentgym_rl.environments.service.protocol.problem import Code, ProblemRaised, problem
from agentgym_rl.environments.service.server.answers import problem_response

log = logging.getLogger("agentgym_rl.service")

OPEN_PATHS = frozenset({"/health", "/openapi.json"})
"""These need no token."""
BODY_SECONDS = 30.0
"""Deadline for a body to arrive."""
BUSY_SECONDS = 0.5
"""When to try again on a server with too many calls under way."""


class Timed:
    """Tells how long each request took, under the name of the function that answered it."""

    def __init__(self, app: ASGIApp, answered: Callable[[str, int, float], None]) -> None:
        self._app = app
        self._answered = answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            endpoint = scope.get("endpoint")
            self._answered(getattr(endpoint, "__name__", "none"), status, time.perf_counter() - start)


class TokenRequired:
    """Refuses requests without the token, before anything of them is read."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_PATHS and not self._allowed(scope):
            refused = problem(Code.UNAUTHORISED, "send the server's token: Authorization: Bearer TOKEN")
            await problem_response(refused.problem)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _allowed(self, scope: Scope) -> bool:
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = given.partition(b" ")
        return hmac.compare_digest(scheme.lower() + b" " + token, self._expected)


class BoundedBody:
    """Reads the whole body before the app sees the request: at most so many bytes, and not for ever."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except ProblemRaised as refused:
            await problem_response(refused.problem, close=True)(scope, receive, send)
            return
        except _Gone:
            return
        told = False

        async def replay() -> Message:
            nonlocal told
            if told:
                return await receive()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, replay, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        for name, value in scope["headers"]:
            if name == b"content-length" and int(value) > self._most:
                raise self._too_large()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._parts(receive)
        except TimeoutError:
            raise problem(Code.BAD_REQUEST, f"the body did not arrive within {BODY_SECONDS:g} s") from None

    async def _parts(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise _Gone
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._most:
                raise self._too_large()
            if not message.get("more_body", False):
                return b"".join(parts)

    def _too_large(self) -> ProblemRaised:
        return problem(Code.TOO_LARGE, f"a body may have {self._most} bytes at most")


class _Gone(Exception):
    """The client has closed the connection."""


class Queue:
    """Counts the calls under way and refuses what is too much."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0

    def enter(self, calls: int = 1) -> None:
        """Raises ProblemRaised: busy."""
        if self._count + calls > self._most:
            raise problem(Code.BUSY, f"more than {self._most} calls are under way", retry_after=BUSY_SECONDS)
        self._count += calls

    def leave(self, calls: int = 1) -> None:
        self._count -= calls
