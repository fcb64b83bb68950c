"""Where webarena-verified is installed. It pins its dependencies exactly, so it never shares an environment with us."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

from agentgym_rl.environments.web.webarena.errors import VerifiedMissing

REQUIREMENT = "webarena-verified==1.2.3"
INSTALL = "agentgym-rl doctor web --install"
_SECONDS = 900
_FILES = {"original": "test.raw.json", "verified": "webarena-verified.json"}

TaskList = Literal["original", "verified"]


def folder() -> Path:
    """Where it lies, or will lie: in the user's cache."""
    from agentgym_rl.config.cache import cache_folder  # here, since listing the worlds needs no settings

    return cache_folder() / REQUIREMENT.replace("==", "-")


def python() -> Path:
    """Its interpreter.

    Raises:
        VerifiedMissing: it has not been installed.
    """
    found = folder() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not found.exists():
        raise VerifiedMissing(f"webarena needs {REQUIREMENT} in an environment of its own: {INSTALL}")
    return found


def task_file(name: TaskList) -> Path:
    """One of the task lists that it brings, of 812 tasks each.

    Raises:
        VerifiedMissing: it has not been installed, or not whole.
    """
    python()
    pattern = f"[Ll]ib/**/site-packages/webarena_verified/assets/dataset/{_FILES[name]}"
    found = next(folder().glob(pattern), None)
    if found is None:
        raise VerifiedMissing(f"{folder()} lacks the task list {_FILES[name]}: remove it, then {INSTALL}")
    return found


def install() -> Path:
    """Makes the virtual environment, where there is none, with pip; returns its folder.

    Raises:
        VerifiedMissing: pip failed; the message has its last line.
    """
    there = folder()
    if (there / "pyvenv.cfg").exists():
        return there
    there.parent.mkdir(parents=True, exist_ok=True)
    # Made beside and renamed, so that an interrupted installation is never taken for a whole one.
    with tempfile.TemporaryDirectory(dir=there.parent, ignore_cleanup_errors=True) as made:
        new = Path(made) / "environment"
        _run([sys.executable, "-m", "venv", str(new)])
        inside = new / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        _run([str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", REQUIREMENT])
        try:
            new.rename(there)
        except OSError:
            if not (there / "pyvenv.cfg").exists():  # else another process was faster
                raise
    return there


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise VerifiedMissing(f"{REQUIREMENT} can't be installed: {error}") from error
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise VerifiedMissing(f"{REQUIREMENT} can't be installed: {lines[-1].strip() if lines else 'pip failed'}")
