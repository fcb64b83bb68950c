"""The synchronous form of a world on a server: a :class:`gymnasium.Env` like any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from agentgym_rl.environments.aio.session import MISUSE
from agentgym_rl.environments.protocol import Environment, Info, Observation, Transition
from agentgym_rl.environments.service.client import describe
from agentgym_rl.environments.service.client.address import split_address
from agentgym_rl.environments.service.client.loop import pool_of, run
from agentgym_rl.environments.service.client.served import ServedEnvironment
from agentgym_rl.environments.service.protocol.description import EnvironmentDescription
from agentgym_rl.environments.spaces import UnicodeText
from agentgym_rl.environments.spec import EnvironmentSpec
from agentgym_rl.environments.task_set import Split, Task, TaskSet

RESET_SECONDS = 120.0
STEP_SECONDS = 120.0
"""Deadlines of calls, whatever the server's own are."""


class HttpWorld(Environment):
    """Base of the classes that :func:`world_at` makes, one for each address. Settings are those of the world over there.

    Without a task, ``reset`` draws a train task here; without a seed, it draws one for the server. A reset that names both
    leads to the same episode as in process.
    """

    url: ClassVar[str]

    def __init__(self, **settings: Any) -> None:
        """Asks the server what the world with these settings is like. Raises: as :func:`describe.describe`."""
        super().__init__(**settings)
        self._address, self._name = split_address(self.url)
        self._description = describe.describe(self._address, self._name, settings)
        self._prompt = describe.prompt_of(self._description)
        self.instructions = self._prompt.instructions
        self.action_schema = self._prompt.action_schema
        self.observation_space = _space(self._description)
        self._seed: int | None = None
        self._served: ServedEnvironment | None = None

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """The server's tasks of a split, in its order."""
        return describe.tasks(*split_address(cls.url), settings, split)

    @property
    def spec(self) -> EnvironmentSpec:
        """Makes the world again from its address."""
        return EnvironmentSpec(
            id=f"agentgym_rl/{self.id}-v0",
            entry_point=f"{__name__}:make_at",
            nondeterministic=not self.deterministic,
            order_enforce=False,
            disable_env_checker=True,
            kwargs={"url": self.url, "settings": dict(self.settings)},
            deterministic=self.deterministic,
        )

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        """Not kept: see :attr:`Environment.spec`."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode over there. Raises: as :meth:`Environment.reset`; EnvironmentFault."""
        self._seed = seed
        return super().reset(seed=seed, options=options)

    def _begin(self, task: Task) -> tuple[Observation, Info]:
        seed = self._seed if self._seed is not None else int(self.np_random.integers(2**32))
        if self._served is None:
            self._served = ServedEnvironment(
                pool_of(self._address), self._name, self.settings, self._prompt, RESET_SECONDS, STEP_SECONDS
            )
        transition = self._ask(self._served.reset(task, seed))
        return transition.observation, transition.info

    def _act(self, action: str) -> tuple[Observation, float, bool, bool, Info]:
        assert self._served is not None
        found: Transition = self._ask(self._served.step(action))
        return found.observation, found.reward, found.terminated, found.truncated, found.info  # type: ignore[return-value]

    def _free(self) -> None:
        self._end()

    def admissible_actions(self) -> list[str] | None:
        """Asks the server. Empty before the first reset."""
        return [] if self._served is None else self._ask(self._served.admissible_actions())

    def expert_action(self) -> str | None:
        """Asks the server; None where it does not tell (``--allow-expert``), and while no episode runs."""
        return self._ask(self._served.expert_action()) if self._served is not None and self.running else None

    def shortcuts(self) -> Mapping[str, Callable[[np.random.Generator], str]]:
        """Those of the world over there; each draws a seed from its generator and sends it."""
        return {name: partial(self._shortcut, name) for name in self._description.shortcuts}

    def _shortcut(self, name: str, random: np.random.Generator) -> str:
        assert self._served is not None
        action: str = self._ask(self._served.shortcut_action(name, int(random.integers(2**32))))
        return action

    def _ask(self, call: Any) -> Any:
        """Has it done; after a fault the session is given up, and the next reset begins another."""
        try:
            return run(call)
        except BaseException as error:
            if not isinstance(error, MISUSE):
                self.running = False
                self._end()
            raise

    def _end(self) -> None:
        served, self._served = self._served, None
        if served is not None:
            run(served.close())


@cache
def world_at(url: str) -> type[HttpWorld]:
    """The class of the world at an address.

    Raises:
        UnknownEnvironment: nothing of that name is served there.
        EnvironmentFault: the server does not answer.
    """
    found = describe.describe(*split_address(url), {})
    members = {"url": url, "id": found.name, "summary": found.summary, "deterministic": found.deterministic}
    return type("HttpWorld", (HttpWorld,), {**members, "__doc__": found.summary})


def make_at(url: str, settings: Mapping[str, Any]) -> HttpWorld:
    """The world at an address. Raises: as :func:`world_at`; ValueError: settings that it does not take."""
    return world_at(url)(**settings)


def _space(description: EnvironmentDescription) -> gymnasium.Space[Any]:
    if not description.pictures:
        return UnicodeText()
    boxes = {
        name: gymnasium.spaces.Box(0, 255, (size.height, size.width, 3), np.uint8)
        for name, size in description.pictures.items()
    }
    return gymnasium.spaces.Dict({"text": UnicodeText(), **boxes})
