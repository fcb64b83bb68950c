"""The isolated JavaScript world in which a page is read and measured: page scripts neither see it nor change it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

from agentgym_rl.environments.errors import EnvironmentFault

WORLD_NAME = "agentgym_rl"


class DocumentGone(Exception):
    """The document went away while it was being read: the page navigated."""


class IsolatedWorld:
    """Calls the functions of ``page.js`` in a page's main frame. Made again for each document."""

    def __init__(self, protocol: Any) -> None:
        """``protocol``: Playwright's CDP session of the page."""
        self._protocol = protocol
        self._frame: str | None = None
        self._context: int | None = None
        self._kept: set[tuple[str, str]] = set()

    async def call(self, function: str, *arguments: Any) -> Any:
        """What a function of ``page.js`` returns. Raises: DocumentGone; EnvironmentFault: it threw."""
        if self._context is None:
            await self._open()
        call = f"agent.{function}({', '.join(json.dumps(argument) for argument in arguments)})"
        answer = await self._evaluate(call)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise EnvironmentFault(
                f"page.js: {function}: {details.get('exception', {}).get('description', details['text'])}"
            )
        return answer["result"].get("value")

    def forget(self) -> None:
        """The document is another one now."""
        self._context = None

    async def keep_trees(self) -> None:
        """Has Chromium keep the accessibility tree of every document in the page: else it builds it anew for every single role
        and name that is asked for, a thousand times slower.
        """
        from playwright.async_api import Error

        tree = await self._protocol.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        found = set(_documents(tree["frameTree"]))
        for frame, _ in found - self._kept:
            with suppress(Error):  # the frame went away meanwhile
                await self._protocol.send("Accessibility.getRootAXNode", {"frameId": frame})
        self._kept = found

    async def _open(self) -> None:
        await self.keep_trees()
        made = await self._protocol.send("Page.createIsolatedWorld", {"frameId": self._frame, "worldName": WORLD_NAME})
        self._context = made["executionContextId"]
        await self._evaluate(_source())

    async def _evaluate(self, expression: str) -> Any:
        from playwright.async_api import Error

        parameters = {"expression": expression, "contextId": self._context, "returnByValue": True, "awaitPromise": True}
        try:
            return await self._protocol.send("Runtime.evaluate", parameters)
        except Error as error:
            if any(sign in error.message for sign in _GONE):
                self._context = None
                raise DocumentGone from error
            raise


def _documents(tree: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield tree["frame"]["id"], tree["frame"]["loaderId"]
    for child in tree.get("childFrames", ()):
        yield from _documents(child)


_GONE = ("Cannot find context", "context was destroyed", "Inspected target navigated", "uniqueContextId not found")


@cache
def _source() -> str:
    return (files(__package__) / "page.js").read_text("utf-8")
