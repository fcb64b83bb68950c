"""How tokens are summed up: by hand, and independent of how a mini-batch is cut."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_rl.training.losses import aggregation_weights
from agentgym_rl.training.losses.aggregation import Aggregation

MASK = torch.tensor([[1, 1, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]]).bool()
"""Three tokens, one token, and an episode that counts for nothing (a fault)."""


def test_token_mean() -> None:
    assert aggregation_weights("token_mean", MASK).tolist() == [[0.25, 0.25, 0, 0.25], [0, 0.25, 0, 0], [0] * 4]


def test_episode_mean() -> None:
    sixth = 1 / 6  # 1 / (2 episodes * 3 tokens)
    expected = torch.tensor([[sixth, sixth, 0, sixth], [0, 0.5, 0, 0], [0] * 4])
    torch.testing.assert_close(aggregation_weights("episode_mean", MASK), expected)


def test_fixed_length() -> None:
    weights = aggregation_weights("fixed_length", MASK, fixed_length=5)
    torch.testing.assert_close(weights, MASK.float() / 10)  # 1 / (2 episodes * 5)


@pytest.mark.parametrize("fixed_length", [None, 0, -1])
def test_fixed_length_needs_its_constant(fixed_length: float | None) -> None:
    with pytest.raises(ValueError, match=f"fixed_length={fixed_length}"):
        aggregation_weights("fixed_length", MASK, fixed_length)


def test_unknown_mode_is_named() -> None:
    with pytest.raises(ValueError, match="median"):
        aggregation_weights("median", MASK)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["token_mean", "episode_mean", "fixed_length"])
def test_an_empty_mini_batch_weighs_nothing(mode: Aggregation) -> None:
    assert not aggregation_weights(mode, torch.zeros(2, 3, dtype=torch.bool), 4).any()


@pytest.mark.parametrize("mode", ["token_mean", "episode_mean", "fixed_length"])
@settings(deadline=None, max_examples=40)
@given(
    masks=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=6),
    seed=st.integers(0, 999),
    padding=st.integers(0, 3),
    cut=st.integers(0, 6),
)
def test_order_padding_and_faults_change_nothing(
    mode: Aggregation, masks: list[list[bool]], seed: int, padding: int, cut: int
) -> None:
    mask = torch.tensor(masks)
    weights = aggregation_weights(mode, mask, 4)
    order = torch.randperm(len(mask), generator=torch.Generator().manual_seed(seed))
    wider = torch.nn.functional.pad(mask[order], (0, padding))
    wider = torch.cat([wider[:cut], torch.zeros(1, wider.shape[1], dtype=torch.bool), wider[cut:]])
    result = aggregation_weights(mode, wider, 4)
    kept = torch.cat([result[:cut], result[cut + 1 :]]) if cut < len(result) else result[:-1]
    torch.testing.assert_close(kept[:, :5], weights[order])
