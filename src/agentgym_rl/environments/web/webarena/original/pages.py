"""``program_html``: what pages hold after the episode, in the session that the agent used.

The expressions come from the task file and run inside the page; nothing that a model or a page wrote is ever run.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.addresses import Addresses
from agentgym_rl.environments.web.webarena.original.answers import exact_match, must_include
from agentgym_rl.environments.web.webarena.original.functions import LAST, Call, Script, read_locator, read_page_address
from agentgym_rl.environments.web.webarena.original.shop import Shop
from agentgym_rl.environments.web.webarena.original.urls import post_address
from agentgym_rl.environments.web.webarena.task_file import Contents, PageCheck

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

_LOAD_SECONDS = 30.0
_QUIET_SECONDS = 5.0
"""How long a page may go on fetching after it was loaded before it is read all the same."""
_SCRIPT_SECONDS = 10.0

_MEMBER_ROLE = """account => {
  const names = [...document.querySelectorAll("td[data-label='Account'] span.gl-avatar-labeled-sublabel")];
  const place = names.findIndex(name => name.outerText === '@' + account);
  const roles = document.querySelectorAll('td.col-max-role span');
  return place < 0 || !roles[place] ? '' : roles[place].outerText;
}"""
"""GitLab's page of a project's members: the role of one."""


class PageReader:
    """Opens pages beside the agent's own and reads them.

    Raises (each method):
        EnvironmentFault: a page does not load or a script does not end in time.
    """

    def __init__(self, context: BrowserContext, last: Page, addresses: Addresses, shop: Shop | None) -> None:
        """``last`` is the page that the episode ended on; ``shop`` answers for the shopping site, where it is played on."""
        self._context = context
        self._last = last
        self._addresses = addresses
        self._shop = shop

    async def program_html(self, checks: Sequence[PageCheck]) -> float:
        """1 when every page holds what its check asks for, else 0."""
        for check in checks:
            if not fits(check.required_contents, await self._read(check)):
                return 0.0
        return 1.0

    async def _read(self, check: PageCheck) -> str:
        locator = read_locator(check.locator)
        if isinstance(locator, Call) and locator.name.startswith("shopping_"):
            return await asyncio.to_thread(self._asked(locator.name).read, locator)
        address = await self._address(check.url)
        if address is None:
            return await self._content(self._last, locator, check.prep_actions)
        page = await self._context.new_page()
        try:
            await _open(page, address)
            return await self._content(page, locator, check.prep_actions)
        finally:
            with suppress(Exception):
                await page.close()

    async def _address(self, text: str) -> str | None:
        """Where to look; None for the page that the episode ended on."""
        meant = read_page_address(text)
        if meant == LAST:
            return None
        if isinstance(meant, str):
            return self._addresses.filled(meant)
        if meant.name == "reddit_get_post_url":
            address = meant.arguments[0].replace("__last_url__", self._last.url)
            return post_address(address, self._addresses.real["reddit"])
        return await asyncio.to_thread(self._asked(meant.name).latest_order_address)

    def _asked(self, what: str) -> Shop:
        if self._shop is None:
            raise EnvironmentFault(f"webarena: {what} needs the shopping site, on which this task does not play")
        return self._shop

    async def _content(self, page: Page, locator: Script | Call | None, preparations: Sequence[str]) -> str:
        if locator is None:
            return str(await _within(_SCRIPT_SECONDS, page.content(), page.url))
        if isinstance(locator, Call):
            return str(await _evaluate(page, _MEMBER_ROLE, locator.arguments[1]))
        for preparation in preparations:
            await _evaluate(page, f"() => {{ {preparation} }}")
        found = await _evaluate(page, f"() => {locator.text}")
        return "" if found is None else str(found)


def fits(required: Contents, text: str) -> bool:
    """Whether a text that was read from a page is, or has, what is required."""
    text = html.unescape(text)
    if required.exact_match is not None:
        return exact_match(required.exact_match, text)
    return all(must_include(one, text) for one in required.must_include or ())


async def _open(page: Page, address: str) -> None:
    from playwright.async_api import Error

    try:
        answer = await page.goto(address, timeout=_LOAD_SECONDS * 1000)
        with suppress(Error):  # it never gets quiet: what there is, is read
            await page.wait_for_load_state("networkidle", timeout=_QUIET_SECONDS * 1000)
    except Error as error:
        raise EnvironmentFault(
            f"webarena: {address} does not load for the evaluation: {error.message.splitlines()[0]}"
        ) from error
    if answer is not None and answer.status >= 500:
        raise EnvironmentFault(f"webarena: {address} answers the evaluation with status {answer.status}")


async def _evaluate(page: Page, script: str, argument: Any = None) -> Any:
    """What a fixed script gives; the empty text where the page lacks what it looks for."""
    from playwright.async_api import Error

    try:
        return await _within(_SCRIPT_SECONDS, page.evaluate(script, argument), page.url)
    except Error as error:
        if page.is_closed() or "crash" in error.message.lower():
            raise EnvironmentFault(f"webarena: the page {page.url} is gone before its evaluation") from error
        return ""


async def _within(seconds: float, waited: Any, what: str) -> Any:
    try:
        return await asyncio.wait_for(waited, seconds)
    except TimeoutError as error:
        raise EnvironmentFault(f"webarena: reading {what} for the evaluation takes more than {seconds:g} s") from error
