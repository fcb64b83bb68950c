"""Files and folders that are there whole or not at all, whenever the process or the machine stops."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentgym_rl.records.errors import DiskFull, RecordError, WriteFailed

_BROKEN = {errno.EIO, errno.EFBIG, errno.EROFS, errno.ESTALE}
"""What befalls a disk that could be written before; a file system turns read-only when its disk fails."""

PARTIAL = ".partial"
"""Suffix of what is being written. Whatever carries it was never finished and may be deleted."""


def write_atomic(path: Path, content: bytes | str) -> None:
    """Write a file beside ``path``, flush it to the disk, and rename it to ``path``, replacing what is there.

    Raises :class:`~agentgym_rl.records.errors.RecordError` when it cannot be written; what was there before stays.
    """
    temporary = path.with_name(path.name + PARTIAL)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise unwritable(path, error) from error
        raise


@contextmanager
def folder_atomic(path: Path) -> Iterator[Path]:
    """Gives an empty folder beside ``path`` to fill; when the block ends it is flushed and renamed to ``path``.

    When the block raises, the folder is removed and ``path`` is as it was. An older ``path`` is removed just before the
    rename. Raises :class:`~agentgym_rl.records.errors.RecordError` for an operating system's error inside the block, a
    full disk among them.
    """
    temporary = path.with_name(path.name + PARTIAL)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        yield temporary
        for inner in temporary.rglob("*"):
            if inner.is_file():
                _sync_file(inner)
        for inner in [*(inner for inner in temporary.rglob("*") if inner.is_dir()), temporary]:
            _sync_folder(inner)
        if path.exists():
            shutil.rmtree(path)
        temporary.rename(path)
        _sync_folder(path.parent)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError):
            raise unwritable(path, error) from error
        raise


def unwritable(path: Path, error: OSError, *, at_start: bool = False) -> RecordError:
    """The error to raise when ``path`` could not be written. ``at_start``: nothing was, so it is the wrong place."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        free = shutil.disk_usage(next(folder for folder in path.absolute().parents if folder.exists())).free
        return DiskFull(
            f"{path}: the disk is full ({free / 2**20:.0f} MiB free). Make room, or choose another disk with"
            " run.root=FOLDER; what was saved before is untouched"
        )
    reason = f"{path}: cannot be written: {error.strerror or error}"
    if error.errno in _BROKEN and not at_start:
        return WriteFailed(f"{reason}; what was saved before is untouched")
    return RecordError(f"{reason}; choose another folder with run.root=FOLDER (eval: --out FOLDER)")


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(path: Path) -> None:
    """A rename is on the disk only once its folder is."""
    _sync_file(path)
