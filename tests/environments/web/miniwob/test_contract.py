"""MiniWoB++ keeps the contract: in process, over HTTP and in worker processes. On pages that are quickly played."""

import os
import signal

import pytest

import agentgym_rl
from agentgym_rl.environments import checks, playing
from agentgym_rl.environments.aio.from_sync import from_sync
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.playing import expert, play, random_player

SETTINGS = {"pages": ["click-test-2", "enter-text"]}


@pytest.fixture
def fewer(monkeypatch):
    """One task a split, and few random turns: each admissible action of a state is tried on an episode of its own."""
    monkeypatch.setattr(playing, "TASKS_A_SPLIT", 1)
    monkeypatch.setattr(playing, "RANDOM_TURNS", 4)
    monkeypatch.setattr(checks, "RANDOM_TURNS", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    "check", [check for check in checks.CHECKS if check is not checks.check_repeatable], ids=lambda check: check.__name__
)
def test_contract(check):
    check("miniwob", SETTINGS)


@pytest.mark.slow
def test_repeatable():
    checks.check_repeatable("miniwob", {"pages": ["click-test-2"]})


@pytest.mark.slow
@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("settings", [{"names": True}, {"image": True}], ids=str)
@pytest.mark.parametrize(
    "check", [checks.check_gymnasium, checks.check_odd_actions, checks.check_rewards, checks.check_expert]
)
def test_contract_of_variants(check, settings):
    check("miniwob", {**SETTINGS, **settings})


@pytest.fixture(scope="module", params=[0, 1], ids=["in process", "in a worker process"])
def server(request, serving):
    with serving("miniwob", allow_expert=True, workers=request.param) as address:
        yield address


@pytest.mark.slow
@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    "check", [check for check in checks.CHECKS if check not in (checks.check_admissible, checks.check_repeatable)]
)
def test_contract_over_http(server, check):
    check(f"{server}/miniwob", SETTINGS)


@pytest.mark.slow
def test_an_episode_over_http_is_the_one_in_process(server):
    task = agentgym_rl.tasks("miniwob", "test", **SETTINGS)[12]
    with agentgym_rl.make("miniwob") as near, agentgym_rl.make(f"{server}/miniwob") as far:
        for make_player in (lambda: expert, lambda: random_player(5)):
            for mine, theirs in zip(play(near, task, make_player()), play(far, task, make_player()), strict=True):
                assert mine == theirs


def act_often(world):
    for _ in range(100):
        world.step("press [Shift]")


def test_a_killed_browser_is_a_fault_and_the_next_reset_works():
    with agentgym_rl.make("miniwob") as world:
        world.reset(seed=0, options={"task": "click-test-2/0"})
        os.kill(world._episode.session._browser.process, signal.SIGKILL)
        with pytest.raises(EnvironmentFault):
            act_often(world)
        assert world.reset(seed=0, options={"task": "click-test-2/0"})[0].startswith("Goal: ")
        assert world.step("click [2]")[1] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["thread", "process"])
def test_asynchronous(runner):
    import asyncio

    async def episode():
        environment = from_sync(agentgym_rl.make("miniwob"), runner)
        try:
            task = agentgym_rl.tasks("miniwob", "train")["click-test-2/0"]
            await environment.reset(task, 0)
            return await environment.step(await environment.expert_action() or "")
        finally:
            await environment.close()

    found = asyncio.run(episode())
    assert (found.reward, found.terminated) == (1.0, True)
