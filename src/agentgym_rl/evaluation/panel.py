"""The task panel: which held-out tasks an evaluation plays. The same settings give the same panel for ever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentgym_rl.environments.task_set import Task, TaskSet


class PanelOverlap(ValueError):
    """A task of the panel is also trained on."""


def spread(tasks: TaskSet, count: int | None) -> TaskSet:
    """``count`` tasks spread evenly over ``tasks``, in order; all of them where there are no more (or ``count`` is None).

    Even steps through an ordered set keep the shares of its categories.
    """
    if count is None or count >= len(tasks):
        return tasks
    return TaskSet(tasks[position * len(tasks) // count] for position in range(count))


def pick(tasks: TaskSet, count: int | None = None, categories: Sequence[str] | None = None) -> TaskSet:
    """The panel out of a split's ``tasks``: the wanted categories, then :func:`spread`.

    Raises :class:`ValueError` for an unknown category or where nothing is left.
    """
    panel = spread(tasks if categories is None else tasks.filter(categories), count)
    if not len(panel):
        raise ValueError("there is no task to evaluate: the split, or the list of categories, is empty")
    return panel


def refuse_overlap(panel: Iterable[Task], training: Iterable[Task]) -> None:
    """Raise :class:`PanelOverlap` if a task of ``panel`` is among ``training``, by id or by content."""
    ids, contents = set(), {}
    for task in training:
        ids.add(task.id)
        contents[task.environment, task.identity] = task.id
    shared = []
    for task in panel:
        twin = task.id if task.id in ids else contents.get((task.environment, task.identity))
        if twin is not None:
            shared.append(f"{task.id} is the training task {twin}" if twin == task.id else f"{task.id} = {twin}")
    if shared:
        more = f" and {len(shared) - 3} more" if len(shared) > 3 else ""
        raise PanelOverlap(
            f"{len(shared)} of the evaluated tasks are also trained on ({'; '.join(shared[:3])}{more}): "
            "evaluate on a split, or on categories, that training does not use"
        )
