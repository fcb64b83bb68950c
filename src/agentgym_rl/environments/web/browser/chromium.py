"""One browser process."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import Any, Self

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser.hosts import is_allowed, resolver_rules, suspects
from agentgym_rl.environments.web.browser.settings import BrowserSettings

_LAUNCH_SECONDS = 30.0
_CONTEXT_SECONDS = 10.0
_CLOSE_SECONDS = 5.0


class Chromium:
    """A browser, how many sessions it has had and has."""

    def __init__(self, browser: Any, process: int | None) -> None:
        self._browser = browser
        self._process = process
        self._retired = False
        self.opened = 0
        """Sessions it has had."""
        self.open = 0
        """Sessions it has."""

    @classmethod
    async def launch(cls, playwright: Any, executable: str, hosts: tuple[str, ...]) -> Self:
        """Starts one. Raises: EnvironmentFault: it does not start."""
        from playwright.async_api import Error

        arguments = [
            "--enable-blink-features=ComputedAccessibilityInfo",
            f"--host-resolver-rules={resolver_rules(hosts)}",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--disable-features=IsolateOrigins,IsolateSandboxedIframes,site-per-process,Translate,OptimizationHints,MediaRouter",
            "--disable-site-isolation-trials",
            "--disable-dev-shm-usage",
            "--disable-smooth-scrolling",
        ]
        try:
            browser = await playwright.chromium.launch(
                executable_path=executable, args=arguments, timeout=_LAUNCH_SECONDS * 1000, handle_sigint=False
            )
            protocol = await browser.new_browser_cdp_session()
            found = await protocol.send("SystemInfo.getProcessInfo")
            await _guard(protocol, hosts)
        except Error as error:
            raise EnvironmentFault(f"{executable} does not start: {error.message.splitlines()[0]}") from error
        process = next((each["id"] for each in found["processInfo"] if each["type"] == "browser"), None)
        return cls(browser, process)

    @property
    def healthy(self) -> bool:
        """Whether the browser is still there and wanted."""
        return bool(self._browser.is_connected()) and not self._retired

    @property
    def process(self) -> int | None:
        """Id of the browser's main process."""
        return self._process

    async def context(self, settings: BrowserSettings) -> Any:
        """A fresh context. Raises: EnvironmentFault."""
        from playwright.async_api import Error

        self.opened += 1
        self.open += 1
        arguments = {
            "viewport": {"width": settings.width, "height": settings.height},
            "service_workers": "block",
            "accept_downloads": False,
            **settings.context,
        }
        try:
            async with asyncio.timeout(_CONTEXT_SECONDS):
                return await self._browser.new_context(**arguments)
        except TimeoutError:
            self.open -= 1
            raise EnvironmentFault(f"the browser did not answer for {_CONTEXT_SECONDS:g} s") from None
        except Error as error:
            self.open -= 1
            raise EnvironmentFault(f"browser: {error.message.splitlines()[0]}") from error

    async def released(self) -> None:
        """A session ended."""
        self.open -= 1
        if self._retired and self.open <= 0:
            await self.close()

    async def retire(self) -> None:
        """Takes no more sessions; ends with its last one."""
        self._retired = True
        if self.open <= 0 or not self._browser.is_connected():
            await self.close()

    async def kill(self) -> None:
        """Ends it without asking: it does not answer. Its sessions get faults."""
        self._retired = True
        if self._process is not None and self._browser.is_connected():
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
        await self.close()

    async def close(self) -> None:
        """Closes it. Idempotent, bounded in time."""
        self._retired = True
        with suppress(Exception):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._browser.close()


async def _guard(protocol: Any, hosts: tuple[str, ...]) -> None:
    """Stops what goes to another port of the hosts, redirects included: Playwright's routes don't see those, and name rules
    can't tell ports apart.
    """
    from playwright.async_api import Error

    async def decide(paused: Any) -> None:
        asked = {"requestId": paused["requestId"]}
        with suppress(Error):  # the page went away meanwhile
            if is_allowed(paused["request"]["url"], hosts):
                await protocol.send("Fetch.continueRequest", asked)
            else:
                await protocol.send("Fetch.failRequest", {**asked, "errorReason": "BlockedByClient"})

    if patterns := suspects(hosts):
        protocol.on("Fetch.requestPaused", decide)
        await protocol.send("Fetch.enable", {"patterns": [{"urlPattern": pattern} for pattern in patterns]})
