"""A run's worlds play wherever they are told to run."""

from __future__ import annotations

import asyncio
from typing import Literal

import pytest

from agentgym_rl.agents.players import player_named
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.settings import WorldSettings


@pytest.mark.parametrize("runner", ["inline", "thread", "process"])
def test_every_runner_plays(runner: Literal["inline", "thread", "process"]) -> None:
    world = World(WorldSettings(id="textcraft", options={"distractors": 2}, runner=runner))
    task = world.tasks("train").filter("depth-1")[0]
    with RolloutRunner([world], concurrency=1) as rollouts:
        episodes = rollouts.play([EpisodeJob(task, 0, 0, index, 30) for index in range(2)], player_named("expert", 0))
    assert [episode.faults for episode in episodes] == [[], []]
    assert all(episode.success for episode in episodes)


@pytest.mark.parametrize("runner", ["inline", "thread", "process"])
def test_what_broke_is_put_away_without_a_wait(runner: Literal["inline", "thread", "process"]) -> None:
    """Else its time to close would decide which messages a deterministic engine samples together."""
    world = World(WorldSettings(id="textcraft", runner=runner))

    async def play() -> None:
        environment = world.acquire()
        await environment.reset(world.tasks("train")[0], 0)
        with pytest.raises(EnvironmentFault):
            await environment.step(5)  # type: ignore[arg-type]
        with pytest.raises(StopIteration):  # it ends before it ever yields to the loop
            world.release(environment, healthy=False).send(None)

    asyncio.run(play())
