"""Sessions, and the browsers they are contexts of: one browser a set of hosts, replaced when it is worn, frozen or gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser.chromium import Chromium
from agentgym_rl.environments.web.browser.find import find_chromium
from agentgym_rl.environments.web.browser.hosts import check_hosts, elsewhere
from agentgym_rl.environments.web.browser.loop import at_end, owned
from agentgym_rl.environments.web.browser.session import Session
from agentgym_rl.environments.web.browser.settings import BrowserSettings

RECYCLED_AFTER = 500
"""Sessions of one browser; the next one gets a fresh browser, and the old one is closed with its last session."""


class Pool:
    """The browsers of one event loop."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._browsers: dict[tuple[str, tuple[str, ...]], Chromium] = {}
        self._playwright: Any = None
        at_end(self.close)

    async def open(self, settings: BrowserSettings) -> PooledSession:
        """A session on a healthy browser. Raises: NoBrowser; ValueError: a host; EnvironmentFault: no browser would start."""
        hosts = settings.browser_hosts or settings.hosts
        check_hosts((*settings.hosts, *hosts))
        executable = str(find_chromium(settings.executable))
        for attempt in (0, 1):
            browser = await self._browser(executable, hosts)
            try:
                return await _open_on(browser, settings)
            except EnvironmentFault:
                await browser.kill()
                if attempt:
                    raise
        raise AssertionError

    async def close(self) -> None:
        """Closes every browser and the driver."""
        browsers, self._browsers = list(self._browsers.values()), {}
        for browser in browsers:
            await browser.close()
        playwright, self._playwright = self._playwright, None
        if playwright is not None:
            with suppress(Exception):
                await playwright.stop()

    async def _browser(self, executable: str, hosts: tuple[str, ...]) -> Chromium:
        key = (executable, hosts)
        async with self._lock:
            found = self._browsers.get(key)
            if found is not None and found.healthy and found.opened < RECYCLED_AFTER:
                return found
            if found is not None:
                await found.retire()
            if self._playwright is None:
                from playwright.async_api import async_playwright

                self._playwright = await async_playwright().start()
            self._browsers[key] = await Chromium.launch(self._playwright, executable, hosts)
            return self._browsers[key]


class PooledSession(Session):
    """A session that tells its browser when it ends, and has it looked at when something went wrong."""

    def __init__(self, context: Any, settings: BrowserSettings, browser: Chromium) -> None:
        super().__init__(context, settings)
        self._browser = browser
        self._over = False

    async def close(self) -> None:
        if self._over:
            return
        self._over = True
        await super().close()
        await self._browser.released()


async def open_session(settings: BrowserSettings) -> Session:
    """A session with one empty tab; close it when done. To be called on the browser's loop (:func:`run`, :func:`on_browser_loop`).

    Raises:
        NoBrowser: there is no browser; the message names the ways out.
        ValueError: a host that is none.
        EnvironmentFault: the browser does not start.
    """
    pool: Pool = owned("pool", Pool)
    return await pool.open(settings)


@asynccontextmanager
async def session(settings: BrowserSettings) -> AsyncIterator[Session]:
    """``async with session(settings) as opened``. Raises: as :func:`open_session`."""
    opened = await open_session(settings)
    try:
        yield opened
    finally:
        await opened.close()


async def _open_on(browser: Chromium, settings: BrowserSettings) -> PooledSession:
    context = await browser.context(settings)
    opened = PooledSession(context, settings, browser)
    try:
        await opened.bounded(_prepare(opened), 10.0)
    except BaseException:
        await opened.close()
        raise
    return opened


async def _prepare(opened: Session) -> None:
    context, settings = opened.context, opened.settings
    blocked = elsewhere(settings.hosts)

    async def refuse(route: Any) -> None:
        opened.refuse(route.request.url)
        with suppress(Exception):  # the page went away meanwhile
            await route.abort("blockedbyclient")

    async def refuse_socket(socket: Any) -> None:
        opened.refuse(socket.url)
        await socket.close()

    await asyncio.gather(context.route(blocked, refuse), context.route_web_socket(blocked, refuse_socket))
    if settings.script:
        await context.add_init_script(settings.script)
    context.on("page", opened.opened)
    await opened.new_tab()
