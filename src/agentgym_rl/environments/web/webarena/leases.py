"""Who plays on which replica: one episode at a time, over all processes of this machine.

A lock on a small file stands for a replica. The system frees it with the process that held it, however that ended; what the file
holds says whether the last episode left the site changed.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import itertools
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.sites import Replica, Sites

_POLL_SECONDS = 0.05
_turns = itertools.count()


class Lease:
    """A replica for one episode."""

    def __init__(self, replica: Replica, file: BinaryIO | None) -> None:
        """``file`` is locked; None where replicas are shared."""
        self.replica = replica
        self._file = file
        self.changed = False
        """Whether an episode changed the site since it was last reset. Unknown counts as changed."""
        if file is not None:
            self.changed = file.read(1) != b""
            self.mark(changed=True)  # should this process be killed, nobody will have said otherwise

    def mark(self, *, changed: bool) -> None:
        """Writes down the state that the next episode will find."""
        if self._file is None:
            return
        self._file.seek(0)
        self._file.truncate()
        if changed:
            self._file.write(b"changed since the last reset\n")
        self._file.flush()

    def release(self) -> None:
        """Lets others have the replica. Idempotent."""
        if self._file is not None:
            self._file.close()
            self._file = None


async def lease(sites: Sites, wanted: Sequence[str], *, share: bool, seconds: float) -> dict[str, Lease]:
    """A replica of each wanted site, waiting until one is free.

    Sites are taken in the order of ``sites``, the same for everybody, so that episodes on two sites never wait for each other.

    Raises:
        EnvironmentFault: no replica of a site got free in time.
    """
    if share:
        turn = next(_turns)
        return {site: Lease(sites[site][turn % len(sites[site])], None) for site in sites if site in wanted}
    deadline = asyncio.get_running_loop().time() + seconds
    held: dict[str, Lease] = {}
    try:
        for site in sites:
            if site in wanted:
                held[site] = await _free(sites[site], deadline, seconds)
    except BaseException:
        for one in held.values():
            one.mark(changed=one.changed)
            one.release()
        raise
    return held


async def _free(replicas: Sequence[Replica], deadline: float, seconds: float) -> Lease:
    turn = next(_turns)
    while True:
        for place in range(len(replicas)):
            replica = replicas[(turn + place) % len(replicas)]
            if (file := _locked(replica)) is not None:
                return Lease(replica, file)
        if asyncio.get_running_loop().time() >= deadline:
            site, count = replicas[0].site, len(replicas)
            raise EnvironmentFault(
                f"webarena: no replica of {site} got free within {seconds:g} s ({count} there): give more, "
                f"set rollout.concurrency to at most {count}, or let episodes share them with share=true"
            )
        await asyncio.sleep(_POLL_SECONDS)


def _locked(replica: Replica) -> BinaryIO | None:
    path = lease_path(replica)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = path.open("a+b", buffering=0)
    with suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.seek(0)
        return file
    file.close()
    return None


def lease_path(replica: Replica) -> Path:
    """The file that stands for a replica."""
    from agentgym_rl.config.cache import cache_folder  # here, since listing the worlds needs no settings

    return cache_folder() / "webarena-leases" / hashlib.sha256(replica.url.lower().encode()).hexdigest()[:24]
