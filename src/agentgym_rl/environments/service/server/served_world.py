"""A world as it is served: its description, its tasks, its instances."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import metadata
from typing import Any

import gymnasium

from agentgym_rl.environments.aio.from_sync import from_sync
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.aio.worker_pool import WorkerPool
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.registry import GROUP, make, tasks
from agentgym_rl.environments.service.protocol.description import (
    EnvironmentDescription,
    Picture,
    SplitDescription,
    functions_of,
)
from agentgym_rl.environments.spaces import UnicodeText
from agentgym_rl.environments.task_set import SPLITS, Split, Task, TaskSet, find_task


class ServedWorld:
    """One world with one choice of options. Making it looks at the world and lists its tasks, which may take a while.

    Raises:
        UnknownEnvironment, MissingExtra, ValueError: see :func:`agentgym_rl.environments.registry.make`.
        TypeError: its observations have parts that can't be served; options of the wrong kind.
    """

    def __init__(self, id: str, options: Mapping[str, Any]) -> None:
        self.id = id
        self._make: Callable[[], Environment] = partial(make, id, **options)
        self.tasks: dict[Split, TaskSet] = {split: tasks(id, split, **options) for split in SPLITS}
        self._world = self._make()
        self.operator_settings = self._world.operator_settings
        self.description = _describe(id, self._world, self.tasks)

    def task(self, id: str) -> Task:
        """The task of that id in any split. Raises UnknownTask."""
        return find_task(id, list(self.tasks.values()))

    def instance(self, workers: WorkerPool | None, reset_seconds: float, step_seconds: float) -> AsyncEnvironment:
        """A new instance, in this process or in a worker."""
        if workers is None:
            return from_sync(self._make())
        return workers.environment(self._world, self._make, reset_seconds, step_seconds)


def _describe(id: str, world: Environment, task_sets: Mapping[Split, TaskSet]) -> EnvironmentDescription:
    return EnvironmentDescription(
        id=id,
        name=world.id,
        version=_version(id),
        summary=world.summary,
        deterministic=world.deterministic,
        instructions=world.instructions,
        action_schema=functions_of(world.action_schema),
        splits={split: _split(found) for split, found in task_sets.items()},
        pictures=_pictures(id, world.observation_space),
        shortcuts=list(world.shortcuts()),
    )


def _version(id: str) -> str:
    packages = (point.dist for point in metadata.entry_points(group=GROUP) if point.name == id)
    return next((package.version for package in packages if package is not None), "")


def _split(found: TaskSet) -> SplitDescription:
    counts = dict.fromkeys(found.categories, 0)
    for task in found:
        counts[task.category] += 1
    return SplitDescription(tasks=len(found), categories=counts)


def _pictures(id: str, space: gymnasium.Space[Any]) -> dict[str, Picture]:
    if isinstance(space, UnicodeText):
        return {}
    parts = dict(space.spaces) if isinstance(space, gymnasium.spaces.Dict) else {}
    pictures = {name: part for name, part in parts.items() if name != "text"}
    if "text" not in parts or not all(_is_picture(part) for part in pictures.values()):
        raise TypeError(f"environment {id!r}: only text and pictures (uint8 [height, width, 3]) can be served, not {space}")
    return {name: Picture(height=part.shape[0], width=part.shape[1]) for name, part in pictures.items() if part.shape}


def _is_picture(space: gymnasium.Space[Any]) -> bool:
    return space.shape is not None and len(space.shape) == 3 and space.shape[2] == 3 and space.dtype == "uint8"
