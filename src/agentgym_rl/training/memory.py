"""How much memory this machine has, and how much of it is to be had. No torch here."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where a container's limit is written, in bytes."""
_FACTS = Path("/proc/meminfo")


def total_memory() -> int:
    """Bytes of memory this process may use: the machine's, or less where a container sets a limit."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in _LIMITS:
        with suppress(OSError, ValueError):  # no such file, or "max"
            return min(whole, int(Path(limit).read_text(encoding="ascii")))
    return whole


def available_memory() -> int:
    """Bytes that can be had now, what the kernel gives back on demand included; all of it where no kernel says (macOS)."""
    whole = total_memory()
    with suppress(OSError, ValueError, KeyError):
        facts = dict(line.split(":", 1) for line in _FACTS.read_text(encoding="ascii").splitlines())
        return min(whole, int(facts["MemAvailable"].split()[0]) * 1024)
    return whole
