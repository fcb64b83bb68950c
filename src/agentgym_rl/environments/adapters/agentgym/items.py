"""Items of the published servers, which are numbers, as tasks.

Published lists of items are not shipped: their licence is CC-BY-NC-4.0. Where a server's own data has splits they are kept;
else SHA-256 of the item's name puts it into one: a tenth each for validation and test.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agentgym_rl.environments.task_set import SPLITS, Split, Task, TaskSet

FIRST: tuple[Split, ...] = ("test", "validation", "train")
"""An item that is named for several splits belongs to the first of these only, so that nothing evaluated is trained on."""
VALIDATION_SHARE = 20
"""One in so many items of a published train split is for validation."""


@dataclass(frozen=True, slots=True)
class Range:
    """Items ``start`` to ``stop`` - 1, or every ``step``-th of them."""

    start: int
    stop: int
    category: str
    split: Split | None = None
    """The split that the data itself has; None: by hash."""
    step: int = 1

    @property
    def items(self) -> range:
        return range(self.start, self.stop, self.step)


def task_set(id: str, name: str, ranges: tuple[Range, ...], split: Split, named: Mapping[str, Any] | None) -> TaskSet:
    """The tasks of a split; their ids are the published ones, ``textcraft_12``.

    Args:
        id: the environment.
        name: what the published ids begin with.
        ranges: the items there are.
        split: which split.
        named: items by split, as the setting ``items`` gives them: numbers, or the path of a JSON file with numbers or
            published rows, ``{"item_id": "textcraft_12"}``. A split that is named has these only; the others lose them.

    Raises:
        ValueError: a split or an item that there is not, or a file that can't be read so.
    """
    if not named:
        return _all(id, name, ranges, split)
    chosen = _owners(id, name, named)
    known = {item: place for place in ranges for item in place.items}
    if unknown := [item for item in chosen if item not in known]:
        raise ValueError(f"environment {id!r}: items has {unknown[0]}, which there is not")
    if split in named:
        return TaskSet(_task(id, name, item, split, known[item]) for item in sorted(chosen) if chosen[item] == split)
    return TaskSet(task for task in _all(id, name, ranges, split) if task.data["item"] not in chosen)


@cache
def _all(id: str, name: str, ranges: tuple[Range, ...], split: Split) -> TaskSet:
    return TaskSet(
        _task(id, name, item, split, place)
        for place in ranges
        for item in place.items
        if split == _split_of(name, item, place.split)
    )


def _task(id: str, name: str, item: int, split: Split, place: Range) -> Task:
    return Task(f"{name}_{item}", id, split, place.category, data={"item": item})


def _split_of(name: str, item: int, published: Split | None) -> Split:
    if published is not None and published != "train":
        return published
    drawn = int.from_bytes(hashlib.sha256(f"{name}_{item}".encode()).digest()[:4])
    if published == "train":
        return "validation" if drawn % VALIDATION_SHARE == 0 else "train"
    tenth: dict[int, Split] = {0: "validation", 1: "test"}
    return tenth.get(drawn % 10, "train")


def _owners(id: str, name: str, named: Mapping[str, Any]) -> dict[int, Split]:
    if unknown := named.keys() - set(SPLITS):
        raise ValueError(f"environment {id!r}: items has no split {sorted(unknown)[0]!r}; known: {', '.join(SPLITS)}")
    found: dict[int, Split] = {}
    for split in reversed(FIRST):
        if split in named:
            found.update(dict.fromkeys(_numbers(id, name, named[split]), split))
    return found


def _numbers(id: str, name: str, given: Any) -> Iterable[int]:
    try:
        rows: Any = json.loads(Path(given).read_text(encoding="utf-8")) if isinstance(given, str) else given
    except (OSError, ValueError) as error:
        raise ValueError(f"environment {id!r}: items: {given} can't be read: {error}") from error
    if not isinstance(rows, Sequence):
        raise ValueError(f"environment {id!r}: items needs lists, not {str(given)[:100]}")
    return [_number(id, name, row) for row in rows]


def _number(id: str, name: str, row: Any) -> int:
    word = row.get("item_id") if isinstance(row, Mapping) else row
    if isinstance(word, str) and word.rpartition("_")[2].isdecimal():
        return int(word.rpartition("_")[2])
    if isinstance(word, int):
        return word
    raise ValueError(f"environment {id!r}: items has {str(row)[:100]}: write a number or {name}_NUMBER")
