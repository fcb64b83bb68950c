import asyncio
import threading

import pytest

from agentgym_rl.environments.aio import from_sync
from agentgym_rl.environments.aio import thread as thread_module
from agentgym_rl.environments.errors import EnvironmentFault, TooManyAbandonedThreads


async def begin(worlds, **deadlines):
    world = worlds.Imp()
    env = from_sync(world, "thread", **deadlines)
    await env.reset(worlds.TASK, 0)
    return world, env


async def overrun(call, seconds):
    task = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asyncio.get_running_loop().advance(seconds)
    return await task


def workers():
    return [thread for thread in threading.enumerate() if thread.name == "environment imp"]


def finish(*imps):
    for world in imps:
        world.release.set()
    for thread in workers():
        thread.join(10)
        assert not thread.is_alive()


def test_it_runs_on_one_thread_of_its_own(worlds):
    async def play():
        _, env = await begin(worlds)
        names = {(await env.step("wait")).text for _ in range(3)}
        await env.close()
        return names

    assert asyncio.run(play()) == {"wait environment imp"}
    finish()


def test_an_overrun_is_a_fault_and_the_thread_frees_the_world_when_it_returns(worlds, clock):
    async def play():
        world, env = await begin(worlds, step_seconds=7)
        with pytest.raises(EnvironmentFault, match="imp: step took longer than 7 s"):
            await overrun(env.step("hang"), 7.1)
        with pytest.raises(EnvironmentFault, match="done for"):
            await env.step("wait")
        await env.close()
        assert not world.freed.is_set()
        return world

    world = clock.run_until_complete(play())
    finish(world)
    assert world.freed.is_set()


def test_within_the_deadline_it_is_waited_for(worlds, clock):
    async def play():
        world, env = await begin(worlds, step_seconds=7)
        task = asyncio.ensure_future(env.step("hang"))
        await asyncio.sleep(0)
        clock.advance(5)
        await asyncio.sleep(0)
        world.release.set()
        transition = await task
        await env.close()
        return transition.text

    assert clock.run_until_complete(play()).startswith("hang")


def test_one_abandoned_thread_too_many_stops_the_run(worlds, clock, monkeypatch):
    monkeypatch.setattr(thread_module, "ABANDONED_LIMIT", 2)
    hanging = []

    async def hang(expected):
        world, env = await begin(worlds)
        hanging.append(world)
        with pytest.raises(expected) as caught:
            await overrun(env.step("hang"), 31)
        return str(caught.value)

    async def play():
        await hang(EnvironmentFault)
        await hang(EnvironmentFault)
        assert "runner=process" in await hang(TooManyAbandonedThreads)
        finish(*hanging)
        await hang(EnvironmentFault)  # those that ended in the meantime don't count

    clock.run_until_complete(play())
    finish(*hanging)


def test_a_cancelled_call_breaks_the_instance_and_counts_as_no_hanging_thread(worlds):
    async def play():
        world, env = await begin(worlds)
        task = asyncio.ensure_future(env.step("hang"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(EnvironmentFault, match="step was cancelled"):
            await env.step("wait")
        await env.close()
        return world

    world = asyncio.run(play())
    assert not thread_module._abandoned & set(workers())
    finish(world)
    assert world.freed.is_set()
