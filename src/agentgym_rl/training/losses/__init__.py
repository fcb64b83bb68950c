"""Losses: pure functions of the log-probs, values and advantages of tokens."""

from agentgym_rl.training.algorithms.policies import PolicyLoss
from agentgym_rl.training.losses.aggregation import aggregation_weights
from agentgym_rl.training.losses.cispo import cispo
from agentgym_rl.training.losses.correction import correction_weights, mismatch_metrics
from agentgym_rl.training.losses.forced import forced_likelihood, forced_mask
from agentgym_rl.training.losses.gspo import gspo
from agentgym_rl.training.losses.inputs import LossInputs, LossOutput, Tally
from agentgym_rl.training.losses.kl import kl_per_token
from agentgym_rl.training.losses.kl_controller import AdaptiveKl, FixedKl, KlController
from agentgym_rl.training.losses.masked import log_ratio, masked, tally
from agentgym_rl.training.losses.metrics import add_tallies, means
from agentgym_rl.training.losses.overlong import overlong_penalty
from agentgym_rl.training.losses.policy import PerToken
from agentgym_rl.training.losses.policy_gradient import policy_gradient
from agentgym_rl.training.losses.ppo_clip import ppo_clip
from agentgym_rl.training.losses.registry import register
from agentgym_rl.training.losses.value import value_losses

__all__ = [
    "AdaptiveKl",
    "FixedKl",
    "KlController",
    "LossInputs",
    "LossOutput",
    "PerToken",
    "PolicyLoss",
    "Tally",
    "add_tallies",
    "aggregation_weights",
    "cispo",
    "correction_weights",
    "forced_likelihood",
    "forced_mask",
    "gspo",
    "kl_per_token",
    "log_ratio",
    "masked",
    "means",
    "mismatch_metrics",
    "overlong_penalty",
    "policy_gradient",
    "ppo_clip",
    "register",
    "tally",
    "value_losses",
]
