"""One synchronous world behind the calls that every runner passes on."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from agentgym_rl.environments.errors import EnvironmentFault, ResetNeeded, UnknownTask
from agentgym_rl.environments.protocol import Environment, Transition
from agentgym_rl.environments.task_set import Task

log = logging.getLogger(__name__)

MISUSE = (UnknownTask, ResetNeeded)
"""What passes through as it is: the caller's mistake, after which the world is as good as before."""


class Session:
    """Makes transitions of what a world returns and faults of what it raises.

    Raises:
        EnvironmentFault: the world raised something it may not; its cause is in the message.
        UnknownTask, ResetNeeded: misuse, passed through.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def reset(self, task: Task, seed: int, admissible: bool) -> Transition:
        with self._faults("reset"):
            observation, info = self.environment.reset(seed=seed, options={"task": task})
            return Transition(observation, 0.0, False, False, info, self._admissible(admissible))

    def step(self, action: str, admissible: bool) -> Transition:
        with self._faults("step"):
            observation, reward, terminated, truncated, info = self.environment.step(action)
            wanted = admissible and not (terminated or truncated)
            return Transition(observation, float(reward), terminated, truncated, info, self._admissible(wanted))

    def admissible_actions(self) -> list[str] | None:
        with self._faults("admissible_actions"):
            return self.environment.admissible_actions()

    def expert_action(self) -> str | None:
        with self._faults("expert_action"):
            return self.environment.expert_action()

    def shortcut_action(self, name: str, seed: int) -> str:
        with self._faults("shortcut_action"):
            shortcuts = self.environment.shortcuts()
            if name not in shortcuts:
                known = ", ".join(shortcuts) or "none"
                raise EnvironmentFault(f"{self.environment.id}: no shortcut {name!r}; it has: {known}")
            return shortcuts[name](np.random.default_rng(seed))

    def close(self) -> None:
        """Closes the world; a failure is logged, since nothing is left to be done about it."""
        try:
            with self._faults("close"):
                self.environment.close()
        except EnvironmentFault as fault:
            log.warning("%s", fault)

    def _admissible(self, wanted: bool) -> tuple[str, ...] | None:
        actions = self.environment.admissible_actions() if wanted else None
        return None if actions is None else tuple(actions)

    @contextmanager
    def _faults(self, call: str) -> Iterator[None]:
        try:
            yield
        except (EnvironmentFault, *MISUSE):
            raise
        except Exception as error:
            raise EnvironmentFault(f"{self.environment.id}: {call} raised {type(error).__name__}: {error}") from error
