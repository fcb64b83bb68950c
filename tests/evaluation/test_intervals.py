"""Intervals: against textbook numbers, against chance itself, and where a bootstrap would claim certainty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_rl.evaluation.intervals import bootstrap, interval, paired_difference, wilson


def rates(values: list[float]) -> dict[str, float]:
    return {f"t{i}": value for i, value in enumerate(values)}


def test_wilson_against_the_textbook() -> None:
    # Newcombe (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for successes, trials, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson(successes / trials, trials) == pytest.approx((low, high), abs=5e-5)


def test_newcombe_against_the_textbook() -> None:
    # Newcombe (1998b), table II (b), method 10: 9/10 against 3/10: 0.6 [0.1705, 0.8090].
    after, before = rates([1.0] * 9 + [0.0]), rates([1.0] * 3 + [0.0] * 7)
    found = paired_difference(before, after)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.6, 0.1705, 0.8090), abs=5e-5)
    assert (found.method, found.tasks) == ("newcombe", 10)


def test_bootstrap_agrees_with_the_normal_interval_of_many_tasks() -> None:
    values = np.random.default_rng(1).random(400)
    half = 1.96 * values.std() / 20
    assert bootstrap(list(values)) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.002)


def test_the_bootstrap_repeats_itself() -> None:
    values = list(np.random.default_rng(2).random(1000))
    assert bootstrap(values, seed=3) == bootstrap(values, seed=3)
    assert bootstrap(values, seed=3) != bootstrap(values, seed=4)


def test_chunks_do_not_change_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    values = list(np.random.default_rng(5).random(40))
    whole = bootstrap(values)
    monkeypatch.setattr("agentgym_rl.evaluation.intervals._CHUNK", 4000)
    assert bootstrap(values) == whole


def test_episodes_of_a_task_stay_together() -> None:
    """100 tasks of 8 equal episodes are 100 numbers, not 800: the interval is that of 100."""
    found = interval(rates([1.0] * 50 + [0.0] * 50))
    assert found is not None
    assert found.method == "bootstrap"
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.05, abs=0.02)


def test_no_certainty_from_equal_results() -> None:
    none = interval(rates([0.0] * 100))
    assert none is not None
    assert (none.low, none.method) == (0.0, "wilson")
    assert none.high == pytest.approx(0.037, abs=0.001)
    change = paired_difference(rates([0.0] * 100), rates([1.0] * 100))
    assert change is not None
    assert (change.value, change.high) == (1.0, 1.0)
    assert 0.9 < change.low < 0.96


def test_pairing_cancels_what_makes_tasks_hard() -> None:
    hardness = np.random.default_rng(6).random(200) * 0.8
    before, after = rates(list(hardness)), rates([h + 0.1 + 0.02 * (i % 2) for i, h in enumerate(hardness)])
    found = paired_difference(before, after)
    alone = interval(before)
    assert found is not None
    assert alone is not None
    assert found.value == pytest.approx(0.11)
    assert (found.high - found.low) * 10 < alone.high - alone.low


def test_only_shared_tasks_are_compared() -> None:
    found = paired_difference({"a": 0.0, "b": 1.0}, {"b": 0.0, "c": 1.0})
    assert found is not None
    assert (found.value, found.tasks) == (-1.0, 1)
    assert paired_difference({"a": 0.0}, {"b": 1.0}) is None
    assert interval({}) is None


def test_coverage_of_the_paired_difference() -> None:
    """The true difference lies inside in about 95 of 100 worlds."""
    generator, inside = np.random.default_rng(7), 0
    for _ in range(200):
        before, after = generator.random(60) < 0.3, generator.random(60) < 0.6
        found = paired_difference(rates(list(map(float, before))), rates(list(map(float, after))))
        assert found is not None
        inside += found.low <= 0.3 <= found.high
    assert 180 <= inside <= 199


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.integers(0, 3))
def test_the_value_lies_inside_its_interval(values: list[float], seed: int) -> None:
    found = interval(rates(values), seed)
    assert found is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    change = paired_difference(rates(values), rates(values[::-1]), seed)
    assert change is not None
    assert -1 <= change.low <= change.value <= change.high <= 1
