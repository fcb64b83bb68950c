"""Likelihood of forced tokens, so that a policy trained on restricted messages can also write them freely."""

from __future__ import annotations

import torch
from torch import Tensor

from agentgym_rl.training.losses.masked import masked


def forced_mask(action_mask: Tensor, sampled_mask: Tensor, advantages: Tensor, valid: Tensor) -> Tensor:
    """[episodes, tokens] bool: tokens of messages with a positive advantage that were appended without a choice."""
    return action_mask & ~sampled_mask & valid[:, None] & (advantages > 0)


def forced_likelihood(log_probs: Tensor, mask: Tensor, weights: Tensor) -> Tensor:
    """``-(weights * log_probs).sum()`` over the mask, a scalar.

    ``log_probs`` are those of the *unrestricted* distribution: under the restriction a forced token has probability 1.
    """
    return -(torch.where(mask, weights, 0.0) * masked(log_probs, mask)).sum()
