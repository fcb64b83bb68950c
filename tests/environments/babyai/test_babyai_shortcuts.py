"""The shortcuts play by the rules and never read the goal."""

import numpy as np
import pytest

import agentgym_rl
from agentgym_rl.environments.babyai.simulation import Simulation


@pytest.mark.parametrize("name", ["visit", "collect"])
def test_shortcuts_play_admissible_actions_whatever_the_goal(name, monkeypatch):
    world = agentgym_rl.make("babyai")
    blind = agentgym_rl.make("babyai")
    for task in list(agentgym_rl.tasks("babyai", "validation"))[::20]:
        world.reset(options={"task": task})
        blind.reset(options={"task": task})
        monkeypatch.setattr(Simulation, "instruction", None, raising=False)
        blind._episode.simulation.mission = "hidden"
        random, same = np.random.default_rng(0), np.random.default_rng(0)
        for _ in range(10):
            action = world.shortcuts()[name](random)
            assert action in world.admissible_actions()
            assert action == blind.shortcuts()[name](same)
            monkeypatch.undo()
            ended = world.step(action)[2:4]
            blind.step(action)
            if any(ended):
                break
            monkeypatch.setattr(Simulation, "instruction", None, raising=False)
        monkeypatch.undo()


def test_visiting_everything_solves_a_room_of_things():
    world = agentgym_rl.make("babyai", levels=["GoToLocalS8N7"])
    tasks = agentgym_rl.tasks("babyai", "test", levels=["GoToLocalS8N7"])
    random = np.random.default_rng(0)
    solved = 0
    for task in tasks:
        _, info = world.reset(options={"task": task})
        for _ in range(25):
            if world.running:
                info = world.step(world.shortcuts()["visit"](random))[4]
        solved += info["success"]
    assert solved >= 0.9 * len(tasks)
