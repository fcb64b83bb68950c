"""Importance correction between engine and learner, the critic's loss, forced tokens, overlong shaping: by hand."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from agentgym_rl.training.losses import (
    add_tallies,
    correction_weights,
    forced_likelihood,
    forced_mask,
    means,
    mismatch_metrics,
    overlong_penalty,
    value_losses,
)

NAN = float("nan")
MASK = torch.tensor([[True, True, False, True]])
ENGINE = torch.tensor([[-1.0, -1.0, NAN, -1.0]])
OLD = ENGINE + torch.tensor([[4.0, 0.5, 1.0, 0.25]]).log()
"""Ratios learner / engine: 4, 0.5 and 0.25; their product is 0.5."""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"kind": "truncate", "level": "token", "cap": 2.0}, [2.0, 0.5, 0, 0.25]),
        ({"kind": "mask", "level": "token", "cap": 2.0}, [0, 0.5, 0, 0.25]),
        ({"kind": "mask", "level": "token", "cap": 2.0, "floor": 0.3}, [0, 0.5, 0, 0]),
        ({"kind": "truncate", "level": "sequence", "cap": 2.0}, [0.5, 0.5, 0, 0.5]),
        ({"kind": "mask", "level": "sequence", "cap": 2.0, "floor": 0.6}, [0, 0, 0, 0]),
    ],
)
def test_correction(settings: dict[str, Any], expected: list[float]) -> None:
    assert correction_weights(OLD, ENGINE, MASK, **settings)[0].tolist() == pytest.approx(expected)


def test_correction_has_no_gradient() -> None:
    assert not correction_weights(
        OLD.clone().requires_grad_(), ENGINE, MASK, kind="truncate", level="token", cap=2
    ).requires_grad


def test_mismatch_metrics_are_raw() -> None:
    result = means(mismatch_metrics(OLD, ENGINE, MASK))
    assert result["ratio/rollout"] == pytest.approx((4 + 0.5 + 0.25) / 3)
    # k3: r - 1 - log r; the logs add up to log .5
    assert result["kl/rollout"] == pytest.approx((4.75 - 3 + 0.6931472) / 3)


def test_value_loss() -> None:
    values, old, returns = torch.tensor([[1.0, 1.0, NAN]]), torch.tensor([[0.9, 0.0, NAN]]), torch.tensor([[2.0, 1.0, NAN]])
    mask = torch.tensor([[True, True, False]])
    losses, metrics = value_losses(values, old, returns, mask)
    assert losses[0].tolist() == [0.5, 0.0, 0.0]  # (1 - 2)^2 / 2, (1 - 1)^2 / 2
    losses, metrics = value_losses(values, old, returns, mask, clip=0.2)
    assert losses[0].tolist() == pytest.approx([0.5, 0.32, 0.0])  # the second kept at .2: (.2 - 1)^2 / 2
    assert means(metrics)["value/clipped"] == 0.5


def test_value_gradient_stops_where_it_is_clipped() -> None:
    values = torch.tensor([[1.0, 1.0]], requires_grad=True)
    losses, _ = value_losses(
        values, torch.tensor([[0.9, 0.0]]), torch.tensor([[2.0, 1.5]]), torch.ones(1, 2).bool(), clip=0.2
    )
    (gradient,) = torch.autograd.grad(losses.sum(), values)
    assert gradient[0].tolist() == pytest.approx([-1.0, 0.0])


def test_forced_tokens_of_good_messages_get_likelier() -> None:
    action = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 0, 0]]).bool()
    sampled = torch.tensor([[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]).bool()
    advantages = torch.tensor([[1.0, 1.0, -1.0, 0.0], [-1.0, -1.0, 0, 0], [2.0, 2.0, 0, 0]])
    mask = forced_mask(action, sampled, advantages, torch.tensor([True, True, False]))
    assert mask.tolist() == [[False, True, False, False], [False] * 4, [False] * 4]
    log_probs = torch.full((3, 4), NAN)
    log_probs[0, 1] = -3.0
    log_probs.requires_grad_()
    loss = forced_likelihood(log_probs, mask, torch.full((3, 4), 0.5))
    assert loss.item() == 1.5
    (gradient,) = torch.autograd.grad(loss, log_probs)
    assert gradient.nonzero().tolist() == [[0, 1]]
    assert float(gradient[0, 1]) == -0.5


def test_overlong_penalty_rises_to_its_limit() -> None:
    lengths = torch.tensor([1, 6, 7, 8, 10, 12])
    assert overlong_penalty(lengths, limit=10, buffer=4).tolist() == [0, 0, 0.25, 0.5, 1, 1]
    assert overlong_penalty(lengths, limit=10, buffer=4, penalty=0.5).tolist() == [0, 0, 0.125, 0.25, 0.5, 0.5]


def test_tallies_add_up_over_micro_batches() -> None:
    whole = mismatch_metrics(OLD, ENGINE, MASK)
    parts = [mismatch_metrics(OLD[:, part], ENGINE[:, part], MASK[:, part]) for part in (slice(0, 1), slice(1, 4))]
    assert means(add_tallies(parts)) == pytest.approx(means(whole))
    assert means(mismatch_metrics(OLD, ENGINE, torch.zeros_like(MASK))) == {}
