"""A lock file, so that two processes do not write into one folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from agentgym_rl.records.atomic import unwritable
from agentgym_rl.records.errors import RunLocked


class FolderLock:
    """Holds ``path`` from :meth:`acquire` to :meth:`release`.

    The lock is the operating system's (``flock``), so that of a process that was killed is free at once; the file
    stays, and holds the process id for whoever finds it locked.
    """

    def __init__(self, path: Path, doing: str = "training", choose: str = "run.name") -> None:
        """``doing`` and ``choose``: what the holder does, and which setting names another folder, for the message."""
        self.path = path
        self._doing = doing
        self._choose = choose
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock. Raises :class:`RunLocked` naming the process that holds it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritable(self.path, error, at_start=True) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode(errors="replace").strip()
            os.close(descriptor)
            raise RunLocked(
                f"{self.path.parent}: process {owner} is {self._doing} into it. Wait for it, stop it, or choose another"
                f" {self._choose}"
            ) from None
        except OSError as error:
            os.close(descriptor)
            raise unwritable(self.path, error, at_start=True) from error
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back. Idempotent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
