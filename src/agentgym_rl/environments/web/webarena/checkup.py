"""What ``agentgym-rl doctor web`` asks: is there a browser, does each site answer and take its login, which tasks that gives."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.errors import EnvironmentFault, MissingExtra
from agentgym_rl.environments.web.browser import find_chromium, run
from agentgym_rl.environments.web.webarena.accounts import Account, read_accounts
from agentgym_rl.environments.web.webarena.catalog import KINDS
from agentgym_rl.environments.web.webarena.errors import TaskFileError, VerifiedMissing
from agentgym_rl.environments.web.webarena.http import Unreachable, ask
from agentgym_rl.environments.web.webarena.needs import require_playwright
from agentgym_rl.environments.web.webarena.options import Options, read_options
from agentgym_rl.environments.web.webarena.reachable import login_problem_of, problem_of
from agentgym_rl.environments.web.webarena.sites import Replica
from agentgym_rl.environments.web.webarena.verified import package

_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked."""

    name: str
    """``browser``, ``webarena-verified``, ``tasks``, or a site's name."""
    state: str
    """``ok``, ``missing`` (allowed: tasks are left out) or ``failed``."""
    said: str
    """What was found; where it is not ok, with the way out."""


def check(settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Checks one thing after another, each told as soon as it is known.

    Raises:
        ValueError: a setting that is wrong. Names it.
    """
    options = read_options(settings)
    accounts = read_accounts(options.accounts)
    browser = _browser(options)
    yield browser
    yield _package()
    for name, kind in KINDS.items():
        replicas = options.sites.get(name, ())
        if not replicas and kind.category:
            ways = " or ".join(f"${variable}" for variable in kind.variables)
            yield Finding(name, "missing", f"no address: its tasks are left out. Host it and set {ways}, or sites.{name}")
        for replica in replicas:
            yield _site(replica, accounts, options, browser.state == "ok")
    yield _tasks(options)


def _browser(options: Options) -> Finding:
    try:
        require_playwright()
        return Finding("browser", "ok", str(find_chromium(options.browser.executable)))
    except MissingExtra as error:
        return Finding("browser", "failed", str(error))


def _package() -> Finding:
    try:
        package.python()
    except VerifiedMissing as error:
        return Finding("webarena-verified", "failed", str(error))
    return Finding("webarena-verified", "ok", str(package.folder()))


def _site(replica: Replica, accounts: Mapping[str, Account], options: Options, has_browser: bool) -> Finding:
    began = time.perf_counter()
    problem = problem_of(replica)
    said = [f"{replica.url} answers in {(time.perf_counter() - began) * 1000:.0f} ms"]
    if problem is None and replica.site in accounts and has_browser:
        account = accounts[replica.site]
        try:
            problem = run(login_problem_of(replica, account, options.browser))
        except EnvironmentFault as error:
            problem = str(error).removeprefix("webarena: ")
        said.append(f"logged in as {account.username}")
    if problem is None:
        problem = _control_problem(replica)
        said.append("can be reset" if replica.resettable else f"can't be reset: give sites.{replica.site}.control or .reset")
    if problem is not None:
        return Finding(replica.site, "failed", problem.removeprefix(f"{replica.site}: "))
    return Finding(replica.site, "ok", ", ".join(said))


def _control_problem(replica: Replica) -> str | None:
    if replica.control is None:
        return None
    try:
        ask(f"{replica.control}/status", seconds=_SECONDS)
    except Unreachable as error:
        return (
            f"{replica.site}: its control service at {replica.control} does not answer ({error}): publish its port (8877 in the "
            f"image), or correct sites.{replica.site}.control"
        )
    return None


def _tasks(options: Options) -> Finding:
    try:
        selection = options.selection
    except (ValueError, VerifiedMissing, TaskFileError) as error:
        return Finding("tasks", "failed", str(error).removeprefix("environment 'webarena': "))
    left_out = "".join(
        f"; {len(numbers)} left out for {reason}: {ranges(numbers)}" for reason, numbers in selection.left_out.items()
    )
    return Finding("tasks", "ok", f"{len(selection.numbers)} of {options.source.prefix} can be played{left_out}")


def ranges(numbers: tuple[int, ...]) -> str:
    """``3, 7-9``."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in spans)
