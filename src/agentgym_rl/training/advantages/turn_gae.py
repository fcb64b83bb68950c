"""Generalised advantage estimation where a turn is the action (as in turn-level PPO, https://arxiv.org/abs/2510.01051)."""

from __future__ import annotations

import torch

from agentgym_rl.training.advantages.gae import bootstrapped
from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows, discounted_sums
from agentgym_rl.training.advantages.settings import TurnGaeSettings
from agentgym_rl.training.advantages.whiten import whiten


def turn_gae(inputs: AdvantageInputs, settings: TurnGaeSettings) -> Advantages:
    """``A[k] = d[k] + gamma lam A[k+1]`` with ``d[k] = r[k] + gamma V[k+1] - V[k]``; k counts turns.

    ``V[k]`` is the value before the first action token of turn k, ``r[k]`` the sum of the rewards inside it. All action
    tokens of a turn share its advantage and its return ``A[k] + V[k]``.
    """
    if inputs.values is None:
        raise ValueError("turn_gae needs values: train a critic, or choose an estimator without one (grpo, rloo, gigpo)")
    rows = Rows.of(inputs)
    first = rows.mask.clone()
    first[:, 1:] = rows.mask[:, 1:] & rows.last[:, :-1]
    values = rows.turn_sums(torch.where(first, rows.pack(inputs.values), 0.0))
    present = rows.turn_sums(first.float()) > 0
    following = torch.nn.functional.pad(values[:, 1:], (0, 1))
    if settings.bootstrap:
        following = bootstrapped(following, values, present, inputs)
    deltas = torch.where(present, rows.turn_sums(rows.rewards) + settings.gamma * following - values, 0.0)
    advantages = discounted_sums(deltas, torch.full_like(deltas, settings.gamma * settings.lam))
    returns = advantages + values
    if settings.whiten:
        advantages = whiten(advantages, present, 1e-8)
    return Advantages(rows.unpack(advantages.gather(1, rows.turns)), rows.unpack(returns.gather(1, rows.turns)))
