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
    ``skip_solved[world]`` is the chance to pass over a task whose content was solved when it was last played (default: 0).
    """

    def __init__(
        self,
        tasks: Sequence[Sequence[TaskSet]],
        weights: Sequence[float],
        seed: int,
        skip_solved: Sequence[float] | None = None,
    ) -> None:
        self._tasks = tasks
        self._shares = np.array(weights) / sum(weights)
        self._seed = seed
        self._skip_solved = skip_solved if skip_solved is not None else [0.0] * len(tasks)
        self._used: dict[str, int] = {}
        self._count = 0
        self._solved: set[tuple[int, str]] = set()
        self._permutation: tuple[tuple[int, int, int], np.ndarray] | None = None

    def draw(self, stage: int) -> Draw:
        """The next draw at ``stage`` of the schedule."""
        chance = np.random.default_rng(self._number("world", self._count))
        world = int(chance.choice(len(self._shares), p=self._shares)) if len(self._shares) > 1 else 0
        stages = self._tasks[world]
        stage = min(stage, len(stages) - 1)
        task = self._next(world, stage, stages[stage])
        seed = self._number("environment", self._count) % 2**31
        self._count += 1
        return Draw(world, task, seed)

    def record(self, draw: Draw, *, solved: bool) -> None:
        """Whether every episode of a draw succeeded: what ``skip_solved`` goes by."""
        key = (draw.world, draw.task.identity)
        if solved:
            self._solved.add(key)
        else:
            self._solved.discard(key)

    def _next(self, world: int, stage: int, tasks: TaskSet) -> Task:
        name = f"{world}.{stage}"
        place = self._used.get(name, 0)
        task = tasks[self._order(world, stage, place, len(tasks))]
        for _ in range(2 * len(tasks)):  # any task comes within two rounds; when all are passed over, the last is played
            if (world, task.identity) not in self._solved or not self._skips(world, stage, place):
                break
            place += 1
            task = tasks[self._order(world, stage, place, len(tasks))]
        self._used[name] = place + 1
        return task

    def _order(self, world: int, stage: int, place: int, count: int) -> int:
        """Which of ``count`` tasks comes at ``place`` of the endless order of a stage."""
        around, position = divmod(place, count)
        key = (world, stage, around)
        if self._permutation is None or self._permutation[0] != key:
            order = np.random.default_rng(self._number("order", *key)).permutation(count)
            self._permutation = (key, order)
        return int(self._permutation[1][position])

    def _skips(self, world: int, stage: int, place: int) -> bool:
        return np.random.default_rng(self._number("skip", world, stage, place)).random() < self._skip_solved[world]

    def state_dict(self) -> dict[str, Any]:
        """How far the stream is: JSON values."""
        return {"used": dict(self._used), "count": self._count, "solved": sorted(map(list, self._solved))}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from :meth:`state_dict`; tasks, weights and seed must be the same."""
        self._used = dict(state["used"])
        self._count = int(state["count"])
        self._solved = {(world, task) for world, task in state["solved"]}

    def _number(self, *parts: object) -> int:
        text = ":".join(map(str, (self._seed, *parts)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
