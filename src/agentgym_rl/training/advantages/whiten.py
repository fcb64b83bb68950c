"""Advantages brought to mean 0 and standard deviation 1 over a batch."""

from __future__ import annotations

import torch
from torch import Tensor

from agentgym_rl.training.advantages.groups import group_statistics


def whiten(values: Tensor, mask: Tensor, epsilon: float) -> Tensor:
    """``(values - mean) / sqrt(variance + epsilon)`` over the entries where ``mask`` is True; zero elsewhere.

    The variance is the sample variance (ddof 1). Entries that are all equal give exactly zero.
    """
    flat = values[mask]
    one = torch.zeros(len(flat), dtype=torch.long, device=values.device)
    statistics = group_statistics(flat, one, torch.ones_like(flat, dtype=torch.bool))
    white = statistics.deviation / (statistics.std.square() + epsilon).sqrt()
    return torch.zeros_like(values).masked_scatter(mask, white)
