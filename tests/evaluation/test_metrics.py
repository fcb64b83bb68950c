"""Metrics against hand-worked numbers, brute force and properties."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.evaluation.metrics import (
    Outcome,
    by_task,
    mean,
    mean_avg_at_k,
    mean_pass_at_k,
    pass_at_k,
    pass_sizes,
    task_means,
)
from agentgym_rl.records.trajectory import Trajectory, Turn


def outcome(task: str, sample: int, success: bool, score: float | None = None, ended: str = "terminated") -> Outcome:
    return Outcome("w", task, "c", sample, success, float(success) if score is None else score, 3, ended)


def test_an_outcome_is_read_from_a_record() -> None:
    turns = [Turn("o", "m", "a"), Turn("o", "m", None, understood=False)]
    record = Trajectory("w", "t-1", "depth-1", 1, 9, 2, 8, turns=turns, score=0.5, success=False, ended="horizon")
    assert Outcome.of(record) == Outcome("w", "t-1", "depth-1", 2, False, 0.5, 2, "horizon", 1)


def test_every_task_weighs_alike_and_faults_are_left_out() -> None:
    outcomes = [
        outcome("a", 0, True),
        outcome("a", 1, True),
        outcome("a", 2, False),
        outcome("b", 0, False, 0.5),
        outcome("b", 1, True, float("nan"), ended="fault"),
        outcome("c", 0, False, ended="fault"),
    ]
    assert {task: len(some) for task, some in by_task(outcomes).items()} == {"w/a": 3, "w/b": 1}
    assert task_means(outcomes, "success") == {"w/a": 2 / 3, "w/b": 0.0}
    assert task_means(outcomes, "score") == {"w/a": 2 / 3, "w/b": 0.5}
    assert mean(task_means(outcomes, "success")) == pytest.approx(1 / 3)
    assert mean([]) is None


def test_pass_at_k_by_hand() -> None:
    # 5 episodes, 2 successes, k = 3: the one triple without success among C(5,3) = 10.
    assert pass_at_k(5, 2, 3) == pytest.approx(0.9)
    assert pass_at_k(5, 2, 1) == pytest.approx(0.4)
    assert pass_at_k(5, 0, 5) == 0.0
    assert pass_at_k(5, 1, 5) == 1.0
    with pytest.raises(ValueError, match="pass@6 can't be had from 2 successes in 5"):
        pass_at_k(5, 2, 6)


@given(st.integers(1, 8), st.data())
def test_pass_at_k_is_the_share_of_subsets_with_a_success(samples: int, data: st.DataObject) -> None:
    successes, k = data.draw(st.integers(0, samples)), data.draw(st.integers(1, samples))
    results = [True] * successes + [False] * (samples - successes)
    subsets = list(itertools.combinations(results, k))
    assert pass_at_k(samples, successes, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


@given(st.integers(1, 200), st.data())
def test_pass_at_k_rises_with_k_and_starts_at_the_mean(samples: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, samples))
    values = [pass_at_k(samples, successes, k) for k in range(1, samples + 1)]
    assert values[0] == pytest.approx(successes / samples)
    assert all(later >= earlier - 1e-12 for earlier, later in itertools.pairwise(values))
    assert values[-1] == (1.0 if successes else 0.0)


def test_avg_at_k_looks_at_the_first_k_and_pass_at_k_needs_k() -> None:
    outcomes = [
        *(outcome("a", i, won, won / 2) for i, won in enumerate([True, False, False, False])),
        *(outcome("b", i, won, won / 2) for i, won in enumerate([False, True])),
    ]
    assert mean_avg_at_k(outcomes, 1) == 0.5
    assert mean_avg_at_k(outcomes, 2) == 0.5
    assert mean_avg_at_k(outcomes, 4) == pytest.approx((0.25 + 0.5) / 2)
    assert mean_avg_at_k(outcomes, 4, of="score") == pytest.approx((0.125 + 0.25) / 2)
    assert mean_pass_at_k(outcomes, 2) == pytest.approx((0.5 + 1.0) / 2)
    assert mean_pass_at_k(outcomes, 4) == 1.0
    assert mean_pass_at_k(outcomes, 5) is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1))
def test_order_changes_nothing(pairs: list[tuple[str, bool]]) -> None:
    outcomes = [outcome(task, i, won) for i, (task, won) in enumerate(pairs)]
    forward, backward = task_means(outcomes, "success"), task_means(outcomes[::-1], "success")
    assert forward == backward
    average = mean(forward)
    assert average is not None
    assert 0 <= average <= 1
    assert math.isclose(average, mean(backward) or 0.0)


def test_the_sizes_worth_reporting() -> None:
    assert [pass_sizes(n) for n in (1, 4, 6, 8)] == [[1], [1, 2, 4], [1, 2, 4, 6], [1, 2, 4, 8]]
