"""The clipped surrogate of PPO (Schulman et al. 2017, https://arxiv.org/abs/1707.06347)."""

from __future__ import annotations

import torch

from agentgym_rl.training.losses.inputs import LossInputs
from agentgym_rl.training.losses.masked import log_ratio, masked, tally
from agentgym_rl.training.losses.policy import PerToken


def ppo_clip(
    inputs: LossInputs, *, clip_low: float = 0.2, clip_high: float = 0.2, dual_clip: float | None = None
) -> PerToken:
    """``-min(r A, clip(r, 1 - clip_low, 1 + clip_high) A)`` with ``r = exp(log_probs - old_log_probs)``.

    ``clip_high`` above ``clip_low`` is DAPO's clip-higher. ``dual_clip`` > 1 bounds the loss of a token with a negative
    advantage by ``-dual_clip * A`` (Ye et al. 2020, https://arxiv.org/abs/1912.09729).
    """
    ratio = log_ratio(inputs.log_probs, inputs.old_log_probs, inputs.mask).exp()
    advantages = masked(inputs.advantages, inputs.mask)
    plain = -advantages * ratio
    clipped = -advantages * ratio.clamp(1 - clip_low, 1 + clip_high)
    losses = torch.maximum(plain, clipped)
    bound = (clipped > plain).float()
    if dual_clip is not None:
        floor = -advantages * dual_clip
        cut = (advantages < 0) & (losses > floor)
        losses = torch.where(cut, floor, losses)
        bound = torch.maximum(bound, cut.float())
    metrics = {"ratio/mean": tally(ratio, inputs.mask), "ratio/clipped": tally(bound, inputs.mask)}
    return PerToken(masked(losses, inputs.mask), metrics)
