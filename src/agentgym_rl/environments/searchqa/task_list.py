"""Questions as tasks."""

from __future__ import annotations

from functools import cache

from agentgym_rl.environments.errors import UnknownTask
from agentgym_rl.environments.searchqa.matching import normalise
from agentgym_rl.environments.searchqa.options import FACTBOOK
from agentgym_rl.environments.searchqa.question import Question
from agentgym_rl.environments.task_set import Split, Task, TaskSet


@cache
def task_set(split: Split, sources: tuple[str, ...]) -> TaskSet:
    """The tasks of a split, in the order of their sources."""
    return TaskSet(_task(question) for question in _questions(sources).values() if question.split == split)


def question_of(id: str, sources: tuple[str, ...]) -> Question:
    """The question of a task. Raises UnknownTask."""
    found = _questions(sources).get(id)
    if found is None:
        raise UnknownTask(f"searchqa: no question {id!r} in {', '.join(sources)}")
    return found


@cache
def _questions(sources: tuple[str, ...]) -> dict[str, Question]:
    found: dict[str, Question] = {}
    for source in sources:
        for question in _read(source):
            found.setdefault(question.id, question)
    return found


def _read(source: str) -> tuple[Question, ...]:
    if source == FACTBOOK:
        from agentgym_rl.environments.searchqa.factbook.build import questions

        return questions()
    raise ValueError(source)


def _task(question: Question) -> Task:
    return Task(question.id, "searchqa", question.split, question.category, content=normalise(question.text))
