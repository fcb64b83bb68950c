"""Any synchronous world in the asynchronous form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from agentgym_rl.environments.aio.inline import InlineEnvironment
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.aio.session import Session
from agentgym_rl.environments.protocol import Environment

Runner = Literal["inline", "thread", "process"]


def from_sync(
    environment: Environment | Callable[[], Environment],
    runner: Runner = "inline",
    reset_seconds: float = 60.0,
    step_seconds: float = 30.0,
) -> AsyncEnvironment:
    """Wraps a synchronous world.

    Args:
        environment: the world, or what makes one.
        runner: ``inline`` calls it in the event loop.
        reset_seconds: deadline of a reset.
        step_seconds: deadline of every other call.
    """
    world = environment if isinstance(environment, Environment) else environment()
    return InlineEnvironment(Session(world))
