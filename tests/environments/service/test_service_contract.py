"""Worlds on a server keep the contract that worlds in process keep."""

import pytest

import agentgym_rl
from agentgym_rl.environments.checks import CHECKS, check_gymnasium, check_misuse, check_odd_actions, check_wrappers
from agentgym_rl.environments.errors import EnvironmentFault, UnknownEnvironment
from agentgym_rl.environments.playing import expert, play, random_player, sample


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("id", ["textcraft", "babyai"])
def test_contract_over_http(shared_server, id, check):
    check(f"{shared_server}/{id}", {})


@pytest.fixture(scope="module")
def server_with_workers(serving):
    with serving("textcraft", "babyai", allow_expert=True, workers=2) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("id", ["textcraft", "babyai"])
def test_contract_over_http_in_worker_processes(server_with_workers, id, check):
    check(f"{server_with_workers}/{id}", {})


@pytest.mark.parametrize("check", [check_gymnasium, check_misuse, check_odd_actions, check_wrappers])
@pytest.mark.parametrize(("id", "settings"), [("textcraft", {"distractors": 0}), ("babyai", {"image": True})])
def test_contract_over_http_with_settings(shared_server, id, settings, check):
    check(f"{shared_server}/{id}", settings)


@pytest.mark.parametrize(
    ("id", "settings"), [("textcraft", {}), ("textcraft", {"distractors": 1}), ("babyai", {"image": True})]
)
def test_an_episode_is_the_one_in_process(shared_server, id, settings):
    with agentgym_rl.make(id, **settings) as near, agentgym_rl.make(f"{shared_server}/{id}", **settings) as far:
        assert (far.id, far.instructions, far.action_schema) == (near.id, near.instructions, near.action_schema)
        assert far.observation_space == near.observation_space
        assert list(far.shortcuts()) == list(near.shortcuts())
        for task in list(sample(id, settings))[:3]:
            for player in (expert, random_player(5)):
                again = expert if player is expert else random_player(5)
                for mine, theirs in zip(play(near, task, player), play(far, task, again), strict=True):
                    assert mine[:2] == theirs[:2]
                    assert mine[3] == theirs[3]
                    assert str(mine[2]) == str(theirs[2])


def test_task_sets_are_those_in_process(shared_server):
    for id in ("textcraft", "babyai"):
        for split in ("train", "validation", "test"):
            near, far = agentgym_rl.tasks(id, split), agentgym_rl.tasks(f"{shared_server}/{id}", split)
            assert list(near) == list(far)
            assert near.categories == far.categories
            assert [(task.data, task.content) for task in near] == [(task.data, task.content) for task in far]


def test_a_shortcut_plays_over_there(shared_server):
    import numpy as np

    with agentgym_rl.make(f"{shared_server}/textcraft") as world:
        world.reset(seed=0)
        assert world.shortcuts()["craft_goal_else_get"](np.random.default_rng(0)) in world.admissible_actions()


def test_without_a_seed_the_generator_goes_on(shared_server):
    with agentgym_rl.make(f"{shared_server}/textcraft") as world:
        drawn = []
        for seed in (3, None, 3, None):
            world.reset(seed=seed)
            drawn.append(world.task.id)
        assert drawn[:2] == drawn[2:]
        assert drawn[0] != drawn[1]


@pytest.mark.parametrize(
    ("id", "settings", "error", "message"),
    [
        ("textcarft", {}, UnknownEnvironment, "'textcarft' is not served here; nearest: textcraft"),
        ("..%2F..%2Fetc", {}, UnknownEnvironment, "Not Found"),
        ("textcraft", {"distractor": 1}, ValueError, "no setting 'distractor'; nearest: distractors"),
        ("textcraft", {"distractors": -1}, ValueError, "distractors must be a whole number, 0 or more"),
        ("babyai", {"levels": ["GoToObjj"]}, ValueError, "GoToObjj"),
    ],
)
def test_what_is_refused_in_process_is_refused_over_there(shared_server, id, settings, error, message):
    with pytest.raises(error, match=message):
        agentgym_rl.make(f"{shared_server}/{id}", **settings)
    with pytest.raises(error, match=message):
        agentgym_rl.tasks(f"{shared_server}/{id}", **settings)


def test_a_server_that_is_not_there_is_a_fault():
    with pytest.raises(EnvironmentFault, match=r"http://127\.0\.0\.1:1 does not answer"):
        agentgym_rl.make("http://127.0.0.1:1/textcraft")


def test_a_fault_over_there_is_a_fault_here_and_the_next_reset_works(shared_server):
    with agentgym_rl.make(f"{shared_server}/aio_worlds:Imp") as world:
        assert world.id == "imp"
        world.reset(seed=0)
        with pytest.raises(EnvironmentFault, match="imp: step raised ValueError: a bug in the world"):
            world.step("raise")
        assert not world.running
        world.reset(seed=0)
        assert world.step("wait")[0].startswith("wait")
        assert world.expert_action() == "wait"
