"""Whether sites answer and let us log in, asked once for each address before the first episode."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from agentgym_rl.environments.web.browser import BrowserSettings, run
from agentgym_rl.environments.web.browser.loop import owned
from agentgym_rl.environments.web.webarena.accounts import Account
from agentgym_rl.environments.web.webarena.errors import SiteProblem
from agentgym_rl.environments.web.webarena.http import Unreachable, ask
from agentgym_rl.environments.web.webarena.logins import LoginRefused, Logins
from agentgym_rl.environments.web.webarena.resets import health_address
from agentgym_rl.environments.web.webarena.sites import Replica

_SECONDS = 15.0
_AT_ONCE = 4
"""Sites that are logged in to at the same time."""
_answered: set[str] = set()
"""Addresses that answered this process. A site that goes away later is a fault of the episodes that need it."""
_entered: set[tuple[str, str]] = set()
"""Addresses and usernames that were logged in with."""


def problem_of(replica: Replica) -> str | None:
    """Why a site can't be played on: one line with its name, its address and the way out; None where it answers."""
    name, kind = replica.site, replica.kind
    mend = f"correct ${kind.variables[0]} or sites.{name}"
    try:
        text = ask(health_address(replica), seconds=_SECONDS)
    except Unreachable as error:
        if error.status is not None and error.status < 500:
            return f"{name}: {health_address(replica)} answers with {error}, so it is not the {name} site: {mend}"
        return f"{name}: {replica.url} does not answer ({error}): start the site, or {mend}"
    if kind.sign not in text:
        return f"{name}: {replica.url} shows no {kind.sign!r}, so it is not the {name} site: {mend}"
    return None


def problems_of(replicas: Iterable[Replica]) -> list[str | None]:
    """:func:`problem_of` each, asked all at once."""
    asked = list(replicas)
    if not asked:
        return []
    with ThreadPoolExecutor(len(asked)) as threads:
        return list(threads.map(problem_of, asked))


async def login_problem_of(replica: Replica, account: Account, browser: BrowserSettings) -> str | None:
    """Why a site can't be logged in to, as :func:`problem_of`. To be called on the browser's loop.

    Raises:
        EnvironmentFault: the browser does not start.
    """
    logins: Logins = owned("webarena logins", Logins)
    try:
        await logins.state(replica, account, browser)
    except LoginRefused as error:
        return str(error).removeprefix("webarena: ")
    return None


def require(replicas: Iterable[Replica]) -> None:
    """Has those answer that have not answered yet.

    Raises:
        SiteProblem: the first one that does not.
    """
    unknown = [replica for replica in replicas if replica.url not in _answered]
    for replica, problem in zip(unknown, problems_of(unknown), strict=True):
        if problem is not None:
            raise SiteProblem(f"webarena: {problem}")
        _answered.add(replica.url)


def require_logins(replicas: Iterable[Replica], accounts: Mapping[str, Account], browser: BrowserSettings) -> None:
    """Logs in to those that have a login and that nobody logged in to yet.

    Raises:
        SiteProblem: the first one that refuses.
        EnvironmentFault: the browser does not start, or a site stopped answering.
    """
    limit = asyncio.Semaphore(_AT_ONCE)

    async def problem(replica: Replica) -> str | None:
        async with limit:
            return await login_problem_of(replica, accounts[replica.site], browser)

    async def every() -> list[str | None]:
        return await asyncio.gather(*map(problem, unknown))

    unknown = [one for one in replicas if one.site in accounts and (one.url, accounts[one.site].username) not in _entered]
    if not unknown:
        return
    for replica, found in zip(unknown, run(every()), strict=True):
        if found is not None:
            raise SiteProblem(f"webarena: {found}")
        _entered.add((replica.url, accounts[replica.site].username))
