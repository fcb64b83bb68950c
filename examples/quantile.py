"""An algorithm in one file: a quantile of the group's returns as baseline, and a loss that pulls back instead of cutting off.

agentgym-rl train configs/tiny.yaml run.name=quantile algorithm.name=examples.quantile:QUANTILE batch.mini_batches=2
"""

import torch
from pydantic import Field

from agentgym_rl.config import Settings
from agentgym_rl.training import advantages, losses
from agentgym_rl.training.advantages import Advantages, Estimator
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.algorithms.recipe import LossRecipe, Recipe
from agentgym_rl.training.losses import PerToken, PolicyLoss, log_ratio, masked, tally


class QuantileSettings(Settings):
    gamma: float = Field(default=1.0, ge=0, le=1)
    quantile: float = Field(default=0.5, ge=0, le=1)


def group_quantile(inputs, settings):
    """A = R - quantile of the R of its group, the same on all action tokens of the episode."""
    rows = Rows.of(inputs)
    returns = rows.returns(settings.gamma)
    result = torch.zeros_like(returns)
    for group in inputs.groups.unique():
        members = (inputs.groups == group) & rows.valid
        if members.sum() > 1:
            result[members] = returns[members] - returns[members].quantile(settings.quantile)
    return Advantages(rows.spread(result))


def spo(inputs, *, clip_high):
    """-(r A - |A| (r - 1)² / (2 clip_high)): best at |r - 1| = clip_high, and a pull back from beyond it."""
    ratio = log_ratio(inputs.log_probs, inputs.old_log_probs, inputs.mask).exp()
    advantage = masked(inputs.advantages, inputs.mask)
    loss = advantage.abs() * (ratio - 1).square() / (2 * clip_high) - advantage * ratio
    beyond = ((ratio - 1).abs() > clip_high).float()
    metrics = {"ratio/mean": tally(ratio, inputs.mask), "ratio/clipped": tally(beyond, inputs.mask)}
    return PerToken(masked(loss, inputs.mask), metrics)


advantages.register("group_quantile", Estimator(QuantileSettings, compares_groups=True, one_advantage=True), group_quantile)
losses.register("spo", PolicyLoss({"clip_high": 0.2}), spo)

QUANTILE = Recipe(
    name="quantile",
    estimator="group_quantile",
    advantage=QuantileSettings(),
    loss=LossRecipe("spo", clip_high=0.2, aggregation="episode_mean"),
)
