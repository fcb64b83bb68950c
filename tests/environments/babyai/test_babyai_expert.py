"""The oracle solves what can be solved, in few turns, from any state, and always comes back with an action."""

import numpy as np
import pytest
from minigrid.core.world_object import Ball, Box, Door, Key
from minigrid.envs.babyai.core.verifier import ObjDesc, PickupInstr, PutNextInstr

import agentgym_rl
from agentgym_rl.environments.babyai.levels import CATEGORY


def play(world, turns):
    """The oracle's actions up to the end, and the last info."""
    actions, info = [], {}
    while world.running and len(actions) < turns:
        actions.append(world.expert_action())
        assert actions[-1] in world.admissible_actions()
        info = world.step(actions[-1])[4]
    return actions, info


@pytest.mark.slow
def test_it_solves_the_default_set():
    world = agentgym_rl.make("babyai")
    tasks = agentgym_rl.tasks("babyai", "test")
    solved = turns = 0
    for task in tasks:
        world.reset(options={"task": task})
        actions, info = play(world, 60)
        solved += info["success"]
        turns += len(actions)
    assert solved >= 0.99 * len(tasks)
    assert turns / len(tasks) < 5


@pytest.mark.parametrize("level", list(CATEGORY))
def test_it_solves_every_level(level):
    world = agentgym_rl.make("babyai", levels=[level])
    world.reset(options={"task": agentgym_rl.tasks("babyai", "validation", levels=[level])[0]})
    assert play(world, 80)[1]["success"]


def test_it_takes_over_from_a_random_player():
    world = agentgym_rl.make("babyai")
    random = np.random.default_rng(0)
    solved = []
    for task in list(agentgym_rl.tasks("babyai", "validation"))[::4]:
        world.reset(options={"task": task})
        for _ in range(5):
            if world.running:
                world.step(str(random.choice(world.admissible_actions())))
        if world.running:
            solved.append(play(world, 100)[1]["success"])
    # A random player may lose the mission for good: it opens the box that is asked for.
    assert np.mean(solved) > 0.9


def test_it_does_not_remember():
    """Asking or not asking it earlier changes nothing."""
    task = agentgym_rl.tasks("babyai", "test")["GoToImpUnlock/20001"]
    asked = agentgym_rl.make("babyai")
    asked.reset(options={"task": task})
    actions, _ = play(asked, 60)
    silent = agentgym_rl.make("babyai")
    silent.reset(options={"task": task})
    for action in actions[:-1]:
        silent.step(action)
    assert silent.expert_action() == actions[-1]


def test_it_fetches_the_key_and_frees_its_hands(draw):
    rows = [
        "###############",
        "#......#......#",
        "#.1....#......#",
        "#....>.0..2...#",
        "#......#......#",
        "#......#......#",
        "#......#......#",
        "###############",
    ]
    things = [lambda: Door("blue", is_locked=True), lambda: Key("blue"), lambda: Ball("red")]
    world = draw(rows, things, lambda _: PickupInstr(ObjDesc("ball", "red")))
    actions, info = play(world, 20)
    assert info["success"]
    decisive = ["pick up blue key 1", "toggle and go through blue door 1", "drop", "pick up red ball 1"]
    assert [action for action in actions if action in decisive] == decisive


def test_it_clears_its_way(draw):
    rows = ["########", "#..#0..#", "#..#...#", "#..##1##", "#..2...#", "#......#", "#..^...#", "########"]
    things = [lambda: Ball("red"), lambda: Ball("green"), lambda: Box("blue")]
    world = draw(rows, things, lambda _: PutNextInstr(ObjDesc("box", "blue"), ObjDesc("ball", "red")))
    actions, info = play(world, 30)
    assert info["success"]
    assert actions.index("pick up green ball 1") < actions.index("pick up blue box 1")


def test_at_a_loss_it_still_acts(draw):
    """The box that is asked for is gone: it turns on the spot."""
    rows = ["########", "#......#", "#......#", "#..0...#", "#..^...#", "#......#", "#......#", "########"]
    world = draw(rows, [lambda: Box("red")], lambda _: PickupInstr(ObjDesc("box", "red")))
    world.step("toggle")
    assert play(world, 10)[0] == ["turn left"] * 10
