"""REINFORCE (Williams 1992, https://doi.org/10.1007/BF00992696) with the return to go and a scalar baseline."""

from __future__ import annotations

import torch
from torch import Tensor

from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import ReinforceSettings


def reinforce(inputs: AdvantageInputs, settings: ReinforceSettings) -> Advantages:
    """``A[t] = G[t] - b``: ``G[t]`` the rewards from token t on, discounted between turns.

    ``b`` is the mean return of the valid episodes of the batch, the number passed in ``baselines``, or 0.
    """
    rows = Rows.of(inputs)
    advantages = rows.returns_to_go(settings.gamma) - _baseline(rows, inputs, settings)[:, None]
    return Advantages(rows.unpack(advantages))


def _baseline(rows: Rows, inputs: AdvantageInputs, settings: ReinforceSettings) -> Tensor:
    returns = rows.returns(settings.gamma)
    if settings.baseline == "none":
        return torch.zeros_like(returns)
    if settings.baseline == "batch":
        return (returns.sum() / rows.valid.sum().clamp(min=1)).expand_as(returns)
    if inputs.baselines is None:
        raise ValueError("reinforce with baseline=running needs baselines: the trainer's mean return of earlier steps")
    return inputs.baselines.float()
