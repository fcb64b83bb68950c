"""The local engine samples what one-at-a-time sampling samples, whatever the batch; frees what it held; never hangs."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

from agentgym_rl.agents.engines.local import LocalEngine
from agentgym_rl.agents.engines.local import engine as engine_module
from agentgym_rl.agents.engines.protocol import SampleResult, Sampling

PROMPT = [10, 11, 12, 13, 14]
ACTIONS = [[20, 21, 2], [20, 22, 23, 2], [30, 2], [40, 41, 42, 43, 2]]
Speak = Callable[..., list[list[SampleResult]]]


def talks(talk: Any, **more: Any) -> list[Any]:
    """Three groups of a few episodes whose observations agree for a while."""
    made = []
    for group in range(3):
        for index in range(3):
            observations = [[*PROMPT, 50 + group], [60 + index % 2, 61], [62]][: 2 + (index + group) % 2]
            made.append(talk(group, index, observations, **more))
    return made


def mixed(talk: Any) -> list[Any]:
    """Free, restricted and both, at several samplings."""
    made = talks(talk)
    for number, one in enumerate(made):
        if number % 3:
            one.tries = [ACTIONS, None if number % 2 else ACTIONS[:1], ACTIONS[1:]]
        one.sampling = [
            Sampling(max_tokens=6),
            Sampling(0.7, max_tokens=5),
            Sampling(1.3, top_k=7, max_tokens=6),
            Sampling(1.0, top_p=0.7, max_tokens=6),
            Sampling(0.0, max_tokens=6),
        ][number % 5]
    return made


def same(found: SampleResult, wanted: SampleResult) -> None:
    assert found.token_ids == wanted.token_ids
    assert found.sampled == wanted.sampled
    assert found.stop == wanted.stop
    assert found.log_probs == pytest.approx(wanted.log_probs, abs=1e-4)
    if found.kept is None:
        assert not any(wanted.kept or [])
    else:
        assert found.kept == wanted.kept


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("kind", ["llama", "mistral"])
def test_a_batch_samples_what_each_episode_alone_would(
    make_tiny: Callable[..., Any], talk: Any, speak: Speak, alone: Any, deterministic: bool, kind: str
) -> None:
    model = make_tiny(kind, **({"sliding_window": 6} if kind == "mistral" else {})).model
    everyone = mixed(talk)
    engine = LocalEngine(model, deterministic=deterministic)
    together = speak(engine, everyone)
    for one, results in zip(everyone, together, strict=True):
        for found, wanted in zip(results, alone(model, one), strict=True):
            same(found, wanted)
    assert any(result.stop == "length" for results in together for result in results)
    assert any(result.stop == "stop" for results in together for result in results)


@pytest.mark.parametrize("deterministic", [True, False])
def test_joining_leaving_number_and_groups_change_nothing(
    make_tiny: Callable[..., Any], talk: Any, speak: Speak, deterministic: bool
) -> None:
    model = make_tiny().model
    everyone = mixed(talk)
    wanted = [speak(LocalEngine(model), [one])[0] for one in everyone]
    chance = random.Random(0)
    for size in (2, 5, len(everyone)):
        chosen = chance.sample(range(len(everyone)), size)
        waits = [chance.randrange(6) for _ in chosen]
        found = speak(LocalEngine(model, deterministic=deterministic), [everyone[number] for number in chosen], waits)
        for number, results in zip(chosen, found, strict=True):
            for one, other in zip(results, wanted[number], strict=True):
                same(one, other)
    unshared = Unshared(model)
    for one, other in zip(speak(unshared, everyone), wanted, strict=True):
        for found_one, wanted_one in zip(one, other, strict=True):
            same(found_one, wanted_one)
    assert unshared.take_counters().computed > 1.3 * computed(model, everyone, speak)


class Unshared(LocalEngine):
    """Every session is a group of its own."""

    def open(self, group: int) -> int:
        return super().open(1000 * group + self._next_session)


def computed(model: Any, everyone: list[Any], speak: Speak) -> int:
    engine = LocalEngine(model)
    speak(engine, everyone)
    return engine.take_counters().computed


def test_a_deterministic_engine_repeats_itself_bit_for_bit(make_tiny: Callable[..., Any], talk: Any, speak: Speak) -> None:
    model = make_tiny().model
    one, other = (speak(LocalEngine(model), mixed(talk)) for _ in range(2))
    assert one == other


def test_shared_prefixes_and_old_turns_are_computed_once(make_tiny: Callable[..., Any], talk: Any, speak: Speak) -> None:
    model = make_tiny().model
    twins = [talk(0, index, [PROMPT, [60, 61]], tries=[[[20, 21, 2]], ACTIONS]) for index in range(4)]
    engine = LocalEngine(model)
    results = speak(engine, twins)
    counters = engine.take_counters()
    # The first message is forced, so the prompt is computed with it and the second observation in one go, once.
    distinct = {
        tuple([*PROMPT, 20, 21, 2, 60, 61, *result[1].token_ids][:end])
        for result in results
        for end in range(1, 11 + max(i for i, sampled in enumerate(result[1].sampled) if sampled))
    }
    assert counters.computed == len(distinct)
    assert counters.sampled == sum(sum(result.sampled) for some in results for result in some)
    assert engine.take_counters().computed == 0


def test_new_weights_drop_every_key(make_tiny: Callable[..., Any], talk: Any, alone: Any) -> None:
    model = make_tiny().model
    engine = LocalEngine(model)
    one = talk(0, 0, [PROMPT, [60]])

    async def across() -> tuple[SampleResult, SampleResult]:
        session = engine.open(0)
        first = await engine.sample(one.request(session, list(PROMPT), 0))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(1.1)
        engine.weights_changed(7)
        second = await engine.sample(one.request(session, [*PROMPT, *first.token_ids, 60], 1))
        engine.close(session)
        return first, second

    first, second = asyncio.run(across())
    assert (first.policy_version, second.policy_version) == (0, 7)
    same(second, alone(model, talk(0, 0, [[*PROMPT, *first.token_ids, 60]], first_turn=1))[0])


def test_a_context_that_was_rewritten_is_computed_anew(make_tiny: Callable[..., Any], talk: Any, alone: Any) -> None:
    model = make_tiny().model
    engine = LocalEngine(model)
    one = talk(0, 0, [PROMPT, [60]])

    async def rewritten() -> SampleResult:
        session = engine.open(0)
        await engine.sample(one.request(session, list(PROMPT), 0))
        result = await engine.sample(one.request(session, [10, 11, 99, 60], 1))
        engine.close(session)
        return result

    same(asyncio.run(rewritten()), alone(model, talk(0, 0, [[10, 11, 99, 60]], first_turn=1))[0])


@pytest.mark.parametrize("deterministic", [True, False])
def test_no_slot_leaks_over_many_steps(
    make_tiny: Callable[..., Any], talk: Any, speak: Speak, monkeypatch: pytest.MonkeyPatch, deterministic: bool
) -> None:
    monkeypatch.setattr(engine_module, "_FIRST_CAPACITY", 64)
    model = make_tiny().model
    engine = LocalEngine(model, deterministic=deterministic)
    everyone = talks(talk)
    speak(engine, everyone)
    capacity = engine._slots.capacity
    for step in range(5):
        speak(engine, everyone)
        if step % 2:
            engine.weights_changed(step)
        assert engine._slots.capacity == capacity
        assert len(set(engine._slots._free)) == capacity
        assert not engine._sessions
        assert not engine._trees
    engine.release_memory()
    assert engine._pool is None
    for found, wanted in zip(speak(engine, everyone)[0], speak(LocalEngine(model), everyone)[0], strict=True):
        same(found, wanted)


@pytest.mark.parametrize("deterministic", [True, False])
def test_an_error_of_the_model_reaches_every_waiter_and_leaves_a_usable_engine(
    make_tiny: Callable[..., Any], talk: Any, alone: Any, monkeypatch: pytest.MonkeyPatch, deterministic: bool
) -> None:
    model = make_tiny().model
    engine = LocalEngine(model, deterministic=deterministic)
    everyone = talks(talk)

    def fail(_: Any) -> None:
        raise MemoryError("no room")

    async def fails_then_works() -> tuple[list[Any], list[Any]]:
        sessions = [engine.open(one.group) for one in everyone]

        async def ask() -> list[Any]:
            pairs = zip(everyone, sessions, strict=True)
            waiting = [engine.sample(one.request(session, list(PROMPT), 0)) for one, session in pairs]
            async with asyncio.timeout(10):
                return await asyncio.gather(*waiting, return_exceptions=True)

        with monkeypatch.context() as patch:
            patch.setattr(model.model.layers[0].mlp, "forward", fail)
            errors = await ask()
        results = await ask()
        for session in sessions:
            engine.close(session)
        return errors, results

    errors, results = asyncio.run(fails_then_works())
    assert [str(error) for error in errors] == ["no room"] * len(everyone)
    for one, result in zip(everyone, results, strict=True):
        same(result, alone(model, talk(one.group, one.index, [PROMPT]))[0])


@pytest.mark.parametrize("deterministic", [True, False])
def test_whoever_is_cancelled_does_not_hold_up_the_others(
    make_tiny: Callable[..., Any], talk: Any, deterministic: bool
) -> None:
    model = make_tiny().model
    engine = LocalEngine(model, deterministic=deterministic)
    everyone = talks(talk)

    async def one_leaves() -> SampleResult:
        async with asyncio.timeout(10):
            staying, leaving = engine.open(0), engine.open(0)
            going = asyncio.create_task(engine.sample(everyone[1].request(leaving, list(PROMPT), 0)))
            await asyncio.sleep(0)
            if deterministic:
                going.cancel()
            else:
                await asyncio.sleep(0)
                going.cancel()
            await asyncio.gather(going, return_exceptions=True)
            engine.close(leaving)
            result = await engine.sample(everyone[0].request(staying, list(PROMPT), 0))
            engine.close(staying)
            return result

    result = asyncio.run(one_leaves())
    assert result.token_ids
    assert not engine._messages
    assert not engine._sessions


def test_slow_worlds_do_not_hold_up_a_free_engine(make_tiny: Callable[..., Any], talk: Any, alone: Any) -> None:
    """One session stays open and never asks: whoever is ready goes on. A deterministic engine would wait for it."""
    model = make_tiny().model
    engine = LocalEngine(model, deterministic=False)
    one = talk(0, 0, [PROMPT])

    async def while_another_thinks() -> SampleResult:
        slow = engine.open(5)
        async with asyncio.timeout(10):
            session = engine.open(0)
            result = await engine.sample(one.request(session, list(PROMPT), 0))
        engine.close(session)
        engine.close(slow)
        return result

    same(asyncio.run(while_another_thinks()), alone(model, one)[0])


def test_a_free_engine_computes_on_one_thread_at_a_time(
    make_tiny: Callable[..., Any], talk: Any, speak: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_tiny().model
    engine = LocalEngine(model, deterministic=False)
    inside = threading.Lock()
    tick = engine._tick
    threads = set()

    def watched(batch: Any) -> None:
        assert inside.acquire(blocking=False), "two ticks at once"
        try:
            threads.add(threading.current_thread().name)
            tick(batch)
        finally:
            inside.release()

    monkeypatch.setattr(engine, "_tick", watched)
    results = speak(engine, mixed(talk), waits=[0, 1, 2, 3, 4, 3, 2, 1, 0])
    assert len(results) == 9
    assert threading.main_thread().name not in threads


def test_a_deterministic_engine_waits_for_every_session(make_tiny: Callable[..., Any], talk: Any) -> None:
    model = make_tiny().model
    engine = LocalEngine(model)
    one, other = talks(talk)[:2]

    async def late() -> int:
        first, second = engine.open(0), engine.open(0)
        asking = asyncio.create_task(engine.sample(one.request(first, list(PROMPT), 0)))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not asking.done()
        assert engine.take_counters().ticks == 0
        await asyncio.gather(asking, engine.sample(other.request(second, list(PROMPT), 0)))
        engine.close(first)
        engine.close(second)
        return engine.take_counters().ticks

    assert asyncio.run(late()) > 0


def test_a_session_that_is_not_open_cannot_ask(make_tiny: Callable[..., Any], talk: Any) -> None:
    engine = LocalEngine(make_tiny().model)
    session = engine.open(0)
    engine.close(session)
    engine.close(session)
    with pytest.raises(KeyError, match="is not open"):
        asyncio.run(engine.sample(talks(talk)[0].request(session, list(PROMPT), 0)))


def test_a_tick_that_is_too_big_is_cut(
    make_tiny: Callable[..., Any], talk: Any, speak: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_tiny().model
    everyone = mixed(talk)
    whole = speak(LocalEngine(model), everyone)
    monkeypatch.setattr(engine_module, "_MAX_TOKENS", 7)
    for one, other in zip(speak(LocalEngine(model), everyone), whole, strict=True):
        for found, wanted in zip(one, other, strict=True):
            same(found, wanted)
