"""The open sessions and their leases."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from contextlib import suppress

from agentgym_rl.environments.aio.worker_pool import WorkerPool
from agentgym_rl.environments.service.protocol.problem import Code, brief, problem
from agentgym_rl.environments.service.protocol.session import CreateSession, SessionState
from agentgym_rl.environments.service.server.catalogue import Catalogue
from agentgym_rl.environments.service.server.metrics import Metrics
from agentgym_rl.environments.service.server.session import Session
from agentgym_rl.environments.service.server.settings import ServeSettings

log = logging.getLogger(__name__)

FULL_SECONDS = 1.0
"""When to try again on a server that has no place for another session."""


class Sessions:
    """Every use renews a session's lease. All leases are equally long, so the first in the order of use expires first."""

    def __init__(self, settings: ServeSettings, catalogue: Catalogue, workers: WorkerPool | None, metrics: Metrics) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._workers = workers
        self._metrics = metrics
        self._open: OrderedDict[str, tuple[Session, float]] = OrderedDict()
        """With the loop's time at the end of each lease."""
        self._closing: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._open)

    async def create(self, request: CreateSession) -> SessionState:
        """Opens a session, or finds the one that the same request has opened.

        Raises:
            ProblemRaised: no such environment, bad options, no place left, an id that another request has taken.
        """
        world = await self._catalogue.find(request.environment, request.options)
        id = request.session or secrets.token_hex(16)
        if id in self._open:
            session = self.find(id)
            if session.world is not world:
                raise problem(Code.BAD_REQUEST, f"session {id} exists already, with another environment or other options")
            return self.state(session)
        if len(self._open) >= self._settings.sessions:
            detail = f"all {self._settings.sessions} sessions are taken"
            raise problem(Code.BUSY, detail, retry_after=FULL_SECONDS)
        environment = world.instance(self._workers, self._settings.reset_seconds, self._settings.step_seconds)
        session = Session(id, world, environment, self._metrics)
        self._renew(session)
        self._metrics.sessions(len(self._open))
        return self.state(session)

    def find(self, id: str) -> Session:
        """The session of that id; renews its lease.

        Raises:
            ProblemRaised: there is none, or its lease has expired.
        """
        entry = self._open.get(id)
        if entry is None:
            raise problem(Code.UNKNOWN_SESSION, f"session {brief(id)} does not exist, or its lease has expired")
        self._renew(entry[0])
        return entry[0]

    def state(self, session: Session) -> SessionState:
        """What there is to know of a session."""
        return SessionState(
            session=session.id,
            environment=session.world.id,
            lease=self._settings.lease,
            number=session.number,
            open_sessions=len(self._open),
        )

    def renew(self, session: Session) -> None:
        """A call has ended: its lease begins anew, unless the session was closed meanwhile."""
        if session.id in self._open:
            self._renew(session)

    async def close(self, id: str) -> bool:
        """Closes a session; False when there is none."""
        entry = self._open.pop(id, None)
        if entry is None:
            return False
        self._metrics.sessions(len(self._open))
        await entry[0].close()
        return True

    async def expire(self) -> None:
        """Closes sessions at the end of their leases, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            first = next(iter(self._open.values()), None)
            wait = self._settings.lease if first is None else first[1] - loop.time()
            if first is None or wait > 0:
                await asyncio.sleep(max(wait, 0.001))
            elif first[0].busy:
                self._renew(first[0])
            else:
                self._drop(first[0])

    async def close_all(self) -> None:
        """Closes every session and waits for it."""
        for session, _ in list(self._open.values()):
            self._drop(session, expired=False)
        with suppress(ValueError):  # nothing to wait for
            await asyncio.wait(self._closing)

    def _renew(self, session: Session) -> None:
        self._open[session.id] = (session, asyncio.get_running_loop().time() + self._settings.lease)
        self._open.move_to_end(session.id)

    def _drop(self, session: Session, *, expired: bool = True) -> None:
        del self._open[session.id]
        self._metrics.sessions(len(self._open))
        if expired:
            self._metrics.expired(session.world.id, session.id)
        task = asyncio.create_task(session.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
