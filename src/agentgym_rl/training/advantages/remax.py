"""ReMax (Li et al. 2024, https://arxiv.org/abs/2310.10505): the greedy episode's return is the baseline."""

from __future__ import annotations

from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import RemaxSettings


def remax(inputs: AdvantageInputs, settings: RemaxSettings) -> Advantages:
    """``A = R - b``: ``b`` [episodes] the return of the greedy episode of the same draw, from ``baselines``."""
    if inputs.baselines is None:
        raise ValueError("remax needs baselines: the return of a greedy episode for each draw")
    rows = Rows.of(inputs)
    return Advantages(rows.spread(rows.returns(settings.gamma) - inputs.baselines.float()))
