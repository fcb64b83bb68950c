import pickle

import pytest

from agentgym_rl.environments.errors import UnknownTask
from agentgym_rl.environments.task_set import Task, TaskSet, find_task

A, B, C = (
    Task(id, "world", "train", category) for id, category in (("apple-1", "easy"), ("berry-1", "hard"), ("cherry-1", "easy"))
)
TASKS = TaskSet([A, B, C])


def test_by_position_id_slice_and_iteration():
    assert (len(TASKS), TASKS[0], TASKS[-1], TASKS["berry-1"]) == (3, A, C, B)
    assert list(TASKS) == [A, B, C]
    assert list(TASKS[1:]) == [B, C]
    assert "apple-1" in TASKS
    assert A in TASKS
    assert "x" not in TASKS
    assert TASKS.index(C) == 2


def test_categories_and_filter_keep_the_order():
    assert TASKS.categories == ("easy", "hard")
    assert list(TASKS.filter("easy")) == [A, C]
    assert list(TASKS.filter(["hard", "easy"])) == [A, B, C]
    with pytest.raises(ValueError, match="unknown category 'eazy'; known: easy, hard"):
        TASKS.filter(["easy", "eazy"])


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(UnknownTask, match="unknown task 'apple-3' among 3 tasks; nearest: apple-1"):
        TASKS["apple-3"]
    with pytest.raises(IndexError):
        TASKS[3]


def test_ids_are_unique():
    with pytest.raises(ValueError, match="not unique"):
        TaskSet([A, A])


def test_find_in_several_sets():
    assert find_task("cherry-1", [TaskSet([A]), TaskSet([B, C])]) is C
    with pytest.raises(UnknownTask, match="unknown task 'cherry-2' among 3 tasks; nearest: cherry-1"):
        find_task("cherry-2", [TaskSet([A]), TaskSet([B, C])])


def test_tasks_are_pickled():
    task = Task("a", "world", "test", "easy", {"level": 3}, "content")
    again = pickle.loads(pickle.dumps(task))
    assert (again, again.data, again.content) == (task, {"level": 3}, "content")
