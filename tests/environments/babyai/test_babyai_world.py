"""The world as a whole: scores, endings, pictures, what it prints and imports."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from minigrid.core.world_object import Ball
from minigrid.envs.babyai.core.verifier import ObjDesc, PickupInstr

import agentgym_rl
from agentgym_rl.environments.babyai import BabyAI
from agentgym_rl.environments.babyai.simulation import Simulation, require_minigrid
from agentgym_rl.environments.errors import MissingExtra

SOME = ("GoToLocalS8N7", "GoToSeqS5R2", "PickupDistDebug", "SynthLoc", "KeyInBox", "BossLevel")


def test_a_wrong_pick_up_fails_a_strict_mission(draw):
    rows = ["########", "#......#", "#......#", "#.0.1..#", "#......#", "#......#", "#...^..#", "########"]
    mission = lambda _: PickupInstr(ObjDesc("ball", "red"), strict=True)  # noqa: E731
    world = draw(rows, [lambda: Ball("red"), lambda: Ball("green")], mission)
    observation, reward, terminated, truncated, info = world.step("pick up green ball 1")
    assert observation == "The mission has failed."
    assert (reward, terminated, truncated, info["success"], info["score"]) == (0.0, True, False, False, 0.0)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_any_play_keeps_the_rules(data):
    """Admissible actions change the world, others leave it as it is, and all that is earned comes at the end."""
    world = BabyAI(levels=SOME)
    tasks = world.tasks("train", levels=SOME)
    world.reset(options={"task": tasks[data.draw(st.integers(0, len(tasks) - 1))]})
    simulation = world._episode.simulation
    for _ in range(12):
        before, steps = simulation.state_key(), simulation.env.step_count
        offered = world.admissible_actions()
        if data.draw(st.integers(0, 3)):
            action = data.draw(st.sampled_from(offered))
        else:
            kind = data.draw(st.sampled_from(["ball", "box", "key", "door"]))
            verb = data.draw(st.sampled_from(["go to", "pick up", "go through", "toggle and go through"]))
            action = data.draw(st.sampled_from([f"{verb} red {kind} 1", "drop", "toggle", "move forward", "nonsense"]))
        observation, reward, terminated, truncated, info = world.step(action)
        changed = info["state_key"] != before or simulation.env.step_count != steps
        assert changed == (action in offered)
        assert info["understood"] == (action != "nonsense")
        assert reward == info["score"]
        assert (reward > 0) == info["success"] == (observation == "Goal reached.")
        if terminated or truncated:
            assert not world.running
            return
        assert reward == 0


def test_admissible_actions_change_the_state():
    """Not only time passes: what is offered has an effect."""
    world = BabyAI(levels=SOME)
    random = np.random.default_rng(0)
    for task in list(world.tasks("validation", levels=SOME))[::7]:
        _, info = world.reset(options={"task": task})
        for _ in range(15):
            before = info["state_key"]
            _, _, terminated, truncated, info = world.step(str(random.choice(world.admissible_actions())))
            assert info["state_key"] != before
            if terminated or truncated:
                break


def test_state_key_tells_states_apart_and_finds_them_again():
    world = BabyAI()
    task = world.tasks("test")["PickupLoc/20000"]
    _, first = world.reset(options={"task": task})
    left = world.step("turn left")[4]
    back = world.step("turn right")[4]
    assert first["state_key"] == back["state_key"] != left["state_key"]
    other = world.reset(options={"task": world.tasks("test")["PickupLoc/20001"]})[1]
    assert other["state_key"] != first["state_key"]


def test_picture_is_what_the_agent_sees():
    world = agentgym_rl.make("babyai", levels=["GoToLocalS8N7"], image=True)
    task = agentgym_rl.tasks("babyai", "test", levels=["GoToLocalS8N7"])[0]
    first, _ = world.reset(options={"task": task})
    assert first in world.observation_space
    assert first["image"].shape == (224, 224, 3)
    plain, _ = BabyAI().reset(options={"task": task})
    assert first["text"] == plain
    turned, *_ = world.step("turn left")
    assert not np.array_equal(first["image"], turned["image"])


def test_layouts_are_the_same_as_ever():
    """A task id means the same task for ever. If this fails, MiniGrid or NumPy draws other layouts than they did."""
    keys = {f"{level}/{seed}": Simulation(level, seed).layout_key() for level in SOME for seed in (0, 20_000)}
    assert keys == LAYOUTS


def test_nothing_is_printed(capsys):
    for seed in range(30):
        Simulation("GoToRedBallGrey", seed)
        Simulation("UnlockLocalDist", seed)
    assert capsys.readouterr() == ("", "")


def test_minigrid_is_imported_only_to_play():
    code = (
        "import sys, agentgym_rl; agentgym_rl.tasks('babyai', 'train', levels='all');"
        "assert not {'minigrid', 'pygame', 'torch'} & set(sys.modules), 'too early';"
        "agentgym_rl.make('babyai').reset(seed=0); assert 'minigrid' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_missing_minigrid_says_what_to_install(monkeypatch):
    require_minigrid.cache_clear()
    monkeypatch.setitem(sys.modules, "minigrid.envs.babyai.core", None)
    with pytest.raises(MissingExtra, match=r"needs minigrid\S*: pip install 'agentgym-rl\[babyai\]'"):
        agentgym_rl.make("babyai")
    require_minigrid.cache_clear()


def test_unknown_level_names_the_nearest():
    with pytest.raises(ValueError, match="unknown BabyAI level 'GotoDoor'; nearest: GoToDoor"):
        agentgym_rl.make("babyai", levels=["GotoDoor"])
    with pytest.raises(ValueError, match="levels is empty"):
        agentgym_rl.tasks("babyai", "test", levels=[])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"levels": 4}, 'levels must be a name, a list of names, or "all", not 4'),
        ({"levels": True}, "levels must be .*, not True"),
        ({"levels": ["GoToDoor", 1]}, "levels must be .*, not .'GoToDoor', 1."),
        ({"levels": [["GoToDoor"]]}, "levels must be "),
        ({"levels": {"GoToDoor": 1}}, "levels must be "),
        ({"image": "no"}, "environment 'babyai': image must be true or false, not 'no'"),
        ({"image": 1}, "image must be true or false, not 1"),
    ],
)
def test_options_of_another_type_are_refused_wherever_they_are_given(options, said):
    with pytest.raises(ValueError, match=said):
        agentgym_rl.make("babyai", **options)
    for split in ("train", "test"):
        with pytest.raises(ValueError, match=said):
            agentgym_rl.tasks("babyai", split, **options)


LAYOUTS = {
    "GoToLocalS8N7/0": "5c09d9a925153c559f2e9129",
    "GoToLocalS8N7/20000": "bb2de7167ad68dbe10a3d1db",
    "GoToSeqS5R2/0": "6ab02e0a9360ccde9dfa3c1f",
    "GoToSeqS5R2/20000": "e24748b4429c3c59e740a391",
    "PickupDistDebug/0": "42e5dc9decee3f848caeb38a",
    "PickupDistDebug/20000": "d3b914bc23e1788d5c4cf58a",
    "SynthLoc/0": "005fb6a7cec5d380543c3fbe",
    "SynthLoc/20000": "1aae5b65f4564a07c8b03dbd",
    "KeyInBox/0": "b645f8c25e1c5f7ccff2e43b",
    "KeyInBox/20000": "610f3bedc6abb4a80aaaffe0",
    "BossLevel/0": "056f7d48452c5bc10c40deae",
    "BossLevel/20000": "282929be904f182b9b3a8974",
}
