"""One episode in the browser: a context of its own, its tabs, actions in and views out."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.web.browser.act import Actions
from agentgym_rl.environments.web.browser.grammar import GRAMMAR, read_command
from agentgym_rl.environments.web.browser.hosts import is_allowed
from agentgym_rl.environments.web.browser.look import look
from agentgym_rl.environments.web.browser.settings import BrowserSettings
from agentgym_rl.environments.web.browser.tab import Tab
from agentgym_rl.environments.web.browser.tree import elements_of
from agentgym_rl.environments.web.browser.view import Element, View
from agentgym_rl.environments.web.browser.world import DocumentGone

Result = TypeVar("Result")
TAB_LIMIT = 10
_BACKSTOP_SECONDS = 15.0
"""No turn takes so long beyond its own deadlines."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action led to."""

    view: View
    understood: bool
    """The action was read. One that had no effect is understood; ``notes`` say why it had none."""
    notes: tuple[str, ...] = ()
    """What happened beside the view, as shown in its text: a problem with the element, a dialog, a blocked request …"""
    answer: str | None = None
    """The text of ``stop [text]``; None for every other action."""
    settled: Any = None
    """What ``settings.settle`` returned; None also where the page went away meanwhile."""


class Session:
    """Opened by :func:`agentgym_rl.environments.web.browser.open_session`. All methods run on the browser's loop.

    Raises (every method):
        EnvironmentFault: the browser is gone, a tab crashed, or it did not answer by the deadline. The session is done for.
    """

    def __init__(self, context: Any, settings: BrowserSettings) -> None:
        """``context``: a fresh context of Playwright's, of which the session is the only user."""
        self.context = context
        """Playwright's ``BrowserContext``: for cookies, listening to requests, pages of an evaluator's own."""
        self.settings = settings
        self.view: View | None = None
        """The last view: its numbers are the ones that actions use."""
        self.blocked: list[str] = []
        """Addresses that were not allowed, in order."""
        self._tabs: list[Tab] = []
        self._notes: list[str] = []
        self._current = 0
        self._expected = False
        self._awaited = 0
        self._came = asyncio.Event()
        self._actions = Actions(self)

    @property
    def page(self) -> Any:
        """Playwright's page of the focused tab."""
        return self.tab.page

    @property
    def url(self) -> str:
        return str(self.page.url)

    @property
    def tab(self) -> Tab:
        return self._tabs[self._current]

    @property
    def tabs(self) -> list[Tab]:
        return self._tabs

    @property
    def current(self) -> int:
        """The number of the focused tab."""
        return self._current

    async def goto(self, url: str) -> None:
        """Loads an address, the world's or the agent's.

        Raises:
            EnvironmentFault: also when there is no answer.
        """
        if problem := await self.bounded(self._actions.goto(url), self.settings.load_seconds + 5):
            raise EnvironmentFault(problem)

    async def observe(self) -> View:
        """The page once it is quiet."""
        return await self.bounded(self._look(), self.settings.action_seconds + self.settings.load_seconds)

    async def act(self, action: str) -> Outcome:
        """Takes one action and observes. Never raises for what the action or the page does."""
        command = read_command(action)
        if command is None:
            self.note(f"This is no action. Actions: {GRAMMAR}.")
            return Outcome(await self.observe(), understood=False, notes=(self._noted[0],))
        if command.verb == "stop":
            return Outcome(self.view or await self.observe(), understood=True, answer=command.text)
        for tab in self._tabs:
            tab.dialogs = 0
        loads = command.verb in ("goto", "go_back", "go_forward")
        least = self.settings.load_seconds + 1 if loads else self.settings.action_seconds

        async def turn() -> tuple[View, Any]:
            try:
                async with asyncio.timeout(least):
                    if problem := await self._actions.take(command):
                        self.note(problem)
            except TimeoutError:
                self.note(f"{command.verb} had not ended after {least:g} s.")
            settled = await self._settle() if self.settings.settle and self._tabs else None
            return await self._look(), settled

        view, settled = await self.bounded(turn(), least + self.settings.action_seconds + _BACKSTOP_SECONDS)
        return Outcome(view, understood=True, notes=self._noted, settled=settled)

    async def evaluate(self, script: str) -> Any:
        """What JavaScript of the world's returns in the focused page, among the page's own scripts (JSON values)."""
        return await self.bounded(self.page.evaluate(script), self.settings.load_seconds)

    async def close(self) -> None:
        """Closes the context, and with it every page. Idempotent; raises nothing."""
        with suppress(Exception):
            async with asyncio.timeout(5.0):
                await self.context.close()

    def note(self, text: str) -> None:
        """Has the next view say this."""
        if len(self._notes) < 10:
            self._notes.append(text)

    def taken_notes(self) -> tuple[str, ...]:
        """What was noted and not yet shown."""
        notes, self._notes = tuple(self._notes), []
        return notes

    async def peek(self) -> tuple[Element, ...]:
        """The elements as they are now, whole page. Renumbers them. Raises: DocumentGone: the page is being left."""
        options = {"whole": True, "graphics": self.settings.graphics, "hidden": self.settings.hide}
        try:
            seen = await self.tab.read("observe", options)
        except DocumentGone:  # perhaps the one read last, which was left since
            seen = await self.tab.read("observe", options)
        return elements_of(seen["rows"])

    def add(self, page: Any) -> Tab:
        """Makes a page of the context a tab, and the focused one."""
        tab = Tab(page, self.note, self._opening, self._strayed)
        self._tabs.append(tab)
        self._current = len(self._tabs) - 1
        page.on("close", lambda _: self._closed(tab))
        return tab

    async def opened(self, page: Any) -> None:
        """A page opened: by the page before (a pop-up), or as asked by :meth:`new_tab`."""
        if any(tab.page == page for tab in self._tabs) or self._expected:
            return
        self._awaited = max(0, self._awaited - 1)
        self._came.set()
        if len(self._tabs) >= TAB_LIMIT:
            self.note(f"A pop-up was closed: {TAB_LIMIT} tabs are open.")
            with suppress(Exception):
                await page.close()
            return
        self.add(page)
        self.note(f"A new tab {self._current} was opened and has the focus.")

    async def new_tab(self) -> None:
        """Opens an empty tab and focuses it."""
        self._expected = True
        try:
            self.add(await self.context.new_page())
        finally:
            self._expected = False

    async def focus(self, number: int) -> None:
        """Focuses a tab that there is."""
        self._current = number
        await self.page.bring_to_front()

    def refuse(self, url: str) -> None:
        """A request was blocked."""
        self.blocked.append(url)
        self.note(
            f"A request to {url[:200]!r} was blocked: only {', '.join(self.settings.hosts) or 'nothing'} may be reached."
        )

    def _strayed(self, url: str) -> None:
        if not is_allowed(url, self.settings.hosts):
            self.refuse(url)

    async def bounded(self, work: Coroutine[Any, Any, Result], seconds: float) -> Result:
        """The result of ``work``, with what fails beneath as a fault."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError:
            raise DeadlinePassed(f"the browser or the page did not answer for {seconds:g} s") from None
        except DocumentGone:
            raise EnvironmentFault("the page goes from one address to the next without end") from None
        except Error as error:
            raise EnvironmentFault(f"browser: {error.message.splitlines()[0]}") from error

    async def _settle(self) -> Any:
        from playwright.async_api import Error

        try:
            return await self.page.evaluate(self.settings.settle)
        except Error as error:
            if "context was destroyed" in error.message or "not defined" in error.message:
                return None  # the page was left
            raise

    def _opening(self) -> None:
        self._awaited += 1

    async def _pop_ups(self) -> None:
        """Waits for windows that the page is opening: the browser announces each before it is there."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings.action_seconds):
                while self._awaited:
                    self._came.clear()
                    await self._came.wait()
        self._awaited = 0

    async def _look(self) -> View:
        from playwright.async_api import Error

        await self._pop_ups()
        if not self._tabs:
            await self.new_tab()
        if any(tab.crashed for tab in self._tabs):
            raise EnvironmentFault("a page crashed")
        if not (is_allowed(self.url, self.settings.hosts) or self.url.startswith("chrome-error:")):
            self.refuse(self.url)  # an allowed site redirected there
            await self.page.goto("about:blank")
        page = self.page
        notes = self.taken_notes()
        try:
            view, more = await look(self, notes)
        except Error:
            if not page.is_closed():
                raise
            for note in notes:  # the page closed itself while it was looked at
                self.note(note)
            self._closed(next((tab for tab in self._tabs if tab.page == page), None))
            return await self._look()
        self._noted = (*notes, *more)
        self.view = view
        return view

    def _closed(self, tab: Tab | None) -> None:
        if tab in self._tabs:
            place = self._tabs.index(tab)
            self._tabs.remove(tab)
            if self._current >= place and self._current > 0:
                self._current -= 1

    _noted: tuple[str, ...] = ()
