"""The Java process: shared, bounded, and never left behind."""

import os
import select
import signal
import subprocess
import sys

import pytest

import agentgym_rl
from agentgym_rl.environments.errors import EnvironmentFault, MissingExtra
from agentgym_rl.environments.sciworld import SciWorld, java

PLAY = """
import os, sys
from agentgym_rl.environments.sciworld import SciWorld, java
world = SciWorld(kinds=["lifespan-longest-lived"])
world.reset(seed=0)
print(java._Shared.java.process.pid, flush=True)
{then}
"""


def _python(then):
    return subprocess.Popen(
        [sys.executable, "-c", PLAY.format(then=then)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def _ends(pid):
    """Whether the process ends; waits for it, a minute at most."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], 60)[0])
    finally:
        os.close(watched)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="watches processes the way Linux does")
@pytest.mark.parametrize(
    "end", ["SIGKILL", *(pytest.param(end, marks=pytest.mark.slow) for end in ("close", "exit", "exception"))]
)
def test_no_java_process_is_left(end):
    then = {
        "close": "world.close(); sys.stdin.read()",
        "exit": "sys.exit()",
        "exception": "1 / 0",
        "SIGKILL": "sys.stdin.read()",
    }
    with _python(then[end]) as process:
        pid = int(process.stdout.readline())
        if end == "SIGKILL":
            process.send_signal(signal.SIGKILL)
        assert _ends(pid)
        process.stdin.close()
        process.wait(60)


def test_worlds_share_one_process_and_the_last_one_ends_it(running):  # noqa: ARG001 - so there is one already
    found = java._Shared.java
    users = java._Shared.users
    worlds = [SciWorld(kinds=["lifespan-longest-lived"]) for _ in range(3)]
    for world in worlds:
        world.reset(seed=0)
    assert java._Shared.java is found
    assert java._Shared.users == users + 3
    for world in worlds:
        world.close()
    assert java._Shared.users == users
    assert found.process.poll() is None


def test_the_heap_is_bounded():
    assert f"-Xmx{java.HEAP_MIB}m" in java._OPTIONS
    assert java.HEAP_MIB <= 1024


@pytest.mark.slow
def test_a_java_process_that_dies_is_a_fault_and_the_next_reset_gets_a_new_one():
    code = """
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.sciworld import SciWorld, java
world = SciWorld(kinds=["lifespan-longest-lived"])
first, _ = world.reset(options={"task": "lifespan-longest-lived/0"})
java._Shared.java.process.kill()
try:
    world.step("look around")
except EnvironmentFault as fault:
    print(fault)
again, _ = world.reset(options={"task": "lifespan-longest-lived/0"})
assert again == first
world.step("look around")
world.close()
assert java._Shared.java is None
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "the simulator's Java process is gone" in done.stdout
    assert done.stderr == ""


def test_missing_java_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtra, match=r"needs Java, and .*: install a runtime, 8 or later, such as"):
        agentgym_rl.make("sciworld")


def test_a_java_that_does_not_start_is_a_fault(monkeypatch, tmp_path):
    broken = tmp_path / "bin" / "java"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EnvironmentFault, match="does not start the simulator"):
        java.Java()


def test_a_missing_package_says_what_to_install(monkeypatch):
    java.class_path.cache_clear()
    monkeypatch.setitem(sys.modules, "scienceworld.constants", None)
    with pytest.raises(MissingExtra, match=r"pip install 'agentgym-rl\[sciworld\]'"):
        agentgym_rl.make("sciworld")
    java.class_path.cache_clear()
