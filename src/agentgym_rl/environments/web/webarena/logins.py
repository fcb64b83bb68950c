"""Logs in to sites and keeps what that gives: cookies that every episode's browser context begins with.

Logging in happens in a context of its own, which no episode sees and nothing records. The state is kept in memory only; it is made
again before it expires, when the site no longer takes it (an agent may have signed out), and after a reset.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser import BrowserSettings, session
from agentgym_rl.environments.web.webarena.accounts import Account
from agentgym_rl.environments.web.webarena.addresses import host_of
from agentgym_rl.environments.web.webarena.sites import Replica

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

MARGIN_SECONDS = 600.0
"""A state is made again when a cookie of it has no longer to live than that ..."""
LEAST_SECONDS = 60.0
"""... but not before it is so old: some sites set cookies for a minute."""
_FORM_SECONDS = 20.0
_FIELD = "input:not([type=hidden]):not([type=password]):not([type=checkbox]):not([type=submit])"
_ADMIN_FORM = 'name="login[password]"'


class LoginRefused(EnvironmentFault):
    """A site shows no login form, or does not take the account. Names the site, its address and the way out."""


@dataclass(frozen=True, slots=True)
class Steps:
    """How one kind of site is logged in to: fill the form with a password on ``form``, then ``inside`` shows no login page."""

    form: str
    inside: str
    """A page for those who are logged in only; ``{username}`` in it is filled in."""


_STEPS = {
    "shopping": Steps("/customer/account/login/", "/customer/account/"),
    "shopping_admin": Steps("/", "/dashboard"),
    "reddit": Steps("/login", "/user/{username}/account"),
    "gitlab": Steps("/users/sign_in", "/-/profile"),
}


@dataclass(frozen=True, slots=True)
class Login:
    """What a context needs to be logged in."""

    state: Mapping[str, Any]
    """Playwright's ``storage_state``."""
    made: float
    renew: float
    """Both by the clock that was given."""


class Logins:
    """The logins of this process. All methods run on the browser's loop."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._logins: dict[tuple[str, str], Login] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def state(self, replica: Replica, account: Account, browser: BrowserSettings) -> Mapping[str, Any]:
        """A state that is not about to expire: the one there is, or that of a new login; empty for a site without login.

        Raises:
            LoginRefused: there is no login form, or the account is refused. Never has the password.
            EnvironmentFault: the site does not answer.
        """
        if replica.site not in _STEPS:
            return {}
        async with self._locks.setdefault(replica.url, asyncio.Lock()):
            key = (replica.url, account.username)
            found = self._logins.get(key)
            if found is not None and self._clock() < found.renew:
                return found.state
            async with session(replace(browser, hosts=(host_of(replica.url),), image=False)) as opened:
                await _fill(opened.page, replica, account)
                if not await accepts(opened.context, replica, account):
                    raise LoginRefused(_refused(replica, account))
                state: Mapping[str, Any] = await opened.context.storage_state()
            made = self._clock()
            self._logins[key] = Login(state, made, _renewal(state, made))
            return state

    def forget(self, replica: Replica) -> None:
        """The site no longer takes what was kept: it was reset, or somebody signed out."""
        for key in [key for key in self._logins if key[0] == replica.url]:
            del self._logins[key]


def merged(states: list[Mapping[str, Any]]) -> dict[str, Any]:
    """One state of several sites' states."""
    return {part: [one for state in states for one in state.get(part, ())] for part in ("cookies", "origins")}


async def accepts(context: BrowserContext, replica: Replica, account: Account) -> bool:
    """Whether the site takes the context as logged in, asked without opening a page. Raises EnvironmentFault: no answer."""
    from playwright.async_api import Error

    if replica.site not in _STEPS:
        return True
    address = replica.url + _STEPS[replica.site].inside.format(username=account.username)
    try:
        answer = await context.request.get(address, timeout=_FORM_SECONDS * 1000)
        text = await answer.text()
    except Error as error:
        raise EnvironmentFault(
            f"webarena: {replica.site} at {replica.url} does not answer: {error.message.splitlines()[0]}"
        ) from None
    path = answer.url.removeprefix(replica.url)
    return answer.status < 400 and "login" not in path and "sign_in" not in path and _ADMIN_FORM not in text


async def _fill(page: Page, replica: Replica, account: Account) -> None:
    from playwright.async_api import Error

    address = replica.url + _STEPS[replica.site].form
    milliseconds = _FORM_SECONDS * 1000
    try:
        await page.goto(address, timeout=milliseconds)
        password = page.locator("form input[type=password]:visible").first
        await password.wait_for(timeout=milliseconds)
        form = page.locator("form").filter(has=page.locator("input[type=password]:visible")).first
        await form.locator(_FIELD).locator("visible=true").first.fill(account.username, timeout=milliseconds)
        await password.fill(account.password, timeout=milliseconds)
        async with page.expect_navigation(wait_until="domcontentloaded", timeout=milliseconds):
            await password.press("Enter")
    except Error:  # its text would have what was typed
        raise LoginRefused(
            f"webarena: {replica.site} at {replica.url}: no login form works at {address}: is this the {replica.site} site? "
            "Check with: agentgym-rl doctor web"
        ) from None


def _refused(replica: Replica, account: Account) -> str:
    name = replica.site.upper()
    return (
        f"webarena: {replica.site} at {replica.url} refuses the login of {account.username!r}: set ${name}_USERNAME and "
        f"${name}_PASSWORD, or the accounts file"
    )


def _renewal(state: Mapping[str, Any], made: float) -> float:
    """When a state has to be made again: before its first cookie expires."""
    ends = [cookie["expires"] for cookie in state["cookies"] if cookie.get("expires", -1) > 0]
    return max(made + LEAST_SECONDS, min(ends, default=made + 2 * MARGIN_SECONDS) - MARGIN_SECONDS)
