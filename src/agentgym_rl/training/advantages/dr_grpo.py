"""GRPO done right: no division by the deviation (Liu et al. 2025, https://arxiv.org/abs/2503.20783)."""

from __future__ import annotations

from agentgym_rl.training.advantages.grpo import return_statistics
from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import DrGrpoSettings


def dr_grpo(inputs: AdvantageInputs, settings: DrGrpoSettings) -> Advantages:
    """``A = R - mean`` inside the group, the same on all action tokens of the episode."""
    rows = Rows.of(inputs)
    return Advantages(rows.spread(return_statistics(rows, inputs, settings.gamma).deviation))
