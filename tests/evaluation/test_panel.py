"""Panels are even, stable, and share nothing with training."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.environments.task_set import Task, TaskSet
from agentgym_rl.evaluation.panel import PanelOverlap, pick, refuse_overlap, spread


def task(number: int, category: str = "a", content: str = "", environment: str = "toy", split: str = "test") -> Task:
    return Task(f"{split}-{number}", environment, split, category, content=content)  # type: ignore[arg-type]


TASKS = TaskSet([*(task(i, "easy") for i in range(60)), *(task(i, "hard") for i in range(60, 90))])


def test_a_spread_keeps_the_shares_of_categories_and_the_order() -> None:
    panel = spread(TASKS, 9)
    assert [one.category for one in panel] == ["easy"] * 6 + ["hard"] * 3
    assert [one.id for one in panel] == [f"test-{i}" for i in range(0, 90, 10)]
    assert spread(TASKS, None) is TASKS
    assert spread(TASKS, 500) is TASKS


@given(st.integers(1, 90))
def test_a_spread_has_the_number_asked_for(count: int) -> None:
    assert len(spread(TASKS, count)) == count


def test_categories_are_filtered_first() -> None:
    assert [one.id for one in pick(TASKS, 2, ["hard"])] == ["test-60", "test-75"]
    with pytest.raises(ValueError, match="unknown category 'harder'; known: easy, hard"):
        pick(TASKS, 2, ["harder"])
    with pytest.raises(ValueError, match="no task to evaluate"):
        pick(TASKS, 2, [])


def test_what_is_trained_on_is_refused_by_id_and_by_content() -> None:
    panel = [task(1, content="make a stick"), task(2)]
    refuse_overlap(panel, [task(1, split="train", content="make a door"), task(2, split="train")])
    with pytest.raises(PanelOverlap, match=r"1 of the evaluated tasks .*test-1 = train-7.*: evaluate on a split"):
        refuse_overlap(panel, [task(7, split="train", content="make a stick")])
    with pytest.raises(PanelOverlap, match="test-2 is the training task test-2"):
        refuse_overlap(panel, [task(2)])


def test_equal_content_in_another_world_is_another_task() -> None:
    refuse_overlap([task(1, content="x")], [task(7, split="train", content="x", environment="other")])


def test_long_overlaps_are_summed_up() -> None:
    panel = [task(i) for i in range(10)]
    with pytest.raises(PanelOverlap, match=r"10 of the evaluated tasks .* and 7 more"):
        refuse_overlap(panel, panel)
