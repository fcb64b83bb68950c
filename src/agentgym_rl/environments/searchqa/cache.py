"""Folders that are made once and kept in the user's cache, whoever comes first."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from agentgym_rl.environments.errors import EnvironmentFault


def searchqa_folder() -> Path:
    """Where this world keeps what it makes, and looks for question files."""
    from agentgym_rl.config.cache import cache_folder  # here, since listing the worlds needs no settings

    return cache_folder() / "searchqa"


def made_once(name: str, fingerprint: str, make: Callable[[Path], None]) -> Path:
    """The folder ``NAME-FINGERPRINT`` in the cache, filled by ``make`` if it is not there.

    One process makes it while others wait; it is there whole or not at all.

    Raises:
        EnvironmentFault: the cache cannot be written.
    """
    target = searchqa_folder() / f"{name}-{fingerprint[:12]}"
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with (target.parent / f".{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.is_dir():
                making = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{name}-making-"))
                try:
                    make(making)
                    making.chmod(0o755)
                    making.rename(target)
                finally:
                    shutil.rmtree(making, ignore_errors=True)
    except OSError as error:
        raise EnvironmentFault(
            f"searchqa: can't keep {name} in {target.parent}: {error.strerror or error}; set AGENTGYM_RL_CACHE"
        ) from error
    return target
