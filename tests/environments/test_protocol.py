"""The base class on a world of ten lines."""

import gymnasium
import pytest

from agentgym_rl.environments.checks import ContractBroken, check_world
from agentgym_rl.environments.errors import ResetNeeded, UnknownTask
from agentgym_rl.environments.protocol import Environment, Transition
from agentgym_rl.environments.task_set import Task, TaskSet

TASKS = [
    Task(f"{split}-{number}", "count", split, "all", {"to": number}) for split in ("train", "test") for number in range(3)
]


class Count(Environment):
    """Each action counts; a die of the episode's chance is shown."""

    id = "count"
    summary = "count"
    instructions = "count"
    action_schema = ()
    freed = 0

    @classmethod
    def tasks(cls, split, **_settings):
        return TaskSet(task for task in TASKS if task.split == split)

    def _begin(self, task):
        if task.data["to"] == 2 and self.settings.get("broken"):
            raise OSError("broken")
        self.count = 0
        return f"count to {task.data['to']}", self._info()

    def _act(self, action):
        self.count += 1
        over = self.count > self.task.data["to"]
        return f"{action} {self.np_random.integers(1000)}", float(over), over, False, self._info()

    def _info(self):
        over = self.count > self.task.data["to"]
        return {"score": float(over), "success": over, "understood": True, "state_key": None}

    def _free(self):
        self.freed += 1


def test_a_task_is_given_as_task_id_or_drawn():
    world = Count()
    assert world.reset(options={"task": TASKS[2]})[0] == "count to 2"
    assert world.task is TASKS[2]
    world.reset(options={"task": "test-1"})
    assert world.task is TASKS[4]
    drawn = set()
    for seed in range(20):
        world.reset(seed=seed)
        drawn.add(world.task.id)
    assert drawn == {"train-0", "train-1", "train-2"}


def test_without_a_seed_the_generator_goes_on():
    first, again = Count(), Count()
    for world in (first, again):
        world.reset(seed=3)
    tasks = [(world.reset() and world.task.id) for _ in range(10) for world in (first, again)]
    assert tasks[::2] == tasks[1::2]
    assert len(set(tasks)) == 3


def test_chance_comes_from_the_seed():
    world = Count()
    dice = []
    for seed in (1, 1, 2):
        world.reset(seed=seed, options={"task": "train-2"})
        dice.append(world.step("x")[0])
    assert dice[0] == dice[1] != dice[2]


def test_steps_outside_an_episode():
    world = Count()
    with pytest.raises(ResetNeeded, match="count: no episode is running; call reset first"):
        world.step("x")
    world.reset(options={"task": "train-0"})
    assert world.step("x")[2]
    with pytest.raises(ResetNeeded):
        world.step("x")
    world.reset(options={"task": "train-1"})
    world.close()
    with pytest.raises(ResetNeeded):
        world.step("x")


def test_a_failed_reset_leaves_no_episode_running():
    world = Count(broken=True)
    world.reset(options={"task": "train-1"})
    with pytest.raises(OSError, match="broken"):
        world.reset(options={"task": "train-2"})
    with pytest.raises(ResetNeeded):
        world.step("x")


def test_close_frees_once_for_each_opening():
    world = Count()
    world.close()
    assert world.freed == 0
    world.reset(seed=0)
    world.close()
    world.close()
    assert world.freed == 1
    world.reset(seed=0)
    world.close()
    assert world.freed == 2


def test_bad_options_and_actions():
    world = Count()
    with pytest.raises(ValueError, match="unknown reset option 'tsk'; known: task"):
        world.reset(options={"tsk": "train-1"})
    with pytest.raises(UnknownTask, match="'train-9' among 6 tasks; nearest: train-"):
        world.reset(options={"task": "train-9"})
    world.reset(seed=0, options={"task": "train-1"})
    with pytest.raises(TypeError, match="an action is a string, not int"):
        world.step(3)


def test_what_a_world_need_not_have():
    world = Count()
    world.reset(seed=0)
    assert (world.admissible_actions(), world.expert_action(), dict(world.shortcuts())) == (None, None, {})


def test_spec_makes_the_world_again_also_through_wrappers():
    world = Count(step=3)
    assert world.spec.deterministic
    assert world.spec.kwargs == {"step": 3}
    again = world.spec.make()
    assert again.get_wrapper_attr("settings") == {"step": 3}
    assert again.spec.deterministic
    wrapped = gymnasium.wrappers.TimeLimit(world, 5)
    assert wrapped.spec.make().get_wrapper_attr("settings") == {"step": 3}
    assert gymnasium.make(world.spec).spec.deterministic


def test_spaces_are_an_instance_s_own():
    one, two = Count(), Count()
    assert one.action_space is not two.action_space
    assert one.action_space == two.action_space


def test_transition_text():
    assert Transition("hello", 0.0, False, False, {}).text == "hello"
    assert Transition({"text": "hello", "image": None}, 0.0, False, True, {}).text == "hello"
    assert Transition("", 0.0, False, True, {}).ended
    assert not Transition("", 0.0, False, False, {}).ended


def test_the_checks_find_what_is_wrong_with_this_world():
    """It has no validation split, and an action that means nothing earns something."""
    with pytest.raises(ContractBroken, match="validation has no task"):
        check_world(f"{__name__}:Count")
