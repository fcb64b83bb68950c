"""Tasks and ordered, immutable sets of them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from agentgym_rl.environments.errors import UnknownTask

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to be done in a world. Its id means the same task on every machine, for ever."""

    id: str
    environment: str
    split: Split
    category: str
    """A benchmark's column: ``depth-2``, ``HotpotQA``, ``GoTo`` …"""
    data: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What the world needs to set the task up (JSON values)."""
    content: str = field(default="", compare=False)
    """What makes this task itself: two tasks of equal content are the same thing to learn. Evaluation compares these
    to keep what is evaluated out of training. Empty: the id."""

    @property
    def identity(self) -> str:
        """The content, or the id of a task without one: equal for tasks that are the same thing to learn."""
        return self.content or self.id


class TaskSet(Sequence[Task]):
    """Ordered, immutable sequence of tasks: by position, ``["task id"]``, slice, iteration, :meth:`filter`."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = tuple(tasks)
        self._by_id = {task.id: task for task in self._tasks}
        if len(self._by_id) != len(self._tasks):
            raise ValueError("task ids are not unique")

    def __len__(self) -> int:
        return len(self._tasks)

    @overload
    def __getitem__(self, key: int | str) -> Task: ...
    @overload
    def __getitem__(self, key: slice) -> TaskSet: ...
    def __getitem__(self, key: int | str | slice) -> Task | TaskSet:
        if isinstance(key, slice):
            return TaskSet(self._tasks[key])
        if isinstance(key, int):
            return self._tasks[key]
        found = self.get(key)
        if found is not None:
            return found
        raise unknown_task(key, self._by_id)

    def get(self, id: str) -> Task | None:
        """The task of that id, or None."""
        return self._by_id.get(id)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks)

    def __contains__(self, task: object) -> bool:
        return task in self._by_id if isinstance(task, str) else task in self._tasks

    def filter(self, category: str | Iterable[str]) -> TaskSet:
        """The tasks of one or several categories, in order. An unknown category is an error naming the known ones."""
        wanted = {category} if isinstance(category, str) else set(category)
        unknown = wanted.difference(self.categories)
        if unknown:
            raise ValueError(f"unknown category {sorted(unknown)[0]!r}; known: {', '.join(self.categories)}")
        return TaskSet(task for task in self._tasks if task.category in wanted)

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories in the order in which they first occur."""
        return tuple(dict.fromkeys(task.category for task in self._tasks))

    def __repr__(self) -> str:
        return f"TaskSet({len(self)} tasks; {', '.join(self.categories)})"


def find_task(id: str, sets: Sequence[TaskSet]) -> Task:
    """The task of that id in the first of several sets that has it.

    Raises:
        UnknownTask: none has it.
    """
    for tasks in sets:
        found = tasks.get(id)
        if found is not None:
            return found
    raise unknown_task(id, [task.id for tasks in sets for task in tasks])


def unknown_task(id: str, known: Collection[str]) -> UnknownTask:
    """The error for a task id that is not among ``known``, naming the nearest ones."""
    near = difflib.get_close_matches(id, known, n=3)
    hint = f"; nearest: {', '.join(near)}" if near else ""
    return UnknownTask(f"unknown task {id!r} among {len(known)} tasks{hint}")
