"""Scores, rewards, endings, and what is passed on to the simulator."""

import pytest

from agentgym_rl.environments.sciworld import SciWorld
from agentgym_rl.environments.sciworld.episode import CANCELLED, UNKNOWN


def test_a_turn_is_rewarded_with_what_it_gained(world):
    env = world("lifespan-shortest-lived/40")
    assert env.first.startswith("Your task is to find the animal with the shortest life span.")
    assert env.first_info["score"] == 0.0
    turns = [env.step(action) for action in ("open door to outside", "go to outside", "focus on baby baby dragonfly")]
    assert [turn[1] for turn in turns] == [0.0, 0.5, 0.5]
    assert [turn[4]["score"] for turn in turns] == [0.0, 0.5, 1.0]
    assert turns[-1][2:4] == (True, False)
    assert turns[-1][4]["success"] is True


def test_a_failed_task_takes_back_what_was_gained(world):
    env = world("lifespan-shortest-lived/40")
    env.step("open door to outside")
    earned = env.step("go to outside")[1]
    _, reward, terminated, _, info = env.step("focus on axe")
    assert (earned, reward, terminated, info["score"], info["success"]) == (0.5, -0.5, True, 0.0, False)
    assert env.admissible_actions() == []
    assert env.expert_action() is None


def test_the_room_one_begins_in_earns_nothing_before_the_first_action(world):
    env = world("find-non-living-thing/150")  # it begins in the kitchen, to which the task wants one to go
    assert env.first_info["score"] == 0.0
    assert env.step("look around")[1] > 0


def test_reset_task_is_neither_offered_nor_obeyed(world):
    env = world("lifespan-shortest-lived/40", admissible="all")
    assert "reset task" not in env.admissible_actions()
    env.step("open door to outside")
    env.step("go to outside")
    for said in ("reset task", "Reset  Task.", "RESET TASK"):
        observation, reward, _, _, info = env.step(said)
        assert (observation, reward, info["score"], info["understood"]) == (UNKNOWN, 0.0, 0.5, False)


def test_an_ambiguous_request_is_answered_by_number(world):
    env = world("find-plant/0")
    question = _ask_an_ambiguous_question(env)
    numbers = env.admissible_actions()
    assert numbers == [str(number) for number in range(len(numbers))]
    assert len(numbers) > 1
    assert "0:" in question
    answer, *_, info = env.step("0")
    assert info["understood"]
    assert not answer.startswith("Ambiguous")
    _ask_an_ambiguous_question(env)
    answer, _, _, _, info = env.step("look around")
    assert (answer, info["understood"]) == (CANCELLED, False)
    assert "look around" in env.admissible_actions()


def _ask_an_ambiguous_question(env):
    env.step("open door to kitchen")
    env.step("go to kitchen")
    observation, *_, info = env.step("look at orange")  # one in the bowl, one in the inventory
    assert observation.startswith("Ambiguous request")
    assert info["understood"]
    return observation


def test_a_move_limit_truncates(world):
    env = world("boil/0", moves=3)
    ends = [env.step(action)[2:4] for action in ("wait1", "inventory", "look around", "wait1")]  # wait1 takes two moves
    assert ends == [(False, False)] * 3 + [(False, True)]


def test_simplifications_are_settings(world):
    env = world("find-plant/0", simplifications="easy")
    assert "teleport to kitchen" in env.admissible_actions()
    assert env.step("teleport to kitchen")[4]["understood"]
    plain = world("find-plant/0")
    assert not plain.step("teleport to kitchen")[4]["understood"]


def test_simulators_in_one_process_do_not_disturb_each_other(world):
    """Their shared variables are put in place before each call; interleaved episodes are those played alone."""
    tasks = ("find-animal/3", "chemistry-mix-paint-secondary-color/0", "use-thermometer/5")
    script = ["look around", "open door to kitchen", "go to kitchen", "wait", "open door to hallway", "look around"]
    alone = {task: _play(world(task), script) for task in tasks}
    worlds = {task: world(task) for task in tasks}
    together = {task: [env.first] for task, env in worlds.items()}
    for action in script:
        for task, env in worlds.items():
            env.admissible_actions()
            together[task].append(env.step(action)[0])
    assert together == alone


def _play(env, script):
    return [env.first, *(env.step(action)[0] for action in script)]


def test_a_published_id_begins_its_task(world):
    assert world("agentgym:2936").task.id == "find-living-thing/0"


@pytest.mark.parametrize("text", ["x" * 301, "look around\x00", "\ud83d", "99999999999999999999"])
def test_odd_text_is_not_understood_and_takes_no_time(world, text):
    env = world("find-plant/0")
    observation, reward, _, _, info = env.step(text)
    assert (observation, reward, info["understood"]) == (UNKNOWN, 0.0, False)


def test_a_world_opens_again_after_close():
    env = SciWorld(kinds=["lifespan-longest-lived"])
    first, _ = env.reset(seed=0)
    env.close()
    env.close()
    assert env.reset(seed=0)[0] == first
    env.close()
