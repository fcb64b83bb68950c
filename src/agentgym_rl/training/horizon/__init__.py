"""The horizon schedule: how many turns an episode may take at each step."""

from agentgym_rl.training.horizon.schedule import Horizon

__all__ = ["Horizon"]
