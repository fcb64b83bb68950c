"""Tasks: a kind and one of its variations, in the simulator's own three splits; the benchmark's published ids."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from agentgym_rl.environments.sciworld.kinds import BENCHMARK, Kind
from agentgym_rl.environments.task_set import SPLITS, Split, Task, TaskSet

_PUBLISHED = re.compile(r"agentgym:(0|[1-9][0-9]{0,5})")


def variations(count: int, split: Split) -> range:
    """The variations of a split: the simulator cuts them in order into train (half), development and test.

    A quarter is rounded down and what is left over belongs to the test split. Every kind has at least ten variations.
    """
    quarter = count // 4
    return {
        "train": range(2 * quarter),
        "validation": range(2 * quarter, 3 * quarter),
        "test": range(3 * quarter, count),
    }[split]


def task(kind: Kind, variation: int) -> Task:
    """The task of a variation, whichever split that belongs to."""
    split = next(split for split in SPLITS if variation in variations(kind.variations, split))
    return Task(
        id=f"{kind.name}/{variation}",
        environment="sciworld",
        split=split,
        category=kind.category,
        data={"kind": kind.name, "variation": variation},
    )


def published(id: str) -> Task | None:
    """The task of an item of AgentGym's data, ``agentgym:2340`` for its ``sciworld_2340``; None: no such item."""
    if not (match := _PUBLISHED.fullmatch(id)):
        return None
    number = int(match[1])
    for kind in BENCHMARK:
        if number < kind.variations:
            return task(kind, number)
        number -= kind.variations
    return None


class SciWorldTasks(TaskSet):
    """A task set that also knows its tasks by their published ids."""

    def get(self, id: str) -> Task | None:
        """The task of that id, or of that published id, or None."""
        named = published(id)
        return super().get(named.id if named else id)

    def __contains__(self, task: object) -> bool:
        return self.get(task) is not None if isinstance(task, str) else super().__contains__(task)

    def filter(self, category: str | Iterable[str]) -> SciWorldTasks:
        """The tasks of one or several categories, in order. An unknown category is an error naming the known ones."""
        return SciWorldTasks(super().filter(category))


@cache
def task_set(split: Split, kinds: tuple[Kind, ...]) -> SciWorldTasks:
    """The tasks of a split, kind by kind. Starts no Java."""
    return SciWorldTasks(task(kind, variation) for kind in kinds for variation in variations(kind.variations, split))
