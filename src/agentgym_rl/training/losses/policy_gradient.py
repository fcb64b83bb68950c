"""The plain policy gradient (Williams 1992, https://doi.org/10.1007/BF00992696)."""

from __future__ import annotations

from agentgym_rl.training.losses.inputs import LossInputs
from agentgym_rl.training.losses.masked import log_ratio, masked, tally
from agentgym_rl.training.losses.policy import PerToken


def policy_gradient(inputs: LossInputs) -> PerToken:
    """``-A log_probs``. It takes the episodes as sampled by the policy being trained: one update a step."""
    losses = -masked(inputs.advantages, inputs.mask) * masked(inputs.log_probs, inputs.mask)
    ratio = log_ratio(inputs.log_probs, inputs.old_log_probs, inputs.mask).exp()
    return PerToken(losses, {"ratio/mean": tally(ratio, inputs.mask)})
