"""The actions on offer and the oracle that plays among them."""

import numpy as np
import pytest

from agentgym_rl.environments.sciworld import oracle
from agentgym_rl.environments.sciworld.kinds import ALL, BY_NAME
from agentgym_rl.environments.sciworld.simulator import Simulator

LONG_LISTS = [
    pytest.param(task, marks=pytest.mark.slow)
    for task in ("find-non-living-thing/3", "test-conductivity/7", "chemistry-mix/5")
]


@pytest.mark.parametrize("task", ["lifespan-longest-lived/3", *LONG_LISTS])
def test_each_offered_action_means_one_thing(world, task):
    """So that none is answered with a question or not understood; and everything of use is in the list of all."""
    env = world(task)
    everything = world(task, admissible="all")
    random = np.random.default_rng(0)
    for _ in range(5):
        offered = env.admissible_actions()
        assert 3 < len(offered) < 400
        assert len(set(offered)) == len(offered)
        assert set(offered) <= set(everything.admissible_actions())
        simulator = env._episode.simulator
        unclear = [action for action in offered if simulator.meaning(action) is None]
        assert not unclear
        quiet = [action for action in offered if not action.startswith(("focus", "wait"))]
        action = str(random.choice(quiet))
        assert env.step(action)[0] == everything.step(action)[0]
        assert env._episode.understood


def test_useful_actions_are_few_and_hide_what_can_t_be_seen(world):
    env = world("find-non-living-thing/150")  # in the kitchen
    offered = env.admissible_actions()
    assert len(offered) < 200
    assert "pick up metal pot" not in offered  # in the closed cupboard
    env.step("open cupboard")
    assert "pick up metal pot" in env.admissible_actions()
    assert not any(action.startswith("connect") for action in offered)
    assert len(world("find-non-living-thing/150", admissible="all").admissible_actions()) > 5 * len(offered)


def test_listing_actions_changes_nothing(world):
    script = ["open door to kitchen", "go to kitchen", "look around", "wait"]
    watched, unwatched = world("find-animal/3"), world("find-animal/3")
    for action in script:
        watched.admissible_actions()
        assert watched.step(action)[0] == unwatched.step(action)[0]
        assert watched.admissible_actions() == unwatched._episode._offered()  # worked out anew


def test_what_is_on_offer_is_worked_out_once_for_all_who_came_the_same_way(world, monkeypatch):
    asked = []
    original = Simulator.scene
    monkeypatch.setattr(Simulator, "scene", lambda self, **options: asked.append(1) or original(self, **options))
    lists = []
    for action in ("wait", "look around", "wait"):
        env = world("find-animal/4")
        first = env.admissible_actions()
        first.clear()  # it is the caller's own
        env.step(action)
        lists.append(env.admissible_actions())
        assert lists[-1] == env._episode._offered()
    assert lists[0] == lists[2]
    assert len(asked) == 3 + 3  # the first list, and those after either action; and the three anew
    assert world("find-animal/4", simplifications="easy").admissible_actions() != world("find-animal/4").admissible_actions()


QUICK = ["find-non-living-thing", "lifespan-longest-lived-then-shortest-lived"]


@pytest.mark.parametrize("kind", QUICK)
def test_the_oracle_solves_its_tasks_by_offered_actions(world, kind):
    assert _expert(world, kind, 1) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "variation"),
    [
        *(("use-thermometer", 0), ("test-conductivity", 0), ("chemistry-mix", 0), ("identify-life-stages-2", 0)),
        ("grow-plant", 0),  # its path asks for one of several seeds
        ("grow-plant", 40),  # and there for soil that lies about
        ("grow-fruit", 3),
        ("melt", 11),  # and there for something that has to be in hand first
    ],
)
def test_the_oracle_solves_longer_tasks(world, kind, variation):
    assert _expert(world, kind, variation) == 1.0


def _expert(world, kind, variation):
    env = world(f"{kind}/{variation}")
    earned = 0.0
    while env.running:
        action = env.expert_action()
        assert action in env.admissible_actions()
        _, reward, _, _, info = env.step(action)
        earned += reward
    assert earned == pytest.approx(info["score"])
    return info["score"]


def test_an_oracle_that_has_lost_its_path_says_nothing(world):
    env = world("find-animal/3")
    env.step("wait1")
    assert env.expert_action() is None


def test_the_oracle_goes_on_where_another_player_has_followed_it(world):
    env = world("find-animal/3")
    path = oracle.solution("find-animal", 3, "")
    for action in path[:4]:
        env.step(action)
    assert env.expert_action() == path[4]


def test_shortcuts_play_offered_actions(world):
    random = np.random.default_rng(0)
    for name in ("focus", "explore"):
        env = world("find-animal/3")
        for _ in range(4):
            if env.running:
                action = env.shortcuts()[name](random)
                assert action in env.admissible_actions()
                env.step(action)


def test_every_kind_has_what_its_task_is_about():
    assert all(BY_NAME[kind.name] is kind for kind in ALL)
    assert [kind.number for kind in ALL if kind.electrical] == ["3-1", "3-2", "3-3", "3-4"]
