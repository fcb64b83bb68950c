"""One tab: its page, the isolated world in it, what it is loading and what it asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from agentgym_rl.environments.errors import DeadlinePassed
from agentgym_rl.environments.web.browser.inner import Reader
from agentgym_rl.environments.web.browser.world import DocumentGone, IsolatedWorld

_AWAITED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
"""Kinds of requests whose answers may change what is observed. Pictures, fonts, media and streams are not waited for."""
_STILL_MS = 34
"""A page is quiet when nothing in it changed for so long: two frames."""
_RESTLESS_MS = 1000
"""A page that never stops changing is observed after so long."""
_ANSWER_SECONDS = 8.0
"""How long a page may be busy with its own scripts when it is read."""
_LATE_TURNS = 3
"""How often a page may go to another address after its time before it is stopped."""
_MOST_DOCUMENTS = 5
"""How many addresses a page may have gone to when its time is over and it is still not quiet."""
_STOP_TRIES = 5
_TOLD_DIALOGS = 3
DIALOG_LIMIT = 20
"""A page that asks more often than that in one turn is closed."""


class Tab:
    """Follows a Playwright page by its events.

    ``note`` is told what the agent should know of, ``opening`` that the page opens a window, ``strayed`` of an address that a
    redirect led to and that did not load.
    """

    def __init__(
        self, page: Any, note: Callable[[str], None], opening: Callable[[], None], strayed: Callable[[str], None]
    ) -> None:
        self.page = page
        self.dialogs = 0
        self.crashed = False
        self._note = note
        self._pending: set[Any] = set()
        self._documents = 0
        self._changed = asyncio.Event()
        self._opening = opening
        self._strayed = strayed
        self._asleep = False
        self._fresh = True
        self._world: IsolatedWorld | None = None
        self._reader: Reader
        self.protocol: Any = None
        page.on("request", self._begun)
        page.on("requestfinished", self._done)
        page.on("requestfailed", self._failed)
        page.on("framenavigated", self._navigated)
        page.on("dialog", self._dialog)
        page.on("download", self._download)
        page.on("filechooser", lambda _: note("A file chooser was dismissed: files can't be uploaded."))
        page.on("crash", self._crash)
        page.on("close", lambda _: self._changed.set())

    async def read(self, function: str, options: dict[str, Any]) -> Any:
        """What ``observe`` or ``observeWhenQuiet`` of ``page.js`` returns. Raises: as :meth:`call`."""
        return await self._answer(lambda reader: reader.read(function, options))

    async def call(self, function: str, id: int, *arguments: Any) -> Any:
        """Calls a function of ``page.js`` about the element of that number.

        Raises: DocumentGone; EnvironmentFault; DeadlinePassed: the page hangs.
        """
        return await self._answer(lambda reader: reader.call(function, id, *arguments))

    async def _answer(self, call: Callable[[Reader], Awaitable[Any]]) -> Any:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return await call(await self._isolated())
        except TimeoutError:
            if self._navigating:  # a page that is being left answers no more
                raise DocumentGone from None
            raise DeadlinePassed(
                f"the page {self.page.url[:200]} did not answer for {_ANSWER_SECONDS:g} s: it hangs"
            ) from None

    async def observe(self, options: dict[str, Any], seconds: float, load_seconds: float) -> Any:
        """What ``page.js`` sees once the page is quiet: no navigation, no request under way that matters, no change for two
        frames. After ``seconds`` it is observed as it is; one that goes on navigating is stopped, its scripts included. A site
        that has not answered after ``load_seconds`` is not waited for.
        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        deadline = begun + seconds
        late = 0
        documents = self._documents
        if self._fresh:
            self._fresh = False
            await self._loaded(deadline)
        while True:
            await self._network_quiet(deadline)
            if self._navigating:
                await self._answered(begun + load_seconds, load_seconds)
            left = deadline - loop.time()
            asked = {**options, "still": _STILL_MS if left > 0 else 0, "most": min(_RESTLESS_MS, max(0.0, left) * 1000)}
            try:
                seen = await self.read("observeWhenQuiet", asked)
            except DocumentGone:
                late += loop.time() >= deadline
                if late > _LATE_TURNS or (late and not self._navigating):
                    return await self._stopped(options)
                if not self._navigating:
                    await self._loaded(deadline)
                continue
            if not self._pending and asked["still"]:
                return seen
            if loop.time() >= deadline:
                if self._documents - documents > _MOST_DOCUMENTS:
                    return await self._stopped(options)
                if self._pending:
                    self._note("The page is still loading.")
                return seen

    async def wake(self) -> None:
        """Lets the scripts of a page that was stopped run again."""
        if self._asleep:
            self._asleep = False
            await self.protocol.send("Emulation.setScriptExecutionDisabled", {"value": False})

    async def _stopped(self, options: dict[str, Any]) -> Any:
        self._note("The page went from one address to the next without end; it was stopped, and its scripts with it.")
        self._asleep = True
        await self.protocol.send("Emulation.setScriptExecutionDisabled", {"value": True})
        await self._stop_loading()
        for attempt in range(_STOP_TRIES):
            try:
                return await self.read("observeWhenQuiet", {**options, "still": 0, "most": 0})
            except DocumentGone:
                if attempt == _STOP_TRIES - 1:
                    raise
                await self._loaded(0.0)
        raise AssertionError

    async def _stop_loading(self) -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the document came at last, or the page is between two
            await self.protocol.send("Page.stopLoading")

    async def _loaded(self, deadline: float) -> None:
        """Waits until the new document is there, at most until ``deadline`` (the loop's time) and a little more."""
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        left = max(0.2, deadline - asyncio.get_running_loop().time())
        with suppress(PlaywrightTimeout):
            await self.page.wait_for_load_state("domcontentloaded", timeout=left * 1000)

    @property
    def _navigating(self) -> bool:
        """Whether another document was asked for and did not come yet. Until then the browser does not answer for the old one."""
        return any(map(_asks_for_document, self._pending))

    async def _answered(self, deadline: float, seconds: float) -> None:
        """Waits for the document asked for; past the deadline it is given up."""
        await self._until(lambda: not self._navigating, deadline)
        if self._navigating:
            self._note(f"The site did not answer within {seconds:g} s.")
            self._pending.clear()
            await self._stop_loading()

    async def _network_quiet(self, deadline: float) -> None:
        await self._until(lambda: not self._pending, deadline)

    async def _until(self, holds: Callable[[], bool], deadline: float) -> None:
        """Waits for events until something holds, the page closes, or the deadline passes."""
        while not holds() and not self.page.is_closed():
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return
            self._changed.clear()
            try:
                async with asyncio.timeout(left):
                    await self._changed.wait()
            except TimeoutError:
                return

    async def _isolated(self) -> Reader:
        if self._world is None:
            self.protocol = await self.page.context.new_cdp_session(self.page)
            self.protocol.on("Page.windowOpen", lambda _: self._opening())
            self._world = IsolatedWorld(self.protocol)
            self._reader = Reader(self._world)
            await self._world.start()
        if len(self.page.frames) > 1:
            await self._world.keep_trees()
        return self._reader

    def _begun(self, request: Any) -> None:
        if request.resource_type in _AWAITED:
            self._pending.add(request)
            self._documents += _asks_for_document(request)

    def _done(self, request: Any) -> None:
        self._pending.discard(request)
        self._changed.set()

    def _failed(self, request: Any) -> None:
        if request.redirected_from is not None:
            self._strayed(request.url)
        self._done(request)

    def _navigated(self, frame: Any) -> None:
        if frame == self.page.main_frame:
            # What the old document had asked for is no longer awaited.
            self._pending = {request for request in self._pending if request.is_navigation_request()}
            self._changed.set()

    async def _dialog(self, dialog: Any) -> None:
        from playwright.async_api import Error

        self.dialogs += 1
        try:
            if self.dialogs == DIALOG_LIMIT + 1:
                self._note(f"The page opened more than {DIALOG_LIMIT} dialogs at once, so its tab was closed.")
                await asyncio.gather(self.page.close(), dialog.dismiss())
                return
            if self.dialogs > DIALOG_LIMIT:
                await dialog.dismiss()
                return
            await dialog.accept()
        except Error:
            return  # the page went away with its dialog
        if dialog.type != "beforeunload" and self.dialogs <= _TOLD_DIALOGS:
            self._note(f"The page said in a dialog ({dialog.type}, accepted): {dialog.message[:300]!r}")

    async def _download(self, download: Any) -> None:
        self._note(f"A download was refused: {download.suggested_filename!r}.")

    def _crash(self, _page: Any) -> None:
        self.crashed = True
        self._changed.set()


def _asks_for_document(request: Any) -> bool:
    return bool(request.is_navigation_request() and request.frame.parent_frame is None)
