"""The isolated JavaScript world in which a page is read and measured: page scripts neither see it nor change it."""

from __future__ import annotations

import asyncio
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
    """Calls the functions of ``page.js`` in a page's main frame.

    The browser runs ``page.js`` at the beginning of every document, which so sees what changes while the document loads.
    """

    def __init__(self, protocol: Any) -> None:
        """``protocol``: Playwright's CDP session of the page."""
        self._protocol = protocol
        self._frame: str | None = None
        self._context: asyncio.Task[int] | None = None
        self._treed = False
        self._kept: set[tuple[str, str]] = set()
        protocol.on("Page.frameNavigated", self._navigated)

    async def start(self) -> None:
        """To be called once, before every other method."""
        script = {
            "source": f"if (window.parent === window) {{\n{_source()}\n}}",
            "worldName": WORLD_NAME,
            "runImmediately": True,
        }
        await asyncio.gather(
            self._protocol.send("Page.enable"),
            self._protocol.send("Accessibility.enable"),
            self._protocol.send("Page.addScriptToEvaluateOnNewDocument", script),
        )

    async def call(self, function: str, *arguments: Any, context: int | None = None) -> Any:
        """What a function of ``page.js`` returns; ``context``: of a frame's world instead, which :meth:`enter` told.

        Raises: DocumentGone; EnvironmentFault: it threw.
        """
        call = f"agent.{function}({', '.join(json.dumps(argument) for argument in arguments)})"
        if context is not None:
            return _value(await self._evaluate(call, context), function)
        found = self._present()
        try:
            world = await asyncio.shield(found)
            # The tree is not waited for: the browser keeps the order, and a page that has to be still is so meanwhile.
            _, answer = await asyncio.gather(self._keep_main_tree(), self._evaluate(call, world))
        except DocumentGone:
            if self._context is found:
                self._context = None
            raise
        return _value(answer, function)

    async def enter(self, number: int, context: int | None) -> int | None:
        """The world of the frame that is element ``number`` of the page, or of the frame whose world ``context`` is; None: it is
        in another process. Raises: DocumentGone.
        """
        if context is None:
            context = await asyncio.shield(self._present())
        by_reference = {"expression": f"agent.node({number})", "contextId": context, "objectGroup": WORLD_NAME}
        element = (await self._send("Runtime.evaluate", by_reference))["result"].get("objectId")
        if element is None:
            raise DocumentGone
        frame = (await self._send("DOM.describeNode", {"objectId": element}))["node"].get("frameId")
        await self._send("Runtime.releaseObjectGroup", {"objectGroup": WORLD_NAME})
        return None if frame is None else await self._find(frame)

    async def keep_trees(self) -> None:
        """Has Chromium keep the accessibility tree of every document in the page: else it builds it anew for every single role
        and name that is asked for, a thousand times slower.
        """
        tree = await self._protocol.send("Page.getFrameTree")
        found = set(_documents(tree["frameTree"]))
        await asyncio.gather(*(self._keep_tree(frame) for frame, _ in found - self._kept))
        self._kept = found

    async def _keep_main_tree(self) -> None:
        """Of the main frame, once for each of its documents: not when it begins, for then it would delay its reading."""
        if not self._treed and self._frame is not None:
            self._treed = True
            await self._keep_tree(self._frame)

    async def _keep_tree(self, frame: str) -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the frame went away meanwhile
            await self._protocol.send("Accessibility.getRootAXNode", {"frameId": frame})

    def _navigated(self, event: Any) -> None:
        frame = event["frame"]
        if "parentId" not in frame:
            self._frame, self._treed = frame["id"], False
            self._context = asyncio.ensure_future(self._find(None))
            self._context.add_done_callback(_retrieve)

    def _present(self) -> asyncio.Task[int]:
        """Finds the world in the present document of the main frame, if it is not found yet."""
        self._context = self._context or asyncio.ensure_future(self._find(None))
        return self._context

    async def _find(self, frame: str | None) -> int:
        """The id of the world in the present document of a frame; None: the main one."""
        if frame is None and self._frame is None:
            self._frame = (await self._protocol.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        of = {"frameId": frame or self._frame, "worldName": WORLD_NAME}
        context: int = (await self._send("Page.createIsolatedWorld", of))["executionContextId"]
        return context

    async def _evaluate(self, expression: str, context: int) -> Any:
        """Runs ``page.js`` first where the browser did not: in frames, and where a page's scripts are switched off."""
        parameters = {"contextId": context, "returnByValue": True, "awaitPromise": True}
        answer = await self._send("Runtime.evaluate", {**parameters, "expression": expression})
        if "agent is not defined" in answer.get("exceptionDetails", {}).get("exception", {}).get("description", ""):
            await self._send("Runtime.evaluate", {**parameters, "expression": _source()})
            answer = await self._send("Runtime.evaluate", {**parameters, "expression": expression})
        return answer

    async def _send(self, command: str, parameters: dict[str, Any]) -> Any:
        """Raises: DocumentGone."""
        from playwright.async_api import Error

        try:
            return await self._protocol.send(command, parameters)
        except Error as error:
            if any(sign in error.message for sign in _GONE):
                raise DocumentGone from error
            raise


def _value(answer: dict[str, Any], function: str) -> Any:
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        raise EnvironmentFault(f"page.js: {function}: {details.get('exception', {}).get('description', details['text'])}")
    return answer["result"].get("value")


def _documents(tree: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield tree["frame"]["id"], tree["frame"]["loaderId"]
    for child in tree.get("childFrames", ()):
        yield from _documents(child)


def _retrieve(done: asyncio.Future[Any]) -> None:
    """What went wrong in the background: whoever calls next meets it too."""
    if not done.cancelled():
        done.exception()


_GONE = (
    "Cannot find context",
    "context was destroyed",
    "Inspected target navigated",
    "uniqueContextId not found",
    "No frame for given id found",
    "Could not find object with given id",
)


@cache
def _source() -> str:
    return (files(__package__) / "page.js").read_text("utf-8")
