"""Clipped importance weights instead of clipped updates (CISPO; MiniMax-M1 2025, https://arxiv.org/abs/2506.13585)."""

from __future__ import annotations

from agentgym_rl.training.losses.inputs import LossInputs
from agentgym_rl.training.losses.masked import log_ratio, masked, tally
from agentgym_rl.training.losses.policy import PerToken


def cispo(inputs: LossInputs, *, clip_low: float | None = None, clip_high: float = 4.0) -> PerToken:
    """``-w A log_probs`` with ``w = clip(r, 1 - clip_low, 1 + clip_high)`` detached: every token keeps a gradient.

    ``clip_low`` None: no lower bound, as in the paper's runs.
    """
    ratio = log_ratio(inputs.log_probs, inputs.old_log_probs, inputs.mask).exp().detach()
    weight = ratio.clamp(None if clip_low is None else 1 - clip_low, 1 + clip_high)
    losses = -weight * masked(inputs.advantages, inputs.mask) * masked(inputs.log_probs, inputs.mask)
    metrics = {"ratio/mean": tally(ratio, inputs.mask), "ratio/clipped": tally((weight != ratio).float(), inputs.mask)}
    return PerToken(losses, metrics)
