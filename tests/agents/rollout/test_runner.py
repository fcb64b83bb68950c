"""Many episodes: order, concurrency, lanes, errors, worlds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from agentgym_rl.agents.players import RandomPlayer
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.runner import RolloutRunner, play_all
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import Task
from agentgym_rl.records.trajectory import Trajectory, Turn

INFO = {"score": 0.0, "success": False, "understood": True, "state_key": None}


class Slow:
    """An environment whose step takes as many turns of the event loop as ``delay`` says."""

    instructions, action_schema = "", ()

    def __init__(self, delay: Callable[[str], int]) -> None:
        self.delay = delay

    async def reset(self, task: Task, seed: int, *, admissible: bool = False) -> Transition:  # noqa: ARG002
        self.task = task
        return await self.step("")

    async def step(self, action: str, *, admissible: bool = False) -> Transition:  # noqa: ARG002
        for _ in range(self.delay(self.task.id)):
            await asyncio.sleep(0)
        return Transition("", 0.0, bool(action), False, INFO)

    async def close(self) -> None: ...


class Slows:
    settings = SimpleNamespace(id="slow")

    def __init__(self, delay: Callable[[str], int]) -> None:
        self.delay = delay

    def acquire(self) -> Slow:
        return Slow(self.delay)

    async def release(self, environment: Slow, *, healthy: bool) -> None: ...


class Watcher:
    """Records which episodes are open together whenever one begins."""

    wants_admissible = False

    def __init__(self, error_at: int | None = None) -> None:
        self.open: list[int] = []
        self.together: list[tuple[int, ...]] = []
        self.finished: list[int] = []
        self.error_at = error_at

    def begin(self, job: EpisodeJob, environment: Any, attempt: int) -> Any:  # noqa: ARG002
        self.open.append(job.group)
        self.together.append(tuple(sorted(self.open)))

        async def act(state: Transition, turn: int) -> Turn:  # noqa: ARG001
            if job.group == self.error_at:
                raise ValueError("the engine failed")
            return Turn("", "go", "go")

        def finish(trajectory: Trajectory) -> None:  # noqa: ARG001
            self.open.remove(job.group)
            self.finished.append(job.group)

        return SimpleNamespace(act=act, finish=finish)


def jobs(count: int) -> list[EpisodeJob]:
    return [EpisodeJob(Task(str(number), "slow", "train", ""), 0, number, 0, 3) for number in range(count)]


def uneven(task: str) -> int:
    return (7 * int(task)) % 5


def test_results_come_in_the_order_of_the_jobs_and_are_told_as_they_finish() -> None:
    actor, told, kept = Watcher(), [], []
    world: Any = Slows(uneven)
    played = asyncio.run(play_all(jobs(9), [world], actor, progress=lambda *counts: told.append(counts), keep=kept.append))
    assert [one.group for one in played] == list(range(9))
    assert told == [(number, 9) for number in range(1, 10)]
    assert [one.group for one in kept] == actor.finished != list(range(9))
    assert max(map(len, actor.together)) > 5


@pytest.mark.parametrize("fixed_lanes", [True, False])
def test_no_more_than_the_wanted_number_are_open(fixed_lanes: bool) -> None:
    actor = Watcher()
    world: Any = Slows(uneven)
    played = asyncio.run(play_all(jobs(10), [world], actor, concurrency=3, fixed_lanes=fixed_lanes))
    assert [one.group for one in played] == list(range(10))
    assert max(map(len, actor.together)) == 3


def test_fixed_lanes_play_every_so_manieth_job_whatever_takes_how_long() -> None:
    orders = []
    for delay in (uneven, lambda task: (3 * int(task) + 1) % 4):
        actor = Watcher()
        world: Any = Slows(delay)
        asyncio.run(play_all(jobs(10), [world], actor, concurrency=3, fixed_lanes=True))
        orders.append([[one for one in actor.finished if one % 3 == lane] for lane in range(3)])
    assert orders[0] == orders[1] == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]


def test_nobody_waits_for_the_slowest_of_a_round() -> None:
    """Free lanes: while one episode takes very long, the other lane plays all the rest."""
    actor = Watcher()
    world: Any = Slows(lambda task: 500 if task == "0" else 1)
    asyncio.run(play_all(jobs(8), [world], actor, concurrency=2))
    assert actor.finished == [1, 2, 3, 4, 5, 6, 7, 0]


def test_no_jobs_no_episodes() -> None:
    assert asyncio.run(play_all([], [], Watcher())) == []


def test_an_error_stops_all_episodes_and_is_raised_as_it_is() -> None:
    actor = Watcher(error_at=2)
    world: Any = Slows(lambda _: 20)
    with pytest.raises(ValueError, match="the engine failed"):
        asyncio.run(play_all(jobs(6), [world], actor))
    assert not actor.open


def test_a_world_keeps_healthy_environments_and_closes_them_at_the_end() -> None:
    world = World(WorldSettings(id="textcraft"))
    assert world.in_process
    tasks = world.tasks("train")
    with RolloutRunner([world], concurrency=2) as runner:
        some = [EpisodeJob(tasks[number], 0, number, 0, 2) for number in range(5)]
        played = runner.play(some, RandomPlayer(0))
        assert [one.task for one in played] == [tasks[number].id for number in range(5)]
        assert len(world._idle) == 1  # a random player never waits, so one environment does for all
    assert not world._idle
    runner.close()


def test_lanes_are_fixed_where_a_deterministic_run_has_slow_worlds() -> None:
    inline, threaded = World(WorldSettings(id="textcraft")), World(WorldSettings(id="textcraft", runner="thread"))
    assert not threaded.in_process
    for worlds, deterministic, fixed in (
        ([inline], True, False),
        ([inline, threaded], True, True),
        ([threaded], False, False),
    ):
        with RolloutRunner(worlds, deterministic=deterministic) as runner:
            assert runner._fixed_lanes is fixed
