import asyncio
import functools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym_rl.environments.aio import from_sync
from agentgym_rl.environments.errors import EnvironmentFault

PARENT = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import aio_worlds
from agentgym_rl.environments.aio import from_sync

async def play():
    env = from_sync(aio_worlds.Imp(), "process")
    worker = (await env.reset(aio_worlds.TASK, 0)).text.split()[1]
    child = (await env.step("child")).text
    hanging = asyncio.ensure_future(env.step("hang"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    print(worker, child, flush=True)
    await hanging

asyncio.run(play())
"""


async def begin(worlds, **deadlines):
    env = from_sync(worlds.Imp(), "process", **deadlines)
    pid = int((await env.reset(worlds.TASK, 0)).text.split()[1])
    assert pid != os.getpid()
    return env, pid


def test_closing_leaves_no_process(worlds, has_ended):
    async def play():
        env, pid = await begin(worlds)
        child = int((await env.step("child")).text)
        await env.close()
        return pid, child

    pid, child = asyncio.run(play())
    assert has_ended(pid)
    assert has_ended(child)


def test_a_world_that_hangs_is_killed_at_the_deadline(worlds, clock, has_ended):
    async def play():
        env, pid = await begin(worlds, step_seconds=7)
        child = int((await env.step("child")).text)
        task = asyncio.ensure_future(env.step("hang"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        clock.advance(7.1)
        with pytest.raises(EnvironmentFault, match="imp: step took longer than 7 s"):
            await task
        with pytest.raises(EnvironmentFault, match="done for"):
            await env.step("wait")
        await env.close()
        return pid, child

    pid, child = clock.run_until_complete(play())
    assert has_ended(pid)
    assert has_ended(child)


@pytest.mark.parametrize(("action", "ending"), [("exit", "exited with code 3"), ("kill", "was ended by SIGKILL")])
def test_a_crash_is_a_fault_that_says_how_it_ended(worlds, action, ending):
    async def play():
        env, _ = await begin(worlds)
        with pytest.raises(EnvironmentFault, match=f"imp: the worker process {ending} during step"):
            await env.step(action)
        await env.close()

    asyncio.run(play())


def test_what_the_world_prints_does_not_get_between_the_messages(worlds, capfd):
    async def play():
        env, _ = await begin(worlds)
        transition = await env.step("print")
        await env.close()
        return transition.text

    assert asyncio.run(play()).startswith("print")
    assert "noisenoise" in capfd.readouterr().err


def test_a_world_that_does_not_start_is_a_fault(worlds, monkeypatch):
    monkeypatch.setenv("IMP_WORKER", "")
    env = from_sync(worlds.Imp(bad_start=True), "process")
    monkeypatch.setenv("IMP_WORKER", "1")

    async def play():
        with pytest.raises(EnvironmentFault, match="OSError: no start today"):
            await env.reset(worlds.TASK, 0)
        await env.close()

    asyncio.run(play())


def test_what_can_not_be_pickled_is_refused_at_once(worlds):
    with pytest.raises(TypeError, match="imp: runner='process' needs what can be pickled"):
        from_sync(lambda: worlds.Imp(), "process")


def test_the_worker_gets_the_settings(worlds):
    async def play(world):
        env = from_sync(world, "process")
        await env.reset(worlds.TASK, 0)
        await env.close()

    asyncio.run(play(worlds.Imp(bad_start=False)))
    asyncio.run(play(functools.partial(worlds.Imp, bad_start=False)))


def test_a_cancelled_call_ends_the_worker(worlds, has_ended):
    async def play():
        env, pid = await begin(worlds)
        task = asyncio.ensure_future(env.step("hang"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid

    assert has_ended(asyncio.run(play()))


def test_a_call_that_is_cancelled_again_while_the_worker_is_killed_sees_it_to_its_end(worlds):
    """As when one episode is lost at a deadline and another, whose deadline passes with it, is cancelled for that."""

    async def play():
        env, _ = await begin(worlds)
        task = asyncio.ensure_future(env.step("hang"))
        for _ in range(2):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return env._process.returncode

    assert asyncio.run(play()) == -signal.SIGKILL


def test_a_killed_parent_takes_a_hanging_worker_and_its_children_along(has_ended):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, Path(__file__).parent], stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in parent.stdout.readline().split()]
    assert len(pids) == 2
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert all(has_ended(pid) for pid in pids)


def test_a_process_forked_by_the_killed_parent_does_not_keep_the_worker_alive(has_ended):
    """It holds the writing end of the worker's input open, so only the parent's id tells."""
    program = PARENT.replace("    hanging =", "    import os, signal; fork = os.fork() or signal.pause()\n    hanging =")
    program = program.replace("print(worker, child,", "print(worker, fork,")
    parent = subprocess.Popen([sys.executable, "-c", program, Path(__file__).parent], stdout=subprocess.PIPE, text=True)
    worker, fork = [int(word) for word in parent.stdout.readline().split()]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    try:
        assert has_ended(worker)
    finally:
        os.kill(fork, signal.SIGKILL)
        parent.stdout.close()


def test_one_that_never_began_starts_no_process_to_close_it(worlds, monkeypatch):
    monkeypatch.setattr(asyncio, "create_subprocess_exec", None)
    asyncio.run(from_sync(worlds.Imp(), "process").close())


def test_long_messages_both_ways(worlds):
    action = "é" * 3_000_000

    async def play():
        env, _ = await begin(worlds)
        transition = await env.step(action)
        await env.close()
        return transition.text

    assert asyncio.run(play()).startswith(action)
