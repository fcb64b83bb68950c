"""Sequence-level clipping (GSPO; Zheng et al. 2025, https://arxiv.org/abs/2507.18071)."""

from __future__ import annotations

import torch

from agentgym_rl.training.losses.inputs import LossInputs
from agentgym_rl.training.losses.masked import log_ratio, masked, tally
from agentgym_rl.training.losses.policy import PerToken


def gspo(inputs: LossInputs, *, clip_low: float = 3e-4, clip_high: float = 4e-4) -> PerToken:
    """The PPO clip on one ratio an episode: ``s = exp(mean over its sampled tokens of (log_probs - old_log_probs))``.

    The sequence of the paper is here the whole episode: all messages of its turns, no observation. Each token carries the
    episode's ratio with its own gradient (``s`` detached, times ``pi / pi`` detached), so advantages may differ by turn;
    where they do not, value and gradient are those of the sequence.
    """
    token = log_ratio(inputs.log_probs, inputs.old_log_probs, inputs.mask)
    mean = token.sum(1, keepdim=True) / inputs.mask.sum(1, keepdim=True).clamp(min=1)
    ratio = (mean.detach() + token - token.detach()).exp()
    advantages = masked(inputs.advantages, inputs.mask)
    plain = -advantages * ratio
    clipped = -advantages * ratio.clamp(1 - clip_low, 1 + clip_high)
    bound = (clipped > plain).float()
    metrics = {"ratio/mean": tally(ratio, inputs.mask), "ratio/clipped": tally(bound, inputs.mask)}
    return PerToken(masked(torch.maximum(plain, clipped), inputs.mask), metrics)
