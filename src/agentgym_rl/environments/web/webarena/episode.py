"""One episode: replicas leased and reset, sites logged in to, tabs opened, turns taken, the end scored."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser import Session, View, open_session
from agentgym_rl.environments.web.browser.loop import owned
from agentgym_rl.environments.web.webarena.accounts import Account
from agentgym_rl.environments.web.webarena.addresses import Addresses, host_of
from agentgym_rl.environments.web.webarena.leases import Lease, lease
from agentgym_rl.environments.web.webarena.logins import Logins, accepts, merged
from agentgym_rl.environments.web.webarena.offers import offers
from agentgym_rl.environments.web.webarena.options import Options
from agentgym_rl.environments.web.webarena.reachable import problem_of
from agentgym_rl.environments.web.webarena.recorder import Recorder
from agentgym_rl.environments.web.webarena.resets import reset_site
from agentgym_rl.environments.web.webarena.scoring import Ending, Score, score_original, score_verified
from agentgym_rl.environments.web.webarena.sites import Replica
from agentgym_rl.environments.web.webarena.task_file import OriginalTask, WebTask
from agentgym_rl.environments.web.webarena.verified.answers import IMPOSSIBLE, STATUSES


@dataclass(frozen=True, slots=True)
class Turn:
    """What an action led to."""

    view: View
    understood: bool = True
    score: Score | None = None
    """At the end."""


class Episode:
    """Runs on the browser's loop. :meth:`begin` first; :meth:`close` always, also after a fault. Every method may raise
    EnvironmentFault.
    """

    def __init__(self, task: WebTask, options: Options, accounts: dict[str, Account], *, wait_seconds: float) -> None:
        """``wait_seconds``: how long to wait for replicas."""
        self.task = task
        self._wait_seconds = wait_seconds
        self._options = options
        self._accounts = accounts
        self._leases: dict[str, Lease] = {}
        self._session: Session | None = None
        self._recorder: Recorder | None = None
        self.addresses = Addresses({})

    async def begin(self) -> View:
        """The first view: the task's first tab."""
        options = self._options
        self._leases = await lease(options.sites, self.task.sites, share=options.share, seconds=self._wait_seconds)
        self.addresses = Addresses({site: one.replica.url for site, one in self._leases.items()})
        logins: Logins = owned("webarena logins", Logins)
        for one in self._leases.values():
            if one.replica.resettable and (one.changed or options.reset == "always"):
                await reset_site(one.replica, options.reset_seconds)
                one.changed = False
                logins.forget(one.replica)
        self._session = await self._logged_in(logins)
        self._recorder = Recorder(self._session.context)
        for place, start in enumerate(self.task.starts):
            if place:
                await self._session.new_tab()
            await self._session.goto(self.addresses.filled(start))
        if len(self.task.starts) > 1:
            await self._session.focus(0)
        return await self._session.observe()

    async def _logged_in(self, logins: Logins) -> Session:
        """A session that every site takes as logged in. Logs in anew where one does not, once."""
        options = self._options
        needed = [(one.replica, self._accounts[site]) for site, one in self._leases.items() if site in self._accounts]
        hosts = (*self.addresses.hosts, *options.hosts)
        for _ in range(2):
            state = merged([await logins.state(*each, options.browser) for each in needed])
            session = await open_session(replace(options.browser, hosts=hosts, context={"storage_state": state}))
            try:
                out = [replica for replica, account in needed if not await accepts(session.context, replica, account)]
            except BaseException:
                await session.close()
                raise
            if not out:
                return session
            await session.close()
            for replica in out:
                logins.forget(replica)
        raise EnvironmentFault(_not_kept(out[0], [replica for replica, _ in needed]))

    async def act(self, action: str) -> Turn:
        """Takes an action as the agent wrote it; ``stop`` scores the episode."""
        assert self._session is not None
        outcome = await self._session.act(self.addresses.meant(action))
        await self._sites_answer()
        if outcome.answer is None:
            return Turn(outcome.view, outcome.understood)
        return Turn(outcome.view, score=await self._score(self._session, outcome.answer))

    def offers(self) -> list[str]:
        """The admissible actions now."""
        session = self._session
        assert session is not None
        assert session.view is not None
        refusals = (IMPOSSIBLE,) if isinstance(self.task, OriginalTask) else STATUSES[1:4]
        return offers(self.task.intent, session.view, len(session.tabs), session.current, refusals)

    async def close(self) -> None:
        """Ends the session and frees the replicas. Idempotent."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
        written = {host_of(url) for url in self._recorder.writing} if self._recorder is not None else set()
        leases, self._leases = self._leases, {}
        for one in leases.values():
            one.mark(changed=one.changed or host_of(one.replica.url) in written)
            one.release()

    async def _sites_answer(self) -> None:
        """What an agent sees of a site that went away is no answer of the site's: the episode is a fault."""
        assert self._recorder is not None
        hosts = {host_of(url) for url in self._recorder.unanswered}
        self._recorder.unanswered.clear()
        for one in self._leases.values():
            if host_of(one.replica.url) in hosts and (problem := await asyncio.to_thread(problem_of, one.replica)):
                raise EnvironmentFault(f"webarena: {problem}")

    async def _score(self, session: Session, answer: str) -> Score:
        assert self._recorder is not None
        ending = Ending(answer, session.context, session.page, self.addresses, await self._recorder.entries())
        try:
            if isinstance(self.task, OriginalTask):
                return await score_original(self.task, ending, self._options.judge, self._accounts["shopping_admin"])
            return await score_verified(self.task, ending, self._options.task_file)
        except EnvironmentFault:
            raise
        except LookupError as error:  # a site's own interface gave other fields than it should
            raise EnvironmentFault(f"webarena: task {self.task.task_id} can't be scored: {error!r}") from error


def _not_kept(out: Replica, replicas: list[Replica]) -> str:
    """A host's cookies are one jar, whatever the ports: the session of one site may overwrite that of another."""
    host = urlsplit(out.url).hostname
    beside = [one.site for one in replicas if one != out and urlsplit(one.url).hostname == host]
    if not beside:
        return f"webarena: {out.site} at {out.url} forgets its logins at once"
    return (
        f"webarena: {out.site} at {out.url} loses its login to that of {' and '.join(beside)} on the same host: give them "
        "different host names, such as 127.0.0.1 and localhost"
    )
