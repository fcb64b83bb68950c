"""What all three runners do alike."""

import asyncio
import functools

import pytest

import agentgym_rl
from agentgym_rl.environments.aio import from_sync
from agentgym_rl.environments.errors import EnvironmentFault, ResetNeeded, UnknownTask

RUNNERS = ("inline", "thread", "process")


@pytest.mark.parametrize("runner", RUNNERS)
def test_an_episode_is_the_synchronous_one(runner):
    task = agentgym_rl.tasks("textcraft")["dark_oak_stairs"]
    plain = agentgym_rl.make("textcraft", distractors=2)

    async def play():
        env = from_sync(agentgym_rl.make("textcraft", distractors=2), runner)
        seen = [await env.reset(task, 0, admissible=True)]
        while not seen[-1].ended:
            seen.append(await env.step(await env.expert_action(), admissible=True))
        with pytest.raises(ResetNeeded):
            await env.step("inventory")
        first = await env.reset(task, 1)
        assert (await env.step("inventory")).admissible is None
        await env.close()
        await env.close()
        return env.instructions, env.action_schema, seen, first

    instructions, schema, seen, first = asyncio.run(play())
    assert instructions == plain.instructions
    assert schema == plain.action_schema
    observation, info = plain.reset(seed=0, options={"task": task})
    assert (seen[0].observation, seen[0].info, seen[0].reward, seen[0].ended) == (observation, info, 0.0, False)
    assert seen[0].admissible == tuple(plain.admissible_actions())
    for transition in seen[1:]:
        observation, reward, terminated, truncated, info = plain.step(plain.expert_action())
        assert transition.observation == observation
        assert transition.info == info
        assert (transition.reward, transition.terminated, transition.truncated) == (reward, terminated, truncated)
        assert transition.admissible == (None if terminated else tuple(plain.admissible_actions()))
    assert seen[-1].info["success"]
    assert (first.observation, first.admissible) == (seen[0].observation, None)


@pytest.mark.parametrize("runner", RUNNERS)
def test_an_exception_of_the_world_is_a_fault_with_its_cause(worlds, runner):
    async def play():
        env = from_sync(worlds.Imp(), runner)
        await env.reset(worlds.TASK, 0)
        with pytest.raises(EnvironmentFault, match="imp: step raised ValueError: a bug in the world"):
            await env.step("raise")
        await env.close()

    asyncio.run(play())


@pytest.mark.parametrize("runner", RUNNERS)
def test_misuse_passes_through_and_breaks_nothing(worlds, runner):
    async def play():
        env = from_sync(worlds.Imp(), runner)
        with pytest.raises(ResetNeeded, match="call reset first"):
            await env.step("x")
        with pytest.raises(UnknownTask, match="nearest: only"):
            await env.reset("onli", 0)
        transition = await env.reset(worlds.TASK, 0)
        await env.close()
        return transition.text

    assert asyncio.run(play()).startswith("begin")


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_shortcut_is_drawn_from_its_seed(worlds, runner):
    async def play():
        env = from_sync(worlds.Imp(), runner)
        await env.reset(worlds.TASK, 0)
        drawn = [await env.shortcut_action("dice", seed) for seed in (1, 2, 1)]
        with pytest.raises(EnvironmentFault, match="no shortcut 'luck'; it has: dice"):
            await env.shortcut_action("luck", 0)
        await env.close()
        return drawn

    one, two, again = asyncio.run(play())
    assert one == again != two


@pytest.mark.parametrize("runner", ["thread", "process"])
def test_after_a_fault_the_instance_is_done_for(worlds, runner):
    async def play():
        env = from_sync(worlds.Imp(), runner)
        await env.reset(worlds.TASK, 0)
        with pytest.raises(EnvironmentFault):
            await env.step("raise")
        with pytest.raises(EnvironmentFault, match=r"done for; take a new one .*a bug in the world"):
            await env.reset(worlds.TASK, 0)
        await env.close()

    asyncio.run(play())


@pytest.mark.parametrize("runner", RUNNERS)
def test_closing_one_that_never_began_and_using_a_closed_one(worlds, runner):
    async def play():
        env = from_sync(functools.partial(worlds.Imp), runner)
        await env.close()
        await env.close()
        with pytest.raises((EnvironmentFault, ResetNeeded)):
            await env.step("x")

    asyncio.run(play())


@pytest.mark.parametrize("runner", RUNNERS)
def test_inline_never_yields_to_the_loop_and_the_others_do(worlds, runner):
    ran = []

    async def other():
        ran.append(True)

    async def play():
        env = from_sync(worlds.Imp(), runner)
        task = asyncio.create_task(other())
        await env.reset(worlds.TASK, 0)
        await env.step("wait")
        before = bool(ran)
        await task
        await env.close()
        return before

    assert asyncio.run(play()) is (runner != "inline")
