"""Workers that several worlds share."""

import asyncio
import functools
import itertools
import os
import pickle
import signal

import pytest
import uvloop

from agentgym_rl.environments.aio.from_sync import from_sync
from agentgym_rl.environments.aio.shared_worker import SharedWorker
from agentgym_rl.environments.aio.worker import Answer
from agentgym_rl.environments.aio.worker_pool import Recycling, WorkerPool
from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault


class Imps:
    """Makes worlds of a pool, and closes it."""

    def __init__(self, worlds, count, recycling=None):
        self.worlds = worlds
        self.pool = WorkerPool(count, recycling or Recycling())

    def new(self, reset_seconds=60.0, step_seconds=60.0):
        return self.pool.environment(self.worlds.Imp(), self.worlds.Imp, reset_seconds, step_seconds)

    async def begun(self, **deadlines):
        """A world with a running episode, and the process it is in."""
        world = self.new(**deadlines)
        return world, await self.reset(world)

    async def reset(self, world):
        return int((await world.reset(self.worlds.TASK, 0)).text.split()[1])

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.pool.close()


def test_worlds_are_spread_over_the_workers(worlds):
    async def play():
        async with Imps(worlds, 2) as imps:
            return [(await imps.begun())[1] for _ in range(6)]

    pids = asyncio.run(play())
    assert os.getpid() not in pids
    assert sorted(pids.count(pid) for pid in set(pids)) == [3, 3]


def test_worlds_that_begin_together_are_spread_too(worlds):
    async def play():
        async with Imps(worlds, 3) as imps:
            return [pid for _, pid in await asyncio.gather(*(imps.begun() for _ in range(9)))]

    pids = asyncio.run(play())
    assert sorted(pids.count(pid) for pid in set(pids)) == [3, 3, 3]


def test_worlds_of_one_worker_do_not_mix(worlds):
    async def play():
        async with Imps(worlds, 1) as imps:
            some = [(await imps.begun())[0] for _ in range(3)]
            says = await asyncio.gather(*(world.step(f"I am {n}") for n, world in enumerate(some)))
            await some[1].close()
            with pytest.raises(EnvironmentFault, match="done for"):
                await some[1].step("x")
            return [answer.text[:6] for answer in says], (await some[2].step("still here")).text

    said, still = asyncio.run(play())
    assert said == ["I am 0", "I am 1", "I am 2"]
    assert still.startswith("still here")


def test_a_fault_of_one_world_does_not_touch_its_neighbour(worlds):
    async def play():
        async with Imps(worlds, 1) as imps:
            bad, good = (await imps.begun())[0], (await imps.begun())[0]
            with pytest.raises(EnvironmentFault, match="step raised ValueError: a bug in the world"):
                await bad.step("raise")
            return (await good.step("fine")).text

    assert asyncio.run(play()).startswith("fine")


def test_a_crash_costs_the_episodes_on_that_worker_and_it_is_replaced(worlds):
    async def play():
        async with Imps(worlds, 2) as imps:
            one, first = await imps.begun()
            two, second = await imps.begun()
            neighbour, third = await imps.begun()
            assert third in (first, second)
            with pytest.raises(EnvironmentFault, match="gone during step: it was ended by SIGKILL"):
                await {first: one, second: two}[third].step("kill")
            with pytest.raises(EnvironmentFault, match="the worker process is gone"):
                await neighbour.step("x")
            other = two if third == first else one
            assert (await other.step("fine")).text.startswith("fine")
            _, fourth = await imps.begun()
            return third, fourth, imps.pool.replaced

    killed, new, replaced = asyncio.run(play())
    assert new != killed
    assert replaced == 1


def test_an_idle_world_whose_worker_died_begins_on_another(worlds):
    async def play():
        async with Imps(worlds, 1) as imps:
            idle, before = await imps.begun()
            other, _ = await imps.begun()
            with pytest.raises(EnvironmentFault):
                await other.step("kill")
            return before, await imps.reset(idle)

    before, after = asyncio.run(play())
    assert before != after


def test_a_world_that_hangs_is_killed_at_its_deadline(worlds, clock, has_ended):
    async def pass_seconds(seconds):
        for step in (0, seconds):
            clock.advance(step)
            for _ in range(5):
                await asyncio.sleep(0)

    async def play():
        async with Imps(worlds, 1) as imps:
            slow, pid = await imps.begun(step_seconds=50)
            waiting, _ = await imps.begun(step_seconds=5)
            hanging = asyncio.ensure_future(slow.step("hang"))
            await pass_seconds(40)
            behind = asyncio.ensure_future(waiting.step("fine"))
            await pass_seconds(9)  # the second one's deadline has not begun: the worker is busy with the first
            assert not hanging.done()
            assert not behind.done()
            await pass_seconds(2)
            assert hanging.done()
            with pytest.raises(DeadlinePassed, match="imp: step took longer than 50 s"):
                await hanging
            with pytest.raises(EnvironmentFault, match="killed, because imp: step took longer"):
                await behind
            return pid

    assert has_ended(clock.run_until_complete(play()))


def test_a_reset_that_waited_behind_a_hanging_call_is_made_on_another_worker(worlds, clock):
    async def play():
        async with Imps(worlds, 1) as imps:
            slow, before = await imps.begun(step_seconds=50)
            idle, _ = await imps.begun()
            hanging = asyncio.ensure_future(slow.step("hang"))
            waiting = asyncio.ensure_future(imps.reset(idle))
            beginning = asyncio.ensure_future(imps.begun())
            for _ in range(5):
                await asyncio.sleep(0)
            clock.advance(51)
            with pytest.raises(DeadlinePassed):
                await hanging
            return before, await waiting, (await beginning)[1]

    before, waiting, beginning = clock.run_until_complete(play())
    assert before != waiting == beginning


def test_starting_a_worker_is_no_part_of_the_deadline_of_a_reset(worlds, clock):
    async def play():
        async with Imps(worlds, 1) as imps:
            beginning = asyncio.ensure_future(imps.begun(reset_seconds=5))
            for _ in range(5):
                await asyncio.sleep(0)
            clock.advance(30)
            await beginning

    clock.run_until_complete(play())


def test_a_cancelled_call_ends_its_world_alone(worlds):
    async def play():
        async with Imps(worlds, 1) as imps:
            one, two = (await imps.begun())[0], (await imps.begun())[0]
            call = asyncio.ensure_future(one.step("x"))
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            with pytest.raises(EnvironmentFault, match="was cancelled"):
                await one.step("x")
            return (await two.step("fine")).text

    assert asyncio.run(play()).startswith("fine")


def test_a_worker_is_replaced_after_its_episodes(worlds, has_ended):
    async def play():
        async with Imps(worlds, 1, Recycling(episodes=2)) as imps:
            world, first = await imps.begun()
            pids = [first, *[await imps.reset(world) for _ in range(4)]]
            return pids, has_ended(pids[0])

    pids, ended = asyncio.run(play())
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]
    assert ended


def test_a_worker_that_is_to_be_replaced_finishes_its_episodes(worlds):
    async def play():
        async with Imps(worlds, 1, Recycling(episodes=1)) as imps:
            old, first = await imps.begun()
            _, second = await imps.begun()
            return first, second, (await old.step("fine")).text

    first, second, text = asyncio.run(play())
    assert first != second
    assert text.startswith("fine")


def test_a_worker_that_holds_too_much_memory_is_replaced(worlds):
    async def play(limit):
        async with Imps(worlds, 1, Recycling(memory=limit)) as imps:
            world, first = await imps.begun()
            return first == await imps.reset(world)

    assert asyncio.run(play(1 << 40))
    assert not asyncio.run(play(1 << 20))


def test_closing_the_pool_leaves_no_process(worlds, has_ended):
    async def play():
        imps = Imps(worlds, 2)
        await imps.pool.start()
        pids = imps.pool.pids
        world, _ = await imps.begun()
        child = int((await world.step("child")).text)
        await imps.pool.close()
        await imps.pool.close()
        return [*pids, child]

    pids = asyncio.run(play())
    assert len(pids) == 3
    assert all(has_ended(pid) for pid in pids)


def test_what_can_not_be_pickled_is_refused_at_once(worlds):
    pool = WorkerPool(1)
    with pytest.raises(TypeError, match="imp: workers need what can be pickled"):
        pool.environment(worlds.Imp(), lambda: worlds.Imp(), 1, 1)
    pool.environment(worlds.Imp(), functools.partial(worlds.Imp, bad_start=False), 1, 1)


def test_a_pool_without_workers_is_none():
    with pytest.raises(ValueError, match="1 worker at least, not 0"):
        WorkerPool(0)


def test_an_answer_that_comes_after_the_kill_is_of_no_use_and_no_harm(worlds):
    """It may lie in the pipe already when the deadline passes."""

    async def play():
        worker = SharedWorker()
        await worker.start()
        world = pickle.dumps(worlds.Imp)
        await worker.call(0, world, "imp", "reset", (worlds.TASK, 0, False), 60)
        worker.discard(0, world, "imp", 60)
        await worker.kill("enough")
        worker._settle(Answer())
        return worker._reading.exception()

    assert asyncio.run(play()) is None


@pytest.mark.parametrize("started", [True, False])
def test_a_pool_whose_closing_is_cancelled_leaves_no_worker_half_ended(started):
    async def play():
        pool = WorkerPool(2)
        starting = asyncio.ensure_future(pool.start())
        await asyncio.wait([starting], timeout=None if started else 0)
        workers = list(pool._workers)
        closing = asyncio.ensure_future(pool.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await starting
        return [worker._process.returncode for worker in workers]

    assert asyncio.run(play()) == [-signal.SIGKILL] * 2


def closing_pipes(monkeypatch, which):
    """The processes of the given numbers, counted from 0, close their pipe as soon as they have started."""
    start, count = asyncio.create_subprocess_exec, itertools.count()

    async def start_and_close(*arguments, **options):
        process = await start(*arguments, **options)
        if next(count) in which:
            process.stdin.close()
            await process.stdin.wait_closed()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_and_close)


def test_a_worker_that_is_gone_at_once_is_a_fault_and_then_another_takes_its_place(worlds, monkeypatch):
    """uvloop says so in words of its own, which no server may pass on."""
    closing_pipes(monkeypatch, {0})

    async def play():
        async with Imps(worlds, 1) as imps:
            with pytest.raises(EnvironmentFault, match="does not start: it was gone at once"):
                await imps.begun()
            await imps.begun()
            return imps.pool.replaced

    assert uvloop.run(play()) == 1


def test_an_order_to_a_worker_whose_pipe_is_closed_is_a_fault(worlds):
    async def play():
        async with Imps(worlds, 1) as imps:
            world, _ = await imps.begun()
            stdin = imps.pool._workers[0]._process.stdin
            stdin.close()
            await stdin.wait_closed()
            with pytest.raises(EnvironmentFault, match="the worker process is gone"):
                await world.step("wait")
            await imps.begun()

    uvloop.run(play())


def test_a_process_that_is_gone_at_once_is_a_fault(worlds, monkeypatch):
    closing_pipes(monkeypatch, {0})

    async def play():
        world = from_sync(worlds.Imp, "process")
        try:
            with pytest.raises(EnvironmentFault, match="does not start: it was gone at once"):
                await world.reset(worlds.TASK, 0)
        finally:
            await world.close()

    uvloop.run(play())
