"""95 % intervals. Tasks are what is drawn, so tasks are what is resampled: episodes of one task stay together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.evaluation.metrics import mean

RESAMPLES = 10_000
SMALL = 30
"""With fewer tasks than this a bootstrap interval of a rate is too narrow; Wilson's is used."""
_Z = 1.959963984540054
_CHUNK = 1_000_000
"""Numbers a resampling holds at once."""

Method = Literal["bootstrap", "wilson", "newcombe"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A value, its 95 % interval and where that comes from. JSON: ``{"value", "low", "high", "tasks", "method"}``."""

    value: float
    low: float
    high: float
    tasks: int
    """How many tasks stand behind it."""
    method: Method

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def bootstrap(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> tuple[float, float]:
    """The 2.5 % and 97.5 % points of the mean of ``values`` (one number a task) under resampling of tasks.

    The same seed gives the same interval, whatever ran before.
    """
    numbers = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    means: NDArray[np.float64] = np.empty(resamples)
    rows = max(1, _CHUNK // len(numbers))
    for start in range(0, resamples, rows):
        stop = min(start + rows, resamples)
        means[start:stop] = numbers[generator.integers(len(numbers), size=(stop - start, len(numbers)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def wilson(rate: float, trials: int) -> tuple[float, float]:
    """Wilson's score interval of a rate in [0, 1] seen in ``trials`` independent trials (Wilson 1927).

    It stays honest where a bootstrap does not: few trials, or a rate of 0 or 1.
    """
    scale = 1 + _Z**2 / trials
    centre = (rate + _Z**2 / (2 * trials)) / scale
    half = _Z / scale * math.sqrt(max(rate * (1 - rate), 0.0) / trials + _Z**2 / (4 * trials**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def interval(values: Mapping[str, float], seed: int = 0) -> Interval | None:
    """The mean over tasks of ``values`` in [0, 1] (task id → the task's mean), with its interval; None of no task.

    Bootstrap over tasks; Wilson's, counting each task as one trial, with fewer than :data:`SMALL` tasks or where all
    tasks are alike (resampling equal numbers would claim certainty).
    """
    value = mean(values)
    if value is None:
        return None
    numbers = list(values.values())
    if len(numbers) < SMALL or min(numbers) == max(numbers):
        return Interval(value, *_around(value, wilson(value, len(numbers))), len(numbers), "wilson")
    return Interval(value, *_around(value, bootstrap(numbers, seed)), len(numbers), "bootstrap")


def paired_difference(before: Mapping[str, float], after: Mapping[str, float], seed: int = 0) -> Interval | None:
    """The mean of ``after - before`` over the tasks both have, with its interval; None where they share no task.

    The differences of tasks are resampled, so what makes a task hard cancels out. With fewer than :data:`SMALL` tasks,
    or where all differences are alike, Newcombe's interval of two independent rates (1998, method 10) is given instead:
    wider than the pairing deserves, never narrower.
    """
    shared = [task for task in before if task in after]
    if not shared:
        return None
    differences = [after[task] - before[task] for task in shared]
    value = math.fsum(differences) / len(shared)
    if len(shared) < SMALL or min(differences) == max(differences):
        first, second = (math.fsum(side[task] for task in shared) / len(shared) for side in (before, after))
        (first_low, first_high), (second_low, second_high) = wilson(first, len(shared)), wilson(second, len(shared))
        low = value - math.hypot(second - second_low, first_high - first)
        high = value + math.hypot(second_high - second, first - first_low)
        return Interval(value, max(-1.0, low), min(1.0, high), len(shared), "newcombe")
    return Interval(value, *_around(value, bootstrap(differences, seed)), len(shared), "bootstrap")


def _around(value: float, ends: tuple[float, float]) -> tuple[float, float]:
    """The interval's ends, not past the value by a rounding error."""
    return min(value, ends[0]), max(value, ends[1])
