"""Brings a site back to its first state: by the control service of its image, or by a command of the user's."""

from __future__ import annotations

import asyncio
import json
import shlex
from contextlib import suppress

from agentgym_rl.environments.aio.ending import kill_group
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.http import Unreachable, ask
from agentgym_rl.environments.web.webarena.sites import Replica

_POLL_SECONDS = 0.25


async def reset_site(replica: Replica, seconds: float) -> None:
    """Resets a replica and waits until its site answers again.

    Raises:
        EnvironmentFault: it can't be reset, or does not come back within ``seconds``. Names the site and its address.
    """
    try:
        async with asyncio.timeout(seconds):
            if replica.control is not None:
                await asyncio.to_thread(_ask_control, replica, seconds)
            elif replica.reset is not None:
                await _run(replica, replica.reset)
            await _healthy(replica)
    except TimeoutError:
        raise _fault(replica, f"is not back within {seconds:g} s") from None


def _ask_control(replica: Replica, seconds: float) -> None:
    try:
        answer = json.loads(ask(f"{replica.control}/reset", method="POST", seconds=seconds))
    except Unreachable as error:
        hint = ": this image can't do that; give a command, sites.SITE.reset" if error.status in (404, 405) else ""
        raise _fault(replica, f"its control service at {replica.control} does not do it: {error}{hint}") from error
    except ValueError:
        answer = {}
    if not (isinstance(answer, dict) and answer.get("success") is True):
        said = answer.get("message") if isinstance(answer, dict) else None
        raise _fault(replica, f"its control service at {replica.control} says: {said or 'no success'}")


async def _run(replica: Replica, command: str) -> None:
    """Runs the user's command without a shell; what it prints is told only when it fails."""
    words = [word.replace("{url}", replica.url).replace("{site}", replica.site) for word in shlex.split(command)]
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise _fault(replica, f"the command {words[0]!r} does not start: {error.strerror}") from error
    try:
        printed, _ = await process.communicate()
    finally:
        if process.returncode is None:
            await kill_group(process)
    if process.returncode:
        lines = printed.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "nothing printed")
        raise _fault(replica, f"the command ended with code {process.returncode}: {last[:300]}")


async def _healthy(replica: Replica) -> None:
    while True:
        with suppress(Unreachable):
            await asyncio.to_thread(ask, health_address(replica), seconds=5.0)
            return
        await asyncio.sleep(_POLL_SECONDS)


def health_address(replica: Replica) -> str:
    """A page of the site that answers when it is up."""
    return replica.url + replica.kind.health


def _fault(replica: Replica, problem: str) -> EnvironmentFault:
    return EnvironmentFault(f"webarena: reset of {replica.site} at {replica.url}: {problem}")
