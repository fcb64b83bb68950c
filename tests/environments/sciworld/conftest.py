"""One Java process for all tests of a session: it takes seconds to start and more to get fast."""

import pytest

from agentgym_rl.environments.sciworld import SciWorld
from agentgym_rl.environments.sciworld.kinds import ALL
from agentgym_rl.environments.sciworld.simulator import Simulator
from agentgym_rl.environments.sciworld.task_list import task_set


@pytest.fixture(scope="session")
def running():
    """Keeps the Java process of this Python process running. Also a simulator to play with."""
    simulator = Simulator()
    yield simulator
    simulator.close()


@pytest.fixture
def world(running):  # noqa: ARG001 - it keeps Java running
    """``world(task id, **settings)``: a world with an episode of that task, its first observation in ``first``."""
    made = []

    def make(task, **settings):
        world = SciWorld(**{"kinds": "all", **settings})
        made.append(world)
        world.first, world.first_info = world.reset(options={"task": task})
        return world

    yield make
    for world in made:
        world.close()


@pytest.fixture(scope="session")
def train_tasks():
    """All tasks of the train split."""
    return task_set("train", ALL)
