"""What is measured of a set of evaluated episodes. Pure functions; faults are left out here and counted in the report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from agentgym_rl.records.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Outcome:
    """What counts of one episode."""

    environment: str
    task: str
    category: str
    sample: int
    """Number of the episode among those of its task."""
    success: bool
    score: float
    """In [0, 1]."""
    turns: int
    ended: str
    not_understood: int = 0
    """Turns whose message or action could not be read."""

    @classmethod
    def of(cls, trajectory: Trajectory) -> Self:
        """The outcome of a recorded episode."""
        return cls(
            environment=trajectory.environment,
            task=trajectory.task,
            category=trajectory.category,
            sample=trajectory.index,
            success=trajectory.success,
            score=trajectory.score,
            turns=len(trajectory.turns),
            ended=trajectory.ended,
            not_understood=sum(not turn.understood for turn in trajectory.turns),
        )

    @property
    def key(self) -> str:
        """Names the task among those of several environments: ids are unique inside one only."""
        return f"{self.environment}/{self.task}"

    @property
    def valid(self) -> bool:
        """False for a fault: the infrastructure failed, which says nothing about the agent."""
        return self.ended != "fault"


def by_task(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """The valid outcomes of each task (by :attr:`Outcome.key`), tasks in the order in which they first occur.

    Tasks with faults alone are missing.
    """
    tasks: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.valid:
            tasks.setdefault(outcome.key, []).append(outcome)
    return tasks


def task_means(outcomes: Iterable[Outcome], of: str) -> dict[str, float]:
    """The mean ``success`` or ``score`` of each task. Averaging these again weighs every task alike."""
    return {task: math.fsum(getattr(one, of) for one in some) / len(some) for task, some in by_task(outcomes).items()}


def mean(values: Iterable[float] | Mapping[str, float]) -> float | None:
    """The mean; None of nothing."""
    numbers = list(values.values()) if isinstance(values, Mapping) else list(values)
    return math.fsum(numbers) / len(numbers) if numbers else None


def pass_at_k(samples: int, successes: int, k: int) -> float:
    """The chance that at least one of ``k`` episodes succeeds, without bias, from ``successes`` of ``samples`` ≥ ``k``.

    ``1 - C(samples - successes, k) / C(samples, k)``, as a product (Chen et al. 2021, arXiv:2107.03374, section 2.1).
    """
    if not 1 <= k <= samples or not 0 <= successes <= samples:
        raise ValueError(f"pass@{k} can't be had from {successes} successes in {samples} episodes")
    if samples - successes < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(samples - successes + 1, samples + 1))


def mean_pass_at_k(outcomes: Iterable[Outcome], k: int) -> float | None:
    """Pass@k averaged over the tasks that have ``k`` valid episodes; None where no task has."""
    return mean(
        pass_at_k(len(some), sum(one.success for one in some), k) for some in by_task(outcomes).values() if len(some) >= k
    )


def mean_avg_at_k(outcomes: Iterable[Outcome], k: int, of: str = "success") -> float | None:
    """Avg@k: ``success`` or ``score`` averaged over each task's first ``k`` episodes, then over tasks.

    A fault among the ``k`` leaves the others to make the mean.
    """
    return mean(task_means([one for one in outcomes if one.sample < k], of))


def pass_sizes(samples: int) -> Sequence[int]:
    """The ``k`` worth reporting of so many episodes a task: powers of two and the number itself."""
    return sorted({1 << i for i in range(samples.bit_length()) if 1 << i <= samples} | {samples})
