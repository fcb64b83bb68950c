"""What one optimizer update learns from: which tokens count for what, and how much each weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs
from agentgym_rl.training.algorithms.algorithm import Algorithm
from agentgym_rl.training.batching.batch import Batch
from agentgym_rl.training.losses import forced_mask


@dataclass(slots=True)
class Part:
    """Tokens that one term of the loss counts, and their weights over the whole mini-batch.

    Both [episodes of the batch, tokens]. Denominators are fixed here, before the mini-batch is cut.
    """

    mask: Tensor
    weights: Tensor


@dataclass(slots=True)
class MiniBatch:
    """The terms of a mini-batch; None where the algorithm, or this step, has no such term."""

    policy: Part | None
    forced: Part | None
    value: Part | None

    @property
    def wanted(self) -> dict[str, Tensor]:
        """The masks by name: what micro-batches compute."""
        parts = {"policy": self.policy, "forced": self.forced, "value": self.value}
        return {name: part.mask for name, part in parts.items() if part is not None}


def make_mini_batch(
    algorithm: Algorithm, batch: Batch, rows: Sequence[int], advantages: Tensor, *, critic_only: bool
) -> MiniBatch:
    """The mini-batch of the episodes ``rows`` of ``batch``.

    ``advantages`` [episodes of the batch, tokens]; ``critic_only``: the policy does not learn in this step.
    """
    policy = forced = value = None
    if not critic_only:
        sampled = _only(rows, batch.sampled_mask & batch.valid[:, None])
        weights = _weights(algorithm, rows, sampled)
        policy = Part(sampled & (advantages != 0) if algorithm.skips_zero_advantage else sampled, weights)
        if algorithm.needs_forced_tokens:
            mask = _only(rows, forced_mask(batch.action_mask, batch.sampled_mask, advantages, batch.valid))
            forced = Part(mask, _weights(algorithm, rows, mask))
    if algorithm.needs_critic:
        inputs = AdvantageInputs(
            rewards=batch.rewards,
            action_mask=batch.action_mask,
            turns=batch.turns,
            groups=batch.groups,
            valid=batch.valid,
        )
        mask = _only(rows, algorithm.value_mask(inputs))
        value = Part(mask, _weights(algorithm, rows, mask))
    return MiniBatch(policy, forced, value)


def _only(rows: Sequence[int], mask: Tensor) -> Tensor:
    chosen = torch.zeros_like(mask)
    chosen[rows] = mask[rows]
    return chosen


def _weights(algorithm: Algorithm, rows: Sequence[int], mask: Tensor) -> Tensor:
    weights = torch.zeros(mask.shape)
    weights[rows] = algorithm.weights(mask[rows])
    return weights
