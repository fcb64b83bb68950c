"""Generalised advantage estimation over action tokens (Schulman et al. 2016, https://arxiv.org/abs/1506.02438)."""

from __future__ import annotations

import torch

from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows, discounted_sums
from agentgym_rl.training.advantages.settings import GaeSettings
from agentgym_rl.training.advantages.whiten import whiten


def gae(inputs: AdvantageInputs, settings: GaeSettings) -> Advantages:
    """``A[t] = d[t] + gamma lam A[t+1]`` with ``d[t] = r[t] + gamma V[t+1] - V[t]``; t counts action tokens only.

    ``V[t]`` is the value before action token t, so ``V[t+1]`` of a message's last token is the value before the first token
    of the next message, after the observation. Values at observation tokens are never read. ``returns = A + V``.
    """
    if inputs.values is None:
        raise ValueError("gae needs values: train a critic, or choose an estimator without one (grpo, rloo, reinforce)")
    rows = Rows.of(inputs)
    values = rows.pack(inputs.values)
    decay = torch.where(rows.last, settings.gamma * settings.turn_gamma, settings.gamma)
    following = torch.nn.functional.pad(values[:, 1:], (0, 1))
    if settings.bootstrap:
        following = bootstrapped(following, values, rows.mask, inputs)
    deltas = rows.rewards + decay * following - values
    deltas = torch.where(rows.mask, deltas, 0.0)
    advantages = discounted_sums(deltas, decay * settings.lam)
    returns = advantages + values
    if settings.whiten:
        advantages = whiten(advantages, rows.mask, 1e-8)
    return Advantages(rows.unpack(advantages), rows.unpack(returns))


def bootstrapped(following: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, inputs: AdvantageInputs) -> torch.Tensor:
    """``following`` [episodes, actions] with the value after the last action of a truncated episode filled in.

    The state beyond the horizon has no action token and so no value of its own; the value before the last action stands
    for it.
    """
    if inputs.truncated is None:
        raise ValueError("bootstrap=True needs truncated: which episodes the horizon or the context cut")
    last = mask & ~torch.nn.functional.pad(mask[:, 1:], (0, 1))
    return torch.where(last & inputs.truncated.bool()[:, None], values, following)
