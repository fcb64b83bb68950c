"""Which of WebArena's tasks can be played, in which split each is, and by which ids they are found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from agentgym_rl.environments.task_set import SPLITS, Split, Task, TaskSet
from agentgym_rl.environments.web.webarena.catalog import category_of
from agentgym_rl.environments.web.webarena.task_file import OriginalTask, WebTask, read_task_file
from agentgym_rl.environments.web.webarena.verified import package

WORLD = "webarena"
_PREFIX = {"original": "webarena", "verified": "verified"}
_DEALT: tuple[Split, ...] = ("test", "train", "train", "train", "train", "test", "train", "validation", "train", "train")
"""The splits of ten tasks in a row: two for test, one for validation."""


@dataclass(frozen=True, slots=True)
class Source:
    """A task list: one of the package's two, or a file of the user's own in either form."""

    evaluators: package.TaskList
    file: str | None = None

    @property
    def path(self) -> Path:
        """Raises VerifiedMissing."""
        return package.task_file(self.evaluators) if self.file is None else Path(self.file).expanduser()

    @property
    def prefix(self) -> str:
        """What its ids begin with."""
        return _PREFIX[self.evaluators] if self.file is None else Path(self.file).stem


@cache
def tasks_of(source: Source) -> Mapping[int, WebTask]:
    """Every task of a list by its number, whether it can be played or not.

    Raises:
        VerifiedMissing: the package, which has the lists, is not installed.
        TaskFileError: the file can't be used.
        ValueError: a file of the form that the other evaluators read.
    """
    found = {task.task_id: task for task in read_task_file(source.path)}
    for task in found.values():
        if isinstance(task, OriginalTask) != (source.evaluators == "original"):
            other = "original" if source.evaluators == "verified" else "verified"
            raise ValueError(f"environment 'webarena': {source.path} is in the form of evaluators={other}: set that")
    return found


@dataclass(frozen=True, slots=True)
class Selection:
    """The tasks that can be played, and why others can't."""

    numbers: tuple[int, ...]
    left_out: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Numbers of the tasks left out, by reason."""


def select(source: Source, sites: Collection[str], *, judged: bool) -> Selection:
    """The tasks of a list that can be played on these sites; ``judged``: there is a judge for those that need one.

    Raises:
        ValueError: there is none. Further errors as :func:`tasks_of`.
    """
    kept: list[int] = []
    left_out: dict[str, list[int]] = {}
    for number, task in tasks_of(source).items():
        missing = [site for site in task.sites if site not in sites]
        if missing:
            left_out.setdefault(f"no address of {' and '.join(sorted(missing))}", []).append(number)
        elif task.needs_judge and not judged:
            left_out.setdefault("no judge", []).append(number)
        else:
            kept.append(number)
    if not kept:
        given = f"the sites given ({', '.join(sites)}) have no task" if sites else "no site is given"
        raise ValueError(
            f"environment 'webarena': {given}: set sites={{shopping: http://HOST:7770}} or $SHOPPING and so on; "
            "docs/how-to/host-webarena.md says how to host them"
        )
    return Selection(tuple(kept), {reason: tuple(numbers) for reason, numbers in sorted(left_out.items())})


def task_set(source: Source, selection: Selection, split: Split, items: Mapping[str, Any] | None) -> TaskSet:
    """The tasks of a split.

    ``items`` are numbers by split, as the setting gives them: a list, or a JSON file with one. A split that is named has these
    only, as far as they can be played; the others lose them.

    Raises:
        ValueError: a split or an item that there is not, or a file that can't be read so.
    """
    tasks = tasks_of(source)
    splits = dict(splits_of(source))
    if items:
        owners = _owners(items)
        if unknown := [number for number in owners if number not in tasks]:
            raise ValueError(f"environment 'webarena': items has {unknown[0]}, which {source.path.name} has not")
        named = {split for split in SPLITS if split in items}
        kept = {number: owner for number, owner in splits.items() if owner not in named}
        splits = {**kept, **owners}
    chosen = [number for number in selection.numbers if splits.get(number) == split]
    return NumberedTasks(source.prefix, [_task(source, tasks[number], split) for number in chosen])


class NumberedTasks(TaskSet):
    """Tasks that are found by the ids of the published lists too: ``agentgym:44`` and ``webarena_44`` are number 44."""

    def __init__(self, prefix: str, tasks: Sequence[Task]) -> None:
        super().__init__(tasks)
        self._prefix = prefix

    def get(self, id: str) -> Task | None:
        """The task of that id, ours or published; None where there is none."""
        return super().get(f"{self._prefix}-{number}" if (number := published_number(id)) is not None else id)


def published_number(id: str) -> int | None:
    """The number in a published id; None where it is none."""
    for start in ("agentgym:webarena_", "agentgym:", "webarena_"):
        rest = id.removeprefix(start)
        if rest != id and rest.isdecimal():
            return int(rest)
    return None


@cache
def splits_of(source: Source) -> Mapping[int, Split]:
    """The split of every task of a list, by its number; which sites there are changes nothing.

    The tasks lie in a row by site, then by template, both in the order of their SHA-256 sums, and are dealt out by tens. So the
    shares of every site are those of the whole, and the tasks of a template are spread over the splits.
    """

    def place(task: WebTask) -> tuple[tuple[str, ...], bytes, bytes]:
        return tuple(sorted(task.sites)), _digest(f"template {task.intent_template_id}"), _digest(f"task {task.task_id}")

    row = sorted(tasks_of(source).values(), key=place)
    return {task.task_id: _DEALT[position % len(_DEALT)] for position, task in enumerate(row)}


def _digest(text: str) -> bytes:
    return hashlib.sha256(f"webarena {text}".encode()).digest()


def _task(source: Source, task: WebTask, split: Split) -> Task:
    sites = tuple(task.sites)
    data = {
        "number": task.task_id,
        "sites": list(sites),
        "several_sites": len(sites) > 1,
        "template": task.intent_template_id,
    }
    # Both lists ask for the same thing under a number, in other words.
    content = f"{WORLD} {task.task_id}" if source.file is None else ""
    return Task(f"{source.prefix}-{task.task_id}", WORLD, split, category_of(sites), data, content)


def _owners(items: Mapping[str, Any]) -> dict[int, Split]:
    """Which split has each named task; one that is named twice goes where it is evaluated."""
    if not isinstance(items, Mapping) or (unknown := items.keys() - set(SPLITS)):
        what = sorted(map(str, unknown))[0] if isinstance(items, Mapping) else items
        raise ValueError(f"environment 'webarena': items has no split {what!r}; known: {', '.join(SPLITS)}")
    owners: dict[int, Split] = {}
    for split in ("train", "validation", "test"):
        if split in items:
            owners.update(dict.fromkeys(_numbers(items[split]), split))
    return owners


def _numbers(given: Any) -> list[int]:
    try:
        rows: Any = json.loads(Path(given).expanduser().read_text(encoding="utf-8")) if isinstance(given, str) else given
    except (OSError, ValueError) as error:
        raise ValueError(f"environment 'webarena': items: {given} can't be read: {error}") from error
    if not isinstance(rows, Sequence):
        raise ValueError(f"environment 'webarena': items needs lists, not {str(given)[:100]}")
    return [_number(row) for row in rows]


def _number(row: Any) -> int:
    word = row.get("item_id") if isinstance(row, Mapping) else row
    if isinstance(word, int) and not isinstance(word, bool):
        return word
    if isinstance(word, str):
        number = published_number(word)
        tail = word.rpartition("-")[2]
        if number is not None:
            return number
        if tail.isdecimal():
            return int(tail)
    raise ValueError(
        f"environment 'webarena': items has {str(row)[:100]}: write a number, webarena_NUMBER or agentgym:NUMBER"
    )
