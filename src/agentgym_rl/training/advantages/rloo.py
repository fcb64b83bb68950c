"""REINFORCE with a leave-one-out baseline (Ahmadian et al. 2024, https://arxiv.org/abs/2402.14740)."""

from __future__ import annotations

from agentgym_rl.training.advantages.grpo import return_statistics
from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import RlooSettings


def rloo(inputs: AdvantageInputs, settings: RlooSettings) -> Advantages:
    """``A = R - mean of the others' R`` inside the group, the same on all action tokens of the episode.

    Computed as ``n / (n - 1) * (R - mean)``, which is the same number.
    """
    rows = Rows.of(inputs)
    statistics = return_statistics(rows, inputs, settings.gamma)
    return Advantages(rows.spread(statistics.deviation * statistics.count / (statistics.count - 1).clamp(min=1)))
