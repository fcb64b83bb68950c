"""Group-relative advantages (GRPO; Shao et al. 2024, https://arxiv.org/abs/2402.03300)."""

from __future__ import annotations

from agentgym_rl.training.advantages.groups import GroupStatistics, group_statistics
from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import GrpoSettings


def grpo(inputs: AdvantageInputs, settings: GrpoSettings) -> Advantages:
    """``A = (R - mean) / (std + epsilon)`` inside the group, the same on all action tokens of the episode.

    ``std`` is the sample standard deviation (ddof 1). Groups of one and groups with equal returns get exactly zero.
    """
    rows = Rows.of(inputs)
    statistics = return_statistics(rows, inputs, settings.gamma)
    scale = (statistics.std + settings.epsilon).where(statistics.informative, 1.0)
    return Advantages(rows.spread(statistics.deviation / scale))


def return_statistics(rows: Rows, inputs: AdvantageInputs, gamma: float) -> GroupStatistics:
    """Statistics of the episodes' returns inside their groups, [episodes]."""
    return group_statistics(rows.returns(gamma), inputs.groups, rows.valid, rows.rewards.abs().sum(1))
