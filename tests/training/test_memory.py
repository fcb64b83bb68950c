"""What a process holds and does not use goes back to the system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOLD_AND_GIVE_BACK = """
from agentgym_rl.environments.aio.worker import held_memory
from agentgym_rl.training.memory import give_back_memory
blocks = [bytes([1]) * 60_000 for _ in range(4000)]  # too small to be mapped one by one
last = bytes([1]) * 60_000
del blocks
before = held_memory()
give_back_memory()
print(before - held_memory())
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no system to ask")
def test_free_pages_go_back() -> None:
    done = subprocess.run([sys.executable, "-c", HOLD_AND_GIVE_BACK], capture_output=True, text=True, timeout=60)
    assert int(done.stdout) > 200_000_000, done
