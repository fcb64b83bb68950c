"""Packing and the discounted sums that estimators are made of."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_rl.training.advantages import AdvantageInputs
from agentgym_rl.training.advantages.groups import group_statistics
from agentgym_rl.training.advantages.rows import Rows, discounted_sums
from agentgym_rl.training.advantages.whiten import whiten


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 1)), min_size=1, max_size=40))
def test_discounted_sums_are_those_of_the_backward_loop(steps: list[tuple[float, float]]) -> None:
    expected: list[float] = []
    for value, decay in reversed(steps):
        expected.append(value + decay * (expected[-1] if expected else 0.0))
    values, decays = (torch.tensor([[step[k] for step in steps]], dtype=torch.float64) for k in (0, 1))
    assert discounted_sums(values, decays)[0].tolist() == pytest.approx(expected[::-1])


def test_turns_are_ranked_and_their_last_token_found() -> None:
    inputs = AdvantageInputs(
        rewards=torch.zeros(2, 6),
        action_mask=torch.tensor([[0, 1, 1, 0, 1, 1], [1, 0, 0, 0, 0, 1]]).bool(),
        turns=torch.tensor([[-1, 3, 3, -1, 5, 7], [0, -1, -1, -1, -1, 1]]),
        groups=torch.zeros(2),
    )
    rows = Rows.of(inputs)
    assert rows.turns.tolist() == [[0, 0, 1, 2], [0, 1, 1, 1]]
    assert rows.turn_numbers.tolist() == [[3, 3, 5, 7], [0, 1, -1, -1]]
    assert rows.last.tolist() == [[False, True, True, True], [True, True, False, False]]
    assert rows.unpack(torch.tensor([[1.0, 2, 3, 4], [5, 6, 7, 8]])).tolist() == [[0, 1, 2, 0, 3, 4], [5, 0, 0, 0, 0, 6]]


def test_an_episode_without_actions_has_nothing() -> None:
    rows = Rows.of(AdvantageInputs(torch.zeros(2, 3), torch.zeros(2, 3).bool(), torch.full((2, 3), -1), torch.zeros(2)))
    assert rows.returns().tolist() == [0, 0]
    assert rows.spread(torch.ones(2)).tolist() == [[0, 0, 0]] * 2


def test_group_statistics_survive_a_large_offset() -> None:
    values = torch.tensor([10_000.0, 10_000.25, 7.0])
    statistics = group_statistics(values, torch.tensor([1, 1, 2]), torch.tensor([True] * 3))
    assert statistics.deviation.tolist() == [-0.125, 0.125, 0.0]
    assert statistics.std.tolist() == pytest.approx([0.125 * 2**0.5] * 2 + [0.0])
    assert statistics.informative.tolist() == [True, True, False]


def test_whitening_of_equal_values_is_zero() -> None:
    mask = torch.tensor([True, True, True, False])
    assert whiten(torch.tensor([0.1, 0.1, 0.1, 5.0]), mask, 1e-8).tolist() == [0, 0, 0, 0]
