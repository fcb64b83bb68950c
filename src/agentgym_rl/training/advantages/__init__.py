"""Advantages: from the rewards of episodes to a number for every action token."""

from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.registry import estimate, register

__all__ = ["AdvantageInputs", "Advantages", "estimate", "register"]
