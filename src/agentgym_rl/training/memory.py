"""How much memory this machine has, how much of it is to be had, and giving back what is free. No torch here."""

from __future__ import annotations

import ctypes
import gc
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


def give_back_memory() -> None:
    """Return to the system what this process holds and does not use. Only glibc has to be asked; elsewhere garbage is collected.

    After an update glibc keeps the activations' pages (2 GiB in the quickstart), which the large, oddly sized tensors of an
    evaluation cannot fill. Not for every step: the pages are wanted again, and the kernel clears each anew.
    """
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
