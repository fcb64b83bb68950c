import hashlib
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentgym_rl
from agentgym_rl.environments.errors import UnknownTask
from agentgym_rl.environments.task_set import SPLITS
from agentgym_rl.environments.textcraft.recipes import recipe_book
from agentgym_rl.environments.textcraft.scene import scene_of


@pytest.fixture
def world():
    return agentgym_rl.make("textcraft")


def play(world, task, *actions):
    """The answers (observation, reward, terminated, info) to the actions."""
    world.reset(options={"task": task})
    answers = []
    for action in actions:
        observation, reward, terminated, truncated, info = world.step(action)
        assert not truncated
        answers.append((observation, reward, terminated, info))
    return answers


def test_an_episode_by_hand(world):
    answers = play(
        world,
        "oak_boat",
        "inventory",
        "get 2 oak log",
        "craft 4 oak planks using 1 oak log",
        "inventory",
        "craft 1 oak boat using 5 oak planks",
        "craft oak planks using 1 oak log",
        "craft 1 oak boat using 5 oak planks",
    )
    assert [observation for observation, *_ in answers] == [
        "Inventory: You are not carrying anything.",
        "Got 2 oak log",
        "Crafted 4 oak planks",
        "Inventory: [oak log] (1) [oak planks] (4)",
        "Could not find enough items to craft oak boat: needs 5 oak planks (you have 4).",
        "Crafted 4 oak planks",
        "Crafted 1 oak boat",
    ]
    assert [reward for _, reward, *_ in answers] == [0, 0, 0, 0, 0, 0, 1]
    assert [terminated for _, _, terminated, _ in answers] == [False] * 6 + [True]
    assert [info["score"] for *_, info in answers] == [0, 0, 0, 0, 0, 0, 1]
    assert [info["success"] for *_, info in answers] == [False] * 6 + [True]
    assert all(info["understood"] for *_, info in answers)
    assert world.admissible_actions() == []
    assert world.expert_action() is None


@pytest.mark.parametrize(
    ("action", "observation", "understood"),
    [
        ("get 1 oak planks", "Could not find oak planks: it has to be crafted.", True),
        ("get 1 moon dust", "Could not find moon dust: there is no moon dust.", True),
        ("get 0 oak log", "Could not get 0 oak log: the amount must be 1 or more.", True),
        (
            "get 2 any planks",
            "Could not find any planks: any planks stands for several items, name one, such as acacia planks.",
            True,
        ),
        (
            "craft 4 stick using 2 any planks",
            "Could not find a valid recipe for stick using 2 any planks: "
            "any planks stands for several items, name one, such as acacia planks.",
            True,
        ),
        ("craft 4 stick using 3 oak planks", "Could not find a valid recipe for stick using 3 oak planks.", True),
        ("craft 4 stick using 2 oak log", "Could not find a valid recipe for stick using 2 oak log.", True),
        ("craft 1 wand using 1 stick", "Could not find a valid recipe for wand using 1 stick: there is no wand.", True),
        (
            "craft 4 stick using 2 oak planks",
            "Could not find enough items to craft stick: needs 2 oak planks (you have 0).",
            True,
        ),
        (
            "dance",
            "Could not execute 'dance'. Actions: get N item; craft N item using N item, N item; inventory.",
            False,
        ),
    ],
)
def test_what_goes_wrong_is_said_and_changes_nothing(world, action, observation, understood):
    before = world.reset(options={"task": "oak_boat"})[1]["state_key"]
    offered = world.admissible_actions()
    answer, reward, terminated, _, info = world.step(action)
    assert (answer, reward, terminated) == (observation, 0.0, False)
    assert info == {"score": 0.0, "success": False, "understood": understood, "state_key": before}
    assert world.admissible_actions() == offered


def test_any_of_a_kind_will_do(world):
    for wood in ("oak", "warped"):
        log = "warped stem" if wood == "warped" else f"{wood} log"
        actions = (f"get 1 {log}", f"craft {wood} planks using 1 {log}", f"craft 4 stick using 2 {wood} planks")
        assert play(world, "oak_boat", *actions)[-1][0] == "Crafted 4 stick"


def test_recipes_that_are_not_shown_work_too(world):
    assert "glass bottle" not in world.reset(options={"task": "oak_boat"})[0]
    assert play(world, "oak_boat", "get 3 glass", "craft 3 glass bottle using 3 glass")[-1][0] == "Crafted 3 glass bottle"


def test_the_number_before_the_crafted_item_says_nothing(world):
    assert play(world, "oak_boat", "get 1 oak log", "craft 9 oak planks using 1 oak log")[-1][0] == "Crafted 4 oak planks"


def test_a_large_amount_is_held(world):
    observation = play(world, "oak_boat", "get 999999 oak log", "get 999999 oak log", "inventory")[-1][0]
    assert observation == "Inventory: [oak log] (1999998)"


def test_a_long_action_is_cut_in_the_answer(world):
    (observation, *_, info) = play(world, "oak_boat", "x" * 100_000)[0]
    assert len(observation) < 300
    assert not info["understood"]


def test_admissible_actions_by_hand():
    world = agentgym_rl.make("textcraft", distractors=0)
    world.reset(options={"task": "oak_boat"})
    gets = ["get 1 oak log", "get 1 stripped oak log"]
    assert world.admissible_actions() == [*gets, "inventory"]
    world.step("get 2 oak log")
    craft = "craft 4 oak planks using 1 oak log"
    assert world.admissible_actions() == [craft, *gets, "inventory"]
    world.step(craft)
    world.step(craft)
    assert world.admissible_actions() == ["craft 1 oak boat using 5 oak planks", *gets, "inventory"]


@pytest.mark.parametrize("goal", ["oak_boat", "barrel", "purple_banner", "soul_campfire", "hopper_minecart"])
def test_admissible_actions_against_a_plain_count(world, goal):
    """In random play, the crafts offered are those of the shown recipes whose ingredients are held, counted afresh."""
    random = np.random.default_rng(0)
    world.reset(options={"task": goal})
    held = Counter()
    texts = set(scene_of(goal, 10).text.split("\n"))
    crafts = [craft for recipe in recipe_book().recipes if recipe.text in texts for craft in recipe_book().crafts[recipe]]
    for _ in range(60):
        expected = [craft.text for craft in crafts if all(held[item] >= count for item, count in craft.needs)]
        offered = world.admissible_actions()
        assert offered == sorted(expected) + sorted(scene_of(goal, 10).gets) + ["inventory"]
        action = str(random.choice(offered))
        world.step(action)
        if not world.running:
            break
        if action.startswith("get"):
            _, count, item = action.split(" ", 2)
            held[item] += int(count)
        for craft in crafts:
            if craft.text == action:
                held[craft.output] += craft.made
                held.subtract(dict(craft.needs))


def test_the_oracle_solves_every_task_by_admissible_actions(world):
    longest = Counter()
    for split in SPLITS:
        for task in agentgym_rl.tasks("textcraft", split):
            world.reset(options={"task": task})
            turns = 0
            while world.running:
                action = world.expert_action()
                assert action in world.admissible_actions()
                *_, info = world.step(action)
                turns += 1
                assert turns < 100
            assert info["success"]
            longest[task.category] = max(longest[task.category], turns)
    assert longest == {"depth-1": 4, "depth-2": 19, "depth-3": 91, "depth-4": 36}


def test_the_oracle_solves_from_any_state(world):
    """After a random start, with spare things and missing ones."""
    random = np.random.default_rng(0)
    for task in agentgym_rl.tasks("textcraft", "test"):
        world.reset(options={"task": task})
        for _ in range(8):
            if world.running:
                world.step(str(random.choice(world.admissible_actions())))
        for _ in range(100):
            if world.running:
                world.step(world.expert_action())
        assert not world.running, task.id


def test_the_oracle_uses_what_is_there(world):
    play(world, "oak_boat", "get 2 oak log", "craft 4 oak planks using 1 oak log")
    assert world.expert_action() == "craft 4 oak planks using 1 oak log"
    play(world, "oak_boat", "get 2 oak log", *["craft 4 oak planks using 1 oak log"] * 2)
    assert world.expert_action() == "craft 1 oak boat using 5 oak planks"


def test_splits_are_fixed_and_stratified():
    counts = {(split, task.category): 0 for split in SPLITS for task in agentgym_rl.tasks("textcraft", split)}
    for split in SPLITS:
        for task in agentgym_rl.tasks("textcraft", split):
            counts[split, task.category] += 1
    depths = [f"depth-{depth}" for depth in (1, 2, 3, 4)]
    assert [counts["test", depth] for depth in depths] == [34, 82, 34, 3]
    assert [counts["validation", depth] for depth in depths] == [12, 29, 12, 1]
    assert [counts["train", depth] for depth in depths] == [77, 183, 74, 7]
    assert agentgym_rl.tasks("textcraft", "test").categories == tuple(depths)


def test_the_first_observations_of_all_tasks_are_fixed(world):
    digest = hashlib.sha256()
    for split in SPLITS:
        for task in agentgym_rl.tasks("textcraft", split):
            digest.update(world.reset(options={"task": task})[0].encode())
            digest.update("\n".join(world.admissible_actions()).encode())
    assert digest.hexdigest() == "c0b61b94de7e1a679e23f484d38e059ebd0f3d0b1c70ae823e809e5132e117b3"


def test_the_state_key_is_the_goal_and_what_is_held(world):
    one = play(world, "oak_boat", "get 1 oak log", "get 2 coal")[-1][3]["state_key"]
    same = play(world, "oak_boat", "get 1 coal", "dance", "get 1 coal", "get 1 oak log")[-1][3]["state_key"]
    less = play(world, "oak_boat", "get 1 oak log", "get 1 coal")[-1][3]["state_key"]
    other = play(world, "oak_fence", "get 1 oak log", "get 2 coal")[-1][3]["state_key"]
    assert one == same
    assert len({one, less, other}) == 3


def test_a_task_is_drawn_from_train_by_the_seed(world):
    train = agentgym_rl.tasks("textcraft", "train")
    drawn = []
    for seed in (1, 1, 2, 3):
        world.reset(seed=seed)
        drawn.append(world.task)
    world.reset()
    drawn.append(world.task)
    assert all(task in train for task in drawn)
    assert drawn[0] == drawn[1]
    assert len({task.id for task in drawn}) > 2


def test_shortcuts(world):
    random = np.random.default_rng(0)
    world = agentgym_rl.make("textcraft", distractors=0)
    for name, crafts_planks in (("craft_goal_else_get", False), ("craft_any_else_get", True)):
        world.reset(options={"task": "oak_boat"})
        player = world.shortcuts()[name]
        first = [player(random)]
        world.step(first[0])
        assert first[0] in ("get 1 oak log", "get 1 stripped oak log")
        second = player(random)
        assert second.startswith("craft 4 oak planks" if crafts_planks else "get 1")
        assert second != first[0]
        for action in ("get 2 oak log", "craft oak planks using 1 oak log", "craft oak planks using 1 oak log"):
            world.step(action)
        assert player(random) == "craft 1 oak boat using 5 oak planks"


@pytest.mark.parametrize("option", ["distractors", "scenes"])
@pytest.mark.parametrize("value", [-1, "4", "x", True, 1.5, None, [1]])
def test_options_that_are_no_amounts_are_refused_wherever_they_are_given(option, value):
    least = {"distractors": 0, "scenes": 1}[option]
    said = re.escape(f"environment 'textcraft': {option} must be a whole number, {least} or more, not {value!r}")
    with pytest.raises(ValueError, match=said):
        agentgym_rl.make("textcraft", **{option: value})
    for split in ("train", "validation", "test"):
        with pytest.raises(ValueError, match=said):
            agentgym_rl.tasks("textcraft", split=split, **{option: value})


def test_scenes_are_more_train_tasks_of_the_same_goals():
    with pytest.raises(ValueError, match="scenes must be a whole number, 1 or more, not 0"):
        agentgym_rl.tasks("textcraft", scenes=0)
    one, four = (agentgym_rl.tasks("textcraft", split="train", scenes=scenes) for scenes in (1, 4))
    assert len(four) == 4 * len(one)
    assert [task.id for task in four][:5] == [one[0].id, *(f"{one[0].id}~{scene}" for scene in (2, 3, 4)), one[1].id]
    assert {task.content for task in four} == {task.content for task in one}
    for split in ("validation", "test"):
        assert list(agentgym_rl.tasks("textcraft", split=split, scenes=4)) == list(
            agentgym_rl.tasks("textcraft", split=split)
        )
    world = agentgym_rl.make("textcraft", scenes=4)
    texts = [
        world.reset(options={"task": task})[0]
        for task in ("dark_oak_boat", "dark_oak_boat~2", "dark_oak_boat~3", "dark_oak_boat~4")
    ]
    assert len({text.rpartition("Goal: ")[2] for text in texts}) == 1
    assert len(set(texts)) == 4
    with pytest.raises(UnknownTask, match="dark_oak_boat~5"):
        world.reset(options={"task": "dark_oak_boat~5"})


ACTIONS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(sorted(craft.text for crafts in recipe_book().crafts.values() for craft in crafts)),
    st.builds("get {} {}".format, st.integers(-1, 12), st.sampled_from(sorted(recipe_book().items))),
    st.just("inventory"),
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(recipe_book().goals)), st.lists(ACTIONS, max_size=15))
def test_whatever_is_done_the_contract_holds_and_the_oracle_still_solves_it(goal, actions):
    world = agentgym_rl.make("textcraft")
    world.reset(options={"task": goal})
    earned = 0.0
    for action in [*actions, *[None] * 100]:
        if not world.running:
            break
        observation, reward, terminated, truncated, info = world.step(
            action if action is not None else world.expert_action()
        )
        earned += reward
        assert earned == info["score"] == float(info["success"]) == float(terminated)
        assert not truncated
        assert isinstance(observation, str)
    assert earned == 1.0
