"""From the return of a Gymnasium environment, the sum of its rewards, to score and success."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gymnasium.envs.registration import EnvSpec

Success = float | Literal["terminated", "positive"]
"""A return that is enough; ``terminated``: the episode ended by itself, not by the time limit; ``positive``: any return
above 0."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """``score`` is the place of the return between ``worst`` and ``best``, cut to [0, 1]; ``success`` is its own rule."""

    worst: float
    best: float
    enough: Success

    def score(self, total: float) -> float:
        """The score of an episode that has ended with the return ``total``."""
        return min(1.0, max(0.0, (total - self.worst) / (self.best - self.worst)))

    def success(self, total: float, *, terminated: bool) -> bool:
        """Whether an episode that has ended with the return ``total`` was one."""
        if self.enough == "terminated":
            return terminated
        return total > 0 if self.enough == "positive" else total >= self.enough


def scoring_of(
    spec: EnvSpec,
    returns: Sequence[float] | None,
    success: Success | None,
    limit: int | None,
) -> Scoring:
    """The scoring of an environment; what is None is taken from its registration.

    Args:
        spec: the registration.
        returns: worst and best return. None: 0 and the reward threshold, or 1 where there is none; with a threshold of 0 or
            less, as those have that count -1 a step, the time limit's negative and the threshold.
        success: None: the reward threshold is enough; without one any positive return.
        limit: the time limit in steps, if there is one.

    Raises:
        ValueError: values that make no sense, or that can't be found.
    """
    threshold = None if spec.reward_threshold is None else float(spec.reward_threshold)
    if success is None:
        success = "positive" if threshold is None else threshold
    if isinstance(success, bool) or (not isinstance(success, (int, float)) and success not in ("terminated", "positive")):
        raise ValueError(f"environment {spec.id!r}: success={success!r}: give a return, 'terminated' or 'positive'")
    if returns is None:
        returns = _returns(spec.id, threshold, limit)
    if len(returns) != 2 or not all(map(math.isfinite, returns)) or not returns[0] < returns[1]:
        raise ValueError(f"environment {spec.id!r}: returns={list(returns)}: give [worst, best], the worst being less")
    return Scoring(float(returns[0]), float(returns[1]), success)


def _returns(id: str, threshold: float | None, limit: int | None) -> tuple[float, float]:
    if threshold is None or threshold > 0:
        return 0.0, threshold or 1.0
    if limit is None or -limit >= threshold:
        raise ValueError(f"environment {id!r}: its returns are not known: give returns=[worst, best]")
    return float(-limit), threshold
