"""SciWorld keeps the contract: in process, over HTTP and in worker processes. On kinds that are quickly played."""

import pytest

import agentgym_rl
from agentgym_rl.environments import checks, playing
from agentgym_rl.environments.playing import expert, play, random_player

SETTINGS = {"kinds": ["lifespan-longest-lived"]}
QUICK = (checks.check_gymnasium, checks.check_tasks, checks.check_misuse, checks.check_odd_actions, checks.check_wrappers)
PLAYED = (checks.check_rewards, checks.check_expert, checks.check_admissible)


@pytest.fixture
def fewer(monkeypatch):
    """One task a split, and few random turns: each admissible action of a state is tried on an episode of its own."""
    monkeypatch.setattr(playing, "TASKS_A_SPLIT", 1)
    monkeypatch.setattr(playing, "RANDOM_TURNS", 5)
    monkeypatch.setattr(checks, "RANDOM_TURNS", 1)


@pytest.mark.usefixtures("fewer", "running")
@pytest.mark.parametrize("check", QUICK, ids=lambda check: check.__name__)
def test_contract(check):
    check("sciworld", SETTINGS)


@pytest.mark.slow
@pytest.mark.usefixtures("fewer", "running")
@pytest.mark.parametrize("check", PLAYED, ids=lambda check: check.__name__)
def test_contract_played(check):
    check("sciworld", SETTINGS)


@pytest.mark.slow
@pytest.mark.usefixtures("running")
def test_episodes_repeat_in_another_process():
    checks.check_repeatable("sciworld", SETTINGS)


@pytest.fixture(scope="module", params=[0, 1], ids=["in process", "in a worker process"])
def server(request, serving):
    with serving("sciworld", allow_expert=True, workers=request.param) as address:
        yield address


@pytest.mark.slow
@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("check", [*QUICK, checks.check_rewards, checks.check_expert], ids=lambda check: check.__name__)
def test_contract_over_http(server, check):
    check(f"{server}/sciworld", SETTINGS)


@pytest.mark.slow
def test_an_episode_over_http_is_the_one_in_process(server):
    task = agentgym_rl.tasks("sciworld", "test", **SETTINGS)[3]
    with agentgym_rl.make("sciworld") as near, agentgym_rl.make(f"{server}/sciworld") as far:
        for make_player in (lambda: expert, lambda: random_player(5)):
            for mine, theirs in zip(play(near, task, make_player()), play(far, task, make_player()), strict=True):
                assert mine == theirs
