"""Tasks: a level and the seed of its layout, in three splits that share no seed and no layout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import islice

from agentgym_rl.environments.babyai.levels import CATEGORY
from agentgym_rl.environments.task_set import Split, Task, TaskSet

FIRST_SEED: dict[Split, int] = {"train": 0, "validation": 10_000, "test": 20_000}
"""Where a split's seeds begin; a split takes the next good ones."""
PER_LEVEL: dict[Split, int] = {"train": 200, "validation": 10, "test": 20}
"""Tasks of each level in a split (the published split has 45 to train on and 5 to test)."""
SEARCHED = 400
"""How many seeds are looked at; a few levels outside the benchmark have fewer layouts than a split asks for."""


def seeds(level: str, split: Split) -> Iterator[int]:
    """The layout seeds of a level in a split: counted up, without those that ``left_out.json`` lists."""
    left_out = _left_out().get(level, frozenset())
    searched = range(FIRST_SEED[split], FIRST_SEED[split] + SEARCHED)
    return islice((seed for seed in searched if seed not in left_out), PER_LEVEL[split])


def task(level: str, seed: int, split: Split) -> Task:
    """The task of a level at a layout seed."""
    return Task(
        id=f"{level}/{seed}",
        environment="babyai",
        split=split,
        category=CATEGORY[level],
        data={"level": level, "seed": seed},
    )


@cache
def task_set(split: Split, levels: tuple[str, ...]) -> TaskSet:
    """The tasks of a split, level by level. Needs no MiniGrid."""
    return TaskSet(task(level, seed, split) for level in levels for seed in seeds(level, split))


@cache
def _left_out() -> dict[str, frozenset[int]]:
    """Seeds no split uses (a repeated layout, or a mission nobody can do), by level; see ``scripts/babyai_left_out.py``."""
    text = resources.files(__package__).joinpath("left_out.json").read_text(encoding="utf-8")
    return {level: frozenset(left_out) for level, left_out in json.loads(text).items()}
