"""Tasks: a level and the seed of its layout, in three splits that share no seed and no layout."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count, islice

from agentgym_rl.environments.babyai.left_out import LEFT_OUT
from agentgym_rl.environments.babyai.levels import CATEGORY
from agentgym_rl.environments.task_set import Split, Task, TaskSet

FIRST_SEED: dict[Split, int] = {"train": 0, "validation": 10_000, "test": 20_000}
"""Where a split's seeds begin; a split takes the next free ones."""
PER_LEVEL: dict[Split, int] = {"train": 200, "validation": 10, "test": 20}
"""Tasks of each level in a split (the published split has 45 to train on and 5 to test)."""


def seeds(level: str, split: Split) -> Iterator[int]:
    """The layout seeds of a level in a split: counted up, without those that ``left_out.py`` lists."""
    left_out = LEFT_OUT.get(level, frozenset())
    good = (seed for seed in count(FIRST_SEED[split]) if seed not in left_out)
    return islice(good, PER_LEVEL[split])


@cache
def task_set(split: Split, levels: tuple[str, ...]) -> TaskSet:
    """The tasks of a split, level by level. Needs no MiniGrid."""
    return TaskSet(
        Task(
            id=f"{level}/{seed}",
            environment="babyai",
            split=split,
            category=CATEGORY[level],
            data={"level": level, "seed": seed},
        )
        for level in levels
        for seed in seeds(level, split)
    )
