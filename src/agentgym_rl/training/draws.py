"""Which tasks a step plays: an endless, seeded stream of draws that a checkpoint can continue."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym_rl.environments.task_set import Task, TaskSet


@dataclass(frozen=True, slots=True)
class Draw:
    """A task, and the environment seed its group shares."""

    world: int
    task: Task
    seed: int


class TaskStream:
    """Draws worlds by weight and tasks without repetition until a world's tasks are used up, then in a new order.

    ``tasks[world][stage]`` are the tasks of each stage of the horizon schedule (one entry: the same at every stage).
    """

    def __init__(self, tasks: Sequence[Sequence[TaskSet]], weights: Sequence[float], seed: int) -> None:
        self._tasks = tasks
        self._shares = np.array(weights) / sum(weights)
        self._seed = seed
        self._used: dict[str, int] = {}
        self._count = 0

    def draw(self, stage: int) -> Draw:
        """The next draw at ``stage`` of the schedule."""
        chance = np.random.default_rng(self._number("world", self._count))
        world = int(chance.choice(len(self._shares), p=self._shares)) if len(self._shares) > 1 else 0
        stages = self._tasks[world]
        stage = min(stage, len(stages) - 1)
        tasks = stages[stage]
        used = self._used.get(f"{world}.{stage}", 0)
        order = np.random.default_rng(self._number("order", world, stage, used // len(tasks))).permutation(len(tasks))
        task = tasks[int(order[used % len(tasks)])]
        seed = self._number("environment", self._count) % 2**31
        self._used[f"{world}.{stage}"] = used + 1
        self._count += 1
        return Draw(world, task, seed)

    def state_dict(self) -> dict[str, Any]:
        """How far the stream is: JSON values."""
        return {"used": dict(self._used), "count": self._count}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from :meth:`state_dict`; tasks, weights and seed must be the same."""
        self._used = dict(state["used"])
        self._count = int(state["count"])

    def _number(self, *parts: object) -> int:
        text = ":".join(map(str, (self._seed, *parts)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
