"""The adaptive horizon: when it grows, that it never shrinks, that it is a function of the records alone."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_rl.training.horizon import Horizon

WINDOW = 3


def schedule(**options: Any) -> Horizon:
    return Horizon(schedule="adaptive", turns=[4, 8, 12], window=WINDOW, success=0.6, truncated=0.5, gain=0.05, **options)


def records(successes: list[float | None], truncated: float = 0.0) -> list[dict[str, Any]]:
    return [
        {"step": step, "success/mean": success, "episodes/truncated": truncated} for step, success in enumerate(successes, 1)
    ]


def test_starts_at_the_first_horizon() -> None:
    assert schedule().at(1) == 4


def test_grows_when_mastered_over_a_whole_window() -> None:
    history = records([0.5, 0.6, 0.7])  # mean 0.6 = the threshold
    assert schedule().at(3, history) == 4  # sees steps 1 and 2 only
    assert schedule().at(4, history) == 8


def test_a_window_never_reaches_back_into_an_earlier_stage() -> None:
    history = records([0.9, 0.9, 0.9, 0.1, 0.9])  # stage 2 has seen 0.1 and 0.9 only
    assert schedule().at(6, history) == 8
    assert schedule().at(7, [*history, {"step": 6, "success/mean": 0.9}]) == 12  # mean 0.633


def test_grows_when_the_horizon_holds_success_back() -> None:
    flat = [0.2] * 6
    assert schedule().at(6, records(flat, truncated=0.5)) == 4  # two windows are needed
    assert schedule().at(7, records(flat, truncated=0.5)) == 8
    assert schedule().at(7, records(flat, truncated=0.49)) == 4  # not truncated enough
    assert schedule().at(7, records([0.2, 0.2, 0.2, 0.3, 0.3, 0.3], truncated=1.0)) == 4  # still rising


def test_steps_without_a_success_count_for_nothing() -> None:
    assert schedule().at(5, records([0.9, None, 0.9])) == 4
    assert schedule().at(5, records([0.9, None, 0.9, 0.9])) == 8


def test_stays_at_the_last_horizon() -> None:
    assert schedule().at(1000, records([1.0] * 500)) == 12


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.floats(0, 1)), max_size=40),
    st.randoms(use_true_random=False),
)
def test_never_shrinks_and_ignores_order_and_later_records(
    rows: list[tuple[float | None, float]], shuffle: random.Random
) -> None:
    history = [{"step": step, "success/mean": s, "episodes/truncated": t} for step, (s, t) in enumerate(rows, 1)]
    shuffled = history.copy()
    shuffle.shuffle(shuffled)
    horizons = [schedule().at(step, history[: step - 1]) for step in range(1, len(rows) + 2)]
    assert horizons == sorted(horizons)
    assert horizons == [schedule().at(step, shuffled) for step in range(1, len(rows) + 2)]
