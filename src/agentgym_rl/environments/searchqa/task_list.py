"""Questions as tasks, and the benchmark's published ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from agentgym_rl.environments.errors import UnknownTask
from agentgym_rl.environments.searchqa.files import sets
from agentgym_rl.environments.searchqa.matching import normalise
from agentgym_rl.environments.searchqa.options import FACTBOOK
from agentgym_rl.environments.searchqa.question import Question
from agentgym_rl.environments.task_set import Split, Task, TaskSet

_PUBLISHED = re.compile(r"agentgym:(0|[1-9][0-9]{0,6})")


@dataclass(frozen=True, slots=True)
class _Questions:
    by_id: Mapping[str, Question]
    rows: Mapping[tuple[str, bool], tuple[str, ...]]


class QuestionTasks(TaskSet):
    """A task set that also knows its tasks by their published ids."""

    def __init__(self, tasks: Iterable[Task], sources: tuple[str, ...]) -> None:
        super().__init__(tasks)
        self._sources = sources

    def get(self, id: str) -> Task | None:
        """The task of that id, or of that published id, or None.

        Raises:
            UnknownTask: a published id that the sources can't resolve; says why.
        """
        return super().get(published(id, self._sources) or id)

    def __contains__(self, task: object) -> bool:
        return self.get(task) is not None if isinstance(task, str) else super().__contains__(task)

    def filter(self, category: str | Iterable[str]) -> QuestionTasks:
        """The tasks of one or several categories, in order. An unknown category is an error naming the known ones."""
        return QuestionTasks(super().filter(category), self._sources)


@cache
def task_set(split: Split, sources: tuple[str, ...]) -> QuestionTasks:
    """The tasks of a split, in the order of their sources."""
    return QuestionTasks((_task(one) for one in _read(sources).by_id.values() if one.split == split), sources)


def question_of(id: str, sources: tuple[str, ...]) -> Question:
    """The question of a task. Raises UnknownTask."""
    found = _read(sources).by_id.get(id)
    if found is None:
        raise UnknownTask(f"searchqa: no question {id!r} in {', '.join(sources)}")
    return found


def published(id: str, sources: tuple[str, ...]) -> str | None:
    """The task id of an item of AgentGym-RL's data, ``agentgym:29190`` for its item 29190; None: not of that form.

    Raises:
        UnknownTask: there is no such item, or the sources' files are not those that the published numbers count through.
    """
    if not (match := _PUBLISHED.fullmatch(id)):
        return None
    place = sets.place_of(int(match[1]))
    if place is None:
        raise UnknownTask(f"searchqa: {id}: the published items end at {sum(count for _, count, _ in sets.PUBLISHED) - 1}")
    category, train, row = place
    rows = _read(sources).rows.get((category, train), ())
    wanted = next(count for name, count, part in sets.PUBLISHED if (name, part) == (category, train))
    if len(rows) != wanted:
        part = "train" if train else "test"
        raise UnknownTask(
            f"searchqa: {id} is row {row} of the {part} part of {category}, which has {wanted} questions; there are {len(rows)}: "
            "give FlashRAG's files of that set in questions"
        )
    return rows[row]


@cache
def _read(sources: tuple[str, ...]) -> _Questions:
    by_id: dict[str, Question] = {}
    rows: Mapping[tuple[str, bool], tuple[str, ...]] = {}
    if FACTBOOK in sources:
        from agentgym_rl.environments.searchqa.factbook.build import questions

        by_id.update({question.id: question for question in questions()})
    files = [source for source in sources if source != FACTBOOK]
    if files:
        from agentgym_rl.environments.searchqa.files.load import load

        loaded = load(files)
        by_id.update({question.id: question for question in loaded.questions})
        rows = loaded.rows
    return _Questions(by_id, rows)


def _task(question: Question) -> Task:
    return Task(question.id, "searchqa", question.split, question.category, content=normalise(question.text))
