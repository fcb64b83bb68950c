"""Any environment of Gymnasium as a text world."""

import asyncio
from functools import partial

import gymnasium
import numpy as np
import pytest

import agentgym_rl
from agentgym_rl.environments.aio.from_sync import from_sync
from agentgym_rl.environments.checks import (
    CHECKS,
    check_gymnasium,
    check_misuse,
    check_odd_actions,
    check_rewards,
    check_world,
)
from agentgym_rl.environments.errors import MissingExtra, UnknownEnvironment, UnknownTask
from agentgym_rl.environments.service.server.served_world import ServedWorld


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["FrozenLake-v1", "Taxi-v4", "CliffWalking-v1", "Blackjack-v1"])
def test_contract(name, check):
    check(f"gymnasium:{name}", {})


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("CartPole-v1", {}),
        ("gym_worlds:Steps-v0", {"arguments": {"start": -1}, "returns": [0, 4]}),
        ("gym_worlds:Switches-v0", {}),
        ("gym_worlds:Echo-v0", {}),
    ],
)
def test_contract_of_other_kinds(name, settings):
    check_world(f"gymnasium:{name}", **settings)


@pytest.mark.parametrize("check", [check_gymnasium, check_misuse, check_odd_actions, check_rewards])
def test_contract_with_pictures(check):
    check("gymnasium:gym_worlds:Steps-v0", {"image": True})


def test_chance_in_the_episode_comes_from_the_seed_and_the_beginning_from_the_task():
    with agentgym_rl.make("gymnasium:gym_worlds:Chancy-v0") as world:
        assert not world.deterministic

        def drawn(task, seed):
            world.reset(seed=seed, options={"task": task})
            world.step("0")
            return world._env.unwrapped.chance

        assert drawn("Chancy-v0/3", 1) == drawn("Chancy-v0/3", 1)
        assert drawn("Chancy-v0/3", 1) != drawn("Chancy-v0/3", 2)


def test_slippery_ice_slides_by_the_seed():
    with agentgym_rl.make("gymnasium:FrozenLake-v1") as world:
        places = {
            (world.reset(seed=seed, options={"task": "FrozenLake-v1/0"}), world.step("right")[0])[1] for seed in range(12)
        }
        assert len(places) == 3


def test_a_policy_that_knows_the_lake_wins_and_is_paid_at_the_end():
    with agentgym_rl.make("gymnasium:FrozenLake-v1", arguments={"is_slippery": False}) as world:
        world.reset(seed=0)
        turns = [world.step(action) for action in ("down", "down", "right", "right", "down", "RIGHT ")]
    assert [turn[1] for turn in turns] == [0, 0, 0, 0, 0, 1]
    assert turns[-1][0].endswith("You have reached the goal.\nThe episode has ended with a return of 1.")
    assert turns[-1][4]["success"]
    assert turns[-1][2] is True
    assert turns[1][4]["state_key"] != turns[2][4]["state_key"]


def test_a_hole_is_the_end_without_success():
    with agentgym_rl.make("gymnasium:FrozenLake-v1", arguments={"is_slippery": False}) as world:
        world.reset(seed=0)
        world.step("down")
        observation, reward, terminated, _, info = world.step("right")
    assert "You have fallen into a hole." in observation
    assert (reward, terminated, info["score"], info["success"]) == (0.0, True, 0.0, False)


def _drive(world, actions):
    for action in actions:
        turn = world.step(action)
    return turn


def test_the_taxi_says_where_all_are_and_offers_what_its_mask_allows():
    with agentgym_rl.make("gymnasium:Taxi-v4") as world:
        world.reset(seed=0, options={"task": "Taxi-v4/0"})
        env = world._env.unwrapped
        env.s = env.encode(0, 0, 0, 1)  # at R with the passenger, who wants to go to G
        observation = _drive(world, ["pick up"])[0]
        assert (
            "The taxi is at row 0, column 0. The passenger is in the taxi and wants to go to G (row 0, column 4)."
            in observation
        )
        assert world.admissible_actions() == ["south", "east", "drop off"]
        turn = _drive(world, [*["south"] * 2, *["east"] * 4, *["north"] * 2, "drop off"])
    assert turn[2] is True
    assert turn[4]["success"]
    assert turn[1] == turn[4]["score"] == pytest.approx((20 - 9 + 200) / 220)


def test_the_time_limit_truncates_and_its_return_counts():
    with agentgym_rl.make("gymnasium:Taxi-v4", max_steps=3, returns=[-10, 10]) as world:
        world.reset(seed=0)
        assert "An episode has 3 actions at most." in world.instructions
        world.step("south")
        world.step("no such action")
        world.step("south")
        _, reward, terminated, truncated, info = world.step("south")
    assert (terminated, truncated) == (False, True)
    assert reward == info["score"] == pytest.approx(7 / 20)
    assert not info["success"]


def test_the_cliff():
    with agentgym_rl.make("gymnasium:CliffWalking-v1") as world:
        world.reset(seed=0)
        turn = _drive(world, ["up", *["right"] * 11, "down"])
        assert turn[1] == 1.0
        assert turn[4]["success"]
        world.reset(seed=0)
        assert "You are at row 3, column 0." in world.step("right")[0]


def test_an_action_that_is_none_costs_a_turn_and_nothing_else():
    with agentgym_rl.make("gymnasium:FrozenLake-v1") as world:
        before, _ = world.reset(seed=0)
        observation, reward, *_, info = world.step("go left")
        assert observation == f"That is no action here. Actions: left, down, right, up.\n{before}"
        assert reward == 0
        assert not info["understood"]
        assert world._env._elapsed_steps == 0


def test_parts_of_an_action_have_names_of_their_own():
    names = [["off", "on"], ["left", "right"]]
    with agentgym_rl.make("gymnasium:gym_worlds:Switches-v0", actions=names) as world:
        world.reset(seed=0)
        assert world.admissible_actions() == ["off, left", "off, right", "on, left", "on, right"]
        assert world.action_schema[0].template == "{part_1}, {part_2}"
        assert world.action_schema[0].parameters[1].enum == ("left", "right")
        assert not world.step("on")[4]["understood"]
        assert not world.step("on, up")[4]["understood"]
        assert world.step("On,right")[1] == 1.0


def test_too_many_combinations_are_not_listed():
    with agentgym_rl.make("gymnasium:gym_worlds:Switches-v0", arguments={"many": 400}) as world:
        world.reset(seed=0)
        assert world.admissible_actions() is None


def test_texts_are_actions_where_the_space_has_them():
    with agentgym_rl.make("gymnasium:gym_worlds:Echo-v0") as world:
        assert world.reset(seed=0)[0] == "Say hello"
        assert world.admissible_actions() is None
        assert world.step("a")[0] == "That is no action here. Actions: a text of 2 to 8 characters.\nSay hello"
        assert world.step("olleh")[0] == "You said olleh"
        assert world.step("hello")[4]["success"]


def test_functions_of_the_actions():
    assert [one.name for one in agentgym_rl.make("gymnasium:Taxi-v4").action_schema][-2:] == ["pick_up", "drop_off"]
    (act,) = agentgym_rl.make("gymnasium:gym_worlds:Steps-v0").action_schema
    assert act.parameters[0].enum == ("-1", "0", "1")


def test_templates():
    template = "{render} | {observation[note]} | {actions}"
    with agentgym_rl.make("gymnasium:gym_worlds:Steps-v0", template=template, actions=["down", "stay", "up"]) as world:
        observation, _ = world.reset(seed=0, options={"task": "Steps-v0/5"})
        place = observation[0]
        assert observation == f"{place} | at {place} | down, stay, up"
    with agentgym_rl.make("gymnasium:gym_worlds:Steps-v0") as world:
        assert world.reset(seed=0, options={"task": "Steps-v0/5"})[0] == f"at: {place}, {place}\nnote: at {place}"


def test_pictures():
    with agentgym_rl.make("gymnasium:gym_worlds:Steps-v0", image=True, template="{observation[note]}") as world:
        observation, _ = world.reset(seed=0)
        at = float(observation["text"].removeprefix("at "))
        assert observation["image"].shape == (4, 6, 3)
        assert np.all(observation["image"] == 7 + at)
        assert observation in world.observation_space


def test_a_world_of_pictures_needs_no_words():
    settings = {"arguments": {"shape": [40, 40]}}
    with pytest.raises(ValueError, match="an observation has 1601 numbers, too many to read"):
        agentgym_rl.make("gymnasium:gym_worlds:Steps-v0", **settings)
    with agentgym_rl.make("gymnasium:gym_worlds:Steps-v0", image=True, **settings) as world:
        assert world.reset(seed=0)[0]["text"] == "See the picture."


def test_state_keys_only_where_they_are_asked_for_or_known():
    for settings, keyed in (({}, False), ({"observation_is_state": True}, True)):
        with agentgym_rl.make("gymnasium:gym_worlds:Steps-v0", actions=["down", "stay", "up"], **settings) as world:
            keys = [world.reset(seed=0)[1]["state_key"], *(world.step(name)[4]["state_key"] for name in ("up", "down"))]
            assert (keys[0] is not None) == keyed
            assert (keys[0] == keys[2] != keys[1]) == keyed


def test_tasks_are_seeds_that_splits_do_not_share():
    settings = {"train": 5, "validation": 2, "test": 3}
    sets = {split: agentgym_rl.tasks("gymnasium:FrozenLake-v1", split, **settings) for split in settings}
    assert {split: len(found) for split, found in sets.items()} == settings
    assert sets["train"][0].id == "FrozenLake-v1/0"
    assert sets["test"][0].id == "FrozenLake-v1/2000000"
    other = agentgym_rl.tasks("gymnasium:FrozenLake-v1", "train", arguments={"map_name": "8x8"})
    assert other[0].id != "FrozenLake-v1/0"
    with agentgym_rl.make("gymnasium:FrozenLake-v1") as world, pytest.raises(UnknownTask):
        world.reset(options={"task": other[0].id})


def test_it_runs_in_a_worker_process():
    async def play():
        environment = from_sync(partial(agentgym_rl.make, "gymnasium:FrozenLake-v1"), "process")
        first = await environment.reset(agentgym_rl.tasks("gymnasium:FrozenLake-v1")[0], 0, admissible=True)
        await environment.step("down")
        await environment.close()
        return first

    assert asyncio.run(play()).admissible == ("left", "down", "right", "up")


def test_it_can_be_served():
    served = ServedWorld("gymnasium:gym_worlds:Steps-v0", {"image": True})
    assert served.description.pictures["image"].width == 6
    assert served.description.splits["validation"].tasks == 100


def test_a_closed_world_opens_again():
    world = agentgym_rl.make("gymnasium:FrozenLake-v1")
    first = world.reset(seed=0)[0]
    world.close()
    assert world.reset(seed=0)[0] == first
    world.close()


@pytest.mark.parametrize(
    ("name", "settings", "error", "message"),
    [
        ("FrozenLakes-v1", {}, UnknownEnvironment, "Did you mean: `FrozenLake`"),
        ("FrozenLake-v9", {}, UnknownEnvironment, "v9"),
        ("no_such_module:FrozenLake-v1", {}, UnknownEnvironment, "there is no module 'no_such_module'"),
        ("gym_worlds:NeedsPackage-v0", {}, MissingExtra, "no_such_package"),
        ("gym_worlds:Steering-v0", {}, ValueError, "takes actions of Box"),
        ("gym_worlds:Costly-v0", {}, ValueError, r"give returns=\[worst, best\]"),
        ("FrozenLake-v1", {"actions": ["up"]}, ValueError, "actions needs 4 names, not 1: up"),
        ("FrozenLake-v1", {"actions": ["a", "b", "A", "d"]}, ValueError, "names that differ"),
        ("gym_worlds:Switches-v0", {"actions": [["a", "b"]]}, ValueError, "actions needs 2 lists of names, not 1"),
        ("gym_worlds:Echo-v0", {"actions": ["a"]}, ValueError, "actions would do nothing"),
        ("FrozenLake-v1", {"template": "{txt}"}, ValueError, "no field 'txt'; known: text, observation, actions, render"),
        ("FrozenLake-v1", {"template": "{text"}, ValueError, "expected '}'"),
        ("FrozenLake-v1", {"template": "{render}", "image": True}, ValueError, "exclude each other"),
        ("gym_worlds:Switches-v0", {"image": True}, ValueError, "has no render mode 'rgb_array'"),
        ("FrozenLake-v1", {"arguments": {"size": 3}}, ValueError, "unexpected keyword argument 'size'"),
        ("FrozenLake-v1", {"returns": [1, 0]}, ValueError, "the worst being less"),
        ("FrozenLake-v1", {"success": "won"}, ValueError, "give a return, 'terminated' or 'positive'"),
        ("FrozenLake-v1", {"slippery": True}, ValueError, "has no setting 'slippery'"),
    ],
)
def test_what_is_refused_says_why(name, settings, error, message):
    with pytest.raises(error, match=message):
        agentgym_rl.make(f"gymnasium:{name}", **settings)


@pytest.mark.parametrize("count", [0, 1_000_001, "many"])
def test_a_number_of_tasks_is_one(count):
    with pytest.raises(ValueError, match="give a number of tasks from 1 to 1000000"):
        agentgym_rl.tasks("gymnasium:FrozenLake-v1", "test", test=count)


@pytest.mark.parametrize(
    ("name", "threshold", "worst", "best"), [("CartPole-v1", 475, 0, 475), ("MountainCar-v0", -110, -200, -110)]
)
def test_returns_of_the_registration(name, threshold, worst, best):
    assert gymnasium.spec(name).reward_threshold == threshold
    scoring = agentgym_rl.make(f"gymnasium:{name}")._scoring
    assert (scoring.worst, scoring.best) == (worst, best)
    assert scoring.score(best + 50) == 1.0
    assert scoring.score(worst - 50) == 0.0
