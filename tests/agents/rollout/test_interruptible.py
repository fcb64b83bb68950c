"""Signals while a loop runs."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from agentgym_rl.agents.rollout.interruptible import run_interruptible


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def number(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    """A signal whose handler raises KeyboardInterrupt, as in training."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(request.param, handle)
    yield request.param
    assert signal.getsignal(request.param) is handle
    signal.signal(request.param, previous)


def test_all_tasks_end_before_the_interrupt(number: signal.Signals, caplog: pytest.LogCaptureFixture) -> None:
    ended: list[str] = []

    async def wait(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(name)

    async def signalled() -> None:
        await asyncio.sleep(0)
        os.kill(os.getpid(), number)
        await wait("signalled")

    async def episodes() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(wait("other"))
            group.create_task(signalled())

    with asyncio.Runner() as runner:
        with pytest.raises(KeyboardInterrupt):
            run_interruptible(runner, episodes)
        assert sorted(ended) == ["other", "signalled"]
        assert runner.run(asyncio.sleep(0, "usable")) == "usable"
    gc.collect()
    assert caplog.text == ""


def test_a_loop_that_waits_for_nothing_else_is_woken(number: signal.Signals) -> None:
    async def episode() -> None:
        asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), number)
        await asyncio.Event().wait()

    with asyncio.Runner() as runner, pytest.raises(KeyboardInterrupt):
        run_interruptible(runner, episode)


def test_what_ends_as_it_is_interrupted_is_interrupted(number: signal.Signals) -> None:
    async def episode() -> str:
        os.kill(os.getpid(), number)
        return "done"

    with asyncio.Runner() as runner, pytest.raises(KeyboardInterrupt):
        run_interruptible(runner, episode)


@pytest.mark.filterwarnings("error")
def test_a_signal_before_the_beginning_leaves_no_coroutine_behind(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[bool] = []

    async def episode() -> None:
        begun.append(True)

    with asyncio.Runner() as runner:
        run = runner.run
        monkeypatch.setattr(runner, "run", lambda coroutine: (os.kill(os.getpid(), number), run(coroutine))[1])
        with pytest.raises(KeyboardInterrupt):
            run_interruptible(runner, episode)
        gc.collect()
    assert begun == []


def test_a_second_signal_is_not_held_back(number: signal.Signals) -> None:
    async def stubborn() -> None:
        try:
            os.kill(os.getpid(), number)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            os.kill(os.getpid(), number)
            raise AssertionError("the handler raises first") from None

    with asyncio.Runner() as runner, pytest.raises(KeyboardInterrupt):
        run_interruptible(runner, stubborn)


def test_without_a_signal_nothing_changes(number: signal.Signals) -> None:  # noqa: ARG001
    async def fail() -> None:
        raise ValueError("of the coroutine")

    with asyncio.Runner() as runner:
        assert run_interruptible(runner, lambda: asyncio.sleep(0, 5)) == 5
        with pytest.raises(ValueError, match="of the coroutine"):
            run_interruptible(runner, fail)
