"""Ends of what was begun: a cancelled call waits for them too, or the event loop is closed on what is half ended."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress
from typing import Any

ENDING_SECONDS = 10.0
"""Deadline for a killed process to be gone."""

log = logging.getLogger(__name__)


async def kill_group(process: Process) -> None:
    """Kills the process group that ``process`` leads, and sees it to its end (:func:`to_the_end`)."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await to_the_end(asyncio.ensure_future(process.wait()), f"process {process.pid}, which was killed,")


async def to_the_end(work: asyncio.Future[Any], what: str) -> None:
    """Waits until ``work`` is done, :data:`ENDING_SECONDS` at most. What it raises is not raised here.

    A cancellation takes effect afterwards. Whoever is cancelled while a process ends would leave its pipes to an event loop
    that may be closed before it learns of the end; and of two episodes that fail together, the first cancels the second.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + ENDING_SECONDS
    cancelled: asyncio.CancelledError | None = None
    while not work.done() and (left := deadline - loop.time()) > 0:
        try:
            await asyncio.wait([work], timeout=left)
        except asyncio.CancelledError as error:
            cancelled = error
    if not work.done():
        log.warning("%s has not ended within %g s", what, ENDING_SECONDS)
    elif not work.cancelled():
        work.exception()
    if cancelled is not None:
        raise cancelled
