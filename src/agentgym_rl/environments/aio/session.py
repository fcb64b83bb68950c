"""One synchronous world behind the calls that every runner passes on."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from agentgym_rl.environments.errors import EnvironmentFault, ResetNeeded, UnknownTask
from agentgym_rl.environments.protocol import Environment, Transition
from agentgym_rl.environments.task_set import Task

log = logging.getLogger(__name__)

_LONGEST_REASON = 500
"""Characters of an exception's text that are kept."""

_SLACK = 1e-6
"""Sums of many small gains may pass 1 by a rounding error."""

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
            return self._checked(Transition(observation, 0.0, False, False, info, self._admissible(admissible)))

    def step(self, action: str, admissible: bool) -> Transition:
        with self._faults("step"):
            observation, reward, terminated, truncated, info = self.environment.step(action)
            wanted = admissible and not (terminated or truncated)
            return self._checked(
                Transition(observation, float(reward), terminated, truncated, info, self._admissible(wanted))
            )

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

    def _checked(self, transition: Transition) -> Transition:
        """What a world broke of the contract is a fault: a reward that is no number would spoil every weight."""
        observation, info = transition.observation, transition.info
        text = observation.get("text") if isinstance(observation, Mapping) else observation
        score = info["score"]
        problem = None
        if not isinstance(text, str):
            problem = f"an observation without text: {type(observation).__name__}"
        elif not math.isfinite(transition.reward):
            problem = f"the reward {transition.reward}"
        elif not -_SLACK <= score <= 1 + _SLACK:
            problem = f"the score {score}, which is not in [0, 1]"
        elif not {"success", "understood"} <= info.keys():
            problem = "an info without success and understood"
        elif transition.admissible is not None and not transition.ended:
            if not transition.admissible:
                problem = "no admissible action although the episode runs"
            elif not all(isinstance(action, str) for action in transition.admissible):
                problem = "admissible actions that are no strings"
        if problem:
            raise EnvironmentFault(f"{self.environment.id}: the world gave {problem}")
        return transition

    def _admissible(self, wanted: bool) -> tuple[str, ...] | None:
        actions = self.environment.admissible_actions() if wanted else None
        return None if actions is None else tuple(actions)

    @contextmanager
    def _faults(self, call: str) -> Iterator[None]:
        try:
            yield
        except (EnvironmentFault, *MISUSE):
            raise
        except (Exception, SystemExit) as error:
            reason = " ".join(str(error).split())[:_LONGEST_REASON]  # some quote a whole page
            raise EnvironmentFault(f"{self.environment.id}: {call} raised {type(error).__name__}: {reason}") from error
