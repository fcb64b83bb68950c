"""Whether sites answer, asked once for each address before the first episode."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from agentgym_rl.environments.web.webarena.errors import SiteProblem
from agentgym_rl.environments.web.webarena.http import Unreachable, ask
from agentgym_rl.environments.web.webarena.resets import health_address
from agentgym_rl.environments.web.webarena.sites import Replica

_SECONDS = 15.0
_answered: set[str] = set()
"""Addresses that answered this process. A site that goes away later is a fault of the episodes that need it."""


def problem_of(replica: Replica) -> str | None:
    """Why a site can't be played on: one line with its name, its address and the way out; None where it answers."""
    try:
        ask(health_address(replica), seconds=_SECONDS)
    except Unreachable as error:
        name = replica.site
        mend = f"correct ${replica.kind.variables[0]} or sites.{name}"
        if error.status is not None and error.status < 500:
            return f"{name}: {health_address(replica)} answers with {error}, so it is not the {name} site: {mend}"
        return f"{name}: {replica.url} does not answer ({error}): start the site, or {mend}"
    return None


def require(replicas: Iterable[Replica]) -> None:
    """Asks those that have not answered yet, all at once.

    Raises:
        SiteProblem: the first one that does not.
    """
    unknown = [replica for replica in replicas if replica.url not in _answered]
    if not unknown:
        return
    with ThreadPoolExecutor(len(unknown)) as threads:
        problems = list(threads.map(problem_of, unknown))
    for replica, problem in zip(unknown, problems, strict=True):
        if problem is not None:
            raise SiteProblem(f"webarena: {problem}")
        _answered.add(replica.url)
