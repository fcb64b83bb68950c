"""The world keeps the contract on the stub sites: in process, over HTTP, on threads and in processes of its own."""

import asyncio
import json
from pathlib import Path

import pytest
from stub_sites.playing import number_of
from stub_sites.task_lists import original, written

import agentgym_rl
from agentgym_rl.config import load
from agentgym_rl.environments.aio import from_sync
from agentgym_rl.environments.checks import (
    CHECKS,
    check_admissible,
    check_gymnasium,
    check_odd_actions,
    check_rewards,
    check_tasks,
)
from agentgym_rl.environments.errors import EnvironmentFault, MissingExtra
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.sources.local import LocalSource
from agentgym_rl.environments.web.webarena.offers import texts_of
from agentgym_rl.training.api import dry_run
from agentgym_rl.training.settings import TrainSettings

_RECIPE = Path(__file__).parents[4] / "configs" / "webarena.yaml"


@pytest.fixture
def settings(tmp_path, addresses):
    """Ten tasks: by tens our split gives two of them to test and one to validation."""
    tasks = [original(number, ["map"], answers={"must_include": ["13km"]}) for number in range(10)]
    sites = {"map": addresses["map"], "gitlab": addresses["gitlab"]}
    return {"sites": sites, "evaluators": "original", "task_file": written(tmp_path / "mine.json", tasks)}


_LONG = (check_gymnasium, check_odd_actions, check_rewards)
_IN_PROCESS = [
    pytest.param(check, id=check.__name__, marks=[pytest.mark.slow] if check in _LONG else [])
    for check in CHECKS
    if check is not check_admissible  # which plays hundreds of episodes; below is one
]


@pytest.mark.parametrize("check", _IN_PROCESS)
def test_contract(settings, check):
    check("webarena", settings)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.usefixtures("package")
def test_contract_over_http(settings, serving, workers):
    with serving("webarena", workers=workers, options={"webarena": settings}) as server:
        for check in (
            (check_tasks, check_odd_actions)
            if workers
            else (one for one in CHECKS if one not in (check_rewards, check_admissible))
        ):
            check(f"{server}/webarena", {})


@pytest.mark.slow
def test_with_a_picture(settings):
    with agentgym_rl.make("webarena", image=True, **settings) as world:
        observation, _ = world.reset(options={"task": "mine-3"})
        assert observation in world.observation_space
        assert observation["image"].shape == (720, 1280, 3)
        observation, reward, *_ = world.step("stop [13km]")
        assert (observation in world.observation_space, reward) == (True, 1.0)


@pytest.mark.parametrize(
    ("runner", "share"), [("thread", True), ("thread", False), pytest.param("process", True, marks=pytest.mark.slow)]
)
def test_episodes_at_the_same_time(settings, runner, share):
    """They share the one map there is, or wait for it."""
    task = agentgym_rl.tasks("webarena", "test", **settings)[0]

    async def episode(world):
        await world.reset(task, 0)
        transition = await world.step("stop [13km]")
        return transition.reward

    async def every():
        worlds = [from_sync(agentgym_rl.make("webarena", share=share, **settings), runner) for _ in range(3)]
        try:
            return await asyncio.gather(*(episode(world) for world in worlds))
        finally:
            for world in worlds:
                await world.close()

    assert asyncio.run(every()) == [1.0] * 3


def test_a_run_has_them_on_threads_and_an_event_loop_never_waits_for_a_replica(settings):
    world = WorldSettings(id="webarena", options=settings)
    assert not LocalSource(world).in_process
    assert LocalSource(WorldSettings(id="textcraft")).in_process

    task = agentgym_rl.tasks("webarena", "test", **settings)[0]

    async def two():
        worlds = [from_sync(agentgym_rl.make("webarena", **settings), "inline") for _ in range(2)]
        try:
            for one in worlds:
                await one.reset(task, 0)
        finally:
            for one in worlds:
                await one.close()

    with pytest.raises(EnvironmentFault, match=r"no replica of map got free within 0 s"):
        asyncio.run(two())


@pytest.mark.slow
def test_admissible_actions_are_understood_and_lead_to_the_goal(make, tmp_path):
    task = original(1, ["map"], url="__MAP__/search?query=CMU%20Park")
    world = make(
        evaluators="original", task_file=written(tmp_path / "mine.json", [{**task, "intent": "Find 'CMU Park' now"}])
    )
    observation, _ = world.reset(options={"task": "mine-1"})
    field, link = (number_of(element, observation) for element in ("textbox 'Search'", "link 'Find directions"))
    offered = world.admissible_actions()
    assert {f"type [{field}] [CMU Park] [1]", f"click [{link}]", "go_back", "scroll [down]", "stop []", "stop [N/A]"} <= set(
        offered
    )
    assert len(set(offered)) == len(offered)
    for action in [one for one in offered if not one.startswith("stop")]:
        world.reset(options={"task": "mine-1"})
        assert world.step(action)[4]["understood"], action
    world.reset(options={"task": "mine-1"})
    world.step(f"type [{field}] [CMU Park] [1]")
    assert "tab_focus [0]" not in world.admissible_actions()
    assert world.step("stop []")[1] == 1.0
    assert world.admissible_actions() is None


def test_texts_that_may_be_typed():
    assert texts_of('Change my bio to "I am a robot"') == ["I am a robot", "Change", "robot"]
    assert texts_of("Buy 2 lamps of Floor Lamp Co.") == ["Buy 2", "Floor Lamp Co", "lamps", "Floor", "Lamp"]


@pytest.mark.slow
@pytest.mark.usefixtures("package")
def test_the_published_setting_would_start(addresses):
    settings = load(_RECIPE, [f"environment.options.sites={json.dumps(addresses)}"], TrainSettings).settings
    plan = dry_run(settings)
    assert settings.horizon.turns == [8, 12, 15]
    assert "552" in str(plan)


def test_playwright_is_named_when_it_is_missing(settings, monkeypatch):
    from agentgym_rl.environments.web.webarena import needs

    monkeypatch.setattr(needs, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"environment 'webarena' needs playwright: pip install 'agentgym-rl\[web\]'"):
        agentgym_rl.make("webarena", **settings)
