"""Arithmetic on the tokens that count. What lies outside the mask reaches neither a value nor a gradient."""

from __future__ import annotations

import torch
from torch import Tensor

from agentgym_rl.training.losses.inputs import Tally

LOG_RATIO_LIMIT = 20.0
"""exp(20) is 5e8: beyond any clip range, and finite with its square in float32."""


def masked(values: Tensor, mask: Tensor) -> Tensor:
    """float32, zero where ``mask`` is False."""
    return torch.where(mask, values.float(), 0.0)


def log_ratio(numerator: Tensor, denominator: Tensor, mask: Tensor) -> Tensor:
    """``numerator - denominator`` of log-probs, limited to where its exponential stays finite; zero outside the mask."""
    return (masked(numerator, mask) - masked(denominator, mask)).clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)


def tally(values: Tensor, mask: Tensor) -> Tally:
    """Sum over the tokens of the mask, and their number."""
    return masked(values.detach(), mask).sum(), mask.sum().float()
