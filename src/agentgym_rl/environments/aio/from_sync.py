"""Any synchronous world in the asynchronous form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from agentgym_rl.environments.aio.inline import InlineEnvironment
from agentgym_rl.environments.aio.process import ProcessEnvironment
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.aio.session import Session
from agentgym_rl.environments.aio.thread import ThreadEnvironment
from agentgym_rl.environments.protocol import Environment

Runner = Literal["inline", "thread", "process"]


def from_sync(
    environment: Environment | Callable[[], Environment],
    runner: Runner = "inline",
    reset_seconds: float = 60.0,
    step_seconds: float = 30.0,
) -> AsyncEnvironment:
    """Wraps a synchronous world. Starts no thread and no process yet: the first reset does.

    Args:
        environment: the world, or what makes one. With ``process`` the worker makes its own: from the world's class and
            settings, or with the callable, which must then be importable from a module.
        runner: ``inline`` calls it in the event loop, which keeps no deadline: for worlds that answer in microseconds;
            ``thread`` on a thread of its own; ``process`` in a worker process, killed at the deadline.
        reset_seconds: deadline of a reset, on the loop's clock.
        step_seconds: deadline of every other call.

    Raises:
        TypeError: with ``process``, something that can't be pickled.
    """
    world = environment if isinstance(environment, Environment) else environment()
    match runner:
        case "inline":
            return InlineEnvironment(Session(world))
        case "thread":
            return ThreadEnvironment(world, reset_seconds, step_seconds)
        case "process":
            make = partial(type(world), **world.settings) if isinstance(environment, Environment) else environment
            world.close()
            return ProcessEnvironment(world, make, reset_seconds, step_seconds)
