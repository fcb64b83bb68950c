"""Folders that are being filled: one process at a time, kept when it is stopped, renamed when they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.lock import FolderLock

LOCK = ".lock"


@contextmanager
def unfinished(partial: Path, target: Path, doing: str) -> Iterator[None]:
    """Holds ``partial`` while the block fills it; then it becomes ``target``. ``doing``: what for, for others who want it.

    Raises:
        IndexRefused: another process has it, or a file can't be written or read.
    """
    lock = FolderLock(partial / LOCK, doing, "folder")
    try:
        lock.acquire()
        try:
            yield
            (partial / LOCK).unlink()
            partial.rename(target)
        finally:
            lock.release()
    except (OSError, RecordError) as error:
        cause = error.__cause__ if isinstance(error, RecordError) else error
        if not isinstance(cause, OSError):
            raise IndexRefused(str(error)) from error
        where = cause.filename or partial
        raise IndexRefused(f"{where}: {cause.strerror or cause}; what is done is kept in {partial}") from error
