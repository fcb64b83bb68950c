"""The critic's loss (clipped as in Schulman et al.'s PPO code, https://arxiv.org/abs/2005.12729)."""

from __future__ import annotations

import torch
from torch import Tensor

from agentgym_rl.training.losses.inputs import Tally
from agentgym_rl.training.losses.masked import masked, tally


def value_losses(
    values: Tensor, old_values: Tensor, returns: Tensor, mask: Tensor, *, clip: float | None = None
) -> tuple[Tensor, dict[str, Tally]]:
    """``(V - R) ** 2 / 2`` at each token, [episodes, tokens], zero outside the mask; and its metrics.

    ``clip``: the larger of that and the same with ``V`` kept within ``clip`` of ``old_values``.
    """
    current, old, target = masked(values, mask), masked(old_values, mask), masked(returns, mask)
    losses = (current - target).square()
    bound = torch.zeros_like(losses)
    if clip is not None:
        kept = (old + (current - old).clamp(-clip, clip) - target).square()
        bound = (kept > losses).float()
        losses = torch.maximum(losses, kept)
    error = (old - target).square()
    return losses / 2, {"value/clipped": tally(bound, mask), "value/squared_error": tally(error, mask)}
