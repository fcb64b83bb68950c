"""Tasks: seeds of a Gymnasium environment, in three splits that share none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from agentgym_rl.environments.task_set import Split, Task, TaskSet

MOST = 1_000_000
"""Tasks a split."""
FIRST_SEED: dict[Split, int] = {"train": 0, "validation": MOST, "test": 2 * MOST}
DEFAULT: dict[Split, int] = {"train": 1000, "validation": 100, "test": 100}
"""Tasks of each split unless the settings say otherwise."""


def task_set(id: str, name: str, split: Split, settings: Mapping[str, Any]) -> TaskSet:
    """The tasks of a split: ``NAME/SEED``, or ``NAME~DIGEST/SEED`` with arguments that make it another world.

    Raises:
        ValueError: a number of tasks that can't be.
    """
    count = settings.get(split, DEFAULT[split])
    if not isinstance(count, int) or not 1 <= count <= MOST:
        raise ValueError(f"environment {id!r}: {split}={count!r}: give a number of tasks from 1 to {MOST}")
    return _task_set(id, name + _variant(settings.get("arguments")), name, split, count)


def _variant(arguments: Mapping[str, Any] | None) -> str:
    if not arguments:
        return ""
    return "~" + hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()[:8]


@cache
def _task_set(id: str, prefix: str, category: str, split: Split, count: int) -> TaskSet:
    first = FIRST_SEED[split]
    return TaskSet(
        Task(f"{prefix}/{seed}", id, split, category, data={"seed": seed}) for seed in range(first, first + count)
    )
