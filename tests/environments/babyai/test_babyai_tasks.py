"""Task sets: which levels, how many, and no layout in two splits."""

import gymnasium
import pytest

import agentgym_rl
from agentgym_rl.environments.babyai.levels import BENCHMARK, CATEGORY, gym_id
from agentgym_rl.environments.babyai.simulation import Simulation, require_minigrid
from agentgym_rl.environments.task_set import SPLITS


def test_default_set_is_the_benchmark():
    sizes = {"train": 200, "validation": 10, "test": 20}
    for split, size in sizes.items():
        tasks = agentgym_rl.tasks("babyai", split)
        assert tasks.categories == ("GoTo", "Pickup", "ActionObjDoor", "FindObjS7", "OneRoomS20", "SynthLoc")
        assert len(tasks) == 18 * size
        assert [len(tasks.filter(category)) for category in tasks.categories] == [
            size * len(levels) for levels in BENCHMARK.values()
        ]


def test_levels_on_request():
    tasks = agentgym_rl.tasks("babyai", "test", levels=["GoToDoor", "Unlock"])
    assert {task.id.partition("/")[0] for task in tasks} == {"GoToDoor", "Unlock"}
    assert tasks.categories == ("GoTo", "Unlock")
    everything = agentgym_rl.tasks("babyai", "test", levels="all")
    assert {task.id.partition("/")[0] for task in everything} == set(CATEGORY)
    assert len(agentgym_rl.tasks("babyai", "test", levels="GoToDoor")) == 20


def test_the_table_of_levels_is_minigrids():
    require_minigrid()
    assert {gym_id(level) for level in CATEGORY} == {id for id in gymnasium.registry if id.startswith("BabyAI-")}


def test_a_task_id_is_enough():
    world = agentgym_rl.make("babyai")
    observation, _ = world.reset(options={"task": "GoToRedBall/20003"})
    assert observation == world.reset(seed=9, options={"task": agentgym_rl.tasks("babyai", "test")["GoToRedBall/20003"]})[0]


@pytest.mark.slow
@pytest.mark.parametrize("levels", [None, ["GoToObjS4", "OpenRedDoor", "OpenRedBlueDoors", "OpenRedBlueDoorsDebug"]])
def test_no_layout_is_in_two_splits_or_twice_in_a_level(levels):
    owners = {}
    for split in SPLITS:
        for task in agentgym_rl.tasks("babyai", split, levels=levels):
            layout = Simulation(task.data["level"], task.data["seed"]).layout_key()
            for level, other in owners.get(layout, []):
                assert split == other, f"{task.id} is also in {other}, as a task of {level}"
                assert level != task.data["level"], f"{task.id} is twice in {level}"
            owners.setdefault(layout, []).append((task.data["level"], split))
