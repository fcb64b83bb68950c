"""REINFORCE++ with a group baseline (Hu et al. 2025, https://arxiv.org/abs/2501.03262, the variant for many samples)."""

from __future__ import annotations

import torch

from agentgym_rl.training.advantages.grpo import return_statistics
from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import ReinforcePlusPlusBaselineSettings
from agentgym_rl.training.advantages.whiten import whiten


def reinforce_pp_baseline(inputs: AdvantageInputs, settings: ReinforcePlusPlusBaselineSettings) -> Advantages:
    """``R - mean`` inside the group, then whitened over all action tokens of the batch.

    Whitening would give a group without variance the (negative) mean of the batch; it stays exactly zero here.
    """
    rows = Rows.of(inputs)
    statistics = return_statistics(rows, inputs, settings.gamma)
    white = whiten(statistics.deviation[:, None].expand_as(rows.rewards), rows.mask, settings.epsilon)
    return Advantages(rows.unpack(torch.where(statistics.informative[:, None], white, 0.0)))
