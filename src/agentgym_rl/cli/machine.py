"""What this machine has, as far as training and the worlds care."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Python, cores, memory, disk, torch, programs, extras and models (JSON values)."""
    from agentgym_rl.cli.extras import extras
    from agentgym_rl.environments.sciworld.java import java_program
    from agentgym_rl.training.memory import total_memory

    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": cores(),
        "memory_bytes": total_memory(),
        "disk_free_bytes": shutil.disk_usage(Path.cwd()).free,
        "torch": torch_build(),
        "programs": {"java": _program(java_program(), "-version"), "chromium": _program(chromium(), "--version")},
        "extras": [
            {
                "name": extra.name,
                "purpose": extra.purpose,
                "installed": extra.requirements,
                "missing": extra.missing,
                "install": extra.install,
            }
            for extra in extras()
        ],
        "models": models(),
        "searchqa": question_sets(),
    }


def question_sets() -> dict[str, Any]:
    """Where SearchQA looks for the seven sets by name, and the files of those that are there."""
    from agentgym_rl.environments.searchqa.files.find import present, sets_folder

    return {"folder": str(sets_folder()), "sets": present()}


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def torch_build() -> dict[str, Any] | None:
    """The torch that is installed; None without one."""
    try:
        import torch
    except ImportError:
        return None
    return {
        "version": torch.__version__,
        "threads": torch.get_num_threads(),
        "cuda": [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())],
        "mps": torch.backends.mps.is_available(),
        "fast_bfloat16": torch.cuda.is_bf16_supported()
        if torch.cuda.is_available()
        else bool(torch.cpu._is_avx512_bf16_supported()),
    }


def models() -> dict[str, Any]:
    """Where models are kept, and whether the quickstart's is there already."""
    from agentgym_rl.agents.models.smollm2 import NAME, model_folder
    from agentgym_rl.config.cache import cache_folder

    return {"cache": str(cache_folder()), NAME: (model_folder() / "config.json").is_file()}


def chromium() -> str | None:
    """The browser that the web worlds drive; None where there is none."""
    from agentgym_rl.environments.web.browser.find import NoBrowser, find_chromium

    try:
        return str(find_chromium())
    except NoBrowser:
        return None


def _program(path: str | None, flag: str) -> dict[str, str] | None:
    """A program and what it says of its version."""
    if path is None:
        return None
    try:
        done = subprocess.run([path, flag], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {"path": path, "version": "does not start"}
    lines = (done.stdout or done.stderr).splitlines()
    return {"path": path, "version": lines[0] if lines else "?"}
