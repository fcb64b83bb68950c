"""REINFORCE++ (Hu et al. 2025, https://arxiv.org/abs/2501.03262): returns normalised over the whole batch."""

from __future__ import annotations

from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import ReinforcePlusPlusSettings
from agentgym_rl.training.advantages.whiten import whiten


def reinforce_pp(inputs: AdvantageInputs, settings: ReinforcePlusPlusSettings) -> Advantages:
    """``A[t] = (G[t] - mean) / sqrt(variance + epsilon)``: mean and variance over all action tokens of the batch."""
    rows = Rows.of(inputs)
    return Advantages(rows.unpack(whiten(rows.returns_to_go(settings.gamma), rows.mask, settings.epsilon)))
